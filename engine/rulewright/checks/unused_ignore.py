"""An ignore comment that silences nothing.

## What it reports
A code in a `# rulewright: ignore[…]` comment that is not found on its line or the next, an unknown code, or a comment
without codes. Not reported while the file has syntax errors.

## Why it matters
A comment that outlives its finding would hide the next one.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  # rulewright: ignore[T005]
  - id: tips
    target: system
    text: Be brief.
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

Source: cli.md, Files [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity

# The findings are made where comments are matched with findings, after all checks: rulewright.suppression.
CHECK = Check(code="unused-ignore", severity=Severity.WARNING, formats=("style", "foya"))
