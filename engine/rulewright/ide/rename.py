"""A new name for a rule, in all files that mention it: by the format of the text."""

from __future__ import annotations

from collections.abc import Callable

from rulewright.analysis import Analysis
from rulewright.ide.foya import rename as foya
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Rename
from rulewright.text.span import Span


def name_at(analysis: Analysis, offset: int, project: ProjectFacts = NO_PROJECT) -> Span | None:
    """Return the place of the name that can be changed at `offset`, None where there is none."""
    return foya.name_at(analysis, offset, project) if analysis.document.format == "foya" else None


def rename(
    analysis: Analysis,
    offset: int,
    new_name: str,
    text_of: Callable[[str], str | None],
    project: ProjectFacts = NO_PROJECT,
) -> list[Rename]:
    """Return the edits for a new name, by file; none where there is no name at `offset`.

    Args:
        text_of: returns the text of a file of the project by its absolute path, as the editor has it, None where it cannot be read.
    Raises:
        RulewrightError: the new name cannot be one.
    """
    return foya.rename(analysis, offset, new_name, text_of, project) if analysis.document.format == "foya" else []
