"""The same key twice in one mapping.

## What it reports
A key that already stands in the same mapping, `<<` included. The first one counts in all other checks; in hook
chains the last, as in OpenClaude.

## Why it matters
YAML readers disagree: some refuse the file, some take the last value without a word. A second `action: inject` would
turn a guard into a hint. JSON readers take the last value.

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
    action: block
    text: Do not.
    action: inject
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

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(
    code="duplicate-key", severity=Severity.ERROR, formats=("style", "foya", "hook-chains"), run=from_problems
)
