"""A refresh that cannot work with the rest of the rule.

## What it reports
A positive `refresh`, written or inherited, together with `action: block`, a `repeat` other than `session`,
`mode: replace`, or the event `subagent.start`. A warning repeats on `every` match unless it says `repeat: session`.

## Why it matters
Refresh means: said once, and again after N prompts. That needs a text that is otherwise said once a session.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: drift
    target: system
    repeat: turn
    reason: Long sessions drift.
    refresh: 10
    text: Be brief.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: drift
    target: system
    repeat: session
    reason: Long sessions drift.
    refresh: 10
    text: Be brief.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.model import Rule, Value
from rulewright.syntax.tree import Fix

MESSAGE = Text("`refresh` does not go with {sides}", "`refresh` 不能与 {sides} 同用")
TO_SESSION = Text("Use `repeat: session`", "改用 `repeat: session`")


def run(file: FileContext) -> Iterator[Finding]:
    """Collect what a positive refresh does not go with."""
    for rule in file.package.sound_rules():
        refresh = rule.refresh.value
        if isinstance(refresh, bool) or not isinstance(refresh, int) or refresh <= 0:
            continue
        sides: list[tuple[str, Value]] = []
        if rule.action.is_("block"):
            sides.append(("action: block", rule.action))
        elif rule.repeat.is_("every", "turn"):
            sides.append((f"repeat: {rule.repeat.value}", rule.repeat))
        if rule.mode.is_("replace"):
            sides.append(("mode: replace", rule.mode))
        if rule.target.is_("event") and rule.event.is_("subagent.start"):
            sides.append(("event: subagent.start", rule.event))
        if sides:
            listed = ", ".join(f"`{name}`" for name, _ in sides)
            yield file.finding(
                rule.refresh,
                MESSAGE.format(sides=listed),
                fixes=_fixes(file, rule),
                related=[side for _, side in sides],
            )


def _fixes(file: FileContext, rule: Rule) -> list[Fix]:
    fixes: list[Fix | None] = []
    if not rule.action.is_("block"):
        if rule.repeat.origin == "written" and rule.repeat.is_("every", "turn"):
            fixes.append(file.replace(rule.repeat, "session", safe=False, title=TO_SESSION))
        elif rule.repeat.is_("every", "turn"):
            fixes.append(file.insert_entry(rule, rule.refresh, "repeat", "session", title=TO_SESSION))
    fixes.append(file.remove_entry(rule.refresh, safe=False))
    return [fix for fix in fixes if fix is not None]


CHECK = Check(code="refresh-incompatible", severity=Severity.ERROR, formats=("style",), run=run)
