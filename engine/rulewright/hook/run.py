"""One event: bytes in, answer out. The only place of the engine that catches everything.

The answer is one JSON object or nothing, the exit code 0: no failure of ours may be read as a decision of a rule, and none
may stop the agent unless a rule with `fail: closed` asks for that.
"""

import sys

from rulewright.hook import deadline
from rulewright.hook.index import Index, IndexUnusable, event_agrees, tool_named

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rulewright.hook.event import Event
    from rulewright.hook.state import State

    Entry = dict[str, Any]

# The last word of a command line that is to deny at every failure of the handler.
FAIL_CLOSED = "fail-closed"
_CHUNK = 1 << 20


class HandlerFailed(Exception):
    """The handler itself cannot go on with this event: `fail` decides. The text is the cause."""


class EventUnreadable(Exception):
    """The payload is no event, so that no rule can be told to be meant. The text is the cause."""


class Call:
    """What the command line says: which harness calls for which event, and where index and state are."""

    __slots__ = ("codec", "fail_closed", "index", "native", "state", "timeout")

    def __init__(
        self,
        codec: "Any",
        state: str,
        index: str,
        native: str,
        timeout: float | None = None,
        fail_closed: bool = False,
    ) -> None:
        """Make a call.

        Args:
            codec: the harness's module. state, index: absolute paths. native: the native event.
            timeout: seconds, as declared in the harness's configuration; None where it is not.
            fail_closed: every failure of the handler denies, where the harness has that; see `FAIL_CLOSED_EVENTS` there.
        """
        self.codec = codec
        self.state = state
        self.index = index
        self.native = native
        self.timeout = timeout
        self.fail_closed = fail_closed


class Reply:
    """What the process prints and leaves with, and what undoes the claims if it cannot be printed."""

    __slots__ = ("exit", "notes", "stdout", "undo")

    def __init__(self) -> None:
        self.exit = 0
        self.stdout = b""
        self.notes: list[str] = []
        self.undo: Callable[[], None] | None = None


def run(call: Call, descriptor: int = 0) -> Reply:
    """Answer one event. Never raises.

    Args:
        descriptor: where the payload is read from: until its JSON object is complete, or to the end.
    """
    reply = Reply()
    try:
        cause = ""
        try:
            deadline.start(deadline.seconds(call.timeout, call.codec.EVENT_TIMEOUTS.get(call.native)))
            _answer(call, read_payload(descriptor), reply)
        except IndexUnusable as error:
            _pass(reply, str(error))
        except deadline.DeadlinePassed:
            cause = "the event's time is over"
        except HandlerFailed as error:
            cause = str(error)
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
        deadline.stop()
        if cause:
            _fail(call, reply, cause)
    except BaseException as error:  # An interrupt, or an alarm that rang while a failure was dealt with.
        _pass(reply, type(error).__name__)
    return reply


def _answer(call: Call, raw: bytes, reply: Reply) -> None:
    index = Index(call.index, call.codec.NAME)
    try:
        if not raw.strip():
            reply.notes.append("there is no event to read, so it passes")
            return
        if nothing_can_match(call, index, raw):
            return
        _answer_fully(call, index, raw, reply)
    finally:
        index.close()


def nothing_can_match(call: Call, index: Index, raw: bytes) -> bool:
    """Tell whether the bytes alone show that no entry matches, so that the event need not be decoded. True is certain."""
    if not event_agrees(raw, call.native, call.codec.EVENT_FIELD.encode()):
        return False
    tool_class = _tool_class(call, raw)
    if tool_class is None:
        return False
    section = index.section(call.native, tool_class)
    return section is None or not section.may_match(raw)


def _tool_class(call: Call, raw: bytes) -> str | None:
    """Return the class of tool as the bytes show it, `-` for an event without a tool, None where they do not show it."""
    row = call.codec.EVENTS.get(call.native)
    if row is None:
        return "-"
    from rulewright.hook.event import TOOL_EVENTS

    if row[0] not in TOOL_EVENTS:
        return "-"
    native_tool = tool_named(raw, call.codec.TOOL_FIELD.encode())
    return None if native_tool is None else call.codec.tool_class(native_tool)


def _answer_fully(call: Call, index: Index, raw: bytes, reply: Reply) -> None:
    from rulewright.hook import merge

    decoded = decode(call, raw)
    if isinstance(decoded, str):
        reply.notes.append(f"{decoded}, so it passes")
        return
    native, event = decoded
    if event is None:
        return
    entries = entries_of(index, native, event, raw)
    if event["event"] == "session.start":
        _keep_scope(call, event, reply)
    results = merge.evaluate(entries, event)
    for result in results:
        if result.match == merge.ERROR:
            reply.notes.append(f"{result.entry['name']}: {result.cause}")
    trouble: list[str] = []
    claimed: list[State] = []
    claim = claim_with(call, event, trouble, claimed)
    answer = merge.answer(results, event, claim, call.codec.TEXT_LIMIT, call.codec.text_size)
    if trouble:
        reply.notes.append(f"the session's state: {trouble[0]}")
        if "block" not in answer and index.closed_rules(native):
            raise HandlerFailed(f"the session's state: {trouble[0]}")
    reply.stdout = wire(call, answer, native)
    if claimed:
        reply.undo = claimed[0].give_back


def decode(call: Call, raw: bytes) -> "tuple[str, Event | None] | str":
    """Return the native and the canonical event of a payload (None: nothing to evaluate), or why it is no event."""
    from rulewright.hook.json_text import parse

    try:
        payload = parse(raw)
    except ValueError as error:
        return f"the event cannot be read ({error})"
    if not isinstance(payload, dict):
        return "the event is not a JSON object"
    native = call.codec.native_event(payload, call.native)
    try:
        return native, call.codec.decode(payload, native, _variable(call.codec.PROJECT_VARIABLE))
    except ValueError as error:
        return str(error)


def entries_of(index: Index, native: str, event: "Event", raw: bytes | None) -> "list[Entry]":
    """Return the entries to evaluate at an event; those that its payload rules out are left out, none for `raw` None."""
    tool = event.get("tool")
    section = index.section(native, tool["name"] if isinstance(tool, dict) else "-")
    return [] if section is None else section.entries(raw)


def state_of(call: Call, event: "Event") -> "State | None":
    """Return the state of the event's session, or None where the event names no session."""
    session = event.get("session")
    name = session.get("id") if isinstance(session, dict) else None
    if not isinstance(name, str) or not name:
        return None
    from rulewright.hook.state import State

    return State(call.state, call.codec.NAME, name)


def _keep_scope(call: Call, event: "Event", reply: Reply) -> None:
    from rulewright.hook.state import StateError

    state = state_of(call, event)
    if state is None:
        return
    source = event["session"].get("source")
    try:
        if source in ("startup", "clear"):
            state.start()
        elif source == "compact":
            state.compact()
    except StateError as error:
        reply.notes.append(f"the session's state: {error}")


def claim_with(
    call: Call, event: "Event", trouble: "list[str]", claimed: "list[State] | None" = None
) -> "Callable[[Entry, tuple[str, ...]], str]":
    """Return what tells whether a text is due. Where the state cannot tell, it is: rather twice than never.

    Args:
        trouble: takes what was wrong with the state.
        claimed: takes the state in which claims were made; None: only look, make no claims.
    """
    from rulewright.hook import merge

    def claim(entry: "Entry", texts: "tuple[str, ...]") -> str:
        repeat = entry.get("repeat", "every")
        turn = event.get("turn", {}).get("id")
        # subagent.start never dedups (style.md section 7 point 3 [S]); without a turn id no two events are of one turn.
        if repeat == "every" or event["event"] == "subagent.start" or (repeat == "turn" and not isinstance(turn, str)):
            return merge.BYPASS
        state = claimed[0] if claimed else state_of(call, event)
        if state is None:
            return merge.BYPASS
        from rulewright.hook.state import StateError

        try:
            if repeat == "turn":
                key = state.turn_key(entry["rule"], texts, turn)
            else:
                key = state.session_key(entry["rule"], texts, bool(entry.get("compaction")))
            if claimed is None:
                return merge.AGAIN if state.is_claimed(key) else merge.FIRST
            claimed[:] = [state]
            return merge.FIRST if state.claim(key) else merge.AGAIN
        except StateError as error:
            trouble.append(str(error))
            return merge.FIRST

    return claim


def wire(call: Call, answer: "dict[str, str]", native: str) -> bytes:
    """Return the bytes to print for an answer: one JSON object, or nothing."""
    if not answer:
        return b""
    from rulewright.hook.json_text import compact, utf8

    shape = call.codec.encode(answer, native)
    return utf8(compact(shape)) if shape else b""


def _fail(call: Call, reply: Reply, cause: str) -> None:
    """The handler failed: deny if a rule with `fail: closed` is installed for the native event, else let it pass."""
    from rulewright.hook import merge

    try:
        index = Index(call.index, call.codec.NAME)
        rules = index.closed_rules(call.native)
        index.close()
        if rules:
            reply.stdout = wire(call, merge.failure(rules, cause), call.native)
            reply.notes.append(cause)
            return
    except IndexUnusable as error:
        cause = str(error)
    _pass(reply, cause)


def _pass(reply: Reply, cause: str) -> None:
    reply.stdout = b""
    reply.notes.append(f"{cause}, so the event passes")


def _variable(name: str) -> str:
    if sys.platform == "win32":
        return str(system.environ.get(name, ""))
    return system.environ.get(name.encode(), b"").decode("utf-8", "replace")


def read_payload(descriptor: int) -> bytes:
    """Read until a JSON object is complete, or to the end. An open pipe behind a complete object is not waited for."""
    parts: list[bytes] = []
    scan = _Scan()
    while not scan.complete:
        try:
            part = system.read(descriptor, _CHUNK)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
        scan.feed(part)
    return b"".join(parts)


class _Scan:
    """Tells when a JSON object is complete, from its quotes, backslashes and brackets; each byte is looked at once."""

    __slots__ = ("_begun", "_depth", "_escaped", "_inside", "complete")

    def __init__(self) -> None:
        self.complete = False
        self._begun = False
        self._depth = 0
        self._escaped = False
        self._inside = False

    def feed(self, part: bytes) -> None:
        if self._escaped:
            part = part[1:]
        part = part.replace(b"\\\\", b"")
        self._escaped = part.endswith(b"\\")
        pieces = part.replace(b'\\"', b"").split(b'"')
        outside = b"".join(pieces[1 if self._inside else 0 :: 2])
        if len(pieces) % 2 == 0:
            self._inside = not self._inside
        self._depth += outside.count(b"{") + outside.count(b"[") - outside.count(b"}") - outside.count(b"]")
        self._begun = self._begun or b"{" in outside
        self.complete = self._begun and self._depth <= 0 and not self._inside
