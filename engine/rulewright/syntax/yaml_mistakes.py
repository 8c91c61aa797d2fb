"""From a parser's failure to the mistake: where it is, what it is, what to do. One place, one line, plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rulewright.syntax.tree import Fix, Problem
from rulewright.syntax.yaml_builder import MAX_DEPTH
from rulewright.syntax.yaml_lines import (
    entry_at,
    is_blank,
    is_dash,
    line_end,
    line_start,
    lines_in,
    skip_blanks,
    skip_dashes,
    value_end,
)
from rulewright.syntax.yaml_quoting import in_single_quotes, quote_single, quoted
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span

Kind = Literal["other", "indent", "tab"]

# A continuation line `Note: x` is prose, `target: x` is a key that lost its place: keys are lower case.
_WORD_KEY = re.compile(r"[a-z_<][a-z0-9_.<-]*")
_GLUED = re.compile(r"([A-Za-z_][\w.-]*):(?=[^\s:/\\])")
_FULL_WIDTH = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*\uff1a[ \t]*")
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{0,2}|u[0-9A-Fa-f]{0,4}|U[0-9A-Fa-f]{0,8}|[^\r\n]?)")
_GOOD_ESCAPE = re.compile(
    r"""\\(?:[0abt\tnvfre "/\\N_LP]|x[0-9A-Fa-f]{2}|u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4}|U00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}|\r?\n|\r)|[^\\"]+"""
)
_FLOW_TOKEN = re.compile(r"""[\[\]{}]|(?<![^\s\[{,:])(?:"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')""", re.DOTALL)
_CLOSERS = {"[": "]", "{": "}"}


class Failure(Exception):
    """What the parser said. Offsets are places in the whole text; `begin` is where the failing construct began."""

    def __init__(self, index: int, begin: int | None, context: str, problem: str, *, too_deep: bool = False) -> None:
        super().__init__(problem)
        self.index = index
        self.begin = begin
        self.context = context
        self.problem = problem
        self.too_deep = too_deep


@dataclass(frozen=True, slots=True)
class Mistake:
    """A problem, and what kind it is where recovery treats kinds differently."""

    problem: Problem
    kind: Kind = "other"


class Explainer:
    """Explains failures in one text.

    text: with odd characters replaced one for one. original: as the user has it; fixes are made of it.
    """

    __slots__ = ("original", "text")

    def __init__(self, text: str, original: str) -> None:
        self.text = text
        self.original = original

    def explain(self, failure: Failure, start: int, end: int) -> Mistake:
        """Say what is wrong in the piece from `start` to `end`, in which the parser failed."""
        index = min(max(failure.index, start), end)
        begin = index if failure.begin is None else min(max(failure.begin, start), end)
        # libyaml has a limit of its own, 1000 open brackets ("while increasing flow level").
        if failure.too_deep or "increasing" in failure.context:
            return self._at(index, min(index + 1, end), TOO_DEEP.format(limit=MAX_DEPTH))
        tab = self._tab(failure, index, start, end)
        if tab is not None:
            return tab
        if "quoted scalar" in failure.context:
            if "escape" in failure.problem or "hexadecimal" in failure.problem or "hexdecimal" in failure.problem:
                return self._escape(begin, end)
            return self._unclosed_quote(begin, end)
        if "flow" in failure.context:
            if self.text[begin : begin + 1] in ("[", "{"):
                return self._flow(begin, index, end)
            return self._at(index, min(index + 1, end), FLOW_INNER)
        if "simple key" in failure.context:
            return self.no_colon(begin, end)
        if "mapping values" in failure.problem:
            return self._colon(index, start, end)
        if "block scalar" in failure.context or "alias" in failure.context or "anchor" in failure.context:
            return self._quote_value(begin, start, end)
        if "tag" in failure.context or "tag handle" in failure.problem:
            return self._quote_value(begin, start, end)
        return self._stray(index, start, end)

    def no_colon(self, at: int, end: int) -> Mistake:
        """A line at `at` that stands where a `key: value` is due and has no colon, or one that does not count."""
        text = self.text
        stop = value_end(text, at, line_end(text, at, end))
        match = _FULL_WIDTH.match(text, at, stop)
        if match:
            colon = Span(match.end(1), match.end())
            fix = self._fix(USE_COLON, colon, ": ")
            return Mistake(Problem("yaml-syntax", Span(at, stop), FULL_WIDTH_COLON.format(key=match[1]), (), (fix,)))
        match = _GLUED.match(text, at, stop)
        if match:
            fix = self._fix(ADD_SPACE, Span(match.end(), match.end()), " ")
            return Mistake(Problem("yaml-syntax", Span(at, stop), GLUED_COLON.format(key=match[1]), (), (fix,)))
        return self._at(at, max(stop, min(at + 1, end)), NO_COLON.format(key=_short(self.original[at:stop])))

    def no_dash(self, at: int, end: int) -> Mistake:
        """A line at `at` that begins a list item and has no dash, or one without a space behind it."""
        stop = line_end(self.text, at, end)
        entry = entry_at(self.text, at, stop)
        span = Span(at, entry.key_end if entry else max(value_end(self.text, at, stop), min(at + 1, end)))
        if self.text[at] == "-":
            fix = self._fix(ADD_DASH_SPACE, Span(at + 1, at + 1), " ")
            return Mistake(Problem("yaml-syntax", span, GLUED_DASH, (), (fix,)))
        return Mistake(Problem("yaml-syntax", span, NO_DASH))

    def indent(self, at: int, end: int, found: int, wanted: int) -> Mistake:
        """A line whose content begins at `at`, indented by `found` spaces where `wanted` are due."""
        stop = line_end(self.text, at, end)
        entry = entry_at(self.text, at, stop)
        span = Span(at, entry.key_end if entry else max(value_end(self.text, at, stop), at + 1))
        begin = line_start(self.text, at)
        fixes = (self._fix(INDENT_FIX.format(wanted=wanted), Span(begin, at), " " * wanted),)
        message = INDENT.format(found=found, wanted=wanted)
        return Mistake(Problem("yaml-syntax", span, message, (), fixes), "indent")

    def _tab(self, failure: Failure, index: int, start: int, end: int) -> Mistake | None:
        text = self.text
        begin = max(line_start(text, index), start)
        content = skip_blanks(text, begin, end)
        tab = text.find("\t", begin, content)
        if tab < 0:
            return None
        if not (index <= content or "tab" in failure.problem or "mapping values" in failure.problem):
            return None
        stop = tab
        while stop < content and text[stop] == "\t":
            stop += 1
        fix = self._fix(TAB_FIX, Span(tab, stop), "  " * (stop - tab))
        return Mistake(Problem("yaml-syntax", Span(tab, stop), TAB, (), (fix,)), "tab")

    def _unclosed_quote(self, begin: int, end: int) -> Mistake:
        stop = value_end(self.text, begin, line_end(self.text, begin, end))
        quote = self.text[begin : begin + 1]
        fix = self._fix(CLOSE_WITH.format(sign=quote), Span(stop, stop), quote)
        problem = Problem("yaml-syntax", Span(begin, stop), UNCLOSED_QUOTE.format(quote=quote), (), (fix,))
        return Mistake(problem)

    def _escape(self, begin: int, end: int) -> Mistake:
        text = self.text
        at = begin + 1
        while (good := _GOOD_ESCAPE.match(text, at, end)) is not None:
            at = good.end()
        match = _ESCAPE.match(text, at, end)
        if match is None:
            return self._unclosed_quote(begin, end)
        close = at
        while close < end and text[close] != '"':
            close += 2 if text[close] == "\\" else 1
        fixes: tuple[Fix, ...] = ()
        if close < end:
            whole = Span(begin, close + 1)
            single = in_single_quotes(whole.of(self.original))
            if single is not None:
                fixes = (self._fix(SINGLE_QUOTES, whole, single),)
        message = BAD_ESCAPE.format(escape=match[0])
        return Mistake(Problem("yaml-syntax", Span(at, match.end()), message, (), fixes))

    def _flow(self, begin: int, index: int, end: int) -> Mistake:
        text = self.text
        opener = text[begin : begin + 1]
        depth = 0
        for token in _FLOW_TOKEN.finditer(text, begin, end):
            if token[0] in "[{":
                depth += 1
            elif token[0] in "]}":
                depth -= 1
                if depth == 0:
                    at = min(index, end)
                    stop = line_end(text, at, end)
                    if at >= stop:
                        at, stop = begin, line_end(text, begin, end)
                    return self._at(at, min(at + max(1, _run(text, at, stop)), stop), FLOW_INNER)
        stop = value_end(text, begin, line_end(text, begin, end))
        closer = _CLOSERS.get(opener, "]")
        fixes = (self._fix(CLOSE_WITH.format(sign=closer), Span(stop, stop), closer),)
        message = UNCLOSED_FLOW.format(opener=opener, closer=closer)
        return Mistake(Problem("yaml-syntax", Span(begin, max(stop, begin + 1)), message, (), fixes))

    def _colon(self, colon: int, start: int, end: int) -> Mistake:
        """A `: ` where none can stand."""
        text = self.text
        begin, stop, value = self._value_on_line(colon, start, end)
        first = skip_dashes(text, begin, stop)
        if value is not None and value <= colon:
            return self._quote(value, value_end(text, value, stop), COLON_INSIDE)
        if begin > start and first <= colon:
            key = text[first:colon].rstrip(" \t")
            if _WORD_KEY.fullmatch(key):
                wanted = self._indent_of_piece(start)
                return self.indent(first, end, first - line_start(text, first), wanted)
            span = Span(first, value_end(text, first, stop))
            return Mistake(Problem("yaml-syntax", span, COLON_CONTINUED, (), self._join(start, end)))
        return self._quote(first, value_end(text, first, stop), COLON_INSIDE)

    def _join(self, start: int, end: int) -> tuple[Fix, ...]:
        """A fix that puts a plain value of several lines on one line, in quotes."""
        stop = line_end(self.text, start, end)
        entry = entry_at(self.text, start, stop)
        if entry is None or entry.value >= stop or self.text[entry.value] in "\"'[{|>&*!":
            return ()
        lines = list(lines_in(self.text, entry.value, end))
        while lines and is_blank(self.text, lines[-1]):
            lines.pop()
        words = [self.original[line.content : line.end].strip(" \t") for line in lines]
        last = lines[-1].content + len(words[-1])
        return (self._fix(QUOTE_FIX, Span(entry.value, last), quote_single(" ".join(filter(None, words)))),)

    def _quote_value(self, at: int, start: int, end: int) -> Mistake:
        text = self.text
        _, stop, value = self._value_on_line(at, start, end)
        begin = value if value is not None and value <= at else at
        return self._quote(begin, value_end(text, begin, stop), SPECIAL_START.format(sign=text[begin : begin + 1]))

    def _stray(self, index: int, start: int, end: int) -> Mistake:
        """The parser met something where the block should have gone on."""
        text = self.text
        begin, stop, value = self._value_on_line(index, start, end)
        content = skip_blanks(text, begin, stop)
        if index >= stop and index > start:
            # It failed behind a line: the line itself holds the mistake.
            index = max(content, value if value is not None else content)
        if text[index : index + 1] in ("]", "}") and (value is None or index > value):
            fix = self._fix(REMOVE_SIGN, Span(index, index + 1), "")
            message = EXTRA_CLOSER.format(sign=text[index])
            return Mistake(Problem("yaml-syntax", Span(index, index + 1), message, (), (fix,)))
        if value is not None and value <= index:
            sign = text[value : value + 1]
            last = value_end(text, value, stop)
            if sign in ("'", '"'):
                return self._after_quote(value, last)
            return self._quote(value, last, SPECIAL_START.format(sign=sign))
        if index == content and begin > start:
            if is_dash(text, index, stop):
                return Mistake(Problem("yaml-syntax", Span(index, index + 1), STRAY_DASH), "indent")
            if entry_at(text, index, stop) is None:
                return self._at(index, value_end(text, index, stop), STRAY_TEXT)
            return self.indent(index, end, index - line_start(text, index), self._indent_of_piece(start))
        if text[index : index + 1] in ("%", "@", "`", ",", "]", "}"):
            return self._quote(index, value_end(text, index, stop), SPECIAL_START.format(sign=text[index]))
        return self._at(content, value_end(text, content, stop), UNREADABLE)

    def _after_quote(self, value: int, last: int) -> Mistake:
        source = self.original[value:last]
        inner = source[1:-1] if len(source) > 2 and source[-1] == source[0] else source
        fixes = (self._fix(QUOTE_FIX, Span(value, last), quote_single(inner)),)
        message = AFTER_QUOTE.format(quote=source[:1])
        return Mistake(Problem("yaml-syntax", Span(value, last), message, (), fixes))

    def _quote(self, start: int, end: int, message: Text) -> Mistake:
        source = self.original[start:end]
        if not source:
            return self._at(start, end, message)
        new_text = quote_single(source) if quoted(source) == source else quoted(source)
        fix = self._fix(QUOTE_FIX, Span(start, end), new_text)
        return Mistake(Problem("yaml-syntax", Span(start, end), message, (), (fix,)))

    def _value_on_line(self, at: int, start: int, end: int) -> tuple[int, int, int | None]:
        """Return the line's start and end inside the piece, and where a value starts on it, if one does."""
        text = self.text
        begin = max(line_start(text, min(at, end)), start)
        stop = line_end(text, begin, end)
        content = skip_dashes(text, begin, stop)
        dashes = content > skip_blanks(text, begin, stop)
        entry = entry_at(text, content, stop)
        if entry is not None and entry.value < stop:
            return begin, stop, entry.value
        return begin, stop, content if dashes and entry is None else None

    def _indent_of_piece(self, start: int) -> int:
        content = skip_dashes(self.text, start, line_end(self.text, start, len(self.text)))
        return content - line_start(self.text, content)

    def _at(self, start: int, end: int, message: Text) -> Mistake:
        return Mistake(Problem("yaml-syntax", Span(start, max(start, end)), message))

    def _fix(self, title: Text, span: Span, new_text: str) -> Fix:
        return Fix(title, (Edit(span, new_text),), safe=False)


def _run(text: str, at: int, end: int) -> int:
    stop = at
    while stop < end and text[stop] not in " \t,]}":
        stop += 1
    return stop - at


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


QUOTE_FIX = Text("Put the value in quotes", "给这个值加上引号")
SINGLE_QUOTES = Text("Use single quotes", "改用单引号")
CLOSE_WITH = Text("Add the closing `{sign}`", "补上结尾的 `{sign}`")
ADD_SPACE = Text("Add a space after the colon", "在冒号后加一个空格")
ADD_DASH_SPACE = Text("Add a space after the dash", "在短横线后加一个空格")
USE_COLON = Text("Use an ASCII colon and a space", "改用半角冒号加空格")
TAB_FIX = Text("Replace the tab by spaces", "把制表符换成空格")
REMOVE_SIGN = Text("Remove it", "删除它")
INDENT_FIX = Text("Indent by {wanted} spaces", "缩进改为 {wanted} 个空格")

TOO_DEEP = Text(
    "nested deeper than {limit} levels; the rest of this value is not read",
    "嵌套超过 {limit} 层；这个值的其余部分不会读取",
)
FULL_WIDTH_COLON = Text(
    "the colon behind `{key}` is a full-width one; write `{key}: `",
    "`{key}` 后面是全角冒号；请改成半角冒号加空格：`{key}: `",
)
GLUED_COLON = Text(
    "a space is missing after the colon; write `{key}: `",
    "冒号后面缺少空格；请写成 `{key}: `",
)
NO_COLON = Text(
    "expected `key: value` here, but `{key}` has no colon",
    "这里应为 `键: 值`，但 `{key}` 后面没有冒号",
)
GLUED_DASH = Text(
    "a space is missing after the dash; write `- `",
    "短横线后面缺少空格；请写成 `- `",
)
NO_DASH = Text(
    "a list item must begin with `- `, as its neighbours do",
    "列表项必须以 `- ` 开头，与其他项一样",
)
INDENT = Text(
    "wrong indentation: {found} spaces where {wanted} are expected; line it up with its neighbours",
    "缩进不对：这里有 {found} 个空格，应为 {wanted} 个；请与同级的行对齐",
)
TAB = Text("a tab cannot indent YAML; use spaces", "YAML 不能用制表符缩进；请改用空格")
UNCLOSED_QUOTE = Text("this quote is never closed; add the closing `{quote}`", "引号没有闭合；请补上结尾的 `{quote}`")
BAD_ESCAPE = Text(
    "`{escape}` is no escape in double quotes; write `\\{escape}`, or use single quotes",
    "双引号里没有 `{escape}` 这个转义；请写成 `\\{escape}`，或改用单引号",
)
UNCLOSED_FLOW = Text(
    "`{opener}` is never closed; add `{closer}`, or put the value in quotes if it is text",
    "`{opener}` 没有闭合；请补上 `{closer}`，如果它是文本，请加上引号",
)
FLOW_INNER = Text(
    "this does not fit inside the brackets; separate items by commas and put text with `:`, `,` or brackets in quotes",
    "括号内的写法不对；各项之间用逗号分隔，含有 `:`、`,` 或括号的文本要加引号",
)
COLON_INSIDE = Text(
    "the value holds `: `, which YAML reads as a key; put the value in quotes",
    "值里含有 `: `，YAML 会把它当成键；请给整个值加上引号",
)
COLON_CONTINUED = Text(
    "this line continues the text above and holds `: `, which YAML reads as a key; put the whole text in quotes",
    "这一行是上一行文本的延续，其中的 `: ` 会被 YAML 当成键；请给整段文本加上引号",
)
SPECIAL_START = Text(
    "a value cannot start with `{sign}` like this, because the sign has a meaning in YAML; put the value in quotes",
    "值不能这样以 `{sign}` 开头，它在 YAML 中有特殊含义；请给整个值加上引号",
)
AFTER_QUOTE = Text(
    "text follows the closing `{quote}`; put the whole value in quotes and double the inner ones",
    "结尾的 `{quote}` 之后还有文本；请给整个值加上引号，里面的单引号写两遍",
)
EXTRA_CLOSER = Text("this `{sign}` closes nothing; remove it", "这个 `{sign}` 没有对应的开括号；请删除它")
STRAY_DASH = Text(
    "a list item cannot stand here; line it up with the other items",
    "列表项不能放在这里；请与其他列表项对齐",
)
STRAY_TEXT = Text(
    "this line belongs to nothing; indent it under its key, or write it as `key: value`",
    "这一行不属于任何键；请缩进到所属的键下面，或写成 `键: 值`",
)
UNREADABLE = Text(
    "YAML cannot read this; check quotes, brackets and indentation",
    "YAML 无法读取这里；请检查引号、括号和缩进",
)
