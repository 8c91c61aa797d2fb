"""textDocument/inlayHint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types


async def inlay_hints(session: Session, params: types.InlayHintParams) -> list[Json]:
    """Return the hints in the range that the client shows."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    await session.settled(document)
    if document.analysis is None:
        return []
    from rulewright.ide import inlay_hints as ide

    unit = session.client.unit
    shown = convert.range_to_span(document.lines, params.range, unit)
    return [
        {
            "position": convert.position(document.lines, hint.offset, unit),
            "label": hint.label,
            "tooltip": {"kind": "markdown", "value": hint.tooltip},
            "paddingLeft": True,
        }
        for hint in ide.inlay_hints(document.analysis, shown, session.lang_of(document))
    ]
