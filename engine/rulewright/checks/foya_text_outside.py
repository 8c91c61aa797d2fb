"""Text that belongs to no rule.

## What it reports
Text in front of the first `<!-- foya-rule: … -->` marker, other than the heading `# Foya User Rules` and comments for this
tool.

## Why it matters
Foya drops it when it reads the file, and it is gone after the next save from Foya's settings page.

## Example
```markdown foya bad path=.foya/rules/user_rules.md
# Foya User Rules

Notes to myself.

<!-- foya-rule: {"id":"brief"} -->
Be brief.
```

```markdown foya good path=.foya/rules/user_rules.md
# Foya User Rules

<!-- foya-rule: {"id":"brief"} -->
Be brief.
```

Source: foya.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.syntax.markdown_reader import MarkdownTree

MESSAGE = Text(
    "text in front of the first marker belongs to no rule: Foya drops it, and the next save from its settings removes it",
    "第一个标记之前的文本不属于任何规则：Foya 会丢弃它，下次从设置页面保存时它会被删除",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at what stands in front of the first marker."""
    tree = file.document.tree
    if isinstance(tree, MarkdownTree) and tree.outside is not None and not file.foya.too_deep:
        yield file.finding(tree.outside, MESSAGE)


CHECK = Check(code="foya-text-outside", severity=Severity.WARNING, formats=("foya",), run=run)
