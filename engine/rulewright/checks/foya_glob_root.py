"""A glob that needs a folder where `**/` stands.

## What it reports
An entry such as `**/*.go` or `src/**/*.ts` without the entry that leaves the `**/` out (`*.go`, `src/*.ts`).

## Why it matters
Elsewhere `**/` also stands for no folder at all. In Foya `**` is any text between two slashes that must be there, so
`**/*.go` does not match `main.go` at the root of the project, and `src/**/*.ts` does not match `src/main.ts`.

## Example
```markdown foya bad
---
id: go
trigger: glob
globs: ["**/*.go"]
---
Run gofmt.
```

```markdown foya good
---
id: go
trigger: glob
globs: ["**/*.go", "*.go"]
---
Run gofmt.
```

Source: foya.md sections 3 and 6 [F]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.model import FoyaRule, Value
from rulewright.syntax.list_entries import put_entries
from rulewright.syntax.tree import Scalar, Sequence, resolve
from rulewright.text.foya_globs import foreign_signs, without_folders

MESSAGE = Text(
    "in Foya `**/` needs at least one folder: what {missing} would match is not matched",
    "在 Foya 中 `**/` 至少要有一层文件夹：{missing} 能匹配的路径不会匹配",
)
ADD = Text("Add {texts}", "添加 {texts}")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at each entry that Foya can match at all."""
    for rule in file.foya.sound_rules():
        taken = set(rule.patterns)
        for entry in rule.globs.items if rule.trigger.is_("glob") and rule.globs.written else ():
            missing = tuple(text for text in without_folders(entry.text()) if text not in taken)
            if missing and not foreign_signs(entry.text()):
                message = MESSAGE.format(missing=_shown(missing))
                yield file.finding(entry, message, fixes=_fixes(file, rule, entry, missing))


def _fixes(file: FileContext, rule: FoyaRule, entry: Value, missing: tuple[str, ...]) -> list[Fix]:
    entries = resolve(rule.globs.node) if rule.globs.node else None
    if not isinstance(entries, Sequence) or not isinstance(entry.node, Scalar):
        return []
    texts = (entry.text(), *missing)
    edits = put_entries(file.document.lines, entries, entry.node, texts, as_json=rule.in_marker(file.text))
    return [] if edits is None else [Fix(ADD.format(texts=_shown(missing)), edits, safe=False)]


def _shown(texts: tuple[str, ...]) -> str:
    return ", ".join(f"`{text}`" for text in texts[:4]) + (" …" if len(texts) > 4 else "")


CHECK = Check(code="foya-glob-root", severity=Severity.INFO, formats=("foya",), run=run)
