"""What the chains did, one JSON object a line in `chains.jsonl` of the state folder. No payload, no text of a template, no path.

Each line has `time` (milliseconds since 1970, UTC) and `event`. Sources: hook-chains.md section 6; names of events and fields as
OpenClaude's own [O].

    chain_rule_matched      rule_id, hook_event_name, outcome, chain_depth
    chain_action_executed   the same, action_type, action_id
    chain_action_skipped    the same, reason_category
    chain_action_failed     the same, reason_category
    hook_chains_dispatch    hook_event_name, outcome, chain_depth, evaluated_rules, matched_rules, action_results
"""

import sys

from rulewright.hook.state import open_private

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "chains.jsonl"
# Bytes after which the file is renamed and a new one is begun; one older file is kept [R].
LARGEST = 1_000_000

# Part of a reason: its category, the first that fits counts. Source: hook-chains.md section 4, the order [O].
_CATEGORIES = (
    ("aborted", "aborted"),
    ("cooldown", "cooldown"),
    ("dedup", "dedup"),
    ("policy", "policy"),
    ("context", "context_missing"),
    ("precondition", "precondition"),
    ("disabled", "disabled"),
)


def category(reason: str) -> str:
    """Return the category of the reason of a skipped or failed action."""
    lower = reason.lower()
    return next((name for part, name in _CATEGORIES if part in lower), "other")


class Telemetry:
    """The lines of one dispatch.

    lines: those written, without their ends. failure: why one could not be written; empty: all were. A line that cannot be written
    is no reason to stop.
    """

    __slots__ = ("_folder", "failure", "lines")

    def __init__(self, folder: str) -> None:
        """Make the telemetry of one dispatch. `folder`: the state folder."""
        self._folder = folder
        self.lines: list[str] = []
        self.failure = ""

    def emit(self, event: str, fields: "dict[str, Any]", now_ms: int) -> None:
        """Write one line."""
        from rulewright.hook.json_text import compact, utf8

        line = compact({"time": now_ms, "event": event, **fields})
        self.lines.append(line)
        try:
            self._append(utf8(line + "\n"))
        except OSError as error:
            self.failure = error.strerror or type(error).__name__

    def _append(self, data: bytes) -> None:
        path = f"{self._folder}/{FILE}"
        descriptor = open_private(path, system.O_WRONLY | system.O_APPEND)
        try:
            if system.fstat(descriptor).st_size + len(data) > LARGEST and _turn(path, descriptor):
                system.close(descriptor)
                descriptor = -1
                descriptor = open_private(path, system.O_WRONLY | system.O_APPEND)
            system.write(descriptor, data)
        finally:
            if descriptor >= 0:
                system.close(descriptor)


def _turn(path: str, descriptor: int) -> bool:
    """Put the full file aside; False where another process does."""
    if hasattr(system, "lockf"):
        try:
            system.lockf(descriptor, system.F_TLOCK, 0)
            if system.stat(path).st_ino != system.fstat(descriptor).st_ino:
                return True  # It has been done.
        except FileNotFoundError:
            return True
        except (BlockingIOError, PermissionError):
            return False
    try:
        system.replace(path, f"{path}.1")
    except OSError:
        return False
    return True
