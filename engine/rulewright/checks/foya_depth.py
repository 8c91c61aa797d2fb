"""A rule file that lies too deep.

## What it reports
A file below the third folder level under `rules/`. Nothing else is reported in it.

## Why it matters
Foya reads three levels of folders and ignores what lies deeper, without a word.

## Example
```markdown foya bad path=.foya/rules/a/b/c/d/deep.md
---
id: deep
---
Wrap errors.
```

```markdown foya good path=.foya/rules/a/b/c/deep.md
---
id: deep
---
Wrap errors.
```

Source: foya.md section 1 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.text.span import Span

MESSAGE = Text(
    "Foya reads three levels of folders below `rules/` and ignores this file in the {count}th; move it up",
    "Foya 只读取 `rules/` 下的三层目录，会忽略位于第 {count} 层的这个文件；请把它移到上层目录",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at where the file lies."""
    if file.foya.too_deep:
        count = file.foya.folder.count("/") + 1
        yield file.finding(Span(0, file.document.lines.ends[0]), MESSAGE.format(count=count))


CHECK = Check(code="foya-depth", severity=Severity.ERROR, formats=("foya",), run=run)
