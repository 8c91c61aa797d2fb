"""OpenClaude's team files and mailboxes: who is in a team, and how a message gets to one of them.

Paths, JSON and the lock are exactly OpenClaude's own, so that both can write. Source: harnesses.md section 7.2 [S].
"""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Message = dict[str, Any]

# The sender where none is known.
SENDER = "self-healing-mesh"
# Seconds after which a lock is that of a dead process.
STALE = 10.0
# Attempts to get a lock, with pauses that grow from the first to the last number of seconds: about two seconds in all. OpenClaude
# makes 10.
ATTEMPTS = 30
PAUSES = (0.005, 0.1)
# Bytes of a team file or a mailbox that are read [R].
LARGEST = 50_000_000
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FLAGS |= getattr(os, "O_NONBLOCK", 0)
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


class MailboxError(Exception):
    """A message could not be delivered. The text says why; what was in the mailbox is as it was."""


def team_file(config_dir: str, team: str) -> str:
    """Return the path of a team's file."""
    return os.path.join(config_dir, "teams", _plain(team, "").lower(), "config.json")


def inbox(config_dir: str, team: str, member: str) -> str:
    """Return the path of a member's mailbox: its folder is named by another rule than that of the team file."""
    return os.path.join(config_dir, "teams", _plain(team, "_-"), "inboxes", f"{_plain(member, '_-')}.json")


def _plain(name: str, also: str) -> str:
    # JavaScript replaces each UTF-16 unit, so a character outside the BMP becomes two dashes.
    return "".join(
        letter if letter in _LETTERS or letter in also else "--" if letter > "\uffff" else "-" for letter in name
    )


def read_members(config_dir: str, team: str) -> "list[Mapping[str, Any]] | None":
    """Return the members of a team that have a name; None where its file is missing or is no team file."""
    from rulewright.hook.json_text import parse

    try:
        found = parse(_read(team_file(config_dir, team)))
    except (OSError, ValueError):
        return None
    members = found.get("members") if isinstance(found, dict) else None
    if not isinstance(members, list):
        return None
    return [item for item in members if isinstance(item, dict) and isinstance(item.get("name"), str) and item["name"]]


def recipients(wanted: "Sequence[str] | None", members: "Sequence[str]", sender: str) -> "list[str]":
    """Return whom a message goes to: those of `wanted` who are members, or everybody but the sender.

    Source: hook-chains.md section 6 [S, O].
    """
    if wanted and "*" not in wanted:
        chosen = [name for name in wanted if name in members]
    else:
        chosen = [name for name in members if name != sender]
    return list(dict.fromkeys(chosen))


def compose(sender: str, text: str, summary: str, color: str, now_ms: int) -> "Message":
    """Return an unread message. `text` is never one of the messages that OpenClaude acts on: see `guard`."""
    message: Message = {"from": sender, "text": guard(text), "summary": summary}
    if color:
        message["color"] = color
    return {**message, "timestamp": _iso(now_ms), "read": False}


def guard(text: str) -> str:
    """Make sure that a text is read as text.

    A message that is a JSON object with a `type` steers OpenClaude (`shutdown_request`, `permission_response`, ...). A payload or an
    error must not: before what may be such an object stands a line of words. Whatever our parser cannot read but another might
    (nesting, long numbers) is taken for one.
    """
    from rulewright.hook.json_text import parse, utf8

    inner = text.strip(" \t\r\n\ufeff")
    if not (inner.startswith("{") and inner.endswith("}")):
        return text
    try:
        harmless = "type" not in parse(utf8(inner))
    except ValueError:
        harmless = False
    return text if harmless else f"Hook chain message:\n{text}"


def deliver(path: str, message: "Message", pause: "Callable[[float], None]" = time.sleep) -> None:
    """Append a message to a mailbox, under OpenClaude's lock.

    Args:
        pause: waits for some seconds.

    Raises:
        MailboxError: it cannot be written, its lock is held, or what is in it is no list of messages.
    """
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
        except FileExistsError:
            pass
        else:
            os.write(descriptor, b"[]")
            os.close(descriptor)
        lock = f"{path}.lock"
        _take(lock, pause)
        try:
            _append(path, message)
        finally:
            _release(lock)
    except OSError as error:
        raise MailboxError(error.strerror or type(error).__name__) from None


def _take(lock: str, pause: "Callable[[float], None]") -> None:
    step = PAUSES[0]
    for _ in range(ATTEMPTS):
        try:
            os.mkdir(lock, 0o700)
            return
        except FileExistsError:
            if _is_stale(lock):
                _remove_stale(lock)
                continue
        pause(step)
        step = min(step * 2, PAUSES[1])
    raise MailboxError("its lock is held by another process")


def _release(lock: str) -> None:
    try:
        os.rmdir(lock)
    except FileNotFoundError:
        return  # Somebody has taken it for stale.


def _is_stale(lock: str) -> bool:
    try:
        return time.time() - os.lstat(lock).st_mtime > STALE
    except FileNotFoundError:
        return False


def _remove_stale(lock: str) -> None:
    """Move a stale lock away, then remove it: of several that find it too old one can, and a fresh one is put back."""
    moved = f"{lock}.{os.getpid()}.{time.time_ns()}"
    try:
        os.rename(lock, moved)
    except FileNotFoundError:
        return
    if _is_stale(moved):
        os.rmdir(moved)
        return
    try:
        os.rename(moved, lock)
    except OSError:
        os.rmdir(moved)


def _append(path: str, message: "Message") -> None:
    import json

    from rulewright.hook.json_text import parse

    data = _read(path)
    try:
        messages = parse(data) if data.strip() else []
    except ValueError:
        messages = None
    if not isinstance(messages, list):
        raise MailboxError("it holds no list of messages, so it was left as it is")
    text = json.dumps([*messages, message], ensure_ascii=False, indent=2)
    # Half a surrogate pair is written as an escape, as JavaScript does.
    new = text.encode("utf-8", "backslashreplace")
    descriptor = os.open(path, os.O_WRONLY | _FLAGS)
    try:
        written = 0
        while written < len(new):
            written += os.write(descriptor, new[written:])
        # Cut last: at no moment is the file shorter than what was in it.
        os.ftruncate(descriptor, len(new))
    finally:
        os.close(descriptor)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    try:
        parts: list[bytes] = []
        size = 0
        while part := os.read(descriptor, 1 << 20):
            parts.append(part)
            size += len(part)
            if size > LARGEST:
                raise ValueError("too large")
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _iso(now_ms: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now_ms // 1000)) + f".{now_ms % 1000:03d}Z"
