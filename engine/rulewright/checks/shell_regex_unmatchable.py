"""A shell pattern that no command can match.

## What it reports
A `shell_regex` that needs what a normalised command never has: two spaces in a row, a tab or a line break, a space at
either end; or that looks for a separator such as `&&` or `;` between commands.

## Why it matters
The pattern is searched in each simple command on its own, its words joined by one space. A guard that waits for `&& rm`
waits for ever.

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
          pattern: 'git  push'
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
          pattern: 'git push'
    text: Do not.
```

Source: style.md section 5 [R]
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity
from rulewright.text.patterns import Translated, shell_unmatchable

# The same patterns come again at every keystroke; reading one again costs up to half a millisecond.
_shell_unmatchable = functools.lru_cache(maxsize=4096)(shell_unmatchable)


def run(file: FileContext) -> Iterator[Finding]:
    """Ask each shell pattern what it needs."""
    for use in file.pattern_uses():
        # A control character in the pattern is another fault: an escape that YAML changed.
        if (
            use.shell
            and isinstance(use.result, Translated)
            and not any(c < " " for c in use.value.text() if c not in "\t\n")
        ):
            found = _shell_unmatchable(use.result)
            if found is not None:
                yield file.finding(file.part_of(use.value, found.span), found.reason)


CHECK = Check(code="shell-regex-unmatchable", severity=Severity.WARNING, formats=("style",), run=run)
