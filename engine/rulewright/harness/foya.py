"""Foya: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 4 and 8. Foya was not run: everything is read in its source [S] or inferred [I]. One unknown
key in an answer is an error, and the call goes on. There is no channel to the user, so a warn reaches the model alone.
"""

from rulewright.hook.event import TOOL_EVENTS, text, utf8_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event

NAME = "foya"

# native event: (canonical event, what an answer can carry there, source). TurnComplete has no canonical event.
EVENTS = {
    "SessionStart": ("session.start", ("add-context",), "section 8 [S]"),
    "UserPromptSubmit": ("prompt.submitted", ("deny", "add-context"), "section 8 [S]"),
    "PreToolUse": ("tool.pre", ("deny", "update-input", "add-context"), "section 8 [S]"),
    "PermissionRequest": ("permission.request", ("deny", "allow"), "section 8 [S]"),
    "PostToolUse": ("tool.post", ("feedback", "add-context"), "section 8 [S]"),
    "SubagentStart": ("subagent.start", ("add-context",), "section 8 [S]"),
    "SubagentStop": ("subagent.stop", ("feedback",), "section 1 [S]"),
    "Stop": ("agent.stop", ("continue-agent",), "section 8 [S]: once a turn"),
    "PreCompact": ("compact.pre", ("deny",), "section 8 [S]"),
    "PostCompact": ("compact.post", (), "section 8 [S]"),
    "SessionEnd": ("session.end", (), "section 8 [S]"),
    "Notification": ("notification", (), "section 8 [S]"),
}
# A tool that failed arrives as PostToolUse with `tool_is_error`. Source: section 1 [S].
ALSO = {"tool.error": ("PostToolUse", ("feedback", "add-context"), "section 1 [S]")}
# Sources: sections 8, 2.1 and 2.2 [S].
EVENT_FIELD = "event"
TOOL_FIELD = "tool_name"
SESSION_FIELD = "session_id"
TURN_FIELD = "run_id"
CHILD_PROMPTS = False
RETRY_PROMPTS = False
# No session starts after a compaction. Source: section 2.2, section 8 [S].
COMPACTION_EVENT = "compact.post"

# native tool: canonical tool. Sources: section 4 [S]; freesoulcode/foya internal/tool/{delete,web,tasks,tool_search}.go and
# technical/tools.md@566c699f [S].
TOOLS = {
    "bash": "shell",
    "read": "file.read",
    "edit": "file.edit",
    "delete": "file.edit",
    "write": "file.write",
    "web_fetch": "fetch",
    "web_search": "fetch",
    "skill_load": "skill",
    "skill_search": "other",
    "tool_search": "other",
    "read_tasks": "other",
    "update_tasks": "other",
    "ask_user": "other",
    "history_read_tool_result": "other",
}
VARYING_TOOLS: "dict[str, tuple[str, ...]]" = {}
# Built-in families of tools. Everything else is taken for a tool of an MCP server, which keeps its own name. Source: section 4 [I].
_BUILT_IN = ("browser_", "canvas_")

# Source: section 3 [S].
CONFIG = {
    "user": (None, ".foya", "hooks.json"),
    "project": (None, ".foya", "hooks.json"),
}
CONFIG_SHAPE = "list"
CONFIG_KEY = ""
CONFIG_HEAD: "dict[str, Any]" = {}
# A malformed entry makes the client reject the whole file. Source: section 3 [S].
FRAGILE_EVENTS = tuple(EVENTS)
TAKES_EFFECT = "event"
TRUST = "none"
RUNS_EACH_ENTRY = True
# Source: foya.md [F].
LOADS_FOYA_RULES = True
MAY_DISPATCH_CHAINS = False
STARTS_IN_PROJECT = False
FAILURE_DENIES = False
FAIL_CLOSED: "dict[str, Any]" = {}
FAIL_CLOSED_EVENTS: "tuple[str, ...]" = ()
FAIL_CLOSED_SINCE = ""
# The client reads AGENTS.md, CLAUDE.md and GEMINI.md, 6,000 characters of each. Source: freesoulcode/foya@566c699f
# internal/agent/prompt_agentsmd.go [S].
INSTRUCTIONS: "dict[str, tuple[str | None, str, tuple[str, ...]]]" = {
    "user": (None, ".foya", ("AGENTS.md",)),
    "project": (None, "", ("AGENTS.md",)),
}
# Source: section 8 [S].
SHELL = ("/bin/sh", "-c")
COMMAND_KEY = "command"
VERSION_COMMAND: "tuple[str, ...]" = ("foya", "--version")
# An unknown key or event makes the client reject the file. Source: section 8 [S].
CONFIG_TOP_KEYS: "tuple[str, ...]" = ()
CONFIG_EVENTS: "tuple[str, ...]" = (*EVENTS, "TurnComplete")
CONFIG_COMMENTS = False
CONFIG_BESIDE = ""
HANDLER_TYPES: "dict[str, str]" = {}
HANDLER_VALUES: "dict[str, tuple[str, ...]]" = {}
HANDLER_KEYS: "tuple[str, ...]" = ("id", "name", "event", "matcher", "command", "timeout", "async", "enabled")
TIMEOUT_FRACTIONS = False

# The client takes 64 KiB of output, and an answer has one text. JSON writes a line break, a quote and a backslash as two bytes,
# so half of it, less the frame, holds every text that is free of control characters. Source: section 2 point 8 [S].
TEXT_LIMIT = 32_000
text_size = utf8_size
# Source: section 2.4 [S]: 30 s at all events.
TIMEOUT = 30.0
EVENT_TIMEOUTS = dict.fromkeys(EVENTS, 30.0)
HOOK_TIMEOUT: "int | None" = None
PROJECT_VARIABLE = "FOYA_PROJECT_PATH"

# Source: section 8 [S].
FIELDS = {
    "model": ("model",),
    "cwd": ("cwd",),
    "session.id": (SESSION_FIELD,),
    "session.source": ("source",),
    "turn.id": (TURN_FIELD,),
    "agent.id": ("agent_id",),
    "agent.type": ("agent_type",),
    "prompt.text": ("user_prompt",),
    "tool.input": ("tool_input",),
    "tool.input.path": ("tool_input.path", "tool_input.file_path"),
    "tool.output": ("tool_output",),
    "skill.name": ("tool_input.name",),
}
SOURCES: "dict[str, str]" = {}
# A `context` may be a list of texts. Source: section 8 [S].
_DENY = ("UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "SubagentStop", "Stop", "PreCompact")
ANSWERS = (
    ("block", _DENY, (("decision", "deny"),)),
    ("halt", ("PreToolUse", "PermissionRequest", "PreCompact"), (("halt", True),)),
    ("block", _DENY, (("reason", None),)),
    ("allow", ("PermissionRequest",), (("decision", "allow"),)),
    (
        "context",
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"),
        (("context", None),),
    ),
    ("input", ("PreToolUse",), (("updated_input", None),)),
)


def handler(command: str, timeout: int | None = None, event: str = "") -> "dict[str, Any]":
    """Return one entry of the list of hooks for a native event. `timeout` is in seconds, 0 to 600, left out when None."""
    entry = {"id": f"rulewright-{event}", "name": "Rulewright", "event": event, "command": command}
    return {**entry, **({} if timeout is None else {"timeout": timeout})}


def tool_class(native: str) -> str | None:
    """Return the canonical name of a native tool, one of hook.event.TOOL_CLASSES; None: see VARYING_TOOLS."""
    return "other" if native.startswith(_BUILT_IN) else TOOLS.get(native, "mcp")


def native_event(raw: "dict[str, Any]", called_for: str) -> str:
    """Return the native event of a payload; `called_for`, the one on the command line, where it names none."""
    return text(raw, EVENT_FIELD, called_for)


def counts_as_prompt(raw: "dict[str, Any]") -> bool:
    """Tell whether a payload of `prompt.submitted` is a person's prompt: all are (section 2.1 [S])."""
    return True


def decode(raw: "dict[str, Any]", called_for: str, project: str = "") -> "Event | None":
    """Translate a payload to the canonical event; as in `claude_code.py`."""
    from rulewright.hook.translation import add_tool, event_of

    row = EVENTS.get(native_event(raw, called_for))
    if row is None:
        return None
    failed = row[0] == "tool.post" and raw.get("tool_is_error") is True
    event = event_of(raw, NAME, "tool.error" if failed else row[0], FIELDS, SOURCES)
    if row[0] in TOOL_EVENTS:
        native = text(raw, TOOL_FIELD)
        place = text(raw, "project_path") or project
        tool = add_tool(event, raw, native, tool_class(native) or "other", FIELDS, place)
        if failed:
            tool["error"] = raw.get("error", raw.get("tool_output", ""))
        if tool["name"] == "mcp":
            event["mcp"] = {"tool": native}  # Nothing says which server it is of.
    return event


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; as in `claude_code.py`."""
    from rulewright.hook.translation import wire_of

    return wire_of(answer, native, ANSWERS)
