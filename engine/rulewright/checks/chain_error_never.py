"""A condition on an error text where there is none.

## What it reports
`errorIncludes` in a rule for `TaskCompleted`.

## Why it matters
The text is looked for in `error`, `reason` or `message`, and the payload of `TaskCompleted` has none of them: the rule never
triggers. The third example in OpenClaude's own documentation is such a rule.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "condition": {"errorIncludes": ["timeout"]},
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
      "trigger": {"event": "PostToolUseFailure"},
      "condition": {"errorIncludes": ["timeout"]},
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
from rulewright.formats.hook_chains.payloads import DISPATCHED, ERROR_FIELDS, carries

MESSAGE = Text(
    "the payload of `{event}` has no error text: with `errorIncludes` this rule never triggers",
    "`{event}` 的载荷中没有错误文本：有 `errorIncludes` 时，这条规则永远不会触发",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the condition with the payload of the event."""
    for rule in file.chains.sound_rules():
        event = rule.event.text()
        if rule.condition is None or event not in DISPATCHED or carries(event, ERROR_FIELDS):
            continue
        texts = rule.condition.error_includes
        if texts.items:
            where = texts.key or texts.span
            yield file.finding(where, MESSAGE.format(event=event), related=[rule.event])


CHECK = Check(code="chain-error-never", severity=Severity.WARNING, formats=("hook-chains",), run=run)
