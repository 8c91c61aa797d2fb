"""The JSON report: zero-based lines and UTF-16 columns as in the protocol, the same list as the language server's.

Source: cli.md, `check --format json`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rulewright.checking import Finding, Fix, code_url
from rulewright.text.language import Lang
from rulewright.text.lines import Lines
from rulewright.text.span import Span

if TYPE_CHECKING:
    from rulewright.workspace import CheckedFile, Outcome

VERSION = 1
"""Raised when a key changes its meaning or goes away; new keys do not raise it."""


def render(outcome: Outcome, lang: Lang) -> str:
    """Return the report as one JSON object and a line end."""
    diagnostics = [_diagnostic(outcome, file, finding, lang) for file in outcome.files for finding in file.findings]
    report = {"version": VERSION, "files": len(outcome.files), "diagnostics": diagnostics}
    # A lone surrogate from an escape in the text must come out as an escape again, so ASCII where there is one.
    text = json.dumps(report, ensure_ascii=False, indent=2)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(report, indent=2)
    return text + "\n"


def range_of(lines: Lines, span: Span) -> dict[str, dict[str, int]]:
    """Return a span as the protocol's Range: zero-based lines, UTF-16 columns."""
    start, end = lines.position_at(span.start, "utf-16"), lines.position_at(span.end, "utf-16")
    return {
        "start": {"line": start.line, "character": start.column},
        "end": {"line": end.line, "character": end.column},
    }


def _diagnostic(outcome: Outcome, file: CheckedFile, finding: Finding, lang: Lang) -> dict[str, object]:
    lines = file.document.lines
    return {
        "path": file.shown,
        "format": file.document.format,
        "code": finding.code,
        "severity": finding.severity.label,
        "message": finding.message.to(lang),
        "range": range_of(lines, finding.span),
        "url": code_url(finding.code),
        "related": [
            {"path": shown, "range": range_of(other, note.span), "message": note.message.to(lang)}
            for note, shown, other in outcome.related_places(file, finding)
        ],
        "fixes": [_fix(lines, fix, lang) for fix in finding.fixes],
    }


def _fix(lines: Lines, fix: Fix, lang: Lang) -> dict[str, object]:
    return {
        "title": fix.title.to(lang),
        "safe": fix.safe,
        "edits": [{"range": range_of(lines, edit.span), "newText": edit.new_text} for edit in fix.edits],
    }
