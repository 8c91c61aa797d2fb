"""`refresh` is not a whole number from 0 to 1000000.

## What it reports
A fraction, a boolean, a quoted number, a spelling that YAML versions read differently (`010`, `1_000`, `0x10`), or a
number out of range.

## Why it matters
The package cannot be installed; a lenient reader would refresh at another pace than the one meant.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: drift
    target: system
    reason: Long sessions drift.
    refresh: "10"
    text: Be brief.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: drift
    target: system
    reason: Long sessions drift.
    refresh: 10
    text: Be brief.
```

Source: style.md section 6 [S]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="refresh-invalid", severity=Severity.ERROR, formats=("style",), run=from_problems)
