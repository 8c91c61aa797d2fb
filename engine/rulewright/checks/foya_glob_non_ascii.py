"""A glob with characters outside ASCII.

## What it reports
An entry of `globs` that holds a character outside ASCII, such as `文档/*.md`.

## Why it matters
Foya's own program quotes a glob byte by byte, so that such a character never matches itself there. Rulewright matches it as it
stands, so the same rule would hold under another tool and not in Foya. The fix puts `?` in the place of each such character:
it matches any one character, in both.

## Example
```markdown foya bad
---
id: docs
trigger: glob
globs: ["文档/*.md"]
---
Write short sentences.
```

```markdown foya good
---
id: docs
trigger: glob
globs: ["docs/*.md", "??/*.md"]
---
Write short sentences.
```

Source: foya.md section 3 [F]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.model import FoyaRule, Value
from rulewright.syntax.list_entries import put_entries
from rulewright.syntax.tree import Scalar, Sequence, resolve
from rulewright.text.foya_globs import any_characters, non_ascii

MESSAGE = Text(
    "Foya's own program cannot match `{part}`, so the entry never matches there; Rulewright matches it",
    "Foya 自己的程序无法匹配 `{part}`，因此这一项在那里永远不会匹配；Rulewright 可以匹配",
)
CHANGE = Text("Change to `{text}`", "改为 `{text}`")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at each entry of the globs of rules that Foya chooses by them."""
    for rule in file.foya.sound_rules():
        for entry in rule.globs.items if rule.trigger.is_("glob") and rule.globs.written else ():
            part = non_ascii(entry.text())
            if part is not None:
                message = MESSAGE.format(part=part.of(entry.text()))
                yield file.finding(file.part_of(entry, part), message, fixes=_fixes(file, rule, entry))


def _fixes(file: FileContext, rule: FoyaRule, entry: Value) -> list[Fix]:
    entries = resolve(rule.globs.node) if rule.globs.node else None
    if not isinstance(entries, Sequence) or not isinstance(entry.node, Scalar):
        return []
    text = any_characters(entry.text())
    edits = put_entries(file.document.lines, entries, entry.node, (text,), as_json=rule.in_marker(file.text))
    return [] if edits is None else [Fix(CHANGE.format(text=text), edits, safe=False)]


CHECK = Check(code="foya-glob-non-ascii", severity=Severity.WARNING, formats=("foya",), run=run)
