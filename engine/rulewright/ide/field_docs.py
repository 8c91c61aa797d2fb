"""What hover says of one key, in every format: its type, its documentation, its default, what counts in the end, who says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulewright.formats.fields import FieldDoc
from rulewright.ide.findings import SOURCES
from rulewright.model import BAD, Value
from rulewright.text.language import Lang, Text
from rulewright.text.lines import Lines

REQUIRED = Text("required", "必填")
DEFAULT = Text("Default: {value}", "默认值：{value}")
NONE_BY_DEFAULT = Text("Not set by default", "默认未设置")
HERE = Text("In effect: {value}, {origin}", "实际取值：{value}，{origin}")
ORIGINS = {
    "written": Text("written here", "写在此处"),
    "merged": Text("merged in through `<<` (line {line})", "通过 `<<` 合并（第 {line} 行）"),
    "inherited": Text("from `{key}` (line {line})", "来自 `{key}`（第 {line} 行）"),
    "default": Text("built in", "内置默认值"),
}
FEW_VALUES = 8
"""So many values of a key are listed with what they mean."""
SHORT_LIMIT = 60
"""Characters of a value that are shown: enough for every word of a format, a glance of a text."""


def field_doc(
    field: FieldDoc,
    lang: Lang,
    *,
    word: str = "",
    facts: Iterable[str] = (),
    sources: Mapping[str, Text] = SOURCES,
) -> str:
    """Return the Markdown for a key.

    Args:
        word: what is said of the word under the cursor, where it is one; it stands first. facts: lines below the default.
        sources: who says so, by the letter that the key carries.
    """
    head = f"**{field.name}** · {field.kind.to(lang)}"
    if field.required:
        head += f" · {REQUIRED.to(lang)}"
    parts = [word] if word else []
    parts += [head, field.doc.to(lang)]
    if not word and field.value_docs and len(field.values) <= FEW_VALUES:
        parts.append("\n".join(f"- `{value}`: {doc.to(lang)}" for value, doc in _documented(field)))
    lines: list[str] = []
    if field.default is not None:
        lines.append(DEFAULT.format(value=default_of(field, lang)).to(lang))
    lines += facts
    lines.append(sources[field.source].to(lang))
    parts.append("  \n".join(lines))
    return "\n\n".join(parts)


def default_of(field: FieldDoc, lang: Lang) -> str:
    """Return how the default of a key reads, as Markdown; empty where there is none."""
    if field.default is None:
        return ""
    words = field.default.en != field.default.zh or "`" in field.default.en
    return field.default.to(lang) if words else f"`{field.default.en}`"


def word_doc(field: FieldDoc, word: str, lang: Lang) -> str:
    """Return what a word means as the value of a key, empty where nothing is known of it."""
    doc = field.value_docs.get(word)
    return "" if doc is None else f"`{word}`: {doc.to(lang)}"


def effective(value: Value, lines: Lines, lang: Lang, inherited: str = "defaults") -> str:
    """Return what counts in the end and where it comes from; empty where that is a fault.

    Args:
        inherited: the key that an inherited value stands under.
    """
    if value.value is BAD or value.value is None:
        return NONE_BY_DEFAULT.to(lang) if value.value is None and value.origin == "default" else ""
    return HERE.format(value=f"`{short(value.value)}`", origin=origin(value, lines, inherited)).to(lang)


def origin(value: Value, lines: Lines, inherited: str = "defaults") -> Text:
    """Say where a value comes from."""
    return ORIGINS[value.origin].format(line=lines.line_at(value.span.start) + 1, key=inherited)


def short(value: object) -> str:
    """Return a value as one short line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(short(item) for item in value) + "]"
    text = str(value).split("\n", 1)[0].replace("`", "'")
    return text if len(text) <= SHORT_LIMIT else text[: SHORT_LIMIT - 1] + "…"


def _documented(field: FieldDoc) -> Iterator[tuple[str, Text]]:
    for value in field.values:
        doc = field.value_docs.get(value)
        if doc is not None:
            yield value, doc
