"""A field that no payload of the event has.

## What it reports
A dot path in `eventFieldEquals` that no payload of the rule's event has, and a value that the field there never has: text for a
number, or a value for what holds other fields. What a tool is called with (`tool_input`) may have any name.

## Why it matters
A path that leads nowhere equals nothing, so the rule never triggers; values are compared strictly, `"true"` is not `true`.
It is only an information: a later OpenClaude may send more.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "PostToolUseFailure"},
      "condition": {"eventFieldEquals": {"is_interupt": false}},
      "actions": [{"type": "notify_team"}]
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
      "trigger": {"event": "PostToolUseFailure"},
      "condition": {"eventFieldEquals": {"is_interrupt": false}},
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

Source: hook-chains.md sections 3 and 7 [R]; harnesses.md section 5.2 [O]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Fix, Severity, Text
from rulewright.formats.hook_chains.payloads import DISPATCHED, PayloadField, field_at, nearest_path, segments
from rulewright.model import Value
from rulewright.syntax.json_edit import string
from rulewright.syntax.json_reader import MAX_OF_A_KIND

MESSAGE = Text(
    "no payload of `{event}` has `{path}`, so this rule never triggers{hint}",
    "`{event}` 的载荷中没有 `{path}`，所以这条规则永远不会触发{hint}",
)
HINT = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_HINT = Text("", "")
KIND = Text(
    "`{path}` is {kind}, and values are compared strictly: it never equals this",
    "`{path}` 是{kind}，而且按类型严格比较：它不会等于这个值",
)
KINDS = {
    "text": Text("a text", "文本"),
    "number": Text("a number", "数字"),
    "bool": Text("`true` or `false`", "`true` 或 `false`"),
}
HOLDS = Text(
    "`{path}` holds other fields and equals no value: name the field inside it",
    "`{path}` 里面还有其他字段，不会等于任何值：请写出其中的字段",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look every path up in the payload of the event; behind the first hundred nothing is compared with the spelling of others."""
    strange = 0
    for rule in file.chains.sound_rules():
        event = rule.event.text()
        if rule.condition is None or event not in DISPATCHED:
            continue
        written = {path.text() for path, _ in rule.condition.event_field_equals}
        for path, value in rule.condition.event_field_equals:
            if not path.known:
                continue
            found = field_at(event, path.text())
            if found is None:
                strange += 1
                near = nearest_path(event, path.text()) if strange <= MAX_OF_A_KIND else None
                hint = HINT.format(near=near) if near else NO_HINT
                fixes = [file.replace(path.span, string(near), safe=False)] if near and near not in written else []
                message = MESSAGE.format(event=event, path=path.text() or '""', hint=hint)
                yield file.finding(path, message, fixes=fixes, related=[rule.event])
            elif len(segments(path.text())) == 1 and value.known and _kind(value) not in (None, found.kind):
                yield from _wrong_kind(file, path, value, found)


def _wrong_kind(file: FileContext, path: Value, value: Value, found: PayloadField) -> Iterator[Finding]:
    """Report a value that the field never has. What stands deeper depends on the tool, and is not known for sure."""
    if found.kind in ("object", "list"):
        yield file.finding(value, HOLDS.format(path=path.text()))
    elif found.kind in KINDS:
        message = KIND.format(path=path.text(), kind=KINDS[found.kind])
        yield file.finding(value, message, fixes=_fixes(file, value, found))


def _kind(value: Value) -> str | None:
    if isinstance(value.value, bool):
        return "bool"
    if isinstance(value.value, int | float):
        return "number"
    return "text" if isinstance(value.value, str) else None


def _fixes(file: FileContext, value: Value, found: PayloadField) -> list[Fix]:
    """Write the same value as the field has it, where that can be done."""
    written = value.text()
    if found.kind == "text":
        return [file.replace(value.span, string(value.span.of(file.text)), safe=False)]
    if (found.kind == "bool" and written in ("true", "false")) or (found.kind == "number" and written.isdecimal()):
        return [file.replace(value.span, written, safe=False)]
    return []


CHECK = Check(code="chain-field-path", severity=Severity.INFO, formats=("hook-chains",), run=run)
