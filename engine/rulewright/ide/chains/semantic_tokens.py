"""The words of a file of hook chains: events and outcomes that come, tools that exist, variables that are filled in."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.formats.hook_chains.payloads import DISPATCHED, OWN_TOOLS
from rulewright.formats.hook_chains.templates import templates_of, uses
from rulewright.ide.results import Token
from rulewright.model import ChainRule, Value
from rulewright.syntax.scalar_places import source_span
from rulewright.syntax.tree import Scalar, resolve
from rulewright.text.span import Span


def semantic_tokens(analysis: Analysis) -> Iterator[Token]:
    """Yield the words of every rule that can be read."""
    for rule in analysis.document.chains.rules:
        yield from _trigger(rule)
        if rule.condition is not None:
            for tool in rule.condition.tool_names.items:
                if _is_written(tool):
                    known = tool.text() in OWN_TOOLS or tool.text().startswith("mcp__")
                    yield Token(_inner(tool.span), "function", not known)
        for action in rule.actions:
            for value, filled in templates_of(action):
                node = None if value.node is None else resolve(value.node)
                if isinstance(node, Scalar):
                    for use in uses(value.text()):
                        place = source_span(analysis.document.text, node, use.span.start, use.span.end)
                        yield Token(place, "variable", use.name not in filled)


def _trigger(rule: ChainRule) -> Iterator[Token]:
    possible = DISPATCHED.get(rule.event.text())
    if _is_written(rule.event):
        yield Token(_inner(rule.event.span), "event", possible is None)
    for outcome in rule.outcomes.items:
        if _is_written(outcome):
            yield Token(_inner(outcome.span), "enumMember", possible is not None and outcome.text() not in possible)


def _is_written(value: Value) -> bool:
    return value.known and value.origin == "written" and value.span.end - value.span.start > 2


def _inner(span: Span) -> Span:
    """Leave the quotes out."""
    return Span(span.start + 1, span.end - 1)
