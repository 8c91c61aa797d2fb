"""What can be written at the cursor of a file of Foya rules."""

from __future__ import annotations

from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Item
from rulewright.text.lines import Lines


def complete(
    path: str, text: str, lines: Lines, offset: int, *, snippets: bool = False, project: ProjectFacts = NO_PROJECT
) -> list[Item]:
    """Return what can be written at `offset`, the likeliest first."""
    return []
