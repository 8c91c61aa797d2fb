"""textDocument/codeAction. Each action carries its edit: nothing is resolved later, nothing is remembered."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rulewright_ls import convert
from rulewright_ls.convert import Json
from rulewright_ls.documents import OpenDocument
from rulewright_ls.handlers import diagnostics
from rulewright_ls.session import Session

if TYPE_CHECKING:
    from lsprotocol import types

    from rulewright.ide.code_actions import Action

QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.rulewright"
REFACTOR = "refactor.rewrite"
KINDS = (QUICK_FIX, FIX_ALL, REFACTOR)


async def code_actions(session: Session, params: types.CodeActionParams) -> list[Json] | None:
    """Return the changes for a range of the text as it is; None if the text changed while it was looked at."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    span = convert.range_to_span(document.lines, params.range, session.client.unit)
    wanted = (
        None if params.context.only is None else [str(getattr(kind, "value", kind)) for kind in params.context.only]
    )
    if not await session.analysed(document):
        return None
    if document.analysis is None:
        return []
    from rulewright.ide import code_actions as ide

    lang = session.lang_of(document)
    found: list[Json] = []
    if _wants(wanted, QUICK_FIX):
        found += [_action(session, document, action) for action in ide.actions(document.analysis, span, lang)]
    fixable = bool(found)
    if _wants(wanted, REFACTOR):
        found += [_action(session, document, action) for action in ide.refactorings(document.analysis, span, lang)]
    # It is worked out by analysing again: not asked for, it is offered beside something to fix in a text where that is cheap.
    asked = wanted is not None or (fixable and session.is_quick(document))
    if asked and _wants(wanted, FIX_ALL):
        revision = document.revision
        action = await _fix_all(session, document)
        if document.revision != revision or document.closed:
            return None
        if action is not None:
            found.append(_action(session, document, action))
    return found


def _wants(only: list[str] | None, kind: str) -> bool:
    """Tell whether a kind is asked for: the kind itself, or one that it is a part of (LSP 3.17, CodeActionKind)."""
    return only is None or any(kind == asked or kind.startswith(asked + ".") or not asked for asked in only)


async def _fix_all(session: Session, document: OpenDocument) -> Action | None:
    """Return the change that applies all safe fixes to the text as it is; None if there is none, or the text changed meanwhile.

    What is said of other files may change while it is worked out beside the loop: then it is worked out anew.
    """
    from rulewright import workspace
    from rulewright.ide import code_actions as ide

    while await session.analysed(document) and document.analysis is not None and _has_safe_fix(document):
        analysis, settings, lang = document.analysis, session.project_of(document).settings, session.lang_of(document)
        work = partial(ide.fix_all, analysis, settings, workspace.facts_of(analysis.document), lang)
        action = await session.aside(document, work)
        if document.analysis is analysis:
            return action
    return None


def _has_safe_fix(document: OpenDocument) -> bool:
    return any(fix.safe for finding in document.findings for fix in finding.fixes[:1])


def _action(session: Session, document: OpenDocument, action: Action) -> Json:
    lang = session.lang_of(document)
    result: Json = {
        "title": action.title,
        "kind": FIX_ALL if action.kind == "source.fixAll" else action.kind,
        "edit": _workspace_edit(session, document, action),
    }
    if action.findings:
        result["diagnostics"] = [
            diagnostics.diagnostic(session, document, finding, lang) for finding in action.findings
        ]
    if action.preferred:
        result["isPreferred"] = True
    return result


def _workspace_edit(session: Session, document: OpenDocument, action: Action) -> Json:
    edits = convert.edits(document.lines, action.edits, session.client.unit)
    if session.client.versioned_edits:
        return {
            "documentChanges": [{"textDocument": {"uri": document.uri, "version": document.version}, "edits": edits}]
        }
    return {"changes": {document.uri: edits}}
