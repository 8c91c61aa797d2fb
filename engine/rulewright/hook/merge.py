"""Several matching entries become one answer: a block silences the rest, the others are joined and cut to the host's budget.

Source: style.md section 4 and section 7 points 2, 3 and 7.
"""

from rulewright.hook import match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rulewright.hook.event import Event

    Entry = dict[str, Any]
    # (entry, rendered texts) -> one of BYPASS, FIRST, REFRESHED, AGAIN
    Claim = Callable[[Entry, tuple[str, ...]], str]

# What became of an entry, in the words that `explain` prints. Source of `blocked`, `block-precedence`, `repeat-bypass` and
# `not-evaluated`: the seed's third example [S]; the rest [R].
MATCHED, NOT_MATCHED, ERROR = "matched", "not-matched", "error"
BLOCKED, SILENCED, CLOSED, UNBLOCKED = "blocked", "block-precedence", "fail-closed", "none"
BYPASS, FIRST, REFRESHED, AGAIN = "repeat-bypass", "repeat-first", "repeat-refreshed", "repeat-again"
EMITTED, SUPPRESSED, LEFT_OUT, EMPTY = "emitted", "suppressed", "left-out", "empty"
NOT_EVALUATED = "not-evaluated"

# Texts of several rules are set apart by an empty line: each may have lines of its own [R]. Reasons of blocks are joined by a
# line break [S].
BETWEEN_TEXTS = "\n\n"
BETWEEN_REASONS = "\n"


class Result:
    """What became of one entry. `cause` says what an error was."""

    __slots__ = ("block", "cause", "entry", "match", "output", "repeat", "trace")

    def __init__(self, entry: "Entry") -> None:
        self.entry = entry
        self.match = NOT_EVALUATED
        self.block = NOT_EVALUATED
        self.repeat = NOT_EVALUATED
        self.output = NOT_EVALUATED
        self.cause = ""
        self.trace: list[str] = []


def evaluate(entries: "list[Entry]", event: "Event", explained: bool = False) -> "list[Result]":
    """Match the entries against an event, in order. Errors stay with their entry."""
    results: list[Result] = []
    reader = match.Reader(event)
    for entry in entries:
        result = Result(entry)
        if explained:
            reader.trace = result.trace
        try:
            result.match = MATCHED if match.matches(entry, reader) else NOT_MATCHED
        except match.EngineError as error:
            result.match, result.cause = ERROR, str(error)
        except RecursionError:
            result.match, result.cause = ERROR, "a value is nested too deep"
        results.append(result)
    return results


def answer(
    results: "list[Result]", event: "Event", claim: "Claim", limit: int, size: "Callable[[str], int]" = len
) -> "dict[str, str]":
    """Fill in what becomes of each entry and return the answer: any of `block`, `context`, `message`.

    Args:
        results: from `evaluate`.
        claim: tells whether a text is due, and takes note of it. Asked only for entries that would be output.
        limit: as much of one text the host keeps whole. size: measures a text, in the unit of `limit`.
    """
    if any(_blocks(result) for result in results):
        return {"block": _block(results, event, _Pile(limit, BETWEEN_REASONS, size))}
    contexts, messages = _Pile(limit, BETWEEN_TEXTS, size), _Pile(limit, BETWEEN_TEXTS, size)
    for result in results:
        if result.match != MATCHED:
            continue
        result.block = UNBLOCKED
        context, message = _texts(result.entry, event)
        if not context and not message:
            result.output = EMPTY
        elif not contexts.has_room(context) or not messages.has_room(message):
            # It stays due: its claim is made when it is output.
            result.output = LEFT_OUT
            contexts.close()
            messages.close()
        else:
            result.repeat = claim(result.entry, (context, message))
            result.output = SUPPRESSED if result.repeat == AGAIN else EMITTED
            if result.output == EMITTED:
                contexts.add(context)
                messages.add(message)
    left_out = sum(result.output == LEFT_OUT for result in results)
    found = {"context": contexts.text(left_out), "message": messages.text(left_out)}
    return {name: text for name, text in found.items() if text}


def failure(rules: "list[str]", cause: str) -> "dict[str, str]":
    """Return the answer to a failure of the handler: of rules with `fail: closed`, or of the installation as a whole."""
    who = (
        f"{', '.join(rules)} could not be evaluated and fails" if rules else "The rules could not be evaluated and fail"
    )
    return {"block": f"{who} closed: {cause}."}


def _blocks(result: Result) -> bool:
    if result.match == ERROR:
        return bool(result.entry.get("closed"))
    return result.match == MATCHED and result.entry["action"] == "block"


def _block(results: "list[Result]", event: "Event", reasons: "_Pile") -> str:
    left_out = 0
    for result in results:
        if _blocks(result):
            result.block = CLOSED if result.match == ERROR else BLOCKED
            result.repeat, result.output = BYPASS, "blocked"
            if result.match == ERROR:
                reason = failure([result.entry["rule"]], result.cause)["block"]
            else:
                reason = _rendered(result.entry["text"], event) or f"Blocked by {result.entry['rule']}."
            if reasons.has_room(reason):
                reasons.add(reason)
            else:
                reasons.close()
                left_out += 1
        elif result.match == MATCHED:
            result.block = SILENCED
    return reasons.text(left_out)


def _texts(entry: "Entry", event: "Event") -> "tuple[str, str]":
    """Return the text for the model and the text for the user, empty where the entry's point carries none."""
    text = _rendered(entry["text"], event)
    give = entry["give"]
    if entry["action"] == "inject":
        return (text if "context" in give else ""), ""
    model_text = entry.get("model_text")
    context = text if model_text is None else _rendered(model_text, event)
    return (context if "context" in give else ""), (text if "message" in give else "")


def _rendered(template: str, event: "Event") -> str:
    # Most texts are plain. What fills in and cleans the others is loaded only for those: 0.14 ms of 2 past the gate.
    if "{{" not in template and template.replace("\n", "").isprintable():
        return template
    from rulewright.hook.render import render

    return render(template, event)


class _Pile:
    """Texts for one value of the answer, as many whole ones as fit. A text too long for any budget goes alone."""

    __slots__ = ("_between", "_closed", "_left", "_size", "_texts")

    def __init__(self, limit: int, between: str, size: "Callable[[str], int]") -> None:
        self._between = between
        self._size = size
        self._closed = False
        self._left = limit - len(between) - len(_mark(1000))
        self._texts: list[str] = []

    def has_room(self, text: str) -> bool:
        return not text or (not self._closed and (not self._texts or self._size(text) <= self._left))

    def add(self, text: str) -> None:
        if text:
            self._texts.append(text)
            self._left -= self._size(text) + len(self._between)

    def close(self) -> None:
        self._closed = True

    def text(self, left_out: int) -> str:
        texts = [*self._texts, _mark(left_out)] if left_out and self._texts else self._texts
        return self._between.join(texts)


def _mark(count: int) -> str:
    return f"[rulewright: {count} more left out, the texts are too long for one answer]"
