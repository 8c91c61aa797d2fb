r"""More rules than the prompt has room for.

## What it reports
The rule with which the `always` rules of a project and of the global file together pass 12000 characters, and the one with
which the index of the `model_decision` rules (name and description) passes 3000. Each is counted as Rulewright gives it in the
prompt: `- `, the text with `&`, `<`, `>` and quotes escaped, a line break. The order is Foya's: global rules first, then those
changed earliest, then by id. It also reports the rule with which only the bytes in UTF-8 pass: Foya's page says characters,
but its program counts bytes (and leaves quotes as they are).

## Why it matters
Foya leaves out this rule and all that come after it, and puts `[additional items omitted]` in their place. A Chinese character
is three bytes, so rules in Chinese are left out at a third of the documented size.

## Example
`\repeat{600}{Run it. }` stands for the sentence 600 times.

```markdown foya bad escapes path=.foya/rules/one.md
---
id: one
trigger: always
---
\repeat{600}{Run it. }
```

```markdown foya bad escapes path=.foya/rules/two.md
---
id: two
trigger: always
---
\repeat{600}{Run it. }
```

```markdown foya bad escapes path=.foya/rules/zoo.md
---
id: zoo
trigger: always
---
\repeat{600}{Run it. }
```

Source: foya.md sections 4 and 6 [F]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, Finding, FoyaFacts, Severity, Text, WorkspaceContext

LIMITS = {"always": 12000, "model_decision": 3000}
OVER = {
    "always": Text(
        "with this rule the always rules come to {characters} characters ({bytes} bytes): past {limit} characters it and all "
        "after it are left out of the prompt",
        "加上这条规则，always 规则共 {characters} 个字符（{bytes} 字节）：超过 {limit} 个字符，它和之后的规则都不会进入提示",
    ),
    "model_decision": Text(
        "with this rule the index of the model_decision rules comes to {characters} characters ({bytes} bytes): past {limit} "
        "characters it and all after it are left out",
        "加上这条规则，model_decision 规则的索引共 {characters} 个字符（{bytes} 字节）：超过 {limit} 个字符，它和之后的规则都不会列出",
    ),
}
BYTES = {
    "always": Text(
        "with this rule the always rules come to {bytes} bytes: that is {characters} characters, which {limit} allow, but Foya's "
        "program counts bytes and leaves out this rule and all after it",
        "加上这条规则，always 规则共 {bytes} 字节：字符数是 {characters}，没有超过 {limit}，但 Foya 的程序按字节计算，"
        "会略去这条和之后的规则",
    ),
    "model_decision": Text(
        "with this rule the index of the model_decision rules comes to {bytes} bytes: that is {characters} characters, which "
        "{limit} allow, but Foya's program counts bytes and leaves out this rule and all after it",
        "加上这条规则，model_decision 规则的索引共 {bytes} 字节：字符数是 {characters}，没有超过 {limit}，"
        "但 Foya 的程序按字节计算，会略去这条和之后的规则",
    ),
}


def run_workspace(workspace: WorkspaceContext) -> Iterator[tuple[str, Finding]]:
    """Add up what stands in the prompt of each project, in the order in which it stands there.

    What is said of a rule depends only on it and those before it, so that an edit of a later one changes nothing here.
    """
    for rules in workspace.foya_projects():
        for trigger in LIMITS:
            yield from _passed(
                workspace.check, [(path, rule) for path, rule in rules if rule.trigger == trigger], trigger
            )


def _passed(check: Check, rules: list[tuple[str, FoyaFacts]], trigger: str) -> Iterator[tuple[str, Finding]]:
    limit = LIMITS[trigger]
    characters = size = 0
    too_many_bytes = False
    for path, rule in rules:
        characters += rule.characters
        size += rule.bytes
        messages = OVER if characters > limit else BYTES if size > limit and not too_many_bytes else None
        if messages is not None:
            too_many_bytes = True
            message = messages[trigger].format(characters=characters, bytes=size, limit=limit)
            yield path, Finding(check.code, rule.place, message, check.severity)
        if characters > limit:
            return


CHECK = Check(code="foya-budget", severity=Severity.WARNING, formats=("foya",), run_workspace=run_workspace)
