"""What stands above a Foya rule: when it wakes, and how to try it."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.foya.rules import wakes
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import CodeLens
from rulewright.text.language import Lang, Text
from rulewright.text.span import Span

SHOW_RULE = "rulewright.showRule"
TRY_ACTIVITY = "rulewright.tryActivity"
"""Commands of the editor: `showRule` shows the text as the model gets it, `tryActivity` asks for a text and shows what it wakes.
Their arguments are the absolute path of the file and the rule's id."""

TRY = Text("try an activity text", "试一段活动文本")
IGNORED = Text("not read: deeper than three folders", "不会读取：超过三层目录")


def code_lenses(analysis: Analysis, lang: Lang, project: ProjectFacts = NO_PROJECT) -> list[CodeLens]:
    """Return two lenses a rule; in a file that nothing reads one that says so."""
    document = analysis.document
    if document.foya.too_deep:
        return [CodeLens(Span(0, 0), IGNORED.to(lang))]
    found: list[CodeLens] = []
    for rule in document.foya.rules:
        if rule.broken or not (rule.content or rule.header is not None):
            continue
        place = Span(rule.span.start, rule.span.start)
        arguments = (document.path, rule.id.text())
        found.append(CodeLens(place, wakes(rule, project).to(lang).replace("`", ""), SHOW_RULE, arguments))
        found.append(CodeLens(place, TRY.to(lang), TRY_ACTIVITY, arguments))
    return found
