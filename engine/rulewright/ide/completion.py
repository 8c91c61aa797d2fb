"""What can be written at the cursor: by the format of the text, and from the text as it is."""

from __future__ import annotations

from rulewright.ide.chains import completion as chains
from rulewright.ide.foya import completion as foya
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Item
from rulewright.ide.style import completion as style
from rulewright.text.lines import Lines


def complete(
    name: str,
    path: str,
    text: str,
    lines: Lines,
    offset: int,
    *,
    snippets: bool = False,
    project: ProjectFacts = NO_PROJECT,
) -> list[Item]:
    """Return what can be written at `offset` of a text of the format `name`, the likeliest first.

    Args:
        path: absolute, only looked at. offset: code points. snippets: the client can insert snippets.
    """
    match name:
        case "style":
            return style.complete(text, lines, offset, snippets=snippets)
        case "foya":
            return foya.complete(path, text, lines, offset, snippets=snippets, project=project)
        case _:
            return chains.complete(text, lines, offset, snippets=snippets)
