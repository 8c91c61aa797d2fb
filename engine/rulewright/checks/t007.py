"""An inject that repeats without saying why.

## What it reports
An inject rule with `repeat: every` or `turn`, or a positive `refresh`, written or inherited, and no `reason`.

## Why it matters
Repeated context costs tokens each time. A reason lets the next author judge whether it is still worth it.

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
    text: State assumptions.
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
    reason: Assumptions get lost between turns.
    text: State assumptions.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text

MESSAGE = Text(
    "this text is injected again and again: say why in `reason`", "这条正文会反复注入：请用 `reason` 说明原因"
)
ONCE = Text("Say it once a session", "改为每个会话一次（`session`）")


def run(file: FileContext) -> Iterator[Finding]:
    """Find repeating inject rules without a reason."""
    for rule in file.package.sound_rules():
        if not rule.action.is_("inject") or rule.reason.bad or rule.reason.text().strip():
            continue
        refresh = rule.refresh.value
        refreshed = isinstance(refresh, int) and not isinstance(refresh, bool) and refresh > 0
        if rule.repeat.is_("every", "turn"):
            # With a refresh it would still be said again and again.
            fixes = [] if refreshed else [file.replace(rule.repeat, "session", safe=False, title=ONCE)]
            yield file.finding(rule.repeat, MESSAGE, fixes=fixes)
        elif refreshed:
            yield file.finding(rule.refresh, MESSAGE)


CHECK = Check(code="T007", severity=Severity.WARNING, formats=("style",), run=run)
