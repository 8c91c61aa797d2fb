"""What has been output already: one file a claim, made once and never changed, so that parallel hooks cannot both win.

    <folder>/<session>/<kind>-<hash>       an empty file; its name is the whole record. `s`: once a session, `t`: once a turn
    <folder>/<session>/c-<number>          one compaction of the session
    <folder>/x-<session>-<time>            a scope that has ended, on its way out

The folder of a session is one generation of it: a start or a clear puts it away.

Session ids are data: only their hash is a name. Folders are 0700, files 0600. A claim whose process dies in the next
moment is a lost output; that is the price of never showing a text twice.
"""

import sys
import time

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

# What is left of an ended scope for this long was not removed by the hook that ended it [R].
_GRACE = 60.0
# Seconds after which a session that was not used any more is forgotten [R].
_FORGET = 30 * 86400.0


class StateError(Exception):
    """The state cannot be read or written. The text says why."""


class State:
    """The claims of one session. `made` holds the paths of the claims that this process made."""

    __slots__ = ("_folder", "_path", "made")

    def __init__(self, folder: str, harness: str, session: str) -> None:
        self._folder = folder
        self._path = f"{folder}/{_hash(harness, session)}"
        self.made: list[str] = []

    def session_key(self, rule: str, texts: "tuple[str, ...]", by_compaction: bool) -> str:
        """Return the name of a `repeat: session` claim. Source: style.md section 7 point 3 [S].

        Raises:
            StateError: the compactions cannot be counted.
        """
        return "s-" + _hash(str(self.compactions()) if by_compaction else "-", rule, *texts)

    def turn_key(self, rule: str, texts: "tuple[str, ...]", turn: str) -> str:
        """Return the name of a `repeat: turn` claim; compaction does not touch it. Source: style.md section 7 point 3 [S]."""
        return "t-" + _hash(turn, rule, *texts)

    def claim(self, key: str) -> bool:
        """Make a claim; False where another event, or another process at this very moment, has made it.

        Raises:
            StateError: it cannot be told.
        """
        path = f"{self._path}/{key}"
        try:
            try:
                _create(path)
            except FileNotFoundError:
                _make_folders(self._path)
                _create(path)
        except FileExistsError:
            return False
        except (OSError, ValueError) as error:
            raise StateError(_reason(error)) from None
        self.made.append(path)
        return True

    def is_claimed(self, key: str) -> bool:
        """Tell whether a claim stands, changing nothing.

        Raises:
            StateError: it cannot be told.
        """
        try:
            system.lstat(f"{self._path}/{key}")
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError) as error:
            raise StateError(_reason(error)) from None
        return True

    def give_back(self) -> None:
        """Undo the claims of this process: their output was not delivered."""
        for path in self.made:
            _remove(path)
        self.made = []

    def start(self) -> None:
        """Begin a new scope: what was output before counts no more. Source: style.md section 7 point 3 [S].

        A cleared session begins a new scope too: nothing but claims is kept, so that is all a new generation means.

        Raises:
            StateError: the old scope cannot be put away.
        """
        # Under a name of its own: hooks that still run in the old scope make their claims in the new one.
        ended = f"{self._folder}/x-{self._path[len(self._folder) + 1 :]}-{time.time_ns()}-{system.getpid()}"
        try:
            system.rename(self._path, ended)
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            raise StateError(_reason(error)) from None
        _remove_folder(ended)
        _sweep(self._folder)

    def compact(self) -> None:
        """Count one compaction of the session.

        Raises:
            StateError: it cannot be counted.
        """
        while not self.claim(f"c-{self.compactions() + 1}"):
            continue  # A hook of another install counted at this moment.

    def compactions(self) -> int:
        """Return how often the session was compacted in its present scope.

        Raises:
            StateError: it cannot be told.
        """
        try:
            return sum(name.startswith("c-") for name in system.listdir(self._path))
        except FileNotFoundError:
            return 0
        except (OSError, ValueError) as error:
            raise StateError(_reason(error)) from None


def _sweep(folder: str) -> None:
    """Remove sessions long unused and what is left of ended scopes. What cannot be removed stays for the next time."""
    now = time.time()
    try:
        names = system.listdir(folder)
    except OSError:
        return
    for name in names[:1000]:
        path = f"{folder}/{name}"
        try:
            used = system.lstat(path).st_mtime
        except OSError:
            continue
        if now - used > (_GRACE if name.startswith("x-") else _FORGET):
            _remove_folder(path)


def _remove_folder(path: str) -> None:
    try:
        for name in system.listdir(path):
            _remove(f"{path}/{name}")
        system.rmdir(path)
    except OSError:
        return


def _create(path: str) -> None:
    flags = (
        system.O_CREAT
        | system.O_EXCL
        | system.O_WRONLY
        | getattr(system, "O_NOFOLLOW", 0)
        | getattr(system, "O_CLOEXEC", 0)
    )
    system.close(system.open(path, flags, 0o600))


def _make_folders(path: str) -> None:
    try:
        system.mkdir(path, 0o700)
    except FileNotFoundError:
        parent = path.replace("\\", "/").rpartition("/")[0]
        if not parent or parent == path:
            raise
        _make_folders(parent)
        _make_folders(path)
    except FileExistsError:
        pass


def _remove(path: str) -> None:
    try:
        system.unlink(path)
    except OSError:
        return


def _hash(*parts: str) -> str:
    """Return 32 hexadecimal digits for a list of texts."""
    data = b"".join(b"%d:%b" % (len(part), part) for part in [text.encode("utf-8", "surrogatepass") for text in parts])
    try:
        # hashlib loads OpenSSL and takes 3 ms; the same function straight from its module takes 0.1.
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    digest: str = blake2b(data, digest_size=16).hexdigest()
    return digest


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
