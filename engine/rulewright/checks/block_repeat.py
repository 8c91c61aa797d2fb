"""A repeat that a block rule does not use.

## What it reports
A block rule that writes `repeat` itself. An inherited one is not reported: it is for the other rules.

## Why it matters
A denial is never left out, however often it has been said; `repeat` is ignored.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: tool
    tool: shell
    action: block
    repeat: session
    text: Do not.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: tool
    tool: shell
    action: block
    text: Do not.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text

MESSAGE = Text("a block rule denies every time: `repeat` is ignored", "block 规则每次命中都会拒绝：`repeat` 会被忽略")


def run(file: FileContext) -> Iterator[Finding]:
    """Find the block rules that write `repeat`."""
    for rule in file.package.sound_rules():
        if rule.action.is_("block") and rule.repeat.written and not rule.repeat.bad:
            fix = file.remove_entry(rule.repeat)
            yield file.finding(
                rule.repeat, MESSAGE, fixes=[fix] if fix else [], related=[rule.action], unnecessary=True
            )


CHECK = Check(code="block-repeat", severity=Severity.WARNING, formats=("style",), run=run)
