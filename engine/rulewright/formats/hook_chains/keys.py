"""The keys of hook chains: the one list of names, types, defaults and docs (hook-chains.md section 2)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AllowInfNan,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    StringConstraints,
)
from pydantic.alias_generators import to_camel

from rulewright.formats.fields import FieldDoc, Shape, fields_of, key
from rulewright.formats.hook_chains import vocabulary as words
from rulewright.text.language import Text

TITLE = "OpenClaude hook chains"
FREE_KEYS = False

_WINDOW = Text("a whole number of milliseconds from 0 to 86400000", "0 到 86400000 的整数（毫秒）")
_DEPTH = Text("a whole number from 0 to 10", "0 到 10 的整数")
_LIST = Text("a list of texts", "文本列表")

Texts = list[Annotated[StrictStr, StringConstraints(min_length=1)]]
Scalar = StrictStr | StrictBool | StrictInt | Annotated[StrictFloat, AllowInfNan(False)]
Outcome = Literal["success", "failed", "timeout", "unknown"]
Event = Literal[
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "Notification", "UserPromptSubmit", "SessionStart", "SessionEnd",
    "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "PermissionRequest",
    "PermissionDenied", "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult",
    "ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged",
]  # fmt: skip
"""Those of `vocabulary.EVENTS`, in the same order: a test holds the two together."""


def _not_true(value: object) -> object:
    """Keep `true` apart from 1, which Python does not."""
    return str(value) if isinstance(value, bool) else value


class Keys(Shape):
    """A mapping of hook chains: the names that users write are these in camel case."""

    model_config = ConfigDict(alias_generator=to_camel)


class ConditionKeys(Keys):
    """The `condition` of a rule: every part that is given must hold."""

    tool_names: Texts = key(
        None, en="The tools whose failures count, spelled as the event names them.", zh="哪些工具的失败算数，写法与事件中的工具名一致。",
        source="S", kind=_LIST, shown=Text("any tool", "任何工具"),
    )  # fmt: skip
    task_statuses: Texts = key(
        None, en="The task statuses that count (`task_status`, `taskStatus` or `status` of the event).",
        zh="哪些任务状态算数（事件的 `task_status`、`taskStatus` 或 `status`）。", source="S", kind=_LIST, shown=Text("any status", "任何状态"),
    )  # fmt: skip
    error_includes: Texts = key(
        None, en="Parts of the error text, one of which must be in it; upper and lower case are the same.",
        zh="错误信息中须出现的片段，有一个即可，不区分大小写。", source="S", kind=_LIST, shown=Text("any error", "任何错误"),
    )  # fmt: skip
    event_field_equals: dict[str, Scalar] = key(
        None, en="Dot paths into the event with the value that each must have, type included.",
        zh="事件中的点路径及其必须等于的值，类型也要一致。", source="S", shown=Text("nothing more", "没有其他要求"),
        kind=Text("a mapping of dot paths to text, numbers or `true`/`false`", "点路径到文本、数字或 `true`/`false` 的映射"),
    )  # fmt: skip


class TriggerKeys(Keys):
    """The `trigger` of a rule."""

    # For the schema; here the check chain-outcome-conflict says it.
    model_config = ConfigDict(json_schema_extra={"not": {"required": ["outcome", "outcomes"]}})

    event: Event = key(
        en="The event that the rule is about.", zh="规则针对的事件。", source="S",
        value_docs=words.EVENTS, kind=Text("the name of a hook event", "hook 事件名"),
    )  # fmt: skip
    outcome: Outcome = key(
        None, en="The outcome that counts; not together with `outcomes`.", zh="匹配的结果；不能与 `outcomes` 同时使用。",
        source="S", value_docs=words.OUTCOMES, shown=Text("any outcome", "任何结果"),
    )  # fmt: skip
    outcomes: list[Outcome] = key(
        None, min_length=1, en="The outcomes that count; not together with `outcome`.",
        zh="匹配的多个结果；不能与 `outcome` 同时使用。", source="S", value_docs=words.OUTCOMES, shown=Text("any outcome", "任何结果"),
        kind=Text("a list of outcomes", "结果列表"),
    )  # fmt: skip


class ActionKeys(Keys):
    """What every action has."""

    type: Literal["spawn_fallback_agent", "notify_team", "warm_remote_capacity"] = key(
        en="What the action does.", zh="动作的类型。", source="S", value_docs=words.ACTION_TYPES
    )
    id: str = key(
        None, min_length=1, en="The action's name, for telemetry and for its window against repeats.",
        zh="动作的名称，用于遥测和去重。", source="S", shown=Text("its type and its place in the list", "类型加上它在列表中的位置"),
    )  # fmt: skip
    enabled: bool = key(None, en="`false` skips the action.", zh="`false` 表示跳过该动作。", source="S", shown="true")
    dedup_window_ms: int = key(
        None, ge=0, le=words.DAY_MS, en="For how long the same action is not repeated for the same event.",
        zh="同一事件的同一动作在多长时间内不重复执行。", source="S", kind=_WINDOW,
        shown=Text("the rule's `dedupWindowMs`, else `defaultDedupWindowMs`", "规则的 `dedupWindowMs`，没有则取 `defaultDedupWindowMs`"),
    )  # fmt: skip


class SpawnKeys(ActionKeys):
    """An action that starts an agent in the background."""

    type: Literal["spawn_fallback_agent"] = key(
        en="Starts an agent in the background.", zh="在后台启动兜底智能体。", source="S", value_docs=words.ACTION_TYPES
    )
    description: str = key(
        None, min_length=1, en="What the agent is for, in a few words.", zh="兜底智能体的任务描述。", source="S",
        shown="`Fallback recovery: <event> (<outcome>)`",
    )  # fmt: skip
    prompt_template: str = key(
        None, min_length=1, en="The prompt; `${NAME}` and `$NAME` are filled in.", zh="提示词；`${NAME}` 和 `$NAME` 会被替换。",
        source="S", shown=Text("a prompt that asks for a minimal, safe recovery", "要求做最小且安全的恢复的提示词"),
    )  # fmt: skip
    agent_type: str = key(
        None, min_length=1, en="The kind of agent, such as `general-purpose`.", zh="子智能体类型，例如 `general-purpose`。",
        source="S", shown=Text("the launcher's own", "由启动程序决定"),
    )  # fmt: skip
    model: str = key(
        None, min_length=1, en="The model, such as `sonnet`.", zh="模型名，例如 `sonnet`。", source="S", shown=Text("the launcher's own", "由启动程序决定")
    )  # fmt: skip


class NotifyKeys(ActionKeys):
    """An action that sends a message to a team."""

    type: Literal["notify_team"] = key(
        en="Sends a message to a team.", zh="向团队发送消息。", source="S", value_docs=words.ACTION_TYPES
    )
    team_name: str = key(
        None,
        min_length=1,
        en="The team.",
        zh="目标团队。",
        source="S",
        shown=Text("the team of the session or of the event", "会话或事件中的团队"),
    )
    recipients: Texts = key(
        None, en="The members that get the message; `*` is all but the sender.", zh="收件人；`*` 表示除发送者外的全部成员。",
        source="S", kind=_LIST, shown=Text("all members but the sender", "除发送者外的所有成员"),
    )  # fmt: skip
    summary: str = key(
        None, min_length=1, en="The message in one line; `${NAME}` and `$NAME` are filled in.",
        zh="通知摘要；`${NAME}` 和 `$NAME` 会被替换。", source="S", shown="`Hook chain <rule> triggered (<event>/<outcome>)`",
    )  # fmt: skip
    message_template: str = key(
        None, min_length=1, en="The message; `${NAME}` and `$NAME` are filled in.", zh="通知正文；`${NAME}` 和 `$NAME` 会被替换。",
        source="S", shown=Text("rule, event, outcome, task, error and payload", "规则、事件、结果、任务、错误和载荷"),
    )  # fmt: skip


class WarmKeys(ActionKeys):
    """An action that prepares remote capacity."""

    type: Literal["warm_remote_capacity"] = key(
        en="Prepares remote capacity.", zh="预热远程容量。", source="S", value_docs=words.ACTION_TYPES
    )
    create_default_environment_if_missing: bool = key(
        None, en="Whether a default cloud environment may be created where there is none.",
        zh="缺少环境时是否允许创建默认云环境。", source="S", shown="false",
    )  # fmt: skip


ACTIONS: dict[str, type[ActionKeys]] = {
    "spawn_fallback_agent": SpawnKeys,
    "notify_team": NotifyKeys,
    "warm_remote_capacity": WarmKeys,
}
"""The mapping of each type of action."""


class RuleKeys(Keys):
    """One rule."""

    id: str = key(
        min_length=1,
        en="The rule's name, for telemetry and for its guards.",
        zh="规则的名称，用于遥测和守卫。",
        source="S",
    )
    enabled: bool = key(
        None, en="`false` switches the rule off.", zh="`false` 表示停用该规则。", source="S", shown="true"
    )
    trigger: TriggerKeys = key(
        en="The event, and the outcomes of it, that the rule is about.", zh="规则针对的事件及其结果。", source="S"
    )
    condition: ConditionKeys = key(
        None,
        en="What else must be true of the event.",
        zh="事件还须满足的条件。",
        source="S",
        shown=Text("every such event", "每个这样的事件"),
    )
    cooldown_ms: int = key(
        None, ge=0, le=words.DAY_MS, en="How long the rule rests after it matched.", zh="规则命中后的冷却时间。", source="S",
        kind=_WINDOW, shown="`defaultCooldownMs`",
    )  # fmt: skip
    dedup_window_ms: int = key(
        None, ge=0, le=words.DAY_MS, en="For how long the rule's actions are not repeated for the same event.",
        zh="该规则的动作对同一事件在多长时间内不重复执行。", source="S", kind=_WINDOW, shown="`defaultDedupWindowMs`",
    )  # fmt: skip
    max_depth: int = key(
        None, ge=0, le=words.MAX_DEPTH,
        en="How deep in a chain of agents the rule still acts: at this depth and beyond, all its actions are skipped.",
        zh="规则在多深的链中仍然生效：达到或超过该深度时跳过全部动作。", source="S", kind=_DEPTH, shown=Text("only `maxChainDepth` counts", "只受 `maxChainDepth` 限制"),
    )  # fmt: skip
    actions: list[Annotated[SpawnKeys | NotifyKeys | WarmKeys, Field(discriminator="type")]] = key(
        min_length=1, en="What is done, in this order.", zh="依次执行的动作。", source="S"
    )


class ConfigKeys(Keys):
    """The top level of a file, or what its `hookChains` holds."""

    version: Annotated[Literal[1], BeforeValidator(_not_true)] = key(
        None, en="The version of the format.", zh="格式版本。", source="S", values=("1",), shown="1"
    )
    enabled: bool = key(
        None,
        en="`false` switches all rules of the file off.",
        zh="`false` 表示停用文件中的全部规则。",
        source="S",
        shown="true",
    )
    max_chain_depth: int = key(
        None, ge=1, le=words.MAX_DEPTH, en="How deep agents that were started by a chain may start chains themselves.",
        zh="由规则链启动的智能体最多可以再触发多少层规则链。", source="S", shown="2",
        kind=Text("a whole number from 1 to 10", "1 到 10 的整数"),
    )  # fmt: skip
    default_cooldown_ms: int = key(
        None, ge=0, le=words.DAY_MS, en="How long a rule rests after it matched, where it says nothing itself.",
        zh="规则没有写时的冷却时间。", source="S", kind=_WINDOW, shown="30000",
    )  # fmt: skip
    default_dedup_window_ms: int = key(
        None, ge=0, le=words.DAY_MS,
        en="For how long an action is not repeated for the same event, where neither it nor its rule says anything.",
        zh="动作和规则都没有写时的去重窗口。", source="S", kind=_WINDOW, shown="30000",
    )  # fmt: skip
    rules: list[RuleKeys] = key(
        None,
        en="The rules, in the order in which they are looked at.",
        zh="规则，按评估顺序排列。",
        source="S",
        shown=Text("none", "无"),
    )


class WrappedKeys(Keys):
    """A file that holds its configuration under one key."""

    hook_chains: ConfigKeys = key(
        en="The configuration; it may also stand at the top itself.", zh="配置；也可以直接写在顶层。", source="S"
    )


ROOTS = (ConfigKeys, WrappedKeys)

Path = tuple[str | int, ...]
Table = dict[str, FieldDoc]


def table_at(path: Path, action_type: str | None = None) -> Table | None:
    """Return the keys that may stand in the mapping at a tree path, such as `("hookChains", "rules", 0, "trigger")`.

    None where no mapping of ours stands. At the top both the keys of a bare file and `hookChains` are given.

    Args:
        action_type: the type of the action that the path leads to or into; without a known one the keys of all types are given.
    """
    if not path:
        return {**fields_of(ConfigKeys), **fields_of(WrappedKeys)}
    models: tuple[type[Shape], ...] = ROOTS
    steps = list(path)
    while steps:
        name = str(steps.pop(0))
        field = next((fields_of(model)[name] for model in models if name in fields_of(model)), None)
        if field is None or not field.models:
            return None
        if field.is_list and (not steps or not isinstance(steps.pop(0), int)):
            return None
        models = field.models
    if len(models) > 1 and action_type in ACTIONS:
        models = (ACTIONS[action_type],)
    found: Table = {}
    for model in reversed(models):
        found.update(fields_of(model))
    if len(models) > 1:
        found.update(fields_of(ActionKeys))
    return found


def field_at(path: Path, action_type: str | None = None) -> FieldDoc | None:
    """Return the key whose value stands at a tree path; list positions at the end are taken off."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    table = table_at(path[:-1], action_type) if path else None
    return table.get(str(path[-1])) if table else None
