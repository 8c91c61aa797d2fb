"""What a STYLE package becomes once it is read: the package, its rules, their conditions, each value with its place."""

from __future__ import annotations

from collections.abc import Mapping as ReadMapping
from dataclasses import dataclass

from rulewright.model.values import Value
from rulewright.syntax.tree import Mapping
from rulewright.text.span import Span


@dataclass(slots=True, eq=False)
class Condition:
    """One entry of `when.conditions`."""

    span: Span
    field: Value
    op: Value
    pattern: Value
    negate: Value
    ignore_case: Value


@dataclass(frozen=True, slots=True, eq=False)
class When:
    """The `when` of a rule. `model` and `harness` are lists of globs or names in `items`, unset when not written."""

    span: Span
    model: Value
    harness: Value
    match: Value
    conditions: tuple[Condition, ...]


@dataclass(slots=True, eq=False)
class Rule:
    """One rule with effective values (style.md section 3). `when` is None where the rule always matches.

    anchor: the span of the id's value, or of the rule's first key: where findings about something absent go.
    broken: a part of the rule could not be read; checks skip it, hover and symbols do not.
    """

    span: Span
    anchor: Span
    node: Mapping
    id: Value
    target: Value
    tool: Value
    mcp: Value
    skill: Value
    event: Value
    sources: Value
    action: Value
    at: Value
    repeat: Value
    fail: Value
    refresh: Value
    reinject_on_compact: Value
    when: When | None
    fallback: Value
    mode: Value
    text: Value
    text_file: Value
    model_text: Value
    reason: Value
    enabled: Value
    broken: bool = False
    when_bad: bool = False

    def points(self) -> tuple[str, ...]:
        """Return the canonical events at which the rule is evaluated; empty where a fault leaves them unknown.

        Source: style.md section 3, evaluation points [S].
        """
        if self.target.is_("tool", "mcp", "skill"):
            return ("tool.pre",) if self.at.is_("before") else ("tool.post",) if self.at.is_("after") else ()
        if self.target.is_("event"):
            return (self.event.text(),) if self.event.known else ()
        if self.target.is_("system"):
            return ("session.start", "prompt.submitted") if self.is_dynamic() else ("session.start",)
        return ()

    def is_dynamic(self) -> bool:
        """Tell whether a system rule needs evaluation at events (`when` or a positive `refresh`), rather than being static."""
        return self.when is not None or (isinstance(self.refresh.value, int) and self.refresh.value > 0)

    def source_names(self) -> tuple[str, ...]:
        """Return the session.start sources that the rule listens to: written ones, plus `compact` (S072); empty means all."""
        names = tuple(item.text() for item in self.sources.items if item.known)
        if names and self.reinject_on_compact.is_(True) and "compact" not in names:
            return (*names, "compact")
        return names


@dataclass(frozen=True, slots=True, eq=False)
class Package:
    """One STYLE package. `defaults` holds the values that are written under `defaults`, by field name."""

    root: Mapping | None
    spec: Value
    name: Value
    version: Value
    description: Value
    defaults: ReadMapping[str, Value]
    rules: tuple[Rule, ...]

    @classmethod
    def empty(cls) -> Package:
        """Return the package of a text that holds none."""
        nothing = Value(None, Span(0, 0), Span(0, 0), "default")
        return cls(None, nothing, nothing, nothing, nothing, {}, ())

    def sound_rules(self) -> tuple[Rule, ...]:
        """Return the rules that could be read whole: the ones that checks look at."""
        return tuple(rule for rule in self.rules if not rule.broken)
