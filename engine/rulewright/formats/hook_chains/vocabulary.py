"""The words of hook chains, each with a sentence in both languages (hook-chains.md sections 2 and 5).

Source of the events: `HOOK_EVENTS` of OpenClaude 0.29.1 [O].
"""

from __future__ import annotations

from typing import Final

from rulewright.text.language import Text

DAY_MS: Final = 86_400_000
"""The longest window, in milliseconds [S]."""
MAX_DEPTH: Final = 10
DEFAULT_DEPTH: Final = 2
DEFAULT_WINDOW_MS: Final = 30_000

_IDLE = Text(" OpenClaude does not run chains here today.", " OpenClaude 目前不会在此运行规则链。")


def _idle(en: str, zh: str) -> Text:
    return Text(en + _IDLE.en, zh + _IDLE.zh)


EVENTS: Final[dict[str, Text]] = {
    "PreToolUse": _idle("Before a tool call.", "工具调用之前。"),
    "PostToolUse": _idle("After a tool call that succeeded.", "工具调用成功之后。"),
    "PostToolUseFailure": Text(
        "After a tool call that failed; the outcome is always `failed`.", "工具调用失败之后；结果总是 `failed`。"
    ),
    "Notification": _idle("The agent notifies the user.", "智能体通知用户。"),
    "UserPromptSubmit": _idle("The user submits a prompt.", "用户提交一条提示。"),
    "SessionStart": _idle("A session begins or resumes.", "会话开始或恢复。"),
    "SessionEnd": _idle("A session ends.", "会话结束。"),
    "Stop": _idle("The agent wants to end its turn.", "智能体准备结束这一轮。"),
    "StopFailure": _idle("A turn ended with an error of the model's service.", "一轮因模型服务出错而结束。"),
    "SubagentStart": _idle("A sub-agent starts.", "子智能体启动。"),
    "SubagentStop": _idle("A sub-agent wants to stop.", "子智能体准备停止。"),
    "PreCompact": _idle("Before the context is compacted.", "上下文压缩之前。"),
    "PostCompact": _idle("After the context was compacted.", "上下文压缩之后。"),
    "PermissionRequest": _idle("The agent asks for a permission.", "智能体请求权限。"),
    "PermissionDenied": _idle("A permission was denied.", "权限被拒绝。"),
    "Setup": _idle("The project is set up.", "项目初始化。"),
    "TeammateIdle": _idle("A teammate has nothing to do.", "队友空闲。"),
    "TaskCreated": _idle("A task was created.", "任务已创建。"),
    "TaskCompleted": Text(
        "A task was marked as completed; `success`, or `failed` where a completion hook blocked it.",
        "任务被标记为完成；结果为 `success`，被完成类 hook 阻止时为 `failed`。",
    ),
    "Elicitation": _idle("An MCP server asks the user for something.", "MCP 服务器向用户请求信息。"),
    "ElicitationResult": _idle("The user answered an MCP server.", "用户答复了 MCP 服务器。"),
    "ConfigChange": _idle("The configuration changed.", "配置发生变化。"),
    "WorktreeCreate": _idle("A worktree is created.", "创建工作树。"),
    "WorktreeRemove": _idle("A worktree is removed.", "删除工作树。"),
    "InstructionsLoaded": _idle("Instruction files were loaded.", "指令文件已加载。"),
    "CwdChanged": _idle("The working directory changed.", "工作目录发生变化。"),
    "FileChanged": _idle("A file changed.", "文件发生变化。"),
}

OUTCOMES: Final[dict[str, Text]] = {
    "success": Text("It went well: a task that no hook blocked.", "成功：没有被 hook 阻止的任务。"),
    "failed": Text("It failed: every tool failure, and a blocked task.", "失败：所有工具失败，以及被阻止的任务。"),
    "timeout": Text("It took too long. No event carries this outcome today.", "超时。目前没有事件带有这个结果。"),
    "unknown": Text("Not known. No event carries this outcome today.", "未知。目前没有事件带有这个结果。"),
}

ACTION_TYPES: Final[dict[str, Text]] = {
    "spawn_fallback_agent": Text("Starts an agent in the background that tries to recover.", "在后台启动一个兜底智能体尝试恢复。"),
    "notify_team": Text("Sends a message to the members of a team.", "向团队成员发送消息。"),
    "warm_remote_capacity": Text("Prepares remote capacity; does nothing without an active bridge.", "预热远程容量；没有活跃的 bridge 时不做任何事。"),
}  # fmt: skip

VARIABLES: Final[dict[str, Text]] = {
    "EVENT_NAME": Text("The name of the event.", "事件名。"),
    "OUTCOME": Text("The outcome of the event.", "事件结果。"),
    "RULE_ID": Text("The id of the rule.", "规则 id。"),
    "TASK_SUBJECT": Text("The subject of the task (`task_subject`).", "任务主题（`task_subject`）。"),
    "TASK_DESCRIPTION": Text("The description of the task (`task_description`).", "任务描述（`task_description`）。"),
    "TASK_ID": Text("The id of the task (`task_id`).", "任务 id（`task_id`）。"),
    "ERROR": Text("The error text (`error`, else `reason`).", "错误信息（`error`，否则 `reason`）。"),
    "PAYLOAD_JSON": Text("The whole payload as JSON, keys sorted.", "完整事件载荷的 JSON，键已排序。"),
}

SLIPS: Final[dict[str, str]] = {
    "tool": "toolNames",
    "tools": "toolNames",
    "matcher": "toolNames",
    "status": "taskStatuses",
    "statuses": "taskStatuses",
    "errors": "errorIncludes",
    "errorContains": "errorIncludes",
    "fields": "eventFieldEquals",
    "payload": "eventFieldEquals",
    "prompt": "promptTemplate",
    "message": "messageTemplate",
    "team": "teamName",
    "agent": "agentType",
    "subagentType": "agentType",
    "when": "condition",
    "if": "condition",
    "on": "trigger",
    "name": "id",
}
"""What people write who have another tool in mind -> the key that they mean [R]."""

WORD_SLIPS: Final[dict[str, str]] = {
    "tool.error": "PostToolUseFailure",
    "toolerror": "PostToolUseFailure",
    "posttoolusefailed": "PostToolUseFailure",
    "failure": "failed",
    "fail": "failed",
    "error": "failed",
    "ok": "success",
    "succeeded": "success",
    "completed": "success",
    "timedout": "timeout",
}
"""The same for events and outcomes; in lower case, without `_` and `-`."""

COUNTERPARTS: Final[dict[str, str]] = {
    "cooldownMs": "defaultCooldownMs",
    "dedupWindowMs": "defaultDedupWindowMs",
    "maxDepth": "maxChainDepth",
    "defaultCooldownMs": "cooldownMs",
    "defaultDedupWindowMs": "dedupWindowMs",
    "maxChainDepth": "maxDepth",
}
"""Keys of a rule -> those of the whole file that say the same, and back."""

UNIT_MS: Final[dict[str, int]] = {
    "milliseconds": 1,
    "millis": 1,
    "msec": 1,
    "ms": 1,
    "seconds": 1000,
    "secs": 1000,
    "sec": 1000,
    "s": 1000,
    "minutes": 60_000,
    "mins": 60_000,
    "min": 60_000,
    "m": 60_000,
    "hours": 3_600_000,
    "h": 3_600_000,
}
"""Units of time, the longest names first -> milliseconds."""
