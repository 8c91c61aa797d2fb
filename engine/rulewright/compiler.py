"""Packages and settings become the bytes of an index, and the command line that reads it.

Pure: no file is read or written here. The layout is documented in `hook/index.py`; what an entry holds is listed at `_entry`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rulewright import planning
from rulewright.harness import codec
from rulewright.hook.event import TOOL_CLASSES, TOOL_EVENTS
from rulewright.hook.index import (
    CHAINS,
    CLOSED,
    COUNT,
    FOYA,
    INDEX_VERSION,
    MAGIC,
    NO_TOOL,
    PLACE,
    SCOPE,
    checksum,
)
from rulewright.hook.json_text import compact, utf8
from rulewright.hook.match import COMMAND_FIELD
from rulewright.hook.render import first_sentence
from rulewright.hook.run import FAIL_CLOSED
from rulewright.model import Condition, Document, Package, Rule, Value
from rulewright.text.pattern_program import can_repeat, program
from rulewright.text.patterns import PatternError, gate_literals, required_literals, slow, translate

# Literals of a gate are made of these: they look the same in JSON as in the text, however a harness escapes.
_GATE_CHARACTERS = frozenset(chr(code) for code in range(33, 127)) - set("\"'\\/<>&$")
# Fields whose values stand in the payload as they are. `tool.input.path` is put together from pieces that do.
_VERBATIM = (
    "cwd",
    "prompt.text",
    "tool.native_name",
    "tool.input.",
    "tool.output",
    "tool.error",
    "mcp.",
    "skill.name",
    "agent.",
)
_SHORTEST_LITERAL = 2
_LIBRARIES = ("yaml", "pydantic", "pydantic_core", "typing_extensions", "platformdirs")
CHAIN_EVENTS = ("tool.error", "task.completed")
# What the hook's command line runs once the package folder is on the path.
_START = "from rulewright.hook_entry import main;main()"


def compile_index(
    documents: Sequence[Document],
    harness: str,
    text_file: Callable[[Document, str], str | None] | None = None,
    *,
    foya: bool = False,
    chains: bool = False,
) -> bytes:
    """Return the index of packages for a harness.

    Args:
        documents: the packages in the order of installation, which is the order of evaluation. Without findings of level error.
        harness: the harness's name.
        text_file: returns the content of a rule's `text_file`, given the document and the value.
        foya, chains: the hook gives Foya's rules, dispatches hook chains. Which ones, each event finds out by itself.
    Raises:
        ValueError: a rule has a fault, or a text file is not there.
    """
    module = codec(harness)
    sections: dict[tuple[str, str], list[dict[str, Any]]] = {}
    closed: dict[str, list[str]] = {}
    for document in documents:
        for rule in document.package.rules:
            _add(sections, closed, document, rule, module, text_file)
    noted = _noted(sections, module)
    for native, _ in noted:
        sections.setdefault((native, NO_TOOL), [])
    parts: dict[tuple[str, str], _Part] = {}
    for key, entries in sections.items():
        parts[key] = _section(entries, always=any(key[0] == native for native, _ in noted))
    beside = [(native, FOYA) for native in foya_events(module)] if foya else []
    beside += [(native, CHAINS) for native in chain_events(module)] if chains else []
    for key in (*noted, *beside):
        parts[key] = (b"", b"", b"", 0)
    for native, names in closed.items():
        parts[native, CLOSED] = (b"", utf8("\n".join(names)), b"", 0)
    return _layout(parts, harness)


def _noted(sections: Mapping[tuple[str, str], list[dict[str, Any]]], module: Any) -> list[tuple[str, str]]:
    """Return the native events that mean something for what was output already, each with SCOPE or COUNT.

    That is so also where no rule is evaluated: the hook has to be called there.
    """
    entries = [entry for found in sections.values() for entry in found if "repeat" in entry]
    natives = {row[0]: native for native, row in module.EVENTS.items()}
    wanted: list[tuple[str, str]] = []
    if entries:
        wanted.append(("session.start", SCOPE))
    if any(entry.get("compaction") for entry in entries):
        wanted.append((module.COMPACTION_EVENT, SCOPE))
    if any(entry["repeat"] == "turn" or "refresh" in entry for entry in entries):
        # Turns are counted also where the harness names them: an older version of it may not.
        wanted.append(("prompt.submitted", COUNT))
    return list(dict.fromkeys((natives[event], what) for event, what in wanted if event in natives))


def foya_events(module: Any) -> list[str]:
    """Return the native events at which a harness is given Foya's rules, or is listened to for their sake; none for Foya itself.

    Where the event before a tool call can carry no text, the one after it gives what the call woke.
    Source: foya.md section 6 [R].
    """
    if module.LOADS_FOYA_RULES:
        return []
    rows = {row[0]: (native, row[1]) for native, row in module.EVENTS.items()}
    wanted = ["session.start", "prompt.submitted", "tool.pre", module.COMPACTION_EVENT]
    if "add-context" not in rows["tool.pre"][1]:
        wanted.append("tool.post")
    return list(dict.fromkeys(rows[event][0] for event in wanted if event in rows))


def chain_events(module: Any) -> list[str]:
    """Return the native events at which hook chains are dispatched. Source: hook-chains.md section 2 [O]."""
    found = [native for native, row in module.EVENTS.items() if row[0] in CHAIN_EVENTS]
    found += [row[0] for event, row in module.ALSO.items() if event in CHAIN_EVENTS]
    return list(dict.fromkeys(found))


def events_of(index: bytes) -> tuple[str, ...]:
    """Return the native events that an index needs to be called for, in a fixed order."""
    head, _, rest = index.partition(b"\n")
    table = rest[: int(head.split(b" ")[3])]
    return tuple(dict.fromkeys(line.split(b" ")[0].decode() for line in table.split(b"\n") if line))


def remembers(index: bytes) -> bool:
    """Tell whether an event with an index may need what earlier events of the session left: a rule is not said each time."""
    return any(word in index for word in (b'"repeat":', f" {SCOPE} ".encode(), f" {COUNT} ".encode()))


def hook_command(
    harness: str,
    state: str,
    index: str,
    event: str,
    *,
    timeout: float | None = None,
    fail_closed: bool = False,
    python: str | None = None,
    package_folder: str | None = None,
    libraries: Sequence[str] = (),
) -> str:
    """Return the command line that a harness runs for one native event.

    Args:
        state: absolute state folder. index: absolute path of the index.
        timeout: seconds, if one is declared in the harness's configuration beside the command.
        fail_closed: every failure of the handler is to deny, at the harness's FAIL_CLOSED_EVENTS.
        python: absolute path of the interpreter itself, not of a version manager's shim; the one that runs us if None.
        package_folder: the absolute folder that holds the package `rulewright`; the one it was imported from if None.
        libraries: absolute folders that reading rule files needs as well, see `library_folders`; an event alone needs none.

    A `-c` text, not a script: an interpreter that cannot find its script exits with 2, which harnesses read as a deny, while
    a failed import exits with 1. `-I -S` leaves out site and everything in the environment; the package folder comes last on
    the path, because beside the package it may hold modules that are named like those of the standard library. On Windows
    the text is for Git Bash, PowerShell and cmd alike: forward slashes, double quotes outside.
    """
    python = python or interpreter()
    folder = package_folder or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    words = [harness, state, index, event]
    if timeout is not None:
        words.append(f"{timeout:g}")
    if fail_closed:
        words.append(FAIL_CLOSED)
    folders = [folder, *(library for library in libraries if library != folder)]
    if os.name == "nt":
        python, *words = (word.replace("\\", "/") for word in (python, *words))
        added = "".join("sys.path.append('{}');".format(one.replace("\\", "/").replace("'", "\\'")) for one in folders)
        code = f"import sys;{added}{_START}"
        return " ".join([f'"{python}"', "-I", "-S", "-c", f'"{code}"', *(f'"{word}"' for word in words)])
    quoted = (one.replace("\\", "\\\\").replace('"', '\\"') for one in folders)
    code = "import sys;" + "".join(f'sys.path.append("{one}");' for one in quoted) + _START
    return " ".join([_sh(python), "-I", "-S", "-c", _sh(code), *(_sh(word) for word in words)])


def library_folders() -> tuple[str, ...]:
    """Return the absolute folders, besides the package's own, that hold what reading rule files imports.

    None where all was installed into one folder; the package's sources and its libraries lie apart where it is developed.
    """
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = []
    for name in _LIBRARIES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            inner = os.path.dirname(os.path.abspath(spec.origin))
            found.append(os.path.dirname(inner) if spec.submodule_search_locations is not None else inner)
    return tuple(dict.fromkeys(folder for folder in found if folder != own))


def import_folders() -> list[str]:
    """Return the absolute folders that a child of ours imports from: the package's own and those of its libraries."""
    return [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), *library_folders()]


def interpreter() -> str:
    """Return the absolute path of the interpreter that runs us, behind virtual environments and version managers."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def _sh(word: str) -> str:
    bare = word.isascii() and all(char.isalnum() or char in "@%+=:,./-_" for char in word)
    return word if word and bare else "'" + word.replace("'", "'\"'\"'") + "'"


def _add(
    sections: dict[tuple[str, str], list[dict[str, Any]]],
    closed: dict[str, list[str]],
    document: Document,
    rule: Rule,
    module: Any,
    text_file: Callable[[Document, str], str | None] | None,
) -> None:
    package = document.package
    values = (getattr(rule, name) for name in rule.__slots__)
    if rule.broken or rule.when_bad or any(isinstance(value, Value) and value.bad for value in values):
        raise ValueError(f"the rule {rule.id.text() or '?'} of {package.name.text()} has a fault")
    text = _text(document, rule, text_file)
    for point in planning.points(rule, module, text):
        if not point.active or point.native is None:
            continue
        entry = _entry(package, rule, point, text)
        if any(native == point.native for native, _, _ in module.ALSO.values()):
            entry["events"] = [point.event]
        if entry.get("closed"):
            closed.setdefault(point.native, []).append(entry["rule"])
        for tool_class, natives in _classes(rule, point.event, module):
            filed = entry if natives is None else {**entry, "natives": natives}
            sections.setdefault((point.native, tool_class), []).append(filed)


def _classes(rule: Rule, event: str, module: Any) -> Iterable[tuple[str, list[str] | None]]:
    """Return the sections of a rule at an event, each with the native tools it is narrowed to (None: all)."""
    if event not in TOOL_EVENTS:
        return [(NO_TOOL, None)]
    if rule.target.is_("mcp"):
        return [("mcp", None)]
    if rule.target.is_("skill"):
        return [("skill", None)]
    if not rule.target.is_("tool"):
        return [(name, None) for name in TOOL_CLASSES]
    names = _texts(rule.tool)
    if "*" in names:
        return [(name, None) for name in TOOL_CLASSES]
    found: dict[str, list[str] | None] = {name: None for name in names if name in TOOL_CLASSES}
    for native in names:
        # A native name means that tool alone; the linter offers the canonical one.
        if native not in TOOL_CLASSES:
            for name in module.VARYING_TOOLS.get(native) or (module.tool_class(native),):
                narrowed = found.setdefault(name, [])
                if narrowed is not None:
                    narrowed.append(native)
    return [(name, found[name]) for name in TOOL_CLASSES if name in found]


def _entry(package: Package, rule: Rule, point: planning.Point, text: str) -> dict[str, Any]:
    """Return what the index holds of a rule at one point. Keys that say nothing are left out.

    name: `pkg/rule@point`. rule: `pkg/rule`. action, text. give: parts of the answer it hands over.
    repeat: session or turn (else every time). compaction: a compaction makes its session claims void. refresh: prompts
    after which its text is due again.
    model_text: what the model gets of a warn. closed: an error denies.
    events: canonical events, where others arrive under the same native event.
    sources, mcp, skill, models, natives: what it is narrowed to. conditions, any: `when`; there python, program: the pattern
    for Python's matcher and for hook.linear; slow: the first would run away. literals, pieces: what a match contains.
    """
    name = f"{package.name.text()}/{rule.id.text()}"
    entry: dict[str, Any] = {"name": f"{name}@{point.event}", "rule": name, "action": point.action}
    entry |= {"give": list(point.gives), "text": text}
    if point.action == "warn":
        entry["model_text"] = rule.model_text.text().strip() or first_sentence(text)
    # Source of the exceptions: style.md section 7 point 3 [S].
    if point.action != "block" and point.repeat != "every" and point.event != "subagent.start":
        entry["repeat"] = point.repeat
        if point.repeat == "session" and rule.reinject_on_compact.is_(True):
            entry["compaction"] = True
        if point.repeat == "session" and isinstance(rule.refresh.value, int) and rule.refresh.value > 0:
            entry["refresh"] = rule.refresh.value
    if rule.fail.is_("closed"):
        entry["closed"] = True
    if point.event == "session.start" and rule.source_names():
        entry["sources"] = list(rule.source_names())
    if rule.target.is_("mcp"):
        entry["mcp"] = _texts(rule.mcp) or ["*/*"]
    if rule.target.is_("skill"):
        entry["skill"] = _texts(rule.skill) or ["*"]
    if rule.when is not None:
        if rule.when.model.items:
            entry["models"] = _texts(rule.when.model)
        if rule.when.conditions:
            entry["conditions"] = [_condition(condition) for condition in rule.when.conditions]
            if rule.when.match.is_("any"):
                entry["any"] = True
    return entry


def _text(document: Document, rule: Rule, text_file: Callable[[Document, str], str | None] | None) -> str:
    if rule.text_file.known:
        text = text_file(document, rule.text_file.text()) if text_file is not None else None
        if text is None:
            raise ValueError(f"the text file {rule.text_file.text()} of {document.path} cannot be read")
    else:
        text = rule.text.text()
    # A block scalar ends with a line break that nobody means.
    return text.strip("\r\n").rstrip()


def _condition(condition: Condition) -> dict[str, Any]:
    pattern = (
        [item.value for item in condition.pattern.items]
        if isinstance(condition.pattern.value, tuple | list)
        else condition.pattern.value
    )
    found: dict[str, Any] = {"field": condition.field.text(), "op": condition.op.text(), "pattern": pattern}
    if condition.negate.is_(True):
        found["negate"] = True
    fold = condition.ignore_case.is_(True)
    if fold:
        found["ignore_case"] = True
    if found["op"] in ("regex", "shell_regex"):
        translated = translate(str(pattern), ignore_case=fold)
        if isinstance(translated, PatternError):
            raise ValueError(f"the pattern {pattern} cannot be used: {translated.message.en}")
        found["python"] = translated.python
        if can_repeat(translated.tree) and (steps := program(translated.tree)) is not None:
            found["program"] = steps
            if slow(translated) is not None:
                found["slow"] = True
        if literals := sorted(required_literals(translated)):
            found["literals"] = literals
        if found["op"] == "shell_regex" and (pieces := sorted(gate_literals(translated))):
            found["pieces"] = pieces
    return found


def _texts(value: Value) -> list[str]:
    return [item.text() for item in value.items if item.known]


# ------------------------------------------------------------------ gates


def gate(entry: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return what must stand in a payload for an entry to match.

    The kind, `p` (in the bytes), `s` (in the bytes without quotes and backslashes) or `*` (nothing is known), and literals of
    which one must be there. An entry that fails closed has none: its errors count, not only its matches.
    """
    if entry.get("closed"):
        return "*", []
    candidates = [_any_of(entry[key], split="/") for key in ("mcp", "skill", "natives") if key in entry]
    of_conditions = [_condition_gate(condition) for condition in entry.get("conditions", ())]
    if entry.get("any") and of_conditions:
        kinds = {kind for kind, _ in of_conditions}
        of_conditions = (
            [(kinds.pop(), [text for _, texts in of_conditions for text in texts])] if len(kinds) == 1 else []
        )
    usable = [(kind, texts) for kind, texts in candidates + of_conditions if kind != "*"]
    if not usable:
        return "*", []
    kind, texts = max(usable, key=lambda found: min(map(len, found[1])))
    return kind, list(dict.fromkeys(texts))


def _condition_gate(condition: Mapping[str, Any]) -> tuple[str, list[str]]:
    field, op, pattern = condition["field"], condition["op"], condition["pattern"]
    if condition.get("negate") or condition.get("ignore_case") or not _stands_verbatim(field):
        return "*", []
    if op == "regex":
        options = condition.get("literals", [])
    elif op == "shell_regex":
        options = condition.get("pieces", [])
    elif op == "in":
        options = pattern
    elif op in ("equals", "contains", "starts_with", "ends_with", "glob"):
        options = [pattern]
    else:
        return "*", []
    if not options or not all(isinstance(option, str) for option in options):
        return "*", []
    if op == "glob":
        return _any_of(options)
    # A command in list form is joined with spaces and quotes, so only what lies within a word stands in the payload.
    spaced = field != COMMAND_FIELD and op != "shell_regex"
    texts = [_longest(option, spaced) for option in options]
    if min(map(len, texts)) < _SHORTEST_LITERAL:
        return "*", []
    return ("s" if op == "shell_regex" else "p"), texts


def _any_of(globs: Sequence[str], split: str = "") -> tuple[str, list[str]]:
    texts = []
    for glob in globs:
        if any(char in "[]{}()!|\\" for char in glob):
            return "*", []
        texts.append(_longest("".join("\0" if char in "*?" + split else char for char in glob), spaced=False))
    if not texts or min(map(len, texts)) < _SHORTEST_LITERAL:
        return "*", []
    return "p", texts


def _longest(text: str, spaced: bool) -> str:
    """Return the longest run of characters that a payload shows as they are."""
    kept = "".join(char if char in _GATE_CHARACTERS or (spaced and char == " ") else "\0" for char in text)
    return max(kept.split("\0"), key=len)


def _stands_verbatim(field: str) -> bool:
    return any(
        field == name or (name[-1] == "." and field.startswith(name)) or field.startswith(name + ".")
        for name in _VERBATIM
    )


# ------------------------------------------------------------------ bytes


_Part = tuple[bytes, bytes, bytes, int]


def _section(entries: Sequence[Mapping[str, Any]], always: bool) -> _Part:
    """Return gate, list, entries with their places, and number of entries of one section; hook.index documents them."""
    groups: dict[str, dict[str, list[int]]] = {"p": {}, "s": {}}
    ungated: list[int] = []
    places: list[bytes] = []
    data: list[bytes] = []
    offset = 0
    for number, entry in enumerate(entries):
        kind, literals = gate(entry)
        if kind == "*":
            ungated.append(number)
        for literal in literals:
            groups[kind].setdefault(literal, []).append(number)
        text = utf8(compact(entry))
        places.append(b"%d %d %d" % (offset, len(text), checksum(text)))
        data.append(text)
        offset += len(text)
    head = ("F" if always or ungated else "G") + "\n".join(groups["p"]) + "\0" + "\n".join(groups["s"])
    lines = [" ".join(map(str, ungated))]
    lines += [" ".join(",".join(map(str, numbers)) for numbers in groups[kind].values()) for kind in "ps"]
    rows = b"".join(place.ljust(PLACE) for place in places)
    return head.encode("ascii"), "\n".join(lines).encode("ascii"), rows + b"".join(data), len(entries)


def _layout(parts: Mapping[tuple[str, str], _Part], harness: str) -> bytes:
    rows: list[bytes] = []
    data: list[bytes] = []
    placed: dict[_Part, int] = {}
    offset = 0
    for (native, tool_class), part in parts.items():
        head, listed, rest, count = part
        if part not in placed:
            placed[part] = offset
            data += [head, listed, rest]
            offset += len(head) + len(listed) + len(rest)
        numbers = (placed[part], len(head), checksum(head), len(listed), checksum(listed), count)
        rows.append(f"{native} {tool_class} {' '.join(map(str, numbers))}\n".encode())
    table = b"".join(sorted(rows))
    return (
        b"%b%d %b %d %d\n" % (MAGIC, INDEX_VERSION, harness.encode(), len(table), checksum(table))
        + table
        + b"".join(data)
    )
