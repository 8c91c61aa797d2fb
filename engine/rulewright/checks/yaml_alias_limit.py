"""Aliases that grow without bound.

## What it reports
An alias that stands inside its own anchor, or aliases of aliases that would expand to a huge document.

## Why it matters
A few lines can stand for billions of values; readers refuse such files or run out of memory.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
x-list: &list
  - *list
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
x-list: &list
  - brief
rules:
  - id: tips
    target: system
    text: Be brief.
```

Source: style.md section 5 [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="yaml-alias-limit", severity=Severity.ERROR, formats=("style",), run=from_problems)
