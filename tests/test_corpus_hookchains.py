"""The corpus of faults seen in the wild, hook chains: for each file the findings it must have, and no other warning or error."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright import files
from rulewright.analysis import Analysis, analyze
from rulewright.checking import Finding, Severity
from rulewright.formats.hook_chains.config import compiled
from rulewright.settings import Settings
from rulewright.text.lines import Lines
from support.engine import read
from test_corpus import fits

CORPUS = Path(__file__).parent / "corpus"
CASES = CORPUS / "hookchains"
SKELETONS = CORPUS / "lsp" / "04-empty-and-skeletal-files"

CODES = {
    "unknown-key": "unknown-field",
    "empty-condition": "chain-condition-empty",
    "unknown-tool-case": "chain-tool-name",
    "suspicious-unit": "chain-window-units",
    "out-of-range": "invalid-schema",
    "type-mismatch": "invalid-schema",
    "invalid-value": "invalid-schema",
    "too-short": "invalid-schema",
    "conflicting-keys": "chain-outcome-conflict",
    "never-fires": "chain-depth-dead",
    "no-active-action": "chain-disabled",
    "ineffective-value": "chain-depth-dead",
    "duplicate-id": "chain-duplicate-id",
    "too-deep": "json-too-deep",
}
"""The corpus's word for a fault -> our code; a word that is not here is the code."""

SPEC_WINS = {"duplicate-key": "error", "chain-duplicate-id": "warning", "chain-depth-dead": "warning"}
"""Codes whose severity hook-chains.md section 7 settles otherwise than the corpus."""

REFUSED = {
    "03-seconds-in-millisecond-fields": {"input.json"},
    "04-json-faults": {
        "array.json", "comment.json", "ctrl.json", "cut.json", "empty.json", "nan.json", "null.json", "single.json", "tail.json",
        "trailing.json",
    },
    "05-names-and-enums": {"input.json"},
    "06-switched-off-by-accident": {"depth0.json", "depth11.json", "input.json", "version.json"},
}  # fmt: skip
"""The files that OpenClaude turns off as a whole, by the corpus's own words."""


def inputs() -> Iterator[tuple[str, dict[str, Any], Path]]:
    """Return name, expectation and path of every file in the corpus."""
    for folder in sorted(path for path in CASES.iterdir() if (path / "case.json").exists()):
        expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]
        for path in sorted(folder.glob("*.json")):
            if path.name not in ("case.json", "table.json"):
                yield f"{folder.name}/{path.name}", expected, path


ALL = list(inputs())


def analyzed(path: Path) -> Analysis:
    return analyze(read(".openclaude/hook-chains.json", files.read_source(str(path)).text), Settings())


def problems_of(found: list[Finding], name: str, expected: dict[str, Any], lines: Lines) -> list[str]:
    """Return how findings differ from what is expected of one file."""
    problems: list[str] = []
    for wanted in expected.get("diagnostics", []):
        if wanted["file"] != name:
            continue
        wanted = {**wanted, "kind": CODES.get(wanted["kind"], wanted["kind"])}
        met = next((finding for finding in found if fits(finding, wanted, lines)), None)
        if met is None:
            if not wanted.get("optional") and wanted["severity"] != "info":
                problems.append(f"missing: {wanted['kind']} at {wanted['range']}")
            continue
        found.remove(met)
        severity = SPEC_WINS.get(met.code, wanted["severity"])
        if met.severity.label != severity:
            problems.append(f"{met.code} is {met.severity.label}, wanted {severity}")
    for finding in found:
        if finding.severity <= Severity.WARNING:
            start = lines.position_at(finding.span.start, "utf-16")
            problems.append(f"not expected: {finding.code} at {start.line}:{start.column}: {finding.message.en}")
    return problems


def test_the_corpus_is_here() -> None:
    assert len(ALL) >= 20


@pytest.mark.parametrize(("name", "expected", "path"), ALL, ids=[name for name, _, _ in ALL])
def test_file(name: str, expected: dict[str, Any], path: Path) -> None:
    result = analyzed(path)
    problems = problems_of(list(result.findings), path.name, expected, result.document.lines)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(("name", "expected", "path"), ALL, ids=[name for name, _, _ in ALL])
@pytest.mark.ledger("H005")
def test_a_refused_file_is_off_and_says_why(name: str, expected: dict[str, Any], path: Path) -> None:
    document = analyzed(path).document
    result = compiled(document)
    folder, _, file = name.partition("/")
    if file in REFUSED.get(folder, ()):
        assert result["error"].startswith("line ")
        assert result["config"]["enabled"] is False
        assert result["config"]["rules"] == []
        grave = [p for p in document.problems if p.code in ("invalid-schema", "json-syntax", "chain-outcome-conflict")]
        assert all("turns all rules of this file off" in problem.message.en for problem in grave)
    else:
        assert result["error"] is None


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the files that are too large to store."""
    folder = tmp_path_factory.mktemp("made")
    arguments = sys.argv
    sys.argv = ["make_input.py", str(folder)]
    try:
        runpy.run_path(str(CASES / "07-deep-nesting-and-size" / "make_input.py"))
    finally:
        sys.argv = arguments
    return folder


def test_nested_too_deep(made: Path) -> None:
    assert [finding.code for finding in analyzed(made / "deep.json").findings] == ["json-too-deep"]


def test_twenty_thousand_unknown_keys_are_a_hundred_and_a_count(made: Path) -> None:
    found = [finding for finding in analyzed(made / "keys.json").findings if finding.code == "unknown-field"]
    assert len(found) == 101
    assert "19900 more" in found[-1].message.en
    assert "19900" in found[-1].message.zh


def test_a_number_of_six_thousand_digits(made: Path) -> None:
    found = [finding for finding in analyzed(made / "longint.json").findings if finding.severity is Severity.ERROR]
    assert [finding.code for finding in found] == ["invalid-schema"]
    assert "out of its range" in found[0].message.en


def test_one_id_twice_in_five_thousand_rules(made: Path) -> None:
    result = analyzed(made / "many.json")
    found = [finding for finding in result.findings if finding.severity <= Severity.WARNING]
    assert [finding.code for finding in found] == ["chain-duplicate-id"]
    line = result.document.lines.line_at(found[0].span.start)
    assert result.document.lines.line_text(line).strip() == '"id": "r17"'


@pytest.mark.parametrize("path", sorted(SKELETONS.glob("j*.json")), ids=lambda path: path.stem)
def test_skeletal_files(path: Path) -> None:
    """A file that is just being begun: few findings, at the top or on what is wrong."""
    found = [finding for finding in analyzed(path).findings if finding.severity <= Severity.WARNING]
    wanted = {
        "j0": ["json-syntax"],
        "j1": ["json-syntax"],
        "j2": [],
        "j3": ["invalid-schema"] * 4,
    }
    assert [finding.code for finding in found] == wanted[path.stem]


def test_every_word_is_still_needed() -> None:
    kinds = {wanted["kind"] for _, expected, _ in ALL for wanted in expected.get("diagnostics", [])}
    made_by_script = {"too-deep"}
    assert set(CODES) - kinds <= made_by_script
