"""Globs of a rule that Foya does not choose by globs.

## What it reports
`globs` in a rule whose `trigger` is another one than `glob`, also where no `trigger` is written and the rule is always on.

## Why it matters
The globs count for nothing. A rule without `trigger` directly in `rules/` stands in every prompt, whatever its globs say.

## Example
```markdown foya bad
---
id: go
trigger: always
globs: ["*.go"]
---
Run gofmt.
```

```markdown foya good
---
id: go
trigger: glob
globs: ["*.go"]
---
Run gofmt.
```

Source: foya.md sections 2 and 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.model import FoyaRule
from rulewright.text.edits import Edit
from rulewright.text.span import Span

TRIGGERS = ("always", "model_decision", "manual")
MESSAGE = Text(
    "`globs` count only with `trigger: glob`; this rule has `trigger: {trigger}`",
    "`globs` 只在 `trigger: glob` 时起作用；这条规则是 `trigger: {trigger}`",
)
WITHOUT = Text(
    "`globs` count only with `trigger: glob`; without a `trigger` this rule is always on",
    "`globs` 只在 `trigger: glob` 时起作用；没有写 `trigger`，这条规则始终生效",
)
ADD = Text("Add `trigger: glob`", "添加 `trigger: glob`")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at the globs that a rule writes, without judging them."""
    for rule in file.foya.sound_rules():
        if not rule.globs.written or not rule.patterns or rule.globs.key is None or not rule.trigger.is_(*TRIGGERS):
            continue
        if rule.trigger.written:
            message = MESSAGE.format(trigger=rule.trigger.text())
            fixes = [file.replace(rule.trigger, "glob", safe=False)] if rule.trigger.origin == "written" else []
        else:
            message = WITHOUT
            fixes = _add_trigger(file, rule, rule.globs.key)
        removed = file.remove_entry(rule.globs, safe=False)
        fixes += [removed] if removed else []
        where = rule.globs if rule.globs.origin == "merged" else rule.globs.key
        yield file.finding(where, message, fixes=fixes, unnecessary=True)


def _add_trigger(file: FileContext, rule: FoyaRule, key: Span) -> list[Fix]:
    """Write the trigger in front of the globs, in the manner of the header."""
    line = file.document.lines.line_at(key.start)
    lead = file.text[file.document.lines.starts[line] : key.start]
    if rule.in_marker(file.text):
        return [Fix(ADD, (Edit(Span(key.start, key.start), '"trigger": "glob", '),), safe=False)]
    if rule.header is None or rule.header.flow or lead.strip() or rule.globs.origin != "written":
        return []
    text = f"trigger: glob{file.document.lines.line_end()}{lead}"
    return [Fix(ADD, (Edit(Span(key.start, key.start), text),), safe=False)]


CHECK = Check(code="foya-glob-unused", severity=Severity.INFO, formats=("foya",), run=run)
