"""A block rule that acts after the call.

## What it reports
A rule with `action: block` and `at: after`, for `target: tool`, `mcp` or `skill`; also where either comes from `defaults`.

## Why it matters
After the call there is nothing left to deny.

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
    at: after
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
    at: before
    text: Do not.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text

MESSAGE = Text("`block` cannot act after the call: use `at: before`", "`block` 不能在调用之后生效：请用 `at: before`")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare action and time of every rule about calls."""
    for rule in file.package.sound_rules():
        if rule.target.is_("tool", "mcp", "skill") and rule.action.is_("block") and rule.at.is_("after"):
            yield file.finding(rule.at, MESSAGE, fixes=[file.replace(rule.at, "before")], related=[rule.action])


CHECK = Check(code="block-after", severity=Severity.ERROR, formats=("style",), run=run)
