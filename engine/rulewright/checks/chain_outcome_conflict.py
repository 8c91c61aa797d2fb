"""`outcome` and `outcomes` in one trigger.

## What it reports
A trigger that has both keys.

## Why it matters
OpenClaude takes one or the other, and turns off all rules of the file that has both.

## Example
```json hook-chains bad
{
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed", "outcomes": ["success"]},
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

```json hook-chains good
{
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcomes": ["failed", "success"]},
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

Source: hook-chains.md sections 2 and 7 [S]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="chain-outcome-conflict", severity=Severity.ERROR, formats=("hook-chains",), run=from_problems)
