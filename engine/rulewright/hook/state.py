"""What has been output already, and how many prompts there were. Right between processes, and after a kill at any moment.

    <folder>/sessions/<session>/s-<hash>     one text of a rule with `repeat: session`; a line each time that it was delivered:
                                             the time, and the prompts counted until then
    <folder>/sessions/<session>/t-<hash>     the same with `repeat: turn`
    <folder>/sessions/<session>/g            a line each time that the session began anew (a start, a clear): the time, and the
                                             number of the index whose hook noted it
    <folder>/sessions/<session>/c            the same for compactions
    <folder>/sessions/<session>/p-<hash>     a dot for each prompt; each index counts for itself
    <folder>/sessions/<session>/a-<hash>     what was asked and which tools were called in one turn, one piece after another, for
                                             Foya's rules; a-<first digits of the index's hash>-<the count of prompts>
    <folder>/sessions/x-<session>-<time>     damaged, set aside

A claim stands while its last line is younger than the last line of `g`, and of `c` where a compaction counts. So one line
makes a new generation or round, and what a parallel hook claimed after the session began stays claimed. Nothing is ever
changed but by one append, so there is no half state. Times are nanoseconds of the wall clock; where that was set back, a line
that must be younger than another takes its time from that one.

Who claims a text locks its file, prints, appends the line, and ends. The lock ends with the process: while it is held others
take the text for output; if the process dies before it has printed, the next match outputs the text. Only a death between
printing and the line shows a text twice. Where there are no locks, an empty file `<claim>.<size>` stands for one, which
counts for as long as a hook may run.

A session is its id: what a client starts under a new one, a fork or Claude Code's `/clear`, has been told nothing yet.
Session ids are data: only their hash is a name. Folders are 0700, files 0600.
"""

import sys
import time

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

# What became of a claim: the first output of the text, one that `refresh` brings, or none.
FIRST, REFRESHED, AGAIN = "first", "refreshed", "again"
# Seconds after which a session that was not used any more, or was set aside, is forgotten [R].
_FORGET = 30 * 86400.0
# Seconds after which a lock file is that of a dead process: longer than a hook runs whose timeout nobody has raised (style.md
# section 7 point 6).
_LONGEST_RUN = 60.0
# Nanoseconds within which hooks of several indexes are called for one event [R]: harnesses start them together.
_TOGETHER = 10 * 10**9
# Bytes: ten thousand deliveries of one text. More was not written by us.
_LARGEST = 1 << 19
# Bytes of a turn's activity that count, the newest of them, and of one piece of it [R]: a tool call that writes a long file names
# the file first. What is older is still in the file, and goes with it at the next prompt.
ACTIVITY_LIMIT = 1 << 18
PIECE_LIMIT = 1 << 16
_FLAGS = getattr(system, "O_NOFOLLOW", 0) | getattr(system, "O_CLOEXEC", 0) | getattr(system, "O_NONBLOCK", 0)
_FLAGS |= getattr(system, "O_BINARY", 0)


class StateError(Exception):
    """The state cannot be read or written. The text says why."""


class _Damaged(Exception):
    """Something in the session's folder was not written by us."""


class State:
    """One session, as one event sees it. Every method that reads or writes raises StateError where it cannot."""

    __slots__ = ("_began", "_counter", "_folder", "_ignored", "_looks", "_path", "_pieces", "_prompts", "_taken")

    def __init__(self, folder: str, harness: str, session: str, index: str = "", looks: bool = False) -> None:
        """Make a state; nothing is read or written yet.

        Args:
            folder: the state folder. index: whose prompts are counted.
            looks: change nothing, damage included.
        """
        self._folder = f"{folder}/sessions"
        self._path = f"{self._folder}/{digest(harness, session)}"
        self._counter = f"{self._path}/p-{digest(index)}"
        self._looks = looks
        self._began: dict[str, int] = {}
        self._ignored: set[str] = set()
        self._pieces: list[bytes] = []
        self._prompts: int | None = None
        # claim: the descriptor that holds its lock, its lock file if it has one, the line
        self._taken: dict[str, tuple[int, str, bytes]] = {}

    # ---- what happens to the session

    def begin(self, kind: str, at: int) -> None:
        """Note a start or a clear (`g`) or a compaction (`c`): claims until `at`, in nanoseconds, count no more.

        Where several indexes are installed each is called for it. The first notes it; what that one has claimed by then stands.
        Source: style.md section 7 point 3 [S].
        """
        number = int(self._counter[-15:], 16)
        try:
            data = self._read(f"{self._path}/{kind}")
            at = max(at, self._ahead())
            if data:
                noted, noted_by = _last(data, 2)
                if noted_by != number and abs(at - noted) < _TOGETHER:
                    return
            if self._looks:
                self._ignored.add(kind)
                return
            descriptor = self._open_new(f"{self._path}/{kind}", system.O_WRONLY | system.O_APPEND)
            try:
                system.write(descriptor, b"%d %d\n" % (at, number))
            finally:
                system.close(descriptor)
            self._began.pop(kind, None)
        except (OSError, ValueError, _Damaged) as error:
            raise self._error(error) from None

    def _ahead(self) -> int:
        """Return the time of the latest claim that is ahead of the clock, which was set back then; 0 where there is none."""
        try:
            names = system.listdir(self._path)
        except FileNotFoundError:
            return 0
        now = time.time_ns()
        found = 0
        for name in names:
            if name.startswith(("s-", "t-")) and (data := self._read(f"{self._path}/{name}")):
                try:
                    found = max(found, _last(data, 2)[0])
                except _Damaged:
                    continue  # Who claims it finds that out.
        return found if found > now else 0

    def forget_old(self) -> None:
        """Remove sessions long unused. What cannot be removed stays for the next time."""
        now = time.time()
        try:
            names = system.listdir(self._folder)
        except OSError:
            return
        turn = time.time_ns() // 1000 % max(len(names), 1)
        for name in (names[turn:] + names[:turn])[:1000]:
            path = f"{self._folder}/{name}"
            try:
                used = system.lstat(path).st_mtime
                if now - used > _FORGET:
                    # A folder shows the time of its last new file; a long session goes on in old ones.
                    used = max([used, *(system.lstat(f"{path}/{name}").st_mtime for name in system.listdir(path))])
                    if now - used > _FORGET:
                        _remove_folder(path)
            except OSError:
                continue

    def count_prompt(self) -> None:
        """Count one prompt of a person. Source: the seed, `refresh` [S]."""
        if self._looks:
            self._prompts = self.prompts() + 1
            return
        try:
            descriptor = self._open_new(self._counter, system.O_RDWR | system.O_APPEND)
            try:
                system.write(descriptor, b".")
                self._prompts = _dots(_whole(descriptor))
            finally:
                system.close(descriptor)
        except (OSError, ValueError, _Damaged) as error:
            raise self._error(error) from None

    def prompts(self) -> int:
        """Return the number of prompts counted in this session."""
        if self._prompts is None:
            try:
                self._prompts = _dots(self._read(self._counter))
            except (OSError, ValueError, _Damaged) as error:
                raise self._error(error) from None
        return self._prompts

    # ---- the activity of a turn

    def add_activity(self, piece: str) -> None:
        """Add a piece of text to the activity of this turn: one append, so that parallel tool calls lose nothing.

        Turns are told apart by the count of prompts: not every event of a turn names it.
        """
        data = piece.encode("utf-8", "replace")
        if len(data) > PIECE_LIMIT:
            data = data[: PIECE_LIMIT // 2] + b"\n" + data[-PIECE_LIMIT // 2 :]
        if self._looks:
            self._pieces.append(data + b"\n")
            return
        try:
            descriptor = self._open_new(self._activity(), system.O_WRONLY | system.O_APPEND)
            try:
                system.write(descriptor, data + b"\n")
            finally:
                system.close(descriptor)
        except (OSError, ValueError, _Damaged) as error:
            raise self._error(error) from None

    def activity(self) -> str:
        """Return the newest ACTIVITY_LIMIT bytes of the activity of this turn, its pieces on lines of their own."""
        try:
            data = self._read(self._activity(), ACTIVITY_LIMIT)
        except (OSError, ValueError, _Damaged) as error:
            raise self._error(error) from None
        return (data + b"".join(self._pieces)).decode("utf-8", "ignore")

    def forget_activity(self) -> None:
        """Remove the activity of all turns but this one. What cannot be removed stays for the next time."""
        if self._looks:
            return
        kept = self._activity().rpartition("/")[2]
        mine = kept[: kept.index("-", 2) + 1]
        try:
            names = system.listdir(self._path)
        except OSError:
            return
        for name in names:
            if name.startswith(mine) and name != kept:
                remove(f"{self._path}/{name}")

    def _activity(self) -> str:
        return f"{self._path}/a-{self._counter[-32:][:8]}-{self.prompts()}"

    # ---- claims

    def session_key(self, rule: str, texts: "tuple[str, ...]") -> str:
        """Return the name of a `repeat: session` claim.

        Generation and round (style.md section 7 point 3 [S]) are not part of the name: see the module.
        """
        return "s-" + digest(rule, *texts)

    def turn_key(self, rule: str, texts: "tuple[str, ...]", turn: str | None) -> str:
        """Return the name of a `repeat: turn` claim; without a turn id the count of prompts tells turns apart [S]."""
        return "t-" + (
            digest("count", str(self.prompts()), rule, *texts) if turn is None else digest(turn, rule, *texts)
        )

    def standing(self, key: str, by_compaction: bool = False, refresh: int = 0) -> tuple[str, int | None]:
        """Tell what claiming a text would give, and how many prompts have passed since it was last output.

        Args:
            by_compaction: a compaction makes the claim void. refresh: prompts after which the text is due again; 0: never.
        """
        try:
            return self._judge(self._read(f"{self._path}/{key}"), by_compaction, refresh)
        except (OSError, ValueError, _Damaged) as error:
            raise self._error(error) from None

    def claim(self, key: str, by_compaction: bool = False, refresh: int = 0) -> str:
        """Claim a text: FIRST or REFRESHED if it is ours to output, AGAIN if it is not due or another process outputs it now.

        Arguments as in `standing`. The claim is held until `settle`.
        """
        if key in self._taken:
            return AGAIN  # Also because a lock ends when its process closes the file anywhere.
        found, _ = self.standing(key, by_compaction, refresh)
        if found == AGAIN or self._looks:
            return found
        try:
            path = f"{self._path}/{key}"
            descriptor = self._open_new(path, system.O_RDWR | system.O_APPEND)
            keep = False
            try:
                held = lock(descriptor, path)
                if held is None:
                    return AGAIN
                found, _ = self._judge(_whole(descriptor), by_compaction, refresh)
                if found == AGAIN:
                    remove(held)
                    return AGAIN
                now = max(time.time_ns(), self._last_begin("g") + 1, self._last_begin("c") + 1)
                line = b"%d %d\n" % (now, self.prompts() if refresh else 0)
                self._taken[key] = (descriptor, held, line)
                keep = True
            finally:
                if not keep:
                    system.close(descriptor)
        except (OSError, ValueError, _Damaged) as error:
            raise self._error(error) from None
        return found

    def settle(self, delivered: bool) -> None:
        """End the claims of this event: they stand if their texts were delivered, else the texts stay due."""
        for key in list(self._taken):
            self._end(key, delivered)

    def release(self, key: str) -> None:
        """Give a claim of this event back: its text stays due."""
        if key in self._taken:
            self._end(key, delivered=False)

    def _end(self, key: str, delivered: bool) -> None:
        descriptor, lock, line = self._taken.pop(key)
        try:
            if delivered:
                system.write(descriptor, line)
            remove(lock)
            system.close(descriptor)
        except OSError:
            return  # It was delivered all the same: the next match repeats it.

    def _judge(self, data: bytes, by_compaction: bool, refresh: int) -> tuple[str, int | None]:
        if not data:
            return FIRST, None
        at, count = _last(data, 2)
        if not self._is_younger(at, "g") or (by_compaction and not self._is_younger(at, "c")):
            return FIRST, None
        since = self.prompts() - count if refresh else None
        return (REFRESHED if since is not None and since >= refresh else AGAIN), since

    def _is_younger(self, at: int, kind: str) -> bool:
        return kind not in self._ignored and at > self._last_begin(kind)

    def _last_begin(self, kind: str) -> int:
        if kind not in self._began:
            data = self._read(f"{self._path}/{kind}")
            self._began[kind] = _last(data, 2)[0] if data else 0
        return self._began[kind]

    # ---- files

    def _read(self, path: str, newest: int = 0) -> bytes:
        """Return what is in a file, nothing where there is none. `newest`: only as many bytes from its end; 0: all."""
        try:
            descriptor = self._open(path, system.O_RDONLY)
        except FileNotFoundError:
            return b""
        try:
            if not newest:
                return _whole(descriptor)
            system.lseek(descriptor, max(system.fstat(descriptor).st_size - newest, 0), 0)
            return system.read(descriptor, newest)
        finally:
            system.close(descriptor)

    def _open(self, path: str, flags: int) -> int:
        return system.open(path, flags | _FLAGS, 0o600)

    def _open_new(self, path: str, flags: int) -> int:
        for _ in range(3):
            try:
                return self._open(path, flags | system.O_CREAT)
            except FileNotFoundError:
                _make_folders(self._path)  # Or a parallel hook has set the folder aside.
        return self._open(path, flags | system.O_CREAT)

    def _error(self, error: BaseException) -> StateError:
        """Return what to raise. What is damaged is set aside, so that the next event starts fresh [R]."""
        damaged = isinstance(error, _Damaged) or (isinstance(error, OSError) and is_no_file_of_ours(error))
        if not damaged or self._looks:
            return StateError(_reason(error))
        try:
            system.rename(self._path, f"{self._folder}/x-{self._path.rpartition('/')[2]}-{time.time_ns()}")
        except FileNotFoundError:
            pass  # A parallel hook has done it.
        except OSError:
            return StateError(_reason(error))
        return StateError(f"{_reason(error)}; it has been set aside")


def open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may read, and make it, and the folders that it lies in, where they are not there.

    Raises:
        OSError: it cannot be opened.
    """
    for _ in range(3):
        try:
            return system.open(path, flags | system.O_CREAT | _FLAGS, 0o600)
        except FileNotFoundError:
            _make_folders(path.replace("\\", "/").rpartition("/")[0])
    return system.open(path, flags | system.O_CREAT | _FLAGS, 0o600)


def is_no_file_of_ours(error: OSError) -> bool:
    """Tell whether this is what opening a folder, a link, a pipe or something below a file gives."""
    import errno

    return error.errno in (errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.ESPIPE)


def lock(descriptor: int, path: str) -> str | None:
    """Lock an open file without waiting; return the lock file (empty: none was needed), or None where another process has it."""
    if hasattr(system, "lockf"):
        try:
            system.lockf(descriptor, system.F_TLOCK, 0)
            return ""
        except (BlockingIOError, PermissionError):
            return None
        except OSError:
            pass  # A file system without locks.
    file = f"{path}.{system.fstat(descriptor).st_size}"
    for _ in range(2):
        try:
            system.close(system.open(file, system.O_CREAT | system.O_EXCL | system.O_WRONLY | _FLAGS, 0o600))
            return file
        except FileExistsError:
            try:
                if time.time() - system.lstat(file).st_mtime < _LONGEST_RUN:
                    return None
                # Of several that find it too old one can move it away.
                moved = f"{file}.{system.getpid()}.{time.time_ns()}"
                system.rename(file, moved)
                remove(moved)
            except FileNotFoundError:
                return None
    return None


def _whole(descriptor: int) -> bytes:
    """Return what is in an open file from its start."""
    system.lseek(descriptor, 0, 0)
    data = system.read(descriptor, _LARGEST)
    if len(data) == _LARGEST:
        raise _Damaged("a file is too large")
    return data


def _last(data: bytes, count: int) -> "list[int]":
    """Return the numbers in the last line."""
    lines = data.split(b"\n")
    words = lines[-2].split(b" ") if len(lines) > 1 else []
    if lines[-1] or len(words) != count or not all(word.isdigit() and len(word) < 20 for word in words):
        raise _Damaged("a file holds what was not written there")
    return [int(word) for word in words]


def _dots(data: bytes) -> int:
    if data.strip(b"."):
        raise _Damaged("the count of prompts is not readable")
    return len(data)


def _remove_folder(path: str) -> None:
    for name in system.listdir(path):
        remove(f"{path}/{name}")
    system.rmdir(path)


def _make_folders(path: str) -> None:
    try:
        system.mkdir(path, 0o700)
    except FileNotFoundError:
        parent = path.replace("\\", "/").rpartition("/")[0]
        if not parent or parent == path:
            raise
        _make_folders(parent)
        _make_folder(path)
    except FileExistsError:
        pass


def _make_folder(path: str) -> None:
    # No second look at what is above it: a link that leads nowhere is there, and yet nothing can be made in it.
    try:
        system.mkdir(path, 0o700)
    except FileExistsError:
        pass  # A parallel hook has just made it.


def remove(path: str) -> None:
    """Remove a file where there is one. The empty path is none."""
    if not path:
        return
    try:
        system.unlink(path)
    except OSError:
        return


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits for a list of texts."""
    return digest_bytes(
        b"".join(b"%d:%b" % (len(part), part) for part in [text.encode("utf-8", "surrogatepass") for text in parts])
    )


def digest_bytes(data: bytes) -> str:
    """Return 32 hexadecimal digits for bytes."""
    try:
        # hashlib loads OpenSSL and takes 3 ms; the same function straight from its module takes 0.1.
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    found: str = blake2b(data, digest_size=16).hexdigest()
    return found


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
