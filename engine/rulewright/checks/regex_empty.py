"""An empty pattern.

## What it reports
A `regex` or `shell_regex` whose pattern is empty.

## Why it matters
An empty pattern is found in every text, so the rule always matches: a block would deny every call.

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
    when:
      conditions:
        - field: tool.input.command
          op: regex
          pattern: ""
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
    when:
      conditions:
        - field: tool.input.command
          op: regex
          pattern: 'rm -rf'
    text: Do not.
```

Source: style.md section 5 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text

MESSAGE = Text(
    "an empty pattern matches everything: write what to look for", "空的正则会匹配任何内容：请写上要查找的内容"
)


def run(file: FileContext) -> Iterator[Finding]:
    """Find the empty patterns."""
    for use in file.pattern_uses():
        if not use.value.text():
            yield file.finding(use.value, MESSAGE)


CHECK = Check(code="regex-empty", severity=Severity.ERROR, formats=("style",), run=run)
