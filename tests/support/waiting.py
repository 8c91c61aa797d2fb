"""Waiting for what a process has come to, however busy the machine; and what work has cost, however busy the machine."""

from __future__ import annotations

import array
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

Found = TypeVar("Found")

LONGEST = 60.0
"""Seconds after which a wait was in vain. No test needs them: only a fault comes that far."""


def until(found: Callable[[], Found], what: str) -> Found:
    """Wait until `found` returns something true, and return that."""
    end = time.monotonic() + LONGEST
    while not (value := found()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.005)
    return value


def unread(pipe: IO[Any]) -> int:
    """Return how many bytes of a pipe nobody has read yet."""
    import fcntl
    import termios

    count = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, count)
    return count[0]


def reads(stdin: IO[bytes]) -> None:
    """Wait until the process at the other end of a pipe has read a space, before it is given the JSON that it waits for."""
    stdin.write(b" ")
    stdin.flush()
    until(lambda: unread(stdin) == 0, "the process to read")


@contextmanager
def costs_less_than(seconds: float) -> Iterator[None]:
    """Hold what is done inside to a processor time, of this process and of those that it has waited for."""
    before = _processor_time()
    yield
    taken = _processor_time() - before
    assert taken < seconds, f"{taken:.2f} s of processor time"


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def processor_time_of(pid: int) -> float:
    """Return the seconds of processor time of a process that runs. Source: proc(5), /proc/pid/stat."""
    words = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
