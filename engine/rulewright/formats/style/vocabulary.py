"""The canonical words of STYLE: events, tools, fields of an event, operators, each with a sentence in both languages.

Source: style.md section 3 and 5; the public MIT library speakeasy-api/agenthooks [A].
"""

from __future__ import annotations

from typing import Final

from rulewright.text.language import Text

SPEC: Final = "style/v0.3"

EVENTS: Final[dict[str, Text]] = {
    "session.start": Text(
        "A session begins, resumes, is cleared, or was compacted.", "会话开始、恢复、清空或压缩之后。"
    ),
    "session.end": Text("A session ends.", "会话结束。"),
    "prompt.submitted": Text("The user submits a prompt.", "用户提交一条提示。"),
    "tool.pre": Text("Before a tool call.", "工具调用之前。"),
    "tool.post": Text("After a tool call that succeeded.", "工具调用成功之后。"),
    "tool.error": Text("After a tool call that failed.", "工具调用失败之后。"),
    "permission.request": Text("The agent asks for a permission.", "智能体请求权限。"),
    "agent.stop": Text("The agent wants to end its turn.", "智能体准备结束这一轮。"),
    "subagent.start": Text("A sub-agent starts.", "子智能体启动。"),
    "subagent.stop": Text("A sub-agent wants to stop.", "子智能体准备停止。"),
    "compact.pre": Text("Before the context is compacted.", "上下文压缩之前。"),
    "compact.post": Text("After the context was compacted.", "上下文压缩之后。"),
    "notification": Text("The agent notifies the user.", "智能体通知用户。"),
    "file.edited": Text("A file was edited.", "文件被编辑。"),
    "model.request": Text("A request goes to the model.", "向模型发出请求。"),
    "model.response": Text("The model answered.", "模型给出回答。"),
    "task.completed": Text("A task was marked as completed.", "任务被标记为完成。"),
}

TOOLS: Final[dict[str, Text]] = {
    "shell": Text("Runs a command line.", "执行命令行。"),
    "file.read": Text("Reads a file.", "读取文件。"),
    "file.write": Text("Writes a whole file.", "写入整个文件。"),
    "file.edit": Text("Changes a part of a file.", "修改文件的一部分。"),
    "search": Text("Searches files by name or content.", "按名称或内容搜索文件。"),
    "fetch": Text("Fetches from the web.", "从网络获取内容。"),
    "task": Text("Starts a sub-agent.", "启动子智能体。"),
    "other": Text("Any tool without a canonical name.", "没有规范名称的其他工具。"),
    "*": Text("Every tool.", "所有工具。"),
}

# Native names in lower case, to the canonical one. Source: agenthooks [A], harnesses.md section 4.
NATIVE_TOOLS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("bash", "powershell", "run_shell_command", "run_terminal_cmd", "exec", "exec_command", "local_shell", "terminal"),
        "shell",
    ),
    **dict.fromkeys(
        ("read", "read_file", "readfile", "view", "view_file", "view_image", "read_many_files", "notebookread"), "file.read"
    ),
    **dict.fromkeys(("write", "write_file", "writefile", "create", "create_file", "save_file"), "file.write"),
    **dict.fromkeys(
        (
            "edit", "multiedit", "apply_patch", "replace", "edit_file", "notebookedit", "str_replace", "search_replace",
            "patch", "strreplacefile",
        ),
        "file.edit",
    ),
    **dict.fromkeys(
        (
            "grep", "glob", "codebase_search", "search_file_content", "find_files", "list_directory", "ls",
            "glob_file_search", "grep_search", "file_search",
        ),
        "search",
    ),
    **dict.fromkeys(("webfetch", "web_fetch", "websearch", "web_search", "google_web_search"), "fetch"),
    **dict.fromkeys(("agent", "subagent", "spawn_agent", "invoke_agent"), "task"),
}  # fmt: skip

_TOOL_EVENTS: Final = frozenset({"tool.pre", "tool.post", "tool.error", "permission.request"})
_ALL: Final = frozenset(EVENTS)

# Field of the canonical event -> (doc, the events that can carry it). A name that ends in `.*` stands for all below it.
FIELDS: Final[dict[str, tuple[Text, frozenset[str]]]] = {
    "event": (Text("The canonical event.", "规范事件名。"), _ALL),
    "harness": (Text("The coding agent, such as `claude-code`.", "编码智能体，例如 `claude-code`。"), _ALL),
    "model": (Text("The model id, where the agent tells it.", "模型 id（智能体提供时）。"), _ALL),
    "cwd": (Text("The session's working folder.", "会话的工作目录。"), _ALL),
    "session.id": (Text("The session.", "会话 id。"), _ALL),
    "session.source": (
        Text("Why the session starts: startup, resume, clear or compact.", "会话开始的原因：startup、resume、clear 或 compact。"),
        frozenset({"session.start"}),
    ),
    "turn.id": (Text("The turn, where the agent tells it.", "轮次 id（智能体提供时）。"), _ALL - {"session.start"}),
    "prompt.text": (Text("The prompt.", "提示的文本。"), frozenset({"prompt.submitted"})),
    "tool.name": (Text("The canonical tool.", "规范工具名。"), _TOOL_EVENTS),
    "tool.native_name": (Text("The agent's own name of the tool, such as `Bash`.", "智能体自己的工具名，例如 `Bash`。"), _TOOL_EVENTS),
    "tool.input.*": (
        Text("An input of the tool, such as `tool.input.command`; `tool.input.path` is relative to the project.",
             "工具的输入，例如 `tool.input.command`；`tool.input.path` 相对于项目目录。"),
        _TOOL_EVENTS | {"file.edited"},
    ),
    "tool.output.*": (Text("A part of the tool's result.", "工具结果的一部分。"), frozenset({"tool.post"})),
    "tool.error": (Text("The text of the failure.", "失败信息。"), frozenset({"tool.error"})),
    "mcp.server": (Text("The MCP server.", "MCP 服务器。"), _TOOL_EVENTS),
    "mcp.tool": (Text("The MCP server's tool.", "MCP 服务器的工具。"), _TOOL_EVENTS),
    "skill.name": (Text("The skill.", "技能名。"), _TOOL_EVENTS),
    "agent.id": (Text("The sub-agent, inside one.", "子智能体的 id（在子智能体内）。"), _ALL),
    "agent.type": (Text("The kind of sub-agent, inside one.", "子智能体的类型（在子智能体内）。"), _ALL),
}  # fmt: skip

# The inputs that completion offers below `tool.input.`; any other name is fine too. Source: harnesses.md section 4.
COMMON_INPUTS: Final[dict[str, Text]] = {
    "tool.input.command": Text("The command line of a shell call.", "shell 调用的命令行。"),
    "tool.input.path": Text(
        "The file, relative to the project, with `/`. A patch of several files meets a condition if one of them does.",
        "文件路径，相对于项目目录，用 `/` 分隔。一次补丁涉及多个文件时，只要其中一个满足条件即可。",
    ),
    "tool.input.content": Text("The content to be written.", "要写入的内容。"),
    "tool.input.old_string": Text("The text to be replaced.", "被替换的文本。"),
    "tool.input.new_string": Text("The text put in its place.", "替换成的文本。"),
    "tool.input.url": Text("The address to be fetched.", "要获取的网址。"),
    "tool.input.pattern": Text("What is searched for.", "搜索的内容。"),
    "tool.input.description": Text("What the agent says the call is for.", "智能体对这次调用的说明。"),
}

OPS: Final[dict[str, Text]] = {
    "equals": Text("The value is exactly the pattern.", "值与 pattern 完全相同。"),
    "contains": Text("The pattern stands somewhere in the value.", "值中包含 pattern。"),
    "starts_with": Text("The value begins with the pattern.", "值以 pattern 开头。"),
    "ends_with": Text("The value ends with the pattern.", "值以 pattern 结尾。"),
    "in": Text("The value is one of a list.", "值是列表中的一个。"),
    "exists": Text("The field is there (`true`) or not (`false`).", "字段存在（`true`）或不存在（`false`）。"),
    "regex": Text("The RE2 pattern is found somewhere in the value.", "在值中找到 RE2 正则。"),
    "shell_regex": Text(
        "The RE2 pattern is found in one of the simple commands of a shell line.",
        "在 shell 命令行的某个简单命令中找到 RE2 正则。",
    ),
    "glob": Text("The path fits the glob (`*`, `**`, `?`, `[…]`).", "路径符合 glob（`*`、`**`、`?`、`[…]`）。"),
    "gt": Text("The number is greater.", "数值更大。"),
    "lt": Text("The number is less.", "数值更小。"),
}

TARGETS: Final[dict[str, Text]] = {
    "tool": Text("Calls of built-in tools.", "内置工具的调用。"),
    "mcp": Text("Calls of MCP servers' tools.", "MCP 服务器工具的调用。"),
    "skill": Text("Calls of skills.", "技能的调用。"),
    "event": Text("Any event, by its name.", "任意事件，按名称指定。"),
    "system": Text("The agent's standing instructions.", "智能体的常驻指令。"),
}

ACTIONS: Final[dict[str, Text]] = {
    "inject": Text("Gives the text to the model as context.", "把正文作为上下文交给模型。"),
    "warn": Text(
        "Shows the text to the user, and `model_text` or the first sentence to the model.",
        "向用户显示正文，同时把 `model_text` 或正文第一句交给模型。",
    ),
    "block": Text("Denies the call or the prompt; the text is the reason.", "拒绝本次调用或提示，正文作为拒绝理由。"),
}

ATS: Final[dict[str, Text]] = {
    "before": Text("Evaluated before the call (`tool.pre`).", "在调用前评估（`tool.pre`）。"),
    "after": Text("Evaluated once the call has succeeded (`tool.post`).", "在调用成功后评估（`tool.post`）。"),
}

REPEATS: Final[dict[str, Text]] = {
    "every": Text("Each match is output.", "每次命中都输出。"),
    "turn": Text("The same content once in a turn.", "同一轮中同一内容只输出一次。"),
    "session": Text("The same content once in a session.", "同一会话中同一内容只输出一次。"),
}

FAILS: Final[dict[str, Text]] = {
    "open": Text("When the handler itself fails, let the event pass.", "处理器出错时放行。"),
    "closed": Text(
        "When the handler itself fails, deny the whole event; `when` does not narrow it.",
        "处理器出错时拒绝整个事件；`when` 不会缩小范围。",
    ),
}

FALLBACKS: Final[dict[str, Text]] = {
    "error": Text("The rule cannot be installed there.", "该规则无法在那里安装。"),
    "degrade": Text("The rule uses the next best point or action.", "改用次优的落点或动作。"),
    "skip": Text("The rule is left out there.", "在那里跳过该规则。"),
}

MODES: Final[dict[str, Text]] = {
    "append": Text("The text is added.", "追加正文。"),
    "replace": Text("The text replaces what stood there.", "用正文替换原有内容。"),
}

SOURCES: Final[dict[str, Text]] = {
    "startup": Text("A new session.", "新会话。"),
    "resume": Text("A session that goes on.", "恢复的会话。"),
    "clear": Text("After the conversation was cleared.", "对话被清空之后。"),
    "compact": Text("After the context was compacted.", "上下文压缩之后。"),
}

MATCHES: Final[dict[str, Text]] = {
    "all": Text("Every condition must hold.", "所有条件都要成立。"),
    "any": Text("One condition is enough.", "任一条件成立即可。"),
}


def field_entry(name: str) -> tuple[Text, frozenset[str]] | None:
    """Return doc and events of a condition field, `tool.input.command` by its family `tool.input.*`; None if unknown."""
    found = FIELDS.get(name)
    if found is not None:
        return None if name.endswith(".*") else found
    for family in ("tool.input.", "tool.output."):
        if name.startswith(family) and len(name) > len(family):
            doc, events = FIELDS[family + "*"]
            return COMMON_INPUTS.get(name, doc), events
    return None
