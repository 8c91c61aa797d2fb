"""Reads what is left of a YAML text that does not parse: cuts it at indentation, level by level, and reads the pieces.

It knows no format: any block mapping or list is cut at its own column, so a mistake costs the innermost entry that holds
it. Work is bounded by the text's length times MAX_LEVELS.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rulewright.syntax.tree import Entry, Mapping, Node, Problem, Related, Scalar, Sequence, resolve
from rulewright.syntax.yaml_builder import DUPLICATE_KEY, FIRST_KEY, Builder
from rulewright.syntax.yaml_lines import (
    Line,
    entry_at,
    is_blank,
    is_dash,
    line_end,
    line_start,
    lines_in,
    skip_blanks,
    skip_dashes,
)
from rulewright.syntax.yaml_mistakes import Explainer, Failure, Mistake
from rulewright.text.span import Span

# Levels of blocks that are cut one inside the other. Rule files have about six.
MAX_LEVELS = 16
# More mistakes than this are not worth listing: the text is no YAML then, or one mistake shows in many places.
MAX_MISTAKES = 20
# After so many the rest is given up: a long text that is no YAML at all must not stall the editor.
GIVE_UP = 200

# Start, end, what to put behind the piece to close its brackets, the column at which to take it to begin (None: its own).
ReadPiece = Callable[[int, int, str, int | None], Node | None]

_PROPERTIES = re.compile(r"(?:(?:&[0-9A-Za-z_-]+|![^ \t\r\n]*)(?:[ \t]+|(?=[\r\n])|\Z))+")
_BLOCK_HEADER = re.compile(r"[|>][0-9+-]{0,2}[ \t]*(?:#|\Z)")


@dataclass(frozen=True, slots=True)
class _Piece:
    """One entry or item: from its first content to where the next begins. `odd`: its column is not that of its level."""

    start: int
    end: int
    odd: bool = False


class Recovery:
    """Reads one text in pieces.

    read: parses the text between two offsets as if only blanks stood before it on its line. Raises Failure.
    """

    __slots__ = ("_builder", "_explainer", "_levels", "_mistakes", "_original", "_read", "_shifted", "_text")

    def __init__(self, builder: Builder, original: str, read: ReadPiece) -> None:
        self._builder = builder
        self._text = builder.text
        self._original = original
        self._read = read
        self._explainer = Explainer(builder.text, original)
        self._levels = 0
        self._mistakes = 0
        self._shifted: set[int] = set()

    def recover(self, start: int, end: int, failure: Failure) -> Node | None:
        """Return what can be read between two offsets, and add a problem for each mistake.

        failure: why the whole could not be read; it is explained itself if no piece shows a mistake of its own.
        """
        first = self._first_content(start, end)
        node = None
        if first is not None:
            node, _ = self._block(first, end, min(self._columns(first, end)), in_item=False)
        if self._mistakes == 0:
            self._report(self._explainer.explain(failure, start, end))
            if isinstance(node, (Mapping, Sequence)):
                node.broken = True
        return node

    def _columns(self, first: int, end: int) -> list[int]:
        columns = [self._column(first)]
        for line in lines_in(self._text, line_end(self._text, first, end), end):
            if not is_blank(self._text, line) and self._text[line.content] not in "]}\t":
                columns.append(line.indent)
        return columns if is_key_or_dash(self._text, first, end) else columns[:1]

    def _node(self, start: int, end: int, *, in_item: bool) -> tuple[Node | None, bool]:
        """Read one value. Returns it, and whether something inside was lost."""
        first = self._first_content(start, end)
        if first is None:
            return None, False
        mark = self._builder.mark()
        try:
            return self._read(first, end, "", None), False
        except Failure as failure:
            self._builder.rewind(mark)
            if self._levels >= MAX_LEVELS:
                self._report(self._explainer.explain(failure, first, end))
                return None, True
        return self._block(first, end, self._column(first), in_item=in_item)

    def _block(self, first: int, end: int, column: int, *, in_item: bool) -> tuple[Node | None, bool]:
        self._levels += 1
        try:
            text = self._text
            stop = line_end(text, first, end)
            if is_dash(text, first, stop):
                return self._sequence(first, end, column, in_item=in_item)
            if text[first] not in "[{" and self._is_mapping(first, end, column):
                return self._mapping(first, end, column, in_item=in_item)
            return self._rest(first, end)
        finally:
            self._levels -= 1

    def _rest(self, first: int, end: int) -> tuple[Node | None, bool]:
        """A value that cannot be cut at lines: in brackets, in quotes, or plain."""
        mark = self._builder.mark()
        try:
            return self._read(first, end, "", None), False
        except Failure as failure:
            self._builder.rewind(mark)
            mistake = self._explainer.explain(failure, first, end)
            self._report(mistake)
        if self._text[first] not in "[{":
            return None, True
        return self._flow_before(first, end, mistake.problem.span.start), True

    def _flow_before(self, first: int, end: int, mistake: int) -> Node | None:
        """Read a value in brackets up to the last comma before the mistake."""
        comma = self._text.rfind(",", first, max(mistake, first))
        if comma < 0:
            return None
        open_brackets = []
        for match in _BRACKET.finditer(self._text, first, comma):
            if match[0] in "[{":
                open_brackets.append("]" if match[0] == "[" else "}")
            elif match[0] in "]}" and open_brackets:
                open_brackets.pop()
        mark = self._builder.mark()
        try:
            node = self._read(first, comma, "".join(reversed(open_brackets)), None)
        except Failure:
            self._builder.rewind(mark)
            return None
        stop = self._trimmed(first, end)
        pending = [node]
        while pending:
            part = pending.pop()
            if isinstance(part, (Mapping, Sequence)) and part.span.end >= comma:
                part.span = Span(part.span.start, min(part.span.end, stop) if part is not node else stop)
                part.broken = True
                pending += part.items[-1:] if isinstance(part, Sequence) else [e.value for e in part.entries[-1:]]
        return node if isinstance(node, (Mapping, Sequence)) else None

    def _mapping(self, first: int, end: int, column: int, *, in_item: bool) -> tuple[Node | None, bool]:
        mapping = Mapping(Span(first, first))
        seen: dict[str, Span] = {}
        lost = inner = False
        for piece in self._cut(first, end, column, dashes=False):
            entries, piece_lost, below = self._entries(piece, column, in_item=in_item)
            lost |= piece_lost
            inner |= below
            for entry in entries:
                before = seen.setdefault(entry.key, entry.key_span)
                # Behind a mistake a second key may only seem to be one: the line that parts them may be what is broken.
                if before is not entry.key_span and not lost:
                    related = (Related(before, FIRST_KEY),)
                    message = DUPLICATE_KEY.format(key=entry.key[:40])
                    self._builder.problems.append(Problem("duplicate-key", entry.key_span, message, related))
                mapping.entries.append(entry)
        mapping.broken = lost or (inner and in_item)
        mapping.span = Span(first, max([first, *(entry.span.end for entry in mapping.entries)]))
        if not mapping.entries:
            mapping.span = Span(first, self._trimmed(first, end))
        return mapping, lost or inner

    def _entries(self, piece: _Piece, column: int, *, in_item: bool) -> tuple[list[Entry], bool, bool]:
        """Read one piece of a mapping. Returns its entries, whether one was lost, and whether a value lost something."""
        if self._mistakes > GIVE_UP:
            return [], True, False
        text = self._text
        odd = False
        if piece.odd:
            found = self._column(piece.start)
            self._report(self._explainer.indent(piece.start, piece.end, found, column))
            odd = True
        mark = self._builder.mark()
        try:
            node = self._read(piece.start, piece.end, "", column)
        except Failure as failure:
            self._builder.rewind(mark)
            return self._broken_entry(piece, failure, column, odd=odd, in_item=in_item)
        if isinstance(node, Mapping) and not node.flow:
            return node.entries, odd or node.broken, False
        if node is not None and not odd:
            if isinstance(node, Sequence):
                self._report(self._explainer.explain(_stray(piece.start), line_start(text, piece.start) - 1, piece.end))
            else:
                self._report(self._explainer.no_colon(piece.start, piece.end))
        return [], True, False

    def _broken_entry(
        self, piece: _Piece, failure: Failure, column: int, *, odd: bool, in_item: bool
    ) -> tuple[list[Entry], bool, bool]:
        text = self._text
        stop = line_end(text, piece.start, piece.end)
        entry = entry_at(text, piece.start, stop)
        if entry is not None:
            value = entry.value
            properties = _PROPERTIES.match(text, value, stop)
            if properties is not None:
                value = properties.end()
            below = self._first_content(stop, piece.end)
            if below is not None and (value >= stop or text[value] == "#") and self._nests(piece, below):
                return self._nested_entry(piece, stop, below, in_item=in_item)
        mistake = self._explainer.explain(failure, piece.start, piece.end)
        if not odd:
            self._report(mistake)
        if mistake.kind == "other":
            return [], True, False
        # The line that is out of place is a fault of its own; what stands before and behind it may be good.
        cut = line_start(text, mistake.problem.span.start)
        if mistake.kind == "tab":
            rest = mistake.problem.span.end
        else:
            rest = skip_blanks(text, cut, piece.end)
        entries: list[Entry] = []
        if cut > piece.start:
            before, _, _ = self._quiet(piece.start, cut)
            entries += before
        if self._levels < MAX_LEVELS and rest > piece.start:
            after, _ = self._node(rest, piece.end, in_item=in_item)
            if isinstance(after, Mapping) and not after.flow:
                entries += after.entries
        return entries, True, False

    def _quiet(self, start: int, end: int) -> tuple[list[Entry], bool, bool]:
        mark = self._builder.mark()
        try:
            node = self._read(start, end, "", None)
        except Failure:
            self._builder.rewind(mark)
            return [], True, False
        return (node.entries if isinstance(node, Mapping) else []), True, False

    def _nests(self, piece: _Piece, below: int) -> bool:
        column = self._column(piece.start)
        found = self._column(below)
        stop = line_end(self._text, below, piece.end)
        return found > column or (found == column and is_dash(self._text, below, stop))

    def _nested_entry(self, piece: _Piece, stop: int, below: int, *, in_item: bool) -> tuple[list[Entry], bool, bool]:
        """A key whose value is a block on the lines below it, in which something is wrong."""
        mark = self._builder.mark()
        try:
            head = self._read(piece.start, stop, "", None)
        except Failure as failure:
            self._builder.rewind(mark)
            self._report(self._explainer.explain(failure, piece.start, stop))
            return [], True, False
        if not isinstance(head, Mapping) or not head.entries:
            return [], True, False
        entry = head.entries[0]
        before = self._builder.count
        child, lost = self._block_or_value(below, piece.end, in_item=in_item)
        if child is None:
            return [], True, False
        self._hand_over(entry.value, child, self._builder.count - before)
        entry.value = child
        return [entry], False, lost

    def _block_or_value(self, first: int, end: int, *, in_item: bool) -> tuple[Node | None, bool]:
        if self._levels >= MAX_LEVELS:
            return self._node(first, end, in_item=in_item)
        column = self._column(first)
        # An item may be indented less than the first one, and the first may have lost its dash; all belong to this list.
        dashes = [self._column(at) for at in self._dash_lines(first, end)]
        if dashes or is_dash(self._text, first, line_end(self._text, first, end)):
            self._levels += 1
            try:
                return self._sequence(first, end, min([column, *dashes]), in_item=in_item)
            finally:
                self._levels -= 1
        return self._block(first, end, column, in_item=in_item)

    def _dash_lines(self, first: int, end: int) -> list[int]:
        text = self._text
        column = self._column(first)
        found = []
        for line in lines_in(text, line_end(text, first, end), end):
            if line.indent <= column and is_dash(text, line.content, line.end):
                found.append(line.content)
        return found

    def _hand_over(self, head: Node, child: Node, size: int) -> None:
        """Give the anchor and tag of a head that was read alone to the value below it, which expands to `size` nodes."""
        if isinstance(head, Scalar) and isinstance(child, (Mapping, Sequence)):
            child.anchor, child.tag = head.anchor, head.tag
        for anchor in self._builder.all_anchors:
            if anchor.node is head:
                anchor.node, anchor.size, anchor.height = child, size, _height(child, {})

    def _sequence(self, first: int, end: int, column: int, *, in_item: bool) -> tuple[Node | None, bool]:
        sequence = Sequence(Span(first, first))
        inner = False
        pieces = self._cut(first, end, column, dashes=True)
        # The column of a list is that of most of its items, so that one slip is one fault.
        counts = Counter(self._column(piece.start) for piece in pieces)
        column = max(counts, key=lambda found: (counts[found], found == column))
        for piece in pieces:
            dash = is_dash(self._text, piece.start, line_end(self._text, piece.start, piece.end))
            if dash and self._column(piece.start) != column:
                found = self._column(piece.start)
                self._report(self._explainer.indent(piece.start, piece.end, found, column))
            node, lost = self._item(piece, column)
            inner |= lost
            sequence.items.append(node)
        sequence.broken = inner and in_item
        if sequence.items:
            sequence.span = Span(first, max(first + 1, *(item.span.end for item in sequence.items), 0))
        return sequence, inner

    def _item(self, piece: _Piece, column: int) -> tuple[Node, bool]:
        text = self._text
        if self._mistakes > GIVE_UP:
            return self._nothing(piece.start, piece.end), True
        if not is_dash(text, piece.start, line_end(text, piece.start, piece.end)):
            return self._item_without_dash(piece), True
        mark = self._builder.mark()
        try:
            node = self._read(piece.start, piece.end, "", column)
            if isinstance(node, Sequence) and len(node.items) == 1:
                return node.items[0], False
        except Failure:
            self._builder.rewind(mark)
        content = skip_blanks(text, piece.start + 1, piece.end)
        properties = _PROPERTIES.match(text, content, piece.end)
        inner = self._first_content(properties.end() if properties else content, piece.end)
        if inner is None:
            return self._nothing(content, piece.end), True
        child, lost = self._node(inner, piece.end, in_item=True)
        return (self._nothing(inner, piece.end), True) if child is None else (child, lost)

    def _item_without_dash(self, piece: _Piece) -> Node:
        self._report(self._explainer.no_dash(piece.start, piece.end))
        glued = self._text[piece.start] == "-"
        mark = self._builder.mark()
        try:
            # Where the key would stand behind `- `.
            column = self._column(piece.start) + 2 if glued else None
            node = self._read(piece.start + glued, piece.end, "", column)
        except Failure:
            self._builder.rewind(mark)
            node = None
        if not isinstance(node, Mapping):
            return self._nothing(piece.start, piece.end)
        node.broken = True
        return node

    def _nothing(self, start: int, end: int) -> Mapping:
        return Mapping(Span(start, max(start, self._trimmed(start, end))), broken=True)

    def _cut(self, first: int, end: int, column: int, *, dashes: bool) -> list[_Piece]:
        """Cut a block at the lines of its column. Lines further in belong to the piece before them."""
        text = self._text
        starts: list[tuple[int, bool]] = [(first, self._column(first) != column)]
        inner = self._item_column(first, end) if dashes else column
        skip_to = self._value_end(first, end, column)
        for line in lines_in(text, self._after_line(first, end), end):
            if line.start < skip_to or is_blank(text, line) or text[line.content] in "]}":
                continue
            dash = is_dash(text, line.content, line.end)
            if dashes:
                new = (dash or (line.indent == column and _is_glued_dash(text, line))) and line.indent < max(
                    inner, column + 1
                )
            else:
                new = line.indent <= column and not (dash and line.indent == column)
            if new:
                starts.append((line.content, line.indent != column))
                skip_to = self._value_end(line.content, end, column)
                if dashes:
                    inner = self._item_column(line.content, end)
        ends = [line_start(text, at) for at, _ in starts[1:]] + [end]
        return [_Piece(at, max(stop, at), odd) for (at, odd), stop in zip(starts, ends, strict=True)]

    def _item_column(self, dash: int, end: int) -> int:
        """Return the column of an item's content."""
        stop = line_end(self._text, dash, end)
        content = skip_blanks(self._text, dash + 1, stop)
        column = self._column(dash)
        return column + (content - dash) if content < stop else column + 1

    def _value_end(self, at: int, end: int, column: int) -> int:
        """Return where a value in quotes or brackets that begins on this line ends, if it plausibly goes on below.

        It does not where a line on the way looks like the next key or item of this block: then the value was left open.
        """
        text = self._text
        stop = line_end(text, at, end)
        begin = skip_dashes(text, at, stop)
        entry = entry_at(text, begin, stop)
        if entry is not None:
            begin = entry.value
        if begin >= stop or text[begin] not in "\"'[{":
            return at
        limit = end
        for line in lines_in(text, self._after_line(at, end), end):
            if line.indent <= column and self._starts_something(line):
                limit = line.start
                break
        found = _closing(text, begin, limit)
        return found if found is not None and found > stop else at

    def _starts_something(self, line: Line) -> bool:
        text = self._text
        return is_dash(text, line.content, line.end) or entry_at(text, line.content, line.end) is not None

    def _is_mapping(self, first: int, end: int, column: int) -> bool:
        text = self._text
        if entry_at(text, first, line_end(text, first, end)) is not None or text[first] == "?":
            return True
        return any(
            line.indent == column and entry_at(text, line.content, line.end) is not None
            for line in lines_in(text, self._after_line(first, end), end)
        )

    def _first_content(self, start: int, end: int) -> int | None:
        text = self._text
        for line in lines_in(text, start, end):
            if not is_blank(text, line):
                at = skip_blanks(text, line.content, line.end)
                return line.content if text[line.content] == "\t" and line.content > line.start else at
        return None

    def _after_line(self, at: int, end: int) -> int:
        for line in lines_in(self._text, at, end):
            return line.next
        return end

    def _column(self, at: int) -> int:
        begin = line_start(self._text, at)
        return at - begin - (1 if self._text.startswith("\ufeff", begin) else 0)

    def _trimmed(self, start: int, end: int) -> int:
        return start + len(self._text[start:end].rstrip(" \t\r\n"))

    def _report(self, mistake: Mistake) -> None:
        self._mistakes += 1
        if mistake.kind == "indent" and self._follows_another(mistake.problem.span.start):
            return
        if self._mistakes <= MAX_MISTAKES:
            self._builder.problems.append(mistake.problem)

    def _follows_another(self, at: int) -> bool:
        """Tell whether the line above is out of place too: then this one follows it, and is no fault of its own."""
        begin = line_start(self._text, at)
        self._shifted.add(begin)
        above = self._text[:begin].rstrip(" \t\r\n")
        return line_start(self._text, len(above)) in self._shifted


def is_key_or_dash(text: str, at: int, end: int) -> bool:
    """Tell whether a key or a list item begins at `at`."""
    stop = line_end(text, at, end)
    return is_dash(text, at, stop) or entry_at(text, at, stop) is not None


def _is_glued_dash(text: str, line: Line) -> bool:
    """Tell whether a line is `-key: ...`, an item whose space behind the dash is missing."""
    at = line.content
    return text[at : at + 1] == "-" and text[at + 1 : at + 2].isalpha() and entry_at(text, at, line.end) is not None


def _closing(text: str, begin: int, limit: int) -> int | None:
    """Return the end of the quoted text or the brackets that begin at `begin`, if they end before `limit`."""
    if text[begin] == "'":
        at = begin + 1
        while (at := text.find("'", at, limit)) >= 0:
            if not text.startswith("''", at):
                return at + 1
            at += 2
        return None
    if text[begin] == '"':
        match = _DOUBLE.match(text, begin, limit)
        return match.end() if match else None
    depth = 0
    for match in _BRACKET.finditer(text, begin, limit):
        if match[0] in "[{":
            depth += 1
        elif match[0] in "]}":
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _height(node: Node | None, known: dict[int, int]) -> int:
    """Return how many levels a value has below its own, aliases followed."""
    target = None if node is None else resolve(node)
    if not isinstance(target, (Mapping, Sequence)):
        return 0
    found = known.get(id(target))
    if found is None:
        inner = target.items if isinstance(target, Sequence) else [entry.value for entry in target.entries]
        found = known[id(target)] = 1 + max((_height(part, known) for part in inner), default=0)
    return found


def _stray(at: int) -> Failure:
    return Failure(at, None, "", "")


_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BRACKET = re.compile(r"""[\[\]{}]|(?<![^\s\[{,:])(?:"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')""", re.DOTALL)
