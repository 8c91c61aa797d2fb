"""One event: bytes in, answer out. The only place of the engine that catches everything.

The answer is one JSON object or nothing, the exit code 0: no failure of ours may be read as a decision of a rule, and none
may stop the agent unless a rule with `fail: closed` asks for that.
"""

import sys
import time

from rulewright.hook import deadline
from rulewright.hook.index import CHAINS, COUNT, FOYA, SCOPE, Index, IndexUnusable, event_agrees, tool_named

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rulewright.hook.event import Event
    from rulewright.hook.foya_due import Given
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

    __slots__ = (
        "began",
        "codec",
        "counted",
        "fail_closed",
        "index",
        "native",
        "on_path",
        "payload",
        "source",
        "state",
        "timeout",
        "trusted",
    )

    def __init__(
        self,
        codec: "Any",
        state: str,
        index: str,
        native: str,
        timeout: float | None = None,
        fail_closed: bool = False,
        began: int | None = None,
    ) -> None:
        """Make a call.

        Args:
            codec: the harness's module. state, index: absolute paths. native: the native event.
            timeout: seconds, as declared in the harness's configuration; None where it is not.
            fail_closed: every failure of the handler denies, where the harness has that; see `FAIL_CLOSED_EVENTS` there.
            began: when the process began, in nanoseconds of the wall clock; None: now.

        `counted` tells of the event once it is decoded whether it is a prompt that counts, and `payload` holds what was decoded.
        Three are set by who calls by hand: `source`, the bytes of an index that is at no path; `on_path`, which returns the folders
        that a child imports from; `trusted`: what the project's settings name may be run as it is.
        """
        self.codec = codec
        self.state = state
        self.index = index
        self.native = native
        self.timeout = timeout
        self.fail_closed = fail_closed
        self.began = time.time_ns() if began is None else began
        self.counted = False
        self.payload: dict[str, Any] = {}
        self.source: bytes | None = None
        self.on_path: Callable[[], list[str]] | None = None
        self.trusted = False


class Reply:
    """What the process prints and leaves with.

    exit: the exit code; unheard: the exit code where stdout could not be printed. settle: ends the claims, to be called with
    whether it could. later: what is left to do once that is printed; returns notes.
    """

    __slots__ = ("exit", "later", "notes", "settle", "stdout", "unheard")

    def __init__(self) -> None:
        self.exit = 0
        self.unheard = 0
        self.stdout = b""
        self.notes: list[str] = []
        self.settle: Callable[[bool], None] | None = None
        self.later: Callable[[], list[str]] | None = None


def run(call: Call, descriptor: int = 0) -> Reply:
    """Answer one event. Never raises.

    Args:
        descriptor: where the payload is read from: until its JSON object is complete, or to the end.
    """
    reply = Reply()
    try:
        cause, rules_known = "", True
        try:
            try:
                deadline.start(_limit(call))
                _answer(call, read_payload(descriptor), reply)
            finally:
                deadline.stop()
        except (IndexUnusable, EventUnreadable) as error:
            cause, rules_known = str(error), False
        except deadline.DeadlinePassed:
            cause = "the event's time is over"
        except HandlerFailed as error:
            cause = str(error)
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
        if cause:
            deadline.stop()  # The alarm may have rung while it was being stopped.
            _fail(call, reply, cause, rules_known)
    except BaseException as error:  # An interrupt, or an alarm that rang while a failure was dealt with.
        try:
            _fail(call, reply, type(error).__name__, False)
        except BaseException:
            reply.stdout = b""
    return reply


def _limit(call: Call) -> float:
    """Return the seconds for one event. Source: style.md section 7 point 6 [S]."""
    codec = call.codec
    declared = codec.HOOK_TIMEOUT if call.timeout is None else call.timeout
    return deadline.seconds(declared, codec.EVENT_TIMEOUTS.get(call.native, codec.TIMEOUT))


def _answer(call: Call, raw: bytes, reply: Reply) -> None:
    index = open_index(call)
    try:
        if not raw.strip():
            raise EventUnreadable("there is no event to read")
        if not nothing_can_match(call, index, raw):
            _answer_fully(call, index, raw, reply)
    finally:
        index.close()


def open_index(call: Call) -> Index:
    """Open the index of a call.

    Raises:
        IndexUnusable: it cannot be read.
    """
    return Index(call.index if call.source is None else call.source, call.codec.NAME)


def nothing_can_match(call: Call, index: Index, raw: bytes) -> bool:
    """Tell whether the bytes alone show that no entry matches, so that the event need not be decoded. True is certain."""
    if not event_agrees(raw, call.native, call.codec.EVENT_FIELD.encode()) or index.has_section(call.native, FOYA):
        return False
    if index.has_section(call.native, CHAINS) and chains_are_on():
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
    event = decode(call, raw)
    if event is None:
        return
    memory = Memory(call, event)
    reply.settle = memory.settle
    if index.has_section(call.native, CHAINS) and chains_are_on():
        reply.later = lambda: _dispatch(call, event, blocked=False)
    memory.note(index)
    entries = entries_of(index, call.native, event, raw)
    answer = _judge(call, entries, event, memory, reply.notes) if entries else {}
    if reply.later is not None and answer.get("block"):
        reply.later = lambda: _dispatch(call, event, blocked=True)
    if index.has_section(call.native, FOYA):
        give_foya(call, index, event, memory, answer, reply.notes)
    reply.stdout = wire(call, answer, call.native)
    reply.unheard = 1 if denies_failures(call) else 0


def _judge(
    call: Call, entries: "list[Entry]", event: "Event", memory: "Memory", notes: "list[str]"
) -> "dict[str, str]":
    """Return the answer of the packages' rules."""
    from rulewright.hook import merge

    results = merge.evaluate(entries, event)
    errors = [f"{result.entry['name']}: {result.cause}" for result in results if result.match == merge.ERROR]
    answer = merge.answer(results, event, memory.claim, call.codec.TEXT_LIMIT, call.codec.text_size)
    notes += errors
    if errors and denies_failures(call) and not any(result.block == merge.BLOCKED for result in results):
        raise HandlerFailed(notes.pop())
    return answer


def give_foya(
    call: Call, index: Index, event: "Event", memory: "Memory", answer: "dict[str, str]", notes: "list[str]"
) -> "Given | None":
    """Put what is due of Foya's rules behind the text of an answer. A failure here is a note: it decides nothing.

    Where the answer blocks, the rules are silent, but the call stays part of what the turn is about.
    """
    from rulewright.hook import foya_rules

    given: Given | None = None
    try:
        state = memory.state()
        if state is None:
            return None
        memory.note_for_foya(index)
        arguments = _arguments(call)
        if answer.get("block"):
            foya_rules.extend(state, event, arguments)
            return None
        root = foya_rules.project_of(call.index, folder_of(call, event))
        loaded = foya_rules.load(call.state, root, call.on_path)
        if loaded.note:
            notes.append(loaded.note)
        if loaded.gate is None:
            foya_rules.extend(state, event, arguments)
            return None
        foya_rules.extend(state, event, arguments, foya_rules.is_strict(loaded))
        if (loaded.renewed or event["event"] == "session.start") and loaded.data is not None:
            notes += [f"Foya's rules: {note}" for note in loaded.data["notes"]]
        if not _carries_context(call, event):
            return None
        codec, context = call.codec, answer.get("context", "")
        room = codec.TEXT_LIMIT - (codec.text_size(context) + 2 if context else 0)
        names = (folder_of(call, event), event.get("cwd"))
        given = foya_rules.give(loaded, state, root, room, codec.text_size, not context, names)
        if given is None:
            return None
        notes += given.notes
        if given.text:
            answer["context"] = f"{context}\n\n{given.text}" if context else given.text
    except Exception as error:
        # The alarm of a time that is over would ring again.
        deadline.stop()
        if given is not None:
            from rulewright.hook.foya_due import release

            release(memory.held(), given)
        notes.append(f"Foya's rules cannot be given: {str(error) or 'the time of the event is over'}")
        return None
    return given


def _arguments(call: Call) -> object:
    """Return the arguments of a tool call as the harness sent them: those of the event have a path of our own."""
    from rulewright.hook.event import MISSING
    from rulewright.hook.translation import first

    found = first(call.payload, call.codec.FIELDS.get("tool.input", ()))
    return {} if found is MISSING else found


def _carries_context(call: Call, event: "Event") -> bool:
    row = call.codec.ALSO.get(event["event"])
    return "add-context" in (call.codec.EVENTS[call.native] if row is None else row)[1]


def folder_of(call: Call, event: "Event") -> str:
    """Return the project's folder, else where the agent is."""
    cwd = event.get("cwd")
    return _project(call) or (cwd if isinstance(cwd, str) else "")


def chains_are_on() -> bool:
    """Tell whether the environment switches hook chains on. The rest of them is loaded only then."""
    return _variable("CLAUDE_CODE_ENABLE_HOOK_CHAINS").strip().lower() in ("1", "true", "yes", "on")


def _dispatch(call: Call, event: "Event", blocked: bool) -> "list[str]":
    """Dispatch the hook chains of an event that has been answered. Returns what the user should know."""
    deadline.resume()
    try:
        from rulewright.hook import chain_event

        return chain_event.dispatch(call, event, folder_of(call, event), blocked)
    except Exception as error:
        return [f"the hook chains cannot be dispatched: {str(error) or 'the time of the event is over'}"]
    finally:
        deadline.stop()


def decode(call: Call, raw: bytes) -> "Event | None":
    """Return the canonical event of a payload, None where there is nothing to evaluate. From then on `call` is of its event.

    Raises:
        EventUnreadable: it is no JSON object, so nothing is known of it.
        HandlerFailed: it is an event of the harness, but what it must say is not in it.
    """
    from rulewright.hook.json_text import parse

    try:
        payload = parse(raw)
    except ValueError as error:
        raise EventUnreadable(f"the event cannot be read ({error})") from None
    if not isinstance(payload, dict):
        raise EventUnreadable("the event is not a JSON object")
    codec = call.codec
    call.native = codec.native_event(payload, call.native)
    call.payload = payload
    try:
        event: Event | None = codec.decode(payload, call.native, _project(call))
    except ValueError as error:
        raise HandlerFailed(str(error)) from None
    if event is not None:
        call.counted = event["event"] == "prompt.submitted" and codec.counts_as_prompt(payload)
    return event


def entries_of(index: Index, native: str, event: "Event", raw: bytes | None) -> "list[Entry]":
    """Return the entries to evaluate at an event; those that its payload rules out are left out, none for `raw` None."""
    tool = event.get("tool")
    section = index.section(native, tool["name"] if isinstance(tool, dict) else "-")
    return [] if section is None else section.entries(raw)


class Memory:
    """The session's state as one event uses it, opened only where it is needed."""

    __slots__ = ("_call", "_event", "_looks", "_state")

    def __init__(self, call: Call, event: "Event", looks: bool = False) -> None:
        """Make a memory. `looks`: change nothing; what would be changed counts as if it were."""
        self._call = call
        self._event = event
        self._looks = looks
        self._state: State | None = None

    def note(self, index: Index) -> None:
        """Take note of what an event means for the session, where any installed rule depends on it.

        Raises:
            HandlerFailed: the state cannot be read or written.
        """
        native = self._call.native
        self._note(index.has_section(native, COUNT), index.has_section(native, SCOPE))

    def note_for_foya(self, index: Index) -> None:
        """Take note of the rest of what an event means, for the sake of Foya's rules.

        Raises:
            HandlerFailed: the state cannot be read or written.
        """
        native = self._call.native
        self._note(not index.has_section(native, COUNT), not index.has_section(native, SCOPE))

    def _note(self, count: bool, scope: bool) -> None:
        call, name = self._call, self._event["event"]
        counts = call.counted and count
        if not counts and not scope:
            return
        source = self._event.get("session", {}).get("source")
        if name in ("compact.pre", "compact.post"):
            source = "compact"  # The index asks for it only at a harness's COMPACTION_EVENT.
        begins = scope and source in ("startup", "clear", "compact")
        if not counts and not begins:
            return
        state = self.state()
        if state is None:
            return
        from rulewright.hook.state import StateError

        try:
            if counts:
                state.count_prompt()
            elif source == "compact":
                state.begin("c", call.began)
            else:
                state.begin("g", call.began)
                if not self._looks:
                    state.forget_old()
        except StateError as error:
            raise HandlerFailed(f"the session's state: {error}") from None

    def claim(self, entry: "Entry", texts: "tuple[str, ...]") -> str:
        """Tell whether a text is due, and claim it: one of BYPASS, FIRST, REFRESHED, AGAIN of `merge`.

        Raises:
            HandlerFailed: the state cannot be read or written.
        """
        from rulewright.hook import merge

        state = self.state() if "repeat" in entry else None
        if state is None:
            return merge.BYPASS
        from rulewright.hook.state import StateError

        try:
            found = state.claim(*self.key(state, entry, texts))
        except StateError as error:
            raise HandlerFailed(f"the session's state: {error}") from None
        return f"repeat-{found}"

    def key(self, state: "State", entry: "Entry", texts: "tuple[str, ...]") -> "tuple[str, bool, int]":
        """Return what `state.claim` takes for a text of an entry."""
        if entry["repeat"] == "turn":
            turn = self._event.get("turn", {}).get("id")
            return state.turn_key(entry["rule"], texts, turn if isinstance(turn, str) and turn else None), False, 0
        return state.session_key(entry["rule"], texts), bool(entry.get("compaction")), entry.get("refresh", 0)

    def held(self) -> "State | None":
        """Return the state if it is open."""
        return self._state

    def settle(self, delivered: bool) -> None:
        """End the claims; see `State.settle`."""
        if self._state is not None:
            self._state.settle(delivered)

    def state(self) -> "State | None":
        """Return the state of the event's session, or None where the event names no session."""
        if self._state is None:
            session = self._event.get("session")
            name = session.get("id") if isinstance(session, dict) else None
            if not isinstance(name, str) or not name:
                return None
            from rulewright.hook.state import State

            call = self._call
            self._state = State(call.state, call.codec.NAME, name, call.index, self._looks)
        return self._state


def denies_failures(call: Call) -> bool:
    """Tell whether the installation denies where the handler fails. Source: style.md section 7 point 5 [S]."""
    return call.fail_closed and call.native in call.codec.FAIL_CLOSED_EVENTS


def wire(call: Call, answer: "dict[str, str]", native: str) -> bytes:
    """Return the bytes to print for an answer: one JSON object, or nothing."""
    if not answer:
        return b""
    from rulewright.hook.json_text import compact, utf8

    shape = call.codec.encode(answer, native)
    return utf8(compact(shape)) if shape else b""


def _fail(call: Call, reply: Reply, cause: str, rules_known: bool) -> None:
    """The handler failed: deny if a rule with `fail: closed` is installed for the native event, else let it pass.

    Where no rule can be read, only an installation that fails closed denies.
    """
    settle, reply.settle = reply.settle, None
    if settle is not None:
        settle(False)
    rules: list[str] = []
    if rules_known:
        try:
            index = open_index(call)
            rules = index.closed_rules(call.native)
            index.close()
        except IndexUnusable as error:
            cause = str(error)
    if rules or denies_failures(call):
        from rulewright.hook import merge

        reply.stdout = wire(call, merge.failure(rules, cause), call.native)
        reply.notes.append(cause)
        reply.exit = reply.unheard = 1 if denies_failures(call) else 0
    else:
        reply.stdout = b""
        reply.notes.append(f"{cause}, so the event passes")


def _project(call: Call) -> str:
    """Return the project's folder: the harness's variable, else where the index of a project lies; empty: not known."""
    found = _variable(call.codec.PROJECT_VARIABLE)
    if not found:
        folder, _, name = call.index.replace("\\", "/").rpartition("/")[0].rpartition("/")
        found = folder if name == ".style" else ""
    return found


def _variable(name: str) -> str:
    if not name:
        return ""
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
