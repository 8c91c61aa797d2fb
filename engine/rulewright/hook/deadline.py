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
# Seconds that patterns may take with Python's matcher, in all; after that each may still take PATTERN_REST. Patterns of
# guards are meant to take microseconds [R].
PATTERN_LIMIT = 1.0
# The same for a pattern that can also be searched for in another way: that takes 0.1 s for a million characters.
REPLACEABLE_LIMIT = 0.1
PATTERN_REST = 0.02
# Seconds that an answer may at least take to be printed, also once the event's time is over.
_PRINTING = 0.4


class DeadlinePassed(Exception):
    """The event's time is over."""


class PatternTooSlow(Exception):
    """One pattern took longer than it may."""


class _Clock:
    """When the event's time is over by the monotonic clock (`last`: the last one's), what patterns have taken, and whether the
    alarm is set for one."""

    __slots__ = ("begun", "end", "last", "pattern", "spent")

    def __init__(self) -> None:
        self.end = 0.0
        self.last = 0.0
        self.begun = 0.0
        self.spent = 0.0
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
    _clock.spent = 0.0
    _clock.pattern = False
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _ring)
        _set_alarm(_clock.end - limit)
    else:
        _watchdog(limit)


def stop() -> None:
    """Stop counting."""
    _clock.last = _clock.end or _clock.last
    _clock.end = 0.0
    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, 0)


def resume() -> None:
    """Count on, for what is left of the event's time: nobody may read what is printed."""
    now = time.monotonic()
    if hasattr(_signal, "setitimer"):
        _clock.end = max(_clock.last, now + _PRINTING)
        _set_alarm(now)


def left() -> float:
    """Return the seconds that are left of the event's time; UNDECLARED where nothing counts."""
    return max(_clock.end - time.monotonic(), 0.0) if _clock.end else UNDECLARED


def enter_pattern(limit: float = PATTERN_LIMIT) -> None:
    """Set the nearer alarm, if the event has that long: PatternTooSlow is raised once patterns have taken `limit` seconds."""
    _clock.begun = time.monotonic()
    if hasattr(_signal, "setitimer"):
        allowed = max(limit - _clock.spent, PATTERN_REST)
        _clock.pattern = not _clock.end or _clock.end - _clock.begun > allowed
        if _clock.pattern:
            if not _clock.end:
                _signal.signal(_signal.SIGALRM, _ring)
            _signal.setitimer(_signal.ITIMER_REAL, allowed)


def leave_pattern() -> None:
    """Set the alarm back to the whole event; once more does no harm."""
    pattern, _clock.pattern = _clock.pattern, False
    now = time.monotonic()
    _clock.spent += now - _clock.begun
    _clock.begun = now
    if pattern:
        _set_alarm(now)


def _ring(number: int, frame: "FrameType | None") -> None:
    if _clock.pattern:
        raise PatternTooSlow
    now = time.monotonic()
    if _clock.end and now >= _clock.end:
        raise DeadlinePassed
    _set_alarm(now)  # It was meant for a pattern that has just ended.


def _set_alarm(now: float) -> None:
    # Again each second: an exception that is raised in a destructor is lost.
    _signal.setitimer(_signal.ITIMER_REAL, max(_clock.end - now, 0.001) if _clock.end else 0, 1.0)


def _watchdog(limit: float) -> None:
    # Its thread needs no interpreter lock, so it also ends a regular expression that never gives the lock back.
    import faulthandler
    import os

    faulthandler.dump_traceback_later(limit, exit=True, file=os.open(os.devnull, os.O_WRONLY))
