"""An event that does not exist.

## What it reports
An `event` that is no canonical event. The agents' own names (`PreToolUse`) are none: each agent has others.

## Why it matters
The rule would never act.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: event
    event: prompt.submited
    text: Be brief.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: event
    event: prompt.submitted
    text: Be brief.
```

Source: style.md section 3 [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="unknown-event", severity=Severity.ERROR, formats=("style",), run=from_problems)
