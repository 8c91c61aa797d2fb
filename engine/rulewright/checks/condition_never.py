"""A condition that the rule's event can never meet.

## What it reports
A `field` that exists, but that no event carries at which the rule is evaluated: the output of a call before the call,
the prompt at a tool call.

## Why it matters
A missing field makes a condition false, negated or not, so the rule never acts.

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
        - {field: prompt.text, op: contains, pattern: rm -rf}
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
        - {field: tool.input.command, op: contains, pattern: rm -rf}
    text: Do not.
```

Source: style.md section 5 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.style.vocabulary import field_entry

MESSAGE = Text(
    "`{name}` is never there at {points}: the rule cannot match", "`{name}` 在 {points} 时不存在：规则不会命中"
)


def run(file: FileContext) -> Iterator[Finding]:
    """Compare each condition's field with the points of its rule."""
    for rule in file.package.sound_rules():
        points = rule.points()
        for condition in rule.when.conditions if rule.when and points else ():
            entry = field_entry(condition.field.text())
            if entry is None or condition.op.is_("exists") or not entry[1].isdisjoint(points):
                continue
            listed = ", ".join(f"`{point}`" for point in points)
            message = MESSAGE.format(name=condition.field.text(), points=listed)
            yield file.finding(condition.field, message, related=[rule.event if rule.event.known else rule.at])


CHECK = Check(code="condition-never", severity=Severity.WARNING, formats=("style",), run=run)
