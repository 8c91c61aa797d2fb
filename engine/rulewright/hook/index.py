"""The compiled index: what `install` writes and an event reads. Data only, never anything that could be run.

Layout (all numbers decimal, sections in any order, no byte between them counts):

    rulewright-index <version> <harness> <length of the table> <checksum of the table>\\n
    <native event> <class> <offset> <gate length> <gate checksum> <list length> <list checksum> <entries>\n   a row a section
    sections

The class is one of hook.event.TOOL_CLASSES for events that carry a tool, else `-`; `closed` is the section of the names of
rules with `fail: closed` (its list, one name a line). An empty section `scope` says that starts and compactions told by the
event are to be remembered, `count` that its prompts are to be counted, `foya` that Foya's rules are given there, `chains` that
hook chains are dispatched there. Offsets count from the end of the table. An event reads the table and
its own section only, and of that the gate, which says "nothing can match" in most events, and after it what may match.

    gate       `F` (look at the list always) or `G`, the plain literals one a line, a NUL, the shell literals one a line
    list       1. the numbers of entries without literals; 2., 3. for each plain, each shell literal its entries, numbers
               with `,` between, groups with a space
    places     for each entry: offset from the end of the places, length, checksum, PLACE bytes together
    entries    JSON

An entry can match only if one of its literals stands in the payload, unless the payload is `blind`.
"""

import sys

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INDEX_VERSION = 2
MAGIC = b"rulewright-index "
NO_TOOL = "-"
CLOSED = "closed"
SCOPE = "scope"
COUNT = "count"
FOYA = "foya"
CHAINS = "chains"
# Bytes of the place of an entry.
PLACE = 40

# The largest prime below 2**60: every change of one bit, and all but one in 10**18 others, change the remainder.
_PRIME = 1152921504606846883
# Most tables fit, so that one read brings the table and the sections of a small index.
_FIRST_READ = 16384
# What may stand between the characters of a shell word without being part of it; `hook.shell.may_contain` says why.
_QUOTES = b"\\'\"$"


class IndexUnusable(Exception):
    """The index is missing, of another version or harness, cut short or damaged. The text says which."""


def checksum(data: bytes) -> int:
    """Return a number that changes when the bytes do. It guards against accidents, not against forgers."""
    return (int.from_bytes(data, "little") + len(data)) % _PRIME


class Section:
    """The rules of one native event and one class of tool."""

    __slots__ = ("_found", "_index", "_row", "gate")

    def __init__(self, index: "Index", row: "list[int]") -> None:
        self._index = index
        self._row = row
        self._found: tuple[bytes, tuple[list[int], list[int]]] | None = None
        self.gate = index.read(row[0], row[1], row[2])
        if self.gate[:1] not in (b"F", b"G"):
            raise IndexUnusable("a section of the index is damaged")

    def may_match(self, raw: bytes) -> bool:
        """Tell whether any entry can match a payload. False is certain, true is not."""
        return self.gate[:1] == b"F" or any(self._literals_in(raw))

    def entries(self, raw: bytes | None) -> "list[dict[str, Any]]":
        """Return the entries that can match a payload, in rule order; all of them for None."""
        from rulewright.hook.json_text import parse

        offset, gate_length, _, list_length, list_sum, count = self._row
        offset += gate_length
        lines = self._index.read(offset, list_length, list_sum)
        offset += list_length
        try:
            always, *groups = lines.split(b"\n")
            if raw is None:
                numbers = list(range(count))
            else:
                wanted = set(always.split())
                for found, group in zip(self._literals_in(raw), groups, strict=True):
                    if found:
                        words = group.split(b" ")
                        for literal in found:
                            wanted.update(words[literal].split(b","))
                numbers = sorted(map(int, wanted))
            entries: list[dict[str, Any]] = []
            for number in numbers:
                # Not checked by itself: what it leads to is.
                at, length, total = _numbers(
                    self._index.slice(offset + number * PLACE, PLACE, behind_table=True).split()
                )
                entries.append(parse(self._index.read(offset + count * PLACE + at, length, total)))
        except (ValueError, IndexError):
            raise IndexUnusable("a section of the index is damaged") from None
        return entries

    def _literals_in(self, raw: bytes) -> "tuple[list[int], list[int]]":
        """Return the numbers of the plain and of the shell literals that stand in a payload, or may."""
        if self._found is None or self._found[0] is not raw:
            plain, _, shell = self.gate[1:].partition(b"\0")
            text = None if plain and blind(raw) else raw
            joined = None if shell and shell_blind(raw) else raw.translate(None, _QUOTES)
            self._found = (raw, (_standing(plain, text), _standing(shell, joined)))
        return self._found[1]


def _standing(literals: bytes, text: bytes | None) -> "list[int]":
    """Return the numbers of the literals that stand in a text; of all of them if the text is None."""
    if not literals:
        return []
    return [number for number, literal in enumerate(literals.split(b"\n")) if text is None or literal in text]


class Index:
    """An open index. Close it with `close`."""

    __slots__ = ("_descriptor", "_head", "_start", "_table")

    def __init__(self, source: str | bytes, harness: str) -> None:
        """Open an index: a file by its path, or the bytes of one.

        Raises:
            IndexUnusable: it cannot be read, or is not an index of this version for this harness.
        """
        self._descriptor = -1
        try:
            if isinstance(source, bytes):
                self._head = source
            else:
                self._descriptor = system.open(
                    source, system.O_RDONLY | getattr(system, "O_BINARY", 0) | getattr(system, "O_CLOEXEC", 0)
                )
                self._head = system.read(self._descriptor, _FIRST_READ)
        except (OSError, ValueError) as error:
            self.close()
            raise IndexUnusable(f"the index cannot be read ({_reason(error)})") from None
        try:
            self._read_table(harness)
        except IndexUnusable:
            self.close()
            raise

    def _read_table(self, harness: str) -> None:
        line, newline, _ = self._head[:200].partition(b"\n")
        words = line.split(b" ")
        if not line.startswith(MAGIC) or not newline or len(words) != 5:
            raise IndexUnusable("the file is not an index")
        if words[1] != b"%d" % INDEX_VERSION:
            raise IndexUnusable("the index is of another version: run `rulewright sync`")
        if words[2] != harness.encode():
            raise IndexUnusable("the index is for another harness")
        length, total = _numbers(words[3:])
        self._start = len(line) + 1 + length
        table = self.slice(len(line) + 1, length)
        if checksum(table) != total:
            raise IndexUnusable("the index is damaged")
        self._table = b"\n" + table

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            system.close(self._descriptor)
            self._descriptor = -1

    def section(self, native: str, tool_class: str) -> Section | None:
        """Return the section of an event, or None where no rule is installed for it.

        Raises:
            IndexUnusable: the section is damaged.
        """
        row = self._row(native, tool_class)
        return None if row is None else Section(self, row)

    def closed_rules(self, native: str) -> "list[str]":
        """Return the names of the rules with `fail: closed` at a native event, in rule order.

        Raises:
            IndexUnusable: the section is damaged.
        """
        row = self._row(native, CLOSED)
        return [] if row is None else self.read(row[0] + row[1], row[3], row[4]).decode("utf-8", "replace").split("\n")

    def has_section(self, native: str, tool_class: str) -> bool:
        """Tell whether there is a section, without reading it."""
        return self._row(native, tool_class) is not None

    def has_event(self, native: str) -> bool:
        """Tell whether any rule is installed for a native event."""
        return b"\n%b " % native.encode("utf-8", "replace") in self._table

    def events(self) -> "list[str]":
        """Return the native events that rules are installed for, in the order of the table."""
        found: list[str] = []
        for line in self._table.split(b"\n"):
            name = line.partition(b" ")[0].decode("utf-8", "replace")
            if name and name not in found:
                found.append(name)
        return found

    def _row(self, native: str, tool_class: str) -> "list[int] | None":
        key = f"\n{native} {tool_class} ".encode("utf-8", "replace")
        at = self._table.find(key)
        if at < 0:
            return None
        row = _numbers(self._table[at + len(key) :].partition(b"\n")[0].split(b" "))
        if len(row) != 6:
            raise IndexUnusable("the index is damaged")
        return row

    def read(self, offset: int, length: int, total: int) -> bytes:
        """Return a part behind the table, checked against its checksum.

        Raises:
            IndexUnusable: it is cut short or damaged.
        """
        data = self.slice(offset, length, behind_table=True)
        if checksum(data) != total:
            raise IndexUnusable("a section of the index is damaged")
        return data

    def slice(self, start: int, length: int, behind_table: bool = False) -> bytes:
        """Return bytes of the file, from the first read where they are in it. The start counts from that of the file, or else
        from the end of the table."""
        if behind_table:
            start += self._start
        if start + length <= len(self._head):
            return self._head[start : start + length]
        try:
            system.lseek(self._descriptor, start, 0)
            parts: list[bytes] = []
            left = length
            while left > 0:
                part = system.read(self._descriptor, left)
                if not part:
                    break
                parts.append(part)
                left -= len(part)
        except (OSError, OverflowError, MemoryError) as error:
            raise IndexUnusable(f"the index cannot be read ({_reason(error)})") from None
        return b"".join(parts)


def blind(raw: bytes) -> bool:
    """Tell whether escapes in a payload may hide printable ASCII: `\\u0020` to `\\u007f`."""
    return b"\\u00" in raw and any(b"\\u00%d" % digit in raw for digit in (2, 3, 4, 5, 6, 7))


def shell_blind(raw: bytes) -> bool:
    """Tell whether a word of a shell text in a payload may be hidden even with quotes, backslashes and `$` taken out.

    That is so for `$'...'`, for a NUL, and where a line break and a backslash can join two lines. The same as in
    `hook.shell.may_contain`, which is not called here because a gate that stays shut must not load the shell reader.
    """
    return (
        b"\\u00" in raw or (b"\\\\" in raw and b"\\n" in raw) or (b"$" in raw and b"$'" in raw.translate(None, b'"\\'))
    )


def tool_named(raw: bytes, key: bytes = b"tool_name") -> str | None:
    """Return the native tool of a payload as its bytes show it, or None where only reading the JSON can tell.

    The key must stand in the bytes once: inside a string its quotes would be escaped, so what is found is the key.
    """
    return _value_of(raw, key)


def event_agrees(raw: bytes, native: str, key: bytes = b"hook_event_name") -> bool:
    """Tell whether the bytes show that the payload is of a native event, or names none. An empty key: none ever does."""
    return not key or b'"%b"' % key not in raw or _value_of(raw, key) == native


def _value_of(raw: bytes, key: bytes) -> str | None:
    key = b'"%b"' % key
    at = raw.find(key)
    if at < 0 or blind(raw) or raw.find(key, at + 1) >= 0 or raw[at - 1 : at] == b"\\":
        return None
    rest = raw[at + len(key) : at + len(key) + 200]
    if rest[:2] == b':"':
        rest = rest[2:]
    elif rest[:3] == b': "':
        rest = rest[3:]
    else:
        return None
    value, quote, _ = rest.partition(b'"')
    if not quote or b"\\" in value:
        return None
    return value.decode("utf-8", "replace")


def _numbers(words: "list[bytes]") -> "list[int]":
    try:
        found = [int(word) for word in words]
    except ValueError:
        raise IndexUnusable("the index is damaged") from None
    if any(number < 0 for number in found):
        raise IndexUnusable("the index is damaged")
    return found


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
