"""textDocument/completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types

    from rulewright.ide.results import Item
    from rulewright.text.language import Lang

# CompletionItemKind, InsertTextFormat and InsertTextMode (LSP 3.17).
KINDS = {"key": 10, "value": 12, "snippet": 15, "variable": 6, "code": 21, "file": 17}
SNIPPET = 2
ADJUST_INDENTATION = 2

TRIGGERS = (":", " ", "-", '"', "'", "{", "[", ",", ".", "$", "@", "/")
"""Characters after which a key, a value, a variable or its next part can begin."""


def complete(session: Session, params: types.CompletionParams) -> Json | None:
    """Return what can be written at a position, from the text as it is."""
    document = session.documents.get(params.text_document.uri)
    if document is None or not session.is_rule_file(document):
        return None
    from rulewright.ide import completion

    offset = convert.offset(document.lines, params.position, session.client.unit)
    found = completion.complete(
        session.format_of(document),
        document.path,
        document.text,
        document.lines,
        offset,
        snippets=session.client.snippets,
        project=session.facts_of(document),
    )
    lang = session.lang_of(document)
    ranges: dict[object, Json] = {}
    items: list[Json] = []
    for index, item in enumerate(found):
        place = ranges.get(item.span)
        if place is None:
            place = ranges[item.span] = dict(convert.span_to_range(document.lines, item.span, session.client.unit))
        items.append(_item(session, item, index, place, lang))
    return {"isIncomplete": False, "items": items}


def _item(session: Session, item: Item, index: int, place: Json, lang: Lang) -> Json:
    result: Json = {
        "label": item.label,
        "kind": KINDS[item.kind],
        "detail": item.detail.to(lang),
        "sortText": f"{index:04}",
        "filterText": item.filter or item.label,
        "textEdit": {"range": place, "newText": item.new_text},
    }
    if item.doc is not None:
        result["documentation"] = {"kind": "markdown", "value": item.doc.to(lang)}
    if item.snippet:
        result["insertTextFormat"] = SNIPPET
        if session.client.adjusts_indentation:
            result["insertTextMode"] = ADJUST_INDENTATION
    return result
