"""Two rules, or two actions of one rule, with the same id.

## What it reports
A rule's `id` that an earlier rule of the file has, and an action's `id` that an earlier action of the same rule has. Case counts.

## Why it matters
A cooldown is kept by the rule's id: while the first rule's runs, the second one skips every action. A repeat is known by the ids
of rule and action: the second action of an event is skipped as one. Without an `id` an action is known by its place.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team", "id": "tell"}, {"type": "notify_team", "id": "tell"}]
    }
  ]
}
```

```json hook-chains good
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team", "id": "tell"}, {"type": "notify_team", "id": "tell-2"}]
    }
  ]
}
```

Source: hook-chains.md section 4 [S]; our decision [R]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.model import Value
from rulewright.syntax.json_edit import string
from rulewright.syntax.tree import Related

RULE = Text(
    "`{name}` is already the id of another rule: they share one cooldown, and while it runs both skip every action",
    "`{name}` 已经是另一条规则的 id：两条规则共用一个冷却期，其间都会跳过所有动作",
)
ACTION = Text(
    "`{name}` is already the id of another action of this rule: for one event this one is skipped as a repeat",
    "`{name}` 已经是这条规则中另一个动作的 id：同一事件中，这个动作会被当作重复而跳过",
)
ACTION_WITHOUT_WINDOW = Text(
    "`{name}` is already the id of another action of this rule: reports cannot tell the two apart",
    "`{name}` 已经是这条规则中另一个动作的 id：报告中无法区分两者",
)
FIRST = Text("the first `{name}`", "第一个 `{name}`")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the ids, those of half-readable rules included."""
    yield from _repeats(file, ((rule.id, RULE) for rule in file.chains.rules))
    for rule in file.chains.rules:
        yield from _repeats(
            file,
            (
                (action.id, ACTION_WITHOUT_WINDOW if action.dedup_window_ms.is_(0) else ACTION)
                for action in rule.actions
                if action.id.written
            ),
        )


def _repeats(file: FileContext, ids: Iterable[tuple[Value, Text]]) -> Iterator[Finding]:
    """Report every id that an earlier one equals; each gets a name of its own, so that all fixes can be applied at once."""
    known = [(value, message) for value, message in ids if value.text()]
    taken = {value.text() for value, _ in known}
    first: dict[str, Value] = {}
    numbers: dict[str, int] = {}
    for value, message in known:
        name = value.text()
        if name not in first:
            first[name] = value
            continue
        number = numbers.get(name, 2)
        while f"{name}-{number}" in taken:
            number += 1
        numbers[name] = number + 1
        fixes = [file.replace(value.span, string(f"{name}-{number}"), safe=False)]
        related = [Related(first[name].span, FIRST.format(name=name))]
        yield file.finding(value, message.format(name=name), fixes=fixes, related=related)


CHECK = Check(code="chain-duplicate-id", severity=Severity.WARNING, formats=("hook-chains",), run=run)
