"""What stands above a rule of hook chains: when it fires, or why it never can."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.results import CodeLens
from rulewright.text.language import Lang


def code_lenses(analysis: Analysis, lang: Lang) -> list[CodeLens]:
    """Return one line a rule."""
    return []
