"""A value or a missing key that the format does not allow.

## What it reports
A word that is none of the allowed ones (`action`, `at`, `repeat`, `fail` and others), a value of the wrong type, or a
required key that is missing. A faulty value is reported once, in `defaults` too, and no other check builds on it.

## Why it matters
The package cannot be installed. Of a file of hook chains OpenClaude turns off all rules, for one such fault.

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
    action: blok
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

Source: style.md section 6 [S]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(
    code="invalid-schema", severity=Severity.ERROR, formats=("style", "foya", "hook-chains"), run=from_problems
)
