"""A rule that works in another way on a harness of the project.

## What it reports
A rule with `fallback: degrade` that makes use of it on a harness which `harnesses` in `rulewright.toml` names: it is
evaluated after the call instead of before it (or the other way round), or it warns instead of blocking. Without `harnesses`
nothing is reported. `rulewright plan` shows the same for any harness.

## Why it matters
A block that has become a warning stops nothing.

## Example
```toml settings
harnesses = ["gemini-cli"]
```

```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: shell-tips
    target: tool
    tool: shell
    at: before
    fallback: degrade
    text: Prefer trash over rm.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: shell-tips
    target: tool
    tool: shell
    at: after
    fallback: degrade
    text: Prefer trash over rm.
```

Source: style.md section 6 [R], section 8 and the seed's behaviour 5 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.planning import told

MESSAGE = Text("this rule works in another way: {why}", "这条规则会降级：{why}")


def run(file: FileContext) -> Iterator[Finding]:
    """Look for rules whose `fallback` is made use of: one finding a rule, whatever the number of harnesses."""
    for rule, plans in file.plans:
        why = told(plans, "degraded")
        if why is not None:
            yield file.finding(rule.fallback, MESSAGE.format(why=why))


CHECK = Check(code="plan-degraded", severity=Severity.INFO, formats=("style",), run=run)
