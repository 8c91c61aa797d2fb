"""A pattern that RE2 does not know.

## What it reports
A `regex` or `shell_regex` pattern that RE2, the engine of STYLE, refuses: lookaround, back-references, possessive and
atomic groups, comments, or a plain mistake such as an open bracket. The message names the construct, and a fix is offered
where another spelling says the same.

## Why it matters
Other engines accept some of these, so a guard that was tried elsewhere would not load.

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
          pattern: 'git push (?!.*--dry-run)'
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
          pattern: 'git push .*--force'
    text: Do not.
```

Source: style.md section 5 [R]; RE2 syntax, github.com/google/re2/wiki/Syntax
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.syntax.yaml_quoting import quoted
from rulewright.text.patterns import PatternError

PUT_IN = Text("Change the pattern to `{pattern}`", "把正则改为 `{pattern}`")
HINTED = Text("{message}. {hint}", "{message}。{hint}")


def run(file: FileContext) -> Iterator[Finding]:
    """Read every pattern as RE2 does."""
    for use in file.pattern_uses():
        error = use.result
        if not isinstance(error, PatternError):
            continue
        message = HINTED.format(message=error.message, hint=error.hint) if error.hint else error.message
        fixes = []
        if error.replacement is not None:
            title = PUT_IN.format(pattern=error.replacement)
            fixes.append(file.replace(use.value, quoted(error.replacement), safe=error.exact, title=title))
        yield file.finding(file.part_of(use.value, error.span), message, fixes=fixes)


CHECK = Check(code="regex-invalid", severity=Severity.ERROR, formats=("style",), run=run)
