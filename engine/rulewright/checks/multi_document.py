"""A second document in the file.

## What it reports
A `---` that begins another document after the first.

## Why it matters
Only the first document is read: the rules of the second are never installed.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Be brief.
---
spec: style/v0.3
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

Source: style.md section 5 [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="multi-document", severity=Severity.ERROR, formats=("style",), run=from_problems)
