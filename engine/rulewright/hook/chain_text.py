"""The texts of a chain's actions: template variables, default texts, the one spelling of a payload as JSON, and the words for what
became of an action.

Sources: hook-chains.md section 5 [S, O].
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

EXECUTED, SKIPPED, FAILED = "executed", "skipped", "failed"
ABORTED = "aborted"
DISABLED = "action disabled"
# How deep in a chain this process is: set for every program that a chain starts [R].
DEPTH_VARIABLE = "RULEWRIGHT_CHAIN_DEPTH"

# variable: the fields of the payload that it comes from, the first non-empty text counts.
SUBJECT = ("task_subject", "taskSubject")
DESCRIPTION = ("task_description", "taskDescription")
TASK = ("task_id", "taskId")
ERROR = ("error", "reason")
# Bytes of a prompt or message. One argument of a program has at most 128 KiB on Linux (MAX_ARG_STRLEN in execve(2)) [R].
LARGEST = 96 * 1024
_CUT = " [cut]"
_NOT_AVAILABLE = "n/a"


def first_text(payload: "Mapping[str, Any]", names: "Sequence[str]") -> str:
    """Return the first of some fields that is a non-empty text; empty where none is."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def prompt(action: "Mapping[str, Any]", rule_id: str, event: "Mapping[str, Any]") -> str:
    """Return the prompt of a fallback agent: its template filled in, or the built-in one."""
    payload = event["payload"]
    values = {
        "EVENT_NAME": event["eventName"],
        "OUTCOME": event["outcome"],
        "RULE_ID": rule_id,
        "TASK_SUBJECT": first_text(payload, SUBJECT),
        "TASK_DESCRIPTION": first_text(payload, DESCRIPTION),
        "ERROR": first_text(payload, ERROR),
    }
    return _bounded(action.get("promptTemplate") or _default_prompt(values), values, payload)


def summary(action: "Mapping[str, Any]", rule_id: str, event: "Mapping[str, Any]") -> str:
    """Return the one line that a team sees before the message."""
    template = action.get("summary")
    if template:
        return _bounded(template, _message_values(rule_id, event), event["payload"])
    return f"Hook chain {rule_id} triggered ({event['eventName']}/{event['outcome']})"


def message(action: "Mapping[str, Any]", rule_id: str, event: "Mapping[str, Any]") -> str:
    """Return what a team is told: its template filled in, or the built-in message."""
    values = _message_values(rule_id, event)
    return _bounded(action.get("messageTemplate") or _default_message(values), values, event["payload"])


def description(action: "Mapping[str, Any]", event: "Mapping[str, Any]") -> str:
    """Return what a fallback agent's task is called. It is no template."""
    return cut(action.get("description") or f"Fallback recovery: {event['eventName']} ({event['outcome']})", LARGEST)


def fill(template: str, values: "Mapping[str, str]") -> str:
    """Put values in the places of `$NAME` and `${NAME}`, once: what looks like a place in a value is left as it is.

    A name that has no value becomes empty.
    """
    import re

    return re.sub(r"\$\{([A-Z0-9_]+)\}|\$([A-Z0-9_]+)", lambda found: values.get(found[1] or found[2], ""), template)


def stable_json(value: object) -> str:
    """Write a value as JSON in one way only: keys sorted, no spaces. What holds itself is written as `[Circular]`.

    Numbers that JSON does not have become null, other objects their text. Does not recurse, so that no depth is too deep.
    """
    from rulewright.hook.json_text import compact

    out: list[str] = []
    inside: set[int] = set()
    # What is still to be written: a piece of JSON, the end of a list or an object, or a value.
    work: list[tuple[str, Any]] = [("value", value)]
    while work:
        kind, item = work.pop()
        if kind == "text":
            out.append(item)
        elif kind == "end":
            inside.discard(item)
        elif not isinstance(item, (dict, list, tuple)):
            out.append(compact(_plain(item)))
        elif id(item) in inside:
            out.append('"[Circular]"')
        else:
            inside.add(id(item))
            work.append(("end", id(item)))
            parts: list[tuple[str, Any]]
            if isinstance(item, dict):
                opening, closing = "{", "}"
                by_name = {str(key): member for key, member in item.items()}
                parts = []
                for key in sorted(by_name):
                    parts += [("text", f"{',' if parts else ''}{compact(key)}:"), ("value", by_name[key])]
            else:
                opening, closing = "[", "]"
                parts = []
                for member in item:
                    parts += [("text", ","), ("value", member)] if parts else [("value", member)]
            out.append(opening)
            work.append(("text", closing))
            work += reversed(parts)
    return "".join(out)


def _plain(value: object) -> object:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)


def _message_values(rule_id: str, event: "Mapping[str, Any]") -> "dict[str, str]":
    payload = event["payload"]
    return {
        "EVENT_NAME": event["eventName"],
        "OUTCOME": event["outcome"],
        "RULE_ID": rule_id,
        "TASK_SUBJECT": first_text(payload, SUBJECT),
        "TASK_ID": first_text(payload, TASK),
        "ERROR": first_text(payload, ERROR),
    }


def _default_prompt(values: "Mapping[str, str]") -> str:
    # The labels are OpenClaude's own: its integration test asks for them [O].
    lines = [
        "You are a fallback agent, started by a hook chain after a failure.",
        "Event: $EVENT_NAME",
        "Outcome: $OUTCOME",
        "Rule ID: $RULE_ID",
    ]
    for label, name in (
        ("Task subject", "TASK_SUBJECT"),
        ("Task description", "TASK_DESCRIPTION"),
        ("Failure details", "ERROR"),
    ):
        if values[name]:
            lines.append(f"{label}: ${{{name}}}")
    lines += [
        "Goal: make one minimal, safe attempt to recover, then report what you changed, what failed, and the next steps "
        "that you recommend.",
        "Payload: $PAYLOAD_JSON",
    ]
    return "\n".join(lines)


def _default_message(values: "Mapping[str, str]") -> str:
    error = "${ERROR}" if values["ERROR"] else _NOT_AVAILABLE
    task = "${TASK_SUBJECT}" if values["TASK_SUBJECT"] else "${TASK_ID}" if values["TASK_ID"] else _NOT_AVAILABLE
    lines = ["A hook chain was triggered.", "Rule: $RULE_ID", "Event: $EVENT_NAME", "Outcome: $OUTCOME"]
    return "\n".join([*lines, f"Error: {error}", f"Task: {task}", "Payload: $PAYLOAD_JSON"])


def _bounded(template: str, values: "dict[str, str]", payload: object) -> str:
    """Fill a template. Of a text over LARGEST bytes the payload is cut first, then the end."""
    whole = stable_json(payload) if "PAYLOAD_JSON" in template else ""
    text = fill(template, {**values, "PAYLOAD_JSON": whole})
    over = _size(text) - LARGEST
    if over > 0:
        text = fill(template, {**values, "PAYLOAD_JSON": cut(whole, _size(whole) - over)})
    return cut(text, LARGEST)


def cut(text: str, size: int) -> str:
    """Return a text of at most `size` bytes of UTF-8; one that is longer ends with a word that says so."""
    if _size(text) <= size:
        return text
    kept = text.encode("utf-8", "surrogatepass")[: max(size - len(_CUT), 0)]
    return kept.decode("utf-8", "ignore") + _CUT


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
