"""A template variable that is always empty there.

## What it reports
A variable that OpenClaude has, but not there: `TASK_ID` in a `promptTemplate`, and `TASK_DESCRIPTION` in a `summary` or
`messageTemplate`. As an information also what the event's payload has nothing for: the `TASK_...` variables at
`PostToolUseFailure`, which has no task, and `ERROR` at `TaskCompleted`, which has no error text.

## Why it matters
It is replaced by nothing. Say what you know yourself, or give the whole event with `${PAYLOAD_JSON}`.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "actions": [{"type": "notify_team", "summary": "${TASK_DESCRIPTION} failed"}]
    }
  ]
}
```

```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "PostToolUseFailure"},
      "actions": [{"type": "notify_team", "summary": "${TASK_SUBJECT} failed"}]
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
      "actions": [{"type": "notify_team", "summary": "${TASK_SUBJECT} failed"}]
    }
  ]
}
```

Source: hook-chains.md section 5 [O]; harnesses.md section 5.2 [O]; the severities are ours [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.payloads import DISPATCHED, VARIABLE_FIELDS, carries
from rulewright.formats.hook_chains.templates import templates_of, uses
from rulewright.formats.hook_chains.vocabulary import VARIABLES
from rulewright.syntax.json_reader import MAX_OF_A_KIND

IN_PROMPT = Text(
    "OpenClaude fills in `{name}` in messages only, not in a prompt: it will be empty",
    "OpenClaude 只在消息中填入 `{name}`，提示词中不会：替换结果为空",
)
IN_MESSAGE = Text(
    "OpenClaude fills in `{name}` in prompts only, not in a message: it will be empty",
    "OpenClaude 只在提示词中填入 `{name}`，消息中不会：替换结果为空",
)
AT_EVENT = Text(
    "the payload of `{event}` has nothing for `{name}`: it will be empty",
    "`{event}` 的载荷中没有 `{name}` 的内容：替换结果为空",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Compare the variables with those of the template, then with the payload of the event; behind the first hundred only count."""
    count = 0
    for rule in file.chains.sound_rules():
        event = rule.event.text()
        for action in rule.actions:
            for value, known in templates_of(action):
                template = value.text()
                for use in uses(template) if "$" in template else ():
                    if use.name not in VARIABLES:
                        continue
                    fields = VARIABLE_FIELDS.get(use.name)
                    severity = None
                    if use.name not in known:
                        message = (IN_PROMPT if value is action.prompt_template else IN_MESSAGE).format(name=use.name)
                    elif event in DISPATCHED and fields is not None and not carries(event, fields):
                        message, severity = AT_EVENT.format(event=event, name=use.name), Severity.INFO
                    else:
                        continue
                    count += 1
                    if count > MAX_OF_A_KIND:
                        yield file.finding(value, message, severity=severity)
                        continue
                    place = file.part_of(value, use.span).place
                    there = "TASK_SUBJECT"
                    fits = (
                        use.name.startswith("TASK_")
                        and use.name not in known
                        and carries(event, VARIABLE_FIELDS[there])
                    )
                    fits = fits and place.of(file.text) == use.name
                    fixes = [file.replace(place, there, safe=False)] if fits else []
                    yield file.finding(place, message, fixes=fixes, severity=severity)


CHECK = Check(code="chain-variable-empty", severity=Severity.WARNING, formats=("hook-chains",), run=run)
