"""A glob rule without globs.

## What it reports
`trigger: glob` without `globs` in a file directly in `rules/`, or under a marker without a `path` in a folder. In a
subfolder of `rules/` the globs default to everything in the folder of that name.

## Why it matters
Foya refuses the file and stops loading: the project's rules in the files that come after this one are missing too.

## Example
```markdown foya bad
---
id: web
trigger: glob
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

Source: foya.md section 2 [F]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.syntax.tree import Sequence, resolve

PROJECT = Text(
    "`trigger: glob` needs `globs` in a file directly in `rules/`; Foya then loads neither this rule nor the project's rules "
    "after it",
    "直接位于 `rules/` 的文件使用 `trigger: glob` 时必须写 `globs`；否则 Foya 既不加载这条规则，也不加载排在它后面的项目规则",
)
GLOBAL = Text(
    "`trigger: glob` needs `globs`; Foya then loads no global rule",
    "`trigger: glob` 必须写 `globs`；否则 Foya 不会加载任何全局规则",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at glob rules that have no globs, by themselves or by their folder."""
    for rule in file.foya.sound_rules():
        if not rule.trigger.is_("glob") or rule.globs.bad or rule.globs.items:
            continue
        node = resolve(rule.globs.node) if rule.globs.node is not None else None
        if isinstance(node, Sequence) and node.items:
            continue  # Every glob in it is empty, which is reported by itself.
        message = PROJECT if rule.scope == "project" else GLOBAL
        fixes = [file.replace(rule.trigger, "always", safe=False)] if rule.trigger.origin == "written" else []
        yield file.finding(rule.trigger, message, fixes=fixes)


CHECK = Check(code="foya-globs-required", severity=Severity.ERROR, formats=("foya",), run=run)
