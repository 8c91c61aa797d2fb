"""Claude Code: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 5, observed on Claude Code 2.1.332 [O] where it says so, else its documentation [D]. The
capability words are those of style.md section 3 [A]; `feedback` is text to the model about something that already happened.
"""

from rulewright.hook.event import TOOL_EVENTS, text, utf16_size

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
    "TaskCompleted": ("task.completed", (), "section 1 [D]; denied by exit code only, which we never use"),
}
# Canonical events that arrive under the native event of another one: canonical event: (native event, capabilities, source).
ALSO: "dict[str, tuple[str, tuple[str, ...], str]]" = {}
# Where a payload says its event, its tool, its session and its turn; empty: nowhere. Sources: sections 5.2, 2.1 and 2.2 [O].
EVENT_FIELD = "hook_event_name"
TOOL_FIELD = "tool_name"
SESSION_FIELD = "session_id"
TURN_FIELD = "prompt_id"
# A subagent's task fires `prompt.submitted` as well. Source: section 2.1 [O].
CHILD_PROMPTS = False
# A refused stop fires `prompt.submitted` with the reason as prompt, which no payload tells from a person's. Source: section 2.1 [O].
RETRY_PROMPTS = False
# The canonical event that tells of a compaction, `session.start` by its source; empty: none does. Source: section 2.2 [O].
COMPACTION_EVENT = "session.start"

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
# native tool: the canonical tools it may be, where its name alone does not tell.
VARYING_TOOLS: "dict[str, tuple[str, ...]]" = {}
_MCP_PREFIX = "mcp__"

# scope: (variable that moves the folder, folder, file in it); the user's folder is below the home folder, the others
# below the project. Source: section 3 [O].
CONFIG = {
    "user": ("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    "project": (None, ".claude", "settings.json"),
    "local": (None, ".claude", "settings.local.json"),
}
# How the handlers lie in the file. "groups": {CONFIG_KEY: {native event: [{"hooks": [handler]}]}}; "handlers": {CONFIG_KEY:
# {native event: [handler]}}; "list": [handler]. CONFIG_HEAD: what else a new file must hold. Source: section 5.1 [O].
CONFIG_SHAPE = "groups"
CONFIG_KEY = "hooks"
CONFIG_HEAD: "dict[str, Any]" = {}
# A malformed entry below these events makes the client ignore the whole file. Source: section 5.1 [O].
FRAGILE_EVENTS = ("PreToolUse", "PermissionRequest")
# When a change of the file counts: "live", "event" (it is read at every event) or "start" (of the client). Source: section 3 [O].
TAKES_EFFECT = "live"
# What the user must agree to before hooks of the project run: "folder", "handler" (each new or changed one) or "none".
# Source: section 3 [O].
TRUST = "folder"
# Equal commands run each time that they are written, not once. Source: section 3 [O].
RUNS_EACH_ENTRY = False
# The client gives the model the rules of `.foya/rules/` by itself. Source: foya.md [F].
LOADS_FOYA_RULES = False
# A build of the client may dispatch `hook-chains.json` by itself. Source: hook-chains.md section 1 [O].
MAY_DISPATCH_CHAINS = False
# Hooks of a project count only where the client is started in that very folder: observed in 2.1.332.
STARTS_IN_PROJECT = True
# A hook process that cannot start or leaves with 1 denies the call. Source: section 2.3 [O].
FAILURE_DENIES = False
# What makes the client deny where the hook process fails, at which events, and since which version; empty: it cannot.
# Source: section 5.1 [O], style.md section 7 point 5 [S].
FAIL_CLOSED = {"onFailure": "block"}
FAIL_CLOSED_EVENTS: "tuple[str, ...]" = ("PreToolUse",)
FAIL_CLOSED_SINCE = "2.1.295"
# Where static rules go, by scope: (variable that moves the folder, folder, names): the first name that is there, else the last.
# Source: code.claude.com/docs/en/memory, read 2026-11-30 [D].
INSTRUCTIONS: "dict[str, tuple[str | None, str, tuple[str, ...]]]" = {
    "user": ("CLAUDE_CONFIG_DIR", ".claude", ("CLAUDE.md",)),
    "project": (None, "", ("CLAUDE.md",)),
    "local": (None, "", ("CLAUDE.local.md",)),
}
# The shell that runs a command, the key of a handler that holds it, and what prints the client's version. Source: section 5.4 [O].
SHELL = ("sh", "-c")
COMMAND_KEY = "command"
VERSION_COMMAND: "tuple[str, ...]" = ("claude", "--version")
# What else makes the client ignore the file: other keys at its top, other events; empty: none does. Handlers by type, with the
# key that must hold a text ("" where that is not known), and keys with fixed values. Source: section 5.1 [O].
CONFIG_TOP_KEYS: "tuple[str, ...]" = ()
CONFIG_EVENTS: "tuple[str, ...]" = ()
CONFIG_COMMENTS = False
CONFIG_BESIDE = ""
HANDLER_TYPES = {"command": "command", "http": "url", "mcp_tool": "", "prompt": "prompt", "agent": "prompt"}
HANDLER_VALUES: "dict[str, tuple[str, ...]]" = {"onFailure": ("block", "continue")}
HANDLER_KEYS: "tuple[str, ...]" = ()
TIMEOUT_FRACTIONS = True

# As much of one text reaches the model or the user whole, measured by `text_size`. Source: section 5.3 [O]: 10,000 characters;
# the client is written in JavaScript, whose characters are UTF-16 units.
TEXT_LIMIT = 10_000
text_size = utf16_size
# The client's own limits in seconds, where no `timeout` is declared. Source: section 2.4 [O].
TIMEOUT = 600.0
EVENT_TIMEOUTS = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}
# The timeout in seconds that is declared for our own handlers; None: none is. Source: style.md section 7 point 6 [S].
HOOK_TIMEOUT: "int | None" = None
# The variable that holds the project's folder and stays put after `cd`; empty: there is none. Source: section 2.4 [O].
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"

# canonical field: where a payload may hold it; the first place that is there counts, `tool_input.path` is a key of the object
# `tool_input`. `tool.input.path` becomes relative to the project, `skill.name` is read where a skill is called.
# Source: section 5.2 [O].
FIELDS = {
    "model": ("model",),
    "cwd": ("cwd",),
    "session.id": (SESSION_FIELD,),
    "session.source": ("source",),
    "turn.id": (TURN_FIELD,),
    "agent.id": ("agent_id",),
    "agent.type": ("agent_type",),
    "prompt.text": ("prompt",),
    "tool.input": ("tool_input",),
    "tool.input.path": ("tool_input.file_path", "tool_input.notebook_path", "tool_input.path"),
    "tool.output": ("tool_response",),
    "tool.error": ("error",),
    "skill.name": ("tool_input.skill",),
}
# native word for what started a session: canonical word; others stay. Source: section 2.2 [O]: a resumed session, its id new.
SOURCES = {"fork": "resume"}
# How an answer is written, in this order: (part of it, native events, pairs of key and value); for the value None the part is
# written itself, `outer.key` is a key of the object `outer`. Source: section 5.3 [O].
ANSWERS = (
    (
        "message",
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"),
        (("systemMessage", None),),
    ),
    (
        "block",
        ("PreToolUse",),
        (
            ("hookSpecificOutput.permissionDecision", "deny"),
            ("hookSpecificOutput.permissionDecisionReason", None),
        ),
    ),
    (
        "block",
        ("PermissionRequest",),
        (("hookSpecificOutput.decision.behavior", "deny"), ("hookSpecificOutput.decision.message", None)),
    ),
    (
        "block",
        ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop", "PreCompact"),
        (("decision", "block"), ("reason", None)),
    ),
    ("allow", ("PreToolUse",), (("hookSpecificOutput.permissionDecision", "allow"),)),
    ("allow", ("PermissionRequest",), (("hookSpecificOutput.decision.behavior", "allow"),)),
    ("input", ("PreToolUse",), (("hookSpecificOutput.updatedInput", None),)),
    (
        "context",
        (
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "SubagentStart",
            "Stop",
        ),
        (("hookSpecificOutput.additionalContext", None),),
    ),
)


def handler(command: str, timeout: int | None = None, event: str = "") -> "dict[str, Any]":
    """Return one command handler as the settings hold it.

    Args:
        timeout: seconds; left out when None.
        event: the native event, for harnesses whose handlers name it themselves.
    """
    return {"type": "command", "command": command, **({} if timeout is None else {"timeout": timeout})}


def tool_class(native: str) -> str | None:
    """Return the canonical name of a native tool, one of hook.event.TOOL_CLASSES; None: see VARYING_TOOLS."""
    if native.startswith(_MCP_PREFIX):
        return "mcp"
    return TOOLS.get(native, "other")


def native_event(raw: "dict[str, Any]", called_for: str) -> str:
    """Return the native event of a payload; `called_for`, the one on the command line, where it names none."""
    return text(raw, EVENT_FIELD, called_for)


def counts_as_prompt(raw: "dict[str, Any]") -> bool:
    """Tell whether a payload of `prompt.submitted` is a person's prompt, which a prompt counter counts.

    A background agent that has finished reports as a prompt. Source: section 2.1 [O].
    """
    return not text(raw, "prompt").startswith("<task-notification>")


def decode(raw: "dict[str, Any]", called_for: str, project: str = "") -> "Event | None":
    """Translate a payload to the canonical event; None where there is nothing to evaluate.

    Args:
        raw: the payload, an object as `json` reads it. Missing and unknown keys are fine.
        called_for: the native event on the command line.
        project: the project's folder, empty where it is not known.
    Raises:
        ValueError: a tool event that names no tool.
    """
    from rulewright.hook.translation import add_tool, event_of

    called = native_event(raw, called_for)
    row = EVENTS.get(called)
    if row is None:
        return None
    if called == "SubagentStop" and raw.get("agent_type") == "":
        return None  # The helper that writes a compaction summary (section 5.2 [O]), not an agent of the user.
    event = event_of(raw, NAME, row[0], FIELDS, SOURCES)
    if row[0] in TOOL_EVENTS:
        native = text(raw, TOOL_FIELD)
        tool = add_tool(event, raw, native, tool_class(native) or "other", FIELDS, project)
        if tool["name"] == "mcp":
            event["mcp"] = _mcp(native, raw.get("mcp_server"))
    return event


def _mcp(native: str, server: object) -> "Event":
    """Split `mcp__<server>__<tool>`. Server names may hold underscores, so the payload's own `mcp_server` decides."""
    from rulewright.hook.translation import split_mcp

    found = split_mcp(native, _MCP_PREFIX)
    known = server.get("name") if isinstance(server, dict) else None
    if isinstance(known, str) and known:
        # The native name spells the server with `_` for what is not a letter, digit, `_` or `-`.
        spelled = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in known)
        start = f"{_MCP_PREFIX}{spelled}__"
        if native.startswith(start):
            found["tool"] = native[len(start) :]
        found["server"] = known
    return found


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; empty where nothing is to be printed.

    Args:
        answer: any of `block` (the reason: deny the call or prompt, feedback after it, or keep going at a stop), `context`
            (text for the model), `message` (text for the user), `allow` (True), `input` (the whole new tool input).
            `halt` (True, beside `block`: end the turn as well; only Foya has that). What the event cannot carry is left out,
            and so is an empty text.
    """
    from rulewright.hook.translation import wire_of

    return wire_of(answer, native, ANSWERS)
