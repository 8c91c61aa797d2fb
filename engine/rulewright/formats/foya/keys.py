"""The keys of a Foya rule: the one list of names, types, defaults and docs (foya.md sections 1 to 3)."""

from __future__ import annotations

from typing import Literal

from rulewright.formats.fields import Shape, key
from rulewright.text.language import Text

Trigger = Literal["always", "glob", "model_decision", "manual"]

TRIGGERS = {
    "always": Text(
        "The text is given in every step: for short rules that every task must follow.",
        "每一步都给出全文：适合每次任务都必须遵守的短规则。",
    ),
    "glob": Text(
        "The text is given once the request or a tool call names a matching path: for a folder or a kind of file.",
        "请求或工具调用中出现匹配的路径时给出全文：适合某个目录或某类文件。",
    ),
    "model_decision": Text(
        "Only name and description are given; the model loads the text when it needs it: for long or rarely needed rules.",
        "只给出名称和描述，由模型按需加载全文：适合较长或很少用到的规则。",
    ),
    "manual": Text(
        "The text is given when the request names the rule as `@name` or `@id`: for what the user asks for by name.",
        "请求中写出 `@名称` 或 `@ID` 时给出全文：适合由用户点名启用的规则。",
    ),
}

# RFC 3339, as Go's time.Time reads it from JSON [F].
TIME = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
)
_TIME = Text("a time such as `2026-11-30T12:00:00Z`", "形如 `2026-11-30T12:00:00Z` 的时间")


class FrontmatterKeys(Shape):
    """The frontmatter of a project rule."""

    id: str = key(
        None,
        en="The rule's stable name, for `@id` and for programs.",
        zh="规则的稳定标识，用于 `@id` 和程序。",
        source="F",
        shown=Text("made from the file's path", "由文件路径生成"),
    )
    name: str = key(
        None,
        en="The name that is shown, and that `@name` and `rule_load` use.",
        zh="用于展示、`@名称` 引用和 `rule_load` 的名称。",
        source="F",
        shown=Text("the file's name without `.md`", "去掉 `.md` 的文件名"),
    )
    description: str = key(
        None,
        en="Helps the model decide whether to load the rule; `model_decision` needs it.",
        zh="帮助模型判断是否需要加载；`model_decision` 必须提供。",
        source="F",
    )
    trigger: Trigger = key(
        None,
        en="When the rule enters the context.",
        zh="规则何时进入上下文。",
        source="F",
        value_docs=TRIGGERS,
        shown=Text("`always`; in a subfolder `glob`", "`always`；在子文件夹里是 `glob`"),
    )
    globs: list[str] = key(
        None,
        en="The paths that wake a `glob` rule: `*` stays in one folder, `**` crosses folders, `?` is one character.",
        zh="激活 `glob` 规则的路径模式：`*` 匹配一个路径段内的字符，`**` 跨目录，`?` 匹配一个字符。",
        source="F",
        kind=Text("a list of globs", "glob 列表"),
        shown=Text("in a subfolder all below it", "在子文件夹里是其下的全部内容"),
    )


class MarkerKeys(FrontmatterKeys):
    """The JSON of a marker line in the global file."""

    path: str = key(
        None,
        en="The file that the rule came from; its folder is the default of `globs`.",
        zh="规则来自的文件；其所在目录是 `globs` 的默认值。",
        source="F",
    )
    scope: str = key(
        None,
        en="Where the rule holds. Foya writes it, and goes by the file when it reads.",
        zh="规则的生效范围。由 Foya 写入，读取时以文件为准。",
        source="F",
        values=("global", "project"),
    )
    project_id: str = key(
        None, en="The project of a project rule, by Foya's own id.", zh="项目规则所属项目在 Foya 中的标识。", source="F"
    )
    created_at: str = key(
        None, pattern=TIME, en="When the rule was made.", zh="规则的创建时间。", source="F", kind=_TIME
    )
    updated_at: str = key(
        None,
        pattern=TIME,
        en="When the rule was last changed; rules are given in this order.",
        zh="规则的最后修改时间；规则按此顺序给出。",
        source="F",
        kind=_TIME,
        shown=Text("the file's time", "文件的修改时间"),
    )


ROOTS = (FrontmatterKeys, MarkerKeys)
"""The mappings that stand at the top: of a project file, and of a marker's JSON."""

TITLE = "A rule of Foya: the frontmatter of a project rule, or the JSON of a marker"
FREE_KEYS = False
"""Whether keys that begin with `x-` are the author's own."""

TITLES: dict[type[Shape], Text] = {
    FrontmatterKeys: Text("Frontmatter of a project rule", "项目规则的 frontmatter"),
    MarkerKeys: Text("Marker in `user_rules.md`", "`user_rules.md` 中的标记"),
}
"""How the reference calls each of them."""
