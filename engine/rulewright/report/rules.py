"""Foya rules for people and as JSON: what `rule list`, `rule show NAME` and `rule match` print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulewright.foya_set import NOT_GIVEN, NOT_LOADED, Match, RuleEntry, Verdict
from rulewright.report.plan import width_of
from rulewright.report.text import one_line
from rulewright.text.language import Lang, Text
from rulewright.workspace import show_path

GAP = "  "
_BOLD, _DIM, _GREEN, _YELLOW, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Matched:
    """One rule at an activity text. left_out: it is awake or in the index, but over the budget."""

    match: Match
    left_out: bool = False


# ------------------------------------------------------------------ JSON


def list_row(entry: RuleEntry) -> Mapping[str, object]:
    """Return one rule as `rule list --json` prints it.

    rule: its id, its name where the file gives no id. loaded: by Foya's own program. given: by the engine. foya: what the program
    makes of it.
    """
    program = entry.program
    return {
        **_head(entry),
        "description": entry.shown.get("description", ""),
        "size": len(entry.shown.get("content", "")),
        "given": entry.rule is not None,
        "why_not_given": None if entry.refused is None else entry.refused.en,
        "why_not_loaded": None if entry.program_refused is None else entry.program_refused.en,
        "foya": None
        if program is None
        else {"id": program["id"], "name": program["name"], "trigger": program["trigger"], "globs": program["globs"]},
    }


def match_row(matched: Matched, lang: Lang) -> Mapping[str, object]:
    """Return one rule as `rule match --json` prints it. engine, foya: whether it is awake in each reading."""
    match = matched.match
    return {
        "rule": name_of(match.entry),
        "engine": match.engine.awake,
        "foya": match.foya.awake,
        "because": because(match).to(lang),
        **{key: value for key, value in _head(match.entry).items() if key != "rule"},
        "left_out": matched.left_out,
        "details": {"engine": _details(match.engine, lang), "foya": _details(match.foya, lang)},
    }


def name_of(entry: RuleEntry) -> str:
    """Return what a rule is called: its id, its name where the file gives no id."""
    return str(entry.shown.get("id") if entry.named else entry.shown.get("name"))


def because(match: Match) -> Text:
    """Return why a rule is awake or not; where the readings differ, of both."""
    if match.engine.awake is match.foya.awake:
        return match.engine.reason
    return BOTH.format(engine=match.engine.reason, foya=match.foya.reason)


def _head(entry: RuleEntry) -> dict[str, object]:
    shown = entry.shown
    return {
        "rule": name_of(entry),
        "id": shown.get("id", ""),
        "name": shown.get("name", ""),
        "scope": shown.get("scope", ""),
        "trigger": shown.get("trigger", ""),
        "globs": shown.get("globs", []),
        "path": entry.rule_path,
        "file": show_path(entry.path),
        "line": entry.line,
        "loaded": entry.program is not None,
    }


def _details(verdict: Verdict, lang: Lang) -> Mapping[str, object]:
    return {
        "reason": verdict.reason.to(lang),
        "pattern": verdict.pattern,
        "span": None if verdict.span is None else list(verdict.span),
    }


# ------------------------------------------------------------------ for people


def render_list(entries: Sequence[RuleEntry], lang: Lang, *, colour: bool) -> str:
    """Return the rules as a table, below each what is particular about it."""
    head = tuple(text.to(lang) for text in HEAD)
    rows = [_row_of(entry) for entry in entries]
    widths = [max(width_of(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [_paint(_BOLD, _padded(head, widths), colour)]
    for entry, row in zip(entries, rows, strict=True):
        given = entry.rule is not None
        lines.append(_padded(row, widths) if given else _paint(_DIM, _padded(row, widths), colour))
        lines += [f"{GAP}{_paint(_YELLOW, note, colour)}" for note in _notes(entry, lang)]
    return "".join(f"{line}\n" for line in lines)


def render_rule(entry: RuleEntry, lang: Lang, *, colour: bool) -> str:
    """Return the effective fields of one rule and its text."""
    shown = entry.shown
    fields = [
        ("id", shown.get("id", "")),
        ("name", shown.get("name", "")),
        ("description", shown.get("description", "")),
        ("scope", shown.get("scope", "")),
        ("trigger", shown.get("trigger", "")),
        ("globs", ", ".join(shown.get("globs", []))),
        ("path", f"{show_path(entry.path)}:{entry.line}"),
    ]
    width = max(len(key) for key, _ in fields) + 1
    lines = [f"{_paint(_BOLD, f'{key}:'.ljust(width), colour)} {one_line(value)}" for key, value in fields if value]
    lines += [_paint(_YELLOW, note, colour) for note in _notes(entry, lang)]
    text = "\n".join(one_line(line) for line in shown.get("content", "").split("\n"))
    return "".join(f"{line}\n" for line in (*lines, "", text))


def render_match(rows: Sequence[Matched], used: tuple[int, int], lang: Lang, *, colour: bool) -> str:
    """Return for each rule whether it is awake and why.

    Args:
        used: the characters of the direct rules that are given, and what they may have.
    """
    words = {True: AWAKE.to(lang), False: ASLEEP.to(lang)}
    width = max(width_of(word) for word in words.values())
    names = max((width_of(one_line(name_of(row.match.entry))) for row in rows), default=0)
    lines: list[str] = []
    for row in rows:
        match = row.match
        word = words[match.engine.awake]
        name = one_line(name_of(match.entry))
        state = _paint(_GREEN if match.engine.awake else _DIM, word + " " * (width - width_of(word)), colour)
        padded = name + " " * (names - width_of(name))
        lines.append(f"{state}{GAP}{padded}{GAP}{one_line(match.engine.reason.to(lang))}".rstrip())
        if match.engine.awake is not match.foya.awake:
            other = IN_FOYA.format(state=AWAKE if match.foya.awake else ASLEEP, reason=match.foya.reason).to(lang)
            lines.append(f"{GAP}{_paint(_YELLOW, one_line(other), colour)}")
        if row.left_out:
            lines.append(f"{GAP}{_paint(_YELLOW, LEFT_OUT.to(lang), colour)}")
    count = sum(row.match.engine.awake for row in rows)
    total = SUMMARY.format(count=count, rules=len(rows), used=f"{used[0]:,}", limit=f"{used[1]:,}").to(lang)
    return "".join(f"{line}\n" for line in (*lines, total))


def _row_of(entry: RuleEntry) -> tuple[str, ...]:
    shown = entry.shown
    return tuple(
        one_line(cell)
        for cell in (
            shown.get("name", ""),
            shown.get("id", "") if entry.named else "",
            shown.get("scope", ""),
            shown.get("trigger", ""),
            " ".join(shown.get("globs", [])),
            f"{len(shown.get('content', '')):,}",
            f"{show_path(entry.path)}:{entry.line}",
        )
    )


def _notes(entry: RuleEntry, lang: Lang) -> list[str]:
    """Return what is particular: not given, not loaded by Foya, or loaded as something else."""
    if entry.rule is None and entry.program is None and entry.refused == entry.program_refused:
        return [one_line(NOT_READ.format(reason=entry.refused).to(lang))]
    notes = [] if entry.rule is not None else [NOT_GIVEN.format(reason=entry.refused)]
    program = entry.program
    if program is None:
        notes.append(NOT_LOADED.format(reason=entry.program_refused))
    elif (program["trigger"], program["globs"]) != (entry.shown["trigger"], entry.shown["globs"]):
        globs = f" {' '.join(program['globs'])}" if program["globs"] else ""
        notes.append(OTHERWISE.format(trigger=program["trigger"] + globs))
    return [one_line(note.to(lang)) for note in notes]


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True))
    return GAP.join(cells).rstrip()


def _paint(style: str, text: str, colour: bool) -> str:
    return f"{style}{text}{_RESET}" if colour else text


HEAD = (
    Text("NAME", "名称"),
    Text("ID", "ID"),
    Text("SCOPE", "作用域"),
    Text("TRIGGER", "触发"),
    Text("GLOBS", "GLOBS"),
    Text("SIZE", "字符数"),
    Text("FILE", "文件"),
)
AWAKE = Text("awake", "生效")
ASLEEP = Text("asleep", "未生效")
BOTH = Text("{engine}; in Foya's own program: {foya}", "{engine}；在 Foya 自己的程序里：{foya}")
IN_FOYA = Text("in Foya's own program {state}: {reason}", "在 Foya 自己的程序里{state}：{reason}")
LEFT_OUT = Text("left out: the rules before it have used up the budget", "被略去：前面的规则已用完预算")
NOT_READ = Text(
    "neither given nor loaded by Foya's own program: {reason}", "不会给出，Foya 自己的程序也不加载：{reason}"
)
OTHERWISE = Text("to Foya's own program it is: {trigger}", "在 Foya 自己的程序里它是：{trigger}")
SUMMARY = Text(
    "{count} of {rules} rules awake; {used} of {limit} characters",
    "{rules} 条规则中 {count} 条生效；{limit} 个字符中用了 {used} 个",
)
