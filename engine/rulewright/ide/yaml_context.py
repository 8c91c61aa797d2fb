"""Where a cursor stands in a YAML text, worked out from indentation and brackets alone.

Made for text that is being typed: it needs no parse, never fails, and looks at the text as it is now. What it says of a text
that is no YAML at all is a guess. It knows no format; the path it returns is looked up by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from rulewright.text.lines import Lines
from rulewright.text.span import Span

Kind = Literal["key", "value", "item", "text", "comment", "none"]
Path = tuple[str | int, ...]

NO_SPAN = Span(0, 0)

# How far behind the cursor the other keys of a flow mapping are looked for, in characters.
_FLOW_LOOKAHEAD = 4000
_TAB_WIDTH = 2

_PLAIN_FIRST = r"[^\s\[\]{},#&*!|>'\"%@`:?-]"
_KEY = re.compile(
    rf"(?P<props>(?:[&!]\S*[ \t]+)*)"
    rf"(?P<key>\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|<<|(?:{_PLAIN_FIRST}|[-?:](?=\S))(?:[^\s:#]|:(?=\S)|#|[ \t]+(?=[^\s:#]))*?)"
    r"[ \t]*:(?=[ \t]|$)"
)
_GLUED = re.compile(r"(?P<key>[A-Za-z_][\w-]*):(?P<value>[^\s:]*)[ \t]*$")
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+|$))*")
_INDENT = re.compile(r"\ufeff?([ \t]*)")
_DASHES = re.compile(r"(?:-(?:[ \t]+|$))*")
_COMMENT = re.compile(r"(?:^|[ \t])#")


@dataclass(frozen=True, slots=True)
class Place:
    """What stands at the cursor.

    kind: `key` where a key of a mapping is (or may be) written; `value` in the value of a key or an item of a list; `item` where
        a list could get its next item but there is no dash; `text` inside a block scalar or a scalar of several lines; `comment`.
    path: to the mapping for `key`, to the value for `value` and `text`, to the list for `item`. Positions in lists of block
        style count from 0; those of flow style too.
    word: what an accepted completion replaces, on one line. prefix: the part of it before the cursor.
    quote: the quote around the word, if any; closed: it is closed on this line.
    colon: a colon follows the word. space: a space has to be written in front of the word.
    present: the other keys of the mapping with their plain values, empty for anything longer.
    first: the key would be the first of a new item.
    indent: the column of the key, or of the place.
    """

    kind: Kind
    path: Path = ()
    word: Span = NO_SPAN
    prefix: str = ""
    quote: str = ""
    closed: bool = True
    colon: bool = False
    space: bool = False
    present: Mapping[str, str] = field(default_factory=dict)
    flow: bool = False
    first: bool = False
    indent: int = 0


NOWHERE = Place("none")


@dataclass(slots=True)
class _Row:
    """One line in parts. Columns count from 0, a tab as `_TAB_WIDTH`; offsets are those of the text."""

    blank: bool
    column: int
    dashes: list[int]
    content: int
    content_column: int
    end: int
    key: str | None = None
    key_span: Span = NO_SPAN
    rest: int = 0

    @property
    def key_column(self) -> int:
        return self.content_column


def place_at(text: str, lines: Lines, cursor: int) -> Place:
    """Return what stands at `cursor` (an offset in code points)."""
    number = lines.line_at(cursor)
    cursor = min(cursor, lines.ends[number])
    return _Finder(text, lines).at(number, cursor)


class _Finder:
    def __init__(self, text: str, lines: Lines) -> None:
        self.text = text
        self.lines = lines

    # --- one line

    def row(self, number: int) -> _Row:
        text, start, end = self.text, self.lines.starts[number], self.lines.ends[number]
        at = start
        if number == 0 and text.startswith("\ufeff"):
            at += 1
        column = 0
        while at < end and text[at] in " \t":
            column += _TAB_WIDTH if text[at] == "\t" else 1
            at += 1
        row = _Row(at == end or text[at] == "#", column, [], at, column, end)
        if row.blank:
            return row
        run = _DASHES.match(text, at, end)
        if run and run.end() > at:
            for offset in range(at, run.end()):
                if text[offset] == "-":
                    row.dashes.append(column)
                column += _TAB_WIDTH if text[offset] == "\t" else 1
            row.content, row.content_column = run.end(), column
        match = _KEY.match(text, row.content, end)
        if match:
            row.key_span = Span(match.start("key"), match.end("key"))
            row.key = _unquote(match["key"])
            row.content_column += match.start("key") - row.content
            row.rest = match.end()
        return row

    def deeper_than(self, column: int, number: int) -> bool:
        """Tell whether a line begins behind a column: most lines of a large text, so it has to be quick."""
        return self.text.startswith(" " * (column + 1), self.lines.starts[number]) or self.column(number) > column

    def column(self, number: int) -> int:
        """Return the column of the first sign of a line: what most lines are skipped by, without reading them."""
        match = _INDENT.match(self.text, self.lines.starts[number], self.lines.ends[number])
        if match is None:
            return 0
        indent = match[1]
        return len(indent) + indent.count("\t") * (_TAB_WIDTH - 1) if "\t" in indent else len(indent)

    def is_boundary(self, number: int) -> bool:
        start = self.lines.starts[number]
        return (
            self.text.startswith(("---", "..."), start)
            and self.lines.ends[number] - start >= 3
            and (self.lines.ends[number] - start == 3 or self.text[start + 3] in " \t")
        )

    # --- the cursor

    def at(self, number: int, cursor: int) -> Place:
        text = self.text
        row = self.row(number)
        if row.blank:
            if row.content < row.end:
                return Place("comment", word=Span(cursor, cursor)) if cursor > row.content else NOWHERE
            # Only white space: the cursor says at which column something is to be written.
            typed = text[self.lines.starts[number] : cursor].lstrip("\ufeff")
            column = len(typed) + typed.count("\t") * (_TAB_WIDTH - 1)
            row = replace_row(row, column, cursor)
        outer = self.enclosing(number, row, cursor)
        if outer is not None:
            return outer
        if row.blank:
            return self.key_place(number, row, Span(cursor, cursor), cursor)
        comment = self.comment_start(row.content, row.end)
        if comment is not None and cursor > comment:
            return Place("comment", word=Span(cursor, cursor))
        if cursor < row.content:
            return NOWHERE
        if row.key is not None:
            if cursor <= row.key_span.end:
                return (
                    NOWHERE
                    if cursor < row.key_span.start
                    else self.key_place(number, row, row.key_span, cursor, colon=True)
                )
            if cursor < row.rest:
                return NOWHERE
            path, present = self.climb(number, row.key_column, row)
            return self.value_place(row.rest, row.end, cursor, (*path, row.key), present)
        if row.content == row.end:
            # Behind a dash.
            space = text[row.end - 1] == "-"
            return self.key_place(number, row, Span(cursor, cursor), cursor, space=space)
        glued = _GLUED.match(text, row.content, row.end)
        if glued and cursor > glued.end("key"):
            path, present = self.climb(number, row.content_column, row)
            word = Span(*glued.span("value"))
            if cursor > word.end:
                return NOWHERE
            return Place(
                "value",
                (*path, glued["key"]),
                word,
                text[word.start : cursor],
                space=True,
                present=present,
                indent=row.content_column,
            )
        properties = _PROPERTIES.match(text, row.content, row.end)
        start = properties.end() if properties else row.content
        if cursor < start:
            return NOWHERE
        if start < row.end and text[start] in "[{" and not text.startswith("{{", start):
            path, _ = self.climb(number, row.content_column, row)
            return scan_flow(text, start, cursor, path) or NOWHERE
        end = self.plain_end(start, row.end)
        if cursor > end:
            return NOWHERE
        return self.key_place(number, row, Span(start, end), cursor)

    def key_place(
        self, number: int, row: _Row, span: Span, cursor: int, *, colon: bool = False, space: bool = False
    ) -> Place:
        """A place where a key may stand: of a mapping, or an item of a list where the path says so."""
        column = row.content_column
        span, quote, closed = self.inside_quotes(span)
        if not span.contains(cursor):
            return NOWHERE
        path, present = self.climb(number, column, row)
        prefix = self.text[span.start : cursor]
        place = Place(
            "key",
            path,
            span,
            prefix,
            quote,
            closed,
            colon,
            space,
            present,
            first=bool(row.dashes) and not present,
            indent=column,
        )
        if row.blank and not row.dashes and self.is_list(number, column, path):
            return replace(place, kind="item")
        return place

    def is_list(self, number: int, column: int, path: Path) -> bool:
        """Tell whether the lines around a blank one at `column` are items of the list at `path`, or could become one."""
        for step in (-1, 1):
            near = number + step
            while 0 <= near < len(self.lines):
                row = self.row(near)
                if not row.blank:
                    if row.column == column and row.dashes:
                        return True
                    if row.column <= column:
                        break
                near += step
        return False

    def inside_quotes(self, span: Span) -> tuple[Span, str, bool]:
        text = self.text
        if span.start < span.end and text[span.start] in "\"'":
            quote = text[span.start]
            closed = span.end - span.start > 1 and text[span.end - 1] == quote
            return Span(span.start + 1, span.end - 1 if closed else span.end), quote, closed
        return span, "", True

    def plain_end(self, start: int, end: int) -> int:
        comment = self.comment_start(start, end)
        stop = end if comment is None else comment
        return start + len(self.text[start:stop].rstrip(" \t"))

    def comment_start(self, start: int, end: int) -> int | None:
        """Return where a comment begins in a line from `start` on, quotes respected."""
        text = self.text
        at = start
        quote = ""
        while at < end:
            char = text[at]
            if quote:
                if char == "\\" and quote == '"':
                    at += 1
                elif char == quote:
                    quote = ""
            elif char in "\"'" and (at == start or text[at - 1] in " \t[{,:"):
                quote = char
            elif char == "#" and (at == start or text[at - 1] in " \t"):
                return at
            at += 1
        return None

    def value_place(self, rest: int, end: int, cursor: int, path: Path, present: Mapping[str, str]) -> Place:
        """The cursor is behind the colon of a block key, on the same line."""
        text = self.text
        start = rest
        while start < end and text[start] in " \t":
            start += 1
        properties = _PROPERTIES.match(text, start, end)
        if properties and properties.end() > start:
            if cursor < properties.end() or text[properties.end() - 1] not in " \t":
                return NOWHERE
            rest = start = properties.end()
        place = Place(
            "value", path, Span(cursor, cursor), present=present, space=cursor == rest and text[rest - 1] == ":"
        )
        if start >= end or text[start] == "#":
            return place
        char = text[start]
        if char in "\"'":
            stop = _quote_end(text, start, end)
            closed = stop is not None
            inner = Span(start + 1, end if stop is None else stop - 1)
            if cursor < inner.start or cursor > inner.end:
                return NOWHERE
            return replace(place, word=inner, prefix=text[inner.start : cursor], quote=char, closed=closed, space=False)
        if char in "[{" and not text.startswith("{{", start):
            return (scan_flow(text, start, cursor, path) or NOWHERE) if cursor > start else NOWHERE
        if char in "|>":
            return NOWHERE
        word = Span(start, self.plain_end(start, end))
        if cursor > word.end:
            return NOWHERE
        if cursor < start:
            return replace(place, word=Span(cursor, word.end))
        return replace(place, word=word, prefix=text[start:cursor])

    # --- what is around the line

    def enclosing(self, number: int, row: _Row, cursor: int) -> Place | None:
        """Find out whether the line continues something begun above: a block scalar, a quoted scalar, a flow collection."""
        limit = row.column
        above = number - 1
        while above >= 0:
            if self.deeper_than(limit, above):
                above -= 1
                continue
            if self.is_boundary(above):
                return None
            upper = self.row(above)
            if not upper.blank:
                start = upper.rest if upper.key is not None else upper.content
                parent_column = (
                    upper.key_column if upper.key is not None else (upper.dashes[-1] if upper.dashes else upper.column)
                )
                opened = self.opens(start, upper.end)
                deeper = row.column > parent_column
                if opened in ("|", ">") and deeper:
                    path, _ = self.climb(above, upper.content_column, upper)
                    return Place("text", (*path, upper.key) if upper.key is not None else path, Span(cursor, cursor))
                if opened in ("[", "{"):
                    begin = start
                    while self.text[begin] not in "[{":
                        begin += 1
                    path, _ = self.climb(above, upper.content_column, upper)
                    found = scan_flow(self.text, begin, cursor, (*path, upper.key) if upper.key is not None else path)
                    if found is not None:
                        return found
                if opened in ('"', "'") and deeper and self.quote_reaches(start, upper.end, cursor):
                    path, _ = self.climb(above, upper.content_column, upper)
                    return Place("text", (*path, upper.key) if upper.key is not None else path, Span(cursor, cursor))
                if upper.column < limit:
                    limit = upper.column
                if upper.column == 0 and not upper.dashes:
                    return None
            above -= 1
        return None

    def opens(self, start: int, end: int) -> str:
        """Return the sign of what a value begins and does not end on its line, empty if nothing."""
        text = self.text
        while start < end and text[start] in " \t":
            start += 1
        properties = _PROPERTIES.match(text, start, end)
        if properties:
            start = properties.end()
        if start >= end:
            return ""
        char = text[start]
        if char in "|>":
            return char
        if char in "[{" and not text.startswith("{{", start):
            depth = 0
            for kind, _, _ in flow_tokens(text, start, end):
                depth += (kind in "[{") - (kind in "]}")
            return char if depth > 0 else ""
        if char in "\"'":
            return char if _quote_end(text, start, end) is None else ""
        return ""

    def quote_reaches(self, start: int, end: int, cursor: int) -> bool:
        while self.text[start] not in "\"'":
            start += 1
        stop = _quote_end(self.text, start, len(self.text))
        return stop is None or stop > cursor

    def climb(self, number: int, column: int, row: _Row) -> tuple[Path, dict[str, str]]:
        """Return the path of the mapping whose key stands in `row` at `column`, and its other keys."""
        present: dict[str, str] = {}
        path: list[str | int] = []
        self.look_down(number, column, present)
        collecting = True
        in_list = False
        index = 0
        if row.dashes:
            path.extend(0 for _ in row.dashes[1:])
            column, in_list, collecting = row.dashes[0], True, False
        above = number - 1
        while above >= 0:
            if self.deeper_than(column, above):
                above -= 1
                continue
            if self.is_boundary(above):
                break
            upper = self.row(above)
            above -= 1
            if upper.blank:
                continue
            if in_list:
                if upper.column == column and upper.dashes:
                    index += 1
                    continue
                if upper.key is None or upper.key_column > column:
                    if upper.dashes and upper.dashes[-1] < column:
                        # `-` and below it the items of an inner list.
                        path.append(index)
                        index, column = 0, upper.dashes[0]
                    continue
                path.append(index)
                path.append(upper.key)
                index, in_list, column = 0, False, upper.key_column
                collecting = False
                if upper.dashes:
                    in_list, column = True, upper.dashes[0]
                elif column == 0:
                    break
                continue
            if upper.column == column:
                if upper.key is not None and not upper.dashes and collecting:
                    present.setdefault(upper.key, self.short_value(upper))
                continue
            if upper.dashes:
                if upper.key is not None and upper.key_column < column:
                    path.append(upper.key)
                    collecting = False
                elif upper.key is not None and collecting:
                    present.setdefault(upper.key, self.short_value(upper))
                collecting = False
                in_list, column = True, upper.dashes[0]
                path.extend(0 for _ in upper.dashes[1:])
            elif upper.key is not None:
                path.append(upper.key)
                collecting, column = False, upper.column
                if column == 0:
                    break
        if in_list:
            path.append(index)
        return tuple(reversed(path)), present

    def look_down(self, number: int, column: int, present: dict[str, str]) -> None:
        for below in range(number + 1, len(self.lines)):
            if self.deeper_than(column, below):
                continue
            if self.is_boundary(below):
                return
            row = self.row(below)
            if row.blank:
                continue
            if row.column < column:
                return
            if row.key is not None and not row.dashes:
                present.setdefault(row.key, self.short_value(row))

    def short_value(self, row: _Row) -> str:
        value = self.text[row.rest : row.end].strip(" \t")
        comment = _COMMENT.search(value)
        if comment and value[:1] not in "\"'":
            value = value[: comment.start()].rstrip(" \t")
        return _unquote(value)


def replace_row(row: _Row, column: int, offset: int) -> _Row:
    """Return a blank row as if it began at the cursor."""
    return _Row(True, column, [], offset, column, row.end)


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def _quote_end(text: str, start: int, end: int) -> int | None:
    """Return the offset behind the closing quote of a scalar that begins at `start`, None if it is not before `end`."""
    quote = text[start]
    at = start + 1
    while at < end:
        char = text[at]
        if char == "\\" and quote == '"':
            at += 2
            continue
        if char == quote:
            if quote == "'" and text.startswith("'", at + 1) and at + 1 < end:
                at += 2
                continue
            return at + 1
        at += 1
    return None


def flow_tokens(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield the tokens of a flow collection as (kind, start, end): `{ } [ ] , :`, `#`, `s` for a scalar, `q` for a quoted one.

    A quoted scalar that is not closed before `end` reaches to it.
    """
    at = start
    quoted = False
    while at < end:
        char = text[at]
        if char in " \t\r\n":
            at += 1
            continue
        begin = at
        if char == "#" and (at == start or text[at - 1] in " \t\r\n"):
            while at < end and text[at] not in "\r\n":
                at += 1
            yield "#", begin, at
            continue
        if char in "{}[],":
            at += 1
            yield char, begin, at
        elif char == ":" and (quoted or at + 1 >= end or text[at + 1] in " \t\r\n,[]{}"):
            at += 1
            yield ":", begin, at
        elif char in "\"'":
            at = _quote_end(text, at, end) or end
            yield "q", begin, at
            quoted = True
            continue
        else:
            last = at
            while at < end and text[at] not in "{}[],\r\n":
                if text[at] == ":" and (at + 1 >= end or text[at + 1] in " \t\r\n,[]{}"):
                    break
                if text[at] == "#" and text[at - 1] in " \t":
                    break
                if text[at] not in " \t":
                    last = at
                at += 1
            yield "s", begin, last + 1
        quoted = False


@dataclass(slots=True)
class _Frame:
    kind: str
    path: Path
    key: str | None = None
    index: int = 0
    present: dict[str, str] = field(default_factory=dict)
    last: str = ""
    key_was: str | None = None


def scan_flow(text: str, start: int, cursor: int, path: Path) -> Place | None:
    """Return the place of the cursor in the flow collection that begins at `start`; None if the collection ends before it.

    Args:
        path: of the collection itself.
    """
    frames: list[_Frame] = []
    token: tuple[str, int, int] | None = None
    colon_at = -1
    line_end = _line_end(text, cursor)
    for kind, begin, end in flow_tokens(text, start, line_end):
        if begin >= cursor:
            break
        if (
            kind in "sq"
            and end >= cursor
            and not (kind == "q" and end == cursor and _quote_end(text, begin, line_end) == end)
        ):
            token = (kind, begin, end)
            break
        if kind == "#":
            if end >= cursor:
                return Place("comment", word=Span(cursor, cursor))
        elif kind in "{[":
            frames.append(_Frame(kind, _inner_path(frames, path)))
        elif kind in "}]":
            if frames:
                frames.pop()
            if not frames:
                return None
        elif not frames:
            return None
        elif kind == ",":
            frame = frames[-1]
            frame.key, frame.key_was, frame.last = None, None, ""
            frame.index += 1
        elif kind == ":":
            frame = frames[-1]
            if frame.kind == "{" and frame.key is None:
                frame.key = frame.last
                frame.present[frame.key] = ""
            colon_at = end
        else:
            frame = frames[-1]
            frame.last = _unquote(text[begin:end])
            if frame.kind == "{" and frame.key is not None:
                frame.present[frame.key] = frame.last
    if not frames:
        return None
    frame = frames[-1]
    word, prefix, quote, closed = Span(cursor, cursor), "", "", True
    if token is not None:
        kind, begin, end = token
        word = Span(begin, end)
        if kind == "q":
            quote = text[begin]
            closed = _quote_end(text, begin, line_end) is not None
            word = Span(begin + 1, end - 1 if closed else _flow_word_end(text, begin + 1, end))
            if cursor < word.start or cursor > word.end:
                return NOWHERE
        elif not text.startswith(("\n", "\r"), begin) and "\n" in text[begin:end]:
            return NOWHERE
        prefix = text[word.start : cursor]
    elif (cursor < line_end and text[cursor] not in " \t\r\n,]}#") or (
        frame.last and (frame.kind == "[" or frame.key is None) and not _separated(text, cursor)
    ):
        return NOWHERE
    is_key = frame.kind == "{" and frame.key is None
    present = dict(frame.present)
    _look_ahead(text, word.end + (1 if quote and closed else 0), present)
    if is_key:
        glued = re.fullmatch(r"([A-Za-z_][\w-]*):(\S*)", text[word.start : word.end]) if not quote else None
        if glued and cursor > word.start + len(glued[1]):
            inner = Span(word.start + len(glued[1]) + 1, word.end)
            return Place(
                "value",
                (*frame.path, glued[1]),
                inner,
                text[inner.start : cursor],
                space=True,
                present=present,
                flow=True,
            )
        after = text[word.end + (1 if quote and closed else 0) : line_end].lstrip(" \t")
        return Place("key", frame.path, word, prefix, quote, closed, after.startswith(":"), present=present, flow=True)
    inside = (*frame.path, frame.key) if frame.kind == "{" and frame.key is not None else (*frame.path, frame.index)
    return Place(
        "value",
        inside,
        word,
        prefix,
        quote,
        closed,
        space=token is None and colon_at == cursor,
        present=present,
        flow=True,
    )


def _separated(text: str, cursor: int) -> bool:
    """Tell whether a comma or an opening bracket is the last sign before the cursor."""
    before = text[:cursor].rstrip()[-1:] if cursor < 200 else text[cursor - 200 : cursor].rstrip()[-1:]
    return before in (",", "{", "[", "")


def _flow_word_end(text: str, start: int, end: int) -> int:
    """Cut an unclosed quoted word at the brackets or the comma that were meant to follow it."""
    at = start
    while at < end and text[at] not in ",]}":
        at += 1
    return start + len(text[start:at].rstrip(" \t"))


def _inner_path(frames: list[_Frame], path: Path) -> Path:
    if not frames:
        return path
    frame = frames[-1]
    if frame.kind == "{":
        return (*frame.path, frame.key if frame.key is not None else "")
    return (*frame.path, frame.index)


def _line_end(text: str, offset: int) -> int:
    while offset < len(text) and text[offset] not in "\r\n":
        offset += 1
    return offset


def _look_ahead(text: str, start: int, present: dict[str, str]) -> None:
    """Add the keys that follow in the same flow mapping. Without its closing bracket only those of the line count."""
    end = min(len(text), start + _FLOW_LOOKAHEAD)
    line_end = _line_end(text, start)
    depth = 0
    last = ""
    key: str | None = ""
    found: dict[str, str] = {}
    near: dict[str, str] = {}
    closed = False
    for kind, begin, stop in flow_tokens(text, start, end):
        if kind in "{[":
            depth += 1
        elif kind in "}]":
            depth -= 1
            if depth < 0:
                closed = True
                break
        elif depth:
            continue
        elif kind == ",":
            key = None
        elif kind == ":" and key is None:
            key = last
            found[key] = ""
            if begin < line_end:
                near[key] = ""
        elif kind in "sq":
            last = _unquote(text[begin:stop])
            if key:
                found[key] = last
                if begin < line_end:
                    near[key] = last
    for name, value in (found if closed else near).items():
        present.setdefault(name, value)
