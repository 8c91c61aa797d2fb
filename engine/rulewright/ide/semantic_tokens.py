"""Words that only the engine can tell the meaning of: names of events and tools, fields and variables that exist or do not."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.chains import semantic_tokens as chains
from rulewright.ide.foya import semantic_tokens as foya
from rulewright.ide.results import Token
from rulewright.ide.style import semantic_tokens as style


def semantic_tokens(analysis: Analysis) -> list[Token]:
    """Return the words, by place; none overlaps another, none is longer than its line."""
    match analysis.document.format:
        case "style":
            found = style.semantic_tokens(analysis)
        case "foya":
            found = foya.semantic_tokens(analysis)
        case _:
            found = chains.semantic_tokens(analysis)
    text = analysis.document.text
    kept: list[Token] = []
    for token in sorted(found):
        word = token.span.of(text)
        if word and "\n" not in word and "\r" not in word and (not kept or kept[-1].span.end <= token.span.start):
            kept.append(token)
    return kept
