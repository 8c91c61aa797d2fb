"""didOpen, didChange, didSave, didClose, and what happens to files outside the editor."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.documents import OpenDocument, uri_to_path
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types

log = logging.getLogger(__name__)

SETTINGS_FILES = ("rulewright.toml", "pyproject.toml")


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """Take a text."""
    item = params.text_document
    session.open(item.uri, item.version, item.text, str(getattr(item.language_id, "value", item.language_id)))


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """Apply changes, in their order."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        log.warning("a change of %s, which is not open", params.text_document.uri)
        return
    session.change(document, params.text_document.version, convert.changes(params.content_changes))


def did_save(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    """A saved settings file changes everything; a saved rule file may have new text files beside it."""
    path = uri_to_path(params.text_document.uri, windows=session.documents.windows)
    if is_settings_file(path):
        session.reload()
        return
    document = session.documents.get(params.text_document.uri)
    if document is not None and document.analysis is not None and names_text_files(document):
        session.outdate(document)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> OpenDocument | None:
    """Forget a text; returns it, so that its findings can be taken back."""
    return session.close(params.text_document.uri)


def did_change_watched_files(session: Session, params: types.DidChangeWatchedFilesParams) -> None:
    """Files changed outside the editor. The open texts win over what is on disk."""
    paths = [uri_to_path(change.uri, windows=session.documents.windows) for change in params.changes]
    if any(is_settings_file(path) for path in paths):
        session.reload()
        return
    session.changed_on_disk(*paths)
    for document in session.documents:
        if document.analysis is not None and names_text_files(document):
            session.outdate(document)


def is_settings_file(path: str) -> bool:
    """Tell whether a file may hold our settings."""
    return path.replace("\\", "/").rpartition("/")[2] in SETTINGS_FILES


def names_text_files(document: OpenDocument) -> bool:
    """Tell whether an analysed document depends on other files."""
    return document.analysis is not None and any(
        rule.text_file.known for rule in document.analysis.document.package.rules
    )
