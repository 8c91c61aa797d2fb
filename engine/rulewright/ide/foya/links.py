"""Links from the globs of Foya rules to files that they match."""

from __future__ import annotations

import os

from rulewright.analysis import Analysis
from rulewright.ide.foya.files import matching
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Link


def links(analysis: Analysis, project: ProjectFacts = NO_PROJECT) -> list[Link]:
    """Return a link for each glob that matches a file of the project: to the first of them."""
    found: list[Link] = []
    listing = project.files() if any(rule.globs.items for rule in analysis.document.foya.rules) else ()
    for rule in analysis.document.foya.rules:
        for glob in rule.globs.items:
            if glob.origin == "written" and glob.text() and (files := matching(glob.text(), listing)):
                path = os.path.join(project.settings.root, *files[0].split("/"))
                found.append(Link(glob.span, os.path.abspath(path)))
    return found
