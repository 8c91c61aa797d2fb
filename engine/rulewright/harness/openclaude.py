"""OpenClaude: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 4 and 7, observed on OpenClaude 0.29.1 [O] where it says so, else read in its source [S].
The contract is that of Claude Code of early 2026; what differs is said where it differs. A `hookSpecificOutput` at an event
that has none makes the whole answer invalid.
"""

from rulewright.hook.event import TOOL_EVENTS, put, text, utf16_size, with_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event

NAME = "openclaude"

# native event: (canonical event, what an answer can carry there, source)
EVENTS = {
    "SessionStart": ("session.start", ("add-context", "system-message"), "section 1 [O], system-message [S]"),
    "UserPromptSubmit": ("prompt.submitted", ("deny", "add-context", "system-message"), "section 1 [O]"),
    "PreToolUse": (
        "tool.pre",
        ("deny", "ask", "allow", "update-input", "add-context", "system-message"),
        "section 1 [O], system-message [S]",
    ),
    "PermissionRequest": ("permission.request", ("deny", "allow", "update-input"), "section 1 [S]"),
    "PostToolUse": ("tool.post", ("feedback", "add-context", "system-message"), "section 1 [O], system-message [S]"),
    "PostToolUseFailure": ("tool.error", ("add-context", "system-message"), "section 1 [O], system-message [S]"),
    "SubagentStart": ("subagent.start", ("add-context",), "section 1 [O]"),
    "SubagentStop": ("subagent.stop", ("continue-agent",), "section 1 [S]"),
    "Stop": ("agent.stop", ("continue-agent", "system-message"), "section 1 [O], system-message [S]"),
    # Whatever a hook prints at PreCompact joins the instructions of the summary: nothing is printed there. Section 7 [O].
    "PreCompact": ("compact.pre", (), "section 1 [O]"),
    "PostCompact": ("compact.post", (), "section 1 [O]"),
    "SessionEnd": ("session.end", (), "section 1 [O]"),
    "Notification": ("notification", (), "section 7 [S]"),
    "TaskCompleted": ("task.completed", (), "section 1 [S]; denied by exit code only, which we never use"),
}
ALSO: "dict[str, tuple[str, tuple[str, ...], str]]" = {}
# Sources: sections 7, 2.1 and 2.2 [O]. No payload names its turn.
EVENT_FIELD = "hook_event_name"
TOOL_FIELD = "tool_name"
SESSION_FIELD = "session_id"
TURN_FIELD = ""
CHILD_PROMPTS = False
RETRY_PROMPTS = False

# native tool: canonical tool. Source: section 4 [O].
TOOLS = {
    "Bash": "shell",
    "PowerShell": "shell",
    "Read": "file.read",
    "NotebookRead": "file.read",
    "Write": "file.write",
    "Edit": "file.edit",
    "MultiEdit": "file.edit",
    "NotebookEdit": "file.edit",
    "Glob": "search",
    "Grep": "search",
    "LS": "search",
    "WebFetch": "fetch",
    "WebSearch": "fetch",
    "Agent": "task",
    "Task": "task",
    "Skill": "skill",
}
VARYING_TOOLS: "dict[str, tuple[str, ...]]" = {}
_MCP_PREFIX = "mcp__"

# Source: section 3 [O], the variable section 7 [S]. CLAUDE_CONFIG_DIR is ignored.
CONFIG = {
    "user": ("OPENCLAUDE_CONFIG_DIR", ".openclaude", "settings.json"),
    "project": (None, ".openclaude", "settings.json"),
    "local": (None, ".openclaude", "settings.local.json"),
}
CONFIG_SHAPE = "groups"
CONFIG_KEY = "hooks"
CONFIG_HEAD: "dict[str, Any]" = {}
# One malformed entry, or one event that it does not know, silently turns off all hooks of the file. Source: section 7 [O].
FRAGILE_EVENTS = tuple(EVENTS)
TAKES_EFFECT = "live"
# `-p` runs hooks of the project without asking. Source: section 3 [O].
TRUST = "none"
RUNS_EACH_ENTRY = False
FAILURE_DENIES = False
# `onFailure` is ignored. Source: section 7 [O].
FAIL_CLOSED: "dict[str, Any]" = {}
FAIL_CLOSED_EVENTS: "tuple[str, ...]" = ()
FAIL_CLOSED_SINCE = ""
# The project's file and its includes were seen to be read, the user's is inferred. Source: 30-InstructionsLoaded of 0.29.1 [O].
# Where there is an AGENTS.md, CLAUDE.md is not read: Gitlawb/openclaude@16ae3a52 src/utils/projectInstructions.ts [S].
INSTRUCTIONS: "dict[str, tuple[str | None, str, tuple[str, ...]]]" = {
    "user": ("OPENCLAUDE_CONFIG_DIR", ".openclaude", ("CLAUDE.md",)),
    "project": (None, "", ("AGENTS.md", "CLAUDE.md")),
    "local": (None, "", ("CLAUDE.local.md",)),
}
SHELL = ("sh", "-c")
COMMAND_KEY = "command"
VERSION_COMMAND: "tuple[str, ...]" = ("openclaude", "--version")
# The only events it knows, and what makes an entry malformed. Source: section 7 [O].
CONFIG_TOP_KEYS: "tuple[str, ...]" = ()
CONFIG_EVENTS: "tuple[str, ...]" = (
    *EVENTS,
    "StopFailure",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
)
CONFIG_COMMENTS = False
CONFIG_BESIDE = ""
HANDLER_TYPES = {"command": "command", "prompt": "prompt", "http": "url", "agent": "prompt"}
HANDLER_VALUES: "dict[str, tuple[str, ...]]" = {}
HANDLER_KEYS: "tuple[str, ...]" = ()
TIMEOUT_FRACTIONS = True

# Source: section 7 [S], known of UserPromptSubmit; in JavaScript, whose characters are UTF-16 units.
TEXT_LIMIT = 10_000
text_size = utf16_size
# Source: section 2.4 [S].
TIMEOUT = 600.0
EVENT_TIMEOUTS = {"SessionEnd": 1.5}
HOOK_TIMEOUT: "int | None" = None
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"

# How an answer's parts are written, by native event. Source: section 7 [O].
_DECISION = ("UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop")
_CONTEXT = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart")
_MESSAGE = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop")


def handler(command: str, timeout: int | None = None, event: str = "") -> "dict[str, Any]":
    """Return one command handler as the settings hold it. `timeout` is in seconds, left out when None; `event` is not used."""
    entry: dict[str, Any] = {"type": "command", "command": command}
    if timeout is not None:
        entry["timeout"] = timeout
    return entry


def tool_class(native: str) -> str | None:
    """Return the canonical name of a native tool, one of hook.event.TOOL_CLASSES; None: see VARYING_TOOLS."""
    if native.startswith(_MCP_PREFIX):
        return "mcp"
    return TOOLS.get(native, "other")


def native_event(raw: "dict[str, Any]", called_for: str) -> str:
    """Return the native event of a payload; `called_for`, the one on the command line, where it names none."""
    name = raw.get(EVENT_FIELD, called_for)
    return name if isinstance(name, str) else called_for


def counts_as_prompt(raw: "dict[str, Any]") -> bool:
    """Tell whether a payload of `prompt.submitted` is a person's prompt: all are (section 2.1 [O])."""
    return True


def decode(raw: "dict[str, Any]", called_for: str, project: str = "") -> "Event | None":
    """Translate a payload to the canonical event; None where there is nothing to evaluate.

    Args:
        raw: the payload, an object as `json` reads it. Missing and unknown keys are fine.
        called_for: the native event on the command line.
        project: the project's folder, empty where it is not known.
    Raises:
        ValueError: a tool event that names no tool.
    """
    native = native_event(raw, called_for)
    row = EVENTS.get(native)
    if row is None:
        return None
    canonical = row[0]
    event: Event = {"event": canonical, "harness": NAME}
    put(event, "model", raw, "model")
    put(event, "cwd", raw, "cwd")
    session: Event = {}
    put(session, "id", raw, SESSION_FIELD)
    if canonical == "session.start":
        put(session, "source", raw, "source")
    if session:
        event["session"] = session
    for key, part in (("id", "agent_id"), ("type", "agent_type")):
        if part in raw:
            event.setdefault("agent", {})[key] = raw[part]
    if canonical == "prompt.submitted" and "prompt" in raw:
        event["prompt"] = {"text": raw["prompt"]}
    if canonical in TOOL_EVENTS:
        _decode_tool(event, raw, project)
    return event


def _decode_tool(event: "Event", raw: "dict[str, Any]", project: str) -> None:
    native = text(raw, TOOL_FIELD)
    if not native:
        raise ValueError("the event names no tool")
    name = tool_class(native)
    tool: Event = {"name": name, "native_name": native}
    given = with_path(raw.get("tool_input"), ("file_path", "notebook_path", "path"), project, text(raw, "cwd"))
    if "tool_input" in raw:
        tool["input"] = given
    put(tool, "output", raw, "tool_response")
    put(tool, "error", raw, "error")
    event["tool"] = tool
    if name == "mcp":
        server, _, called = native[len(_MCP_PREFIX) :].partition("__")
        event["mcp"] = {"server": server, "tool": called}
    elif name == "skill" and isinstance(given, dict) and "skill" in given:
        event["skill"] = {"name": given["skill"]}


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; empty where nothing is to be printed.

    Args:
        answer: any of `block` (the reason: deny the call or prompt, feedback after it, or keep going at a stop), `context`
            (text for the model), `message` (text for the user), `allow` (True), `input` (the whole new tool input).
            What the event cannot carry is left out, and so is an empty text.
    Source: sections 5.3 and 7 [O].
    """
    wire: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if answer.get("message") and native in _MESSAGE:
        wire["systemMessage"] = answer["message"]
    reason = answer.get("block")
    if native == "PreToolUse":
        if reason:
            specific["permissionDecision"] = "deny"
            specific["permissionDecisionReason"] = reason
        elif answer.get("allow"):
            specific["permissionDecision"] = "allow"
        if answer.get("input") is not None and not reason:
            specific["updatedInput"] = answer["input"]
    elif native == "PermissionRequest":
        if reason:
            specific["decision"] = {"behavior": "deny", "message": reason}
        elif answer.get("allow"):
            specific["decision"] = {"behavior": "allow"}
    elif reason and native in _DECISION:
        wire["decision"] = "block"
        wire["reason"] = reason
    if answer.get("context") and native in _CONTEXT:
        specific["additionalContext"] = answer["context"]
    if specific:
        wire["hookSpecificOutput"] = {"hookEventName": native, **specific}
    return wire
