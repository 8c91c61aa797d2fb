"""From a place in a scalar's value to the place in the text where it is written."""

from __future__ import annotations

from rulewright.syntax.tree import Scalar
from rulewright.text.span import Span

_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


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
        at = 1
        while at < len(source) - 1:
            found.append(scalar.span.start + at)
            at += _ESCAPE_LENGTH.get(source[at + 1], 2) if source[at] == "\\" else 1
        found.append(scalar.span.start + at)
    return found if len(found) == len(scalar.raw) + 1 else None
