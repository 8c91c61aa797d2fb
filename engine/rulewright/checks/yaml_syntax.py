"""A place that YAML cannot read.

## What it reports
Text that is no YAML: an open quote or bracket, a tab as indentation, a key without its colon, a value that begins with a
sign that YAML keeps for itself, a control character, the marks of an unfinished merge. The finding is at the mistake, and
rules that are not affected are still checked.

## Why it matters
Agents refuse the whole file, so none of its rules acts.

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
    text: Note: do not push.
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
    text: 'Note: do not push.'
```

Source: style.md section 6 [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="yaml-syntax", severity=Severity.ERROR, formats=("style",), run=from_problems)
