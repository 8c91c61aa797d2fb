"""The keys of a STYLE package: the one list of names, types, defaults and docs (style.md sections 2, 3 and 5)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import PydanticCustomError

from rulewright.formats.fields import FieldDoc, Shape, fields_of, key
from rulewright.formats.style import vocabulary as words
from rulewright.text.language import Text

TITLE = "STYLE package"
FREE_KEYS = True

# Letters of any script and emoji are fine; white space and the other ASCII signs are not (`pkg/rule@point` must stay readable).
WORD = r"^[^\s\x00-,/:-@\[-^`{-\x7f]+$"
# Source: semver.org 2.0.0, the suggested regular expression.
SEMVER = (
    r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(-(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$"
)


def _when(key_name: str, values: tuple[str, ...], then: dict[str, Any]) -> dict[str, Any]:
    """Return a condition of a JSON Schema: where a key has one of the values, `then` must hold too."""
    return {"if": {"properties": {key_name: {"enum": list(values)}}, "required": [key_name]}, "then": then}


def _pattern_of(*types: str, **more: Any) -> dict[str, Any]:
    return {"properties": {"pattern": {"type": types[0] if len(types) == 1 else list(types), **more}}}


def _one_or_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


OneOrList = Annotated[
    Annotated[list[Annotated[StrictStr, StringConstraints(min_length=1)]], Field(min_length=1)],
    BeforeValidator(_one_or_list),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
            ]
        }
    ),
]

Action = Literal["inject", "warn", "block"]
At = Literal["before", "after"]
Repeat = Literal["every", "turn", "session"]
Fail = Literal["open", "closed"]
Fallback = Literal["error", "degrade", "skip"]

_NAMES = Text("a name or a list of names", "名称或名称列表")
_GLOBS = Text("a glob or a list of globs", "glob 或 glob 列表")


class ConditionKeys(Shape):
    """One entry of `when.conditions`."""

    model_config = ConfigDict(
        json_schema_extra={
            # What `_pattern_ok` asks for.
            "allOf": [
                _when("op", ("exists",), _pattern_of("boolean")),
                _when("op", ("gt", "lt"), _pattern_of("number")),
                _when("op", ("in",), _pattern_of("array", items={"type": ["string", "number"]})),
                _when("op", ("equals",), _pattern_of("string", "number", "boolean")),
                _when(
                    "op",
                    ("contains", "starts_with", "ends_with", "regex", "shell_regex", "glob"),
                    _pattern_of("string"),
                ),
            ]
        }
    )

    field: str = key(
        en="The field of the event that is looked at.",
        zh="要检查的事件字段。",
        source="R",
        kind=Text("the name of a field", "字段名"),
        values=tuple(name for name in words.FIELDS if not name.endswith(".*")) + tuple(words.COMMON_INPUTS),
        value_docs={**{name: entry[0] for name, entry in words.FIELDS.items()}, **words.COMMON_INPUTS},
    )
    op: Literal[
        "equals", "contains", "starts_with", "ends_with", "in", "exists", "regex", "shell_regex", "glob", "gt", "lt"
    ] = key(
        en="How the field is compared with the pattern.",
        zh="字段与 pattern 的比较方式。",
        source="R",
        value_docs=words.OPS,
    )
    pattern: Any = key(
        en="What the field is compared with; its type follows from `op`.",
        zh="与字段比较的内容，类型取决于 `op`。",
        source="R",
        kind=Text("text; a list for `in`, `true`/`false` for `exists`, a number for `gt` and `lt`",
                  "文本；`in` 用列表，`exists` 用 `true`/`false`，`gt` 和 `lt` 用数字"),
    )  # fmt: skip
    negate: bool = key(
        False,
        en="Turns the result around; a missing field still does not match.",
        zh="取反；字段缺失时仍然不匹配。",
        source="R",
        shown="false",
    )
    ignore_case: bool = key(
        False, en="Compares without regard to case.", zh="比较时忽略大小写。", source="R", shown="false"
    )

    @field_validator("pattern", mode="after")
    @classmethod
    def _pattern_fits(cls, value: Any, info: ValidationInfo) -> Any:
        op = info.data.get("op")
        if op is None or _pattern_ok(op, value):
            return value
        raise PydanticCustomError("pattern_for_op", "{op}", {"op": op})


def _pattern_ok(op: str, value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if op == "exists":
        return isinstance(value, bool)
    if op in ("gt", "lt"):
        return number
    if op == "in":
        return isinstance(value, list) and all(isinstance(item, str | int | float) for item in value)
    if op == "equals":
        return number or isinstance(value, str | bool)
    return isinstance(value, str)


class WhenKeys(Shape):
    """The `when` of a rule."""

    model: OneOrList = key(
        None,
        en="Model ids for which the rule is active; an unknown model matches only `*`.",
        zh="规则生效的模型 id；未知模型只匹配 `*`。",
        source="S",
        kind=_GLOBS,
        shown="*",
    )
    harness: OneOrList = key(
        None,
        en="Coding agents for which the rule is active.",
        zh="规则生效的编码智能体。",
        source="R",
        kind=_NAMES,
        values=("claude-code", "codex", "openclaude", "foya", "gemini-cli", "copilot-cli", "cursor", "opencode"),
    )
    match: Literal["all", "any"] = key(
        None, en="Whether all conditions must hold or one is enough.", zh="要求全部条件成立还是任一成立。", source="R",
        value_docs=words.MATCHES, shown="all",
    )  # fmt: skip
    conditions: list[ConditionKeys] = key(
        None, en="The conditions on the event's fields.", zh="针对事件字段的条件。", source="S"
    )


class DefaultsKeys(Shape):
    """The `defaults` of a package: fill what a rule does not write."""

    action: Action = key(
        None, en="What happens when a rule matches.", zh="规则命中后的动作。", source="S",
        value_docs=words.ACTIONS, shown="inject",
    )  # fmt: skip
    at: At = key(
        None, en="Whether tool, mcp and skill rules act before or after the call.",
        zh="tool、mcp、skill 规则在调用前还是调用后评估。", source="S",
        value_docs=words.ATS, shown=Text("`before` for block, else `after`", "block 时为 `before`，否则为 `after`"),
    )  # fmt: skip
    repeat: Repeat = key(
        None, en="How often the same content is output again.", zh="去重粒度：同一内容多久重复输出。", source="S",
        value_docs=words.REPEATS, shown=Text("`every` for warn, `session` for inject, unused for block", "warn 时为 `every`，inject 时为 `session`，block 不使用"),
    )  # fmt: skip
    fail: Fail = key(
        None, en="Whether the event passes or is denied when the handler itself fails.",
        zh="处理器自身出错时放行还是阻止。", source="S", value_docs=words.FAILS, shown="open",
    )  # fmt: skip
    refresh: int = key(
        None, ge=0, le=1_000_000, en="Outputs again after this many submitted prompts; 0 is never.",
        zh="每隔 N 个已提交的轮次重新输出；0 表示不刷新。", source="S", shown="0",
        kind=Text("a whole number from 0 to 1000000", "0 到 1000000 的整数"),
    )  # fmt: skip
    reinject_on_compact: bool = key(
        None, en="Outputs again after the context was compacted.", zh="上下文压缩后重新输出。", source="S",
        shown=Text("`true` for `target: system`, else `false`", "`target: system` 时为 `true`，否则为 `false`"),
    )  # fmt: skip
    fallback: Fallback = key(
        None, en="What happens where the agent lacks the rule's point or action.",
        zh="智能体缺少所需落点或动作时怎么办。", source="R", value_docs=words.FALLBACKS, shown="error",
    )  # fmt: skip


class RuleKeys(Shape):
    """One rule."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                _when("target", ("tool",), {"required": ["tool"]}),
                _when("target", ("event",), {"required": ["event"]}),
            ]
        }
    )

    id: str = key(
        pattern=WORD, en="The rule's name, unique in the package.", zh="规则的名称，在包内唯一。", source="S",
        kind=Text("one word of letters, digits, `-`, `_` and `.`", "一个由文字、数字、`-`、`_`、`.` 组成的单词"),
    )  # fmt: skip
    target: Literal["tool", "mcp", "skill", "event", "system"] = key(
        en="What the rule is about.", zh="规则的作用对象。", source="S", value_docs=words.TARGETS
    )
    tool: OneOrList = key(
        None, en="The tools of a `target: tool` rule, by canonical name.", zh="`target: tool` 规则的工具（规范名称）。",
        source="S", kind=_NAMES, values=tuple(words.TOOLS), value_docs=words.TOOLS,
    )  # fmt: skip
    mcp: OneOrList = key(
        None,
        en="The MCP tools, as `server/tool`.",
        zh="MCP 工具，写成 `server/tool`。",
        source="R",
        kind=_GLOBS,
        shown="*/*",
    )
    skill: OneOrList = key(None, en="The skills, by name.", zh="技能名称。", source="R", kind=_GLOBS, shown="*")
    event: str = key(
        None, en="The event of a `target: event` rule.", zh="`target: event` 规则的事件。", source="S",
        kind=Text("the name of an event", "事件名"), values=tuple(words.EVENTS), value_docs=words.EVENTS,
        schema={"enum": list(words.EVENTS)},
    )  # fmt: skip
    sources: list[Literal["startup", "resume", "clear", "compact"]] = key(
        None, min_length=1, en="The sources of `session.start` that count.", zh="哪些 `session.start` 来源有效。", source="S",
        value_docs=words.SOURCES, kind=Text("a list of sources", "来源列表"), shown="all",
    )  # fmt: skip
    action: Action = DefaultsKeys.model_fields["action"]  # type: ignore[assignment]  # pydantic copies the field
    at: At = DefaultsKeys.model_fields["at"]  # type: ignore[assignment]
    repeat: Repeat = DefaultsKeys.model_fields["repeat"]  # type: ignore[assignment]
    fail: Fail = DefaultsKeys.model_fields["fail"]  # type: ignore[assignment]
    refresh: int = DefaultsKeys.model_fields["refresh"]  # type: ignore[assignment]
    reinject_on_compact: bool = DefaultsKeys.model_fields["reinject_on_compact"]  # type: ignore[assignment]
    when: WhenKeys = key(
        None, en="When the rule matches; always, if left out.", zh="规则在什么条件下命中；省略则总是命中。", source="S"
    )
    fallback: Fallback = DefaultsKeys.model_fields["fallback"]  # type: ignore[assignment]
    mode: Literal["append", "replace"] = key(
        None, en="Whether a system rule's text is added or replaces.", zh="system 规则的正文是追加还是替换。", source="R",
        value_docs=words.MODES, shown="append",
    )  # fmt: skip
    text: str = key(
        None, en="What is said: the context, the warning, or the reason of the denial. `{{ field }}` is filled in.",
        zh="正文：上下文、提示或拒绝理由。`{{ 字段 }}` 会被替换。", source="S",
    )  # fmt: skip
    text_file: str = key(
        None, min_length=1, en="A file in the package's folder that holds the text.", zh="包目录内存放正文的文件。",
        source="R", kind=Text("a path inside the package's folder", "包目录内的路径"),
    )  # fmt: skip
    model_text: str = key(
        None, en="What the model gets of a warning.", zh="warn 交给模型的文本。", source="S",
        shown=Text("the first sentence of the text", "正文的第一句"),
    )  # fmt: skip
    reason: str = key(None, en="Why the rule repeats.", zh="为什么需要重复。", source="S", shown=Text("none", "无"))
    enabled: bool = key(
        None, en="`false` switches the rule off.", zh="`false` 表示停用该规则。", source="R", shown="true"
    )


class PackageKeys(Shape):
    """The top level of a package."""

    spec: str = key(
        en="The version of the format.",
        zh="格式版本。",
        source="S",
        values=(words.SPEC,),
        schema={"const": words.SPEC},
        kind=Text(f"`{words.SPEC}`", f"`{words.SPEC}`"),
    )
    name: str = key(
        pattern=WORD, en="The package's name, unique among the installed ones.", zh="包名，在已安装的包中唯一。", source="S",
        kind=Text("one word of letters, digits, `-`, `_` and `.`", "一个由文字、数字、`-`、`_`、`.` 组成的单词"),
    )  # fmt: skip
    version: str = key(
        pattern=SEMVER, en="The package's version.", zh="包的版本。", source="S",
        kind=Text("a version such as `0.1.0`", "版本号，例如 `0.1.0`"),
    )  # fmt: skip
    description: str = key(min_length=1, en="What the package is for.", zh="包的用途。", source="R")
    defaults: DefaultsKeys = key(
        None, en="Values for rules that do not write them.", zh="规则没有写时使用的默认值。", source="S"
    )
    rules: list[RuleKeys] = key(
        min_length=1, en="The rules, in the order of evaluation.", zh="规则，按评估顺序排列。", source="S"
    )


ROOTS = (PackageKeys,)

Table = dict[str, FieldDoc]


def table_at(path: tuple[str | int, ...]) -> Table | None:
    """Return the keys that may stand in the mapping at a tree path: `()`, `("rules", 0)`, `("rules", 0, "when")` …

    None where no mapping of ours stands.
    """
    model: type[Shape] = PackageKeys
    steps = list(path)
    while steps:
        field = fields_of(model).get(str(steps.pop(0)))
        if field is None or field.model is None:
            return None
        if field.is_list and (not steps or not isinstance(steps.pop(0), int)):
            return None
        model = field.model
    return fields_of(model)


def field_at(path: tuple[str | int, ...]) -> FieldDoc | None:
    """Return the key whose value stands at a tree path; list positions at the end are taken off."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    table = table_at(path[:-1]) if path else None
    return table.get(str(path[-1])) if table else None


__all__ = [
    "SEMVER", "WORD", "ConditionKeys", "DefaultsKeys", "PackageKeys", "RuleKeys", "StrictBool", "WhenKeys", "field_at", "table_at",
]  # fmt: skip
