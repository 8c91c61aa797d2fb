"""A manual rule that is called when another one is meant.

## What it reports
A `manual` rule whose name or id begins the name or id of another `manual` rule, and one whose name or id holds white space.

## Why it matters
Foya looks for `@name` anywhere in the text. With the rules `go` and `go-test`, `@go-test` calls both. A name with white space
cannot be told from the words behind it, and editors complete no further than the space.

## Example
```markdown foya bad path=.foya/rules/go.md
---
id: r1
name: go
trigger: manual
---
Run gofmt.
```

```markdown foya bad path=.foya/rules/go-test.md
---
id: r2
name: go-test
trigger: manual
---
Run the tests of the package.
```

Source: foya.md sections 3 and 6 [F]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, FoyaFacts, Related, Severity, Text, WorkspaceContext
from rulewright.model import FoyaRule, Value
from rulewright.syntax.list_entries import written_like
from rulewright.syntax.tree import Scalar

BEGINS = Text(
    "`@{longer}` calls this rule too, for Foya looks for `@{name}` anywhere in the text: choose a name that begins no other",
    "`@{longer}` 也会调用这条规则，因为 Foya 会在整段文本里查找 `@{name}`：请换一个不是其他名称开头的名字",
)
SPACE = Text(
    "`{name}` holds white space, so that `@{name}` is hard to write and to tell from the words behind it",
    "`{name}` 含有空白，`@{name}` 不好输入，也难以与后面的文字区分",
)
LONGER = Text("the rule that `@{longer}` means", "`@{longer}` 所指的规则")
SHOWN = 10
"""Related places of one finding, as in any list that a person reads [R]."""

_Rule = tuple[str, FoyaFacts]


def run(file: FileContext) -> Iterator[Finding]:
    """Look for white space: one finding a rule."""
    for rule in file.foya.sound_rules():
        if rule.trigger.is_("manual"):
            value = next((value for value in (rule.name, rule.id) if len(value.text().split()) > 1), None)
            if value is not None:
                yield file.finding(value, SPACE.format(name=value.text()), fixes=_fixes(file, rule, value))


def _fixes(file: FileContext, rule: FoyaRule, value: Value) -> list[Fix]:
    if not isinstance(value.node, Scalar) or value.node.anchor is not None or value.node.tag is not None:
        return []
    text = "-".join(value.text().split())
    return [file.replace(value.span, written_like(value.node, text, as_json=rule.in_marker(file.text)), safe=False)]


def run_workspace(workspace: WorkspaceContext) -> Iterator[tuple[str, Finding]]:
    """Compare the names and ids of the manual rules that hold together: one finding a rule."""
    for rules in workspace.foya_projects():
        manual = [(path, rule) for path, rule in rules if rule.trigger == "manual"]
        calls = sorted((word, number) for number, (_, rule) in enumerate(manual) for word in _words(rule))
        ids = {rule.id: number for number, (_, rule) in enumerate(manual) if rule.id_place}
        for number, (path, rule) in enumerate(manual):
            for word in _words(rule):
                found = _called_too(word, number, calls)
                if word == rule.name and ids.get(word, number) != number:
                    found[ids[word]] = word
                if found and not any(len(each.split()) > 1 for each in _words(rule)):
                    place = rule.name_place if word == rule.name else rule.id_place or rule.place
                    message = BEGINS.format(longer=next(iter(found.values())), name=word)
                    related = tuple(_there(path, *manual[other], longer) for other, longer in found.items())
                    yield path, Finding(workspace.check.code, place, message, workspace.check.severity, related)
                    break


def _words(rule: FoyaFacts) -> list[str]:
    """What a rule is called by: its name, and its id where the file says it; first what the file says."""
    words = (rule.name, rule.id if rule.id_place else "")
    return [word for word in (words if rule.name_written else words[::-1]) if word]


def _called_too(word: str, number: int, calls: list[tuple[str, int]]) -> dict[int, str]:
    """Return the first SHOWN other rules with a longer word that begins with this one, each with that word."""
    found: dict[int, str] = {}
    # In order, all words that begin with a word stand right behind it.
    at = bisect_right(calls, word, key=lambda call: call[0])
    while at < len(calls) and calls[at][0].startswith(word) and len(found) < SHOWN:
        if calls[at][1] != number:
            found.setdefault(calls[at][1], calls[at][0])
        at += 1
    return found


def _there(path: str, other_path: str, other: FoyaFacts, longer: str) -> Related:
    place = other.name_place if longer == other.name else other.id_place or other.place
    return Related(place, LONGER.format(longer=longer), None if other_path == path else other_path)


CHECK = Check(
    code="foya-manual-name", severity=Severity.WARNING, formats=("foya",), run=run, run_workspace=run_workspace
)
