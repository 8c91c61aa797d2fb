"""The reports for machines: right units, escapes, and well-formed whatever the text holds."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import settings as under
from hypothesis import strategies as st

from rulewright.checking import Finding, Fix, Related, Severity, Summary, Text
from rulewright.errors import RulewrightError
from rulewright.files import Source
from rulewright.report import diff, github, junit, sarif
from rulewright.report import json as json_report
from rulewright.text.edits import Edit
from rulewright.text.language import same
from rulewright.text.lines import Lines
from rulewright.text.span import Span
from rulewright.workspace import CheckedFile, DocumentFacts, Failure, Outcome

CONTENT = "é: 😀 x\r\nb: y\n"


def outcome(message: str = "wrong", shown: str = "a.yaml", severity: Severity = Severity.ERROR) -> Outcome:
    finding = Finding(
        "block-after",
        Span(5, 6),
        Text(message, "不对"),
        severity,
        (Related(Span(8, 9), same("see")), Related(Span(0, 1), same("there"), path="/p/b.yaml")),
        (Fix(same("Change"), (Edit(Span(5, 6), "z"),)),),
    )
    facts = DocumentFacts("style", Lines(CONTENT))
    file = CheckedFile("/p/a.yaml", shown, Source(CONTENT), facts, (finding,), Summary("/p/a.yaml", "style"))
    other = CheckedFile("/p/b.yaml", "b.yaml", Source("x"), DocumentFacts("style", Lines("x")), (), file.summary)
    failure = Failure("/p/c.yaml", "c.yaml", RulewrightError(same("unreadable")))
    return Outcome((file,), (failure,), {"/p/a.yaml": file, "/p/b.yaml": other})


def test_json_is_as_the_contract_says() -> None:
    assert json.loads(json_report.render(outcome(), "en")) == {
        "version": 1,
        "files": 1,
        "diagnostics": [
            {
                "path": "a.yaml",
                "format": "style",
                "code": "block-after",
                "severity": "error",
                "message": "wrong",
                "range": {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 7}},
                "url": "https://rulewright.github.io/codes/block-after",
                "related": [
                    {
                        "path": "a.yaml",
                        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}},
                        "message": "see",
                    },
                    {
                        "path": "b.yaml",
                        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
                        "message": "there",
                    },
                ],
                "fixes": [
                    {
                        "title": "Change",
                        "safe": True,
                        "edits": [
                            {
                                "range": {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 7}},
                                "newText": "z",
                            }
                        ],
                    }
                ],
            }
        ],
    }
    assert json.loads(json_report.render(outcome(), "zh-CN"))["diagnostics"][0]["message"] == "不对"


def test_json_with_a_lone_surrogate_can_be_written() -> None:
    written = json_report.render(outcome("half \ud800"), "en")
    assert json.loads(written.encode())["diagnostics"][0]["message"] == "half \ud800"


def test_github_escapes() -> None:
    rows = github.render(outcome("100% of\r\na: b, c", "d:,%.yaml"), "en").split("\n")
    assert rows == [
        "::error file=d%3A%2C%25.yaml,line=1,endLine=1,col=6,endColumn=6,title=block-after::100%25 of%0D%0Aa: b, c",
        "::error file=c.yaml::unreadable",
        "",
    ]
    assert github.render(outcome(severity=Severity.WARNING), "en").startswith("::warning ")
    assert github.render(outcome(severity=Severity.HINT), "en").startswith("::notice ")


@under(deadline=None)
@given(st.text(max_size=40), st.text(max_size=10))
def test_github_is_one_line_a_finding(message: str, shown: str) -> None:
    written = github.render(outcome(message, shown), "en")
    assert written.replace("\r\n", "\n").replace("\r", "\n").count("\n") == 2


def test_junit_counts() -> None:
    suites = ET.fromstring(junit.render(outcome(), "en", strict=False))
    assert suites.attrib == {"name": "rulewright", "tests": "2", "failures": "1", "errors": "1"}
    failure = suites.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.text == "a.yaml:1:6: error[block-after]: wrong"
    assert suites.find("testsuite[@name='c.yaml']/testcase/error") is not None


@pytest.mark.parametrize(("strict", "failures"), [(False, "0"), (True, "1")])
def test_junit_fails_where_the_exit_code_does(strict: bool, failures: str) -> None:
    written = junit.render(outcome(severity=Severity.WARNING), "en", strict=strict)
    assert ET.fromstring(written).attrib["failures"] == failures


@under(deadline=None)
@given(st.text(st.characters(), max_size=30), st.text(st.characters(), max_size=10))
def test_junit_is_xml_whatever_comes(message: str, shown: str) -> None:
    suites = ET.fromstring(junit.render(outcome(message, shown), "en", strict=False).encode())
    assert suites.tag == "testsuites"


def test_junit_replaces_what_xml_cannot_hold() -> None:
    written = junit.render(outcome('a\x00\x1b\ufffe<&"]]>\n'), "en", strict=False)
    failure = ET.fromstring(written).find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.attrib["message"] == 'a\ufffd\ufffd\ufffd<&"]]>\n'


def test_sarif_has_what_the_standard_requires() -> None:
    log = json.loads(sarif.render(outcome("wrong \ud800", "d é/a b.yaml"), "en"))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    [run] = log["runs"]
    assert run["columnKind"] == "utf16CodeUnits"
    driver = run["tool"]["driver"]
    assert driver["name"] == "rulewright"
    [rule] = driver["rules"]
    assert rule["id"] == "block-after"
    assert rule["helpUri"].startswith("https://")
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert rule["shortDescription"]["text"]
    [result] = run["results"]
    assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in ("none", "note", "warning", "error")
    assert result["message"] == {"text": "wrong \ud800"}
    [place] = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "d%20%C3%A9/a%20b.yaml"},
        "region": {"startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 8},
    }
    assert [note["id"] for note in result["relatedLocations"]] == [1, 2]
    [fix] = result["fixes"]
    [change] = fix["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 8},
            "insertedContent": {"text": "z"},
        }
    ]
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    [notification] = invocation["toolExecutionNotifications"]
    assert notification["message"] == {"text": "unreadable"}


def test_sarif_names_of_files() -> None:
    assert sarif.uri_of("/p/a b.yaml") == "file:///p/a%20b.yaml"
    assert sarif.uri_of("a/b#c.yaml") == "a/b%23c.yaml"
    assert sarif.uri_of("a\udcff.yaml") == "a%FF.yaml"


def test_a_clean_run_is_still_a_report() -> None:
    empty = Outcome(())
    assert json.loads(json_report.render(empty, "en")) == {"version": 1, "files": 0, "diagnostics": []}
    assert json.loads(sarif.render(empty, "en"))["runs"][0]["results"] == []
    assert ET.fromstring(junit.render(empty, "en", strict=True)).attrib["tests"] == "0"
    assert github.render(empty, "en") == ""


def test_diffs() -> None:
    assert diff.unified("a\nb\n", "a\nc\n", "x") == "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert diff.unified("a", "a\n", "x") == "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    assert diff.unified("", "a\n", "x", new=True).startswith("--- /dev/null\n+++ b/x\n")
    assert diff.unified("a\n", "", "x", gone=True).startswith("--- a/x\n+++ /dev/null\n")
    assert diff.unified("a\r\n\u2028b\r\n", "a\r\n\u2028c\r\n", "x").count("\n") == 6
    assert diff.unified("a", "a", "x") == ""
