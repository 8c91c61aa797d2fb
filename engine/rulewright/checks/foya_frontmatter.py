"""A frontmatter that Foya does not see, or cannot read.

## What it reports
A byte order mark or a blank line in front of `---`; a frontmatter that is never closed, is closed by another line than
`---`, is empty, ends without a line break, or has lines that end with a lone carriage return; tabs and other mistakes in
its YAML, such as `globs: *.ts` without quotes; a list or text where `key: value` lines belong.

## Why it matters
Nothing fails visibly. Where Foya sees no frontmatter, the whole file with its keys becomes the text of a rule that is
always on; `trigger` and `id` are not read. Where YAML cannot be read, Foya stops loading: the project's rules in the files
that come after this one are missing too.

## Example
```markdown foya bad
---
id: review
trigger: manual

Go through the checklist.
```

```markdown foya good
---
id: review
trigger: manual
---

Go through the checklist.
```

Source: foya.md sections 1 and 6 [F]
"""

from __future__ import annotations

from rulewright.checking import Check, Severity, from_problems

CHECK = Check(code="foya-frontmatter", severity=Severity.ERROR, formats=("foya",), run=from_problems)
