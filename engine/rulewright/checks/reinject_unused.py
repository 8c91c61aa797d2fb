"""`reinject_on_compact` where it does nothing.

## What it reports
A rule that writes `reinject_on_compact: true` and does not have `repeat: session`: it is a block, or it repeats anyway.

## Why it matters
Compaction resets what was said once a session; other rules do not remember anything.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: event
    event: prompt.submitted
    repeat: turn
    reason: Each turn counts.
    reinject_on_compact: true
    text: Be brief.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: event
    event: prompt.submitted
    repeat: turn
    reason: Each turn counts.
    text: Be brief.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text

MESSAGE = Text(
    "`reinject_on_compact` only works with `repeat: session`", "`reinject_on_compact` 只对 `repeat: session` 有效"
)


def run(file: FileContext) -> Iterator[Finding]:
    """Find rules that write it without being once-a-session rules."""
    for rule in file.package.sound_rules():
        flag = rule.reinject_on_compact
        if not flag.written or not flag.is_(True):
            continue
        if rule.action.is_("block") or rule.repeat.is_("every", "turn"):
            fix = file.remove_entry(flag)
            side = rule.action if rule.action.is_("block") else rule.repeat
            yield file.finding(flag, MESSAGE, fixes=[fix] if fix else [], related=[side], unnecessary=True)


CHECK = Check(code="reinject-unused", severity=Severity.WARNING, formats=("style",), run=run)
