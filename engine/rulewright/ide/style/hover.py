"""What hover says of the place under the cursor: keys, values, variables, findings; and what counts there in the end."""

from __future__ import annotations

import re

from rulewright.analysis import Analysis
from rulewright.formats.fields import FieldDoc
from rulewright.formats.style import field_at
from rulewright.formats.style import vocabulary as words
from rulewright.ide.field_docs import effective, field_doc, origin, short, word_doc
from rulewright.ide.findings import page_head, with_findings
from rulewright.ide.places import Found, find, holds
from rulewright.ide.results import Hover
from rulewright.ide.style.completion import TEXT_KEYS
from rulewright.ide.style.plan_table import plan_table
from rulewright.ide.yaml_context import place_at
from rulewright.model import Rule, Value
from rulewright.suppression import read_ignores
from rulewright.syntax.tree import Scalar, resolve
from rulewright.text.language import Lang, Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

_VARIABLE = re.compile(r"\{\{[ \t]*([\w.-]*)[ \t]*\}\}")

LANDS = Text("Evaluated at: {points}", "评估点：{points}")
LANDS_STATIC = Text(
    "Evaluated at: none. The text becomes part of the standing instructions, or comes at `session.start`",
    "评估点：无。正文写入常驻指令，或在 `session.start` 时给出",
)
CARRIED = Text("Carried by: {events}", "出现在：{events}")
CARRIED_BY_ALL = Text("Carried by every event", "每个事件都有")
FILLED = Text("Filled in from the event; empty where the event lacks it", "由事件填入；事件没有该字段时为空")


def hover(analysis: Analysis, offset: int, lang: Lang) -> Hover | None:
    """Return what is to be said at `offset`, or None."""
    document = analysis.document
    parts: list[str] = []
    span: Span | None = None
    found = find(document.tree.root, offset)
    if found is not None:
        rule = _rule_of(analysis, found)
        variable = _variable_at(document.text, found, offset, lang)
        if variable is not None:
            span, text = variable
            parts.append(text)
        else:
            text = _describe(found, rule, document.lines, lang)
            if text:
                span = found.span
                parts.append(text)
            if (
                rule is not None
                and len(found.path) == 3
                and found.path[-1] == "id"
                and (plans := analysis.plans.of(rule))
            ):
                parts.append(plan_table(plans, lang))
    else:
        ignored = _ignored_code(analysis, offset, lang)
        fallback = None if ignored else hover_in_text(document.text, document.lines, offset, lang)
        if ignored is not None:
            span, text = ignored
            parts.append(text)
        elif fallback is not None and not document.tree.whole:
            return fallback
        elif fallback is not None and analysis.document.damaged:
            span = fallback.span
            parts.append(fallback.markdown)
    return with_findings(analysis, offset, lang, span, parts)


def hover_in_text(text: str, lines: Lines, offset: int, lang: Lang) -> Hover | None:
    """Return what can be said from the text alone: for a text that does not parse, or is not analysed yet."""
    place = place_at(text, lines, offset)
    if place.kind not in ("key", "value") or place.word.start == place.word.end:
        return None
    word = place.word.of(text)
    if place.kind == "key":
        field = field_at((*place.path, word))
        return None if field is None else Hover(place.word, _field(field, None, None, None, lang))
    field = field_at(place.path)
    return None if field is None else Hover(place.word, _field(field, word, None, None, lang))


def _rule_of(analysis: Analysis, found: Found) -> Rule | None:
    if found.path[0] != "rules" or len(found.mappings) < 2:
        return None
    return next((rule for rule in analysis.document.package.rules if rule.node is found.mappings[1]), None)


# --- what is said


def _describe(found: Found, rule: Rule | None, lines: Lines, lang: Lang) -> str:
    field = field_at(found.path)
    if field is None:
        return ""
    node = None if found.value is None else resolve(found.value)
    word = node.raw if not found.on_key and isinstance(node, Scalar) else None
    return _field(field, word, rule if len(found.path) >= 3 else None, lines, lang, top=len(found.path) == 3)


def _field(
    field: FieldDoc, word: str | None, rule: Rule | None, lines: Lines | None, lang: Lang, *, top: bool = False
) -> str:
    facts: list[str] = []
    if rule is not None and lines is not None and top:
        value = getattr(rule, field.name, None)
        if isinstance(value, Value) and (counts := effective(value, lines, lang)):
            facts.append(counts)
        if field.name in _POINT_KEYS:
            facts += _points(rule, lang)
    said = "" if word is None else _word_doc(field, word, lang)
    text = field_doc(field, lang, word=said, facts=facts)
    if rule is not None and lines is not None and top and field.name == "id":
        text += f"\n\n{_summary(rule, lines, lang)}"
    return text


# Keys that say when a rule is evaluated.
_POINT_KEYS = frozenset({"id", "target", "at", "event", "action", "tool", "mcp", "skill", "when", "refresh"})

# The values that the hover of a rule's id lists.
_SUMMARY_KEYS = ("action", "at", "repeat", "fail", "refresh", "reinject_on_compact", "fallback")


def _word_doc(field: FieldDoc, word: str, lang: Lang) -> str:
    if field.name == "field":
        entry = words.field_entry(word)
        return "" if entry is None else f"`{word}`: {_event_field(entry, lang)}"
    return word_doc(field, word, lang)


def _event_field(entry: tuple[Text, frozenset[str]], lang: Lang) -> str:
    doc, events = entry
    if len(events) == len(words.EVENTS):
        carried = CARRIED_BY_ALL.to(lang)
    elif len(events) > len(words.EVENTS) // 2:
        return doc.to(lang)
    else:
        carried = CARRIED.format(events=", ".join(f"`{name}`" for name in words.EVENTS if name in events)).to(lang)
    return f"{doc.to(lang)}  \n{carried}"


def _points(rule: Rule, lang: Lang) -> list[str]:
    points = rule.points()
    if not points:
        return []
    if rule.target.is_("system") and not rule.is_dynamic():
        return [LANDS_STATIC.to(lang)]
    listed = "; ".join(
        f"`{name}` ({words.EVENTS[name].to(lang).rstrip('.。')})" for name in points if name in words.EVENTS
    )
    return [LANDS.format(points=listed).to(lang)] if listed else []


def _summary(rule: Rule, lines: Lines, lang: Lang) -> str:
    rows = []
    for name in _SUMMARY_KEYS:
        value: Value = getattr(rule, name)
        if value.known:
            rows.append(f"- `{name}: {short(value.value)}`, {origin(value, lines).to(lang)}")
    return "\n".join(rows)


def _variable_at(text: str, found: Found, offset: int, lang: Lang) -> tuple[Span, str] | None:
    if found.on_key or not found.path or found.path[-1] not in TEXT_KEYS:
        return None
    for match in _VARIABLE.finditer(text, found.span.start, found.span.end):
        if match.start() <= offset < match.end():
            entry = words.field_entry(match[1])
            if entry is None:
                return None
            said = f"**{{{{ {match[1]} }}}}**\n\n{_event_field(entry, lang)}\n\n{FILLED.to(lang)}"
            return Span(*match.span()), said
    return None


def _ignored_code(analysis: Analysis, offset: int, lang: Lang) -> tuple[Span, str] | None:
    for ignore in read_ignores(analysis.document)[0]:
        if holds(ignore.span, offset) and (said := page_head(ignore.code, lang)):
            return ignore.span, said
    return None
