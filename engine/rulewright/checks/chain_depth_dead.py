"""A `maxDepth` that stops the rule always, or never.

## What it reports
A rule's `maxDepth` of 0, and one above the file's `maxChainDepth`.

## Why it matters
The depth of an event begins at 0 and a rule stops as soon as its `maxDepth` is reached: 0 skips every action, always. A chain
ends at `maxChainDepth` anyway, so that a larger `maxDepth` never counts.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "maxDepth": 0,
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

```json hook-chains bad
{
  "version": 1,
  "maxChainDepth": 2,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "maxDepth": 5,
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
      "maxDepth": 1,
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

Source: hook-chains.md section 4 [S]; our decision [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.model import Value

ZERO = Text(
    "`maxDepth: 0` skips every action of this rule: the depth of an event begins at 0, and 1 is the least that runs",
    "`maxDepth: 0` 会跳过这条规则的所有动作：事件的深度从 0 开始，至少要写 1 才会运行",
)
ABOVE = Text(
    "`maxDepth: {own}` never counts: the file's `maxChainDepth` ends a chain at {limit}",
    "`maxDepth: {own}` 不会生效：文件的 `maxChainDepth` 在深度 {limit} 时就会结束链条",
)
RAISE = Text("Raise `maxChainDepth` to {own}", "把 `maxChainDepth` 提高到 {own}")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare each rule's depth with 0 and with the file's."""
    limit = file.chains.max_chain_depth
    for rule in file.chains.sound_rules():
        own = rule.max_depth
        if not own.written or not _is_number(own):
            continue
        if own.value == 0:
            yield file.finding(own, ZERO, fixes=[file.replace(own.span, "1", safe=False)])
        elif _is_number(limit) and own.value > limit.value:  # type: ignore[operator]  # both are numbers
            message = ABOVE.format(own=own.value, limit=limit.value)
            yield file.finding(own, message, fixes=_fixes(file, own, limit), related=[limit])


def _fixes(file: FileContext, own: Value, limit: Value) -> list[Fix]:
    fixes = [file.replace(own.span, str(limit.value), safe=False)]
    if limit.written:
        fixes.append(file.replace(limit.span, str(own.value), safe=False, title=RAISE.format(own=own.value)))
    return fixes


def _is_number(value: Value) -> bool:
    return isinstance(value.value, int | float) and not isinstance(value.value, bool)


CHECK = Check(code="chain-depth-dead", severity=Severity.WARNING, formats=("hook-chains",), run=run)
