"""An agent is started without any guard.

## What it reports
A `spawn_fallback_agent` for which both the rule's cooldown and the action's dedup window are 0, whether they are written there
or inherited.

## Why it matters
Both guards are off: every event starts another agent, and what that agent does can fail again. Only the depth limit is left.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "cooldownMs": 0,
      "dedupWindowMs": 0,
      "actions": [{"type": "spawn_fallback_agent"}]
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
      "cooldownMs": 60000,
      "dedupWindowMs": 0,
      "actions": [{"type": "spawn_fallback_agent"}]
    }
  ]
}
```

Source: hook-chains.md sections 4 and 7 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.vocabulary import DEFAULT_WINDOW_MS
from rulewright.model import Value

MESSAGE = Text(
    "cooldown and dedup window are both 0: every event starts another agent, one that this agent causes too",
    "冷却期和去重窗口都是 0：每个事件都会再启动一个智能体，包括这个智能体自己引起的事件",
)
CHANGE = Text("Change `{name}` to {value}", "把 `{name}` 改为 {value}")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at the windows as they count for each action that starts an agent."""
    for rule in file.chains.sound_rules():
        if not rule.cooldown_ms.is_(0, 0.0):
            continue
        for action in rule.actions:
            if action.type.is_("spawn_fallback_agent") and action.dedup_window_ms.is_(0, 0.0):
                both = [rule.cooldown_ms, action.dedup_window_ms]
                written = action.dedup_window_ms if action.dedup_window_ms.written else rule.dedup_window_ms
                mended = [one for one in (rule.cooldown_ms, written) if one.written]
                fixes = [
                    file.replace(one.span, str(DEFAULT_WINDOW_MS), safe=False, title=_title(file, one))
                    for one in mended
                ]
                yield file.finding(action.type, MESSAGE, fixes=fixes, related=both)


def _title(file: FileContext, window: Value) -> Text:
    return CHANGE.format(name=window.key.of(file.text).strip('"') if window.key else "", value=DEFAULT_WINDOW_MS)


CHECK = Check(code="chain-guard-off", severity=Severity.WARNING, formats=("hook-chains",), run=run)
