"""A pattern in double quotes that YAML changes.

## What it reports
A `regex`, `shell_regex` or `glob` pattern in double quotes with an escape that YAML turns into a control character:
`"\\b"` is a backspace, `"\\f"` a form feed. One finding a value.

## Why it matters
The pattern is valid and never matches, so the guard is silently open. In single quotes a backslash stays a backslash.

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
          pattern: "\\bgit push\\b"
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
          pattern: '\\bgit push\\b'
    text: Do not.
```

Source: style.md section 5 [R]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.syntax.tree import Scalar, resolve
from rulewright.syntax.yaml_quoting import in_single_quotes
from rulewright.text.span import Span

# What these mean to YAML in double quotes. Source: YAML 1.2, section 5.7.
CHARACTERS = {
    "0": Text("a NUL", "空字符"),
    "a": Text("a bell", "响铃字符"),
    "b": Text("a backspace", "退格字符"),
    "e": Text("an escape character", "ESC 字符"),
    "f": Text("a form feed", "换页字符"),
    "v": Text("a vertical tab", "垂直制表符"),
    "N": Text("a next-line character", "NEL 换行字符"),
    "L": Text("a line separator", "行分隔符"),
    "P": Text("a paragraph separator", "段落分隔符"),
}
# Escapes of YAML that mean nothing, or something else, in RE2.
NOT_RE2 = "uUe_NLP "
ESCAPE = re.compile(r"\\(.)", re.S)
MESSAGE = Text(
    "in double quotes `{escape}` is {character} to YAML: put the pattern in single quotes",
    "在双引号中，YAML 会把 `{escape}` 当作{character}：请把正则写在单引号里",
)
TO_SINGLE = Text("Put the pattern in single quotes", "改用单引号")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at the source of every pattern in double quotes."""
    for rule in file.package.sound_rules():
        for condition in rule.when.conditions if rule.when else ():
            value = condition.pattern
            if not condition.op.is_("regex", "shell_regex", "glob") or not value.known:
                continue
            node = resolve(value.node) if value.node is not None else None
            if not isinstance(node, Scalar) or node.style != "double":
                continue
            for match in ESCAPE.finditer(file.text, node.span.start, node.span.end):
                if match[1] in CHARACTERS:
                    single = in_single_quotes(node.span.of(file.text))
                    source = node.span.of(file.text)
                    safe = not any(other[1] in NOT_RE2 for other in ESCAPE.finditer(source))
                    fixes = [file.replace(node.span, single, safe=safe, title=TO_SINGLE)] if single else []
                    message = MESSAGE.format(escape=match[0], character=CHARACTERS[match[1]])
                    yield file.finding(Span(*match.span()), message, fixes=fixes)
                    break


CHECK = Check(code="yaml-escape-in-pattern", severity=Severity.ERROR, formats=("style",), run=run)
