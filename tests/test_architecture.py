"""The invariants of ARCHITECTURE.md and of the code's style, each as a test, so that plain pytest finds a breach."""

from __future__ import annotations

import ast
import re
import string
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rulewright.checks import all_checks
from rulewright.text.language import Text

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "engine" / "rulewright"
SERVER = ROOT / "server" / "rulewright_ls"

MAY_CATCH_EVERYTHING = {
    "engine/rulewright/hook/run.py",
    "engine/rulewright/analysis.py",
    "server/rulewright_ls/server.py",
}
"""Where a fault of ours must not reach the host, the other checks, or the editor."""

EVENT_TIME_ALWAYS = {"__future__", "sys", "os", "time", "errno", "marshal", "posix", "nt", "_signal", "_io", "_thread"}
EVENT_TIME_LATE = EVENT_TIME_ALWAYS | {
    "json",
    "_json",
    "re",
    "enum",
    "functools",
    "collections",
    "hashlib",
    "faulthandler",
    "_blake2",
    "_sha1",
}
"""What event-time code may import at the top, and inside a function: else it costs milliseconds at each event.

The names that are not in the guide are part of the interpreter itself (`sys.builtin_module_names`), or what `json` and
`re` load anyway.
"""

MAY_START_PROCESSES = {"engine/rulewright/hook/child.py", "engine/rulewright/hook/actions.py"}
"""The places of event time that may import `subprocess`, inside a function."""

MAY_NAME_CODES = ("checks/", "syntax/", "formats/")
"""Folders of the engine that name codes: the checks themselves, and the readers that find a fault."""


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tracked() -> tuple[Path, ...]:
    """Return the files of the project: what git has, or would take."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return tuple(ROOT / name for name in names if name and (ROOT / name).is_file())


@cache
def sources() -> tuple[Path, ...]:
    """Return the Python files of both packages."""
    return tuple(sorted([*ENGINE.rglob("*.py"), *SERVER.rglob("*.py")]))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_the_layers_keep_to_their_imports() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr


def test_every_module_says_what_it_is_for() -> None:
    assert len(sources()) > 20
    bare = [relative(path) for path in sources() if not ast.get_docstring(tree_of(path))]
    assert not bare


def test_module_names_say_something() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc"}
    assert not [relative(path) for path in sources() if path.stem in vague]


def test_no_splitlines() -> None:
    """It also splits at U+2028, U+0085 and form feed, which are no line ends in an editor."""
    found = [
        f"{relative(path)}:{node.lineno}"
        for path in [*sources(), *(ROOT / "tests").rglob("*.py")]
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ]
    assert not found


def test_only_three_places_catch_everything() -> None:
    found = set()
    for path in sources():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ExceptHandler) and not _passes_on(node):
                caught = (
                    [] if node.type is None else node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                )
                names = {ast.unparse(item) for item in caught}
                if node.type is None or names & {"Exception", "BaseException"}:
                    found.add(relative(path))
            elif (
                isinstance(node, ast.Call)
                and ast.unparse(node.func).endswith("suppress")
                and {ast.unparse(item) for item in node.args} & {"Exception", "BaseException"}
            ):
                found.add(relative(path))
    assert found <= MAY_CATCH_EVERYTHING


def _passes_on(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler only cleans up: it ends by raising again what it caught."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_positions_are_made_in_one_place() -> None:
    """LSP positions: the unit of a column is known to `convert.py` alone."""
    found = [
        relative(path)
        for path in SERVER.rglob("*.py")
        if path.name != "convert.py" and re.search(r"(?<!\w)Position\(", path.read_text(encoding="utf-8"))
    ]
    assert not found


@cache
def codes() -> frozenset[str]:
    return frozenset(check.code for check in all_checks())


def test_codes_are_named_where_they_live() -> None:
    """Adding a check touches two files: no list, table or message elsewhere in the packages names a code."""
    found = []
    for path in sources():
        place = path.relative_to(ENGINE).as_posix() if path.is_relative_to(ENGINE) else relative(path)
        if place.startswith(MAY_NAME_CODES):
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Constant) and node.value in codes() and not _owns_code(place, str(node.value)):
                found.append(f"{relative(path)}:{node.lineno}: {node.value}")
    assert not found


PLACES_OF_STATES = {
    # Comments that ignore are read there; what they ignore is not judged in a text that could not be read.
    "suppression.py": {"unused-ignore"},
    # The fence around the checks, and the server's around an analysis, report our own failures.
    "analysis.py": {"internal-error"},
    "server/rulewright_ls/session.py": {"internal-error"},
    # They ask whether the text could be read at all, or leave out what a comment in the text cannot silence.
    "ide/code_actions.py": {"multi-document", "internal-error"},
}
"""The codes that stand for a state of the text or of the tool, and who must know that state."""


def _owns_code(place: str, code: str) -> bool:
    return code in PLACES_OF_STATES.get(place, ())


def test_a_check_names_no_other_code_as_its_own() -> None:
    for check in all_checks():
        path = ENGINE / "checks" / f"{check.code.lower().replace('-', '_')}.py"
        assert path.exists(), check.code
        calls = [
            ast.unparse(keyword.value)
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Check"
            for keyword in node.keywords
            if keyword.arg == "code"
        ]
        assert len(calls) <= 1


def event_time() -> list[Path]:
    """Return the modules that run at every event."""
    return [ENGINE / "__init__.py", ENGINE / "hook_entry.py", *ENGINE.glob("hook/*.py"), *ENGINE.glob("harness/*.py")]


def test_event_time_imports() -> None:
    found = []
    for path in event_time():
        if not path.exists():
            continue
        for module, late, line in imports_of(tree_of(path)):
            if module.split(".")[0] == "rulewright":
                if not re.match(r"rulewright(\.(hook|harness)(\.|$)|$)", module):
                    found.append(f"{relative(path)}:{line}: {module}")
            elif late and module == "subprocess" and relative(path) in MAY_START_PROCESSES:
                continue
            elif module.split(".")[0] not in (EVENT_TIME_LATE if late else EVENT_TIME_ALWAYS):
                found.append(f"{relative(path)}:{line}: {module}{'' if late else ' at the top'}")
    assert not found


def imports_of(tree: ast.Module) -> Iterator[tuple[str, bool, int]]:
    """Yield each imported module, whether that is inside a function, and the line; type-checking imports are left out."""

    def walk(node: ast.AST, late: bool) -> Iterator[tuple[str, bool, int]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((alias.name, late, child.lineno) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                yield child.module or ".", late, child.lineno
            elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                for other in child.orelse:
                    yield from walk(ast.Module([other], []), late)
            else:
                yield from walk(child, late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))

    return walk(tree, False)


def test_the_package_itself_imports_nothing() -> None:
    assert list(imports_of(tree_of(ENGINE / "__init__.py"))) in ([], [("__future__", False, 3)])


def texts() -> Iterator[tuple[str, Text]]:
    """Yield every `Text("...", "...")` that is written with two plain strings."""
    for path in sources():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Text":
                place = f"{relative(path)}:{node.lineno}"
                arguments = {
                    **dict(zip(("en", "zh"), node.args, strict=False)),
                    **{k.arg: k.value for k in node.keywords},
                }
                values = [arguments.get(name) for name in ("en", "zh")]
                if all(isinstance(value, ast.Constant) and isinstance(value.value, str) for value in values):
                    yield place, Text(*(value.value for value in values))  # type: ignore[union-attr, misc]


def test_texts_are_whole_in_both_languages() -> None:
    found = list(texts())
    assert len(found) > 50
    faults = []
    for place, text in found:
        if bool(text.en) != bool(text.zh):
            faults.append(f"{place}: one language is empty")
        if placeholders(text.en) != placeholders(text.zh):
            faults.append(f"{place}: the places to fill differ: {text}")
        has_words = re.search(r"[A-Za-z]{2}", re.sub(r"`[^`]*`|\{\w*\}", "", text.en))
        if has_words and text.zh and not re.search(r"[\u3400-\u9fff]", text.zh) and text.en != text.zh:
            faults.append(f"{place}: the Chinese text is not Chinese")
        if re.search(r"[\u3000-\u9fff\uff00-\uffef]", text.en):
            faults.append(f"{place}: the English text has Chinese in it")
    assert not faults, "\n".join(faults)


def placeholders(template: str) -> set[str]:
    """Return the names between braces; a text that is no template has none."""
    try:
        return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    except ValueError:
        return set()


def test_files_name_no_machine_and_no_person() -> None:
    """What is shipped must make sense to a reader anywhere."""
    # Put together here, so that this file does not hold what it looks for.
    words = [r"/" + r"(?:work|root|home/\w+)/\w", r"/" + "Users/" + r"\w+/", r"\.\./" + "shared"]
    pattern = re.compile("|".join(words))
    skipped = ("tests/corpus/", "tests/fixtures/", "tests/harness/")
    found = []
    for path in tracked():
        if relative(path).startswith(skipped) or path.suffix in (".svg", ".png"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            if pattern.search(line):
                found.append(f"{relative(path)}:{number}: {line.strip()[:100]}")
    assert not found, "\n".join(found)


def test_notes_to_do_have_an_issue() -> None:
    word = "TO" + "DO"
    found = [
        relative(path)
        for path in sources()
        if re.search(rf"\b({word}|FIX" + r"ME|XXX)\b(?!.*#\d)", path.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    "name", ["README.md", "ARCHITECTURE.md", "docs/getting-started.md", "docs/zh-CN/getting-started.md"]
)
def test_links_in_the_pages_lead_somewhere(name: str) -> None:
    page = ROOT / name
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http", "#", "mailto:")):
            assert (page.parent / target.split("#")[0]).exists(), target


def test_the_lock_pins_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = (
        project["project"]["dependencies"] + project["dependency-groups"]["dev"] + project["build-system"]["requires"]
    )
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    pinned = {plain(line.split("==")[0]) for line in lock.split("\n") if "==" in line and not line.startswith("#")}
    assert {plain(re.split(r"[<>=;\s\[]", word)[0]) for word in asked} <= pinned


def plain(name: str) -> str:
    """Return a distribution's name in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower().strip()


def test_the_readme_names_the_command_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "python3 dev.py ci" in readme
    assert "dev.py ci" in ci
