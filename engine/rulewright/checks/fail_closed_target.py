"""`fail: closed` where nothing can be denied.

## What it reports
`fail: closed`, written or inherited, on a rule that is not evaluated where an event can be denied: tool, MCP and skill
rules need `at: before`, event rules need `tool.pre` or `prompt.submitted`. The action does not matter: an inject before
a call may be closed.

## Why it matters
When the handler fails there, the event cannot be stopped, so the promise is empty.

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
    fail: closed
    text: Run the tests.
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
    at: before
    fail: closed
    text: Run the tests.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text

MESSAGE = Text(
    "`fail: closed` needs a point that can deny: `at: before`, or the event `tool.pre` or `prompt.submitted`",
    "`fail: closed` 需要能直接拒绝的评估点：`at: before`，或事件 `tool.pre`、`prompt.submitted`",
)
OPEN = Text("Let it fail open", "改为出错时放行（`open`）")
BEFORE = Text("Evaluate it before the call", "改为在调用前评估（`at: before`）")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at the points of every closed rule."""
    for rule in file.package.sound_rules():
        points = rule.points()
        if not rule.fail.is_("closed") or not points or all(p in ("tool.pre", "prompt.submitted") for p in points):
            continue
        side = rule.at if rule.target.is_("tool", "mcp", "skill") else rule.event if rule.event.known else rule.target
        fixes = [file.replace(rule.fail, "open", safe=False, title=OPEN)]
        if rule.target.is_("tool", "mcp", "skill"):
            before = (
                file.replace(rule.at, "before", safe=False, title=BEFORE)
                if rule.at.origin == "written"
                else file.insert_entry(rule, rule.fail, "at", "before", title=BEFORE)
            )
            if before is not None:
                fixes.append(before)
        yield file.finding(rule.fail, MESSAGE, fixes=fixes, related=[side])


CHECK = Check(code="fail-closed-target", severity=Severity.ERROR, formats=("style",), run=run)
