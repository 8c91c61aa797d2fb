"""What hover says in a file of Foya rules."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Hover
from rulewright.text.language import Lang


def hover(analysis: Analysis, offset: int, lang: Lang, project: ProjectFacts = NO_PROJECT) -> Hover | None:
    """Return what is to be said at `offset`, or None."""
    return None
