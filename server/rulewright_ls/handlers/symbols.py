"""textDocument/documentSymbol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.documents import OpenDocument
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types

    from rulewright.ide.results import Symbol

# SymbolKind (LSP 3.17).
KINDS = {"package": 4, "rule": 5, "condition": 8, "action": 12}


async def symbols(session: Session, params: types.DocumentSymbolParams) -> list[Json]:
    """Return the outline of the text as it was when it was asked for, or of what it has become meanwhile."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    await session.settled(document)
    if document.analysis is None:
        return []
    from rulewright.ide.symbols import symbols as outline

    return [_symbol(session, document, symbol) for symbol in outline(document.analysis)]


def _symbol(session: Session, document: OpenDocument, symbol: Symbol) -> Json:
    unit = session.client.unit
    result: Json = {
        "name": symbol.name,
        "kind": KINDS[symbol.kind],
        "range": convert.span_to_range(document.lines, symbol.span, unit),
        "selectionRange": convert.span_to_range(document.lines, symbol.selection, unit),
    }
    if symbol.detail:
        result["detail"] = symbol.detail
    if symbol.children:
        result["children"] = [_symbol(session, document, child) for child in symbol.children]
    return result
