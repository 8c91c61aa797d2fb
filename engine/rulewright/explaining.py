"""Replays one event and says what became of each entry. Pure towards the session: the state is looked at, never changed.

The judging is done by the hook's own code (`hook.run`, `hook.merge`), so that what is explained is what happens.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from rulewright.harness import codec
from rulewright.hook import merge
from rulewright.hook.index import Index, IndexUnusable
from rulewright.hook.run import Call, EventUnreadable, HandlerFailed, Memory, decode, entries_of, wire
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
    return _Replay(name, reports, stdout)


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
