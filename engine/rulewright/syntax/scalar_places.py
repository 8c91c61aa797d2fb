"""From a place in a scalar's value to the place in the text where it is written."""

from __future__ import annotations

import re

from rulewright.syntax.tree import Scalar
from rulewright.text.span import Span

_ESCAPE = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)")
# JSON writes a character outside the BMP as two escapes (RFC 8259 section 7), where YAML reads two characters.
_JSON_ESCAPE = re.compile(r"\\(?:u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|u.{4}|.)")


def source_span(text: str, scalar: Scalar, start: int, end: int) -> Span:
    """Return the span in `text` of the value's code points `start` to `end`.

    Exact for values on one line, plain or quoted; for block scalars and folded lines the value's first line.
    """
    offsets = _offsets(text, scalar)
    if offsets is None or not 0 <= start <= end < len(offsets):
        return first_line(text, scalar.span)
    return Span(offsets[start], max(offsets[end], offsets[start]))


def first_line(text: str, span: Span) -> Span:
    """Cut a span to its first line."""
    for at in range(span.start, span.end):
        if text[at] in "\r\n":
            return Span(span.start, at)
    return span


def _offsets(text: str, scalar: Scalar) -> list[int] | None:
    """Return the text offset of each code point of the value and of its end; None if they do not correspond."""
    source = scalar.span.of(text)
    if "\n" in source or "\r" in source:
        return None
    found: list[int] = []
    if scalar.style == "plain":
        found = list(range(scalar.span.start, scalar.span.end + 1))
    elif scalar.style == "single":
        at = 1
        while at < len(source) - 1:
            found.append(scalar.span.start + at)
            at += 2 if source.startswith("''", at) else 1
        found.append(scalar.span.start + at)
    elif scalar.style == "double":
        found = _double_offsets(source, scalar.span.start, _ESCAPE)
        if len(found) != len(scalar.raw) + 1:
            found = _double_offsets(source, scalar.span.start, _JSON_ESCAPE)
    return found if len(found) == len(scalar.raw) + 1 else None


def _double_offsets(source: str, start: int, escape: re.Pattern[str]) -> list[int]:
    found: list[int] = []
    at = 1
    while at < len(source) - 1:
        found.append(start + at)
        match = escape.match(source, at)
        at = match.end() if match else at + 1
    found.append(start + at)
    return found
