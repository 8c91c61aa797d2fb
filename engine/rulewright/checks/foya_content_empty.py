"""A rule without a text.

## What it reports
A frontmatter or a marker with nothing below it but white space. A file that is wholly empty is not reported: it is still
to be written.

## Why it matters
The rule vanishes silently: Foya loads the file without an error, and has no rule.

## Example
```markdown foya bad
---
id: style
trigger: always
---

```

```markdown foya good
---
id: style
trigger: always
---
Use tabs.
```

Source: foya.md section 2 [F]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.model import FoyaRule
from rulewright.syntax.tree import SYNTAX_CODES
from rulewright.text.span import Span

MESSAGE = Text(
    "the rule has no text, so that Foya leaves it out without a word; write it below this line",
    "这条规则没有正文，Foya 会不加提示地忽略它；请在这一行下面写正文",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at headers with nothing below them, unless the header has a fault of its own."""
    for rule in file.foya.sound_rules():
        if rule.content or rule.header_span.start == rule.header_span.end or _has_fault(file, rule):
            continue
        yield file.finding(_last_line(file, rule.header_span), MESSAGE)


def _has_fault(file: FileContext, rule: FoyaRule) -> bool:
    """Tell whether the header itself is not as it should be: then what is missing below it may only seem so."""
    if rule.scope == "project":
        return file.document.damaged
    span = rule.header_span
    return any(p.code in SYNTAX_CODES and span.start <= p.span.start < span.end for p in file.document.problems)


def _last_line(file: FileContext, span: Span) -> Span:
    lines = file.document.lines
    return Span(max(span.start, lines.starts[lines.line_at(max(span.start, span.end - 1))]), span.end)


CHECK = Check(code="foya-content-empty", severity=Severity.ERROR, formats=("foya",), run=run)
