"""Span, the one way in which the engine names a range of text."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of code points in a text: `start` is inside, `end` is not."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the text that the span covers."""
        return text[self.start : self.end]

    def contains(self, offset: int) -> bool:
        """Tell whether an offset (or a cursor just behind the last character) is in the span."""
        return self.start <= offset <= self.end

    def shifted(self, by: int) -> Span:
        """Return the span moved by `by` code points."""
        return Span(self.start + by, self.end + by)
