"""Replays one event and says what became of each entry. Pure towards the session: the state is looked at, never changed.

The judging is done by the hook's own code (`hook.run`, `hook.merge`), so that what is explained is what happens.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from rulewright.compiler import import_folders
from rulewright.harness import codec
from rulewright.hook import actions, chain_event, chains, foya_due, foya_rules, merge
from rulewright.hook.chain_state import ChainStateError
from rulewright.hook.chain_text import DISABLED
from rulewright.hook.index import CHAINS, FOYA, Index, IndexUnusable
from rulewright.hook.run import (
    Call,
    EventUnreadable,
    HandlerFailed,
    Memory,
    chains_are_on,
    decode,
    entries_of,
    folder_of,
    give_foya,
    wire,
)
from rulewright.hook.state import StateError


@dataclass(frozen=True, slots=True)
class Refresh:
    """Where the refresh of an entry's text stands.

    every: prompts after which it is due again. since: prompts since it was last output; None: it was not.
    """

    every: int
    since: int | None

    @property
    def left(self) -> int:
        """The prompts until it is due."""
        return 0 if self.since is None else max(self.every - self.since, 0)


@dataclass(frozen=True, slots=True)
class EntryReport:
    """What became of one entry; the words are those of hook.merge.

    because: what decided, one line a condition, in the order of evaluation. refresh: None for entries that have none or whose
    text was not looked at.
    """

    entry: str
    match: str
    block: str
    repeat: str
    output: str
    because: tuple[str, ...] = ()
    refresh: Refresh | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One event, replayed.

    event: the canonical event, None where the payload is none. entries: those of the event's section, in rule order.
    stdout, stderr, exit: what the hook process would print and leave with.
    """

    harness: str
    event: str | None
    entries: tuple[EntryReport, ...]
    stdout: str
    stderr: str
    exit: int = 0


def explain(index_source: str | bytes, harness: str, payload: bytes, state: str = "", native: str = "") -> Explanation:
    """Replay an event against an index.

    Args:
        index_source: the index as `compiler.compile_index` makes it, or the path of one.
        harness: the harness's name.
        payload: what the harness would write to the hook.
        state: the state folder; empty for a session in which nothing was output yet.
        native: the native event of the command line; empty: the payload's own.
    """
    path = index_source if isinstance(index_source, str) else ""
    call = Call(codec(harness), state, path, native)
    call.on_path = import_folders
    notes: list[str] = []
    found = _Replay(None, (), b"")
    try:
        index = Index(index_source, harness)
        try:
            found = _replay(call, index, payload, notes)
        finally:
            index.close()
    except (IndexUnusable, EventUnreadable) as error:
        notes.append(f"{error}, so the event passes")
    stderr = "".join(f"rulewright: {note}\n" for note in notes)
    return Explanation(harness, found.event, found.reports, found.stdout.decode("utf-8"), stderr)


@dataclass(frozen=True, slots=True)
class _Replay:
    event: str | None
    reports: tuple[EntryReport, ...]
    stdout: bytes


def _replay(call: Call, index: Index, payload: bytes, notes: list[str]) -> _Replay:
    results: list[merge.Result] = []
    refreshes: dict[str, Refresh] = {}
    more: list[EntryReport] = []
    name = None
    try:
        event = decode(call, payload)
        if event is None:
            return _Replay(None, (), b"")
        name = event["event"]
        # Without a folder nothing was output: no session is known then.
        memory = _Looking(call, event if call.state else {**event, "session": {"source": None}}, refreshes)
        results = merge.evaluate(entries_of(index, call.native, event, None), event, explained=True)
        memory.note(index)
        answer = merge.answer(results, event, memory.claim, call.codec.TEXT_LIMIT, call.codec.text_size)
        notes += [f"{result.entry['name']}: {result.cause}" for result in results if result.match == merge.ERROR]
        if index.has_section(call.native, FOYA):
            more += _foya(call, index, event, memory, answer, notes)
        if index.has_section(call.native, CHAINS):
            more += _chains(call, event, bool(answer.get("block")), notes)
        stdout = wire(call, answer, call.native)
    except HandlerFailed as error:
        closed = index.closed_rules(call.native)
        stdout = wire(call, merge.failure(closed, str(error)), call.native) if closed else b""
        notes.append(str(error) if closed else f"{error}, so the event passes")
    reports = tuple(
        EntryReport(
            r.entry["name"], r.match, r.block, r.repeat, r.output, tuple(r.trace), refreshes.get(r.entry["name"])
        )
        for r in results
    )
    return _Replay(name, (*reports, *more), stdout)


def _foya(
    call: Call, index: Index, event: dict[str, Any], memory: Memory, answer: dict[str, str], notes: list[str]
) -> list[EntryReport]:
    """Put Foya's rules into the answer as the hook does, and say what becomes of each."""
    blocked = bool(answer.get("block"))
    given = give_foya(call, index, event, memory, answer, notes)
    root = foya_rules.project_of(call.index, folder_of(call, event))
    loaded = foya_rules.load(call.state, root, call.on_path)
    rules = [] if loaded.data is None else loaded.data["rules"]
    awake = {} if given is None else {(rule["scope"], rule["id"]): why for rule, why in given.awake}
    state = memory.state()
    reports = []
    for rule in rules:
        name = f"foya/{rule['name']}@{event['event']}"
        why = awake.get((rule["scope"], rule["id"]))
        if blocked or why is None or given is None or state is None:
            reports.append(_silent(name, merge.NOT_EVALUATED if blocked else merge.NOT_MATCHED))
            continue
        try:
            repeat, output = _STANDING[foya_due.standing(given, state, rule)]
        except StateError as error:
            raise HandlerFailed(f"the session's state: {error}") from None
        because = f"{why['trigger']}: {why['pattern']}" if "pattern" in why else str(why["trigger"])
        reports.append(EntryReport(name, merge.MATCHED, merge.UNBLOCKED, repeat, output, (because,)))
    return reports


def _silent(name: str, match: str, because: str = "") -> EntryReport:
    nothing = merge.NOT_EVALUATED
    return EntryReport(name, match, nothing, nothing, nothing, (because,) if because else ())


# What became of a rule of Foya's that is awake: given now, given before, or left for the next event.
_STANDING = {
    foya_due.NOW: (merge.FIRST, merge.EMITTED),
    foya_due.BEFORE: (merge.AGAIN, merge.SUPPRESSED),
    foya_due.LATER: (merge.NOT_EVALUATED, merge.LEFT_OUT),
}


def _chains(call: Call, event: dict[str, Any], blocked: bool, notes: list[str]) -> list[EntryReport]:
    """Say what would become of each rule of the hook chains; nothing is started."""
    if not chains_are_on():
        return []
    prepared, more = chain_event.prepare(call, event, folder_of(call, event), blocked)
    notes += more
    reports = []
    begun: dict[str, int] = {}  # Of rules that share an id the first starts the cooldown.
    for rule in prepared.compiled["config"]["rules"] if prepared is not None else ():
        assert prepared is not None
        name = f"chain/{rule['id']}@{event['event']}"
        found = chains.mismatch(rule, prepared.event)
        if found is not None:
            part, wanted, there = found
            because = f"{part}: asked for {wanted!r}, the event has {there!r}"
            reports.append(_silent(name, merge.NOT_MATCHED, because))
            continue
        guard = _guard(rule, prepared)
        if not guard and begun.get(rule["id"]):
            guard = chains.cooldown_reason(("active", begun[rule["id"]]))
        if guard:
            reports.append(EntryReport(name, merge.MATCHED, merge.UNBLOCKED, merge.AGAIN, merge.SUPPRESSED, (guard,)))
            continue
        begun[rule["id"]] = chains.cooldown_of(rule, prepared.compiled["config"])
        whys = tuple(_action(rule, action, prepared, notes) for action in rule["actions"])
        reports.append(EntryReport(name, merge.MATCHED, merge.UNBLOCKED, merge.FIRST, "dispatched", whys))
    return reports


def _action(rule: dict[str, Any], action: dict[str, Any], prepared: chain_event.Prepared, notes: list[str]) -> str:
    """Say what would become of an action that its rule lets through, windows of the same event aside; a failure is noted as well."""
    if not action.get("enabled", True):
        return f"{action['type']}: {DISABLED}"
    outcome, about, _ = actions.plan(action, rule["id"], prepared.event, prepared.runtime)
    if outcome is None:
        return f"{action['type']}: {about}" if about else str(action["type"])
    if outcome[0] == chains.FAILED:
        notes += chain_event.failure_notes(prepared, rule["id"], action["type"], outcome[1])
    return f"{action['type']} {outcome[0]}: {outcome[1]}"


def _guard(rule: dict[str, Any], prepared: chain_event.Prepared) -> str:
    """Return what keeps a rule of the hook chains from acting, empty where nothing does."""
    config, runtime = prepared.compiled["config"], prepared.runtime
    if runtime.depth >= config["maxChainDepth"]:
        return chains.depth_reason(config, runtime)
    try:
        standing = runtime.state.cooldown_left(rule["id"], chains.longest_window(config))
    except ChainStateError as error:
        return str(error)
    return chains.rule_guard(rule, runtime) or chains.cooldown_reason(standing)


class _Looking(Memory):
    """A memory that changes nothing and says where each refresh stands. Without a session, every text is a first one."""

    __slots__ = ("_refreshes",)

    def __init__(self, call: Call, event: dict[str, Any], refreshes: dict[str, Refresh]) -> None:
        super().__init__(call, event, looks=True)
        self._refreshes = refreshes

    def claim(self, entry: dict[str, Any], texts: tuple[str, ...]) -> str:
        every = entry.get("refresh", 0)
        state = self.state()
        since = None
        if every and state is not None:
            try:
                since = state.standing(*self.key(state, entry, texts))[1]
            except StateError as error:
                raise HandlerFailed(f"the session's state: {error}") from None
        if every:
            self._refreshes[entry["name"]] = Refresh(every, since)
        found = super().claim(entry, texts)
        return merge.FIRST if found == merge.BYPASS and "repeat" in entry and not self._call.state else found


def lines(explanation: Explanation, details: bool = True) -> list[str]:
    """Return the explanation as lines: one an entry, below it what decided, and what goes over the wire.

    Source: the seed's third example [S]; the lines of details are indented [R].
    """
    found: list[str] = []
    for report in explanation.entries:
        found.append(
            f"entry {go_quote(report.entry)} match={report.match} block={report.block} "
            f"repeat={report.repeat} output={report.output}"
        )
        if details:
            found += [f"  {line}" for line in report.because]
            if report.refresh is not None:
                found.append(f"  {_refresh_line(report.refresh)}")
    found.append(f"wire stdout={go_quote(explanation.stdout)}")
    if explanation.stderr:
        found.append(f"wire stderr={go_quote(explanation.stderr)}")
    return found


def _refresh_line(refresh: Refresh) -> str:
    if refresh.since is None:
        return f"refresh every {refresh.every} prompts: not output yet"
    return (
        f"refresh every {refresh.every} prompts: {refresh.since} since the last output, due after {refresh.left} more"
    )


_GO_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"',
}  # fmt: skip


def go_quote(text: str) -> str:
    """Return a text as Go's `%q` writes it. Source: Go strconv.Quote."""
    parts: list[str] = []
    for char in text:
        code = ord(char)
        if char in _GO_ESCAPES:
            parts.append(_GO_ESCAPES[char])
        elif char == " " or unicodedata.category(char)[0] in "LMNPS":
            parts.append(char)
        elif 0xD800 <= code < 0xE000:
            parts.append("\ufffd")
        elif code < 0x80:
            parts.append(f"\\x{code:02x}")
        elif code <= 0xFFFF:
            parts.append(f"\\u{code:04x}")
        else:
            parts.append(f"\\U{code:08x}")
    return '"' + "".join(parts) + '"'
