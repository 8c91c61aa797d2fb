"""Codex CLI: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 4 and 6, observed on Codex CLI 0.171.0 [O] where it says so, else its documentation [D] or
its source [S]. One unknown key, or a decision without a reason, makes Codex drop the whole answer and let the call run.
"""

from rulewright.hook.event import TOOL_EVENTS, text, utf8_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event

NAME = "codex"

# native event: (canonical event, what an answer can carry there, source). Codex documents systemMessage at SessionStart, the
# seed calls a warn there partial and is followed [S]; `allow` exists only together with a rewrite. A failing tool has no event
# that tells it (section 4.5 [O]). PreModelRequest, PostModelRequest and Interrupt have no canonical event.
EVENTS = {
    "SessionStart": ("session.start", ("add-context",), "section 1 [O], section 13"),
    "UserPromptSubmit": ("prompt.submitted", ("deny", "add-context", "system-message"), "section 6.3 [O]"),
    "PreToolUse": ("tool.pre", ("deny", "update-input", "add-context", "system-message"), "section 6.3 [O]"),
    "PermissionRequest": ("permission.request", ("deny", "allow"), "section 6.3 [D]"),
    "PostToolUse": ("tool.post", ("feedback", "add-context", "system-message"), "section 6.3 [O]"),
    "SubagentStart": ("subagent.start", ("add-context", "system-message"), "section 1 [O], system-message [D]"),
    "SubagentStop": ("subagent.stop", ("continue-agent", "system-message"), "section 6.3 [O]"),
    "Stop": ("agent.stop", ("continue-agent", "system-message"), "section 6.3 [O]"),
    "PreCompact": ("compact.pre", ("deny",), "section 6.3 [D]"),
    "PostCompact": ("compact.post", (), "section 1 [O]"),
    "SessionEnd": ("session.end", (), "section 1 [O]"),
}
ALSO: "dict[str, tuple[str, tuple[str, ...], str]]" = {}
# Sources: sections 6.2, 2.1 and 2.2 [O]. A subagent's payloads carry the session of its parent.
EVENT_FIELD = "hook_event_name"
TOOL_FIELD = "tool_name"
SESSION_FIELD = "session_id"
TURN_FIELD = "turn_id"
CHILD_PROMPTS = True
RETRY_PROMPTS = False
# Source: section 2.2 [O].
COMPACTION_EVENT = "session.start"

# native tool: canonical tool. Source: section 4 [O]; the shell is called Bash whatever the model called, the other names of it
# are those that the model may call.
TOOLS = {
    "Bash": "shell",
    "exec_command": "shell",
    "shell": "shell",
    "local_shell": "shell",
    "apply_patch": "file.edit",
    "view_image": "file.read",
    "spawn_agent": "task",
}
# A patch that only adds files is a file.write. Source: section 4 [O].
VARYING_TOOLS = {"apply_patch": ("file.edit", "file.write")}
_MCP_PREFIX = "mcp__"

# Source: section 3 [O].
CONFIG = {
    "user": ("CODEX_HOME", ".codex", "hooks.json"),
    "project": (None, ".codex", "hooks.json"),
}
CONFIG_SHAPE = "groups"
CONFIG_KEY = "hooks"
CONFIG_HEAD: "dict[str, Any]" = {}
# A malformed entry makes the client ignore the whole file, whatever its event. Source: section 6.1 [O].
FRAGILE_EVENTS = tuple(EVENTS)
TAKES_EFFECT = "start"
# Trust hangs on the place of a handler and a hash of it; an untrusted one is skipped without a word. Source: section 3 [O, S].
TRUST = "handler"
RUNS_EACH_ENTRY = True
LOADS_FOYA_RULES = False
MAY_DISPATCH_CHAINS = False
STARTS_IN_PROJECT = False
FAILURE_DENIES = False
FAIL_CLOSED: "dict[str, Any]" = {}
FAIL_CLOSED_EVENTS: "tuple[str, ...]" = ()
FAIL_CLOSED_SINCE = ""
# Source: developers.openai.com/codex/guides/agents-md, read 2026-11-30 [D].
INSTRUCTIONS: "dict[str, tuple[str | None, str, tuple[str, ...]]]" = {
    "user": ("CODEX_HOME", ".codex", ("AGENTS.override.md", "AGENTS.md")),
    "project": (None, "", ("AGENTS.override.md", "AGENTS.md")),
}
# Source: section 6.1 [S].
SHELL = ("$SHELL", "-lc")
COMMAND_KEY = "command"
VERSION_COMMAND: "tuple[str, ...]" = ("codex", "--version")
# Unknown events are tolerated, types that are known but not run are skipped. Source: section 6.1 [O].
CONFIG_TOP_KEYS = ("description", "hooks")
CONFIG_EVENTS: "tuple[str, ...]" = ()
CONFIG_COMMENTS = False
# A file in the same folder that may hold a table of hooks too, which is joined with ours. Source: section 6.1 [O].
CONFIG_BESIDE = "config.toml"
HANDLER_TYPES = {"command": "command", "mcp_tool": "", "prompt": "", "agent": ""}
HANDLER_VALUES: "dict[str, tuple[str, ...]]" = {}
HANDLER_KEYS: "tuple[str, ...]" = ()
TIMEOUT_FRACTIONS = False

# The client keeps 2,500 tokens of a text and takes four bytes of UTF-8 for a token: 10,000 bytes. Source: section 2 point 8 [O],
# openai/codex@2eb791e3 codex-rs/hooks/src/output_spill.rs (HOOK_OUTPUT_TOKEN_LIMIT, approx_token_count) [S].
TEXT_LIMIT = 10_000
text_size = utf8_size
# Source: section 2.4 [O], SessionEnd [D].
TIMEOUT = 600.0
EVENT_TIMEOUTS = {"SessionEnd": 1.0}
# Source: the seed's behaviour 7, fixed at 10 s [S].
HOOK_TIMEOUT: "int | None" = 10
PROJECT_VARIABLE = ""

# Source: section 6.2 [O].
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
    "tool.input.path": ("tool_input.file_path", "tool_input.path"),
    "tool.output": ("tool_response",),
}
# Source: section 2.2 [O]: a resumed session under a new id.
SOURCES = {"fork": "resume"}
# An `allow` without new input is a failed hook, and so is new input without `allow`.
# Source: section 6.3, hook-schemas.json of 0.171.0 [O].
ANSWERS = (
    (
        "message",
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop", "Stop"),
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
    ("block", ("PreCompact",), (("continue", False), ("stopReason", None))),
    (
        "block",
        ("UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop"),
        (("decision", "block"), ("reason", None)),
    ),
    ("allow", ("PermissionRequest",), (("hookSpecificOutput.decision.behavior", "allow"),)),
    (
        "input",
        ("PreToolUse",),
        (("hookSpecificOutput.permissionDecision", "allow"), ("hookSpecificOutput.updatedInput", None)),
    ),
    (
        "context",
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"),
        (("hookSpecificOutput.additionalContext", None),),
    ),
)


def handler(command: str, timeout: int | None = None, event: str = "") -> "dict[str, Any]":
    """Return one command handler as the file holds it. `timeout` is in seconds, left out when None; `event` is not used."""
    return {"type": "command", "command": command, **({} if timeout is None else {"timeout": timeout})}


def tool_class(native: str) -> str | None:
    """Return the canonical name of a native tool, one of hook.event.TOOL_CLASSES; None: see VARYING_TOOLS."""
    if native.startswith(_MCP_PREFIX):
        return "mcp"
    return None if native in VARYING_TOOLS else TOOLS.get(native, "other")


def native_event(raw: "dict[str, Any]", called_for: str) -> str:
    """Return the native event of a payload; `called_for`, the one on the command line, where it names none."""
    return text(raw, EVENT_FIELD, called_for)


def counts_as_prompt(raw: "dict[str, Any]") -> bool:
    """Tell whether a payload of `prompt.submitted` is a person's prompt. A subagent's task names its agent (section 2.1 [O])."""
    return "agent_id" not in raw


def decode(raw: "dict[str, Any]", called_for: str, project: str = "") -> "Event | None":
    """Translate a payload to the canonical event; as in `claude_code.py`."""
    from rulewright.hook.translation import add_patch, add_tool, event_of, split_mcp

    row = EVENTS.get(native_event(raw, called_for))
    if row is None:
        return None
    event = event_of(raw, NAME, row[0], FIELDS, SOURCES)
    if row[0] in TOOL_EVENTS:
        native = text(raw, TOOL_FIELD)
        tool = add_tool(event, raw, native, tool_class(native) or "file.edit", FIELDS, project)
        given = tool.get("input")
        if tool["name"] == "mcp":
            event["mcp"] = split_mcp(native, _MCP_PREFIX)
        elif isinstance(given, dict) and native in VARYING_TOOLS:
            add_patch(tool, text(given, "command"), project, text(raw, "cwd"))
        elif isinstance(given, dict) and tool["name"] == "shell" and "command" not in given and "cmd" in given:
            tool["input"] = {**given, "command": given["cmd"]}  # The exec_command tool's own key. Source: section 4.
    return event


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; as in `claude_code.py`."""
    from rulewright.hook.translation import wire_of

    return wire_of(answer, native, ANSWERS)
