"""The report for people: place, severity, code, message, and the line with the fault underlined.

Columns are one-based code points. The underline is right for wide characters, tabs and very long lines, because the
line is first turned into the cells of a terminal.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulewright.checking import Finding, Severity
from rulewright.text.language import Lang, Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

if TYPE_CHECKING:
    from rulewright.workspace import CheckedFile, Outcome

WIDTH = 100
"""Cells of a line that are shown at most; a longer one is cut around the fault. Our own choice [R]."""
TAB = 4
LONG = 2000
"""A line of more characters is cut before it is looked at [R]."""

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLOUR = {
    Severity.ERROR: "\x1b[31m",
    Severity.WARNING: "\x1b[33m",
    Severity.INFO: "\x1b[36m",
    Severity.HINT: "\x1b[36m",
}
_SEVERITY = {
    Severity.ERROR: Text("error", "错误"),
    Severity.WARNING: Text("warning", "警告"),
    Severity.INFO: Text("info", "信息"),
    Severity.HINT: Text("hint", "提示"),
}


def render(outcome: Outcome, lang: Lang, *, colour: bool) -> str:
    """Return the findings, each with its excerpt; the empty string where there are none."""
    paint = _Paint(colour)
    return "".join(_finding(outcome, file, finding, lang, paint) for file in outcome.files for finding in file.findings)


def summary(outcome: Outcome, lang: Lang) -> str:
    """Return the closing line: how many files, findings, and how many of them `fix` can mend."""
    findings = [finding for file in outcome.files for finding in file.findings]
    counts = [
        (
            sum(finding.severity == Severity.ERROR for finding in findings),
            Text("error", "个错误"),
            Text("errors", "个错误"),
        ),
        (
            sum(finding.severity == Severity.WARNING for finding in findings),
            Text("warning", "个警告"),
            Text("warnings", "个警告"),
        ),
        (
            sum(finding.severity > Severity.WARNING for finding in findings),
            Text("note", "条提示"),
            Text("notes", "条提示"),
        ),
    ]
    files = len(outcome.files)
    checked = Text("{files} file checked" if files == 1 else "{files} files checked", "检查了 {files} 个文件").format(
        files=files
    )
    lost = len(outcome.failures)
    if lost:
        unread = Text("1 cannot be read" if lost == 1 else "{lost} cannot be read", "{lost} 个无法读取").format(
            lost=lost
        )
        checked = Text("{checked}, {unread}", "{checked}，{unread}").format(checked=checked, unread=unread)
    if lost and not findings:
        return checked.to(lang)
    if not findings:
        return checked.to(lang) + Text(": no problems", "：没有问题").to(lang)
    told = [f"{count} {(one if count == 1 else many).to(lang)}" for count, one, many in counts if count]
    line = checked.to(lang) + Text(": ", "：").to(lang) + Text(", ", "，").to(lang).join(told)
    fixable = sum(any(fix.safe for fix in finding.fixes) for finding in findings)
    if fixable:
        line += FIXABLE_COUNT.format(count=fixable).to(lang)
    return line


def _finding(outcome: Outcome, file: CheckedFile, finding: Finding, lang: Lang, paint: _Paint) -> str:
    lines = file.document.lines
    rows = [
        f"{paint.bold(place(file.shown, lines, finding.span))}: "
        f"{paint.severity(finding.severity, f'{_SEVERITY[finding.severity].to(lang)}[{finding.code}]')}: "
        f"{one_line(finding.message.to(lang))}"
    ]
    rows.extend(excerpt(lines, finding.span, paint, finding.severity))
    for note, shown, other in outcome.related_places(file, finding):
        rows.append(f"  {paint.dim(place(shown, other, note.span))}: {one_line(note.message.to(lang))}")
    for fix in finding.fixes:
        label = FIXABLE if fix.safe else FIXABLE_UNSAFE
        rows.append(f"  {paint.dim(label.format(title=one_line(fix.title.to(lang))).to(lang))}")
    return "\n".join(rows) + "\n\n"


def place(shown: str, lines: Lines, span: Span) -> str:
    """Return `path:line:column`, one-based, in code points."""
    start = lines.position_at(span.start)
    return f"{one_line(shown)}:{start.line + 1}:{start.column + 1}"


def excerpt(lines: Lines, span: Span, paint: _Paint, severity: Severity) -> list[str]:
    """Return the first line of a span with its number, and below it the underline."""
    number = lines.line_at(span.start)
    line = lines.span(number)
    # Of a very long line (a package as JSON has only one) no more is looked at than can be shown.
    first = line.start if line.end - line.start <= LONG else max(line.start, span.start - WIDTH)
    last = line.end if line.end - line.start <= LONG else min(line.end, span.start + 2 * WIDTH)
    start = min(span.start, last) - first
    end = max(min(span.end, last) - first, start)
    shown = window(cells(lines.text[first:last]), start, end, (first > line.start, last < line.end))
    gutter = f"{number + 1:>5} | "
    blank = " " * (len(gutter) - 2) + "| "
    marks = " " * shown.before + paint.severity(severity, "^" * max(1, shown.under))
    return [paint.dim(gutter) + shown.text, paint.dim(blank) + marks]


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a line that is shown: its text, the cells before the fault and those of the fault."""

    text: str
    before: int
    under: int


def window(parts: list[tuple[str, int]], start: int, end: int, cut: tuple[bool, bool] = (False, False)) -> Window:
    """Cut a line of (shown text, cells) to `WIDTH` cells around the characters `start` to `end`.

    Args:
        cut: whether something was cut off already before and behind it.
    """
    if sum(width for _, width in parts) <= WIDTH:
        first, last = 0, len(parts)
    else:
        first = start
        room = WIDTH // 3
        while first > 0 and room - parts[first - 1][1] >= 0:
            first -= 1
            room -= parts[first][1]
        last, room = first, WIDTH - 2
        while last < len(parts) and room - parts[last][1] >= 0:
            room -= parts[last][1]
            last += 1
    lead, tail = ("…" if first or cut[0] else ""), ("…" if last < len(parts) or cut[1] else "")
    text = lead + "".join(shown for shown, _ in parts[first:last]) + tail
    before = len(lead) + sum(width for _, width in parts[first:start])
    under = sum(width for _, width in parts[start : min(end, last)])
    return Window(text, before, under)


def cells(line: str) -> list[tuple[str, int]]:
    """Return for each character what is shown for it and how many cells of a terminal that takes.

    Tabs become spaces up to the next stop; what a terminal would obey or hide (controls, bidi marks, zero-width
    characters, lone surrogates) is shown by name. Wide characters take two cells (Unicode TR 11: W and F), combining
    marks none, and what is joined to an emoji belongs to its two cells.
    """
    if _is_plain(line):
        return [(char, 1) for char in line]
    parts: list[tuple[str, int]] = []
    column = 0
    for index, char in enumerate(line):
        shown, width = char, 1
        code = ord(char)
        if char == "\t":
            width = TAB - column % TAB
            shown = " " * width
        elif 0x20 <= code < 0x7F:
            pass
        elif char == "\u200d" or "\ufe00" <= char <= "\ufe0f" or 0x1F3FB <= code <= 0x1F3FF:
            # A joiner, a variation selector or a skin tone belongs to the emoji before it; elsewhere it is hidden text.
            if index and _is_pictograph(line[index - 1]):
                width = 0
            elif 0x1F3FB <= code <= 0x1F3FF:
                width = 2
            else:
                shown, width = _named(code)
        elif unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            shown, width = _named(code)
        elif unicodedata.category(char) in ("Mn", "Me") or (
            index
            and line[index - 1] == "\u200d"
            and index > 1
            and _is_pictograph(line[index - 2])
            and _is_pictograph(char)
        ):
            width = 0
        elif unicodedata.east_asian_width(char) in ("W", "F"):
            width = 2
        parts.append((shown, width))
        column += width
    return parts


def one_line(text: str) -> str:
    """Return a text for one line of a terminal: line ends and controls are shown, not obeyed."""
    return text if _is_plain(text) else "".join(shown for shown, _ in cells(text))


def _is_plain(text: str) -> bool:
    """Tell whether every character is shown as it is and takes one cell."""
    return text.isascii() and text.isprintable()


def _named(code: int) -> tuple[str, int]:
    shown = f"<U+{code:04X}>"
    return shown, len(shown)


def _is_pictograph(char: str) -> bool:
    code = ord(char)
    return code >= 0x1F000 or 0x2190 <= code <= 0x2BFF or char in "\ufe0f\u200d\u3030\u303d"


class _Paint:
    """Adds colour, or nothing."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def bold(self, text: str) -> str:
        return f"{_BOLD}{text}{_RESET}" if self.on else text

    def dim(self, text: str) -> str:
        return f"{_DIM}{text}{_RESET}" if self.on else text

    def severity(self, severity: Severity, text: str) -> str:
        return f"{_BOLD}{_COLOUR[severity]}{text}{_RESET}" if self.on else text


FIXABLE = Text("fixable: {title}", "可修复：{title}")
FIXABLE_UNSAFE = Text("fixable with --unsafe: {title}", "加 --unsafe 可修复：{title}")
FIXABLE_COUNT = Text(" ({count} can be fixed with `rulewright fix`)", "（其中 {count} 个可用 `rulewright fix` 修复）")
