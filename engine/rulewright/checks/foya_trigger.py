"""A trigger that Foya does not know.

## What it reports
A `trigger` that is none of `always`, `glob`, `model_decision` and `manual`. Words of other tools, such as `always_on`,
`alwaysApply` or `agent_requested`, are offered as what Foya calls the same.

## Why it matters
Foya refuses the file and stops loading: the project's rules in the files that come after this one are missing too.

## Example
```markdown foya bad
---
id: style
trigger: always_on
---
Use tabs.
```

```markdown foya good
---
id: style
trigger: always
---
Use tabs.
```

Source: foya.md section 3 [S]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="foya-trigger", severity=Severity.ERROR, formats=("foya",), run=from_problems)
