"""What stands above a Foya rule: when it wakes."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import CodeLens
from rulewright.text.language import Lang


def code_lenses(analysis: Analysis, lang: Lang, project: ProjectFacts = NO_PROJECT) -> list[CodeLens]:
    """Return one line a rule."""
    return []
