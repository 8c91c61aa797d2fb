"""Two packages with one name.

## What it reports
A package whose `name` another package of the project has.

## Why it matters
Rules are known as `package/rule`, and what was said is remembered under that name. Of two packages with one name only
one can be installed.

## Example
```yaml style bad path=one.style.yaml
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Be brief.
```

```yaml style bad path=two.style.yaml
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: tips
    target: system
    text: Be brief.
```

Source: style.md section 2 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, Finding, Related, Severity, Text, WorkspaceContext

CODE = "duplicate-package"
MESSAGE = Text("`{other}` has the name `{name}` too", "`{other}` 也叫 `{name}`")
THERE = Text("the other `{name}`", "另一个 `{name}`")


def run_workspace(workspace: WorkspaceContext) -> Iterator[tuple[str, Finding]]:
    """Compare the names of all packages; every file of a clash gets a finding that names another one."""
    by_name: dict[str, list[int]] = {}
    summaries = workspace.summaries
    for index, summary in enumerate(summaries):
        for name, _ in summary.names:
            by_name.setdefault(name, []).append(index)
    for name, indexes in by_name.items():
        for index in indexes if len(indexes) > 1 else ():
            other = summaries[indexes[0] if index != indexes[0] else indexes[1]]
            for found, span in summaries[index].names:
                if found == name:
                    message = MESSAGE.format(other=other.path, name=name)
                    there = next(span for taken, span in other.names if taken == name)
                    related = (Related(there, THERE.format(name=name), other.path),)
                    yield summaries[index].path, Finding(CODE, span, message, workspace.check.severity, related)


CHECK = Check(code=CODE, severity=Severity.WARNING, formats=("style",), run_workspace=run_workspace)
