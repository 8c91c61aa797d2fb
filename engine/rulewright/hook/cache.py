"""What an event needs of files that only the whole engine can read: a copy that is renewed when one of those files has changed.

Layout (numbers decimal):

    rulewright-cache <version> <kind> <length of the manifest> <its checksum> <length of the data> <its checksum>\\n
    the manifest: a stamp, a space and a path for each file and folder that was looked at, each ended by a NUL
    the data: JSON

A stamp is what `stat` says: times of change in nanoseconds, size and number, `-` for what is not there. Folders have one too, so
that a new file is noticed. As long as all stamps are as they were, an event only asks for them. Else one event starts a child that
reads the files and writes the copy anew (`rulewright.caching`); others use the old copy meanwhile. Where that fails, the last good
copy counts, and the next try is made after a while.
"""

import sys
import time

from rulewright import __version__
from rulewright.hook.index import checksum

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Of the layout and of the engine that read the files: another one may read them in another way.
CACHE_VERSION = f"1/{__version__}"
MAGIC = b"rulewright-cache"
# What messages call what a cache holds.
NAMES = {"foya": "Foya's rules", "chains": "the hook chains"}
MISSING = b"-"
# Seconds that an event waits at most for the child [R]: reading 200 rules takes one.
LONGEST = 8.0
# Seconds after a failure until the next try [R], so that not every event waits for one that fails again.
PAUSE = 30.0
_FIRST_READ = 1 << 16
_FLAGS = getattr(system, "O_BINARY", 0) | getattr(system, "O_CLOEXEC", 0)


class Loaded:
    """What an event has of a cache.

    data: None where there is none yet. note: why it is not up to date, empty: it is. renewed: it was not up to date before.
    """

    __slots__ = ("data", "note", "renewed")

    def __init__(self, data: "Any", note: str = "", renewed: bool = False) -> None:
        self.data = data
        self.note = note
        self.renewed = renewed


def path_of(state_folder: str, kind: str, *names: str) -> str:
    """Return where a cache lies, in the folder of per-user state. `names`: what tells it from others of its kind."""
    from rulewright.hook.state import digest

    return f"{state_folder}/caches/{kind}-{digest(*names)}"


def load(path: str, kind: str, seconds: float, renew: "Callable[[float], str]") -> Loaded:
    """Return the data of a cache, renewed if a file has changed. Never raises because of what is or is not there.

    Args:
        path: of the cache, in the folder of per-user state. kind: what it holds, a word.
        seconds: that may be waited for. renew: writes the cache anew, given the seconds it may take; returns why it could not.
    """
    found = _read(path, kind)
    if found is not None and unchanged(found[0]):
        return Loaded(found[1]())
    from rulewright.hook import state

    note = ""
    try:
        descriptor = state.open_private(f"{path}.lock", system.O_RDWR)
    except OSError as error:
        note = f"{NAMES[kind]}: the folder of the cache cannot be written ({_reason(error)})"
    else:
        try:
            lock = state.lock(descriptor, f"{path}.lock")
            if lock is not None:
                try:
                    note = _renew(path, kind, min(seconds, LONGEST), renew)
                finally:
                    state.remove(lock)
        finally:
            system.close(descriptor)
    found = _read(path, kind)
    if found is None:
        return Loaded(None, note)
    return Loaded(found[1](), f"{note}; what was read last counts" if note else "", renewed=True)


def read(path: str, kind: str) -> "Any":
    """Return the data of a cache as it is, up to date or not; None where there is none."""
    found = _read(path, kind)
    return None if found is None else found[1]()


def _renew(path: str, kind: str, seconds: float, renew: "Callable[[float], str]") -> str:
    """Renew a cache whose lock we have; return why that failed, empty where it did not."""
    found = _read(path, kind)
    if found is not None and unchanged(found[0]):
        return ""  # Another process has just done it.
    failed = f"{path}.failed"
    try:
        if 0 <= time.time() - system.stat(failed).st_mtime < PAUSE:
            return f"{NAMES[kind]}: reading the files anew failed a moment ago"
    except OSError:
        pass  # It did not fail lately.
    why = renew(seconds)
    if not why and _read(path, kind) is None:
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


def _read(path: str, kind: str) -> "tuple[bytes, Callable[[], Any]] | None":
    """Return the manifest of a cache and what reads its data; None where there is no cache of ours or it is damaged."""
    try:
        descriptor = system.open(path, system.O_RDONLY | _FLAGS)
    except (OSError, ValueError):
        return None
    try:
        parts = []
        while part := system.read(descriptor, _FIRST_READ):
            parts.append(part)
            if len(part) < _FIRST_READ:
                break
    except OSError:
        return None
    finally:
        system.close(descriptor)
    head, _, rest = b"".join(parts).partition(b"\n")
    words = head.split(b" ")
    if len(words) != 7 or words[:3] != [MAGIC, CACHE_VERSION.encode(), kind.encode()]:
        return None
    try:
        length, total, data_length, data_total = map(int, words[3:])
    except ValueError:
        return None
    manifest, data = rest[:length], rest[length:]
    if len(data) != data_length or checksum(manifest) != total or checksum(data) != data_total:
        return None
    return manifest, lambda: _parsed(data)


def _parsed(data: bytes) -> "Any":
    from rulewright.hook.json_text import parse

    return parse(data)


def pack(kind: str, manifest: bytes, data: bytes) -> bytes:
    """Return the bytes of a cache."""
    numbers = (len(manifest), checksum(manifest), len(data), checksum(data))
    head = b"%b %b %b %d %d %d %d\n" % (MAGIC, CACHE_VERSION.encode(), kind.encode(), *numbers)
    return head + manifest + data


def stamp(path: bytes) -> bytes:
    """Return what shows whether a file or folder is still what it was."""
    try:
        found = system.stat(path)
    except (OSError, ValueError):
        return MISSING
    return b"%d,%d,%d,%d" % (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def unchanged(manifest: bytes) -> bool:
    """Tell whether all files and folders of a manifest are what they were."""
    for row in manifest.split(b"\0"):
        was, _, path = row.partition(b" ")
        if path and stamp(path) != was:
            return False
    return True


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
