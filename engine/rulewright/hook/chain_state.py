"""When rules of hook chains acted last: cooldowns and dedup marks. Right between processes, and after a kill at any moment.

    <folder>/chains/lock         held while marks are read and changed: one process at a time
    <folder>/chains/<scope>      the marks of one scope (a session), replaced as a whole, on disk before an action begins
    <folder>/chains/x-<scope>-<time>   damaged, set aside

A line of a scope's file is a mark: its kind (`c` cooldown of a rule, `d` dedup of an action, `h` hold), a SHA-1, and two times in
milliseconds: when it was set and when it ends. A mark ends when its end time is reached. The last line counts the marks, so that a
cut file is noticed.

Where a file is damaged nobody knows what was in it. It is set aside, and a hold of the longest window of the configuration takes
its place, in which no action runs: nothing is started twice [R].

Where the clock was set back, a mark that seems to be set in the future counts as set now: it waits once more for its own window
and no longer [R].

Scopes and ids are data: only their hashes are names. Folders are 0700, files 0600.
"""

import sys
import time

from rulewright.hook.state import is_no_file_of_ours, open_private

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Source: hook-chains.md section 4, limits [S, O].
LIMITS = {"c": 5000, "d": 20000, "h": 1}
# Milliseconds. Source: hook-chains.md section 2, the longest window [S, O].
LONGEST_WINDOW = 86_400_000
# Seconds after which a scope's file, or one set aside, is forgotten: every window has ended by then [R].
FORGET = 3 * 86400.0
# Seconds to wait for the lock [R]: it is held for some milliseconds.
WAIT = 5.0
# Seconds after which a lock file is that of a dead process, where the system has no locks [R].
STALE = 10.0
_LOCK = "lock"
_LOCK_FILE = "-file"
_HEAD = b"rulewright-chains 1\n"
# Bytes: all the marks there may be have fewer.
_LARGEST = 1 << 22
_FLAGS = getattr(system, "O_NOFOLLOW", 0) | getattr(system, "O_CLOEXEC", 0) | getattr(system, "O_BINARY", 0)
_FLAGS |= getattr(system, "O_NONBLOCK", 0)


class ChainStateError(Exception):
    """The marks cannot be read or written, so that nothing may run. The text says why."""


class _Damaged(Exception):
    """The file of a scope holds what was not written there."""


class _NoLocks(Exception):
    """There are no locks here."""


class ChainState:
    """The marks of one scope. Every method raises ChainStateError where it cannot read or write."""

    __slots__ = ("_folder", "_now_ms", "_path", "_pause")

    def __init__(
        self,
        folder: str,
        scope: str,
        now_ms: "Callable[[], int]",
        pause: "Callable[[float], None]" = time.sleep,
    ) -> None:
        """Make a state; nothing is read or written yet.

        Args:
            folder: the state folder. scope: what the marks belong to, a session's id.
            now_ms: the wall clock in milliseconds. pause: waits for some seconds.
        """
        self._folder = f"{folder}/chains"
        self._path = f"{self._folder}/{sha1(scope)}"
        self._now_ms = now_ms
        self._pause = pause

    def begin_cooldown(self, rule_id: str, window: int, hold: int) -> "tuple[str, int]":
        """Start the cooldown of a rule, unless something forbids that: see `_take`."""
        return self._take("c", sha1(rule_id), window, hold)

    def mark_action(self, key: str, window: int, hold: int) -> "tuple[str, int]":
        """Mark an action as done for this event, unless something forbids that: see `_take`. `key`: a SHA-1."""
        return self._take("d", key, window, hold)

    def cooldown_left(self, rule_id: str, hold: int) -> "tuple[str, int]":
        """Tell what `begin_cooldown` would give. Changes nothing."""
        return self._look("c", sha1(rule_id), hold)

    def action_left(self, key: str, hold: int) -> "tuple[str, int]":
        """Tell what `mark_action` would give. Changes nothing."""
        return self._look("d", key, hold)

    def _take(self, kind: str, key: str, window: int, hold: int) -> "tuple[str, int]":
        """Set a mark that ends `window` ms from now, if there is none.

        Args:
            hold: ms without actions where the marks turn out to be damaged.

        Returns:
            What stands in the way, and for how many ms more: `hold`, `active` (such a mark); or `free` and 0: it is ours now, and
            on disk.
        """
        try:
            lock = self._lock()
            try:
                # Asked for under the lock, so that times never run backwards from one process to the next.
                now = self._now_ms()
                try:
                    marks, moved = self._marks(now)
                except _Damaged:
                    self._set_aside()
                    marks, moved = {("h", ""): (now, now + hold)}, True
                found = _standing(marks, kind, key, now)
                if found[0] == "free":
                    marks[kind, key] = (now, now + window)
                if moved or (found[0] == "free" and window):
                    self._write(marks, now)
                return found
            finally:
                self._unlock(lock)
        except (OSError, ValueError) as error:
            raise ChainStateError(_reason(error)) from None

    def _look(self, kind: str, key: str, hold: int) -> "tuple[str, int]":
        now = self._now_ms()
        try:
            return _standing(self._marks(now)[0], kind, key, now)
        except _Damaged:
            return "hold", hold
        except (OSError, ValueError) as error:
            raise ChainStateError(_reason(error)) from None

    # ---- the file of the scope

    def _marks(self, now: int) -> "tuple[dict[tuple[str, str], tuple[int, int]], bool]":
        """Return the marks, and whether one had to be moved because the clock was set back."""
        try:
            descriptor = system.open(self._path, system.O_RDONLY | _FLAGS)
        except FileNotFoundError:
            return {}, False
        except OSError as error:
            if is_no_file_of_ours(error):
                raise _Damaged from None
            raise
        try:
            data = _whole(descriptor)
        except OSError as error:
            if is_no_file_of_ours(error):
                raise _Damaged from None
            raise
        finally:
            system.close(descriptor)
        marks: dict[tuple[str, str], tuple[int, int]] = {}
        moved = False
        lines = data.split(b"\n")
        if not data.startswith(_HEAD) or len(lines) < 3 or lines[-1] or lines[-2] != b"end %d" % (len(lines) - 3):
            raise _Damaged
        for line in lines[1:-2]:
            words = line.split(b" ")
            if (
                len(words) != 4
                or words[0] not in (b"c", b"d", b"h")
                or not _is_time(words[2])
                or not _is_time(words[3])
            ):
                raise _Damaged
            began, end = int(words[2]), int(words[3])
            if not 0 <= end - began <= LONGEST_WINDOW:
                raise _Damaged
            if began > now:
                began, end, moved = now, now + end - began, True
            marks[words[0].decode(), words[1].decode("ascii", "replace")] = (began, end)
        return marks, moved

    def _write(self, marks: "dict[tuple[str, str], tuple[int, int]]", now: int) -> None:
        """Replace the file by the marks that have not ended, the soonest to end left out where there are too many."""
        kept: list[tuple[int, int, str, str]] = []
        for kind, limit in LIMITS.items():
            alive = [(end, began, kind, key) for (of, key), (began, end) in marks.items() if of == kind and end > now]
            alive.sort()
            kept += alive[-limit:]
        lines = [b"%s %s %d %d\n" % (kind.encode(), key.encode(), began, end) for end, began, kind, key in kept]
        data = b"".join([_HEAD, *lines, b"end %d\n" % len(lines)])
        new = f"{self._path}.{system.getpid()}"
        descriptor = system.open(new, system.O_WRONLY | system.O_CREAT | system.O_TRUNC | _FLAGS, 0o600)
        try:
            written = 0
            while written < len(data):
                written += system.write(descriptor, data[written:])
            system.fsync(descriptor)
        finally:
            system.close(descriptor)
        if not _exists(self._path):
            self._forget_old()
        system.replace(new, self._path)

    def _set_aside(self) -> None:
        name = self._path.rpartition("/")[2]
        try:
            system.rename(self._path, f"{self._folder}/x-{name}-{time.time_ns()}")
        except FileNotFoundError:
            return

    def _forget_old(self) -> None:
        """Remove the files of scopes long unused, when a new scope begins. What cannot be removed stays."""
        now = time.time()
        for name in system.listdir(self._folder)[:1000]:
            path = f"{self._folder}/{name}"
            try:
                if not name.startswith(_LOCK) and now - system.lstat(path).st_mtime > FORGET:
                    system.unlink(path)
            except OSError:
                continue

    # ---- the lock

    def _lock(self) -> int:
        """Wait for the lock of all scopes; return the descriptor that holds it, -1 where a lock file does.

        Raises:
            ChainStateError: another process has held it too long.
        """
        path = f"{self._folder}/{_LOCK}"
        descriptor = open_private(path, system.O_RDWR)
        locked: bool | None = False
        try:
            locked = self._wait(lambda: _has_lock(descriptor))
        except _NoLocks:
            locked = None
        finally:
            if not locked:
                system.close(descriptor)
        if locked is None:
            descriptor = -1
            locked = self._wait(lambda: _made_lock(path + _LOCK_FILE))
        if not locked:
            raise ChainStateError("another process holds its lock")
        return descriptor

    def _wait(self, attempt: "Callable[[], bool]") -> bool:
        waited, step = 0.0, 0.001
        while not attempt():
            if waited >= WAIT:
                return False
            self._pause(step)
            waited += step
            step = min(step * 2, 0.02)
        return True

    def _unlock(self, descriptor: int) -> None:
        if descriptor >= 0:
            system.close(descriptor)
            return
        try:
            system.unlink(f"{self._folder}/{_LOCK}{_LOCK_FILE}")
        except OSError:
            return


def sha1(text: str) -> str:
    """Return 40 hexadecimal digits for a text."""
    try:
        from _sha1 import sha1 as function  # type: ignore[import-not-found]  # hashlib loads OpenSSL and takes 3 ms.
    except ImportError:
        from hashlib import sha1 as function
    digits: str = function(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digits


def _standing(marks: "dict[tuple[str, str], tuple[int, int]]", kind: str, key: str, now: int) -> "tuple[str, int]":
    """Tell what is in the way of setting a mark, and for how many ms more."""
    hold = marks.get(("h", ""), (0, 0))[1]
    if hold > now:
        return "hold", hold - now
    end = marks.get((kind, key), (0, 0))[1]
    return ("active", end - now) if end > now else ("free", 0)


def _has_lock(descriptor: int) -> bool:
    if not hasattr(system, "lockf"):
        raise _NoLocks
    try:
        system.lockf(descriptor, system.F_TLOCK, 0)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        raise _NoLocks from None  # A file system without locks.
    return True


def _made_lock(path: str) -> bool:
    try:
        system.close(system.open(path, system.O_CREAT | system.O_EXCL | system.O_WRONLY | _FLAGS, 0o600))
    except FileExistsError:
        _remove_stale(path)
        return False
    return True


def _remove_stale(path: str) -> None:
    try:
        if time.time() - system.lstat(path).st_mtime > STALE:
            # Of several that find it too old one can move it away.
            moved = f"{path}.{system.getpid()}"
            system.rename(path, moved)
            system.unlink(moved)
    except FileNotFoundError:
        return


def _whole(descriptor: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := system.read(descriptor, 1 << 20):
        parts.append(part)
        size += len(part)
        if size > _LARGEST:
            raise _Damaged
    return b"".join(parts)


def _is_time(word: bytes) -> bool:
    return word.isdigit() and len(word) < 17


def _exists(path: str) -> bool:
    try:
        system.lstat(path)
    except FileNotFoundError:
        return False
    return True


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
