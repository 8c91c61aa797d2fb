"""A block rule where nothing can be denied.

## What it reports
`action: block`, written or inherited, on `target: system`, or on an event other than `tool.pre` and `prompt.submitted`.

## Why it matters
Only calls and prompts can be denied; the rule could not do what it says.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: event
    event: session.start
    action: block
    text: Do not.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: event
    event: prompt.submitted
    action: block
    text: Do not.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text

MESSAGE = Text(
    "`block` works on tools, MCP tools, skills and the events `tool.pre` and `prompt.submitted`, not on {what}",
    "`block` 只能用于 tool、mcp、skill 规则以及事件 `tool.pre` 和 `prompt.submitted`，不能用于{what}",
)
SYSTEM = Text("system rules", " system 规则")
EVENT = Text("the event `{event}`", "事件 `{event}`")
TO = Text("Change the action to `{action}`", "把动作改为 `{action}`")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at every block rule's target and event."""
    for rule in file.package.sound_rules():
        if not rule.action.is_("block"):
            continue
        if rule.target.is_("system"):
            what, side = SYSTEM, rule.target
        elif rule.target.is_("event") and rule.event.known and not rule.event.is_("tool.pre", "prompt.submitted"):
            what, side = EVENT.format(event=rule.event.text()), rule.event
        else:
            continue
        fixes = [
            file.replace(rule.action, action, safe=False, title=TO.format(action=action))
            for action in ("inject", "warn")
        ]
        yield file.finding(rule.action, MESSAGE.format(what=what), fixes=fixes, related=[side])


CHECK = Check(code="action-target", severity=Severity.ERROR, formats=("style",), run=run)
