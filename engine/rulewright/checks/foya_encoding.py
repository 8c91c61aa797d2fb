"""A rule file that is not plain UTF-8.

## What it reports
A file that is stored as UTF-16, and the character U+FFFD, which stands where an editor or a converter could not read a byte.

## Why it matters
Foya reads UTF-8 only. Of a file in another encoding it makes a rule of signs that nobody wrote, and what became U+FFFD is
lost: only an older copy of the file still has it.

## Example
```markdown foya bad escapes
---
id: style
trigger: always
---
Use \\u{fffd}\\u{fffd} in headings.
```

```markdown foya good
---
id: style
trigger: always
---
Use « » in headings.
```

Source: foya.md section 6 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.text.span import Span

LOST = "\ufffd"
OTHER = Text(
    "the file is stored as {name}, but Foya reads UTF-8 only and gets a text of odd signs; save it as UTF-8",
    "文件保存为 {name}，而 Foya 只按 UTF-8 读取，得到的会是乱码；请另存为 UTF-8",
)
REPLACED = Text(
    "U+FFFD stands {count} times in this file: text that was not UTF-8 was lost when it was read or saved; restore it from an "
    "older copy",
    "文件中有 {count} 处 U+FFFD：不是 UTF-8 的文本在读取或保存时丢失了；请从旧的副本恢复",
)
REPLACED_ONCE = Text(
    "U+FFFD stands here: text that was not UTF-8 was lost when it was read or saved; restore it from an older copy",
    "这里是 U+FFFD：不是 UTF-8 的文本在读取或保存时丢失了；请从旧的副本恢复",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at how the file is stored, and for characters that stand for lost ones."""
    if file.foya.too_deep:
        return
    if file.facts.encoding != "utf-8":
        lines = file.document.lines
        yield file.finding(Span(0, lines.ends[0]), OTHER.format(name=file.facts.encoding.upper()))
    at = file.text.find(LOST)
    if at < 0:
        return
    end = at
    while file.text.startswith(LOST, end):
        end += 1
    count = file.text.count(LOST)
    yield file.finding(Span(at, end), REPLACED.format(count=count) if count > end - at else REPLACED_ONCE)


CHECK = Check(code="foya-encoding", severity=Severity.ERROR, formats=("foya",), run=run)
