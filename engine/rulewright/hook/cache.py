"""What an event needs of files that only the whole engine can read: a copy that is renewed when one of those files has changed.

Layout (numbers decimal):

    rulewright-cache <version> <kind> <length of the manifest> <of the gate> <their hash> <length of the data> <of the texts>
        <their hash>, all of it one line
    the manifest: marshalled, what `stamp` says of each file and folder that was looked at
    the gate: what tells most events that the rest need not be read
    the data: JSON; a place in it is `[offset, length]` of bytes in the texts, so that only texts that are needed are decoded
    the texts: UTF-8

Folders have a stamp too, so that a new file is noticed. As long as all stamps are as they were, an event only asks for them. Else
one event starts a child that reads the files and writes the copy anew (`rulewright.caching`); others use the old copy meanwhile, or
wait for the new one where what they need cannot be made up for later.
Where that fails, the last good copy counts, and the next try is made after a while.
"""

import marshal
import sys
import time

from rulewright import __version__

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Of the layout and of the engine that read the files: another one may read them in another way.
CACHE_VERSION = f"2/{__version__}"
MAGIC = b"rulewright-cache"
# What messages call what a cache holds.
NAMES = {"foya": "Foya's rules", "chains": "the hook chains"}
# Seconds that an event waits at most for the child [R]: reading 200 rules takes one, and ten and more where a build keeps the
# machine busy. The event's own time still bounds it.
LONGEST = 20.0
# Seconds after a failure until the next try [R], so that not every event waits for one that fails again.
PAUSE = 30.0
# Seconds between two looks at whether another process has written the copy [R].
_STEP = 0.02
_FIRST_READ = 1 << 16
_LONGEST_LINE = 300
_DAMAGED = (b"null", b"")
# Nothing that lies in the place of a cache is waited for.
_FLAGS = getattr(system, "O_BINARY", 0) | getattr(system, "O_CLOEXEC", 0) | getattr(system, "O_NONBLOCK", 0)


class Loaded:
    """What an event has of a cache; the data is read once it is asked for.

    gate: as its bytes; None where there is no cache yet. note: why it is not up to date, empty: it is. renewed: it was not up to
    date before.
    """

    __slots__ = ("_path", "_rest", "gate", "note", "renewed")

    def __init__(self, path: str, head: "Head | None", note: str = "", renewed: bool = False) -> None:
        self._path = path
        self._rest: tuple[Any, bytes] | None = None
        self.gate = None if head is None else head.gate
        self.note = note
        self.renewed = renewed

    @property
    def data(self) -> "Any":
        """The data; None where there is no cache yet, or where it is damaged."""
        return self._read()[0]

    def text(self, place: "list[int]") -> str:
        """Return the text at a place."""
        return self._read()[1][place[0] : place[0] + place[1]].decode("utf-8", "replace")

    def _read(self) -> "tuple[Any, bytes]":
        if self._rest is None:
            from rulewright.hook.json_text import parse

            data, texts = _DAMAGED if self.gate is None else _read_rest(self._path)
            self._rest = parse(data), texts
            if self.gate is not None and data == _DAMAGED[0]:
                from rulewright.hook.state import remove

                remove(
                    self._path
                )  # Its manifest may well say that nothing has changed; so the next event reads the files anew.
        return self._rest


class Head:
    """The beginning of a cache. rest: the offset of what follows, the lengths of data and texts, their hash."""

    __slots__ = ("gate", "manifest", "rest")

    def __init__(self, manifest: bytes, gate: bytes, rest: "tuple[int, int, int, bytes]") -> None:
        self.manifest = manifest
        self.gate = gate
        self.rest = rest


def path_of(state_folder: str, kind: str, *names: str) -> str:
    """Return where a cache lies, in the folder of per-user state. `names`: what tells it from others of its kind."""
    from rulewright.hook.state import digest

    return f"{state_folder}/caches/{kind}-{digest(*names)}"


def load(
    path: str,
    kind: str,
    seconds: float,
    renew: "Callable[[float], str]",
    pause: "Callable[[float], None] | None" = None,
) -> Loaded:
    """Return the data of a cache, renewed if a file has changed. Never raises because of what is or is not there.

    Args:
        path: of the cache, in the folder of per-user state. kind: what it holds, a word.
        seconds: that may be waited for. renew: writes the cache anew, given the seconds it may take; returns why it could not.
        pause: waits for some seconds, while another process writes the cache anew; None: what was read last counts meanwhile.
    """
    end = time.monotonic() + min(seconds, LONGEST)
    found = _read_head(path, kind)
    if found is not None and unchanged(found.manifest):
        return Loaded(path, found)
    from rulewright.hook import state

    note = ""
    try:
        descriptor = state.open_private(f"{path}.lock", system.O_RDWR)
    except OSError as error:
        note = f"{NAMES[kind]}: the folder of the cache cannot be written ({_reason(error)})"
    else:
        try:
            lock = state.lock(descriptor, f"{path}.lock")
            while lock is None and pause is not None and time.monotonic() < end:
                pause(_STEP)
                lock = state.lock(descriptor, f"{path}.lock")
            if lock is not None:
                try:
                    note = _renew(path, kind, max(end - time.monotonic(), _STEP), renew)
                finally:
                    state.remove(lock)
            elif pause is not None:
                note = f"{NAMES[kind]}: another process has been reading the files anew for too long"
        finally:
            system.close(descriptor)
    found = _read_head(path, kind)
    if found is None:
        return Loaded(path, None, note)
    return Loaded(path, found, f"{note}; what was read last counts" if note else "", renewed=True)


def read(path: str, kind: str) -> Loaded:
    """Return a cache as it is, up to date or not; its data None where there is none."""
    return Loaded(path, _read_head(path, kind))


def _renew(path: str, kind: str, seconds: float, renew: "Callable[[float], str]") -> str:
    """Renew a cache whose lock we have; return why that failed, empty where it did not."""
    found = _read_head(path, kind)
    if found is not None and unchanged(found.manifest) and _read_rest(path)[0] != _DAMAGED[0]:
        return ""  # Another process has just done it.
    failed = f"{path}.failed"
    try:
        if 0 <= time.time() - system.stat(failed).st_mtime < PAUSE:
            return f"{NAMES[kind]}: reading the files anew failed a moment ago"
    except OSError:
        pass  # It did not fail lately.
    why = renew(seconds)
    if not why and _read_head(path, kind) is None:
        why = "what it wrote cannot be read"
    from rulewright.hook import state

    if not why:
        state.remove(failed)
        return ""
    try:
        system.close(state.open_private(failed, system.O_WRONLY))
        system.utime(failed)
    except OSError:
        pass  # Then the next event tries at once.
    return f"{NAMES[kind]}: the files cannot be read anew ({why})"


def _read_head(path: str, kind: str) -> "Head | None":
    """Return the beginning of a cache; None where there is no cache of ours or it is damaged."""
    data = _read_file(path, _FIRST_READ)
    found = _head_of(data, kind)
    if isinstance(found, int):
        found = _head_of(_read_file(path, found), kind)
    return None if isinstance(found, int) else found


def _head_of(data: bytes, kind: str) -> "Head | int | None":
    """Return the beginning of a cache, or how many bytes it has where there are too few."""
    from rulewright.hook.state import digest_bytes

    line, newline, _ = data[:_LONGEST_LINE].partition(b"\n")
    words = line.split(b" ")
    if not newline or len(words) != 9 or words[:3] != [MAGIC, CACHE_VERSION.encode(), kind.encode()]:
        return None
    try:
        manifest, gate, length, texts = (int(words[number]) for number in (3, 4, 6, 7))
    except ValueError:
        return None
    start = len(line) + 1
    middle, end = start + manifest, start + manifest + gate
    if min(manifest, gate, length, texts) < 0:
        return None
    if len(data) < end:
        return end if len(data) >= _FIRST_READ else None
    if digest_bytes(data[start:end]).encode() != words[5]:
        return None
    return Head(data[start:middle], data[middle:end], (end, length, texts, words[8]))


def _read_rest(path: str) -> "tuple[bytes, bytes]":
    """Return data and texts of a cache: of the newest, should another process have renewed it since its head was read."""
    from rulewright.hook.state import digest_bytes

    whole = _read_file(path, -1)
    kind = whole[:_LONGEST_LINE].split(b" ", 3)[2:3]
    head = _head_of(whole, kind[0].decode("utf-8", "replace")) if kind else None
    if not isinstance(head, Head):
        return _DAMAGED
    start, length, texts, total = head.rest
    rest = whole[start : start + length + texts]
    return (rest[:length], rest[length:]) if digest_bytes(rest).encode() == total else _DAMAGED


def _read_file(path: str, length: int) -> bytes:
    """Return the first bytes of a file, all of them for -1; nothing where it cannot be read."""
    try:
        descriptor = system.open(path, system.O_RDONLY | _FLAGS)
    except (OSError, ValueError):
        return b""
    parts: list[bytes] = []
    try:
        size = system.fstat(descriptor).st_size if length < 0 else length
        while size > 0 and (part := system.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
    except OSError:
        return b""
    finally:
        system.close(descriptor)
    return b"".join(parts)


def pack(kind: str, manifest: bytes, data: bytes, gate: bytes = b"", texts: bytes = b"") -> bytes:
    """Return the bytes of a cache."""
    from rulewright.hook.state import digest_bytes

    words = [MAGIC, CACHE_VERSION.encode(), kind.encode()]
    for first, second in ((manifest, gate), (data, texts)):
        words += [b"%d" % len(first), b"%d" % len(second), digest_bytes(first + second).encode()]
    return b" ".join(words) + b"\n" + manifest + gate + data + texts


def stamp(path: bytes) -> "tuple[bytes, int, int, int, int]":
    """Return a path with what shows whether a file or folder is still what it was: times of change in ns, size and number.

    All of them are 0 for what is not there.
    """
    try:
        found = system.stat(path)
    except (OSError, ValueError):
        return path, 0, 0, 0, 0
    return path, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def manifest_of(paths: "list[bytes]") -> bytes:
    """Return the manifest of files and folders as they are now."""
    return marshal.dumps([stamp(path) for path in paths])


def unchanged(manifest: bytes) -> bool:
    """Tell whether all files and folders of a manifest are what they were."""
    # Most of the time of an event with hundreds of rules is spent here.
    ask = system.stat
    try:
        for path, changed, touched, size, number in marshal.loads(manifest):
            if changed == touched == 0:
                if stamp(path)[1:] != (0, 0, 0, 0):
                    return False
                continue
            found = ask(path)
            if (
                found.st_mtime_ns != changed
                or found.st_ctime_ns != touched
                or found.st_size != size
                or found.st_ino != number
            ):
                return False
    except (OSError, ValueError, TypeError, EOFError):
        return False
    return True


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
