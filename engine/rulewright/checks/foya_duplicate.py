"""Two Foya rules with one id or one name.

## What it reports
A rule whose `id` or `name` another rule of the project, or of the global file, has too. Case counts. A name that only
the file's name gives counts where a rule is called by it (`manual`, `model_decision`).

## Why it matters
Foya keeps rules by their id: of two with one id it keeps the one that it reads last, the project's rules after the global ones
and files in the order of their paths. The other is gone from the prompt, and what the settings page saves goes into the wrong
file. With one name for two rules, `@name` calls both and `rule_load` finds only one of them.

## Example
```markdown foya bad path=.foya/rules/lint.md
---
id: lint
trigger: always
---
Run the linter.
```

```markdown foya bad path=.foya/rules/web/lint.md
---
id: lint
trigger: always
---
Run eslint in `web`.
```

Source: foya.md section 6 [R]; what Foya keeps [F]
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rulewright.checking import Check, Finding, FoyaFacts, Related, Severity, Text, WorkspaceContext

LOST = Text(
    "`{other}` has the id `{id}` too, and Foya keeps only that rule: this one never counts",
    "`{other}` 的 id 也是 `{id}`，Foya 只保留那一条：这条规则不会起作用",
)
LOST_HERE = Text(
    "a later rule of this file has the id `{id}` too, and Foya keeps only that one: this one never counts",
    "这个文件后面的一条规则的 id 也是 `{id}`，Foya 只保留那一条：这条规则不会起作用",
)
KEPT = Text(
    "`{other}` has the id `{id}` too; Foya keeps only this rule of them",
    "`{other}` 的 id 也是 `{id}`；Foya 只保留这一条",
)
KEPT_HERE = Text(
    "an earlier rule of this file has the id `{id}` too; Foya keeps only this rule of them",
    "这个文件前面的一条规则的 id 也是 `{id}`；Foya 只保留这一条",
)
NAME = Text(
    "`{other}` has the name `{name}` too, so the name does not say which rule is meant",
    "`{other}` 也叫 `{name}`，因此无法用名称区分这两条规则",
)
NAME_HERE = Text(
    "another rule of this file has the name `{name}` too, so the name does not say which rule is meant",
    "这个文件的另一条规则也叫 `{name}`，因此无法用名称区分这两条规则",
)
THERE = Text("the other `{name}`", "另一个 `{name}`")
CALLED = ("manual", "model_decision")
SHOWN = 10
"""Related places of one finding: more would not be read, and with many of one id it would cost the square [R]."""

_Rule = tuple[str, FoyaFacts]


def run_workspace(workspace: WorkspaceContext) -> Iterator[tuple[str, Finding]]:
    """Compare the ids and names of the rules that hold together; every member of a clash gets a finding."""
    for rules in workspace.foya_projects():
        by_id: dict[str, list[_Rule]] = {}
        by_name: dict[str, list[_Rule]] = {}
        for path, rule in rules:
            if rule.id_place is not None:
                by_id.setdefault(rule.id, []).append((path, rule))
            if rule.name and (rule.name_written or rule.trigger in CALLED):
                by_name.setdefault(rule.name, []).append((path, rule))
        for members in by_id.values():
            if len(members) > 1:
                yield from _same_id(workspace.check, sorted(members, key=_reading_order))
        for members in by_name.values():
            if len(members) > 1:
                yield from _same_name(workspace.check, sorted(members, key=_reading_order))


def _reading_order(item: _Rule) -> tuple[bool, list[str], int]:
    """The order in which Foya reads: the global file, then each folder's files and folders by name."""
    path, rule = item
    return rule.scope != "global", path.split("/"), rule.place.start


def _same_id(check: Check, members: list[_Rule]) -> Iterator[tuple[str, Finding]]:
    kept_path, kept = members[-1]
    for path, rule in members:
        other = members[-2][0] if rule is kept else kept_path
        near, far = (KEPT_HERE, KEPT) if rule is kept else (LOST_HERE, LOST)
        message = (near if other == path else far).format(other=other, id=rule.id)
        related = _related(members, path, rule, rule.id)
        yield path, Finding(check.code, rule.id_place or rule.place, message, check.severity, related)


def _same_name(check: Check, members: list[_Rule]) -> Iterator[tuple[str, Finding]]:
    """Rules that share their id as well have had their finding."""
    ids = {rule.id for _, rule in members}
    for path, rule in members if len(ids) > 1 else ():
        other = next(path for path, other in members if other.id != rule.id)
        message = (NAME_HERE if other == path else NAME).format(other=other, name=rule.name)
        others = [(at, each) for at, each in members[: SHOWN * 2] if each.id != rule.id]
        related = _related(others, path, rule, rule.name)
        yield path, Finding(check.code, rule.name_place, message, check.severity, related)


def _related(members: list[_Rule], path: str, rule: FoyaFacts, name: str) -> tuple[Related, ...]:
    others = ((at, other) for at, other in members if other is not rule)
    return tuple(
        Related(
            other.id_place if name == other.id and other.id_place else other.name_place,
            THERE.format(name=name),
            None if at == path else at,
        )
        for at, other in islice(others, SHOWN)
    )


CHECK = Check(code="foya-duplicate", severity=Severity.WARNING, formats=("foya",), run_workspace=run_workspace)
