"""What the installed command line imports at every event. Picks the harness's codec, calls hook.run, prints, ends.

Everything that can go wrong before this is imported ends the process with exit code 1, which lets the event pass; see
`compiler.hook_command` for the command line.
"""

import sys
import time

from rulewright.harness import codec
from rulewright.hook import deadline
from rulewright.hook.run import FAIL_CLOSED, Call, run

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from rulewright.hook.run import Reply


def main() -> "NoReturn":
    """Answer the event on stdin.

    Arguments: harness, state folder, index, native event, the timeout if one is declared, and at last `fail-closed` if every
    failure is to deny.
    """
    words = sys.argv[1:]
    fail_closed = words[4:] != [] and words[-1] == FAIL_CLOSED
    if fail_closed:
        words.pop()
    try:
        timeout = float(words[4]) if len(words) > 4 else None
        # The process has used this much of a processor, so it is at least as old.
        began = time.time_ns() - time.process_time_ns()
        call = Call(codec(words[0]), words[1], words[2], words[3], timeout, fail_closed, began)
    except (IndexError, KeyError, ValueError):
        _print(
            2, b"rulewright: the hook's command line is not one that `rulewright install` writes, so the event passes\n"
        )
        system._exit(1)
    deliver(run(call))


def deliver(reply: "Reply") -> "NoReturn":
    """Print a reply, end its claims, and end the process at once with the reply's exit code."""
    if reply.notes:
        _print(2, "".join(f"rulewright: {note}\n" for note in reply.notes).encode("utf-8", "replace"))
    delivered = not reply.stdout
    try:
        deadline.resume()
        delivered = delivered or _print(1, reply.stdout)
        deadline.stop()
    except deadline.DeadlinePassed:
        deadline.stop()
        delivered = False
    if reply.settle is not None:
        reply.settle(delivered)
    if reply.later is not None:
        notes = reply.later()
        _print(2, "".join(f"rulewright: {note}\n" for note in notes).encode("utf-8", "replace"))
    # Nothing is left to flush, and taking the interpreter down in order costs 1.5 ms (of 10, Python 3.11.7).
    system._exit(reply.exit if delivered else reply.unheard)


def _print(descriptor: int, data: bytes) -> bool:
    try:
        while data:
            data = data[system.write(descriptor, data) :]
    except OSError:
        return False
    return True
