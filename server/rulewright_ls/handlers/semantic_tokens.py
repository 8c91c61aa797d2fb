"""textDocument/semanticTokens/full and /range."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.documents import OpenDocument
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types

    from rulewright.ide.results import Token

# What the numbers in an answer mean (LSP 3.17, SemanticTokensLegend): words of the standard.
TOKEN_TYPES = ("event", "function", "property", "variable", "enumMember")
MODIFIERS = ("deprecated",)
UNKNOWN = 1
"""The bit of `deprecated`: of the standard's modifiers the one that themes strike through."""


async def full(session: Session, params: types.SemanticTokensParams) -> Json | None:
    """Return the words of a whole text."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    found = await _tokens(session, document)
    return None if found is None else {"data": _encoded(session, document, found)}


async def in_range(session: Session, params: types.SemanticTokensRangeParams) -> Json | None:
    """Return the words of a part."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    found = await _tokens(session, document)
    if found is None:
        return None
    part = convert.range_to_span(document.lines, params.range, session.client.unit)
    inside = [token for token in found if token.span.start < part.end and part.start < token.span.end]
    return {"data": _encoded(session, document, inside)}


async def _tokens(session: Session, document: OpenDocument) -> list[Token] | None:
    if not await session.analysed(document) or document.analysis is None:
        return None
    from rulewright.ide import semantic_tokens as ide

    return ide.semantic_tokens(document.analysis)


def _encoded(session: Session, document: OpenDocument, tokens: Iterable[Token]) -> list[int]:
    """Return five numbers a word, its place relative to the one before (LSP 3.17, Integer Encoding for Tokens)."""
    numbers: list[int] = []
    line = column = 0
    for token in tokens:
        start = convert.position(document.lines, token.span.start, session.client.unit)
        end = convert.position(document.lines, token.span.end, session.client.unit)
        below = start["line"] - line
        across = start["character"] if below else start["character"] - column
        length = end["character"] - start["character"]
        numbers += [below, across, length, TOKEN_TYPES.index(token.kind), UNKNOWN if token.unknown else 0]
        line, column = start["line"], start["character"]
    return numbers
