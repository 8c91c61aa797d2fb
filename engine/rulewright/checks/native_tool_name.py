"""An agent's own name for a tool.

## What it reports
A name under `tool` that one agent uses (`Bash`, `apply_patch`), where the canonical name is due.

## Why it matters
Rules speak of tools by canonical names, so that they work in every agent; a native name never matches.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: tool
    tool: Bash
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

MESSAGE = Text(
    "`{name}` is an agent's own name; the canonical tool is `{tool}`",
    "`{name}` 是智能体自己的名称；规范工具名是 `{tool}`",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look every tool name up among the agents' own ones."""
    for rule in file.package.sound_rules():
        if not rule.target.is_("tool"):
            continue
        for item in rule.tool.items:
            name = item.text()
            tool = NATIVE_TOOLS.get(name.lower())
            if tool is not None and name not in TOOLS:
                yield file.finding(item, MESSAGE.format(name=name, tool=tool), fixes=[file.replace(item, tool)])


CHECK = Check(code="native-tool-name", severity=Severity.WARNING, formats=("style",), run=run)
