"""Text that YAML takes for something else.

## What it reports
A plain value that loses a part: behind ` #` (a comment), or a first word with `&`, `*` or `!` (anchor, alias, tag);
typographic quotes, which are no quotes to YAML; a full-width colon.

## Why it matters
The file is read without complaint, and the model gets another text than the one written.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Mention issue #12 in the commit.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: 'Mention issue #12 in the commit.'
```

Source: style.md section 6 [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="yaml-trap", severity=Severity.WARNING, formats=("style", "foya"), run=from_problems)
