"""A tool that no agent has.

## What it reports
A name under `tool` that is neither a canonical tool nor the name that some agent gives to one.

## Why it matters
The rule would never match.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: tool
    tool: shel
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
    target: tool
    tool: shell
    action: block
    text: Do not.
```

Source: style.md section 3 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.style.vocabulary import NATIVE_TOOLS, TOOLS
from rulewright.text.spelling import is_sure, nearest

MESSAGE = Text("`{name}` is not a canonical tool; known are {known}", "`{name}` 不是规范工具名；可用的有 {known}")


def run(file: FileContext) -> Iterator[Finding]:
    """Look every tool name up."""
    for rule in file.package.sound_rules():
        if not rule.target.is_("tool"):
            continue
        for item in rule.tool.items:
            name = item.text()
            if not name or name in TOOLS or name.lower() in NATIVE_TOOLS:
                continue
            near = nearest(name, TOOLS)
            known = ", ".join(f"`{tool}`" for tool in TOOLS)
            fixes = [file.replace(item, near, safe=is_sure(name, near, TOOLS))] if near else []
            yield file.finding(item, MESSAGE.format(name=name, known=known), fixes=fixes)


CHECK = Check(code="unknown-tool", severity=Severity.WARNING, formats=("style",), run=run)
