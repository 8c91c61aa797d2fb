"""A rule that works only in part on a harness of the project.

## What it reports
A warning that reaches only the user or only the model on a harness which `harnesses` in `rulewright.toml` names. Without
`harnesses` nothing is reported. `rulewright plan` shows the same for any harness.

## Why it matters
A warning goes to both: the text to the user, `model_text` to the model. Where the harness carries one of them only, the
other hears nothing.

## Example
```toml settings
harnesses = ["claude-code", "codex"]
```

```yaml style bad
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: welcome
    target: event
    event: session.start
    action: warn
    text: This repository has its own release process. See RELEASING.md.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: welcome
    target: event
    event: prompt.submitted
    action: warn
    repeat: session
    text: This repository has its own release process. See RELEASING.md.
```

Source: style.md section 6 [R], the seed's behaviour 4 and first advice [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.planning import told

MESSAGE = Text("this rule works only in part: {why}", "这条规则只能部分生效：{why}")


def run(file: FileContext) -> Iterator[Finding]:
    """Look for rules that some harness carries in part: one finding a rule, whatever the number of harnesses."""
    for rule, plans in file.plans:
        why = told(plans, "partial")
        if why is not None:
            yield file.finding(rule.action, MESSAGE.format(why=why))


CHECK = Check(code="plan-partial", severity=Severity.INFO, formats=("style",), run=run)
