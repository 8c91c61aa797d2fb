"""The rule under the cursor, and what is said of a rule in one line: when it wakes."""

from __future__ import annotations

from rulewright.analysis import Analysis
from rulewright.ide.foya.files import any_matching
from rulewright.ide.project import ProjectFacts
from rulewright.model import FoyaRule
from rulewright.text.language import Text, same

MANY_GLOBS = 3


def rule_at(analysis: Analysis, offset: int) -> FoyaRule | None:
    """Return the rule that a place belongs to, None in front of the first and in a file that nothing reads."""
    return next((rule for rule in analysis.document.foya.rules if rule.span.start <= offset <= rule.span.end), None)


def wakes(rule: FoyaRule, project: ProjectFacts) -> Text:
    """Say when a rule enters the context."""
    if rule.trigger.is_("always"):
        return ALWAYS
    if rule.trigger.is_("glob"):
        globs = rule.patterns
        if not globs:
            return NEVER
        shown = ", ".join(f"`{glob}`" for glob in globs[:MANY_GLOBS]) + (", …" if len(globs) > MANY_GLOBS else "")
        listing = project.files()
        if not listing:
            return ON_GLOBS.format(globs=same(shown))
        count = len(any_matching(globs, listing))
        return (ON_GLOBS_FILE if count == 1 else ON_GLOBS_FILES).format(globs=same(shown), count=count)
    if rule.trigger.is_("manual"):
        names = [f"`@{word}`" for word in dict.fromkeys((rule.name.text(), rule.id.text())) if word]
        return ON_NAME.format(names=Text(" or ".join(names), " 或 ".join(names)))
    if rule.trigger.is_("model_decision"):
        return BY_MODEL.format(name=rule.name.text())
    return NEVER


ALWAYS = Text("wakes always", "始终生效")
ON_GLOBS = Text("wakes on {globs}", "遇到 {globs} 时激活")
ON_GLOBS_FILES = Text("wakes on {globs} ({count} files)", "遇到 {globs} 时激活（{count} 个文件）")
ON_GLOBS_FILE = Text("wakes on {globs} (1 file)", "遇到 {globs} 时激活（1 个文件）")
ON_NAME = Text("wakes on {names}", "遇到 {names} 时激活")
BY_MODEL = Text("loaded by the model: `rulewright rule load {name}`", "由模型加载：`rulewright rule load {name}`")
NEVER = Text("never wakes: see the findings", "不会激活：见诊断")
