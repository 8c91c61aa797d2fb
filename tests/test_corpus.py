"""The corpus of faults seen in the wild: for each file the findings it must have, and no other warning or error.

`tests/corpus/README.md` does not come along; in short: `match` says how near the range must be, `optional` findings may be
missing, files under `clean` have nothing above information level. Ranges are zero-based lines and UTF-16 columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright.analysis import analyze
from rulewright.checking import Finding, Severity
from rulewright.settings import Settings
from rulewright.text.lines import Lines
from rulewright.text.span import Span
from support.engine import read

CORPUS = Path(__file__).parent / "corpus"
CASES = ("style/*", "lsp/01-*", "lsp/02-*", "lsp/09-*")
SKELETONS = CORPUS / "lsp" / "04-empty-and-skeletal-files"

CODES = {
    "regex-suspicious-escape": "yaml-escape-in-pattern",
    "comment-truncates-value": "yaml-trap",
    "anchor-swallows-text": "yaml-trap",
    "yaml-tag": "yaml-trap",
    "type-mismatch": "invalid-schema",
    "missing-field": "invalid-schema",
    "duplicate-id": "duplicate-rule-id",
    "unknown-key": "unknown-field",
    "alias-expansion": "yaml-alias-limit",
    "alias-cycle": "yaml-alias-limit",
    "regex-catastrophic": "regex-slow",
}
"""The corpus's word for a fault -> our code; a word that is not here is the code."""

SPEC_WINS = {"yaml-escape-in-pattern": "error"}
"""Codes whose severity the spec settles otherwise than the corpus (style.md section 5 [R])."""

SPEC_ADDS = {
    # style.md section 5 [R]: Python's `re` backtracks, so its three patterns are `regex-slow`.
    "style/03-catastrophic-patterns/input.yaml": ["regex-slow"] * 3,
}
"""Findings that the spec asks for and the corpus leaves open."""

VOID: dict[str, str] = {}
"""Expectations that the spec decides otherwise, by `case: kind`, with the reason."""


def cases() -> Iterator[tuple[str, dict[str, Any], Path]]:
    """Return name, expectation and path of every STYLE file in the corpus."""
    for pattern in CASES:
        for folder in sorted(CORPUS.glob(pattern)):
            expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]
            for path in sorted(folder.glob("*.yaml")):
                yield str(path.relative_to(CORPUS).as_posix()), expected, path


ALL = list(cases())


def test_the_corpus_is_here() -> None:
    assert len(ALL) > 20


@pytest.mark.parametrize(("name", "expected", "path"), ALL, ids=[name for name, _, _ in ALL])
def test_file(name: str, expected: dict[str, Any], path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    found = list(analyze(read(path.name, text), Settings()).findings)
    lines = Lines(text)
    problems: list[str] = []
    for wanted in expected.get("diagnostics", []):
        if wanted["file"] != path.name or f"{name}: {wanted['kind']}" in VOID:
            continue
        met = next((finding for finding in found if fits(finding, wanted, lines)), None)
        if met is not None:
            found.remove(met)
            problems += severity_problems(met, wanted)
        elif not wanted.get("optional") and wanted["severity"] != "info":
            problems.append(f"missing: {wanted['kind']} at {wanted['range']}")
    for code in SPEC_ADDS.get(name, []):
        met = next((finding for finding in found if finding.code == code), None)
        if met is None:
            problems.append(f"missing: {code} (the spec asks for it)")
        else:
            found.remove(met)
    for finding in found:
        if finding.severity <= Severity.WARNING:
            start = lines.position_at(finding.span.start, "utf-16")
            problems.append(f"not expected: {finding.code} at {start.line}:{start.column}: {finding.message.en}")
    assert not problems, "\n".join(problems)


def fits(finding: Finding, wanted: dict[str, Any], lines: Lines) -> bool:
    """Tell whether a finding is the wanted one: its code, and its place as near as `match` asks for."""
    if finding.code != CODES.get(wanted["kind"], wanted["kind"]):
        return False
    start, end = wanted["range"]["start"], wanted["range"]["end"]
    span = Span(
        lines.offset_at(start["line"], start["character"], "utf-16"),
        lines.offset_at(end["line"], end["character"], "utf-16"),
    )
    if wanted["match"] == "exact":
        return finding.span == span
    if wanted["match"] == "overlap":
        return finding.span.start <= span.end and span.start <= finding.span.end
    if wanted["match"] == "line":
        first, last = lines.line_at(finding.span.start), lines.line_at(finding.span.end)
        return first <= end["line"] and start["line"] <= last
    if wanted["match"] == "file":
        return True
    raise AssertionError(f"no such match: {wanted['match']}")


def severity_problems(finding: Finding, wanted: dict[str, Any]) -> list[str]:
    """Return what is wrong with the severity of a finding that is in the right place."""
    severity = SPEC_WINS.get(finding.code, wanted["severity"])
    if finding.severity.label == severity:
        return []
    return [f"{finding.code} is {finding.severity.label}, wanted {severity}"]


def test_every_exception_is_still_needed() -> None:
    names = {name for name, _, _ in ALL}
    assert {entry.split(":")[0] for entry in VOID} | set(SPEC_ADDS) <= names
    kinds = {wanted["kind"] for _, expected, _ in ALL for wanted in expected.get("diagnostics", [])}
    assert set(CODES) - kinds <= {"missing-field", "regex-catastrophic"}


@pytest.mark.parametrize("path", sorted(SKELETONS.glob("*.yaml")), ids=lambda path: path.stem)
def test_skeletal_files(path: Path) -> None:
    """A file that is just being begun: few findings, at the top or on what is wrong, and never a crash."""
    text = path.read_bytes().decode("utf-8")
    found = analyze(read(f"{path.stem}.style.yaml", text), Settings()).findings
    lines = Lines(text)
    assert len(found) <= 4
    if path.stem in ("e0", "e1", "e2", "e5"):
        # A new, still empty file gets at most an information, or one finding at its top.
        assert len(found) <= 1
    elif path.stem in ("e3", "e4", "e6"):
        assert {lines.line_at(finding.span.start) for finding in found} <= {0}
    else:
        assert found, "a list, a word or null where a package should be is a fault"
    if path.stem == "e10":
        assert 2 in {lines.line_at(finding.span.start) for finding in found}, "the empty entry is reported on its dash"
