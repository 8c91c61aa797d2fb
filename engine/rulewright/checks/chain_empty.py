"""A file without rules.

## What it reports
A file whose `rules` are empty or missing.

## Why it matters
Such a file is valid, and a way to keep chains configured and idle. It does nothing until it has a rule.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": []
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

Source: hook-chains.md sections 1 and 2 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.syntax.tree import Sequence

MESSAGE = Text("there are no rules here: nothing runs", "这里没有规则：什么都不会运行")


def run(file: FileContext) -> Iterator[Finding]:
    """Look for the list of rules. A text that could be read only in part may have had some."""
    root = file.chains.root
    if root is None or root.broken or file.document.damaged:
        return
    entry = root.get("rules")
    if entry is None:
        yield file.finding(root.span, MESSAGE)
    elif isinstance(entry.value, Sequence) and not entry.value.items and not entry.value.broken:
        yield file.finding(entry.value.span, MESSAGE)


CHECK = Check(code="chain-empty", severity=Severity.INFO, formats=("hook-chains",), run=run)
