"""OpenClaude: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 4 and 7, observed on OpenClaude 0.29.1 [O] where it says so, else read in its source [S].
The contract is that of Claude Code of early 2026; what differs is said where it differs. A `hookSpecificOutput` at an event
that has none makes the whole answer invalid.
"""

from rulewright.hook.event import TOOL_EVENTS, text, utf16_size

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
# Source: section 2.2 [O].
COMPACTION_EVENT = "session.start"

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
# Source: hook-chains.md section 1 [O].
LOADS_FOYA_RULES = False
MAY_DISPATCH_CHAINS = True
STARTS_IN_PROJECT = False
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

# Source: section 7 [O].
FIELDS = {
    "model": ("model",),
    "cwd": ("cwd",),
    "session.id": (SESSION_FIELD,),
    "session.source": ("source",),
    "agent.id": ("agent_id",),
    "agent.type": ("agent_type",),
    "prompt.text": ("prompt",),
    "tool.input": ("tool_input",),
    "tool.input.path": ("tool_input.file_path", "tool_input.notebook_path", "tool_input.path"),
    "tool.output": ("tool_response",),
    "tool.error": ("error",),
    "skill.name": ("tool_input.skill",),
}
SOURCES: "dict[str, str]" = {}
# Sources: sections 5.3 and 7 [O].
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
        ("UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop"),
        (("decision", "block"), ("reason", None)),
    ),
    ("allow", ("PreToolUse",), (("hookSpecificOutput.permissionDecision", "allow"),)),
    ("allow", ("PermissionRequest",), (("hookSpecificOutput.decision.behavior", "allow"),)),
    ("input", ("PreToolUse",), (("hookSpecificOutput.updatedInput", None),)),
    (
        "context",
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart"),
        (("hookSpecificOutput.additionalContext", None),),
    ),
)


def handler(command: str, timeout: int | None = None, event: str = "") -> "dict[str, Any]":
    """Return one command handler as the settings hold it. `timeout` is in seconds, left out when None; `event` is not used."""
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
    """Tell whether a payload of `prompt.submitted` is a person's prompt: all are (section 2.1 [O])."""
    return True


def decode(raw: "dict[str, Any]", called_for: str, project: str = "") -> "Event | None":
    """Translate a payload to the canonical event; as in `claude_code.py`."""
    from rulewright.hook.translation import add_tool, event_of, split_mcp

    row = EVENTS.get(native_event(raw, called_for))
    if row is None:
        return None
    event = event_of(raw, NAME, row[0], FIELDS, SOURCES)
    if row[0] in TOOL_EVENTS:
        native = text(raw, TOOL_FIELD)
        tool = add_tool(event, raw, native, tool_class(native) or "other", FIELDS, project)
        if tool["name"] == "mcp":
            event["mcp"] = split_mcp(native, _MCP_PREFIX)
    return event


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; as in `claude_code.py`."""
    from rulewright.hook.translation import wire_of

    return wire_of(answer, native, ANSWERS)
