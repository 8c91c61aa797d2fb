"""What the payload of each hook event carries: the fields that `eventFieldEquals` can ask for, and what fills a template.

Sources: harnesses.md sections 5.2 (Claude Code), 4 (inputs of tools) and 7 (OpenClaude: 27 events, and which fields it leaves out);
the events in tests/fixtures/events; the payload that OpenClaude hands to its own dispatcher (src/utils/hooks.ts [O]), which has the
`hook_...` fields besides. A field is here if any of these payloads has it: what is not here is in none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from rulewright.harness import codec
from rulewright.text.language import Text
from rulewright.text.spelling import nearest

Kind = Literal["text", "number", "bool", "object", "list", "any"]

DISPATCHED: Final[Mapping[str, tuple[str, ...]]] = {
    "PostToolUseFailure": ("failed",),
    "TaskCompleted": ("success", "failed"),
}
"""The events at which chains are dispatched today, each with the outcomes that it can have (hook-chains.md section 2 [S])."""

# Any of these holds the name, the status or the error text that a condition asks for (hook-chains.md section 3 [S]).
TOOL_FIELDS: Final = ("tool_name", "toolName")
STATUS_FIELDS: Final = ("task_status", "taskStatus", "status")
ERROR_FIELDS: Final = ("error", "reason", "message")

VARIABLE_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "TASK_SUBJECT": ("task_subject", "taskSubject"),
    "TASK_DESCRIPTION": ("task_description", "taskDescription"),
    "TASK_ID": ("task_id", "taskId"),
    "ERROR": ("error", "reason"),
}
"""The template variables that a payload fills, with the fields that they come from; the others are always there (section 5 [S])."""


OWN_TOOLS: Final[Mapping[str, str]] = {
    **codec("openclaude").TOOLS,
    **dict.fromkeys(("TodoWrite", "TaskCreate", "TaskUpdate", "TaskOutput", "TaskStop"), "other"),
}
"""What `tool_name` can be, besides the names of MCP tools, each with its canonical name (harnesses.md sections 4 and 7 [O])."""


@dataclass(frozen=True, slots=True)
class PayloadField:
    """One field of a payload.

    kind: what its value is; `any` where it differs. inside: the known names below it. free: other names may stand below it too.
    """

    kind: Kind
    doc: Text
    inside: Mapping[str, PayloadField] = field(default_factory=dict)
    free: bool = False


def fields_of(event: str) -> Mapping[str, PayloadField]:
    """Return the fields of an event's payload; those of every payload for a name that is no event."""
    return {**COMMON, **_OWN.get(event, {})}


def carries(event: str, names: tuple[str, ...]) -> bool:
    """Tell whether a payload of the event has one of the fields."""
    known = fields_of(event)
    return any(name in known for name in names)


def field_at(event: str, path: str) -> PayloadField | None:
    """Return what stands at a dot path of an event's payload; None where no payload of that event has it.

    Empty segments do not count, as in OpenClaude: `a..b` is `a.b` (hook-chains.md section 3).
    """
    found: PayloadField | None = None
    here = fields_of(event)
    free = False
    for name in segments(path):
        if name in here:
            found = here[name]
        elif free:
            found = _ANYTHING
        else:
            return None
        here, free = found.inside, found.free
    return found


def nearest_path(event: str, path: str) -> str | None:
    """Return the known dot path that was most likely meant; None if there is none."""
    if "." not in path:
        return nearest(path, fields_of(event))
    return nearest(path, paths_of(event))


def paths_of(event: str) -> Iterator[str]:
    """Return the known dot paths of an event's payload, what holds others before what it holds."""
    yield from _paths(fields_of(event), "")


def segments(path: str) -> list[str]:
    """Return the names of a dot path without the empty ones."""
    return [name for name in path.split(".") if name]


def _paths(known: Mapping[str, PayloadField], lead: str) -> Iterator[str]:
    for name, found in known.items():
        yield lead + name
        yield from _paths(found.inside, f"{lead}{name}.")


def _text(en: str, zh: str) -> PayloadField:
    return PayloadField("text", Text(en, zh))


def _number(en: str, zh: str) -> PayloadField:
    return PayloadField("number", Text(en, zh))


def _bool(en: str, zh: str) -> PayloadField:
    return PayloadField("bool", Text(en, zh))


def _object(en: str, zh: str, inside: Mapping[str, PayloadField], *, free: bool = True) -> PayloadField:
    return PayloadField("object", Text(en, zh), inside, free)


def _list(en: str, zh: str) -> PayloadField:
    return PayloadField("list", Text(en, zh), free=True)


_ANYTHING = PayloadField(
    "any", Text("What the tool or the server puts there.", "由工具或服务器决定的内容。"), free=True
)

COMMON: Final[Mapping[str, PayloadField]] = {
    "hook_event_name": _text("The name of the event.", "事件名称。"),
    "session_id": _text("The session; subagents share it.", "会话；子智能体与其共用。"),
    "transcript_path": _text("The file with the session's transcript.", "会话记录文件的路径。"),
    "cwd": _text("The current folder of the session.", "会话的当前目录。"),
    "prompt_id": _text("The prompt that this belongs to (Claude Code).", "所属提示的标识（Claude Code）。"),
    "permission_mode": _text(
        "How permissions are asked for: `default`, `plan`, `acceptEdits`, `bypassPermissions`, ...",
        "权限模式：`default`、`plan`、`acceptEdits`、`bypassPermissions` 等。",
    ),
    "effort": _object(
        "How hard the model thinks (Claude Code).",
        "模型的思考强度（Claude Code）。",
        {"level": _text("The level of effort.", "强度级别。")},
    ),
    "agent_id": _text("The subagent in which it happened.", "事件所在的子智能体。"),
    "agent_type": _text("The type of that subagent, or of the session's agent.", "该子智能体或会话智能体的类型。"),
}
"""Fields of more than one event. Which event leaves out which is not told apart: harnesses do not agree on it."""

_TOOL_INPUT = _object(
    "What the tool was called with; its names depend on the tool.",
    "调用工具时的输入；其中的名称取决于工具。",
    {
        "command": _text("Bash: the command line.", "Bash：命令行。"),
        "description": _text("Bash, Agent: what it is for, in words.", "Bash、Agent：用途说明。"),
        "timeout": _number("Bash: the time limit in milliseconds.", "Bash：超时，单位毫秒。"),
        "run_in_background": _bool("Bash, Agent: it runs in the background.", "Bash、Agent：在后台运行。"),
        "file_path": _text("Read, Edit, Write: the file.", "Read、Edit、Write：文件路径。"),
        "old_string": _text("Edit: the text to replace.", "Edit：要替换的文本。"),
        "new_string": _text("Edit: the text in its place.", "Edit：替换后的文本。"),
        "replace_all": _bool("Edit: every place is replaced.", "Edit：替换所有位置。"),
        "content": _text("Write: the whole text of the file.", "Write：文件的完整内容。"),
        "offset": _number("Read: the first line.", "Read：起始行。"),
        "limit": _number("Read: how many lines.", "Read：行数。"),
        "pattern": _text("Glob, Grep: what is searched for.", "Glob、Grep：搜索内容。"),
        "path": _text("Glob, Grep: where it is searched.", "Glob、Grep：搜索位置。"),
        "glob": _text("Grep: which files.", "Grep：文件范围。"),
        "output_mode": _text("Grep: what is listed.", "Grep：输出方式。"),
        "url": _text("WebFetch: the address.", "WebFetch：地址。"),
        "query": _text("WebSearch: what is searched for.", "WebSearch：搜索内容。"),
        "prompt": _text("Agent, WebFetch: the task in words.", "Agent、WebFetch：任务描述。"),
        "subagent_type": _text("Agent: which subagent.", "Agent：子智能体类型。"),
        "model": _text("Agent: which model.", "Agent：模型。"),
        "skill": _text("Skill: which skill.", "Skill：技能名称。"),
        "args": _text("Skill: its arguments.", "Skill：参数。"),
        "notebook_path": _text("NotebookEdit: the notebook.", "NotebookEdit：笔记本路径。"),
        "todos": _list("TodoWrite: the list.", "TodoWrite：待办列表。"),
    },
)

_TOOL: Final[Mapping[str, PayloadField]] = {
    "tool_name": _text(
        "The tool, as OpenClaude calls it: `Bash`, `Edit`, `mcp__server__tool`.",
        "工具名称（OpenClaude 的写法）：`Bash`、`Edit`、`mcp__server__tool`。",
    ),
    "tool_input": _TOOL_INPUT,
    "tool_use_id": _text("The call.", "调用的标识。"),
    "mcp_server": _object(
        "The server of an MCP tool (Claude Code).",
        "MCP 工具所属的服务器（Claude Code）。",
        {"name": _text("Its name.", "名称。"), "source": _text("Where it is configured.", "配置来源。")},
    ),
}

_TASK: Final[Mapping[str, PayloadField]] = {
    "task_id": _text("The task.", "任务 ID。"),
    "task_subject": _text("What the task is called.", "任务主题。"),
    "task_description": _text("What is to be done; may be missing.", "任务描述；可能没有。"),
    "teammate_name": _text("The teammate who has it; only in a team.", "负责的队友；仅在团队中。"),
    "team_name": _text("The team; only in a team.", "团队；仅在团队中。"),
}

_HOST_BLOCKS = _number(
    "How many hooks blocked it. Only OpenClaude's own dispatcher adds this.",
    "阻止它的 hook 数量。只有 OpenClaude 自己的派发器会加上。",
)

_STOP: Final[Mapping[str, PayloadField]] = {
    "stop_hook_active": _bool("A hook already refused this stop.", "已有 hook 拒绝过这次停止。"),
    "last_assistant_message": _text("What the model said last.", "模型的最后一条消息。"),
    "background_tasks": _list("What still runs (Claude Code).", "仍在运行的任务（Claude Code）。"),
    "session_crons": _list("What is scheduled (Claude Code).", "计划任务（Claude Code）。"),
}

_COMPACT_TRIGGER = _text("`manual` or `auto`.", "`manual` 或 `auto`。")

_OWN: Final[Mapping[str, Mapping[str, PayloadField]]] = {
    "PreToolUse": _TOOL,
    "PostToolUse": {
        **_TOOL,
        "tool_response": PayloadField("any", Text("What the tool gave back.", "工具的返回内容。"), free=True),
        "duration_ms": _number("How long it took, in milliseconds (Claude Code).", "耗时，单位毫秒（Claude Code）。"),
    },
    "PostToolUseFailure": {
        **_TOOL,
        "error": _text("What went wrong, as text.", "错误信息文本。"),
        "is_interrupt": _bool("The user interrupted it.", "由用户中断。"),
        "duration_ms": _number("How long it took, in milliseconds (Claude Code).", "耗时，单位毫秒（Claude Code）。"),
        "hook_blocking_error_count": _HOST_BLOCKS,
        "hook_execution_skipped": _bool(
            "There was no hook to run. Only OpenClaude's own dispatcher adds this.",
            "没有可运行的 hook。只有 OpenClaude 自己的派发器会加上。",
        ),
    },
    "PermissionRequest": {**_TOOL, "permission_suggestions": _list("Rules that would allow it.", "可放行的权限规则。")},
    "PermissionDenied": {**_TOOL, "reason": _text("Why it was denied.", "拒绝的原因。")},
    "UserPromptSubmit": {"prompt": _text("What the user wrote.", "用户输入的内容。")},
    "SessionStart": {
        "source": _text("`startup`, `resume`, `clear` or `compact`.", "`startup`、`resume`、`clear` 或 `compact`。"),
        "model": _text("The model.", "模型。"),
        "session_title": _text("The title of the session (Claude Code).", "会话标题（Claude Code）。"),
        "seconds_since_last_response": _number(
            "Seconds since the last answer (Claude Code).", "距上次回答的秒数（Claude Code）。"
        ),
        "context_tokens": _number("Tokens in the context (Claude Code).", "上下文的 token 数（Claude Code）。"),
        "prompt_cache_likely_expired": _bool(
            "The prompt cache is likely gone (Claude Code).", "提示缓存可能已过期（Claude Code）。"
        ),
        "estimated_cache_write_usd": _number(
            "What filling the cache costs (Claude Code).", "写入缓存的预计费用（Claude Code）。"
        ),
    },
    "SessionEnd": {"reason": _text("Why the session ends.", "会话结束的原因。")},
    "Setup": {"trigger": _text("`init` or `maintenance`.", "`init` 或 `maintenance`。")},
    "SubagentStop": {
        **_STOP,
        "agent_transcript_path": _text("The file with the subagent's transcript.", "子智能体记录文件的路径。"),
    },
    "Stop": _STOP,
    "StopFailure": {
        "error": _text(
            "What kind of failure it was: `rate_limit`, `server_error`, ...",
            "错误类型：`rate_limit`、`server_error` 等。",
        ),
        "error_details": _text("More about it.", "错误详情。"),
        "last_assistant_message": _text("What the model said last.", "模型的最后一条消息。"),
    },
    "TaskCreated": _TASK,
    "TaskCompleted": {
        **_TASK,
        "hook_blocking_error_count": _HOST_BLOCKS,
        "hook_prevented_continuation": _bool(
            "A hook stopped the work. Only OpenClaude's own dispatcher adds this.",
            "某个 hook 终止了工作。只有 OpenClaude 自己的派发器会加上。",
        ),
    },
    "TeammateIdle": {"teammate_name": _TASK["teammate_name"], "team_name": _TASK["team_name"]},
    "Notification": {
        "message": _text("What is told to the user.", "通知内容。"),
        "title": _text("Its title.", "标题。"),
        "notification_type": _text(
            "What kind: `permission_prompt`, `idle_prompt`, ...", "类型：`permission_prompt`、`idle_prompt` 等。"
        ),
    },
    "PreCompact": {
        "trigger": _COMPACT_TRIGGER,
        "custom_instructions": _text("What the user asked for; may be null.", "用户的要求；可能为 null。"),
    },
    "PostCompact": {"trigger": _COMPACT_TRIGGER, "compact_summary": _text("The summary.", "摘要。")},
    "ConfigChange": {
        "source": _text("Which settings changed.", "哪一类设置发生了变化。"),
        "file_path": _text("The file.", "文件路径。"),
    },
    "CwdChanged": {
        "old_cwd": _text("The folder before.", "之前的目录。"),
        "new_cwd": _text("The folder now.", "现在的目录。"),
    },
    "FileChanged": {
        "file_path": _text("The file.", "文件路径。"),
        "event": _text("`change`, `add` or `unlink`.", "`change`、`add` 或 `unlink`。"),
    },
    "InstructionsLoaded": {
        "file_path": _text("The file with the instructions.", "指令文件的路径。"),
        "memory_type": _text("`User`, `Project`, `Local` or `Managed`.", "`User`、`Project`、`Local` 或 `Managed`。"),
        "load_reason": _text("Why it was loaded.", "加载的原因。"),
        "globs": _list("The file patterns that it is for.", "适用的文件模式。"),
        "trigger_file_path": _text("The file that caused it.", "引起加载的文件。"),
        "parent_file_path": _text("The file that includes it.", "包含它的文件。"),
    },
    "WorktreeCreate": {"name": _text("The name of the worktree.", "工作树名称。")},
    "WorktreeRemove": {"worktree_path": _text("The folder of the worktree.", "工作树目录。")},
    "Elicitation": {
        "mcp_server_name": _text("The server that asks.", "发起请求的服务器。"),
        "message": _text("What it asks.", "请求内容。"),
        "mode": _text("`form` or `url`.", "`form` 或 `url`。"),
        "url": _text("Where the user is to go.", "用户应前往的地址。"),
        "elicitation_id": _text("The request.", "请求的标识。"),
        "requested_schema": _object("What the answer looks like.", "回答的结构。", {}),
    },
    "ElicitationResult": {
        "mcp_server_name": _text("The server that asked.", "发起请求的服务器。"),
        "action": _text("`accept`, `decline` or `cancel`.", "`accept`、`decline` 或 `cancel`。"),
        "mode": _text("`form` or `url`.", "`form` 或 `url`。"),
        "elicitation_id": _text("The request.", "请求的标识。"),
        "content": _object("What the user answered.", "用户的回答。", {}),
    },
}
