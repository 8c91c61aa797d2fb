"""The plan of packages on harnesses: tables for people, and what `plan --json` prints (cli.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulewright import planning
from rulewright.planning import Point, RulePlan
from rulewright.report.text import cells, one_line
from rulewright.text.language import Lang, Text

ARROW = " → "
NOTHING = "–"
GAP = "  "


@dataclass(frozen=True, slots=True)
class PackagePlan:
    """One package on one harness. limit: of one text, in `unit`."""

    package: str
    harness: str
    limit: int
    unit: Text
    rules: tuple[RulePlan, ...]

    @property
    def installable(self) -> bool:
        """Every rule can be installed."""
        return all(rule.status != "install-error" for rule in self.rules)


def to_json(plan: PackagePlan) -> Mapping[str, object]:
    """Return one plan as the value that `plan --json` prints (cli.md)."""
    return {
        "package": plan.package,
        "harness": plan.harness,
        "rules": [
            {
                "id": rule.rule.id.text(),
                "points": [
                    {"event": point.event, "native": point.native, "status": point.status, "reason": point.reason}
                    for point in rule.points
                ],
                "refresh": [line.en for line in rule.refresh],
            }
            for rule in plan.rules
        ],
    }


def render(plans: Sequence[PackagePlan], lang: Lang) -> str:
    """Return the tables, one for each package and harness, set apart by an empty line."""
    return "\n".join(_table(plan, lang) for plan in plans)


def rows_of(rule: RulePlan, lang: Lang) -> list[tuple[str, ...]]:
    """Return the cells of a rule, one row for each point: rule, action, where, status, what it gets, why."""
    return [
        (
            rule.rule.id.text() if number == 0 else "",
            rule.rule.action.text() if number == 0 else "",
            place_of(point, rule),
            point.status,
            _gets(point),
            "" if (words := planning.point_words(point)) is None else words.to(lang),
        )
        for number, point in enumerate(rule.points)
    ]


def place_of(point: Point, rule: RulePlan) -> str:
    """Return the event and the harness's name for it, or the file where a static rule stands."""
    if point.status == "static":
        return f"{NOTHING}{ARROW}{planning.instruction_file(rule.harness)}"
    return f"{point.event}{ARROW}{point.native or NOTHING}"


def _gets(point: Point) -> str:
    """Return the capabilities that a rule asks for; behind an arrow what it gets, where that is not the same."""
    asked, given = " + ".join(point.asked), " + ".join(point.given) or NOTHING
    return asked if asked == given else asked + ARROW + given


def _table(plan: PackagePlan, lang: Lang) -> str:
    head = tuple(text.to(lang) for text in HEAD)
    table = [rows_of(rule, lang) for rule in plan.rules]
    every = [head, *(row for rows in table for row in rows)]
    widths = [max(width_of(row[column]) for row in every) for column in range(len(head))]
    lines = [
        TITLE.format(package=plan.package, harness=plan.harness).to(lang),
        _row(head, widths),
    ]
    for rule, rows in zip(plan.rules, table, strict=True):
        lines += [_row(row, widths) for row in rows]
        # Source: the indentation of the seed's second example [S].
        lines += [f"{'  ' if number == 0 else '     '}{line.to(lang)}" for number, line in enumerate(rule.refresh)]
        lines += [f"  {WARNING.format(text=text).to(lang)}" for text in planning.warnings(rule)]
    sizes = [rule.size for rule in plan.rules if rule.size is not None]
    limit, longest = f"{plan.limit:,}", f"{max(sizes, default=0):,}"
    lines.append(BUDGET.format(harness=plan.harness, limit=limit, unit=plan.unit, longest=longest).to(lang))
    return "".join(f"{one_line(line)}\n" for line in lines)


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True))
    return GAP.join(padded).rstrip()


def width_of(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    return sum(width for _, width in cells(text))


TITLE = Text("{package} on {harness}", "{package} 在 {harness} 上")
HEAD = (
    Text("RULE", "规则"),
    Text("ACTION", "动作"),
    Text("POINT → EVENT", "评估点 → 事件"),
    Text("STATUS", "状态"),
    Text("NEEDS → GETS", "需要 → 得到"),
    Text("WHY", "原因"),
)
WARNING = Text("warning: {text}", "警告：{text}")
BUDGET = Text(
    "texts: {harness} keeps {limit} {unit} of one text whole, the longest here has {longest}",
    "正文：{harness} 最多完整保留一条正文的 {limit} {unit}，这里最长的有 {longest} {unit}",
)
