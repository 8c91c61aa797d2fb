"""Values that YAML reads, but not as their author meant: text taken for a comment, an anchor, a tag. And comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from rulewright.syntax.tree import Fix, Problem, Scalar
from rulewright.syntax.yaml_builder import Builder
from rulewright.syntax.yaml_lines import line_end, line_start, value_end
from rulewright.syntax.yaml_quoting import quote_single, quoted
from rulewright.syntax.yaml_scalars import CORE_TAGS
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span

# A `#` glued to a word is text (`#12`), one with a blank behind it is a comment, and so are marks for tools.
_GLUED_SIGN = re.compile(r"#(?!rulewright\b|noqa\b|yamllint\b|region\b|endregion\b)[^ \t#!:=*~+/\\|-]")
_ALIAS = re.compile(r"\*([0-9A-Za-z_-]+)")
_OPENING = "“‘"
_CLOSING = "”’"
_FULL_WIDTH_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*：[ \t]*")
_TRAP_CHARS = re.compile("[“‘：]")


def comment_spans(text: str, start: int, stop: int, scalars: list[Scalar]) -> list[Span]:
    """Return the spans of the comments between two offsets, `#` included, line end excluded."""
    at = text.find("#", start, stop)
    if at < 0:
        return []
    places = sorted(scalar.span for scalar in scalars)
    starts = [span.start for span in places]
    blocks = {scalar.span for scalar in scalars if scalar.style in ("literal", "folded")}
    found = []
    while at >= 0:
        inside = bisect_right(starts, at) - 1
        span = places[inside] if inside >= 0 else None
        if span is not None and at < span.end and not (span in blocks and at < line_end(text, span.start, span.end)):
            at = text.find("#", span.end, stop)
        elif at == start or text[at - 1] in " \t\r\n\ufeff":
            end = line_end(text, at, stop)
            found.append(Span(at, end))
            at = text.find("#", end, stop)
        else:
            at = text.find("#", at + 1, stop)
    return found


def find_traps(text: str, original: str, start: int, builder: Builder, comments: list[Span]) -> Iterator[Problem]:
    """Yield a `yaml-trap` problem for every value that lost text, or holds signs that do not work as meant."""
    yield from _comments(text, original, builder.scalars, comments)
    # By the text, as a part that could not be read may refer to an anchor too.
    referred = set(_ALIAS.findall(text)) if builder.all_anchors else set()
    for anchor in builder.all_anchors:
        node = anchor.node
        if isinstance(node, Scalar) and node.style == "plain" and anchor.name not in referred:
            message = ANCHOR.format(text=anchor.span.of(original))
            yield Problem("yaml-trap", anchor.span, message, (), _quote(text, original, anchor.span.start, node))
    for scalar, span in builder.tags:
        if scalar.tag not in CORE_TAGS:
            message = TAG.format(text=span.of(original))
            yield Problem("yaml-trap", span, message, (), _quote(text, original, span.start, scalar))
    if not text.isascii() and _TRAP_CHARS.search(text):
        for scalar in builder.scalars:
            if scalar.style == "plain":
                yield from _typographic(text, original, start, scalar)


def _comments(text: str, original: str, scalars: list[Scalar], comments: list[Span]) -> Iterator[Problem]:
    suspects = [comment for comment in comments if _GLUED_SIGN.match(text, comment.start, comment.end)]
    if not suspects:
        return
    by_end = {
        scalar.span.end: scalar for scalar in scalars if scalar.style == "plain" and isinstance(scalar.value, str)
    }
    for comment in suspects:
        begin = comment.start
        while begin > 0 and text[begin - 1] in " \t":
            begin -= 1
        scalar = by_end.get(begin)
        if scalar is None or begin == comment.start:
            continue
        end = value_end(text, comment.start + 1, comment.end)
        fixes: tuple[Fix, ...] = ()
        if line_start(text, scalar.span.start) == line_start(text, begin):
            whole = Span(scalar.span.start, end)
            fixes = (_replace(whole, _in_quotes(whole.of(original))),)
        yield Problem("yaml-trap", Span(comment.start - 1, end), COMMENT.format(text=_short(scalar.raw)), (), fixes)


def _typographic(text: str, original: str, start: int, scalar: Scalar) -> Iterator[Problem]:
    raw = scalar.raw
    span = scalar.span
    if line_end(text, span.start, span.end) != span.end:
        return
    if (
        len(raw) > 1
        and raw[0] in _OPENING
        and raw[-1] in _CLOSING
        and not any(char in _OPENING + _CLOSING for char in raw[1:-1])
    ):
        yield Problem("yaml-trap", span, TYPOGRAPHIC, (), (_replace(span, _in_quotes(raw[1:-1])),))
    match = _FULL_WIDTH_KEY.match(raw)
    if match:
        before = text[max(line_start(text, span.start), start) : span.start].strip(" \t")
        alone = before.endswith("-") or (not before and span.start == start)
        if alone and text[span.end : span.end + 1] != ":":
            colon = Span(span.start + match.end(1), span.start + match.end())
            fix = Fix(USE_COLON, (Edit(colon, ": "),), safe=False)
            yield Problem("yaml-trap", colon, FULL_WIDTH.format(key=match[1]), (), (fix,))


def _quote(text: str, original: str, start: int, scalar: Scalar) -> tuple[Fix, ...]:
    whole = Span(start, max(scalar.span.end, start))
    if scalar.style != "plain" or line_end(text, whole.start, whole.end) != whole.end:
        return ()
    return (_replace(whole, _in_quotes(whole.of(original))),)


def _in_quotes(value: str) -> str:
    new_text = quoted(value)
    return quote_single(value) if new_text == value else new_text


def _replace(span: Span, new_text: str) -> Fix:
    return Fix(QUOTE, (Edit(span, new_text),), safe=False)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


QUOTE = Text("Put the whole value in quotes", "给整个值加上引号")
USE_COLON = Text("Use an ASCII colon and a space", "改用半角冒号加空格")
COMMENT = Text(
    "YAML takes this for a comment, so the value is only `{text}`; put the whole value in quotes",
    "YAML 会把这部分当成注释，值只剩下 `{text}`；请给整个值加上引号",
)
ANCHOR = Text(
    "YAML takes `{text}` for an anchor and drops it from the value; put the whole value in quotes",
    "YAML 会把 `{text}` 当成锚点，并从值中去掉；请给整个值加上引号",
)
TAG = Text(
    "YAML takes `{text}` for a tag and drops it from the value; put the whole value in quotes",
    "YAML 会把 `{text}` 当成标签，并从值中去掉；请给整个值加上引号",
)
TYPOGRAPHIC = Text(
    "curly quotes do not quote anything in YAML and become part of the text; use straight quotes",
    "弯引号在 YAML 中不起引号的作用，会成为文本的一部分；请改用直引号",
)
FULL_WIDTH = Text(
    "the colon behind `{key}` is a full-width one, so this is text and no key; write `{key}: `",
    "`{key}` 后面是全角冒号，所以这里是文本而不是键；请写成半角冒号加空格：`{key}: `",
)
