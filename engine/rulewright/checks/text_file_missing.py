"""A text file that is not there.

## What it reports
A `text_file` inside the package's folder that does not exist or cannot be read as text.

## Why it matters
The rule has nothing to say, so the package cannot be installed.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text_file: missing.md
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Be brief.
```

Source: style.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text, is_outside

MESSAGE = Text("there is no file `{name}` that can be read beside the package", "包目录中没有可读的文件 `{name}`")


def run(file: FileContext) -> Iterator[Finding]:
    """Ask the facts for each file; without facts (a text that is not on disk) nothing is said."""
    known = file.facts.text_files
    if known is None:
        return
    for rule in file.package.sound_rules():
        name = rule.text_file.text()
        if name and not is_outside(name) and known.get(name) is None:
            yield file.finding(rule.text_file, MESSAGE.format(name=name))


CHECK = Check(code="text-file-missing", severity=Severity.ERROR, formats=("style",), run=run)
