"""What stands above a rule of hook chains: when it fires, or why it never can."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.chains.rules import fires
from rulewright.ide.results import CodeLens
from rulewright.text.language import Lang
from rulewright.text.span import Span


def code_lenses(analysis: Analysis, lang: Lang) -> list[CodeLens]:
    """Return one line a rule."""
    chains = analysis.document.chains
    return [
        CodeLens(Span(rule.span.start, rule.span.start), fires(rule, chains).to(lang))
        for rule in chains.rules
        if rule.event.known or rule.id.known
    ]
