"""A rule that cannot be installed on a harness of the project.

## What it reports
A rule that has no place on a harness which `harnesses` in `rulewright.toml` names: an event that is not there, a block or
`fail: closed` where nothing can be denied, a text that reaches nobody, a `refresh` whose turns are not reported. Without
`harnesses` nothing is reported. `rulewright plan` shows the same for any harness.

## Why it matters
Such a rule is never installed there, so the harness would be used without it.

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
  - id: failed-tool
    target: event
    event: tool.error
    text: Read the error before you try again.
```

```yaml style good
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: failed-tool
    target: event
    event: tool.error
    fallback: skip
    text: Read the error before you try again.
```

## What to do
Write `fallback: degrade` to have the rule work in another way there, `fallback: skip` to leave it out there, or
`when: {harness: [...]}` to keep it to the harnesses that can carry it.

Source: style.md section 6 [R], section 8 [S]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.model import Rule, Value
from rulewright.planning import RulePlan, reached_by, told

MESSAGE = Text("this rule cannot be installed: {why}", "这条规则无法安装：{why}")


def run(file: FileContext) -> Iterator[Finding]:
    """Look for rules that cannot be installed somewhere: one finding a rule, whatever the number of harnesses."""
    for rule, plans in file.plans:
        bad = [plan for plan in plans if plan.is_anywhere("install-error")]
        why = told(bad, "install-error")
        if why is not None:
            yield file.finding(_place(rule, bad), MESSAGE.format(why=why), fixes=_fixes(file, rule, bad))


def _place(rule: Rule, bad: Sequence[RulePlan]) -> Value:
    """Return the value that asks for what is not there; the id where it is not the same everywhere."""
    reasons = {point.reason for plan in bad for point in plan.points if point.status == "install-error"}
    if reasons == {"fail-closed-unsupported"}:
        return rule.fail
    if reasons == {"refresh-unsupported"}:
        return rule.refresh
    if reasons == {"event-unsupported"} and rule.target.is_("event"):
        return rule.event
    return rule.action if reasons == {"deny-unsupported"} else rule.id


def _fixes(file: FileContext, rule: Rule, bad: Sequence[RulePlan]) -> Iterator[Fix]:
    reached = [reached_by(rule, plan.harness, file.facts.text_of(rule)) for plan in bad]
    behind = rule.event if rule.target.is_("event") else rule.target
    for value in ("degrade", "skip"):
        if all(value in found for found in reached):
            if rule.fallback.origin == "written":
                yield file.replace(rule.fallback, value, safe=False)
            elif (fix := file.insert_entry(rule, behind, "fallback", value)) is not None:
                yield fix


CHECK = Check(code="plan-unsupported", severity=Severity.ERROR, formats=("style",), run=run)
