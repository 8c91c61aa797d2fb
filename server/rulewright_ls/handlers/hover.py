"""textDocument/hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types


def hover(session: Session, params: types.HoverParams) -> Json | None:
    """Return what is to be said of a place. Where the analysis is still under way, what the text alone tells."""
    document = session.documents.get(params.text_document.uri)
    if document is None or not session.is_rule_file(document):
        return None
    from rulewright.ide import hover as ide

    offset = convert.offset(document.lines, params.position, session.client.unit)
    lang = session.lang_of(document)
    if session.analyse_if_quick(document):
        found = (
            None
            if document.analysis is None
            else ide.hover(document.analysis, offset, lang, session.facts_of(document))
        )
    else:
        found = ide.hover_in_text(session.format_of(document), document.text, document.lines, offset, lang)
    if found is None:
        return None
    return {
        "contents": {"kind": "markdown", "value": found.markdown},
        "range": convert.span_to_range(document.lines, found.span, session.client.unit),
    }
