"""Findings as diagnostics: pushed, or pulled by clients that can (LSP 3.17, textDocument/diagnostic); never both."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.documents import OpenDocument
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types

    from rulewright.checking import Finding
    from rulewright.syntax.tree import Related
    from rulewright.text.language import Lang

UNNECESSARY = 1
"""DiagnosticTag (LSP 3.17)."""


def published(session: Session, document: OpenDocument) -> Json:
    """Return the parameters of textDocument/publishDiagnostics for an analysed document."""
    return {"uri": document.uri, "version": document.version, "diagnostics": items(session, document)}


async def pull(session: Session, params: types.DocumentDiagnosticParams) -> Json:
    """Answer textDocument/diagnostic with the findings of the text as it is, however long typing goes on."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return {"kind": "full", "items": []}
    await session.settled(document)
    result_id = f"{session.epoch}.{document.stamp}"
    if params.previous_result_id == result_id:
        return {"kind": "unchanged", "resultId": result_id}
    return {"kind": "full", "resultId": result_id, "items": [] if document.closed else items(session, document)}


def items(session: Session, document: OpenDocument) -> list[Json]:
    """Return the diagnostics of an analysed document."""
    if not document.findings:
        return []
    lang = session.lang_of(document)
    return [diagnostic(session, document, finding, lang) for finding in document.findings]


def diagnostic(session: Session, document: OpenDocument, finding: Finding, lang: Lang) -> Json:
    """Return one finding as a diagnostic."""
    from rulewright.checking import code_url

    found: Json = {
        "range": convert.span_to_range(document.lines, finding.span, session.client.unit),
        "severity": int(finding.severity),
        "code": finding.code,
        "codeDescription": {"href": code_url(finding.code)},
        "source": "rulewright",
        "message": finding.message.to(lang),
    }
    if finding.unnecessary:
        found["tags"] = [UNNECESSARY]
    if finding.related:
        found["relatedInformation"] = [
            related for note in finding.related if (related := _related(session, document, note, lang)) is not None
        ]
    return found


def _related(session: Session, document: OpenDocument, note: Related, lang: Lang) -> Json | None:
    uri, lines = document.uri, document.lines
    if note.path is not None and note.path != document.path:
        other = next((d for d in session.documents if d.path == note.path), None)
        if other is not None:
            uri, lines = other.uri, other.lines
        else:
            from rulewright import files
            from rulewright.text.lines import Lines

            text = files.read_text_or_none(note.path)
            if text is None:
                return None
            uri, lines = PurePath(note.path).as_uri(), Lines(text)
    place = convert.span_to_range(lines, note.span, session.client.unit)
    return {"location": {"uri": uri, "range": place}, "message": note.message.to(lang)}
