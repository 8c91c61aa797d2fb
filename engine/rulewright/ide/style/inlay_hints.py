"""What stands behind the id of each rule: how well it lands on the harnesses of the project."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.ide.results import InlayHint
from rulewright.ide.style.plan_table import plan_table
from rulewright.text.language import Lang
from rulewright.text.span import Span

BETWEEN = " · "


def inlay_hints(analysis: Analysis, span: Span, lang: Lang) -> Iterator[InlayHint]:
    """Yield the hints in a part of the text, in order; none where the settings name no harness."""
    for rule, plans in analysis.plans:
        at = rule.id.place.end
        if rule.id.origin == "written" and rule.id.known and span.start <= at <= span.end:
            label = BETWEEN.join(f"{plan.harness.NAME} {plan.status}" for plan in plans)
            yield InlayHint(at, label, plan_table(plans, lang))
