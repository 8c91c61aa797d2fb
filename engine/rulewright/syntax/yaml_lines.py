"""How a line of YAML looks, without parsing it: indentation, list dash, key, value. For text that does not parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"( *)([^\r\n]*)(\r\n|\r|\n)?")
_LINE_END = re.compile(r"[\r\n]")
_COLON = re.compile(r":(?=[ \t\r\n]|\Z)")
_COMMENT = re.compile(r"[ \t]#")
# A comment as people write one: a blank in front of the sign and one behind. `#12` belongs to the text.
_CLEAR_COMMENT = re.compile(r"(?<=[ \t])#(?=[ \t]|\Z)")
_QUOTED = re.compile(r"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*+"|'(?:[^'\r\n]|'')*+')[ \t]*+(?=:(?:[ \t\r\n]|\Z))""")
_NO_KEY_START = frozenset("#[]{},&*!|>%@`")
_DASHES = re.compile(r"[ \t]*+(?:-[ \t]++)*+(?:-(?=[\r\n]|\Z))?[ \t]*+")
_SOLID = re.compile(r"[^ \t]")


class Line(NamedTuple):
    """One line: where it starts, where its content starts (behind the spaces), its end, and the next line's start."""

    start: int
    content: int
    end: int
    next: int

    @property
    def indent(self) -> int:
        """How many spaces stand in front of the content."""
        return self.content - self.start


class EntryAt(NamedTuple):
    """A `key:` on a line; `value` is where its value starts, the line's end where there is none."""

    key_start: int
    key_end: int
    value: int


def lines_in(text: str, start: int, end: int) -> Iterator[Line]:
    """Yield the lines between two offsets; the first may begin in the middle of a line. Ends: LF, CRLF, CR."""
    at = start
    while at < end:
        match = _LINE.match(text, at, end)
        assert match is not None
        yield Line(at, match.start(2), match.end(2), match.end())
        at = match.end()


def line_start(text: str, offset: int) -> int:
    """Return the offset at which the line of `offset` begins."""
    # In windows that grow: a search for the one line end that a text never uses would run to its start each time.
    window = 256
    while True:
        begin = max(0, offset - window)
        found = max(text.rfind("\n", begin, offset), text.rfind("\r", begin, offset))
        if found >= 0 or begin == 0:
            return found + 1
        window *= 4


def line_end(text: str, offset: int, limit: int) -> int:
    """Return the offset of the line's end at or behind `offset`, at most `limit`."""
    match = _LINE_END.search(text, offset, limit)
    return match.start() if match else limit


def is_blank(text: str, line: Line) -> bool:
    """Tell whether a line holds nothing but blanks or a comment."""
    match = _SOLID.search(text, line.content, line.end)
    return match is None or match[0] == "#"


def is_dash(text: str, at: int, end: int) -> bool:
    """Tell whether a list item's dash stands at `at`; `end` is the line's end."""
    return at < end and text[at] == "-" and (at + 1 == end or text[at + 1] in " \t")


def skip_blanks(text: str, at: int, end: int) -> int:
    """Return the offset of the first character that is no blank, at most `end`."""
    match = _SOLID.search(text, at, end)
    return match.start() if match else end


def skip_dashes(text: str, at: int, end: int) -> int:
    """Return the offset behind blanks and list dashes, at most `end`."""
    match = _DASHES.match(text, at, end)
    return match.end() if match else at


def entry_at(text: str, at: int, end: int) -> EntryAt | None:
    """Return the `key:` that begins at `at`, if there is one before the line's end `end`."""
    if at >= end:
        return None
    if text[at] in "\"'":
        match = _QUOTED.match(text, at, end)
        if match is None:
            return None
        return EntryAt(at, _rstrip(text, at, match.end()), skip_blanks(text, match.end() + 1, end))
    if text[at] in _NO_KEY_START or is_dash(text, at, end):
        return None
    colon = _COLON.search(text, at, end)
    if colon is None or _COMMENT.search(text, at, colon.start()):
        return None
    return EntryAt(at, _rstrip(text, at, colon.start()), skip_blanks(text, colon.end(), end))


def value_end(text: str, at: int, end: int) -> int:
    """Return the end of the text that was meant as a value: without blanks and a clear comment at the line's end."""
    comment = _CLEAR_COMMENT.search(text, at, end)
    return _rstrip(text, at, comment.start() if comment else end)


def _rstrip(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip(" \t"))
