"""What becomes of one rule on the harnesses of its project, as Markdown: for hover, and behind an inlay hint."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright import planning
from rulewright.planning import RulePlan
from rulewright.text.language import Lang, Text

HEAD = Text(
    "| harness | point | event | status | |\n|---|---|---|---|---|",
    "| harness | 评估点 | 事件 | 状态 | |\n|---|---|---|---|---|",
)
NOTHING = "–"


def plan_table(plans: Sequence[RulePlan], lang: Lang) -> str:
    """Return the table, a row for each point; below it how a text comes again, and what else is to be known."""
    rows = [HEAD.to(lang)]
    for plan in plans:
        for number, point in enumerate(plan.points):
            name = plan.harness.NAME if number == 0 else ""
            static = point.status == "static"
            event = NOTHING if static else f"`{point.event}`"
            native = planning.instruction_file(plan.harness) if static else point.native
            why = planning.point_words(point) or planning.STATUSES[point.status]
            rows.append(f"| {name} | {event} | {native or NOTHING} | {point.status} | {why.to(lang)} |")
    notes: dict[str, list[str]] = {}
    for plan in plans:
        for line in [*plan.refresh, *planning.warnings(plan)]:
            notes.setdefault(line.to(lang), []).append(plan.harness.NAME)
    listed = [
        f"- {note}" if len(names) == len(plans) else f"- {', '.join(names)}{planning.COLON.to(lang)}{note}"
        for note, names in notes.items()
    ]
    return "\n".join(rows) + ("\n\n" + "\n".join(listed) if listed else "")
