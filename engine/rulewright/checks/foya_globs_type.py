"""Globs that are no list.

## What it reports
`globs` with anything else than a list of texts: one text, also one with commas in it, a mapping, or a list in the list.

## Why it matters
Other tools take one text here. Foya refuses the file and stops loading: the project's rules in the files that come after
this one are missing too.

## Example
```markdown foya bad
---
id: web
trigger: glob
globs: "src/**/*.ts, src/**/*.tsx"
---
Use strict mode.
```

```markdown foya good
---
id: web
trigger: glob
globs: ["src/**/*.ts", "src/**/*.tsx"]
---
Use strict mode.
```

Source: foya.md section 1 [F]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="foya-globs-type", severity=Severity.ERROR, formats=("foya",), run=from_problems)
