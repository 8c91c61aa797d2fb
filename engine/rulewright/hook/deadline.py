"""The time an event may take: one alarm for the whole event, a nearer one around each pattern.

The alarm is a signal, because only that interrupts a regular expression or a blocked read. Where the system has none
(Windows), the interpreter's watchdog ends the process with exit code 1 at the event's limit, which lets the event pass.
"""

import _signal  # type: ignore[import-not-found]  # `signal` itself loads `enum`, 4 ms
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

# Of the hook's timeout. Source: style.md section 7 point 6 [S].
SHARE = 0.9
# Seconds where no timeout is declared. Source: style.md section 7 point 6 [S].
UNDECLARED = 55.0
# Seconds that one pattern may take. Patterns of guards are meant to take microseconds [R].
PATTERN_LIMIT = 1.0


class DeadlinePassed(Exception):
    """The event's time is over."""


class PatternTooSlow(Exception):
    """One pattern took longer than PATTERN_LIMIT."""


class _Clock:
    """When the event's time is over, by the monotonic clock, and which limit the alarm was last set for."""

    __slots__ = ("end", "pattern")

    def __init__(self) -> None:
        self.end = 0.0
        self.pattern = False


_clock = _Clock()


def seconds(declared: float | None, native_default: float | None) -> float:
    """Return the time for one event.

    Args:
        declared: the timeout written in the harness's configuration, in seconds; None where there is none.
        native_default: the harness's own timeout for this event where it is known.
    """
    if declared is not None:
        return declared * SHARE
    if native_default is not None:
        return min(native_default * SHARE, UNDECLARED)
    return UNDECLARED


def start(limit: float) -> None:
    """Begin to count. From now on DeadlinePassed may be raised at any place once `limit` seconds are over."""
    _clock.end = time.monotonic() + limit
    _clock.pattern = False
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _ring)
        _signal.setitimer(_signal.ITIMER_REAL, max(limit, 0.001))
    else:
        _watchdog(limit)


def stop() -> None:
    """Stop counting."""
    _clock.end = 0.0
    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, 0)


def enter_pattern() -> None:
    """Set the nearer alarm: PatternTooSlow is raised after PATTERN_LIMIT seconds, if the event has that long."""
    if hasattr(_signal, "setitimer"):
        left = _clock.end - time.monotonic() if _clock.end else PATTERN_LIMIT + 1
        _clock.pattern = left > PATTERN_LIMIT
        if _clock.pattern:
            if not _clock.end:
                _signal.signal(_signal.SIGALRM, _ring)
            _signal.setitimer(_signal.ITIMER_REAL, PATTERN_LIMIT)


def leave_pattern() -> None:
    """Set the alarm back to the whole event."""
    if _clock.pattern:
        _clock.pattern = False
        left = max(_clock.end - time.monotonic(), 0.001) if _clock.end else 0
        _signal.setitimer(_signal.ITIMER_REAL, left)


def _ring(number: int, frame: "FrameType | None") -> None:
    if _clock.pattern:
        raise PatternTooSlow
    raise DeadlinePassed


def _watchdog(limit: float) -> None:
    # Its thread needs no interpreter lock, so it also ends a regular expression that never gives the lock back.
    import faulthandler
    import os

    faulthandler.dump_traceback_later(limit, exit=True, file=os.open(os.devnull, os.O_WRONLY))
