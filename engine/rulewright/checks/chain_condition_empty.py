"""A condition that asks for nothing.

## What it reports
A `condition` without a part, or with empty parts only, such as `"toolNames": []`. A condition whose keys OpenClaude does not know
is reported as `unknown-field` instead.

## Why it matters
An empty list is no restriction: the rule fires on every such event, where one would think that it fires on none.

## Example
```json hook-chains bad
{
  "rules": [
    {
      "id": "tell",
      "trigger": {"event": "PostToolUseFailure"},
      "condition": {"toolNames": []},
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

```json hook-chains good
{
  "rules": [
    {
      "id": "tell",
      "trigger": {"event": "PostToolUseFailure"},
      "condition": {"toolNames": ["Bash"]},
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

Source: hook-chains.md section 7 [R]; that empty lists match everything: OpenClaude's src/utils/hookChains.ts [O]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.syntax.json_reader import removal
from rulewright.syntax.tree import Mapping, Sequence

NO_PART = Text("this condition has no part, so the rule fires on {every}", "这个条件是空的，规则会在{every}时触发")
EMPTY_PART = Text(
    "`{name}` is empty and restricts nothing, so the rule fires on {every}",
    "`{name}` 是空的，不起限制作用，规则会在{every}时触发",
)
EVERY = Text("every `{event}`", "每次 `{event}` ")
EVERY_EVENT = Text("every such event", "每次此类事件")
REMOVE = Text("Remove the condition", "删除这个条件")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at every condition that could be read whole."""
    for rule in file.chains.sound_rules():
        condition = rule.condition
        entry = rule.node.get("condition")
        if condition is None or condition.broken or rule.condition_bad or entry is None:
            continue
        parts = list(condition.node.effective().values())
        if not all(_is_empty(part.value) for part in parts):
            continue
        every = EVERY.format(event=rule.event.text()) if rule.event.known else EVERY_EVENT
        message = EMPTY_PART.format(name=parts[0].key, every=every) if parts else NO_PART.format(every=every)
        where = parts[0].span if parts else condition.span
        fix = Fix(REMOVE, (removal(rule.node, entry),), safe=False)
        yield file.finding(where, message, fixes=[fix])


def _is_empty(node: object) -> bool:
    """Tell whether a part is an empty list or mapping; other values, those of unknown keys too, are not."""
    return (isinstance(node, Sequence) and not node.items) or (isinstance(node, Mapping) and not node.entries)


CHECK = Check(code="chain-condition-empty", severity=Severity.WARNING, formats=("hook-chains",), run=run)
