"""A rule that a block always silences.

## What it reports
An inject or warn rule that matches only where a block rule of the same package matches too: same target, same
conditions, same point.

## Why it matters
When a block matches, the other rules of the event say nothing. What the model should know belongs in the block's text.

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
    text: Do not.
  - id: hint
    target: tool
    tool: shell
    at: before
    text: Use make instead.
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
    text: Do not. Use make instead.
```

Source: style.md section 6 [R]; the seed, behaviour 8 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.style.lowering import to_data
from rulewright.model import Rule
from rulewright.syntax.tree import Related

MESSAGE = Text(
    "`{block}` blocks whenever this rule matches, so this text is never given: put it into the block's text",
    "只要这条规则命中，`{block}` 就会阻止，所以这段正文不会输出：请写进 block 的正文",
)
BLOCK = Text("the rule that blocks", "起阻止作用的规则")


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the other rules with the block rules of their target."""
    rules = [rule for rule in file.package.sound_rules() if not rule.enabled.is_(False) and not rule.when_bad]
    blocks = [rule for rule in rules if rule.action.is_("block") and rule.points()]
    for rule in rules if blocks else ():
        if not rule.action.is_("inject", "warn") or not rule.points():
            continue
        for block in blocks:
            if _covers(block, rule):
                message = MESSAGE.format(block=block.id.text() or "block")
                yield file.finding(rule.anchor, message, related=[Related(block.anchor, BLOCK)])
                break


def _covers(block: Rule, rule: Rule) -> bool:
    if block.target.value != rule.target.value or block.points() != rule.points():
        return False
    for name in ("tool", "mcp", "skill"):
        wide = {item.text() for item in getattr(block, name).items}
        narrow = {item.text() for item in getattr(rule, name).items}
        if "*" not in wide and not narrow <= wide:
            return False
    return block.when is None or (rule.when is not None and _when(block) == _when(rule))


def _when(rule: Rule) -> object:
    found = rule.node.get("when")
    return to_data(found.value) if found is not None else None


CHECK = Check(code="shadowed-rule", severity=Severity.INFO, formats=("style",), run=run)
