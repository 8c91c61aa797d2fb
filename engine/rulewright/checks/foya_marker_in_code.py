"""A marker inside of a code block.

## What it reports
A `<!-- foya-rule: … -->` line that stands in a fenced block of code, in a file of markers.

## Why it matters
Foya looks at lines, not at Markdown: the example starts a rule of its own, and the rule around it ends in the middle.

## Example
```markdown foya bad path=.foya/rules/user_rules.md
<!-- foya-rule: {"id":"how-to"} -->
Write global rules like this:

~~~
<!-- foya-rule: {"id":"example"} -->
Be brief.
~~~
```

```markdown foya good path=.foya/rules/user_rules.md
<!-- foya-rule: {"id":"how-to"} -->
Write global rules like this:

~~~
<!-- a foya-rule marker -->
Be brief.
~~~
```

Source: foya.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.syntax.markdown_reader import MarkdownTree

MESSAGE = Text(
    "this marker stands in a code block, but to Foya it starts a rule all the same; write it differently if it is an example",
    "这个标记位于代码块中，但 Foya 仍会从这里开始一条新规则；如果它只是示例，请换一种写法",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at the markers that stand in code."""
    tree = file.document.tree
    if not isinstance(tree, MarkdownTree) or not tree.markers or file.foya.too_deep:
        return
    for part in tree.parts:
        if part.in_code:
            yield file.finding(part.header_span, MESSAGE)


CHECK = Check(code="foya-marker-in-code", severity=Severity.WARNING, formats=("foya",), run=run)
