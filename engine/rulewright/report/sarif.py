"""The report as SARIF 2.1.0 (OASIS standard), which code scanning services read."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from rulewright import __version__
from rulewright.checking import Finding, Fix, Severity, code_url
from rulewright.checks import all_checks
from rulewright.text.language import Lang
from rulewright.text.lines import Lines
from rulewright.text.span import Span

if TYPE_CHECKING:
    from rulewright.workspace import CheckedFile, Outcome

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.HINT: "note"}


def render(outcome: Outcome, lang: Lang) -> str:
    """Return one run as a JSON text. Columns are one-based UTF-16, as `columnKind` says."""
    codes = sorted({finding.code for file in outcome.files for finding in file.findings})
    run = {
        "tool": {
            "driver": {
                "name": "rulewright",
                "semanticVersion": __version__,
                "informationUri": "https://rulewright.github.io",
                "rules": [_rule(code) for code in codes],
            }
        },
        "columnKind": "utf16CodeUnits",
        # The standard's own default leaves out CR, which is a line end here as in the protocol.
        "newlineSequences": ["\r\n", "\n", "\r"],
        "invocations": [_invocation(outcome, lang)],
        "results": [
            _result(outcome, file, finding, codes.index(finding.code), lang)
            for file in outcome.files
            for finding in file.findings
        ],
    }
    # ASCII only: also a lone surrogate stays readable as an escape.
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, object]:
    rule: dict[str, object] = {"id": code, "helpUri": code_url(code)}
    check = next((check for check in all_checks() if check.code == code), None)
    if check is not None:
        page = inspect.cleandoc(check.page)
        rule["shortDescription"] = {"text": page.split("\n", 1)[0] or code}
        rule["help"] = {"text": page or code, "markdown": page or code}
        rule["defaultConfiguration"] = {"level": _LEVEL[check.severity]}
    return rule


def _invocation(outcome: Outcome, lang: Lang) -> dict[str, object]:
    found: dict[str, object] = {"executionSuccessful": not outcome.failures}
    if outcome.failures:
        found["toolExecutionNotifications"] = [
            {
                "level": "error",
                "message": {"text": failure.error.to(lang)},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri_of(failure.shown)}}}],
            }
            for failure in outcome.failures
        ]
    return found


def _result(outcome: Outcome, file: CheckedFile, finding: Finding, index: int, lang: Lang) -> dict[str, object]:
    lines = file.document.lines
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVEL[finding.severity],
        "message": {"text": finding.message.to(lang)},
        "locations": [_location(file.shown, lines, finding.span)],
    }
    related = [
        _location(shown, other, note.span) | {"id": number, "message": {"text": note.message.to(lang)}}
        for number, (note, shown, other) in enumerate(outcome.related_places(file, finding), 1)
    ]
    if related:
        result["relatedLocations"] = related
    fixes = [_fix(file, fix, lang) for fix in finding.fixes if fix.edits]
    if fixes:
        result["fixes"] = fixes
    return result


def _fix(file: CheckedFile, fix: Fix, lang: Lang) -> dict[str, object]:
    replacements = [
        {"deletedRegion": _region(file.document.lines, edit.span), "insertedContent": {"text": edit.new_text}}
        for edit in fix.edits
    ]
    change = {"artifactLocation": {"uri": uri_of(file.shown)}, "replacements": replacements}
    return {"description": {"text": fix.title.to(lang)}, "artifactChanges": [change]}


def _location(shown: str, lines: Lines, span: Span) -> dict[str, object]:
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri_of(shown)}, "region": _region(lines, span)},
    }


def _region(lines: Lines, span: Span) -> dict[str, int]:
    start, end = lines.position_at(span.start, "utf-16"), lines.position_at(span.end, "utf-16")
    return {
        "startLine": start.line + 1,
        "startColumn": start.column + 1,
        "endLine": end.line + 1,
        "endColumn": end.column + 1,
    }


def uri_of(shown: str) -> str:
    """Return a path as a URI: relative ones stay relative, absolute ones become `file:` URIs."""
    if os.path.isabs(shown):
        return Path(shown).as_uri()
    return quote(shown.encode("utf-8", "surrogateescape"))
