"""A new name for a Foya rule, and for the mentions of it in rule files."""

from __future__ import annotations

from collections.abc import Callable

from rulewright.analysis import Analysis
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Rename
from rulewright.text.span import Span


def name_at(analysis: Analysis, offset: int) -> Span | None:
    """Return the place of the name at `offset`."""
    return None


def rename(
    analysis: Analysis,
    offset: int,
    new_name: str,
    text_of: Callable[[str], str | None],
    project: ProjectFacts = NO_PROJECT,
) -> list[Rename]:
    """Return the edits for a new name."""
    return []
