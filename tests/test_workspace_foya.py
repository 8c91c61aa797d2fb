"""Foya's rules in projects: the user's global file, what is read how often, growth, progress, and one keystroke in the editor."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulewright import analysis, caching, files, foya_set, workspace
from rulewright.checking import FoyaFacts, Summary
from rulewright.files import Source
from rulewright.settings import Settings
from rulewright.text.span import Span
from rulewright.workspace import Outcome, check_paths, check_text
from rulewright_ls.documents import OpenDocument
from rulewright_ls.session import Session

ROOT = Path(__file__).parents[1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def rule(rule_id: str, text: str = "Be brief.", more: str = "trigger: always") -> str:
    return f"---\nid: {rule_id}\n{more}\n---\n{text}\n"


def marker(rule_id: str, text: str = "Be brief.", more: str = '"trigger":"always"') -> str:
    return f'<!-- foya-rule: {{"id":"{rule_id}",{more}}} -->\n{text}\n'


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def put_global(home: Path, *rules: str) -> Path:
    return put(home / ".foya" / "rules" / "user_rules.md", "# Foya User Rules\n\n" + "\n".join(rules))


def codes(outcome: Outcome) -> list[tuple[str, str]]:
    return [(Path(file.shown).name, finding.code) for file in outcome.files for finding in file.findings]


def put_many(root: Path, number: int) -> list[Path]:
    """Write rules into nested folders, three levels deep as deep may be."""
    found = []
    for i in range(number):
        folder = root / ".foya" / "rules" / f"a{i % 3}" / f"b{i // 3 % 3}" / f"c{i // 9 % 3}"
        found.append(put(folder / f"r{i:04}.md", rule(f"r{i:04}", f"Rule {i}.")))
    return found


# --- the user's global file


def test_the_global_file_is_in_view_of_a_project_with_rules(home: Path, root: Path) -> None:
    put_global(home, marker("lint"), marker("own"))
    put(root / ".foya" / "rules" / "lint.md", rule("lint"))
    outcome = check_paths([str(root)])
    assert codes(outcome) == [("lint.md", "foya-duplicate")]
    (finding,) = outcome.files[0].findings
    assert finding.message.en.startswith("`~/.foya/rules/user_rules.md` has the id `lint` too")
    assert [note.path for note in finding.related] == [str(home / ".foya" / "rules" / "user_rules.md")]
    # It is reported on where it was asked for.
    both = check_paths([str(root), str(home / ".foya" / "rules" / "user_rules.md")])
    assert sorted(codes(both)) == [("lint.md", "foya-duplicate"), ("user_rules.md", "foya-duplicate")]
    assert codes(check_text(".foya/rules/lint.md", Source(rule("lint")))) == [("lint.md", "foya-duplicate")]
    assert codes(check_text(".foya/rules/lint.md", Source(rule("other")))) == []


def test_the_global_file_alone_and_in_a_project_without_rules(home: Path, root: Path) -> None:
    path = put_global(home, marker("tone"), marker("tone"))
    assert codes(check_paths([str(path)])) == [("user_rules.md", "foya-duplicate")] * 2
    put(root / "README.md", "No rule.\n")
    assert check_paths([str(root)]).files == ()
    assert check_paths([str(root)]).others == {}


def test_global_rules_hold_in_each_project(home: Path, root: Path) -> None:
    path = put_global(home, marker("one"), marker("two"), marker("three"))
    put(root / ".foya" / "rules" / "x.md", rule("one"))
    put(root / "packages" / "web" / ".foya" / "rules" / "x.md", rule("two"))
    found = check_paths([str(root), str(root / "packages" / "web"), str(path)])
    assert sorted(codes(found)) == [("user_rules.md", "foya-duplicate")] * 2 + [("x.md", "foya-duplicate")] * 2


def test_projects_inside_a_project_have_ids_of_their_own_whatever_holds_the_settings(home: Path, root: Path) -> None:
    put(root / "rulewright.toml", 'lang = "en"\n')
    put(root / ".foya" / "rules" / "lint.md", rule("lint"))
    put(root / "packages" / "web" / ".foya" / "rules" / "lint.md", rule("lint"))
    outcome = check_paths([str(root)])
    assert len(outcome.files) == 2
    assert codes(outcome) == []


def test_a_file_that_two_paths_lead_to_is_one_file(home: Path, root: Path) -> None:
    path = put(root / ".foya" / "rules" / "lint.md", rule("lint"))
    (root / ".foya" / "rules" / "same.md").symlink_to(path)
    (root / "again").symlink_to(root / ".foya")
    asked = [str(root), str(path), str(root / ".foya" / "rules" / "same.md"), str(root / "again" / "rules" / "lint.md")]
    outcome = check_paths(asked)
    assert len(outcome.files) == 1
    assert codes(outcome) == []
    # Two documents of an editor, one by the link: what is said of one is said of the other.
    settings = Settings(root=str(root))
    put(root / ".foya" / "rules" / "other.md", rule("lint"))
    names = ("lint.md", "same.md", "other.md")
    summaries = [workspace.summarize_path(str(root / ".foya" / "rules" / name), settings) for name in names]
    found = workspace.workspace_findings([each for each in summaries if each], settings)
    assert {os.path.basename(path): len(findings) for path, findings in found.items()} == dict.fromkeys(names, 1)
    assert all(len(findings[0].related) == 1 for findings in found.values())


@pytest.mark.parametrize("linked", [".foya", ".foya/rules", ".openclaude"])
def test_a_linked_folder_of_rules_is_followed(home: Path, root: Path, linked: str) -> None:
    """What the hook reads there is checked too; a link to a folder above leads nowhere for both."""
    path = put(root.parent / "shared" / "rules" / "lint.md", rule("lint"))
    if linked == ".openclaude":
        put(root.parent / "shared" / "hook-chains.json", "{")
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(path.parent if linked == ".foya/rules" else path.parent.parent)
    (found,) = check_paths([str(root)]).files
    if linked != ".openclaude":
        assert caching.foya_files(str(root)) == [found.path]
        assert foya_set.find_files(str(root)) == [found.path]
    (root / linked).unlink()
    (root / linked).symlink_to(root)
    assert check_paths([str(root)]).files == ()
    put(root / "rules" / "lint.md", rule("lint"))
    if linked == ".foya/rules":
        assert caching.foya_files(str(root)) == foya_set.find_files(str(root)) == []


def test_the_rule_changed_last_passes_the_budget(home: Path, root: Path) -> None:
    for number, name in enumerate(("b.md", "c.md", "a.md")):
        path = put(root / ".foya" / "rules" / name, rule(name[0], "x" * 5000))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    assert codes(check_paths([str(root)])) == [("a.md", "foya-budget")]
    os.utime(root / ".foya" / "rules" / "b.md", (1_800_000_000, 1_800_000_000))
    assert codes(check_paths([str(root)])) == [("b.md", "foya-budget")]
    # What is not saved yet will be the newest.
    put(root / ".foya" / "rules" / "a.md", rule("a"))
    assert codes(check_text(".foya/rules/new.md", Source(rule("0", "x" * 5000)))) == [("new.md", "foya-budget")]


# --- how much is done


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[str]:
    """Count the calls of a function: the paths it was called with."""
    calls: list[str] = []
    real = getattr(owner, name)

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        calls.append(
            next(str(getattr(arg, "path", arg)) for arg in args if isinstance(arg, str) or hasattr(arg, "path"))
        )
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, wrapper)
    return calls


def test_each_file_is_read_once_and_analysed_again_only_where_others_matter(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = put_many(root, 40)
    put(root / ".foya" / "rules" / "x.md", rule("r0007"))
    reads = counted(monkeypatch, files, "read_source")
    analyses = counted(monkeypatch, analysis, "analyze")
    outcome = check_paths([str(root)])
    assert len(outcome.files) == 41
    assert sorted(reads) == sorted({*map(str, paths), str(root / ".foya" / "rules" / "x.md")})
    assert len(analyses) == 41 + 2


@pytest.mark.parametrize("same", [False, True], ids=["all different", "all the same"])
def test_what_files_say_together_grows_as_they_do(same: bool) -> None:
    def summaries(number: int) -> list[Summary]:
        found = []
        for i in range(number):
            rule_id, name = ("x", "a" * (i % 7 + 1)) if same else (f"i{i}", f"n{i:06}")
            facts = FoyaFacts(
                "project",
                ("manual", "always")[i % 2],
                rule_id,
                Span(8, 9),
                name,
                Span(20, 21),
                True,
                Span(8, 9),
                None,
                9,
                9,
            )
            found.append(Summary(f"/p/.foya/rules/f{i:06}.md", "foya", (), "/p/.foya/rules", (facts,), float(i)))
        return found

    def calls(number: int) -> int:
        total = 0

        def count(*_: object) -> None:
            nonlocal total
            total += 1

        given = summaries(number)
        sys.setprofile(count)
        try:
            workspace.workspace_findings(given, Settings(root="/p"))
        finally:
            sys.setprofile(None)
        return total

    calls(10)
    assert calls(1600) < 2.3 * calls(800)


# --- progress


def test_a_long_run_tells_a_terminal_how_far_it_is_and_leaves_nothing(
    home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rulewright.commands import check

    put_many(root, 5)
    times = iter(range(1000))
    monkeypatch.setattr(check.time, "monotonic", lambda: float(next(times)))
    written: list[str] = []
    monkeypatch.setattr(check, "write_error", written.append)
    monkeypatch.setattr(check.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("TERM", raising=False)
    with check.progress_line("en") as progress:
        assert progress is not None
        check_paths([str(root)], progress=progress)
    assert "5 of 5 files checked" in written[-2]
    assert all(text.startswith("\r\x1b[K") and "\n" not in text for text in written)
    assert written[-1] == "\r\x1b[K"
    written.clear()
    monkeypatch.setattr(check.sys.stderr, "isatty", lambda: False)
    with check.progress_line("en") as progress:
        assert progress is None
    assert written == []


def test_a_short_run_is_silent_on_a_terminal_and_any_run_elsewhere(home: Path, root: Path) -> None:
    put_many(root, 3)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine"), "TERM": "xterm", "NO_COLOR": "1"}
    ours, theirs = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-c", PATIENT]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, check=False, cwd=root)
    os.close(theirs)
    shown = b""
    while chunk := read_terminal(ours):
        shown += chunk
    os.close(ours)
    assert done.returncode == 0
    assert shown.strip() == b"3 files checked: no problems"
    piped = subprocess.run(command, capture_output=True, env=environment, check=False, cwd=root)
    assert piped.stderr.strip() == b"3 files checked: no problems"


PATIENT = "from rulewright.commands import check; check.PATIENCE = 1e9\nimport sys; from rulewright.cli import main; sys.exit(main(['check']))"


def read_terminal(handle: int) -> bytes:
    try:
        return os.read(handle, 4096)
    except OSError:  # Linux says so at the end
        return b""


# --- one keystroke


class Editor:
    """A session with many open documents, driven without a wire."""

    def __init__(self, root: Path) -> None:
        def fence(what: str, work: Callable[[], Any]) -> Any:
            return work()

        self.published: list[str] = []
        self.session = Session(lambda document: self.published.append(document.path), lambda message: None, fence)
        self.session.client.roots = (str(root),)

    def open(self, path: Path) -> OpenDocument:
        self.session.open(path.as_uri(), 1, path.read_text(encoding="utf-8"), "markdown")
        document = self.session.opened(str(path))
        assert document is not None
        return document

    async def settle(self) -> None:
        """Wait until nothing is left to do, in the loop and beside it."""
        for _ in range(4):
            self.session.idle()
            for document in self.session.documents:
                await self.session.settled(document)
            passed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.session._in_background(lambda: None, passed.set_result)
            await passed

    async def type(self, document: OpenDocument, line: int, column: int, text: str) -> None:
        self.session.change(document, document.version + 1, [((line, column), (line, column), text)])
        await self.settle()


@pytest.fixture
def editing(home: Path, root: Path) -> Callable[[Callable[[Editor], Any]], None]:
    """Run a scenario with an editor; its second thread ends with it."""

    def run(scenario: Callable[[Editor], Any]) -> None:
        async def play() -> None:
            editor = Editor(root)
            try:
                await scenario(editor)
            finally:
                editor.session.end()

        asyncio.run(play())

    return run


def test_one_keystroke_analyses_one_file(
    editing: Callable[..., None], home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = put_many(root, 60)
    put_global(home, marker("own"))

    async def scenario(editor: Editor) -> None:
        documents = [editor.open(path) for path in paths[:20]]
        await editor.settle()
        analyses = counted(monkeypatch, analysis, "analyze")
        reads = counted(monkeypatch, analysis, "read_as")
        from_disk = counted(monkeypatch, files, "read_text_or_none")
        await editor.type(documents[3], 4, 0, "x")
        assert analyses == [documents[3].path]
        assert len(reads) == 1
        assert from_disk == []
        # A clash that comes about concerns the two files that clash; the other of them is not open.
        await editor.type(documents[3], 1, 4, "r0059")
        await editor.type(documents[3], 1, 9, "\nname: n\nx: ")
        assert [finding.code for finding in documents[3].findings] == ["foya-duplicate", "unknown-field"]
        assert set(analyses) == {documents[3].path}
        del analyses[:]
        # One with an open file concerns both, and no third.
        await editor.type(documents[5], 1, 4, "r0007\nx: ")
        assert sorted(analyses) == sorted([documents[5].path] * 2 + [documents[7].path])
        assert from_disk == []

    editing(scenario)


def test_a_rule_renamed_in_the_editor_clashes_no_more(
    editing: Callable[..., None], home: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = put(root / ".foya" / "rules" / "go.md", rule("x1", more="name: go\ntrigger: manual"))
    two = put(root / ".foya" / "rules" / "go-test.md", rule("x2", more="name: go-test\ntrigger: manual"))
    shared = put_global(home, marker("x2", more='"name":"s","trigger":"always"'))

    async def scenario(editor: Editor) -> None:
        go, test, both = editor.open(one), editor.open(two), editor.open(shared)
        await editor.settle()
        assert [finding.code for finding in go.findings] == ["foya-manual-name"]
        assert [finding.code for finding in test.findings] == ["foya-duplicate"]
        assert [finding.code for finding in both.findings] == ["foya-duplicate"]
        await editor.type(go, 2, 8, "fmt")
        assert go.findings == ()
        # The global file as it stands in the editor, not on disk.
        await editor.type(both, 2, 25, "y")
        assert both.findings == ()
        assert test.findings == ()

    editing(scenario)
