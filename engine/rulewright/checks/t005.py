"""A reason that is too long.

## What it reports
A block rule whose text is longer than 40 tokens, by an estimate: every CJK character is one token, four letters or
digits of a word are one, every other sign is one.

## Why it matters
The model reads the reason at every denial. A short one that says what to do instead is followed more often.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: tool
    tool: shell
    action: block
    text: Do not push with force to any branch of this repository, because other people may have work on it that would be lost, and because the review history depends on the commits that are there; ask in the channel first, and then use the lease option.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: tool
    tool: shell
    action: block
    text: Do not force-push. Ask first, then use --force-with-lease.
```

Source: style.md section 6 [S]; the estimate [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.text.tokens import estimate_tokens

LIMIT = 40
MESSAGE = Text(
    "the reason has about {count} tokens; keep it within 40", "拒绝理由约有 {count} 个 token；请控制在 40 个以内"
)


def run(file: FileContext) -> Iterator[Finding]:
    """Estimate the tokens of every block rule's text."""
    for rule in file.package.sound_rules():
        if not rule.action.is_("block"):
            continue
        for source in (rule.text, rule.text_file):
            text = source.text()
            if source is rule.text_file and text:
                text = (file.facts.text_files or {}).get(text) or ""
            count = estimate_tokens(text)
            if count > LIMIT:
                yield file.finding(source, MESSAGE.format(count=count))


CHECK = Check(code="T005", severity=Severity.WARNING, formats=("style",), run=run)
