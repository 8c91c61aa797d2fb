r"""A rule whose text is too long.

## What it reports
A rule with more than 6000 Unicode characters, without white space around the text. A line end counts as one character.

## Why it matters
Foya refuses to save such a rule. One that was written by hand into the global file is left out without a word.

## Example
`\repeat{800}{Run it. }` stands for the sentence 800 times.

```markdown foya bad escapes
---
id: tests
trigger: always
---
# Tests
\repeat{800}{Run it. }
```

```markdown foya good escapes
---
id: tests
trigger: always
---
# Tests
\repeat{700}{Run it. }
```

Source: foya.md section 2 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.foya import MAX_CONTENT

MESSAGE = Text(
    "this rule has {count} characters, {over} more than the {limit} that Foya takes: shorten it, or make two rules of it",
    "这条规则有 {count} 个字符，超出 Foya 上限 {limit} 个字符 {over} 个：请缩短，或拆成两条规则",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Count the characters of each rule."""
    for rule in file.foya.sound_rules():
        count = len(rule.content)
        if count > MAX_CONTENT:
            yield file.finding(rule.body, MESSAGE.format(count=count, over=count - MAX_CONTENT, limit=MAX_CONTENT))


CHECK = Check(code="foya-content-length", severity=Severity.ERROR, formats=("foya",), run=run)
