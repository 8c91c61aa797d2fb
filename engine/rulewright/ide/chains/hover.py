"""What hover says in a file of hook chains."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.results import Hover
from rulewright.text.language import Lang


def hover(analysis: Analysis, offset: int, lang: Lang) -> Hover | None:
    """Return what is to be said at `offset`, or None."""
    return None
