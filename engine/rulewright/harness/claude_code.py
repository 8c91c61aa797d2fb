"""Claude Code: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 5, observed on Claude Code 2.1.332 [O] where it says so, else its documentation [D]. The
capability words are those of style.md section 3 [A]; `feedback` is text to the model about something that already happened.
"""

from rulewright.hook.event import TOOL_EVENTS, project_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event

NAME = "claude-code"

# native event: (canonical event, what an answer can carry there, source)
EVENTS = {
    "SessionStart": ("session.start", ("add-context", "system-message"), "section 1 [O], system-message [D]"),
    "UserPromptSubmit": ("prompt.submitted", ("deny", "add-context", "system-message"), "section 1 [O]"),
    "PreToolUse": (
        "tool.pre",
        ("deny", "ask", "allow", "update-input", "add-context", "system-message"),
        "section 1 [O], section 5.3",
    ),
    "PermissionRequest": ("permission.request", ("deny", "allow", "update-input"), "section 1 [O]"),
    "PostToolUse": ("tool.post", ("feedback", "add-context", "replace-output", "system-message"), "section 1 [O]"),
    "PostToolUseFailure": ("tool.error", ("feedback", "add-context", "system-message"), "section 1 [O]"),
    "SubagentStart": ("subagent.start", ("add-context",), "section 1 [O]"),
    "SubagentStop": ("subagent.stop", ("continue-agent",), "section 1 [O]"),
    "Stop": ("agent.stop", ("continue-agent", "system-message"), "section 1 [O]"),
    "PreCompact": ("compact.pre", ("deny",), "section 1 [O]"),
    "PostCompact": ("compact.post", (), "section 1 [O]"),
    "SessionEnd": ("session.end", (), "section 1 [O]"),
    "Notification": ("notification", (), "section 1 [D]"),
    "TaskCompleted": ("task.completed", ("deny",), "section 1 [D]"),
}

# native tool: canonical tool. Source: section 4 [O]; MultiEdit, LS and NotebookRead are of older versions [A].
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
MCP_PREFIX = "mcp__"

# scope: (variable that moves the folder, folder, file in it); the user's folder is below the home folder, the others
# below the project. Source: section 3 [O].
CONFIG = {
    "user": ("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    "project": (None, ".claude", "settings.json"),
    "local": (None, ".claude", "settings.local.json"),
}
# The settings hold {"hooks": {native event: [{"hooks": [handler]}]}}. Source: section 5.1 [O].
CONFIG_KEY = "hooks"
# A malformed entry below these events makes the client ignore the whole file. Source: section 5.1 [O].
FRAGILE_EVENTS = ("PreToolUse", "PermissionRequest")

# Characters of one text that reach the model or the user whole. Source: section 5.3 [O].
TEXT_LIMIT = 10_000
# The client's own limits in seconds, where no `timeout` is declared. Source: section 2.4 [O].
TIMEOUT = 600.0
EVENT_TIMEOUTS = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}
# The variable that holds the project's folder and stays put after `cd`. Source: section 2.4 [O].
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"

# How an answer's parts are written, by native event. Source: section 5.3 [O].
_PERMISSION = ("PreToolUse",)
_BEHAVIOR = ("PermissionRequest",)
_DECISION = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop", "PreCompact")
_CONTEXT = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "Stop",
)
_MESSAGE = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop")


def handler(command: str, timeout: int | None = None) -> "dict[str, Any]":
    """Return one command handler as the settings hold it. `timeout` is in seconds and left out when None."""
    entry: dict[str, Any] = {"type": "command", "command": command}
    if timeout is not None:
        entry["timeout"] = timeout
    return entry


def tool_class(native: str) -> str:
    """Return the canonical name of a native tool: one of hook.event.TOOL_CLASSES."""
    if native.startswith(MCP_PREFIX):
        return "mcp"
    return TOOLS.get(native, "other")


def native_event(raw: "dict[str, Any]", called_for: str) -> str:
    """Return the native event of a payload; `called_for`, the one on the command line, where it names none."""
    name = raw.get("hook_event_name", called_for)
    return name if isinstance(name, str) else called_for


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
    if native == "SubagentStop" and raw.get("agent_type") == "":
        return None  # The helper that writes a compaction summary (section 5.2 [O]), not an agent of the user.
    cwd = _text(raw, "cwd")
    event: Event = {"event": canonical, "harness": NAME}
    _put(event, "model", raw, "model")
    _put(event, "cwd", raw, "cwd")
    session: Event = {}
    _put(session, "id", raw, "session_id")
    if canonical == "session.start":
        _put(session, "source", raw, "source")
        if session.get("source") == "fork":
            session["source"] = "resume"  # Section 2.2 [O]: a resumed session under a new id.
    if session:
        event["session"] = session
    for name, key, part in (("turn", "id", "prompt_id"), ("agent", "id", "agent_id"), ("agent", "type", "agent_type")):
        if part in raw:
            event.setdefault(name, {})[key] = raw[part]
    if canonical == "prompt.submitted" and "prompt" in raw:
        event["prompt"] = {"text": raw["prompt"]}
    if canonical in TOOL_EVENTS:
        _decode_tool(event, raw, project, cwd)
    return event


def _decode_tool(event: "Event", raw: "dict[str, Any]", project: str, cwd: str) -> None:
    native = raw.get("tool_name")
    if not isinstance(native, str) or not native:
        raise ValueError("the event names no tool")
    name = tool_class(native)
    tool: Event = {"name": name, "native_name": native}
    given = raw.get("tool_input")
    if isinstance(given, dict):
        given = dict(given)
        for key in ("file_path", "notebook_path", "path"):
            if key in given:
                path = given[key]
                given["path"] = project_path(path, project, cwd) if isinstance(path, str) and path else path
                break
    if "tool_input" in raw:
        tool["input"] = given
    _put(tool, "output", raw, "tool_response")
    _put(tool, "error", raw, "error")
    event["tool"] = tool
    if name == "mcp":
        event["mcp"] = _mcp(native, raw.get("mcp_server"))
    elif name == "skill" and isinstance(given, dict) and "skill" in given:
        event["skill"] = {"name": given["skill"]}


def _mcp(native: str, server: object) -> "Event":
    """Split `mcp__<server>__<tool>`. Server names may hold underscores, so the payload's own `mcp_server` decides."""
    rest = native[len(MCP_PREFIX) :]
    name, _, tool = rest.partition("__")
    known = server.get("name") if isinstance(server, dict) else None
    if isinstance(known, str) and known:
        # The native name spells the server with `_` for what is not a letter, digit, `_` or `-`.
        spelled = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in known)
        if rest.startswith(spelled + "__"):
            tool = rest[len(spelled) + 2 :]
        return {"server": known, "tool": tool}
    return {"server": name, "tool": tool}


def _text(raw: "dict[str, Any]", key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def _put(target: "Event", name: str, raw: "dict[str, Any]", key: str) -> None:
    if key in raw:
        target[name] = raw[key]


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; empty where nothing is to be printed.

    Args:
        answer: any of `block` (the reason: deny the call or prompt, feedback after it, or keep going at a stop), `context`
            (text for the model), `message` (text for the user), `allow` (True), `input` (the whole new tool input).
            What the event cannot carry is left out, and so is an empty text.
    Source: section 5.3 [O].
    """
    wire: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if answer.get("message") and native in _MESSAGE:
        wire["systemMessage"] = answer["message"]
    reason = answer.get("block")
    if reason:
        if native in _PERMISSION:
            specific["permissionDecision"] = "deny"
            specific["permissionDecisionReason"] = reason
        elif native in _BEHAVIOR:
            specific["decision"] = {"behavior": "deny", "message": reason}
        elif native in _DECISION:
            wire["decision"] = "block"
            wire["reason"] = reason
    elif answer.get("allow"):
        if native in _PERMISSION:
            specific["permissionDecision"] = "allow"
        elif native in _BEHAVIOR:
            specific["decision"] = {"behavior": "allow"}
    if answer.get("input") is not None and native in _PERMISSION and not reason:
        specific["updatedInput"] = answer["input"]
    if answer.get("context") and native in _CONTEXT:
        specific["additionalContext"] = answer["context"]
    if specific:
        wire["hookSpecificOutput"] = {"hookEventName": native, **specific}
    return wire
