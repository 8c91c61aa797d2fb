"""Two rules with the same id.

## What it reports
An `id` that an earlier rule of the package has. Case counts.

## Why it matters
What was already said is remembered by id; two rules with one id would silence each other.

## Example
```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Be brief.
  - id: tips
    target: system
    text: Be kind.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Be brief.
  - id: more-tips
    target: system
    text: Be kind.
```

Source: style.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.model import Value
from rulewright.syntax.tree import Related

MESSAGE = Text("`{name}` is already the id of another rule", "`{name}` 已经是另一条规则的 id")
FIRST = Text("the first `{name}`", "第一个 `{name}`")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the ids, those of half-readable rules included."""
    first: dict[str, Value] = {}
    taken = {rule.id.text() for rule in file.package.rules}
    numbers: dict[str, int] = {}
    for rule in file.package.rules:
        if not rule.id.known:
            continue
        name = rule.id.text()
        if name not in first:
            first[name] = rule.id
            continue
        # Each gets a name of its own, so that all fixes can be applied at once.
        number = numbers.get(name, 2)
        while f"{name}-{number}" in taken:
            number += 1
        numbers[name] = number + 1
        related = [Related(first[name].span, FIRST.format(name=name))]
        fixes = [file.replace(rule.id, f"{name}-{number}", safe=False)]
        yield file.finding(rule.id, MESSAGE.format(name=name), fixes=fixes, related=related)


CHECK = Check(code="duplicate-rule-id", severity=Severity.ERROR, formats=("style",), run=run)
