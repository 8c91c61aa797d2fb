"""The tree of a regular expression: what `patterns` reads and `pattern_facts` reasons about.

Groups leave no trace (only whether a text matches is of interest), flags are worked into the nodes: a letter under `(?i)`
is the set of its case variants, `.` and `\\d` are sets, `$` is a `Look` of the kind that the flags make it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rulewright.text.span import Span
from rulewright.text.unicode_classes import Ranges

LookKind = Literal["begin_text", "end_text", "begin_line", "end_line", "word", "not_word"]


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """One character out of a set; the set may be empty (`[^\\x00-\\x{10FFFF}]`), then nothing matches."""

    span: Span
    ranges: Ranges

    def single(self) -> str:
        """Return the only character of the set, or an empty string if there is not exactly one."""
        if len(self.ranges) == 1 and self.ranges[0][0] == self.ranges[0][1]:
            return chr(self.ranges[0][0])
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A place without width."""

    span: Span
    kind: LookKind


@dataclass(frozen=True, slots=True, eq=False)
class Concat:
    """One after the other; without items it is the empty match."""

    span: Span
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Alternate:
    """One of two or more branches."""

    span: Span
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """`item` at least `low` and at most `high` times; `high` None is no limit. The span ends behind the operator."""

    span: Span
    item: Node
    low: int
    high: int | None
    lazy: bool


Node = Chars | Look | Concat | Alternate | Repeat
