"""A condition on a field that no event has.

## What it reports
A `field` that is none of the fields of the canonical event. Below `tool.input` and `tool.output` every name is possible; in
a `target: tool` rule one that looks like a slip of a common one is reported, such as `tool.input.comand`.

## Why it matters
A condition on something that is never there is never true, so the rule never acts.

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
        - {field: tool.imput.command, op: contains, pattern: rm -rf}
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
from rulewright.formats.style.vocabulary import COMMON_INPUTS, FIELDS, field_entry
from rulewright.text.spelling import is_sure, nearest

INPUT = "tool.input."
MESSAGE = Text("`{name}` is not a field of an event{hint}", "`{name}` 不是事件的字段{hint}")
HINT = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_HINT = Text("", "")
SLIP = Text(
    "`{name}` is no usual input of a tool; did you mean `{near}`?", "`{name}` 不是工具的常用输入；是否想写 `{near}`？"
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look every condition's field up."""
    known = [name for name in (*COMMON_INPUTS, *FIELDS) if not name.endswith(".*")]
    for rule in file.package.sound_rules():
        for condition in rule.when.conditions if rule.when else ():
            name = condition.field.text()
            if not name:
                continue
            if field_entry(name) is not None:
                slip = _slip(name) if rule.target.is_("tool") else None
                if slip is not None:
                    fixes = [file.replace(condition.field, slip, safe=False)]
                    yield file.finding(condition.field, SLIP.format(name=name, near=slip), fixes=fixes)
                continue
            near = nearest(name, known) or next((field for field in known if field.endswith(f".{name}")), None)
            hint = HINT.format(near=near) if near else NO_HINT
            fixes = [file.replace(condition.field, near, safe=False)] if near else []
            yield file.finding(condition.field, MESSAGE.format(name=name, hint=hint), fixes=fixes)


def _slip(name: str) -> str | None:
    """Return the common input that a name below `tool.input` is a slip of; a plural is taken for a name of its own."""
    if name in COMMON_INPUTS or not name.startswith(INPUT):
        return None
    own = name.removeprefix(INPUT)
    known = [field.removeprefix(INPUT) for field in COMMON_INPUTS]
    near = nearest(own, known)
    return INPUT + near if near and own != near + "s" and is_sure(own, near, known) else None


CHECK = Check(code="unknown-condition-field", severity=Severity.WARNING, formats=("style",), run=run)
