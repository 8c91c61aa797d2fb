"""A marker of the global file that Foya cannot read.

## What it reports
A `<!-- foya-rule: {…} -->` line in `user_rules.md` that is no JSON object, has no `id`, runs over several lines, has other
spaces than these, or has text behind it; a frontmatter at the top of that file.

## Why it matters
A marker that Foya does not recognise becomes text of the rule above it. One that holds no JSON or no `id` makes Foya refuse
the whole file: no global rule is loaded.

## Example
```markdown foya bad path=.foya/rules/user_rules.md
# Foya User Rules

<!-- foya-rule: {'id': 'brief', 'trigger': 'always'} -->
Be brief.
```

```markdown foya good path=.foya/rules/user_rules.md
# Foya User Rules

<!-- foya-rule: {"id": "brief", "trigger": "always"} -->
Be brief.
```

Source: foya.md sections 1 and 6 [F]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="foya-marker", severity=Severity.ERROR, formats=("foya",), run=from_problems)
