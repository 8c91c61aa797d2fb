"""The report as workflow commands, which GitHub shows as annotations at the lines of a pull request.

Source: GitHub documentation, "Workflow commands for GitHub Actions", and `@actions/core` (toolkit, command.ts) for the
escapes: `%`, CR and LF in the message, also `:` and `,` in a property.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulewright.checking import Severity
from rulewright.text.language import Lang

if TYPE_CHECKING:
    from rulewright.workspace import Outcome

_COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice", Severity.HINT: "notice"}


def render(outcome: Outcome, lang: Lang) -> str:
    """Return one line a finding; one-based lines and columns, in code points."""
    rows = []
    for file in outcome.files:
        lines = file.document.lines
        for finding in file.findings:
            start, end = lines.position_at(finding.span.start), lines.position_at(finding.span.end)
            properties = {"file": file.shown, "line": start.line + 1, "endLine": end.line + 1}
            # Columns over several lines are refused by the runner ("endColumn" only where the lines are the same).
            if start.line == end.line:
                properties |= {"col": start.column + 1, "endColumn": max(end.column, start.column + 1)}
            properties["title"] = finding.code
            listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
            rows.append(f"::{_COMMAND[finding.severity]} {listed}::{_data(finding.message.to(lang))}\n")
    for failure in outcome.failures:
        rows.append(f"::error file={_property(failure.shown)}::{_data(failure.error.to(lang))}\n")
    return "".join(rows)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
