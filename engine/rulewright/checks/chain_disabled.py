"""Something that is switched off.

## What it reports
`enabled: false` of the file, of a rule, or of an action, as information. A rule that is on while all its actions are off is a
warning: it does nothing, and still starts its cooldown. What stands inside something that is off is not reported once more.

## Why it matters
Nothing says at run time that a rule is off. Written for now, it is easily forgotten. Only the rules and actions count that are on.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "enabled": false,
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team", "enabled": false}]
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

Source: hook-chains.md sections 2 and 4 [S]; the severities are ours [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.model import ChainRule, Value

FILE = Text("the chains of this file are off: nothing runs", "这个文件的 Hook Chains 已关闭：什么都不会运行")
RULE = Text("this rule is off", "这条规则已关闭")
ACTION = Text("this action is off: it is skipped", "这个动作已关闭：会被跳过")
ALL_ACTIONS = Text(
    "every action of this rule is off: it does nothing, but still starts its cooldown",
    "这条规则的所有动作都已关闭：它什么也不做，却仍会开始冷却",
)
TURN_ON = Text("Turn it on", "打开")


def run(file: FileContext) -> Iterator[Finding]:
    """Report the outermost thing that is off."""
    chains = file.chains
    if chains.enabled.is_(False):
        yield _off(file, chains.enabled, FILE)
        return
    for rule in chains.sound_rules():
        if rule.enabled.is_(False):
            yield _off(file, rule.enabled, RULE)
        else:
            yield from _actions(file, rule)


def _actions(file: FileContext, rule: ChainRule) -> Iterator[Finding]:
    off = [action.enabled for action in rule.actions if action.enabled.is_(False)]
    if off and len(off) == len(rule.actions):
        yield _off(file, off[0], ALL_ACTIONS, Severity.WARNING, off[1:])
        return
    for value in off:
        yield _off(file, value, ACTION)


def _off(
    file: FileContext, value: Value, message: Text, severity: Severity | None = None, related: list[Value] | None = None
) -> Finding:
    fixes = [file.replace(value.span, "true", safe=False, title=TURN_ON)]
    return file.finding(value, message, fixes=fixes, severity=severity, related=related or [])


CHECK = Check(code="chain-disabled", severity=Severity.INFO, formats=("hook-chains",), run=run)
