"""textDocument/prepareRename and textDocument/rename."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcInvalidParams

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types


async def prepare(session: Session, params: types.PrepareRenameParams) -> Json | None:
    """Return the place of the name that can be changed."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    offset = convert.offset(document.lines, params.position, session.client.unit)
    if not await session.analysed(document) or document.analysis is None:
        return None
    from rulewright.ide import rename as ide

    span = ide.name_at(document.analysis, offset, session.facts_of(document))
    return None if span is None else dict(convert.span_to_range(document.lines, span, session.client.unit))


async def rename(session: Session, params: types.RenameParams) -> Json | None:
    """Return the edits for a new name, in all files of the project.

    Raises:
        JsonRpcInvalidParams: the new name cannot be one.
    """
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    offset = convert.offset(document.lines, params.position, session.client.unit)
    if not await session.analysed(document) or document.analysis is None:
        return None
    from rulewright.errors import RulewrightError
    from rulewright.ide import rename as ide
    from rulewright.text.lines import Lines

    try:
        found = ide.rename(document.analysis, offset, params.new_name, session.text_of, session.facts_of(document))
    except RulewrightError as error:
        raise JsonRpcInvalidParams(message=error.to(session.lang_of(document))) from None
    changes: dict[str, list[Json]] = {}
    for file in found:
        opened = session.opened(file.path)
        text = session.text_of(file.path)
        if text is None:
            continue
        lines = document.lines if opened is document else Lines(text)
        uri = PurePath(file.path).as_uri() if opened is None else opened.uri
        changes[uri] = [
            {"range": convert.span_to_range(lines, edit.span, session.client.unit), "newText": edit.new_text}
            for edit in file.edits
        ]
    return {"changes": changes}
