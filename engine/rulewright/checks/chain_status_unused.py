"""A condition on a task's status where there is none.

## What it reports
`taskStatuses` in a rule for `PostToolUseFailure` or `TaskCompleted`.

## Why it matters
The status is looked for in `task_status`, `taskStatus` or `status`. The payload of neither event has one of them, that of
`TaskCompleted` included: the rule never triggers. Whether a task failed is its `outcome`.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "PostToolUseFailure"},
      "condition": {"taskStatuses": ["failed"]},
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

Source: hook-chains.md sections 3 and 7 [R]; harnesses.md section 5.2 [O]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.payloads import DISPATCHED, STATUS_FIELDS, carries

MESSAGE = Text(
    "the payload of `{event}` has no task status: with `taskStatuses` this rule never triggers{hint}",
    "`{event}` 的载荷中没有任务状态：有 `taskStatuses` 时，这条规则永远不会触发{hint}",
)
OUTCOME = Text("; whether it failed is the trigger's `outcome`", "；任务是否失败由触发器的 `outcome` 表示")
NO_HINT = Text("", "")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the condition with the payload of the event."""
    for rule in file.chains.sound_rules():
        event = rule.event.text()
        if rule.condition is None or event not in DISPATCHED or carries(event, STATUS_FIELDS):
            continue
        statuses = rule.condition.task_statuses
        if statuses.items:
            message = MESSAGE.format(event=event, hint=OUTCOME if event == "TaskCompleted" else NO_HINT)
            yield file.finding(statuses.key or statuses.span, message, related=[rule.event])


CHECK = Check(code="chain-status-unused", severity=Severity.WARNING, formats=("hook-chains",), run=run)
