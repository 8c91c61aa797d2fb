"""A window that looks like seconds, or is very long.

## What it reports
A `cooldownMs`, `dedupWindowMs`, `defaultCooldownMs` or `defaultDedupWindowMs` of 1 to 600, and one of more than an hour. The
greatest value that is allowed, a whole day (86400000), is taken for meant: it is only an information.

## Why it matters
All windows are milliseconds, while the time limits of hooks are seconds. A cooldown of 60 is over before the next event comes:
a failing loop starts an agent at every failure. In a very long one the rule stays silent though things fail.

## Example
```json hook-chains bad
{
  "version": 1,
  "rules": [
    {
      "id": "recover",
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "cooldownMs": 60,
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
      "trigger": {"event": "TaskCompleted", "outcome": "failed"},
      "cooldownMs": 60000,
      "actions": [{"type": "notify_team"}]
    }
  ]
}
```

Source: hook-chains.md sections 2 and 7 [R]
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, Text
from rulewright.formats.hook_chains.vocabulary import DAY_MS
from rulewright.model import Value

LOOKS_LIKE_SECONDS = (1, 600)
HOUR_MS = 3_600_000
SECONDS = Text(
    "`{name}` is in milliseconds, and {value} ms is next to nothing; if seconds are meant, write {ms}",
    "`{name}` 的单位是毫秒，{value} 毫秒几乎等于没有；如果指的是秒，请写 {ms}",
)
LONG = Text(
    "`{name}` is longer than an hour ({hours} h): for so long it stays silent; an hour is 3600000",
    "`{name}` 超过一小时（{hours} 小时）：其间会一直静默；一小时是 3600000",
)


def run(file: FileContext) -> Iterator[Finding]:
    """Look at every window where it is written."""
    chains = file.chains
    yield from _window(file, chains.default_cooldown_ms)
    yield from _window(file, chains.default_dedup_window_ms)
    for rule in chains.sound_rules():
        yield from _window(file, rule.cooldown_ms)
        yield from _window(file, rule.dedup_window_ms)
        for action in rule.actions:
            yield from _window(file, action.dedup_window_ms)


def _window(file: FileContext, window: Value) -> Iterator[Finding]:
    value = window.value
    if not window.written or window.key is None or isinstance(value, bool) or not isinstance(value, int | float):
        return
    name = window.key.of(file.text).strip('"')
    low, high = LOOKS_LIKE_SECONDS
    if low <= value <= high:
        ms = str(int(value * 1000))
        message = SECONDS.format(name=name, value=f"{value:g}", ms=ms)
        yield file.finding(window, message, fixes=[file.replace(window.span, ms, safe=False)])
    elif HOUR_MS < value <= DAY_MS:
        severity = Severity.INFO if value == DAY_MS else None
        yield file.finding(window, LONG.format(name=name, hours=f"{value / HOUR_MS:.4g}"), severity=severity)


CHECK = Check(code="chain-window-units", severity=Severity.WARNING, formats=("hook-chains",), run=run)
