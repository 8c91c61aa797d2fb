"""Where a rule lands on a harness: its points there, what they can carry of it, and what is done where something is missing.

Pure: reads the rule and the harness's tables. Source: style.md section 3 (evaluation points), section 8 and the behaviour list of [S].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from rulewright.model import Rule

Status = Literal["native", "partial", "degraded", "skipped", "install-error"]

# The other of the two events around a tool call. Source: style.md section 8 [S].
_OTHER_SIDE = {"tool.pre": "tool.post", "tool.post": "tool.pre"}
# What an action hands over, by the words of section 3: the part of an answer, and the capability it needs.
_NEEDS = {"inject": (("context", "add-context"),), "warn": (("message", "system-message"), ("context", "add-context"))}


@dataclass(frozen=True, slots=True)
class Point:
    """One rule at one event of one harness.

    event: the canonical event where it is evaluated; native: the harness's name for it, None where it has none.
    status and reason: how well it lands there, and why not better.
    action, repeat: as they count there, after degradation. gives: the parts of an answer it hands over.
    """

    event: str
    native: str | None
    status: Status
    reason: str | None
    action: str
    repeat: str
    gives: tuple[str, ...]

    @property
    def active(self) -> bool:
        """The rule is evaluated here."""
        return self.status in ("native", "partial", "degraded")


def points(rule: Rule, harness: Any) -> tuple[Point, ...]:
    """Return the points of a sound rule on a harness (its module), in the order of the rule's events."""
    natives = {row[0]: (native, row[1]) for native, row in harness.EVENTS.items()}
    found = [_point(rule, event, natives) for event in rule.points()]
    if rule.enabled.is_(False):
        return tuple(replace(point, status="skipped", reason="disabled") for point in found)
    if (
        rule.when is not None
        and rule.when.harness.items
        and harness.NAME not in [item.value for item in rule.when.harness.items]
    ):
        return tuple(replace(point, status="skipped", reason="other-harness") for point in found)
    return tuple(found)


def _point(rule: Rule, event: str, natives: dict[str, tuple[str, tuple[str, ...]]]) -> Point:
    action, repeat = rule.action.text(), rule.repeat.text() or "every"
    point = _at(event, natives, action, repeat)
    closed = rule.fail.is_("closed")
    if point.active:
        if closed and "deny" not in natives[event][1]:
            return replace(point, status="install-error", reason="fail-closed-unsupported")
        return point
    if closed:
        return replace(point, status="install-error", reason="fail-closed-unsupported")
    if rule.fallback.is_("skip"):
        return replace(point, status="skipped")
    if rule.fallback.is_("degrade"):
        events = [event, _OTHER_SIDE[event]] if event in _OTHER_SIDE else [event]
        tries = [_at(other, natives, action, repeat) for other in events]
        if action == "block":
            tries += [_at(other, natives, "warn", "every") for other in events]
        for other in tries:
            if other.active:
                return replace(other, status="degraded", reason=point.reason)
    return point


def _at(event: str, natives: dict[str, tuple[str, tuple[str, ...]]], action: str, repeat: str) -> Point:
    if event not in natives:
        return Point(event, None, "install-error", "event-unsupported", action, repeat, ())
    native, capabilities = natives[event]
    if action == "block":
        if "deny" in capabilities:
            return Point(event, native, "native", None, action, "every", ("block",))
        return Point(event, native, "install-error", "deny-unsupported", action, "every", ())
    needs = _NEEDS[action]
    gives = tuple(part for part, capability in needs if capability in capabilities)
    if len(gives) == len(needs):
        return Point(event, native, "native", None, action, repeat, gives)
    missing = next(capability for part, capability in needs if part not in gives)
    status: Status = "partial" if gives else "install-error"
    return Point(event, native, status, f"{missing}-unsupported", action, repeat, gives)
