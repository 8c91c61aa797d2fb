"""One value of a rule with its place. Values that had a fault of their own are `BAD`: they are neither equal nor unequal to
anything, so one fault is reported once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rulewright.syntax.tree import Node
from rulewright.text.span import Span

Origin = Literal["written", "merged", "inherited", "default"]


class _Bad:
    """The type of BAD."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "BAD"


BAD: Final = _Bad()

# Value, and the rules made of it, are not frozen: a large package makes ten thousand of them at every keystroke, and a frozen
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
