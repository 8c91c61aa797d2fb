"""Places that lead to other places: an alias to its anchor, a value to the files that it names."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.foya import links as foya
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Link
from rulewright.ide.style import links as style
from rulewright.text.span import Span


def definition(analysis: Analysis, offset: int) -> Span | None:
    """Return the anchor that the alias at `offset` stands for."""
    return style.definition(analysis, offset)


def links(analysis: Analysis, project: ProjectFacts = NO_PROJECT) -> list[Link]:
    """Return the places that name files, each with one of them."""
    match analysis.document.format:
        case "style":
            return style.text_files(analysis)
        case "foya":
            return foya.links(analysis, project)
        case _:
            return []
