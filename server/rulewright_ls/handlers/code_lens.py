"""textDocument/codeLens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types


async def code_lenses(session: Session, params: types.CodeLensParams) -> list[Json]:
    """Return the lines above the rules of a text."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    await session.settled(document)
    if document.analysis is None:
        return []
    from rulewright.ide import code_lens as ide

    found = ide.code_lenses(document.analysis, session.lang_of(document), session.facts_of(document))
    return [
        {
            "range": convert.span_to_range(document.lines, lens.span, session.client.unit),
            "command": {"title": lens.title, "command": lens.command, "arguments": list(lens.arguments)},
        }
        for lens in found
    ]
