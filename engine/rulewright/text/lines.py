"""Lines and columns: the only code that counts them. A line ends at LF, CRLF or CR and nowhere else (LSP 3.17)."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

from rulewright.text.span import Span

Unit = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")


class Position(NamedTuple):
    """A place as editors count it: zero-based line, zero-based column in the unit that was asked for."""

    line: int
    column: int


class Lines:
    """The lines of one text: offsets (code points) to lines and columns and back."""

    __slots__ = ("_ascii", "ends", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        self.ends: list[int] = []
        for match in _LINE_END.finditer(text):
            self.ends.append(match.start())
            self.starts.append(match.end())
        self.ends.append(len(text))
        self._ascii = text.isascii()

    def __len__(self) -> int:
        return len(self.starts)

    def line_at(self, offset: int) -> int:
        """Return the zero-based line that holds `offset`; the end of the text belongs to the last line."""
        return bisect_right(self.starts, offset) - 1

    def span(self, line: int) -> Span:
        """Return the span of a line without its line end."""
        return Span(self.starts[line], self.ends[line])

    def full_span(self, line: int) -> Span:
        """Return the span of a line with its line end."""
        return Span(self.starts[line], self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text))

    def line_text(self, line: int) -> str:
        """Return the text of a line without its line end."""
        return self.text[self.starts[line] : self.ends[line]]

    def line_end(self) -> str:
        """Return the line end that the text uses: that of its first line, LF where there is none."""
        if len(self.starts) == 1:
            return "\n"
        return self.text[self.ends[0] : self.starts[1]]

    def position_at(self, offset: int, unit: Unit = "utf-32") -> Position:
        """Return the position of an offset. An offset between CR and LF counts as the end of the line.

        Args:
            offset: code points, 0 to the length of the text; beyond that is cut to it.
            unit: the code unit in which columns are counted.
        """
        offset = max(0, min(offset, len(self.text)))
        line = self.line_at(offset)
        start = self.starts[line]
        end = min(offset, self.ends[line])
        return Position(line, end - start if self._ascii else width(self.text[start:end], unit))

    def offset_at(self, line: int, column: int, unit: Unit = "utf-32") -> int:
        """Return the code-point offset of a position; past the line's end means its end.

        Args:
            line: zero-based; beyond the last line means the end of the text.
            column: zero-based, in `unit` code units; inside a surrogate pair or a character's bytes it rounds down.

        Raises:
            ValueError: `line` or `column` is negative.
        Source: LSP 3.17, Position.
        """
        if line < 0 or column < 0:
            raise ValueError("a position cannot be negative")
        if line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[line], self.ends[line]
        if self._ascii or unit == "utf-32":
            return min(start + column, end)
        at = start
        left = column
        while at < end:
            left -= char_width(self.text[at], unit)
            if left < 0:
                break
            at += 1
        return at


def char_width(char: str, unit: Unit) -> int:
    """Return how many code units one code point takes. A lone surrogate counts as 1 (UTF-16) or 3 (UTF-8)."""
    if unit == "utf-32":
        return 1
    code = ord(char)
    if unit == "utf-16":
        return 2 if code > 0xFFFF else 1
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def width(text: str, unit: Unit) -> int:
    """Return the length of a text in code units."""
    if unit == "utf-32" or text.isascii():
        return len(text)
    if unit == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))
