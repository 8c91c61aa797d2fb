"""Copilot CLI: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 4 and 11, observed on Copilot CLI 1.0.102 [O] where it says so, else its documentation [D].
Events registered in camelCase have payloads in camelCase that do not name their event. Events registered in PascalCase have
payloads and answers in the manner of Claude Code: they are understood, `install` never writes them.
"""

import sys

from rulewright.harness import forgiving
from rulewright.hook.event import MISSING, TOOL_EVENTS, text, utf8_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event

NAME = "copilot-cli"

# native event: (canonical event, what an answer can carry there, source). There is no channel to the user.
EVENTS = {
    "sessionStart": ("session.start", ("add-context",), "section 11 [O]"),
    "userPromptSubmitted": ("prompt.submitted", ("deny", "add-context"), "section 11 [O]"),
    "preToolUse": ("tool.pre", ("deny", "ask", "allow", "update-input", "add-context"), "section 11 [O], allow [D]"),
    "permissionRequest": ("permission.request", ("deny", "allow"), "section 1 [D]"),
    "postToolUse": ("tool.post", ("add-context",), "section 11 [O]"),
    "postToolUseFailure": ("tool.error", ("add-context",), "section 1 [D]"),
    "subagentStart": ("subagent.start", ("add-context",), "section 1 [D]"),
    "subagentStop": ("subagent.stop", ("continue-agent",), "section 1 [D]"),
    "agentStop": ("agent.stop", ("continue-agent",), "section 11 [O]"),
    "preCompact": ("compact.pre", (), "section 1 [D]"),
    "sessionEnd": ("session.end", (), "section 1 [O]"),
    "notification": ("notification", ("add-context",), "section 1 [D]"),
}
ALSO: "dict[str, tuple[str, tuple[str, ...], str]]" = {}
# The same events under the names of Claude Code. Source: section 11 [O].
PASCAL_NAMES = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "userPromptSubmitted",
    "PreToolUse": "preToolUse",
    "PermissionRequest": "permissionRequest",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
    "Stop": "agentStop",
    "PreCompact": "preCompact",
    "SessionEnd": "sessionEnd",
    "Notification": "notification",
}
# Sources: sections 11, 2.1 and 2.2 [O]. A subagent's prompts and stops carry a session of its own, no payload names its turn.
EVENT_FIELD = ""
TOOL_FIELD = "toolName"
SESSION_FIELD = "sessionId"
TURN_FIELD = ""
CHILD_PROMPTS = True
RETRY_PROMPTS = True
# No session starts after a compaction, and no other event tells that it is over. Source: section 2.2 [O].
COMPACTION_EVENT = "compact.pre"

# native tool: canonical tool; in PascalCase payloads the tools are named as in Claude Code. Source: section 4 [O].
TOOLS = {
    "bash": "shell",
    "powershell": "shell",
    "view": "file.read",
    "edit": "file.edit",
    "apply_patch": "file.edit",
    "create": "file.write",
    "glob": "search",
    "grep": "search",
    "web_fetch": "fetch",
    "task": "task",
    "skill": "skill",
    "Bash": "shell",
    "PowerShell": "shell",
    "Read": "file.read",
    "Edit": "file.edit",
    "Write": "file.write",
    "Glob": "search",
    "Grep": "search",
    "WebFetch": "fetch",
    "Agent": "task",
    "Task": "task",
    "Skill": "skill",
}
# A patch that only adds files is a file.write. Source: section 4.
VARYING_TOOLS = {"apply_patch": ("file.edit", "file.write")}

# Source: section 3 [O]. User and project have a file that is ours alone, beside those of others.
CONFIG = {
    "user": ("COPILOT_HOME", ".copilot", "hooks/rulewright.json"),
    "project": (None, ".github", "hooks/rulewright.json"),
    "local": (None, ".github", "copilot/settings.local.json"),
}
CONFIG_SHAPE = "handlers"
CONFIG_KEY = "hooks"
CONFIG_HEAD: "dict[str, Any]" = {"version": 1}
# A malformed entry is skipped alone, without a word. Source: section 3 [O].
FRAGILE_EVENTS: "tuple[str, ...]" = ()
TAKES_EFFECT = "start"
TRUST = "folder"
RUNS_EACH_ENTRY = True
LOADS_FOYA_RULES = False
MAY_DISPATCH_CHAINS = False
STARTS_IN_PROJECT = False
# Every exit but 0 denies a tool call, a command that cannot be found too: `handler` makes sure of 0. Source: section 2.3 [O].
FAILURE_DENIES = True
FAIL_CLOSED: "dict[str, Any]" = {}
FAIL_CLOSED_EVENTS: "tuple[str, ...]" = ()
FAIL_CLOSED_SINCE = ""
# Source: docs.github.com, Copilot CLI, custom instructions [D].
INSTRUCTIONS: "dict[str, tuple[str | None, str, tuple[str, ...]]]" = {
    "user": ("COPILOT_HOME", ".copilot", ("copilot-instructions.md",)),
    "project": (None, ".github", ("copilot-instructions.md",)),
}
# Source: docs.github.com, Copilot CLI hooks reference: keys `bash` and `powershell` [D].
SHELL = ("bash", "-c")
COMMAND_KEY = "powershell" if sys.platform == "win32" else "bash"
VERSION_COMMAND: "tuple[str, ...]" = ("copilot", "--version")
CONFIG_TOP_KEYS: "tuple[str, ...]" = ()
CONFIG_EVENTS: "tuple[str, ...]" = ()
CONFIG_COMMENTS = False
CONFIG_BESIDE = ""
HANDLER_TYPES = {"command": "", "prompt": "prompt"}
HANDLER_VALUES: "dict[str, tuple[str, ...]]" = {}
HANDLER_KEYS: "tuple[str, ...]" = ()
TIMEOUT_FRACTIONS = True

# 10 KB of context at postToolUse, no limit is known elsewhere: the same. Source: section 2 point 8 [D].
TEXT_LIMIT = 10_000
text_size = utf8_size
# Source: section 2.4: 30 s at all events.
TIMEOUT = 30.0
EVENT_TIMEOUTS = dict.fromkeys(EVENTS, 30.0)
HOOK_TIMEOUT: "int | None" = None
PROJECT_VARIABLE = "COPILOT_PROJECT_DIR"

# Keys in camelCase, then those of payloads in PascalCase; `toolArgs` are the arguments as `decode` has read them.
# Source: section 11 [O].
FIELDS = {
    "cwd": ("cwd",),
    "session.id": (SESSION_FIELD, "session_id"),
    "session.source": ("source",),
    "agent.id": ("agentId", "agent_id"),
    "agent.type": ("agentType", "agent_type"),
    "prompt.text": ("prompt",),
    "tool.input": ("toolArgs",),
    "tool.input.path": ("toolArgs.path", "toolArgs.file_path", "toolArgs.filePath"),
    "tool.output": ("toolResult", "tool_result"),
    "tool.error": ("error",),
}
_ARGUMENTS = ("toolArgs", "toolInput", "tool_input")
# Source: section 13: what the client says of a fresh session.
SOURCES = {"new": "startup"}
# Source: section 11 [O], permissionRequest docs.github.com, Copilot CLI hooks reference [D].
ANSWERS = (
    ("block", ("preToolUse",), (("permissionDecision", "deny"), ("permissionDecisionReason", None))),
    (
        "block",
        ("PreToolUse",),
        (
            ("hookSpecificOutput.permissionDecision", "deny"),
            ("hookSpecificOutput.permissionDecisionReason", None),
        ),
    ),
    ("block", ("permissionRequest", "PermissionRequest"), (("behavior", "deny"), ("message", None))),
    (
        "block",
        ("userPromptSubmitted", "agentStop", "subagentStop", "UserPromptSubmit", "Stop", "SubagentStop"),
        (("decision", "block"), ("reason", None)),
    ),
    ("allow", ("preToolUse",), (("permissionDecision", "allow"),)),
    ("allow", ("PreToolUse",), (("hookSpecificOutput.permissionDecision", "allow"),)),
    ("allow", ("permissionRequest", "PermissionRequest"), (("behavior", "allow"),)),
    ("input", ("preToolUse",), (("modifiedArgs", None),)),
    ("input", ("PreToolUse",), (("hookSpecificOutput.updatedInput", None),)),
    (
        "context",
        (
            "sessionStart",
            "userPromptSubmitted",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "subagentStart",
            "notification",
            "Notification",
        ),
        (("additionalContext", None),),
    ),
    (
        "context",
        ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart"),
        (("hookSpecificOutput.additionalContext", None),),
    ),
)
# Events whose payload stays in camelCase under a name in PascalCase. Source: section 11 [O].
_ALWAYS_CAMEL = ("permissionRequest", "notification")

# What tells the event of a payload in camelCase: keys that it has, first match wins. A fall-back for payloads whose event is on
# no command line. Source: section 11 [O].
_SHAPES = (
    ("postToolUse", ("toolName", "toolResult")),
    ("postToolUseFailure", ("toolName", "error")),
    ("preToolUse", ("toolName",)),
    ("userPromptTransformed", ("transformedPrompt",)),
    ("userPromptSubmitted", ("prompt",)),
    ("subagentStop", ("agentName", "stopReason")),
    ("subagentStart", ("agentName",)),
    ("agentStop", ("stopReason",)),
    ("sessionStart", ("source",)),
    ("preCompact", ("trigger",)),
    ("sessionEnd", ("reason",)),
)


def handler(command: str, timeout: int | None = None, event: str = "") -> "dict[str, Any]":
    """Return one handler as the file holds it.

    Args:
        command: what to run. Its failures are turned into success, because any other exit denies the tool call; what it
            printed still counts (section 2.3 [O]).
        timeout: seconds; left out when None.
        event: not used.
    """
    return {"type": "command", COMMAND_KEY: forgiving(command), **({} if timeout is None else {"timeoutSec": timeout})}


def tool_class(native: str) -> str | None:
    """Return the canonical name of a native tool, one of hook.event.TOOL_CLASSES; None: see VARYING_TOOLS.

    The tools of MCP servers are `<server>-<tool>`, no built-in one has a hyphen. Source: section 4 [I].
    """
    if native in VARYING_TOOLS:
        return None
    return TOOLS.get(native) or ("mcp" if "-" in native.strip("-") or native.startswith("mcp__") else "other")


def native_event(raw: "dict[str, Any]", called_for: str) -> str:
    """Return the native event: `called_for`, the one on the command line, else what the payload says or looks like."""
    if called_for:
        return called_for
    named = text(raw, "hook_event_name") or text(raw, "hookName")
    if named:
        camel = PASCAL_NAMES.get(named, named)
        return camel if camel in _ALWAYS_CAMEL else named
    return next((name for name, keys in _SHAPES if all(key in raw for key in keys)), "")


def counts_as_prompt(raw: "dict[str, Any]") -> bool:
    """Tell whether a payload of `prompt.submitted` is a person's prompt: a subagent's task names its agent (section 2.1 [O]).

    What RETRY_PROMPTS speaks of cannot be told.
    """
    return "agentId" not in raw and "agent_id" not in raw


def decode(raw: "dict[str, Any]", called_for: str, project: str = "") -> "Event | None":
    """Translate a payload to the canonical event; as in `claude_code.py`."""
    from rulewright.hook.translation import add_patch, add_tool, event_of, first

    called = native_event(raw, called_for)
    row = EVENTS.get(PASCAL_NAMES.get(called, called))
    if row is None:
        return None
    event = event_of(raw, NAME, row[0], FIELDS, SOURCES)
    if row[0] in TOOL_EVENTS:
        native = text(raw, TOOL_FIELD) or text(raw, "tool_name")
        given = first(raw, _ARGUMENTS)
        if given is not MISSING:
            given = _arguments(given)
            raw = {**raw, "toolArgs": given}
        tool = add_tool(event, raw, native, tool_class(native) or "file.edit", FIELDS, project)
        if native in VARYING_TOOLS and given is not MISSING:
            tool["input"] = given  # A patch says itself which files it is about.
            add_patch(tool, _patch(given), project, text(raw, "cwd"))
        elif tool["name"] == "mcp":
            event["mcp"] = _mcp(native)
        elif tool["name"] == "skill" and isinstance(given, dict):
            skill = text(given, "skill") or text(given, "name")
            if skill:
                event["skill"] = {"name": skill}
    return event


def _mcp(native: str) -> "Event":
    from rulewright.hook.translation import split_mcp

    if native.startswith("mcp__"):
        return split_mcp(native, "mcp__")
    server, _, called = native.rpartition("-")  # Servers have hyphens more often than tools have [I].
    return {"server": server, "tool": called}


def _arguments(given: object) -> object:
    """Return the arguments of a call: an object, in older versions as JSON text (section 13); other text stays text."""
    if not isinstance(given, str):
        return given
    from rulewright.hook.json_text import parse

    try:
        parsed: object = parse(given.encode("utf-8", "surrogatepass"))
    except ValueError:
        return given
    return parsed if isinstance(parsed, dict) else given


def _patch(given: object) -> str:
    if isinstance(given, str):
        return given
    values = given.values() if isinstance(given, dict) else ()
    return next((value for value in values if isinstance(value, str) and "*** " in value), "")


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; as in `claude_code.py`."""
    from rulewright.hook.translation import wire_of

    return wire_of(answer, native, ANSWERS)
