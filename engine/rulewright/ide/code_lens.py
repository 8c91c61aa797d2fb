"""Lines that an editor shows above a rule: when it wakes, and why it never does."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.chains import code_lens as chains
from rulewright.ide.foya import code_lens as foya
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import CodeLens
from rulewright.text.language import Lang


def code_lenses(analysis: Analysis, lang: Lang, project: ProjectFacts = NO_PROJECT) -> list[CodeLens]:
    """Return the lines, by place."""
    match analysis.document.format:
        case "foya":
            return foya.code_lenses(analysis, lang, project)
        case "hook-chains":
            return chains.code_lenses(analysis, lang)
        case _:
            return []
