"""Links from the globs of Foya rules to files that they match."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Link


def links(analysis: Analysis, project: ProjectFacts = NO_PROJECT) -> list[Link]:
    """Return a link for each glob that matches a file of the project."""
    return []
