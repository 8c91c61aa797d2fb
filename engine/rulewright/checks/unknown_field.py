"""A key that does not exist here.

## What it reports
A key that the format does not know at this place: an error where it looks like a slip of a known key, or is a rule's key
under `defaults`; else a warning. Keys that begin with `x-` are free. In hook chains a key of another mapping is an error too,
and only `$schema` is free.

## Why it matters
A misspelt key is silently another one: `acton: block` would not block anything. OpenClaude drops such keys without a word: with
`toolName` for `toolNames` a rule fires on every failure.

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
    acton: block
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

Source: style.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, finding_of


def run(file: FileContext) -> Iterator[Finding]:
    """Pass the reading problems on; a key that is near no known one is only a warning."""
    for problem in file.document.problems:
        if problem.code == file.check.code:
            yield finding_of(problem, Severity.WARNING if problem.minor else Severity.ERROR)


CHECK = Check(code="unknown-field", severity=Severity.ERROR, formats=("style", "foya", "hook-chains"), run=run)
