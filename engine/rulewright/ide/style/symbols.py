"""The outline of a package: the package, its rules, their conditions."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.results import Symbol
from rulewright.model import Condition, Rule
from rulewright.text.span import Span


def symbols(analysis: Analysis) -> list[Symbol]:
    """Return the outline; empty for a text that holds no package."""
    package = analysis.document.package
    if package.root is None:
        return []
    rules = tuple(_rule(rule, analysis.document.text) for rule in package.rules)
    whole = package.root.span
    if package.name.known and package.name.text():
        return [Symbol(package.name.text(), package.version.text(), "package", whole, package.name.span, rules)]
    return list(rules)


def _rule(rule: Rule, text: str) -> Symbol:
    name = rule.id.text() or "…"
    points = rule.points()
    detail = rule.action.text()
    if points and detail:
        detail += " @ " + ", ".join(points)
    selection = _inside(rule.id.span if rule.id.written else rule.anchor, rule.span)
    conditions = (
        tuple(_condition(condition, text) for condition in rule.when.conditions) if rule.when is not None else ()
    )
    inside = tuple(item for item in conditions if rule.span.start <= item.span.start and item.span.end <= rule.span.end)
    return Symbol(name, detail, "rule", rule.span, selection, inside)


def _condition(condition: Condition, text: str) -> Symbol:
    words = [condition.field.text(), condition.op.text()]
    name = " ".join(word for word in words if word) or "…"
    pattern = condition.pattern.span.of(text).split("\n", 1)[0].rstrip("\r") if condition.pattern.written else ""
    selection = condition.field.span if condition.field.written else condition.span
    return Symbol(name, pattern, "condition", condition.span, _inside(selection, condition.span))


def _inside(selection: Span, span: Span) -> Span:
    """A merged id stands elsewhere: the protocol wants the selection inside the whole."""
    return selection if span.start <= selection.start and selection.end <= span.end else Span(span.start, span.start)
