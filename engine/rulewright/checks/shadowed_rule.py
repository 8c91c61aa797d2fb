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
from rulewright.formats.shaping import to_data
from rulewright.model import Rule
from rulewright.syntax.tree import Related

MESSAGE = Text(
    "`{block}` blocks whenever this rule matches, so this text is never given: put it into the block's text",
    "只要这条规则命中，`{block}` 就会阻止，所以这段正文不会输出：请写进 block 的正文",
)
BLOCK = Text("the rule that blocks", "起阻止作用的规则")


Names = tuple[frozenset[str], ...]


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the other rules with the block rules of their target, point and conditions."""
    rules = [rule for rule in file.package.sound_rules() if not rule.enabled.is_(False) and not rule.when_bad]
    # By what must be equal, then by the names that the block is about: the first such block and its place in the order.
    blocks: dict[object, dict[Names, tuple[int, Rule]]] = {}
    for order, rule in enumerate(rules):
        if rule.action.is_("block") and rule.points():
            blocks.setdefault(_key(rule, _when(rule)), {}).setdefault(_names(rule), (order, rule))
    for rule in rules if blocks else ():
        if not rule.action.is_("inject", "warn") or not rule.points():
            continue
        narrow = _names(rule)
        found = [
            block
            for key in dict.fromkeys((_key(rule, None), _key(rule, _when(rule))))
            for wide, block in blocks.get(key, {}).items()
            if all("*" in some or few <= some for some, few in zip(wide, narrow, strict=True))
        ]
        if found:
            _, block = min(found, key=lambda one: one[0])
            message = MESSAGE.format(block=block.id.text() or "block")
            yield file.finding(rule.anchor, message, related=[Related(block.anchor, BLOCK)])


def _key(rule: Rule, when: str | None) -> object:
    return rule.target.value, rule.points(), when


def _names(rule: Rule) -> Names:
    return tuple(frozenset(item.text() for item in getattr(rule, name).items) for name in ("tool", "mcp", "skill"))


def _when(rule: Rule) -> str | None:
    """Return the conditions in a form in which equal ones are the same text, whatever the order of their keys."""
    found = rule.node.get("when")
    return None if rule.when is None or found is None else _canonical(to_data(found.value))


def _canonical(data: object) -> str:
    if isinstance(data, dict):
        return "{" + ",".join(f"{key!r}:{_canonical(data[key])}" for key in sorted(data)) + "}"
    if isinstance(data, list):
        return "[" + ",".join(map(_canonical, data)) + "]"
    return repr(data)


CHECK = Check(code="shadowed-rule", severity=Severity.INFO, formats=("style",), run=run)
