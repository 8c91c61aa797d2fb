"""The report as JUnit XML: a suite for each file, a case for each finding.

There is no official schema; elements and attributes are those that Jenkins and GitLab read (Jenkins xUnit plugin,
junit-10.xsd). What does not make the run fail is written as output of a passed case.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from rulewright.checking import Finding, Severity
from rulewright.text.language import Lang

if TYPE_CHECKING:
    from rulewright.workspace import CheckedFile, Outcome

# All that XML 1.0 cannot hold, even escaped (XML 1.0, production 2, Char).
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(outcome: Outcome, lang: Lang, *, strict: bool) -> str:
    """Return an XML document. `strict`: warnings are failures too, as for the exit code."""
    suites = [_suite(file, lang, strict) for file in outcome.files]
    for failure in outcome.failures:
        suites.append(
            f'  <testsuite name={_attribute(failure.shown)} tests="1" failures="0" errors="1">\n'
            f'    <testcase classname={_attribute(failure.shown)} name="read">\n'
            f"      <error message={_attribute(failure.error.to(lang))}/>\n    </testcase>\n  </testsuite>\n"
        )
    failures = sum(fails(finding, strict) for file in outcome.files for finding in file.findings)
    tests = sum(max(1, len(file.findings)) for file in outcome.files) + len(outcome.failures)
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="rulewright" tests="{tests}" failures="{failures}" errors="{len(outcome.failures)}">\n'
    )
    return head + "".join(suites) + "</testsuites>\n"


def fails(finding: Finding, strict: bool) -> bool:
    """Tell whether a finding makes the run fail."""
    return finding.severity <= (Severity.WARNING if strict else Severity.ERROR)


def _suite(file: CheckedFile, lang: Lang, strict: bool) -> str:
    failures = sum(fails(finding, strict) for finding in file.findings)
    cases = "".join(_case(file, finding, lang, strict) for finding in file.findings)
    if not file.findings:
        cases = f'    <testcase classname={_attribute(file.shown)} name="check"/>\n'
    return (
        f'  <testsuite name={_attribute(file.shown)} tests="{max(1, len(file.findings))}" '
        f'failures="{failures}" errors="0">\n{cases}  </testsuite>\n'
    )


def _case(file: CheckedFile, finding: Finding, lang: Lang, strict: bool) -> str:
    place = file.document.lines.position_at(finding.span.start)
    where = f"{file.shown}:{place.line + 1}:{place.column + 1}"
    message = finding.message.to(lang)
    head = (
        f"    <testcase classname={_attribute(file.shown)} name={_attribute(finding.code)} "
        f'file={_attribute(file.shown)} line="{place.line + 1}">\n'
    )
    body = escape(_clean(f"{where}: {finding.severity.label}[{finding.code}]: {message}"))
    if fails(finding, strict):
        inner = f"<failure message={_attribute(message)} type={_attribute(finding.severity.label)}>{body}</failure>"
    else:
        inner = f"<system-out>{body}</system-out>"
    return f"{head}      {inner}\n    </testcase>\n"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
