"""Globs of Foya's rules, looked for inside an activity text (foya.md section 3). Pure functions on strings.

A glob is a line of literal pieces: between two pieces `*` takes a run of characters inside a path segment, `**` anything of one
line. Going on from the first place where a piece stands finds a match wherever there is one, so nothing is ever tried twice: each
piece is looked for once along the text, however the pattern is made. `STEPS` bounds what is left.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int]

# What `*` and `?` never stand for. Source: foya.md section 3 [F].
_BOUNDS = "/ \t\n\f\r\"'=:,)"
_BOUND_SET = frozenset(_BOUNDS)
# What may stand in front of a path and behind it. Source: foya.md section 3 [F].
_FRONTS = frozenset(" \t\n\f\r\"'=:,(")
_ENDS = frozenset(" \t\n\f\r\"'=:,)")

# Rulewright's additions [R]: brackets, back-ticks and angle quotes; white space of every kind; the punctuation of Chinese text,
# which is that of the blocks for East Asian punctuation and the quotes, dashes and dots that it shares with other scripts.
_MORE = frozenset(
    "`()[]{}<>\xab\xbb\u2039\u203a"
    "\v\x85\xa0\u2028\u2029\u202f\u205f\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2014\u2018\u2019\u201c\u201d\u2026\xb7"
).union(
    chr(code)
    for first, last in (
        (0x3000, 0x3004),
        (0x3008, 0x3020),
        (0x3030, 0x303F),
        (0xFE10, 0xFE1F),
        (0xFE30, 0xFE6B),
        (0xFF01, 0xFF0F),
        (0xFF1A, 0xFF20),
        (0xFF3B, 0xFF40),
        (0xFF5B, 0xFF65),
    )
    for code in range(first, last + 1)
)
_WIDE_FRONTS = _FRONTS | _MORE
_WIDE_ENDS = _ENDS | _MORE
# Those of the above that `*` stands for, so that they may stand in the middle of what it took.
_INNER = frozenset("(")
_WIDE_INNER = _MORE - _BOUND_SET

STEPS = 40_000
"""Places looked at for one glob, some 0.05 s of time; a path that is not found by then counts as not there [R]."""
ALL_STEPS = 5 * STEPS
"""The same for all globs of one reader together [R]."""
_FAR = 256  # Characters from which on it pays to look where a search can go on.
_NEAR = 16  # Characters that are looked at one by one.
_DOTS = 4  # `./` in front of a path, one behind the other.


class _Exhausted(Exception):
    """The steps are used up."""


class _Never(Exception):
    """A piece does not stand in the rest of the text, so that no later beginning can match."""


class Reader:
    """One activity text, read in one of two ways.

    wide: Rulewright's reading, which takes more for the end of a path; else that of Foya's own program.
    any_front, any_end: what stands in front of or behind a path does not count: to find out what stopped a match.
    """

    __slots__ = (
        "_any_end",
        "_any_front",
        "_bounds",
        "_budget",
        "_ends",
        "_far",
        "_fronts",
        "_inner",
        "_length",
        "_prefix",
        "_run",
        "_steps",
        "_text",
        "_wide",
    )

    def __init__(
        self, text: str, wide: bool, project: str = "", any_front: bool = False, any_end: bool = False
    ) -> None:
        """Make a reader.

        Args:
            project: the absolute folder that a path may begin with; only the wide reading looks at it.
        """
        self._text = text.replace("\\", "/") if wide else text
        self._length = len(text)
        self._wide = wide
        self._fronts = _WIDE_FRONTS if wide else _FRONTS
        self._ends = _WIDE_ENDS if wide else _ENDS
        self._inner = _WIDE_INNER if wide else _INNER
        folder = project.replace("\\", "/").rstrip("/") if wide else ""
        self._prefix = f"{folder}/" if folder else ""
        self._any_front = any_front
        self._any_end = any_end
        self._budget = ALL_STEPS
        self._steps = 0
        self._forget()

    def find(self, pattern: str) -> "Span | None":
        """Return where a path that a glob means stands, or None."""
        if self._wide:
            if "\\" in pattern:
                pattern = pattern.replace("\\", "/")
        elif not pattern.isascii():
            return None  # Its bytes are quoted one by one, which is no valid expression (foya.md section 3 [F]).
        # Most globs end here: what stands in front of the first `*` is at hand sooner than the longest part.
        if pattern.partition("*")[0].partition("?")[0] not in self._text or longest_literal(pattern) not in self._text:
            return None
        if not pattern:
            return None
        self._forget()
        chunks = [[_Piece(piece) for piece in pieces] for pieces in _chunks(pattern)]
        given = self._steps = min(STEPS, self._budget)
        try:
            if len(chunks) > 1:
                return self._find_far(chunks, "\n" not in pattern)
            pieces = chunks[0]
            return self._find_starred(pieces) if pieces[0].length == 0 else self._find_near(pieces)
        except (_Never, _Exhausted):
            return None
        finally:
            self._budget -= given - self._steps

    def _forget(self) -> None:
        self._bounds = _Bounds()
        self._run = (-1, -1, -1)
        self._far = 0

    # The three kinds of patterns

    def _find_near(self, pieces: "list[_Piece]") -> "Span | None":
        """Find a pattern without `**` that does not begin with `*`."""
        head, start = pieces[0], 0
        while True:
            start = self._next(head, start)
            if self._is_front(start):
                end = self._near_end(pieces, start + head.length)
                if end >= 0:
                    return start, end
                start = self._later(head, start)
            else:
                start += 1

    def _find_starred(self, pieces: "list[_Piece]") -> "Span | None":
        """Find a pattern without `**` that begins with `*`: where its first piece stands, look back."""
        head, at = pieces[1], 0
        if head.length == 0:
            return self._find_star()
        while True:
            at = self._next(head, at)
            start = self._run_front(at)
            if start >= 0:
                end = self._near_end(pieces[1:], at + head.length)
                if end >= 0:
                    return start, end
                at = self._later(head, at)
            else:
                at += 1

    def _find_star(self) -> "Span | None":
        """Find a whole word: the pattern `*`."""
        at = 0
        while at <= self._length:
            self._step()
            stop = self._bounds.next(self._text, at)
            start = self._run_front(stop)
            end = -1 if start < 0 else self._first_end(start, stop)
            if end >= 0:
                return start, end
            at = stop + 1
        return None

    def _near_end(self, pieces: "list[_Piece]", at: int) -> int:
        """Return where a match of the last pieces ends, the first of which ends at `at`; -1 where there is none."""
        self._far = 0
        if len(pieces) == 1:
            return at if self._is_end(at) else -1
        return self._follow(pieces, at, True)

    def _find_far(self, chunks: "list[list[_Piece]]", one_line: bool) -> "Span | None":
        """Find a pattern with `**`. one_line: no piece holds a line break, so that all of it is on one line."""
        head = chunks[0]
        if len(head) == 1 and head[0].length == 0:
            return self._find_line(chunks, one_line)
        starred = head[0].length == 0
        if starred:
            head = head[1:]
        at = least = 0
        while True:
            # A match that is still possible has the end of its first chunk at `least` or behind it.
            if not starred and len(head) == 1:
                at = max(at, least - head[0].length)
            at = self._next(head[0], at)
            start = self._run_front(at) if starred else at if self._is_front(at) else -1
            end = -1 if start < 0 else self._follow(head, at + head[0].length, False)
            if end >= least:
                end = self._follow_far(chunks, end)
                if end >= 0:
                    return start, end
                if one_line:
                    least = self._text.rfind("\n", 0, self._far) + 1
                at += 1
            else:
                at = self._later(head[0], at) if start >= 0 and end < 0 else at + 1

    def _find_line(self, chunks: "list[list[_Piece]]", one_line: bool) -> "Span | None":
        """Find a pattern that begins with `**`: it can begin where a line does."""
        start = 0
        while True:
            self._step()
            end = self._follow_far(chunks, start)
            if end >= 0:
                return self._near_front(start, chunks[1][0].found), end
            start = (self._text.rfind("\n", 0, self._far) if one_line else self._text.find("\n", start)) + 1
            if start == 0:
                return None

    def _follow_far(self, chunks: "list[list[_Piece]]", at: int) -> int:
        """Return where a match of all chunks but the first ends, -1 where a `**` would have to take a line break."""
        for number in range(1, len(chunks)):
            self._steps -= 2
            pieces = chunks[number]
            last = number == len(chunks) - 1
            line_end = self._text.find("\n", at)
            if line_end < 0:
                line_end = self._length
            if pieces[0].length == 0:
                pieces[0].found = at
                return self._some_end(at, line_end)
            at = self._chunk(pieces, at, line_end, last)
            if at < 0:
                return -1
        return at

    def _chunk(self, pieces: "list[_Piece]", at: int, line_end: int, last: bool) -> int:
        head = pieces[0]
        at = max(at, head.tried)
        while True:
            at = self._next(head, at)
            if at > line_end:
                self._far = at
                return -1
            end = at + head.length
            end = self._near_end(pieces, end) if last else self._follow(pieces, end, False)
            if end >= 0:
                return end
            at = head.tried = self._later(head, at)

    def _later(self, piece: "_Piece", at: int) -> int:
        """Return where a first piece is to be looked for again that stands at `at` in vain.

        Where the second one is far away, only a first one close to it can reach it.
        """
        return at + 1 if self._far - at < _FAR else max(at + 1, self._run_start(at, self._far) - piece.length)

    # Pieces

    def _follow(self, pieces: "list[_Piece]", at: int, last: bool) -> int:
        """Return where the last of some pieces ends, the first of which ends at `at`, each behind a `*`; -1 where one fails."""
        self._far = 0
        for number in range(1, len(pieces)):
            piece = pieces[number]
            stop = piece.bounds.next(self._text, at)
            if last and number == len(pieces) - 1:
                end = self._last(piece, at, stop)
                if number > 1:
                    self._far = 0
                return end
            found = self._next(piece, at)
            if found > stop:
                self._far = found if number == 1 else 0
                return -1
            at = found + piece.length
        return at

    def _last(self, piece: "_Piece", at: int, stop: int) -> int:
        """Return the end of the last piece, which begins at one of the places from `at` to `stop`; -1 where it cannot end there."""
        if piece.length == 0:
            if at < piece.tried:
                return -1
            end = self._first_end(at, stop)
            if end < 0:
                piece.tried = stop + 1
            return end
        at = max(at, piece.tried)
        while True:
            at = self._next(piece, at)
            if at > stop:
                self._far = at
                return -1
            if self._is_end(at + piece.length):
                return at + piece.length
            at += 1
            piece.tried = at

    def _next(self, piece: "_Piece", at: int) -> int:
        """Return the first place at or behind `at` where a piece stands.

        Raises:
            _Never: there is none.
        """
        self._step()
        if not piece.since <= at <= piece.found:
            piece.since = at
            piece.found = self._text.find(piece.text, at) if piece.holes is None else self._find_holes(piece, at)
            if piece.found < 0:
                raise _Never
        return piece.found

    def _find_holes(self, piece: "_Piece", at: int) -> int:
        """Return the first place of a piece with `?`, -1 where there is none."""
        text, literal, offset = self._text, piece.literal, piece.offset
        last = self._length - piece.length
        while at <= last:
            self._steps -= 1 + len(piece.others)
            self._step()
            if literal:
                at = text.find(literal, at + offset) - offset
                if at < 0 or at > last:
                    return -1
            if all(text.startswith(part, at + place) for place, part in piece.others):
                stopped = [place for place in piece.holes or () if text[at + place] in _BOUND_SET]
                if not stopped:
                    return at
                if not literal:
                    at += stopped[-1]
            at += 1
        return -1

    def _step(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise _Exhausted

    # Places

    def _run_start(self, low: int, at: int) -> int:
        """Return the beginning of the run that `*` could take up to `at`, no lower than `low`."""
        return max(low, 1 + max(self._text.rfind(char, low, at) for char in _BOUNDS))

    def _run_front(self, at: int) -> int:
        """Return where a `*` that ends at `at` can begin; -1 where it cannot. `at` never goes back."""
        first, stop, front = self._run
        if not first <= at <= stop:
            self._steps -= 6
            first = self._run_start(max(stop, 0), at)
            stop = self._bounds.next(self._text, at)
            front = self._first_front(first, stop)
            self._run = (first, stop, front)
        return front if front <= at else -1

    def _first_front(self, first: int, stop: int) -> int:
        """Return the first place of a run where a path can begin, behind its end where there is none."""
        if self._any_front or first == 0 or self._text[first - 1] in self._fronts or self._opens(first, False):
            return first
        run = self._text[first:stop]
        if self._inner.isdisjoint(run):
            return self._length + 1
        return first + 1 + next(place for place, char in enumerate(run) if char in self._inner)

    def _is_front(self, at: int) -> bool:
        """Tell whether a path can begin at `at`, where something stands."""
        if at == 0 or self._any_front:
            return True
        if self._text[at - 1] in self._fronts:
            return True
        return self._wide and self._opens(at, self._text[at] != "/" and not is_ideograph(self._text[at]))

    def _opens(self, at: int, behind_ideograph: bool) -> bool:
        """Tell whether what stands in front is one of Rulewright's additions that are more than one character of a list."""
        text = self._text
        for _ in range(_DOTS if self._wide else 0):
            self._steps -= 1
            char = text[at - 1]
            if char != "/":
                return behind_ideograph and is_ideograph(char)
            if at > 1 and text[at - 2] == ".":
                at -= 2
            elif self._prefix and text.startswith(self._prefix, at - len(self._prefix)) and at >= len(self._prefix):
                at -= len(self._prefix)
            else:
                return False
            if at == 0 or text[at - 1] in self._fronts:
                return True
            behind_ideograph = True
        return False

    def _is_end(self, at: int, behind_star: bool = False) -> bool:
        """Tell whether a path can end at `at`. behind_star: the pattern ends with `*`, which takes ideographs itself."""
        if at == self._length or self._any_end:
            return True
        char = self._text[at]
        if char in self._ends:
            return True
        if not self._wide:
            return False
        if char == ".":
            after = self._text[at + 1 : at + 2]
            return not after or after in self._ends or (not behind_star and is_ideograph(after))
        if behind_star or not is_ideograph(char):
            return False
        before = self._text[at - 1]
        return before != "/" and not is_ideograph(before)

    def _first_end(self, at: int, stop: int) -> int:
        """Return the first place from `at` to `stop`, the end of a run, where a path can end; -1 where there is none."""
        if self._wide and not (stop - at > _FAR and self._inner.isdisjoint(self._text[at:stop])):
            for place in range(at, stop):
                if self._is_end(place, True):
                    return place
        elif self._wide and stop > at and self._is_end(stop - 1, True):
            return stop - 1
        return stop if self._is_end(stop, True) else -1

    def _some_end(self, at: int, line_end: int) -> int:
        """Return where a path that `**` ends can be said to end: there is always the end of the line."""
        for place in range(at, min(line_end, at + _FAR)):
            if self._text[place] in self._ends:
                return place
        return line_end

    def _near_front(self, low: int, at: int) -> int:
        """Return where a path that begins with `**` can be said to begin: there is always the beginning of the line."""
        for place in range(at, max(low, at - _FAR), -1):
            if self._text[place - 1] in self._fronts:
                return place
        return low


class _Bounds:
    """Where the next of the characters is that `*` does not stand for."""

    __slots__ = ("_each", "_found", "_since")

    def __init__(self) -> None:
        self._since, self._found = 1, 0
        self._each: dict[str, int] = {}

    def next(self, text: str, at: int) -> int:
        """Return the first place at or behind `at`, or the end. The text is the same at every call, and `at` never goes back."""
        if not self._since <= at <= self._found:
            nearest = length = len(text)
            for place in range(at, min(at + _NEAR, length)):
                if text[place] in _BOUND_SET:
                    self._since, self._found = at, place
                    return place
            for char in _BOUNDS:
                found = self._each.get(char, -1)
                if found < at:
                    found = text.find(char, at)
                    self._each[char] = found = length if found < 0 else found
                nearest = min(nearest, found)
            self._since, self._found = at, nearest
        return self._found


class _Piece:
    """A part of a pattern without `*`, and how far the text was searched for it.

    holes: the places of its `?`, None where it has none. literal, offset: its longest part without `?` and where that stands;
    others: all of them. since, found: a search from `since` on found it at `found`. tried: no place before leads to a match.
    bounds: of the places where it is looked for.
    """

    __slots__ = ("bounds", "found", "holes", "length", "literal", "offset", "others", "since", "text", "tried")

    def __init__(self, text: str) -> None:
        self.text = text
        self.length = len(text)
        self.since, self.found, self.tried = 1, 0, 0
        self.bounds = _Bounds()
        self.holes: list[int] | None = None
        self.literal, self.offset = text, 0
        self.others: list[tuple[int, str]] = []
        if "?" in text:
            self.holes = [place for place, char in enumerate(text) if char == "?"]
            at = 0
            for part in text.split("?"):
                if part:
                    self.others.append((at, part))
                at += len(part) + 1
            self.offset, self.literal = max(self.others, key=lambda place: len(place[1]), default=(0, ""))


def longest_literal(pattern: str) -> str:
    """Return the longest part of a glob without wildcards: what must stand in a text that it matches."""
    return max(pattern.replace("?", "*").split("*"), key=len)


def is_ideograph(char: str) -> bool:
    """Tell whether a character is a Chinese one. Source: the blocks of Unicode 16, CJK Unified and Compatibility Ideographs."""
    return char >= "\u3005" and (
        "\u4e00" <= char <= "\u9fff"
        or "\u3400" <= char <= "\u4dbf"
        or "\uf900" <= char <= "\ufaff"
        or char >= "\U00020000"
        or char in "\u3005\u3006\u3007"
    )


def _chunks(pattern: str) -> "list[list[str]]":
    """Split a glob at each `**`, and the parts at each `*`. A `*` next to a `**` says nothing."""
    parts: list[str] = []  # literals, "*" and "**"
    at, length = 0, len(pattern)
    while at < length:
        if pattern[at] == "*":
            token = "**" if pattern[at : at + 2] == "**" else "*"
            at += len(token)
        else:
            stop = pattern.find("*", at)
            token = pattern[at : length if stop < 0 else stop]
            at += len(token)
        if token[0] == "*" and parts and parts[-1][0] == "*":
            parts[-1] = "**"
        else:
            parts.append(token)
    chunks = [[""]]
    for part in parts:
        if part == "**":
            chunks.append([""])
        elif part == "*":
            chunks[-1].append("")
        else:
            chunks[-1][-1] = part
    return chunks
