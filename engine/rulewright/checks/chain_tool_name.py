"""A tool name that no tool of OpenClaude has.

## What it reports
An entry of `toolNames`, or the value for `tool_name` in `eventFieldEquals`, that is a canonical name of STYLE rules (`shell`), differs from a tool of OpenClaude by case or by a slip
(`bash`), or is a pattern (`*`, `Edit|Write`). Names of MCP tools and names that are near to none are left alone. Also
`toolNames` as such in a rule for `TaskCompleted`, whose payload has no tool.

## Why it matters
Names are compared exactly, letter by letter: any other spelling matches nothing, so the rule never triggers for that tool.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "PostToolUseFailure"},
      "condition": {"toolNames": ["bash"]},
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
      "condition": {"toolNames": ["Bash"]},
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

Source: hook-chains.md sections 3 and 7 [R]; harnesses.md section 4 [O]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.payloads import DISPATCHED, OWN_TOOLS, TOOL_FIELDS, carries, segments
from rulewright.formats.style.vocabulary import NATIVE_TOOLS, TOOLS
from rulewright.model import Value
from rulewright.syntax.json_edit import string
from rulewright.text.spelling import is_sure, nearest

MOST_ASKED = 1000
"""Names in one file that are compared with the spelling of tools [R]: it takes a tenth of a second."""

NO_TOOL = Text(
    "the payload of `{event}` has no tool: with `toolNames` this rule never triggers",
    "`{event}` 的载荷中没有工具：有 `toolNames` 时，这条规则永远不会触发",
)
CANONICAL = Text(
    "`{name}` is the canonical name; OpenClaude's own is {own}",
    "`{name}` 是规范工具名；OpenClaude 自己的名称是 {own}",
)
FOREIGN = Text(
    "`{name}` is another agent's name; OpenClaude's own is {own}",
    "`{name}` 是其他智能体的名称；OpenClaude 自己的名称是 {own}",
)
NEAR = Text(
    "no tool is called `{name}`, and names are compared exactly; did you mean `{near}`?",
    "没有名为 `{name}` 的工具，名称按原样精确比较；是否想写 `{near}`？",
)
PATTERN = Text(
    "`{name}` is compared letter by letter, not as a pattern: write each tool's name; for every tool, leave `toolNames` out",
    "`{name}` 会逐字比较，不是模式：请写出每个工具的名称；要匹配所有工具，请去掉 `toolNames`",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look every tool name up; where there is never a tool, say only that."""
    asked: list[str] = []
    for rule in file.chains.sound_rules():
        event = rule.event.text()
        if rule.condition is None or event not in DISPATCHED:
            continue
        names = rule.condition.tool_names
        if carries(event, TOOL_FIELDS):
            yield from _names(file, names.items, asked, listed=True)
            pairs = rule.condition.event_field_equals
            yield from _names(
                file, [value for path, value in pairs if segments(path.text()) == ["tool_name"]], asked, listed=False
            )
        elif names.items:
            yield file.finding(names.key or names.span, NO_TOOL.format(event=event), related=[rule.event])


def _names(file: FileContext, names: Iterable[Value], asked: list[str], *, listed: bool) -> Iterator[Finding]:
    """Look names up. asked: those so far that no list has; only the first thousand of a file are compared with the spelling of others."""
    for item in names:
        name = item.text()
        if not name or name in OWN_TOOLS:
            continue
        if any(char in name for char in "*|(^"):
            parts = name.split("|")
            fits = listed and len(parts) > 1 and all(part in OWN_TOOLS for part in parts)
            fixes = [file.replace(item.span, ", ".join(map(string, parts)), safe=False)] if fits else []
            yield file.finding(item, PATTERN.format(name=name), fixes=fixes)
            continue
        own = own_names(name)
        asked.append(name)
        near = nearest(name, OWN_TOOLS) if len(asked) <= MOST_ASKED else None
        if near is not None and near.lower() == name.lower():
            own = []
        if own:
            said = Text(" or ".join(f"`{one}`" for one in own), "或".join(f"`{one}`" for one in own))
            fixes = [file.replace(item.span, string(one), safe=False) for one in own]
            message = CANONICAL if name in TOOLS else FOREIGN
            yield file.finding(item, message.format(name=name, own=said), fixes=fixes)
        elif near is not None and is_sure(name, near, OWN_TOOLS):
            yield file.finding(
                item, NEAR.format(name=name, near=near), fixes=[file.replace(item.span, string(near), safe=False)]
            )


def own_names(name: str) -> list[str]:
    """Return OpenClaude's tools for a canonical name or another agent's name."""
    canonical = name if name in TOOLS else NATIVE_TOOLS.get(name.lower())
    return [own for own, tool in OWN_TOOLS.items() if tool == canonical]


CHECK = Check(code="chain-tool-name", severity=Severity.WARNING, formats=("hook-chains",), run=run)
