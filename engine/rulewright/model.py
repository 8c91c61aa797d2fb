"""What rule files become once they are read: packages, rules, conditions, each value with its place.

The model knows no text syntax and no check. Values that had a fault of their own are `BAD`: they are neither equal nor
unequal to anything, so one fault is reported once.
"""

from __future__ import annotations

from collections.abc import Mapping as ReadMapping
from dataclasses import dataclass, field
from typing import Final, Literal

from rulewright.syntax.tree import Mapping, Node, Problem, Tree
from rulewright.text.lines import Lines
from rulewright.text.span import Span

Origin = Literal["written", "merged", "inherited", "default"]


class _Bad:
    """The type of BAD."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "BAD"


BAD: Final = _Bad()

# Value, Condition and Rule are not frozen: a large package makes ten thousand of them at every keystroke, and a frozen
# dataclass takes more than twice as long to make (1000 rules: 115 ms of lowering against 70). Nobody changes one.


@dataclass(slots=True, eq=False)
class Value:
    """One field of a rule as it counts: written in the rule, merged into it, inherited from `defaults`, or built in.

    value: the Python value, BAD, or None where nothing is set and nothing is built in.
    span: where the value stands in the text (for a built-in default: the rule's anchor).
    place: where a finding about the rule's use of it belongs: `span` for a written value, the `<<` key for a merged one,
        the rule's anchor for an inherited or built-in one.
    key: the span of the key, None for a built-in default.
    items: for a list, or one name where a list may stand: its elements.
    """

    value: object
    span: Span
    place: Span
    origin: Origin = "written"
    key: Span | None = None
    node: Node | None = None
    items: tuple[Value, ...] = ()

    def is_(self, *options: object) -> bool:
        """Tell whether the value is one of `options`; false for BAD; `True` and `1` are different."""
        value = self.value
        for option in options:  # noqa: SIM110  # called tens of thousands of times: a plain loop is half the time
            if value == option and type(value) is type(option):
                return True
        return False

    @property
    def bad(self) -> bool:
        """The value has a fault of its own."""
        return self.value is BAD

    @property
    def written(self) -> bool:
        """The rule itself says it (directly or through a merge key)."""
        return self.origin in ("written", "merged")

    @property
    def known(self) -> bool:
        """There is a value and it is good."""
        return self.value is not BAD and self.value is not None

    def text(self) -> str:
        """Return the value if it is a string, else an empty string."""
        return self.value if isinstance(self.value, str) else ""


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


@dataclass(slots=True, eq=False)
class Document:
    """One rule file, read: its text, the tree, the package, and what was wrong while reading.

    path: as given by the caller, only ever shown or compared, never opened here.
    """

    path: str
    text: str
    lines: Lines
    format: str
    tree: Tree
    package: Package
    problems: list[Problem] = field(default_factory=list)
