"""What hover says of a place: by the format of the text."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.chains import hover as chains
from rulewright.ide.foya import hover as foya
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Hover
from rulewright.ide.style import hover as style
from rulewright.text.language import Lang
from rulewright.text.lines import Lines


def hover(analysis: Analysis, offset: int, lang: Lang, project: ProjectFacts = NO_PROJECT) -> Hover | None:
    """Return what is to be said at `offset`, or None."""
    match analysis.document.format:
        case "style":
            return style.hover(analysis, offset, lang)
        case "foya":
            return foya.hover(analysis, offset, lang, project)
        case _:
            return chains.hover(analysis, offset, lang)


def hover_in_text(name: str, text: str, lines: Lines, offset: int, lang: Lang) -> Hover | None:
    """Return what can be said from the text alone, for a text of the format `name` that is not analysed yet."""
    return style.hover_in_text(text, lines, offset, lang) if name == "style" else None
