"""A text file outside the package's folder.

## What it reports
A `text_file` that is absolute, begins with `~` or a drive letter, or climbs out of the package's folder with `..`.

## Why it matters
A package is installed as a folder; what lies outside does not come along, and a foreign package could read your files.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text_file: ../tips.md
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text_file: tips.md
```

Source: style.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text, is_outside

MESSAGE = Text("`text_file` must stay inside the package's folder", "`text_file` 必须在包目录之内")


def run(file: FileContext) -> Iterator[Finding]:
    """Follow each path in mind."""
    for rule in file.package.sound_rules():
        if rule.text_file.known and is_outside(rule.text_file.text()):
            yield file.finding(rule.text_file, MESSAGE)


CHECK = Check(code="text-file-outside", severity=Severity.ERROR, formats=("style",), run=run)
