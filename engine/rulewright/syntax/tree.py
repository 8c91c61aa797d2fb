"""The tree that every reader makes: mappings, sequences and scalars, each with its exact span.

Nothing here knows YAML or JSON rules beyond what a tree needs: merge keys and aliases are resolved on access, so that
a walk costs what the text costs, however often an anchor is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span

# Codes of faults in the text as such: behind one, others may hide.
SYNTAX_CODES = frozenset({"yaml-syntax", "json-syntax", "foya-frontmatter", "foya-marker"})

Style = Literal["plain", "single", "double", "literal", "folded"]


class OddNumber:
    """A scalar that YAML versions read as different values, such as `010`, `0x10`, `1_000`, `1:30`.

    It is neither a number nor a string, so that every typed field refuses it.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"OddNumber({self.text!r})"


@dataclass(slots=True, eq=False)
class Scalar:
    """One value. `value` is what it means (str, int, float, bool, None or OddNumber), `raw` the decoded text.

    A value that is not there (`key:` with nothing behind it) has `missing` set, the value None, and an empty span right
    behind the colon; an empty list item has the span of its dash. `broken`: it has a finding already, and what was meant is
    not known.
    """

    span: Span
    value: object
    raw: str
    style: Style = "plain"
    missing: bool = False
    tag: str | None = None
    anchor: Span | None = None
    broken: bool = False


@dataclass(slots=True, eq=False)
class Alias:
    """A reference to another node. `target` is None for an unknown anchor and for a node that contains itself."""

    span: Span
    name: str
    target: Node | None


@dataclass(slots=True, eq=False)
class Entry:
    """One `key: value` of a mapping. `key_span` is the key's own; `merged` the `<<` key's span if it came by a merge."""

    key: str
    key_span: Span
    value: Node
    merged: Span | None = None

    @property
    def span(self) -> Span:
        """Key and value together."""
        return Span(self.key_span.start, max(self.key_span.end, self.value.span.end))


@dataclass(slots=True, eq=False)
class Mapping:
    """Keys and values in written order. Duplicate keys are all in `entries`; lookups take the first.

    `broken` is set when a part of the mapping could not be read: what is there is right, but more may have been meant.
    `last_counts`: it is JSON's, where lookups take the last of duplicates, and `<<` is a key like any other.
    """

    span: Span
    entries: list[Entry] = field(default_factory=list)
    flow: bool = False
    broken: bool = False
    tag: str | None = None
    anchor: Span | None = None
    last_counts: bool = False

    def effective(self) -> dict[str, Entry]:
        """Return the entries by key: own keys first (the first of duplicates), then merged ones, `<<` left out.

        In a merge list the first mapping wins (YAML merge key type, go-yaml). A second `<<` is a duplicate like any other.
        """
        if self.last_counts:
            return {entry.key: entry for entry in self.entries}
        found: dict[str, Entry] = {}
        merges: list[Entry] = []
        for entry in self.entries:
            if entry.key == "<<":
                if not merges:
                    merges.append(entry)
            elif entry.key not in found:
                found[entry.key] = entry
        for merge in merges:
            for source in _merge_sources(merge.value):
                for name, entry in source.effective().items():
                    if name not in found:
                        found[name] = Entry(name, entry.key_span, entry.value, merged=merge.key_span)
        return found

    def complete(self) -> bool:
        """Tell whether all keys are known: nothing is broken, and every merge leads somewhere."""
        if self.broken or self.last_counts:
            return not self.broken
        return all(resolve(entry.value) is not None for entry in self.entries if entry.key == "<<")

    def get(self, key: str) -> Entry | None:
        """Return the effective entry of a key."""
        if self.last_counts:
            return next((entry for entry in reversed(self.entries) if entry.key == key), None)
        for entry in self.entries:
            if entry.key == key and key != "<<":
                return entry
        if any(entry.key == "<<" for entry in self.entries):
            return self.effective().get(key)
        return None


@dataclass(slots=True, eq=False)
class Sequence:
    """A list. `broken` as in Mapping."""

    span: Span
    items: list[Node] = field(default_factory=list)
    flow: bool = False
    broken: bool = False
    tag: str | None = None
    anchor: Span | None = None


Node = Scalar | Mapping | Sequence | Alias


def resolve(node: Node) -> Scalar | Mapping | Sequence | None:
    """Follow an alias to what it stands for; None for an unknown anchor or a cycle."""
    return node.target if isinstance(node, Alias) else node  # type: ignore[return-value]  # readers never alias an alias


def _merge_sources(node: Node) -> Iterator[Mapping]:
    found = resolve(node)
    if isinstance(found, Mapping):
        yield found
    elif isinstance(found, Sequence):
        for item in found.items:
            source = resolve(item)
            if isinstance(source, Mapping):
                yield source


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a finding. `path` names its file where that is another one than the finding's."""

    span: Span
    message: Text
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """A ready change. `safe`: it cannot alter what the author meant, so `fix` and "fix all" may apply it unasked."""

    title: Text
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault found while reading or shaping. `code` names the check whose page explains it.

    minor: less grave than the code usually is; the check decides what that means.
    """

    code: str
    span: Span
    message: Text
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    minor: bool = False


@dataclass(slots=True)
class Tree:
    """What a reader returns: the root (None for an empty text), the problems, and where comments stand.

    `whole` is false when the text as such cannot be taken at its word (control characters, conflict marks, not one
    document): then only `problems` are worth reporting, though the tree still serves hover and completion.
    `comments` are the spans of comments, `#` included, line end excluded.
    """

    root: Node | None
    problems: list[Problem] = field(default_factory=list)
    comments: list[Span] = field(default_factory=list)
    whole: bool = True
