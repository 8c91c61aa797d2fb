"""The Foya rules that hold in a project, as the hook takes them and as Foya's own program would load them.

`compile_set` turns the files that were read into plain data; `read_rules` finds and reads them; `explain_match` says why a rule is
awake or not. Nothing here runs at event time.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rulewright import analysis, files
from rulewright.errors import RulewrightError
from rulewright.formats import by_name
from rulewright.formats.foya import global_file, rules_folder
from rulewright.formats.foya.places import place_of
from rulewright.hook import activity as engine
from rulewright.hook.activity_globs import Reader, is_ideograph, longest_literal
from rulewright.model import Document, FoyaFile, FoyaRule, ProgramRule
from rulewright.settings import FOYA_RULES, Settings
from rulewright.text.language import Text, same
from rulewright.workspace import as_rule_source

Rule = dict[str, Any]
"""One compiled rule: id, name, description, scope, trigger, globs, content, path."""

SHOWN = 80
"""Characters of an activity text that a reason repeats; of a longer part its beginning and its end [R]."""

TRIGGERS = ("always", "glob", "model_decision", "manual")


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One rule of a file, in both readings.

    path: of the file, absolute. rule_path: below its `rules/`, with `/`. line: one-based, where the rule says its id or name.
    rule: as the engine gives it; None where it does not. refused: why not.
    program: as Foya's own program loads it; None where it does not. program_refused: why not.
    named: the file says the rule's id.
    """

    path: str
    rule_path: str
    line: int
    shown: Rule
    named: bool
    rule: Rule | None
    refused: Text | None
    program: Rule | None
    program_refused: Text | None


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a project and the global ones.

    entries: every rule, in the order in which rules are given. failures: files that cannot be read.
    """

    entries: tuple[RuleEntry, ...]
    failures: tuple[RulewrightError, ...] = ()

    @property
    def rules(self) -> list[Rule]:
        """The rules of the engine, in order."""
        return [entry.rule for entry in self.entries if entry.rule is not None]

    @property
    def program(self) -> list[Rule]:
        """The rules of Foya's own program, in order."""
        return [
            rule for _, rule in sorted(((_order_of(rule), rule) for rule in self._loaded()), key=lambda pair: pair[0])
        ]

    def _loaded(self) -> list[Rule]:
        return [entry.program for entry in self.entries if entry.program is not None]


# ------------------------------------------------------------------ the compiled set


def compile_set(documents: Iterable[Document], times: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Return the rules of some files as the plain data that the hook reads: `rules`, `program` and `notes`.

    Args:
        times: when each path was changed, in nanoseconds; without it the files are asked.

    `rules` is the reading of the documented contract, `program` what Foya's own program would load; both in the order in which
    rules are given: global ones first, then by time of change, then by id (foya.md section 4 [F]). `notes` says what is left out.
    """
    entries = _entries(documents, times)
    rule_set = RuleSet(tuple(entries))
    notes = [
        Text("{path}:{line}: {reason}", "{path}:{line}: {reason}")
        .format(path=entry.path, line=entry.line, reason=entry.refused)
        .en
        for entry in entries
        if entry.rule is None and entry.refused is not None and entry.refused not in (TOO_DEEP, EMPTY)
    ]
    return {
        "rules": [_bare(r) for r in rule_set.rules],
        "program": [_bare(r) for r in rule_set.program],
        "notes": notes,
    }


def read_rules(root: str, home: str | None = None) -> RuleSet:
    """Read the global rules and those of a project.

    Args:
        root: the project's folder. home: the home folder, None: the user's.
    """
    documents: list[Document] = []
    failures: list[RulewrightError] = []
    unreadable: list[str] = []
    shared = global_file(home)
    for path in dict.fromkeys([shared, *find_files(root)]):
        if path == shared and not os.path.lexists(path):
            continue
        try:
            text = as_rule_source(path, files.read_source(path)).text
        except RulewrightError as error:
            failures.append(error)
            # Bytes that are no text are read all the same there.
            if path != shared and not (os.path.isfile(path) and os.access(path, os.R_OK)):
                unreadable.append(path)
            continue
        documents.append(analysis.read_as(by_name("foya"), path, text))
    return RuleSet(tuple(_entries(documents, None, unreadable)), tuple(failures))


def find_files(root: str) -> list[str]:
    """Return the absolute paths of a project's rule files, also of those that lie too deep, in the order of Foya's program."""
    found: list[str] = []
    top = os.path.join(os.path.abspath(root), FOYA_RULES)
    if files.leads_above(top):
        return found
    for at, _, names in os.walk(top):
        found += [os.path.join(at, name) for name in names if name.lower().endswith(".md")]
    return sorted(found, key=_walk_order)


def settings_strict(settings: Settings) -> bool:
    """Tell whether the settings ask for the reading of Foya's own program: `[foya] strict = true`."""
    return settings.tables.get("foya", {}).get("strict") is True


def _walk_order(path: str) -> tuple[str, ...]:
    """A folder's names in order, each folder whole where its name stands. Source: Go's filepath.WalkDir."""
    return tuple(path.replace("\\", "/").split("/"))


def _entries(
    documents: Iterable[Document], times: Mapping[str, int] | None, unreadable: Sequence[str] = ()
) -> list[RuleEntry]:
    """Return the rules of some files. unreadable: the project's files that the program cannot open, which ends its loading too."""
    ordered = sorted(documents, key=lambda d: (d.foya.scope != "global", _walk_order(d.path)))
    found: list[RuleEntry] = []
    stopped: dict[str, str] = {}  # by scope: the file that ended the loading
    first = min((path for path in unreadable if not place_of(path, "").too_deep), key=_walk_order, default=None)
    for document in ordered:
        file = document.foya
        if first is not None and file.scope == "project" and _walk_order(first) < _walk_order(document.path):
            stopped.setdefault("project", first)
        changed = _changed(document.path) if times is None else times.get(document.path, 0)
        if file.program is None and not file.too_deep:
            stopped.setdefault(file.scope, document.path)
        found += _file_entries(document, changed, stopped.get(file.scope))
    found = _last_of_each_id(found)
    return sorted(found, key=lambda entry: _order_of(entry.rule or entry.program or entry.shown))


def _file_entries(document: Document, changed: int, stopped: str | None) -> list[RuleEntry]:
    file = document.foya
    entries: list[RuleEntry] = []
    rest = list(file.program or ())
    for rule in file.rules:
        program = _counterpart(rule, file, rest)
        entries.append(_entry(document, rule, program, changed, stopped))
    entries += [_entry(document, None, program, changed, stopped) for program in rest]
    return entries


def _counterpart(rule: FoyaRule, file: FoyaFile, rest: list[ProgramRule]) -> ProgramRule | None:
    """Take out of the program's rules the one that a rule of the same file becomes there."""
    for at, other in enumerate(rest):
        if len(file.rules) == 1 or other.id == rule.id.text():
            return rest.pop(at)
    return None


def _entry(
    document: Document, rule: FoyaRule | None, program: ProgramRule | None, changed: int, stopped: str | None
) -> RuleEntry:
    file = document.foya
    found = rules_folder(document.path)
    rule_path = found[1] if found else os.path.basename(document.path)
    base = {"scope": file.scope, "path": document.path}
    loaded = None
    if program is not None:
        loaded = {
            "id": program.id,
            "name": program.name,
            "description": program.description,
            **base,
            "trigger": program.trigger,
            "globs": list(program.globs),
            "content": program.content,
            "updated": _nanoseconds(program.updated, changed),
        }
    ours = None if rule is None else _from_model(rule, base, changed)
    refused = DROPPED if rule is None else _refusal(rule, file)
    line = 1 if rule is None else document.lines.line_at(rule.anchor.start) + 1
    named = rule is not None and rule.id.origin != "default" and rule.id.known
    entry = RuleEntry(
        document.path,
        rule_path,
        line,
        ours or loaded or {},
        named,
        ours if refused is None else None,
        refused,
        loaded if stopped is None else None,
        None,
    )
    if entry.program is not None:
        return entry
    return replace(entry, program_refused=_program_refusal(document, rule, stopped))


def _from_model(rule: FoyaRule, base: Mapping[str, str], changed: int) -> Rule:
    return {
        "id": rule.id.text(),
        "name": rule.name.text(),
        "description": rule.description.text(),
        **base,
        "trigger": rule.trigger.text(),
        "globs": list(rule.patterns),
        "content": rule.content,
        "updated": _nanoseconds(rule.updated, changed),
    }


def _refusal(rule: FoyaRule, file: FoyaFile) -> Text | None:
    """Return why the engine does not give a rule, None where it does."""
    if file.too_deep:
        return TOO_DEEP
    if rule.broken:
        return BROKEN
    if not rule.content:
        return EMPTY
    if rule.trigger.text() not in TRIGGERS:
        return NO_TRIGGER
    if rule.trigger.is_("glob") and not rule.patterns:
        return NO_GLOBS
    if rule.trigger.is_("model_decision") and not rule.description.text().strip():
        return NO_DESCRIPTION
    return None


def _program_refusal(document: Document, rule: FoyaRule | None, stopped: str | None) -> Text:
    if document.foya.too_deep:
        return TOO_DEEP
    if stopped == document.path:
        return REFUSES
    if stopped is not None:
        return STOPPED.format(path=_below_rules(stopped))
    return EMPTY if rule is not None and not rule.content else DROPPED_BY_PROGRAM


def _below_rules(path: str) -> str:
    found = rules_folder(path)
    return found[1] if found else os.path.basename(path)


def _last_of_each_id(entries: Sequence[RuleEntry]) -> list[RuleEntry]:
    """The program keeps rules by their id, so that the last one loaded wins. Source: foya.md section 1 [F]."""
    last = {entry.program["id"]: number for number, entry in enumerate(entries) if entry.program is not None}
    return [
        entry
        if entry.program is None or last[entry.program["id"]] == number
        else replace(
            entry,
            program=None,
            program_refused=REPLACED.format(path=entries[last[entry.program["id"]]].rule_path),
        )
        for number, entry in enumerate(entries)
    ]


def _order_of(rule: Mapping[str, Any]) -> tuple[bool, int, str]:
    return rule["scope"] != "global", rule["updated"], rule["id"]


def _bare(rule: Rule) -> Rule:
    return {key: value for key, value in rule.items() if key != "updated"}


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0


def _nanoseconds(written: str, changed: int) -> int:
    """Return a time in RFC 3339 as nanoseconds since 1970, that of the file where there is none."""
    try:
        moment = datetime.datetime.fromisoformat(written)
    except ValueError:
        return changed
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000


# ------------------------------------------------------------------ why a rule is awake or not


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one reading says of one rule at an activity text.

    awake: it is given (for model_decision: listed in the index, which is said by `trigger` alone, so it is not awake).
    reason: in words. pattern, span: what stands in the text, and where; for a glob that does not match: the nearest miss.
    """

    awake: bool
    reason: Text
    pattern: str | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """One rule at an activity text, in both readings."""

    entry: RuleEntry
    engine: Verdict
    foya: Verdict


def explain_match(entry: RuleEntry, activity: str, *, strict: bool = False, project: str = "") -> Match:
    """Say what the engine and Foya's own program make of a rule at an activity text, and why.

    Args:
        strict: the engine reads rules and text as the program does. project: the absolute folder of the project.
    """
    foya = _verdict(entry.program, entry.program_refused, activity, True, "")
    if strict:
        return Match(entry, foya, foya)
    return Match(entry, _verdict(entry.rule, entry.refused, activity, False, project), foya)


def _verdict(rule: Rule | None, refused: Text | None, activity: str, strict: bool, project: str) -> Verdict:
    if rule is None:
        return Verdict(False, (LEFT if strict else NOT_GIVEN).format(reason=refused or DROPPED))
    trigger = rule["trigger"]
    if trigger == "model_decision":
        return Verdict(False, LISTED)
    selected = engine.select([rule], activity, strict, project)
    if selected:
        why = selected[0][1]
        if trigger == "always":
            return Verdict(True, ALWAYS)
        start, end = why["span"]
        text = CALLED if trigger == "manual" else MATCHED
        found = text.format(pattern=why["pattern"], found=_short(activity[start:end]))
        return Verdict(True, found, why["pattern"], (start, end))
    if trigger == "manual":
        return Verdict(False, _not_called(rule, activity))
    misses = [_miss(glob, activity, strict, project) for glob in rule["globs"]]
    near = [miss for miss in misses if miss.span is not None]
    if near:
        return near[0]
    return misses[0] if len(misses) == 1 else Verdict(False, NO_GLOB_MATCHES)


def _not_called(rule: Rule, activity: str) -> Text:
    folded = activity.casefold()
    for name in (rule["name"], rule["id"]):
        if name and f"@{name}".casefold() in folded:
            return OTHER_CASE.format(pattern=f"@{name}")
    if rule["name"] == rule["id"]:
        return NOT_CALLED_BY_NAME.format(name=rule["name"])
    return NOT_CALLED.format(name=rule["name"], id=rule["id"])


def _miss(glob: str, activity: str, strict: bool, project: str) -> Verdict:
    """Say what keeps a glob from matching."""
    if strict and not glob.isascii():
        return Verdict(False, NON_ASCII.format(pattern=glob), glob)
    wide = not strict
    for any_front, any_end in ((False, True), (True, False), (True, True)):
        found = Reader(activity, wide, project, any_front, any_end).find(glob)
        if found is not None:
            return Verdict(False, _stopped(glob, activity, found, any_front, any_end), glob, found)
    if wide or "\\" not in activity:
        folded = Reader(activity.lower(), wide, project.lower()).find(glob.lower())
        if folded is not None and len(activity.lower()) == len(activity):
            return Verdict(False, GLOB_OTHER_CASE.format(pattern=glob), glob, folded)
    elif Reader(activity, True).find(glob) is not None:
        return Verdict(False, BACKSLASHES.format(pattern=glob), glob, Reader(activity, True).find(glob))
    without = glob.replace("**/", "")
    if without != glob:
        found = Reader(activity, wide, project).find(without)
        if found is not None:
            return Verdict(False, NEEDS_FOLDER.format(pattern=glob, found=_short(activity[slice(*found)])), glob, found)
    literal = longest_literal(glob)
    if literal not in (activity.replace("\\", "/") if wide else activity):
        return Verdict(False, NO_LITERAL.format(pattern=glob, literal=literal), glob)
    return Verdict(False, NO_PATH.format(pattern=glob), glob)


def _stopped(glob: str, activity: str, found: tuple[int, int], any_front: bool, any_end: bool) -> Text:
    start, end = found
    text = _short(activity[start:end])
    front = BEFORE.format(char=character(activity[start - 1])) if any_front and start > 0 else None
    behind = BEHIND.format(char=character(activity[end])) if any_end and end < len(activity) else None
    if front is not None and behind is not None:
        return STOPPED_BOTH.format(pattern=glob, found=text, front=front, behind=behind)
    return STOPPED_BY.format(pattern=glob, found=text, stop=front or behind or same(""))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]}…{text[-SHOWN // 2 :]}"


def character(char: str) -> str:
    """Return the name of a character: `U+FF0C`, with the character itself where it can be shown."""
    name = f"U+{ord(char):04X}"
    return (
        f"{name} ({char})" if char.isprintable() and (char.isascii() or is_ideograph(char) or char > "\u2000") else name
    )


TOO_DEEP = Text("it lies more than three folders below `rules/`", "它在 `rules/` 下超过三层文件夹")
BROKEN = Text("its header cannot be read", "无法读取它的头部")
EMPTY = Text("it has no text", "它没有正文")
NO_TRIGGER = Text("its trigger is none of the four", "它的 trigger 不是四种之一")
NO_GLOBS = Text("it is a glob rule without globs", "它是 glob 规则，但没有 globs")
NO_DESCRIPTION = Text(
    "it is a model_decision rule without a description", "它是 model_decision 规则，但没有 description"
)
NOT_GIVEN = Text("not given: {reason}", "不会给出：{reason}")
LEFT = Text("not loaded: {reason}", "不加载：{reason}")
NOT_LOADED = Text("not loaded by Foya's own program: {reason}", "Foya 自己的程序不加载：{reason}")
DROPPED = Text("only Foya's own program finds a rule here", "只有 Foya 自己的程序认为这里有规则")
DROPPED_BY_PROGRAM = Text("it finds no such rule here", "它在这里找不到这条规则")
REFUSES = Text("it refuses this file", "它拒绝这个文件")
STOPPED = Text("it refuses `{path}` and loads nothing behind it", "它拒绝 `{path}`，之后的文件都不加载")
REPLACED = Text("the rule of the same id in `{path}` replaces it", "`{path}` 中同 id 的规则取代了它")
ALWAYS = Text("always in the context", "始终在上下文中")
LISTED = Text("listed in the index; loaded by `rulewright rule load`", "列在索引中；用 `rulewright rule load` 读取")
MATCHED = Text("`{pattern}` matches `{found}`", "`{pattern}` 匹配 `{found}`")
CALLED = Text("the text calls it: `{pattern}`", "文本点名了它：`{pattern}`")
NOT_CALLED = Text("neither `@{name}` nor `@{id}` stands in the text", "文本中没有 `@{name}`，也没有 `@{id}`")
NOT_CALLED_BY_NAME = Text("`@{name}` does not stand in the text", "文本中没有 `@{name}`")
OTHER_CASE = Text("`{pattern}` stands in the text in another letter case", "文本中有 `{pattern}`，但大小写不同")
NON_ASCII = Text(
    "`{pattern}` has characters beyond ASCII, and Foya's own program never matches such a pattern",
    "`{pattern}` 含有 ASCII 以外的字符，Foya 自己的程序从不匹配这样的模式",
)
BEFORE = Text("preceded by {char}", "前面是 {char}")
BEHIND = Text("followed by {char}", "后面是 {char}")
STOPPED_BY = Text("`{pattern}` does not match: `{found}` is {stop}", "`{pattern}` 不匹配：`{found}` {stop}")
STOPPED_BOTH = Text(
    "`{pattern}` does not match: `{found}` is {front} and {behind}", "`{pattern}` 不匹配：`{found}` {front}，{behind}"
)
GLOB_OTHER_CASE = Text("`{pattern}` differs from the text in letter case", "`{pattern}` 与文本的大小写不同")
BACKSLASHES = Text(
    "`{pattern}` does not match: Foya's own program takes `\\` for no slash",
    "`{pattern}` 不匹配：Foya 自己的程序不把 `\\` 当作斜杠",
)
NEEDS_FOLDER = Text(
    "`{pattern}` does not match `{found}`: `**/` needs a folder in its place",
    "`{pattern}` 不匹配 `{found}`：`**/` 处至少要有一层文件夹",
)
NO_LITERAL = Text(
    "`{pattern}` does not match: there is no `{literal}` in the text", "`{pattern}` 不匹配：文本中没有 `{literal}`"
)
NO_PATH = Text("`{pattern}` does not match: no path in the text is like it", "`{pattern}` 不匹配：文本中没有这样的路径")
NO_GLOB_MATCHES = Text("none of its globs matches", "它的 globs 都不匹配")
