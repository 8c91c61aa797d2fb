"""textDocument/foldingRange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright_ls.convert import Json
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types


async def folding(session: Session, params: types.FoldingRangeParams) -> list[Json]:
    """Return what can be folded."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    await session.settled(document)
    if document.analysis is None:
        return []
    from rulewright.ide.folding import folds

    return [
        {"startLine": fold.first, "endLine": fold.last, **({"kind": "comment"} if fold.comment else {})}
        for fold in folds(document.analysis)
    ]
