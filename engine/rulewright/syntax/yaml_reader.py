"""YAML text to tree. The only module that imports `yaml`; takes events from it and nothing else.

It never raises on a text. What `yaml` cannot read is read again in pieces (`yaml_recovery`), so that a mistake costs
the entry that holds it and no other.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import yaml

from rulewright.syntax.tree import Fix, Node, Problem, Tree
from rulewright.syntax.yaml_builder import Builder, TooDeep
from rulewright.syntax.yaml_lines import line_end, line_start
from rulewright.syntax.yaml_mistakes import TAB, Failure
from rulewright.syntax.yaml_recovery import Recovery
from rulewright.syntax.yaml_traps import comment_spans, find_traps
from rulewright.text.edits import Edit
from rulewright.text.hidden import hidden_characters, hidden_names
from rulewright.text.language import Text
from rulewright.text.span import Span

# The C parser where PyYAML was built with it: about ten times faster, with the same events.
EVENT_LOADER: Callable[[str], Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Characters. A package of 5000 rules has about 1.5 million; above this an editor would stall for seconds.
MAX_LENGTH = 4_000_000
# Below this the collector does not get to run while a tree is built (measured: 5 ms at 100 rules, 20 kB).
_GC_LENGTH = 20_000
_MAX_CONTROL = 5
# A fix of more edits than this is for a file that is no text.
_MAX_EDITS = 1000
# Problems of one code in one text; more of the same say nothing new.
_MAX_OF_A_KIND = 50
_MAX_HIDDEN = 20
# So many lines with tabs can be slips of their own; more are the habit of an editor [R].
MANY_TABS = 2

# PyYAML breaks lines at U+0085, U+2028 and U+2029, which neither editors nor YAML 1.2 do. A U+FEFF inside is text.
_SEPARATORS = "\x85\u2028\u2029\ufeff"
# What YAML forbids (YAML 1.2.2, c-printable).
_FORBIDDEN = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
_ODD = re.compile(f"[{_SEPARATORS}{_FORBIDDEN}]")
_CONTROL = re.compile(f"[{_FORBIDDEN}]")
# Stand-ins: private-use characters, of which YAML thinks nothing.
_PRIVATE = (range(0xE000, 0xF900), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))

_MARKER = re.compile(r"(?:(?<=[\r\n])|\A)(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_CONTENT = re.compile(r"(?:[ \t\r\n]+|(?:(?<=[ \t\r\n])|\A)#[^\r\n]*)*")
_CONFLICT = re.compile(
    r"(?:(?<=[\r\n])|\A)(?:<{7}(?=[ \r\n]|\Z)|\|{7}(?=[ \r\n]|\Z)|={7}(?=[\r\n]|\Z)|>{7}(?=[ \r\n]|\Z))"
)


def read_yaml(text: str, start: int = 0, end: int | None = None, *, slashes: bool = True) -> Tree:
    """Read the YAML between `start` and `end` (code points); all spans are places in the whole `text`.

    A byte order mark at `start` is skipped. The tree is that of the first document that is not empty, though readers in
    Go take the first: `whole` is false then. A text longer than MAX_LENGTH is not read at all.

    Args:
        slashes: take the escape `\\/` for a slash, as YAML 1.2 does. Go's yaml.v3 refuses the text.
    """
    stop = len(text) if end is None else end
    if text.startswith("\ufeff", start, stop):
        start += 1
    if stop - start > MAX_LENGTH:
        message = TOO_LONG.format(limit=MAX_LENGTH)
        return Tree(
            None,
            [Problem("yaml-syntax", Span(start, line_end(text, start, min(stop, start + 80))), message)],
            whole=False,
        )
    collecting = stop - start > _GC_LENGTH and gc.isenabled()
    if collecting:
        gc.disable()
    try:
        reading = _Reading(text, start, stop)
        tree = reading.read()
        if not slashes:
            tree.problems += reading.escaped_slashes()
        return tree
    finally:
        if collecting:
            gc.enable()


@dataclass(frozen=True, slots=True)
class _Document:
    """One document: its `---` (or first content), where its source begins with that, its content, its end."""

    marker: Span
    start: int
    content: int
    end: int
    empty: bool


class _Reading:
    """The reading of one text."""

    __slots__ = ("builder", "original", "part", "problems", "start", "stop", "text", "whole")

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.original = text
        self.start = start
        self.stop = stop
        self.whole = True
        self.problems: list[Problem] = []
        part = text if start == 0 and stop == len(text) else text[start:stop]
        restore = None
        if not part.replace("\n", "").isprintable() and _ODD.search(part):
            self._report_controls(part)
            part, restore = _replace_odd(part)
        part = self._without_conflicts(part)
        self.part = part
        # Nothing behind the part, so that no look ahead leaves it.
        self.text = text[:start] + part if start else part
        self.builder = Builder(self.text, restore)

    def read(self) -> Tree:
        documents = list(self._documents())
        chosen = next((document for document in documents if not document.empty), None)
        root: Node | None = None
        if chosen is not None:
            self._report_documents(documents)
            root = self._read_document(chosen)
        builder = self.builder
        comments = comment_spans(self.text, self.start, self.stop, builder.scalars)
        problems = self.problems + self._few(builder.problems)
        if self.whole:
            traps = find_traps(self.text, self.original, self.start, builder, comments)
            problems += islice(traps, _MAX_OF_A_KIND)
        problems += self._hidden()
        return Tree(root, _in_order(problems), comments, self.whole)

    def _read_document(self, document: _Document) -> Node | None:
        builder = self.builder
        mark = builder.mark()
        try:
            return self._parse(self.text[document.start : document.end], document.start)
        except Failure as error:
            failure = error
        builder.rewind(mark)
        builder.anchors.clear()
        return Recovery(builder, self.original, self._read_piece).recover(document.content, document.end, failure)

    def _read_piece(self, start: int, end: int, tail: str, column: int | None) -> Node | None:
        if column is None:
            column = start - max(line_start(self.text, start), self.start)
        return self._parse(f"{' ' * column}{self.text[start:end]}{tail}", start - column)

    def _parse(self, source: str, base: int) -> Node | None:
        builder = self.builder
        loader = EVENT_LOADER(source)
        try:
            root = builder.build(loader.get_event, base)
            # One document a piece: what follows it is a mistake that shows only now.
            while (
                root is not None
                and type(event := loader.get_event()).__name__ != "StreamEndEvent"
                and event is not None
            ):
                if type(event).__name__ == "DocumentStartEvent":
                    index = event.start_mark.index + base
                    raise Failure(index, None, "", "")
            return root
        except yaml.MarkedYAMLError as error:
            mark, begin = error.problem_mark, error.context_mark
            raise Failure(
                base if mark is None else mark.index + base,
                None if begin is None else begin.index + base,
                error.context or "",
                error.problem or "",
            ) from None
        except yaml.reader.ReaderError as error:
            raise Failure(base + error.position, None, "", error.reason) from None
        except (ValueError, OverflowError) as error:
            # The pure Python parser, on an escape beyond U+10FFFF.
            raise Failure(base + loader.index, base + loader.index, "quoted scalar", f"escape: {error}") from None
        except TooDeep as error:
            raise Failure(error.index + base, None, "", "", too_deep=True) from None

    def _documents(self) -> Iterator[_Document]:
        part, base = self.part, self.start
        markers = list(_MARKER.finditer(part)) if _may_have_markers(part) else []
        if not markers:
            content = _content_at(part, 0, len(part))
            yield _Document(Span(base, base), base, base, base + len(part), content >= len(part))
            return
        begin: int | None = 0
        marker = Span(0, 0)
        content = 0
        explicit = False
        for match in [*markers, None]:
            stop = match.start() if match else len(part)
            if begin is not None:
                first = _content_at(part, content, stop)
                directives = (
                    not explicit and first < stop and part[first] == "%" and match is not None and match[0] == "---"
                )
                if directives:
                    # Directives belong to the document that begins here.
                    marker, content, explicit = Span(*match.span()), match.end(), True  # type: ignore[union-attr]
                    continue
                if explicit or first < stop:
                    place = marker if explicit else Span(first, line_end(part, first, stop))
                    yield _Document(
                        Span(place.start + base, place.end + base),
                        begin + base,
                        content + base,
                        stop + base,
                        first >= stop,
                    )
            if match is None:
                return
            begin = match.start() if match[0] == "---" else match.end()
            marker, content, explicit = Span(*match.span()), match.end(), match[0] == "---"

    def _report_documents(self, documents: list[_Document]) -> None:
        if any(not document.empty for document in documents[1:]):
            self.whole = False
            message = FIRST_EMPTY if documents[0].empty else SECOND_DOCUMENT
            self.problems.append(Problem("multi-document", documents[1].marker, message))

    def _report_controls(self, part: str) -> None:
        """Report forbidden characters, one problem for each line that has some."""
        lines: list[list[int]] = []
        end = -1
        for match in _CONTROL.finditer(part):
            self.whole = False
            at = match.start() + self.start
            if at >= end:
                if len(lines) >= _MAX_CONTROL:
                    break
                lines.append([])
                end = line_end(self.original, at, self.stop)
            lines[-1].append(at)
        for places in lines:
            names = ", ".join(list(dict.fromkeys(f"U+{ord(self.original[at]):04X}" for at in places))[:8])
            fixes: tuple[Fix, ...] = ()
            if len(places) <= _MAX_EDITS:
                fixes = (Fix(REMOVE_CONTROL, tuple(Edit(Span(at, at + 1), "") for at in places), safe=False),)
            span = Span(places[0], places[0] + 1)
            self.problems.append(Problem("yaml-syntax", span, CONTROL.format(names=names), (), fixes))

    def _without_conflicts(self, part: str) -> str:
        """Blank out conflict marks and the second side of each conflict, and report the first mark."""
        if "<<<<<<<" not in part and "=======" not in part and ">>>>>>>" not in part:
            return part
        marks = list(_CONFLICT.finditer(part))
        if not any(mark[0][0] in "<>" for mark in marks):
            return part
        first = next(mark for mark in marks if mark[0][0] in "<>")
        span = Span(first.start() + self.start, line_end(part, first.start(), len(part)) + self.start)
        self.problems.append(Problem("yaml-syntax", span, CONFLICT))
        self.whole = False
        pieces = []
        at = 0
        dropping = False
        for mark in marks:
            stop = line_end(part, mark.start(), len(part))
            before = part[at : mark.start()]
            pieces.append(_BLANK_OUT.sub(" ", before) if dropping else before)
            pieces.append(" " * (stop - mark.start()))
            at = stop
            dropping = mark[0][0] in "|="
        pieces.append(part[at:])
        return "".join(pieces)

    def _few(self, problems: list[Problem]) -> list[Problem]:
        """Put the problems of a text that is indented with tabs together: they are one fault."""
        tabs = [problem for problem in problems if problem.message is TAB]
        if len(tabs) > MANY_TABS:
            # Nothing is where it seems to be: what else is found follows from it.
            self.whole = False
            edits = [
                Edit(Span(match.start() + self.start, match.end() + self.start), match[0].replace("\t", "  "))
                for match in _TABBED.finditer(self.part)
            ]
            fixes = (Fix(TABS_FIX, tuple(edits), safe=False),) if len(edits) <= _MAX_EDITS else ()
            first = min(tabs, key=lambda problem: problem.span)
            return [replace(first, message=TABS, fixes=fixes)]
        return problems

    def escaped_slashes(self) -> list[Problem]:
        """Find the escapes that stand for a slash, in keys and values: one fault for all."""
        quoted = [scalar.span for scalar in self.builder.scalars if scalar.style == "double"]
        found = [match for span in quoted for match in _ESCAPED.finditer(self.text, *span) if match[0] == r"\/"]
        if not found:
            return []
        edits = tuple(Edit(Span(*match.span()), "/") for match in found[:_MAX_EDITS])
        fix = Fix(PLAIN_SLASH, edits, safe=True)
        return [Problem("yaml-syntax", edits[0].span, ESCAPED_SLASH, (), (fix,))]

    def _hidden(self) -> Iterator[Problem]:
        for count, span in enumerate(hidden_characters(self.original, Span(self.start, self.stop))):
            if count >= _MAX_HIDDEN:
                return
            names = hidden_names(span.of(self.original))
            # At the start of a value, or behind a colon, what follows may be read as something else without it.
            before = self.original[max(span.start - 1, 0) : span.start]
            fix = Fix(REMOVE_HIDDEN, (Edit(span, ""),), safe=before.strip(" \t\r\n:-?[]{},\"'") != "")
            yield Problem("hidden-character", span, HIDDEN.format(names=names), (), (fix,))


_TABBED = re.compile(r"(?:(?<=[\r\n])|\A) *\t[ \t]*")
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_BLANK_OUT = re.compile(r"[^\r\n]")


def _may_have_markers(part: str) -> bool:
    return (
        part.startswith(("---", "..."))
        or "\n---" in part
        or "\n..." in part
        or ("\r" in part and ("\r---" in part or "\r..." in part))
    )


def _content_at(part: str, start: int, stop: int) -> int:
    """Return the offset of the first thing that is neither blank nor comment, `stop` if there is none."""
    match = _CONTENT.match(part, start, stop)
    return match.end() if match else start


def _replace_odd(part: str) -> tuple[str, Callable[[str], str] | None]:
    """Put a private-use character that does not occur in `part` in the place of each odd one, and say how to go back."""
    odd = sorted(set(_ODD.findall(part)))
    used = set(part)
    free = (chr(code) for block in _PRIVATE for code in block if chr(code) not in used)
    table: dict[int, str] = {}
    back: dict[int, str] = {}
    for char in odd:
        stand_in = next(free, "\ufffd")
        table[ord(char)] = stand_in
        if stand_in != "\ufffd":
            back[ord(stand_in)] = char

    def restore(value: str) -> str:
        return value if value.isascii() else value.translate(back)

    return part.translate(table), restore


def _in_order(problems: list[Problem]) -> list[Problem]:
    """Return the problems in the order of the text, each once, at most _MAX_OF_A_KIND of a code."""
    found: dict[tuple[str, Span], Problem] = {}
    counts: dict[str, int] = {}
    for problem in sorted(problems, key=lambda problem: problem.span):
        key = (problem.code, problem.span)
        if key not in found and counts.get(problem.code, 0) < _MAX_OF_A_KIND:
            found[key] = problem
            counts[problem.code] = counts.get(problem.code, 0) + 1
    return list(found.values())


TOO_LONG = Text(
    "the file is longer than {limit} characters and is not read; split it",
    "文件超过 {limit} 个字符，不会读取；请拆分它",
)
SECOND_DOCUMENT = Text(
    "a second document begins here and is never read; move its rules into the first, or into a file of their own",
    "从这里开始是第二个文档，它不会被读取；请把其中的规则移到第一个文档，或放到单独的文件里",
)
FIRST_EMPTY = Text(
    "the first document is empty, and what follows this line is never read; remove the `---` above",
    "第一个文档是空的，这一行之后的内容不会被读取；请删除上面的 `---`",
)
CONTROL = Text(
    "YAML does not allow the character {names}; remove it, or write it as an escape in double quotes",
    "YAML 不允许出现字符 {names}；请删除它，或在双引号里用转义写出",
)
REMOVE_CONTROL = Text("Remove the characters YAML forbids", "删除 YAML 不允许的字符")
TABS = Text(
    "tabs cannot indent YAML, here and on other lines; use spaces",
    "YAML 不能用制表符缩进，这里和其他行都是；请改用空格",
)
TABS_FIX = Text("Replace all tabs at the start of lines by spaces", "把所有行首的制表符换成空格")
CONFLICT = Text(
    "a merge conflict is not resolved here (`<<<<<<<`, `=======`, `>>>>>>>`); keep one side and remove the marks",
    "这里有未解决的合并冲突（`<<<<<<<`、`=======`、`>>>>>>>`）；请保留其中一边并删除这些标记",
)
ESCAPED_SLASH = Text(
    "`\\/` is no escape to Go's YAML, which refuses the whole text for it; write `/`",
    "Go 的 YAML 没有 `\\/` 这个转义，会因此拒绝整段内容；请写成 `/`",
)
PLAIN_SLASH = Text("Write `/`", "改为 `/`")
HIDDEN = Text("hidden character {names}; remove it", "隐藏字符 {names}；请删除它")
REMOVE_HIDDEN = Text("Remove the hidden characters", "删除隐藏字符")
