"""The outline of a rule file: by its format."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.chains import symbols as chains
from rulewright.ide.foya import symbols as foya
from rulewright.ide.results import Symbol
from rulewright.ide.style import symbols as style


def symbols(analysis: Analysis) -> list[Symbol]:
    """Return the outline; empty for a text that holds no rules."""
    match analysis.document.format:
        case "style":
            return style.symbols(analysis)
        case "foya":
            return foya.symbols(analysis)
        case _:
            return chains.symbols(analysis)
