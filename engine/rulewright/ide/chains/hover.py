"""What hover says in a file of hook chains: keys with what counts in the end, words, template variables, fields of events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulewright.analysis import Analysis
from rulewright.formats.hook_chains.keys import field_at
from rulewright.formats.hook_chains.payloads import OWN_TOOLS, VARIABLE_FIELDS, carries
from rulewright.formats.hook_chains.payloads import field_at as payload_field
from rulewright.formats.hook_chains.templates import templates_of, uses
from rulewright.formats.hook_chains.vocabulary import VARIABLES
from rulewright.ide.chains.rules import action_of, duration, fires, rule_of
from rulewright.ide.field_docs import effective, field_doc, word_doc
from rulewright.ide.findings import OF_OPENCLAUDE, with_findings
from rulewright.ide.places import Found, find, holds
from rulewright.ide.results import Hover
from rulewright.model import ChainAction, ChainFile, ChainRule, Value
from rulewright.syntax.scalar_places import source_span
from rulewright.syntax.tree import Scalar, resolve
from rulewright.text.language import Lang, Text, same
from rulewright.text.lines import Lines
from rulewright.text.span import Span

_INHERITED = {
    "cooldownMs": "defaultCooldownMs",
    "dedupWindowMs": "dedupWindowMs` / `defaultDedupWindowMs",
}


def hover(analysis: Analysis, offset: int, lang: Lang) -> Hover | None:
    """Return what is to be said at `offset`, or None."""
    document = analysis.document
    parts: list[str] = []
    span: Span | None = None
    found = find(document.tree.root, offset)
    if found is not None:
        chains = document.chains
        rule = rule_of(chains, found.mappings)
        action = action_of(rule, found.mappings)
        variable = None if action is None else _variable(action, rule, document.text, offset, lang)
        if variable is not None:
            span, text = variable
            parts.append(text)
        elif text := _describe(found, chains, rule, action, document.lines, lang):
            span = found.span
            parts.append(text)
    return with_findings(analysis, offset, lang, span, parts)


def _describe(
    found: Found,
    chains: ChainFile,
    rule: ChainRule | None,
    action: ChainAction | None,
    lines: Lines,
    lang: Lang,
) -> str:
    path = [step for step in found.path if isinstance(step, str)]
    if len(path) > 1 and path[-2] == "eventFieldEquals":
        return _dot_path(path[-1], rule, lang)
    field = field_at(found.path, None if action is None else action.type.text())
    if field is None:
        return ""
    node = None if found.value is None or found.on_key else resolve(found.value)
    word = node.raw if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    said = word_doc(field, word, lang)
    if field.name == "toolNames" and word in OWN_TOOLS:
        said = f"`{word}`: {TOOL.format(name=OWN_TOOLS[word]).to(lang)}"
    value = _value(field.name, chains, rule, action)
    facts = _facts(field.name, value, lines, lang)
    text = field_doc(field, lang, word=said, facts=facts, sources=OF_OPENCLAUDE)
    if rule is not None and action is None and field.name in ("id", "trigger", "event"):
        text += f"\n\n{fires(rule, chains).to(lang)}"
    if field.name == "id":
        text += "".join(f"\n- `{name}`: {said}" for name, said in _windows(rule, action, lines, lang))
    return text


def _windows(rule: ChainRule | None, action: ChainAction | None, lines: Lines, lang: Lang) -> Iterator[tuple[str, str]]:
    """Yield the guards of a rule or an action with what counts, wherever it is written."""
    owner = action or rule
    for name in ("cooldownMs", "dedupWindowMs", "maxDepth"):
        value = None if owner is None else getattr(owner, _attribute(name), None)
        if isinstance(value, Value) and (counts := effective(value, lines, lang, _INHERITED.get(name, name))):
            yield name, counts


def _value(name: str, chains: ChainFile, rule: ChainRule | None, action: ChainAction | None) -> Value | None:
    """Return the value that counts for a key of the innermost of action, rule and file."""
    for owner in (action, rule, chains):
        if owner is not None:
            value = getattr(owner, _attribute(name), None)
            return value if isinstance(value, Value) else None
    return None


def _attribute(name: str) -> str:
    """Return what the model calls a key."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)


def _facts(name: str, value: Value | None, lines: Lines, lang: Lang) -> Sequence[str]:
    if value is None:
        return ()
    counts = effective(value, lines, lang, _INHERITED.get(name, name))
    if not counts:
        return ()
    is_window = name.endswith("Ms") and isinstance(value.value, int | float) and not isinstance(value.value, bool)
    return (counts, WINDOW.format(time=duration(value)).to(lang)) if is_window else (counts,)


def _dot_path(path: str, rule: ChainRule | None, lang: Lang) -> str:
    event = "" if rule is None else rule.event.text()
    known = payload_field(event, path) if event else None
    if known is None:
        return f"`{path}`: {UNKNOWN_PATH.format(event=event or '?').to(lang)}"
    return f"`{path}`: {known.doc.to(lang)}"


def _variable(
    action: ChainAction, rule: ChainRule | None, text: str, offset: int, lang: Lang
) -> tuple[Span, str] | None:
    for value, filled in templates_of(action):
        node = None if value.node is None else resolve(value.node)
        if not isinstance(node, Scalar) or not holds(node.span, offset):
            continue
        for use in uses(value.text()):
            place = source_span(text, node, use.span.start, use.span.end)
            if holds(place, offset):
                return place, _variable_doc(use.name, filled, "" if rule is None else rule.event.text(), lang)
    return None


def _variable_doc(name: str, filled: Sequence[str], event: str, lang: Lang) -> str:
    doc = VARIABLES.get(name)
    said = f"**${{{name}}}**: {(UNKNOWN_VARIABLE if doc is None else doc).to(lang)}"
    if doc is not None and name not in filled:
        said += f"\n\n{EMPTY_HERE.to(lang)}"
    elif name in VARIABLE_FIELDS and event and not carries(event, VARIABLE_FIELDS[name]):
        said += f"\n\n{EMPTY_AT.format(event=same(event)).to(lang)}"
    return said


TOOL = Text("the tool that rules of packages call `{name}`", "规则包中称为 `{name}` 的工具")
WINDOW = Text("That is {time}", "即 {time}")
UNKNOWN_PATH = Text("no payload of {event} has this field", "{event} 的载荷没有这个字段")
UNKNOWN_VARIABLE = Text("no such variable: nothing is put in its place", "没有这个变量：替换结果为空")
EMPTY_HERE = Text("OpenClaude leaves it empty in this template", "OpenClaude 在这个模板中会留空")
EMPTY_AT = Text("Empty here: the payload of {event} does not carry it", "此处为空：{event} 的载荷没有它")
