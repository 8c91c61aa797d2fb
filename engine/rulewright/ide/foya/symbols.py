"""The outline of a file of Foya rules."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.results import Symbol


def symbols(analysis: Analysis) -> list[Symbol]:
    """Return the outline."""
    return []
