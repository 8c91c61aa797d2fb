"""A rule that says nothing.

## What it reports
A rule with neither `text` nor `text_file`, with both, or with an empty text.

## Why it matters
The text is what the rule does: the context, the warning, the reason of the denial.

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

MESSAGE = Text("the rule says nothing: write `text` or `text_file`", "这条规则没有正文：请写 `text` 或 `text_file`")
EMPTY = Text("`{name}` is empty: write what the rule says", "`{name}` 是空的：请写上规则的正文")
BOTH = Text("`text` and `text_file` cannot both stand here: keep one", "`text` 和 `text_file` 不能同时出现：请保留一个")


def run(file: FileContext) -> Iterator[Finding]:
    """Count the texts of every rule."""
    for rule in file.package.sound_rules():
        there = [value for value in (rule.text, rule.text_file) if value.written]
        if not there:
            yield file.finding(rule.anchor, MESSAGE)
        elif len(there) == 2:
            fixes = [fix for value in there if (fix := file.remove_entry(value, safe=False)) is not None]
            yield file.finding(rule.text_file, BOTH, fixes=fixes, related=[rule.text])
        elif rule.text.written and not rule.text.bad and not rule.text.text().strip():
            yield file.finding(rule.text, EMPTY.format(name="text"))


CHECK = Check(code="missing-text", severity=Severity.ERROR, formats=("style",), run=run)
