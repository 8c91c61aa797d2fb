"""From a place in a scalar's value to the place in the text where it is written."""

from __future__ import annotations

import functools
import re

from rulewright.syntax.tree import Scalar, Style
from rulewright.text.span import Span

_ESCAPE = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)")
# JSON writes a character outside the BMP as two escapes (RFC 8259 section 7), where YAML reads two characters.
_JSON_ESCAPE = re.compile(r"\\(?:u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|u.{4}|.)")


def source_span(text: str, scalar: Scalar, start: int, end: int) -> Span:
    """Return the span in `text` of the value's code points `start` to `end`.

    Exact for values on one line, plain or quoted; for block scalars and folded lines the value's first line.
    """
    offsets = _offsets(scalar.span.of(text), scalar.style, len(scalar.raw))
    if offsets is None or not 0 <= start <= end < len(offsets):
        return first_line(text, scalar.span)
    return Span(offsets[start], max(offsets[end], offsets[start])).shifted(scalar.span.start)


def first_line(text: str, span: Span) -> Span:
    """Cut a span to its first line."""
    for at in range(span.start, span.end):
        if text[at] in "\r\n":
            return Span(span.start, at)
    return span


@functools.lru_cache(maxsize=8)  # a long text is asked for again with each thing that is found in it
def _offsets(source: str, style: Style, length: int) -> tuple[int, ...] | None:
    """Return the offset in `source` of each code point of the value and of its end; None if they do not correspond.

    Args:
        source: the scalar as it stands in the text, with its quotes.
        length: of the value.
    """
    if "\n" in source or "\r" in source:
        return None
    found: list[int] = []
    if style == "plain":
        found = list(range(len(source) + 1))
    elif style == "single":
        at = 1
        while at < len(source) - 1:
            found.append(at)
            at += 2 if source.startswith("''", at) else 1
        found.append(at)
    elif style == "double":
        found = _double_offsets(source, _ESCAPE)
        if len(found) != length + 1:
            found = _double_offsets(source, _JSON_ESCAPE)
    return tuple(found) if len(found) == length + 1 else None


def _double_offsets(source: str, escape: re.Pattern[str]) -> list[int]:
    found: list[int] = []
    at = 1
    while at < len(source) - 1:
        found.append(at)
        match = escape.match(source, at)
        at = match.end() if match else at + 1
    found.append(at)
    return found
