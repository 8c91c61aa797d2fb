"""Copilot CLI: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 4 and 11, observed on Copilot CLI 1.0.102 [O] where it says so, else its documentation [D].
Events registered in camelCase have payloads in camelCase that do not name their event. Events registered in PascalCase have
payloads and answers in the manner of Claude Code: they are understood, `install` never writes them.
"""

import sys

from rulewright.hook.event import TOOL_EVENTS, patched_paths, put, text, utf8_size, with_path

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

# How an answer's parts are written, by native event. Source: section 11 [O], permissionRequest docs.github.com, Copilot CLI
# hooks reference [D].
_DECISION = ("userPromptSubmitted", "agentStop", "subagentStop")
_CONTEXT = (
    "sessionStart",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "subagentStart",
    "notification",
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
    entry: dict[str, Any] = {"type": "command", COMMAND_KEY: forgiving(command)}
    if timeout is not None:
        entry["timeoutSec"] = timeout
    return entry


def forgiving(command: str) -> str:
    """Return a command that leaves with 0 whatever becomes of it, for the shell that the client runs here."""
    return f"& {command}; exit 0" if sys.platform == "win32" else f"{command} || true"


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
    """Translate a payload to the canonical event; None where there is nothing to evaluate.

    Args:
        raw: the payload, an object as `json` reads it. Missing and unknown keys are fine.
        called_for: the native event on the command line.
        project: the project's folder, empty where it is not known.
    Raises:
        ValueError: a tool event that names no tool.
    """
    native = native_event(raw, called_for)
    row = EVENTS.get(PASCAL_NAMES.get(native, native))
    if row is None:
        return None
    canonical = row[0]
    event: Event = {"event": canonical, "harness": NAME}
    put(event, "cwd", raw, "cwd")
    session: Event = {}
    put(session, "id", raw, "session_id")
    put(session, "id", raw, SESSION_FIELD)
    if canonical == "session.start":
        put(session, "source", raw, "source")
        if session.get("source") == "new":
            session["source"] = "startup"  # Section 13: what the client says of a fresh session.
    if session:
        event["session"] = session
    for key, parts in (("id", ("agent_id", "agentId")), ("type", ("agent_type", "agentType"))):
        for part in parts:
            if part in raw:
                event.setdefault("agent", {})[key] = raw[part]
    if canonical == "prompt.submitted" and "prompt" in raw:
        event["prompt"] = {"text": raw["prompt"]}
    if canonical in TOOL_EVENTS:
        _decode_tool(event, raw, project)
    return event


def _decode_tool(event: "Event", raw: "dict[str, Any]", project: str) -> None:
    native = text(raw, TOOL_FIELD) or text(raw, "tool_name")
    if not native:
        raise ValueError("the event names no tool")
    cwd = text(raw, "cwd")
    keys = [key for key in ("toolArgs", "toolInput", "tool_input") if key in raw]
    given = _arguments(raw[keys[0]]) if keys else None
    name = tool_class(native) or "file.edit"
    if native in VARYING_TOOLS:
        paths, only_adds = patched_paths(_patch(given), project, cwd)
        if only_adds:
            name = "file.write"
        if paths:
            known = given if isinstance(given, dict) else {"command": given}
            given = {**known, "path": paths[0] if len(paths) == 1 else paths}
    else:
        given = with_path(given, ("path", "file_path", "filePath"), project, cwd)
    tool: Event = {"name": name, "native_name": native}
    if keys:
        tool["input"] = given
    put(tool, "output", raw, "tool_result")
    put(tool, "output", raw, "toolResult")
    put(tool, "error", raw, "error")
    event["tool"] = tool
    if name == "mcp":
        if native.startswith("mcp__"):
            server, _, called = native[len("mcp__") :].partition("__")
        else:
            server, _, called = native.rpartition("-")  # Servers have hyphens more often than tools have [I].
        event["mcp"] = {"server": server, "tool": called}
    elif name == "skill" and isinstance(given, dict):
        skill = text(given, "skill") or text(given, "name")
        if skill:
            event["skill"] = {"name": skill}


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
    """Return the object to print for an answer at a native event; empty where nothing is to be printed.

    Args:
        answer: any of `block` (the reason: deny the call or prompt, or keep going at a stop), `context` (text for the model),
            `allow` (True), `input` (the whole new tool input). What the event cannot carry is left out, and so is an empty text.
    Source: section 11 [O].
    """
    camel = PASCAL_NAMES.get(native, native)
    wire: dict[str, Any] = {}
    reason = answer.get("block")
    if camel == "preToolUse":
        if reason:
            wire["permissionDecision"] = "deny"
            wire["permissionDecisionReason"] = reason
        elif answer.get("allow"):
            wire["permissionDecision"] = "allow"
        if answer.get("input") is not None and not reason:
            wire["modifiedArgs" if native == camel else "updatedInput"] = answer["input"]
    elif camel == "permissionRequest":
        if reason:
            wire["behavior"] = "deny"
            wire["message"] = reason
        elif answer.get("allow"):
            wire["behavior"] = "allow"
    elif reason and camel in _DECISION:
        wire["decision"] = "block"
        wire["reason"] = reason
    if answer.get("context") and camel in _CONTEXT:
        wire["additionalContext"] = answer["context"]
    if native == camel or camel in _ALWAYS_CAMEL:
        return wire
    top: dict[str, Any] = {key: wire.pop(key) for key in ("decision", "reason") if key in wire}
    return {**top, "hookSpecificOutput": {"hookEventName": native, **wire}} if wire else top
