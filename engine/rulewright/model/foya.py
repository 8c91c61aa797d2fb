"""What Foya's rule files become once they are read (foya.md sections 1 to 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rulewright.model.values import Value
from rulewright.syntax.tree import Mapping
from rulewright.text.span import Span

FoyaScope = Literal["global", "project"]


@dataclass(slots=True, eq=False)
class FoyaRule:
    """One rule with effective values, as the documented contract reads it.

    span: header and body. anchor: the value of the id or else of the name, or the opening fence or marker.
    header: the frontmatter or the JSON of the marker, None where there is none.
    header_span: the frontmatter with its fences, or the marker's line; empty where there is none.
    id, name, trigger, globs: `origin` is "default" where the file does not say it: the id is then made from the path, the name from
        the file's name, the trigger and globs from the folder. globs: its patterns in `items`.
    body: where the text of the rule stands, without white space around it.
    content: it, with LF as line ends; empty for a rule without a text, which nothing may give to a model.
    updated: the time that a marker gives, in RFC 3339; empty where it gives none, so that the file's own counts.
    broken: the header could not be read as what it is, so nothing in it can be taken at its word.
    """

    scope: FoyaScope
    span: Span
    anchor: Span
    header: Mapping | None
    header_span: Span
    id: Value
    name: Value
    description: Value
    trigger: Value
    globs: Value
    body: Span
    content: str
    broken: bool = False
    updated: str = ""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The globs that are texts."""
        return tuple(item.text() for item in self.globs.items if isinstance(item.value, str))

    def in_marker(self, text: str) -> bool:
        """Tell whether the rule is led by a marker, whose header is JSON, in the text that it stands in."""
        return self.header_span.of(text).lstrip().startswith("<!--")


@dataclass(frozen=True, slots=True)
class ProgramRule:
    """One rule as Foya's own program loads it (foya.md, [F]), which is not always what its author wrote.

    updated: as in FoyaRule.
    """

    id: str
    name: str
    description: str
    trigger: str
    globs: tuple[str, ...]
    content: str
    updated: str = ""


@dataclass(slots=True, eq=False)
class FoyaFile:
    """One file of Foya rules.

    folder: below `rules/`, with `/`, empty at the root. too_deep: it lies below a third folder, so that nothing reads it.
    program: what Foya's own program makes of the file; None where it refuses it, and with it the project's remaining files.
    """

    scope: FoyaScope
    folder: str
    too_deep: bool
    rules: tuple[FoyaRule, ...]
    program: tuple[ProgramRule, ...] | None

    @classmethod
    def empty(cls) -> FoyaFile:
        """Return the file of a text that holds no rules."""
        return cls("project", "", False, (), ())

    def sound_rules(self) -> tuple[FoyaRule, ...]:
        """Return the rules that could be read whole: the ones that checks look at."""
        return () if self.too_deep else tuple(rule for rule in self.rules if not rule.broken)
