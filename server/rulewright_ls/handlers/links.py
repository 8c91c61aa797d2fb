"""textDocument/definition and textDocument/documentLink."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types


async def definition(session: Session, params: types.DefinitionParams) -> Json | None:
    """Return the anchor that an alias stands for."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    offset = convert.offset(document.lines, params.position, session.client.unit)
    if not await session.analysed(document) or document.analysis is None:
        return None
    from rulewright.ide import links

    span = links.definition(document.analysis, offset)
    if span is None:
        return None
    return {"uri": document.uri, "range": convert.span_to_range(document.lines, span, session.client.unit)}


async def document_links(session: Session, params: types.DocumentLinkParams) -> list[Json]:
    """Return the files that a rule file names."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    await session.settled(document)
    if document.analysis is None:
        return []
    from rulewright.ide import links

    unit = session.client.unit
    return [
        {"range": convert.span_to_range(document.lines, link.span, unit), "target": PurePath(link.path).as_uri()}
        for link in links.links(document.analysis, session.facts_of(document))
    ]
