"""The outline of a file of Foya rules: one entry a rule."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.results import Symbol
from rulewright.text.span import Span


def symbols(analysis: Analysis) -> list[Symbol]:
    """Return the outline; a rule is called as it is written, by its name, else its id."""
    found: list[Symbol] = []
    for rule in analysis.document.foya.rules:
        if not rule.content and rule.header is None:
            continue
        named = rule.name if rule.name.written or not rule.id.written else rule.id
        selection = named.span if named.written else rule.anchor
        inside = rule.span.start <= selection.start and selection.end <= rule.span.end
        place = selection if inside else Span(rule.span.start, rule.span.start)
        found.append(Symbol(named.text() or "…", rule.trigger.text(), "rule", rule.span, place))
    return found
