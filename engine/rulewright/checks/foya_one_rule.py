"""A project file with several rules.

## What it reports
A second `<!-- foya-rule: … -->` marker in a file of a project, where each rule has a file of its own. Markers inside of code
blocks below a frontmatter are text and not reported.

## Why it matters
Without a frontmatter Foya refuses such a file and stops loading: the project's rules in the files that come after it are
missing too. Below a frontmatter the markers are text of the one rule.

## Example
```markdown foya bad
<!-- foya-rule: {"id":"brief"} -->
Be brief.

<!-- foya-rule: {"id":"tabs"} -->
Use tabs.
```

```markdown foya good
---
id: brief
---
Be brief.
```

Source: foya.md sections 1 and 6 [F]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Related, Severity, Text
from rulewright.syntax.markdown_reader import MarkdownTree

REFUSED = Text(
    "a project file holds one rule, and a second one begins here; Foya then loads neither this file nor the project's rules "
    "after it. Move it to a file of its own",
    "一个项目文件只能有一条规则，而这里开始了第二条；这样 Foya 既不加载这个文件，也不加载排在它后面的项目规则。请把它移到单独的文件里",
)
TEXT = Text(
    "a project file holds one rule: below a frontmatter this marker starts none, and all that follows belongs to the rule of the "
    "frontmatter. Move each rule to a file of its own",
    "一个项目文件只能有一条规则：在 frontmatter 下面，这个标记不会开始新规则，后面的内容都属于 frontmatter 的规则。请把每条规则移到单独的文件里",
)
FIRST = Text("the first rule", "第一条规则")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at the markers of a project file."""
    tree = file.document.tree
    if file.foya.scope != "project" or file.foya.too_deep or not isinstance(tree, MarkdownTree):
        return
    if tree.markers and len(tree.parts) > 1:
        first = Related(tree.parts[0].header_span, FIRST)
        yield file.finding(tree.parts[1].header_span, REFUSED, related=[first])
    elif len(tree.stray) > 1:
        yield file.finding(tree.stray[0], TEXT)


CHECK = Check(code="foya-one-rule", severity=Severity.ERROR, formats=("foya",), run=run)
