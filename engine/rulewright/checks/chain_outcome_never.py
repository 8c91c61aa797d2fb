"""An outcome that the event never has.

## What it reports
An outcome in a trigger that its event never has: `PostToolUseFailure` is always `failed`, `TaskCompleted` is `success` or
`failed`. At an event without dispatch (`chain-event-unwired`) outcomes are not looked at.

## Why it matters
The outcome stands there for nothing; a rule with no other outcome never triggers.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcomes": ["failed", "timeout"]},
      "actions": [{"type": "notify_team"}]
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
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

Source: hook-chains.md section 2 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.formats.hook_chains.payloads import DISPATCHED
from rulewright.model import Value
from rulewright.syntax.json_edit import JsonArray, JsonNode, JsonValue, remove_item, string
from rulewright.syntax.tree import Sequence

MESSAGE = Text(
    "`{event}` never has the outcome `{outcome}`, only {possible}",
    "`{event}` 的结果不会是 `{outcome}`，只会是{possible}",
)
DEAD = Text(
    "`{event}` never has the outcome `{outcome}`, only {possible}: this rule never triggers",
    "`{event}` 的结果不会是 `{outcome}`，只会是{possible}：这条规则永远不会触发",
)
OR = Text(" or ", "或")
TAKE_OUT = Text("Take `{outcome}` out", "去掉 `{outcome}`")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the outcomes with those of the event."""
    for rule in file.chains.sound_rules():
        possible = DISPATCHED.get(rule.event.text())
        if possible is None:
            continue
        wanted = [item for item in rule.outcomes.items if item.known]
        message = MESSAGE if any(item.text() in possible for item in wanted) else DEAD
        for index, item in enumerate(rule.outcomes.items):
            outcome = item.text()
            if outcome and outcome not in possible:
                said = message.format(event=rule.event.text(), outcome=outcome, possible=_one_of(possible))
                yield file.finding(item, said, fixes=[_fix(file, rule.outcomes, index, possible)], related=[rule.event])


def _one_of(names: tuple[str, ...]) -> Text:
    quoted = [f"`{name}`" for name in names]
    return Text(OR.en.join(quoted), OR.zh.join(quoted))


def _fix(file: FileContext, outcomes: Value, index: int, possible: tuple[str, ...]) -> Fix:
    """Take the outcome out where others stay, else put `failed` in its place."""
    item = outcomes.items[index]
    if isinstance(outcomes.node, Sequence) and len(outcomes.node.items) == len(outcomes.items) > 1:
        # The neighbours say where the comma is; the others do not matter.
        first = max(index - 1, 0)
        near: list[JsonNode] = [JsonValue(node.span, None) for node in outcomes.node.items[first : index + 2]]
        edit = remove_item(file.text, JsonArray(outcomes.node.span, near), index - first)
        return Fix(TAKE_OUT.format(outcome=item.text()), (edit,), safe=False)
    return file.replace(item.span, string(possible[-1]), safe=False)


CHECK = Check(code="chain-outcome-never", severity=Severity.WARNING, formats=("hook-chains",), run=run)
