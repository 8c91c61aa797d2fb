"""What editor features answer with: plain data with spans, in an editor's words. Knows no LSP and no format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span

ItemKind = Literal["key", "value", "snippet", "variable", "code", "file"]
SymbolKind = Literal["package", "rule", "condition", "action"]


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown for the text under `span`."""

    span: Span
    markdown: str


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to offer. Accepting it replaces `span`, which lies on the cursor's line.

    new_text: with `snippet` in the snippet syntax of LSP, its line breaks relative to the indentation of the line.
    filter: what the typed text is matched with.
    """

    label: str
    kind: ItemKind
    span: Span
    new_text: str
    detail: Text
    doc: Text | None = None
    snippet: bool = False
    filter: str = ""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of the outline. `selection` lies inside `span`."""

    name: str
    detail: str
    kind: SymbolKind
    span: Span
    selection: Span
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A span that names a file. `path` is absolute."""

    span: Span
    path: str


@dataclass(frozen=True, slots=True)
class InlayHint:
    """A label at an offset of the text, and the Markdown that explains it."""

    offset: int
    label: str
    tooltip: str


@dataclass(frozen=True, slots=True)
class CodeLens:
    """A line of its own above `span`.

    command: what a click does, one of the server's commands; empty for a text alone. arguments: plain data for it.
    """

    span: Span
    title: str
    command: str = ""
    arguments: tuple[object, ...] = ()


TokenKind = Literal["event", "function", "property", "variable", "enumMember"]
"""Words of LSP's standard token types, so that every colour theme has a colour for them."""


@dataclass(frozen=True, slots=True, order=True)
class Token:
    """A word on one line that has a meaning of its own. unknown: it means nothing here."""

    span: Span
    kind: TokenKind
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """The edits of one file that a new name asks for. `path` is absolute."""

    path: str
    edits: tuple[Edit, ...]
