"""A `{{ variable }}` that is never filled in.

## What it reports
A `{{ name }}` in `text` or `model_text` whose name is no field of the canonical event.

## Why it matters
It is replaced by nothing, and the reader gets a sentence with a hole.

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
    at: before
    text: "Think before {{ tool.imput.command }}."
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
    at: before
    text: "Think before {{ tool.input.command }}."
```

Source: style.md section 7 [R]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.style.vocabulary import COMMON_INPUTS, FIELDS, field_entry
from rulewright.text.span import Span
from rulewright.text.spelling import nearest

VARIABLE = re.compile(r"\{\{([^{}\r\n]*)\}\}")
BLANKS = " \t"
MESSAGE = Text(
    "`{name}` is not a field of an event: it will be empty{hint}", "`{name}` 不是事件的字段：替换结果为空{hint}"
)
HINT = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_HINT = Text("", "")


def run(file: FileContext) -> Iterator[Finding]:
    """Look every variable up, at its place in the source of the text."""
    known = [name for name in (*COMMON_INPUTS, *FIELDS) if not name.endswith(".*")]
    for rule in file.package.sound_rules():
        for value in (rule.text, rule.model_text):
            if not value.known or "{{" not in value.text():
                continue
            for match in VARIABLE.finditer(file.text, value.span.start, value.span.end):
                name = match[1].strip(BLANKS)
                if field_entry(name) is not None:
                    continue
                near = nearest(name, known)
                start = match.start(1) + len(match[1]) - len(match[1].lstrip(BLANKS))
                span = Span(start, start + len(name)) if name else Span(*match.span())
                fixes = [file.replace(span, near, safe=False)] if near and name else []
                hint = HINT.format(near=near) if near else NO_HINT
                yield file.finding(span, MESSAGE.format(name=name, hint=hint), fixes=fixes)


CHECK = Check(code="unknown-variable", severity=Severity.WARNING, formats=("style",), run=run)
