"""Two rules that match exactly the same events.

## What it reports
A rule that is on, with the same event, outcomes and condition as an earlier one that is on, but another `id`. Rules with a fault
of their own are left out. At most 100 in a file.

## Why it matters
The earlier rule does not keep the later one from running: both run at every such event, each with its own cooldown. Actions that
belong together are easier to see, and are held back together, in one rule.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "tell",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team"}]
    },
    {
      "id": "warm",
      "trigger": {"event": "TaskCompleted", "outcomes": ["failed"]},
      "actions": [{"type": "warm_remote_capacity"}]
    }
  ]
}
```

```json hook-chains good
{
  "version": 1,
  "rules": [
    {
      "id": "tell",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team"}, {"type": "warm_remote_capacity"}]
    }
  ]
}
```

Source: hook-chains.md sections 3 and 7 [R]
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.payloads import DISPATCHED
from rulewright.model import ChainCondition, ChainRule, Value
from rulewright.syntax.tree import Related

MOST = 100
"""Findings in one file: more say nothing new [R]."""

MESSAGE = Text(
    "`{first}` matches exactly the same events: both run, each with its own cooldown",
    "`{first}` 匹配的事件完全相同：两条规则都会运行，各有各的冷却期",
)
FIRST = Text("the rule that matches the same", "匹配相同事件的规则")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare what the rules match, in a form in which equal matches are equal. Of a refused file no rule runs."""
    if file.chains.refusal is not None:
        return
    faults = sorted(problem.span.start for problem in file.document.problems)
    first: dict[object, ChainRule] = {}
    found = 0
    for rule in file.chains.sound_rules():
        # A key that does not count, say, and was meant to tell the two apart.
        at = bisect_left(faults, rule.span.start)
        if at < len(faults) and faults[at] < rule.span.end:
            continue
        match = _match(rule)
        if match is None or not rule.id.text():
            continue
        earlier = first.setdefault(match, rule)
        # Two rules with one id have a finding of their own.
        if earlier is rule or earlier.id.text() == rule.id.text():
            continue
        if found == MOST:
            return
        found += 1
        message = MESSAGE.format(first=earlier.id.text())
        yield file.finding(rule.id, message, related=[Related(earlier.id.span, FIRST)])


def _match(rule: ChainRule) -> object:
    """Return what a rule matches; None where it never triggers, is off, or cannot be told."""
    event = rule.event.text()
    possible = DISPATCHED.get(event, ())
    wanted = {item.text() for item in rule.outcomes.items}
    outcomes = frozenset(possible) if not wanted else frozenset(wanted.intersection(possible))
    if not outcomes or rule.outcomes.bad or rule.condition_bad or rule.enabled.is_(False):
        return None
    return event, outcomes, _condition(rule.condition)


def _condition(condition: ChainCondition | None) -> object:
    if condition is None:
        return frozenset(), frozenset(), frozenset(), frozenset()
    return (
        _texts(condition.tool_names),
        _texts(condition.task_statuses),
        frozenset(text.lower() for text in _texts(condition.error_includes)),
        frozenset((path.text(), repr(value.value)) for path, value in condition.event_field_equals),
    )


def _texts(value: Value) -> frozenset[str]:
    return frozenset(item.text() for item in value.items)


CHECK = Check(code="chain-shadowed", severity=Severity.INFO, formats=("hook-chains",), run=run)
