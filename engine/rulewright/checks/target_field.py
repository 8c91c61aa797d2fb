"""A field that belongs to another target.

## What it reports
`tool`, `mcp`, `skill`, `event`, `at`, `sources` or `mode` on a rule whose `target` does not use it.

## Why it matters
The field is ignored, so the rule is about more, or about something else, than its author thinks.

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
    tool: shell
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
    text: Be brief.
```

Source: style.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.model import Value

# Field -> the targets that use it. Source: style.md section 3.
OWNERS = {
    "tool": ("tool",),
    "mcp": ("mcp",),
    "skill": ("skill",),
    "event": ("event",),
    "at": ("tool", "mcp", "skill"),
    "sources": ("event", "system"),
    "mode": ("system",),
}
MESSAGE = Text(
    "`{name}` is for {owners}, not for `target: {target}`", "`{name}` 用于 {owners}，不用于 `target: {target}`"
)
ONLY_START = Text(
    "`sources` is for the event `session.start`, not for `{event}`",
    "`sources` 用于事件 `session.start`，不用于 `{event}`",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Compare each rule's fields with its target."""
    for rule in file.package.sound_rules():
        if not rule.target.known:
            continue
        target = rule.target.text()
        for name, owners in OWNERS.items():
            value: Value = getattr(rule, name)
            if not value.written:
                continue
            if target not in owners:
                listed = ", ".join(f"`target: {owner}`" for owner in owners)
                message = MESSAGE.format(name=name, owners=listed, target=target)
            elif name == "sources" and target == "event" and rule.event.known and not rule.event.is_("session.start"):
                message = ONLY_START.format(event=rule.event.text())
            else:
                continue
            fix = file.remove_entry(value, safe=False)
            place = value.key if value.origin == "written" and value.key is not None else value.place
            yield file.finding(place, message, fixes=[fix] if fix else [], related=[rule.target], unnecessary=True)


CHECK = Check(code="target-field", severity=Severity.ERROR, formats=("style",), run=run)
