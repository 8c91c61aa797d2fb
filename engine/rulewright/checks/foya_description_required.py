"""A rule for the model to choose, without a description.

## What it reports
`trigger: model_decision` without a `description`, or with a blank one.

## Why it matters
Name and description are all that the model sees of such a rule before it loads the text. Without a description Foya refuses
the file and stops loading the project's rules.

## Example
```markdown foya bad
---
id: db
trigger: model_decision
---
Write a down migration.
```

```markdown foya good
---
id: db
description: How to change the database schema.
trigger: model_decision
---
Write a down migration.
```

Source: foya.md section 3 [S]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.model import FoyaRule
from rulewright.syntax.tree import Scalar
from rulewright.text.span import Span

NONE_PROJECT = Text(
    "`trigger: model_decision` needs a `description`, by which the model chooses; without one Foya loads neither this rule nor "
    "the project's rules after it",
    "`trigger: model_decision` 必须写 `description`，模型据此选择；缺少它时 Foya 既不加载这条规则，也不加载排在它后面的项目规则",
)
NONE_GLOBAL = Text(
    "`trigger: model_decision` needs a `description`, by which the model chooses; without one Foya loads no global rule",
    "`trigger: model_decision` 必须写 `description`，模型据此选择；缺少它时 Foya 不会加载任何全局规则",
)
BLANK = Text(
    "this description is blank, but it is all that the model sees of the rule before it loads it",
    "这个描述是空白，而模型在加载规则之前只能看到它",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at the rules that the model chooses from."""
    for rule in file.foya.sound_rules():
        if not rule.trigger.is_("model_decision") or rule.description.bad or rule.description.known:
            continue
        blank = _blank_description(rule)
        if blank is not None:
            yield file.finding(blank, BLANK)
        else:
            yield file.finding(rule.trigger, NONE_PROJECT if rule.scope == "project" else NONE_GLOBAL)


def _blank_description(rule: FoyaRule) -> Span | None:
    """Return the place of a description that is written, but has nothing in it; None for one that is absent."""
    for entry in rule.header.entries if rule.header else ():
        if (
            entry.key.casefold() == "description"
            and isinstance(entry.value, Scalar)
            and isinstance(entry.value.value, str)
        ):
            return entry.value.span
    return None


CHECK = Check(code="foya-description-required", severity=Severity.ERROR, formats=("foya",), run=run)
