"""A variable in a template that OpenClaude does not know.

## What it reports
A `${NAME}` or `$NAME` in `promptTemplate`, `summary` or `messageTemplate` with a name that OpenClaude does not have, and a
known name that is not replaced because it is written with small letters or blanks, such as `${error}`.

## Why it matters
An unknown name is replaced by nothing, so that the text has a hole; `$100` loses its number too. `${error}` stays in the text as
it is.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team", "summary": "Failed: ${EVENT_NAM}"}]
    }
  ]
}
```

```json hook-chains good
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team", "summary": "Failed: ${EVENT_NAME}"}]
    }
  ]
}
```

Source: hook-chains.md section 5 [S] [O]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.templates import Use, literals, templates_of, uses
from rulewright.formats.hook_chains.vocabulary import VARIABLES
from rulewright.model import Value
from rulewright.syntax.json_reader import MAX_OF_A_KIND
from rulewright.text.spelling import nearest

MESSAGE = Text("`{name}` is no variable: it will be empty{hint}", "没有变量 `{name}`：替换结果为空{hint}")
LITERAL = Text(
    "`{name}` stays in the text as it is: a variable is written in capitals, `{near}`",
    "`{name}` 会原样留在文本中：变量要用大写，即 `{near}`",
)
HINT = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_HINT = Text("", "")


def run(file: FileContext) -> Iterator[Finding]:
    """Look every variable up, at its place in the source of the string; behind the first hundred only count them."""
    count = 0
    for rule in file.chains.sound_rules():
        for action in rule.actions:
            for value, known in templates_of(action):
                template = value.text()
                if "$" not in template:
                    continue
                for use in uses(template):
                    if use.name not in VARIABLES:
                        count += 1
                        if count > MAX_OF_A_KIND:
                            yield file.finding(value, MESSAGE.format(name=use.name, hint=NO_HINT))
                            continue
                        near = nearest(use.name, known) or _begun(use.name, known)
                        hint = HINT.format(near=near) if near else NO_HINT
                        yield _finding(file, value, use, MESSAGE.format(name=use.name, hint=hint), near)
                for use in literals(template):
                    near = next((name for name in VARIABLES if _plain(name) == _plain(use.name)), None)
                    if near:
                        count += 1
                        if count > MAX_OF_A_KIND:
                            yield file.finding(value, LITERAL.format(name=use.name, near=near))
                            continue
                        yield _finding(file, value, use, LITERAL.format(name=use.name, near=near), near)


def _finding(file: FileContext, value: Value, use: Use, message: Text, near: str | None) -> Finding:
    place = file.part_of(value, use.span).place
    # A name that is written with escapes is not replaced: only what stands there as it is read is.
    fixes = [file.replace(place, near, safe=False)] if near and place.of(file.text) == use.name else []
    return file.finding(place, message, fixes=fixes)


def _begun(name: str, known: tuple[str, ...]) -> str | None:
    """Return the only name that begins so: `RULE` is `RULE_ID`."""
    longer = [one for one in known if one.startswith(f"{name}_")]
    return longer[0] if len(longer) == 1 else None


def _plain(name: str) -> str:
    return re.sub(r"[ _-]", "", name).lower()


CHECK = Check(code="chain-unknown-variable", severity=Severity.WARNING, formats=("hook-chains",), run=run)
