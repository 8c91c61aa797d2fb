"""Gemini CLI: its events, tools, configuration, limits, and the translation of one event and one answer.

Sources: harnesses.md sections 1 to 4 and 10, observed on Gemini CLI 0.61.0 [O] where it says so, else its documentation [D] or
its source [S].
"""

from rulewright.harness import forgiving
from rulewright.hook.event import TOOL_EVENTS, text, utf16_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event

NAME = "gemini-cli"

# native event: (canonical event, what an answer can carry there, source). BeforeModel, AfterModel and BeforeToolSelection fire
# at every request and have no canonical event. PreCompress does so too in 0.61.0, compression or not, and carries nothing.
EVENTS = {
    "SessionStart": ("session.start", ("add-context", "system-message"), "section 10 [O]"),
    "BeforeAgent": ("prompt.submitted", ("deny", "add-context", "system-message"), "section 10 [O]"),
    "BeforeTool": ("tool.pre", ("deny", "update-input", "system-message"), "section 10 [O]"),
    "AfterTool": ("tool.post", ("feedback", "add-context", "system-message"), "section 10 [O]"),
    "AfterAgent": ("agent.stop", ("continue-agent", "system-message"), "section 10 [O]"),
    "PreCompress": ("compact.pre", (), "section 10 [O]"),
    "SessionEnd": ("session.end", (), "section 1 [O]"),
    "Notification": ("notification", (), "section 1 [O]"),
}
# A tool that failed arrives as AfterTool with `tool_response.error`; a shell command that fails does not have it, only a line
# `Exit Code: 1` in its text. Source: sections 1 [D] and 4.5 [O].
ALSO = {"tool.error": ("AfterTool", ("add-context",), "section 1 [D]")}
# Sources: sections 10, 2.1 and 2.2 [O]. No payload names its turn.
EVENT_FIELD = "hook_event_name"
TOOL_FIELD = "tool_name"
SESSION_FIELD = "session_id"
TURN_FIELD = ""
CHILD_PROMPTS = False
RETRY_PROMPTS = True
# PreCompress comes before every request, compacted or not, and no session starts afterwards. Source: section 10 [O].
COMPACTION_EVENT = ""

# native tool: canonical tool. Source: section 4 [O].
TOOLS = {
    "run_shell_command": "shell",
    "read_file": "file.read",
    "read_many_files": "file.read",
    "replace": "file.edit",
    "write_file": "file.write",
    "glob": "search",
    "grep_search": "search",
    "search_file_content": "search",
    "list_directory": "search",
    "web_fetch": "fetch",
    "google_web_search": "fetch",
    "invoke_agent": "task",
    "activate_skill": "skill",
}
VARYING_TOOLS: "dict[str, tuple[str, ...]]" = {}
_MCP_PREFIX = "mcp_"

# Source: section 3 [O].
CONFIG = {
    "user": (None, ".gemini", "settings.json"),
    "project": (None, ".gemini", "settings.json"),
}
CONFIG_SHAPE = "groups"
CONFIG_KEY = "hooks"
CONFIG_HEAD: "dict[str, Any]" = {}
# A malformed entry is skipped alone. Source: section 3 [O].
FRAGILE_EVENTS: "tuple[str, ...]" = ()
TAKES_EFFECT = "start"
# It warns and runs. Source: section 3 [O].
TRUST = "none"
RUNS_EACH_ENTRY = False
LOADS_FOYA_RULES = False
MAY_DISPATCH_CHAINS = False
STARTS_IN_PROJECT = False
# A command that cannot be found denies the call with what the shell says about it; leaving with 1 does not. Source: section 2.3 [O].
FAILURE_DENIES = True
FAIL_CLOSED: "dict[str, Any]" = {}
FAIL_CLOSED_EVENTS: "tuple[str, ...]" = ()
FAIL_CLOSED_SINCE = ""
# Source: geminicli.com/docs/cli/gemini-md, read 2026-11-30 [D].
INSTRUCTIONS: "dict[str, tuple[str | None, str, tuple[str, ...]]]" = {
    "user": (None, ".gemini", ("GEMINI.md",)),
    "project": (None, "", ("GEMINI.md",)),
}
SHELL = ("bash", "-c")
COMMAND_KEY = "command"
VERSION_COMMAND: "tuple[str, ...]" = ("gemini", "--version")
CONFIG_TOP_KEYS: "tuple[str, ...]" = ()
CONFIG_EVENTS: "tuple[str, ...]" = ()
# Source: google-gemini/gemini-cli@0038e45d packages/cli/src/config/settings.ts, loadSettings [S].
CONFIG_COMMENTS = True
CONFIG_BESIDE = ""
HANDLER_TYPES = {"command": "command"}
HANDLER_VALUES: "dict[str, tuple[str, ...]]" = {}
HANDLER_KEYS: "tuple[str, ...]" = ()
TIMEOUT_FRACTIONS = True

# The client cuts context, its source gives no number that is known here (section 10 [S]): the smallest one of the harnesses
# whose clients are written in JavaScript [R].
TEXT_LIMIT = 10_000
text_size = utf16_size
# Source: section 2.4: 60,000 ms at all events.
TIMEOUT = 60.0
EVENT_TIMEOUTS = dict.fromkeys(EVENTS, 60.0)
HOOK_TIMEOUT: "int | None" = None
PROJECT_VARIABLE = "GEMINI_PROJECT_DIR"

# Source: section 10 [O].
FIELDS = {
    "cwd": ("cwd",),
    "session.id": (SESSION_FIELD,),
    "session.source": ("source",),
    "prompt.text": ("prompt",),
    "tool.input": ("tool_input",),
    "tool.input.path": ("tool_input.file_path", "tool_input.path", "tool_input.dir_path"),
    "tool.output": ("tool_response",),
    "skill.name": ("tool_input.name",),
}
SOURCES: "dict[str, str]" = {}
# The client merges new input into the old. Source: section 10 [O].
ANSWERS = (
    (
        "message",
        ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"),
        (("systemMessage", None),),
    ),
    (
        "block",
        ("BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"),
        (("decision", "deny"), ("reason", None)),
    ),
    ("input", ("BeforeTool",), (("hookSpecificOutput.tool_input", None),)),
    (
        "context",
        ("SessionStart", "BeforeAgent", "AfterTool"),
        (("hookSpecificOutput.additionalContext", None),),
    ),
)


def handler(command: str, timeout: int | None = None, event: str = "") -> "dict[str, Any]":
    """Return one command handler as the settings hold it.

    Args:
        command: what to run. Its failures are turned into success, because a shell that cannot find it would deny the call.
        timeout: seconds, written as milliseconds; left out when None.
        event: not used.
    """
    entry = {"type": "command", "command": forgiving(command), "name": "rulewright"}
    return {**entry, **({} if timeout is None else {"timeout": timeout * 1000})}


def tool_class(native: str) -> str | None:
    """Return the canonical name of a native tool, one of hook.event.TOOL_CLASSES; None: see VARYING_TOOLS."""
    return "mcp" if native.startswith(_MCP_PREFIX) else TOOLS.get(native, "other")


def native_event(raw: "dict[str, Any]", called_for: str) -> str:
    """Return the native event of a payload; `called_for`, the one on the command line, where it names none."""
    return text(raw, EVENT_FIELD, called_for)


def counts_as_prompt(raw: "dict[str, Any]") -> bool:
    """Tell whether a payload of `prompt.submitted` is a person's prompt; what RETRY_PROMPTS speaks of cannot be told."""
    return True


def decode(raw: "dict[str, Any]", called_for: str, project: str = "") -> "Event | None":
    """Translate a payload to the canonical event; as in `claude_code.py`."""
    from rulewright.hook.translation import add_tool, event_of, split_mcp

    row = EVENTS.get(native_event(raw, called_for))
    if row is None:
        return None
    response = raw.get("tool_response")
    failure = response.get("error") if isinstance(response, dict) else None
    failed = row[0] == "tool.post" and failure is not None
    event = event_of(raw, NAME, "tool.error" if failed else row[0], FIELDS, SOURCES)
    if row[0] in TOOL_EVENTS:
        native = text(raw, TOOL_FIELD)
        tool = add_tool(event, raw, native, tool_class(native) or "other", FIELDS, project)
        if failed:
            tool["error"] = failure.get("message", failure) if isinstance(failure, dict) else failure
        if tool["name"] == "mcp":
            # The payload's `mcp_context` decides: a server's name may hold the separator.
            context = raw.get("mcp_context")
            known: dict[str, Any] = context if isinstance(context, dict) else {}
            found = split_mcp(native, _MCP_PREFIX)
            server = text(known, "server_name") or found["server"]
            event["mcp"] = {"server": server, "tool": text(known, "tool_name") or found["tool"]}
    return event


def encode(answer: "dict[str, Any]", native: str) -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; as in `claude_code.py`."""
    from rulewright.hook.translation import wire_of

    if native == "AfterTool" and answer.get("block"):
        # A deny replaces the result there, and a context beside it is dropped.
        answer = {part: value for part, value in answer.items() if part != "context"}
    return wire_of(answer, native, ANSWERS)
