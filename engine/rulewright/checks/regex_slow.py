"""A pattern that can take for ever.

## What it reports
A pattern that RE2 runs in linear time but on which a backtracking engine, such as the one of this tool, may try an
endless number of ways: repeats inside repeats, or alternatives under a repeat that match the same text.

## Why it matters
At event time matching is stopped at a deadline. The rule then counts as failed, and with `fail: open` the call passes.

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
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: '^(\\S+\\s*)+--force$'
    text: Do not.
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
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: '^\\S.*--force$'
    text: Do not.
```

Source: style.md section 5 [R]
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.text.patterns import Translated, slow

MESSAGE = Text(
    "this part can match the same text in very many ways and may run into the deadline: repeat only one thing",
    "这一部分可以用极多种方式匹配同一段文本，可能超过时限：请不要嵌套重复",
)

# The same patterns come again at every keystroke; reading one again costs up to half a millisecond.
_slow = functools.lru_cache(maxsize=4096)(slow)


def run(file: FileContext) -> Iterator[Finding]:
    """Look for ambiguous repeats."""
    for use in file.pattern_uses():
        if isinstance(use.result, Translated) and (span := _slow(use.result)) is not None:
            yield file.finding(file.part_of(use.value, span), MESSAGE)


CHECK = Check(code="regex-slow", severity=Severity.WARNING, formats=("style",), run=run)
