"""The canonical event: the names of events and fields that all harnesses are translated to, and how a field is looked up.

An event is a plain dict, nested as the dotted field names say: `{"event": "tool.pre", "tool": {"name": "shell", ...}}`.
Pure functions; nothing here reads the world.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Event = dict[str, Any]

# style.md section 3: the vocabulary of speakeasy-api/agenthooks [A], and task.completed [R].
EVENTS = (
    "session.start",
    "session.end",
    "prompt.submitted",
    "tool.pre",
    "tool.post",
    "tool.error",
    "permission.request",
    "agent.stop",
    "subagent.start",
    "subagent.stop",
    "compact.pre",
    "compact.post",
    "notification",
    "file.edited",
    "model.request",
    "model.response",
    "task.completed",
)

# Events that carry a tool call. The index keeps one section for each class of tool there.
TOOL_EVENTS = ("tool.pre", "tool.post", "tool.error", "permission.request")

# style.md section 3 [A]. `mcp` and `skill` are the classes of calls that rules name by `mcp` and `skill`, not by `tool`.
TOOLS = ("shell", "file.read", "file.write", "file.edit", "search", "fetch", "task", "other")
TOOL_CLASSES = (*TOOLS, "mcp", "skill")


class _Missing:
    """The type of MISSING."""

    __slots__ = ()


MISSING = _Missing()


def lookup(event: "Event", field: str) -> object:
    """Return the value of a dotted field, or MISSING. Numbers select from lists; a key may itself hold dots."""
    value: object = event
    rest = field
    while True:
        if isinstance(value, dict):
            if rest in value:
                found: object = value[rest]
                return found
            head, dot, tail = rest.partition(".")
            while dot and head not in value:
                more, dot, tail = tail.partition(".")
                head = f"{head}.{more}"
            if not dot:
                return MISSING
            value, rest = value[head], tail
        elif isinstance(value, list):
            head, dot, tail = rest.partition(".")
            if not (head.isascii() and head.isdigit() and len(head) < 10 and int(head) < len(value)):
                return MISSING
            value = value[int(head)]
            if not dot:
                return value
            rest = tail
        else:
            return MISSING


def text(raw: "dict[str, Any]", key: str, default: str = "") -> str:
    """Return a text of a payload, the default where it is missing or no text."""
    value = raw.get(key)
    return value if isinstance(value, str) else default


def utf16_size(text: str) -> int:
    """Return the length of a text in UTF-16 code units, which is what JavaScript calls its length."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def utf8_size(text: str) -> int:
    """Return the length of a text in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
