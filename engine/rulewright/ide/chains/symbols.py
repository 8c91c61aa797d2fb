"""The outline of a file of hook chains: the rules, and in each its actions."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.results import Symbol
from rulewright.model import ChainAction, ChainRule


def symbols(analysis: Analysis) -> list[Symbol]:
    """Return the outline."""
    return [_rule(rule) for rule in analysis.document.chains.rules]


def _rule(rule: ChainRule) -> Symbol:
    outcomes = "/".join(item.text() for item in rule.outcomes.items if item.text())
    detail = " ".join(word for word in (rule.event.text(), outcomes) if word)
    return Symbol(
        rule.id.text() or "…", detail, "rule", rule.span, rule.anchor, tuple(_action(item) for item in rule.actions)
    )


def _action(action: ChainAction) -> Symbol:
    name = action.id.text() or action.type.text() or "…"
    detail = action.type.text() if action.id.text() else ""
    return Symbol(name, detail, "action", action.span, action.anchor)
