"""A version of the format that this tool does not know.

## What it reports
A `spec` that begins with `style/` but is not `style/v0.3`.

## Why it matters
The rules would be read by other rules than the ones they were written for.

## Example
```yaml style bad
spec: style/v0.9
name: demo
version: 0.1.0
description: An example.
rules:
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

Source: style.md section 2 [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="spec-version", severity=Severity.ERROR, formats=("style",), run=from_problems)
