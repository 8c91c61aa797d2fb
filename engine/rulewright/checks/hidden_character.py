"""A character that cannot be seen.

## What it reports
Zero-width characters, bidirectional controls and tag characters in a key, a value or a comment. Joiners inside emoji
are fine, and so are escapes such as `"\\u200b"`, which can be seen.

## Why it matters
Hidden characters make two texts look the same that are not, and can hide instructions from a reviewer.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Be\u200b brief.
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

CHECK = Check(
    code="hidden-character", severity=Severity.WARNING, formats=("style", "foya", "hook-chains"), run=from_problems
)
