"""A glob without a text.

## What it reports
An entry of `globs` that is empty or white space only.

## Why it matters
Foya refuses a file with such an entry, whatever its trigger, and stops loading the project's rules. An item with nothing
behind its dash is left out.

## Example
```markdown foya bad
---
id: web
trigger: glob
globs: ["src/**", ""]
---
Use strict mode.
```

```markdown foya good
---
id: web
trigger: glob
globs: ["src/**"]
---
Use strict mode.
```

Source: foya.md section 6 [R]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="foya-glob-empty", severity=Severity.ERROR, formats=("foya",), run=from_problems)
