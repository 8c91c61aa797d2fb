"""A new name for a Foya rule, and for the mentions `@name` of it in all rule files of the project."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from rulewright.analysis import Analysis
from rulewright.errors import RulewrightError
from rulewright.ide.foya.rules import rule_at
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Rename
from rulewright.model import FoyaRule, Value
from rulewright.syntax.tree import Scalar, resolve
from rulewright.syntax.yaml_quoting import quoted
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span

# A longer name goes on with such a character, so that `@go-test` is no mention of `go`.
_GOES_ON = re.compile(r"[\w-]")


def name_at(analysis: Analysis, offset: int, project: ProjectFacts = NO_PROJECT) -> Span | None:
    """Return the place of the name or id at `offset`: a written one, or the word of a mention."""
    found = _named_at(analysis, offset, project)
    return None if found is None else found[1]


def rename(
    analysis: Analysis,
    offset: int,
    new_name: str,
    text_of: Callable[[str], str | None],
    project: ProjectFacts = NO_PROJECT,
) -> list[Rename]:
    """Return the edits for a new name: the value in the rule, and every `@name` in the rule files of the project.

    Raises:
        RulewrightError: the new name is empty, has white space, or is one that another rule has.
    """
    found = _named_at(analysis, offset, project)
    if found is None:
        return []
    old, _, value = found
    new_name = new_name.strip()
    if not new_name or re.search(r"[\s\x00-\x1f\x7f]", new_name):
        raise RulewrightError(NOT_A_NAME, NO_SPACES)
    facts = [(summary.path, fact) for summary in project.summaries for fact in summary.foya]
    if new_name != old and any(new_name in (fact.name, fact.id) for _, fact in facts):
        raise RulewrightError(TAKEN.format(name=new_name))
    edits: dict[str, list[Edit]] = {}
    document = analysis.document
    if value is not None:
        edits.setdefault(document.path, []).append(_value_edit(value, document.text, new_name))
    else:
        for path, fact in facts:
            place = (
                fact.name_place if fact.name == old and fact.name_written else fact.id_place if fact.id == old else None
            )
            text = text_of(path) if place is not None else None
            if place is not None and text is not None:
                edits.setdefault(path, []).append(_source_edit(place, text, new_name))
    for path in dict.fromkeys((document.path, *(path for path, _ in facts))):
        text = document.text if path == document.path else text_of(path)
        for span in mentions(text or "", old):
            edits.setdefault(path, []).append(Edit(span, new_name))
    return [Rename(path, tuple(sorted(found, key=lambda edit: edit.span))) for path, found in edits.items()]


def mentions(text: str, name: str) -> Iterator[Span]:
    """Yield the places of a name behind an `@`, without the sign; not where a longer name begins with it."""
    at = text.find(f"@{name}")
    while at >= 0 and name:
        end = at + 1 + len(name)
        if not _GOES_ON.match(text, end):
            yield Span(at + 1, end)
        at = text.find(f"@{name}", end)


def _named_at(analysis: Analysis, offset: int, project: ProjectFacts) -> tuple[str, Span, Value | None] | None:
    """Return the name at a place, where it stands, and the value that gives it (None: a mention)."""
    rule = rule_at(analysis, offset)
    for value in _names(rule):
        if value.written and value.text() and value.span.start <= offset <= value.span.end:
            return value.text(), _inner(value.span, analysis.document.text), value
    text = analysis.document.text
    start = text.rfind("@", max(0, offset - 200), offset + 1)
    if start < 0:
        return None
    known = {value.text() for other in analysis.document.foya.rules for value in _names(other)}
    known |= {word for summary in project.summaries for fact in summary.foya for word in (fact.name, fact.id)}
    for name in sorted(known - {""}, key=len, reverse=True):
        span = Span(start + 1, start + 1 + len(name))
        if (
            text.startswith(name, span.start)
            and span.start - 1 <= offset <= span.end
            and span in list(mentions(text, name))
        ):
            return name, span, None
    return None


def _names(rule: FoyaRule | None) -> tuple[Value, ...]:
    return () if rule is None else (rule.name, rule.id)


def _inner(span: Span, text: str) -> Span:
    """Leave the quotes out."""
    if span.end - span.start >= 2 and text[span.start] == text[span.end - 1] and text[span.start] in "\"'":
        return Span(span.start + 1, span.end - 1)
    return span


def _value_edit(value: Value, text: str, new_name: str) -> Edit:
    node = None if value.node is None else resolve(value.node)
    if isinstance(node, Scalar) and node.style == "double":
        return Edit(value.span, json.dumps(new_name, ensure_ascii=False))
    return _source_edit(value.span, text, new_name)


def _source_edit(span: Span, text: str, new_name: str) -> Edit:
    source = span.of(text)
    return Edit(span, json.dumps(new_name, ensure_ascii=False) if source.startswith('"') else quoted(new_name))


NOT_A_NAME = Text("a rule's name must not be empty", "规则名称不能为空")
NO_SPACES = Text("and a mention `@name` ends at white space", "且 `@名称` 的引用到空白处结束")
TAKEN = Text("another rule has the name or id `{name}`", "另一条规则已使用名称或 id `{name}`")
