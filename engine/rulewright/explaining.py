"""Replays one event and says what became of each entry. Pure towards the session: the state is looked at, never changed.

The judging is done by the hook's own code (`hook.run`, `hook.merge`), so that what is explained is what happens.
"""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass

from rulewright.harness import codec
from rulewright.hook import merge
from rulewright.hook.index import Index, IndexUnusable
from rulewright.hook.run import Call, claim_with, decode, entries_of, wire

NOWHERE = f"{os.devnull}/none"


@dataclass(frozen=True, slots=True)
class EntryReport:
    """What became of one entry; the words are those of hook.merge.

    because: what decided, one line a condition, in the order of evaluation.
    """

    entry: str
    match: str
    block: str
    repeat: str
    output: str
    because: tuple[str, ...] = ()


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
    # What was output before a start or a clear does not count: a place where nothing can be stands for that.
    call = Call(codec(harness), state or NOWHERE, "", native)
    notes: list[str] = []
    event_name: str | None = None
    reports: tuple[EntryReport, ...] = ()
    stdout = b""
    try:
        index = Index(index_source, harness)
        try:
            decoded = decode(call, payload)
            if isinstance(decoded, str):
                notes.append(f"{decoded}, so it passes")
            elif (event := decoded[1]) is not None:
                found, event_name = decoded[0], event["event"]
                results = merge.evaluate(entries_of(index, found, event, None), event, explained=True)
                notes += [f"{r.entry['name']}: {r.cause}" for r in results if r.match == merge.ERROR]
                trouble: list[str] = []
                if event.get("session", {}).get("source") in ("startup", "clear"):
                    call.state = NOWHERE
                claim = claim_with(call, event, trouble)
                answer = merge.answer(results, event, claim, call.codec.TEXT_LIMIT, call.codec.text_size)
                if trouble:
                    notes.append(f"the session's state: {trouble[0]}")
                stdout = wire(call, answer, found)
                reports = tuple(
                    EntryReport(r.entry["name"], r.match, r.block, r.repeat, r.output, tuple(r.trace)) for r in results
                )
        finally:
            index.close()
    except IndexUnusable as error:
        notes.append(f"{error}, so the event passes")
    stderr = "".join(f"rulewright: {note}\n" for note in notes)
    return Explanation(harness, event_name, reports, stdout.decode("utf-8"), stderr)


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
    found.append(f"wire stdout={go_quote(explanation.stdout)}")
    if explanation.stderr:
        found.append(f"wire stderr={go_quote(explanation.stderr)}")
    return found


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
