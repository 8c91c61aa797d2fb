"""An event at which no chain is ever dispatched.

## What it reports
A `trigger.event` that OpenClaude has, other than `PostToolUseFailure` and `TaskCompleted`.

## Why it matters
Only these two events dispatch chains today: at any other one the rule is valid and never triggers.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "SessionEnd"},
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

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.payloads import DISPATCHED

MESSAGE = Text(
    "chains are not dispatched at `{event}`, only at {wired}: this rule never triggers",
    "`{event}` 不会派发 Hook Chains，只有 {wired} 会：这条规则永远不会触发",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the events with the dispatched ones."""
    wired = Text(" and ".join(f"`{name}`" for name in DISPATCHED), "、".join(f"`{name}`" for name in DISPATCHED))
    for rule in file.chains.sound_rules():
        event = rule.event.text()
        if event and event not in DISPATCHED:
            yield file.finding(rule.event, MESSAGE.format(event=event, wired=wired))


CHECK = Check(code="chain-event-unwired", severity=Severity.WARNING, formats=("hook-chains",), run=run)
