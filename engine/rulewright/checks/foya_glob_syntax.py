"""Signs in a glob that Foya takes literally.

## What it reports
An entry of `globs` that uses what other tools know and Foya does not: a list in one entry (`*.ts,*.tsx`), braces
(`{js,jsx}`), a choice of characters (`[ab]`), a leading `!`, a leading `/` or `./`, and backslashes. Foya knows `*`, `?` and
`**`; every other sign stands for itself. A folder that is named after a parameter (`app/[id]/page.tsx`) is not reported.

## Why it matters
The entry is valid, it only never matches, and nothing says so. The fix writes what was meant: one entry for each choice, and
paths with `/` that begin at the project.

## Example
```markdown foya bad
---
id: web
trigger: glob
globs:
  - "src/*.{ts,tsx}"
---
Run the linter.
```

```markdown foya good
---
id: web
trigger: glob
globs:
  - "src/*.ts"
  - "src/*.tsx"
---
Run the linter.
```

Source: foya.md sections 3 and 6 [F]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.model import FoyaRule, Value
from rulewright.syntax.list_entries import put_entries
from rulewright.syntax.tree import Scalar, Sequence, resolve
from rulewright.text.foya_globs import Sign, foreign_signs

MESSAGES = {
    "comma": Text(
        "Foya takes this comma literally, so the entry never matches: write one entry for each pattern",
        "Foya 把这里的逗号当作普通字符，因此这一项永远不会匹配：每个模式请各写一项",
    ),
    "braces": Text(
        "Foya takes `{part}` literally, so the entry never matches: write one entry for each choice",
        "Foya 把 `{part}` 当作普通字符，因此这一项永远不会匹配：每种取值请各写一项",
    ),
    "class": Text(
        "Foya takes `{part}` literally, so the entry never matches what was meant: write one entry for each character, or `?`",
        "Foya 把 `{part}` 当作普通字符，因此这一项不会按原意匹配：请为每个字符各写一项，或用 `?`",
    ),
    "negation": Text(
        "Foya takes this `!` literally, so the entry never matches; what a rule leaves out cannot be said in `globs`",
        "Foya 把这里的 `!` 当作普通字符，因此这一项永远不会匹配；`globs` 无法表示排除",
    ),
    "root": Text(
        "Foya takes `{part}` literally, so the entry never matches a path as it is usually written: begin with the folder's name",
        "Foya 把 `{part}` 当作普通字符，因此这一项不会匹配通常写法的路径：请直接以文件夹名开头",
    ),
    "backslash": Text(
        "Foya takes a backslash literally, so the entry never matches a path with `/`",
        "Foya 把反斜杠当作普通字符，因此这一项永远不会匹配用 `/` 书写的路径",
    ),
}
SPLIT = Text("Write {count} entries: {texts}", "写成 {count} 项：{texts}")
CHANGE = Text("Change to `{text}`", "改为 `{text}`")


def run(file: FileContext) -> Iterator[Finding]:
    """Look at each entry of the globs of rules that Foya chooses by them: one finding for each kind of sign."""
    for rule in file.foya.sound_rules():
        for entry in rule.globs.items if rule.trigger.is_("glob") and rule.globs.written else ():
            for sign in foreign_signs(entry.text()):
                part = sign.span.of(entry.text())
                where = file.part_of(entry, sign.span)
                yield file.finding(where, MESSAGES[sign.kind].format(part=part), fixes=_fixes(file, rule, entry, sign))


def _fixes(file: FileContext, rule: FoyaRule, entry: Value, sign: Sign) -> list[Fix]:
    entries = resolve(rule.globs.node) if rule.globs.node else None
    if not sign.meant or not isinstance(entries, Sequence) or not isinstance(entry.node, Scalar):
        return []
    taken = {other.text() for other in rule.globs.items if other is not entry}
    texts = tuple(text for text in sign.meant if text not in taken) or sign.meant[:1]
    edits = put_entries(file.document.lines, entries, entry.node, texts, as_json=rule.in_marker(file.text))
    if edits is None:
        return []
    if len(texts) == 1:
        return [Fix(CHANGE.format(text=texts[0]), edits, sign.sure)]
    shown = ", ".join(f"`{text}`" for text in texts[:4]) + (" …" if len(texts) > 4 else "")
    return [Fix(SPLIT.format(count=len(texts), texts=shown), edits, sign.sure)]


CHECK = Check(code="foya-glob-syntax", severity=Severity.WARNING, formats=("foya",), run=run)
