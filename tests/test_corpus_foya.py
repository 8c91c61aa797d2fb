"""The corpus of Foya's rule files: the findings that each must have when its project and home folder are checked, and no others.

Copied byte by byte; `case.json` is explained in test_corpus.py. What the tables say of activation is tested with the engine.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright.checking import Finding, Severity
from rulewright.checks import checks_by_code
from rulewright.text.lines import Lines
from rulewright.workspace import CheckedFile, check_paths
from test_corpus import fits

CORPUS = Path(__file__).parent / "corpus" / "foya"
CASES = sorted(CORPUS.glob("*/case.json"))

CODES: dict[str, tuple[str, ...]] = {
    "frontmatter-bom": ("foya-frontmatter",),
    "frontmatter-unclosed": ("foya-frontmatter",),
    "frontmatter-not-first": ("foya-frontmatter",),
    "frontmatter-in-global-file": ("foya-marker",),
    # A closing line without a line break is a fault of the frontmatter (foya.md section 6 [R]); nothing follows it either way.
    "body-empty": ("foya-content-empty", "foya-frontmatter"),
    "type-mismatch": ("foya-globs-type",),
    "missing-field": ("foya-description-required", "foya-globs-required", "foya-marker"),
    "invalid-trigger": ("foya-trigger",),
    "unknown-key": ("unknown-field",),
    "glob-unsupported-syntax": ("foya-glob-syntax",),
    "glob-zero-directories": ("foya-glob-root",),
    "manual-name-overlap": ("foya-manual-name",),
    "duplicate-id": ("foya-duplicate",),
    "duplicate-key": ("duplicate-key",),
    "marker-malformed": ("foya-marker",),
    "json-syntax": ("foya-marker", "json-syntax"),
    "text-outside-rule": ("foya-text-outside",),
    "hidden-unicode": ("hidden-character",),
    "rule-too-deep": ("foya-depth",),
}
"""The corpus's word for a fault -> our codes."""

SPEC_WINS = {
    "foya-duplicate": "warning",
    "foya-frontmatter": "error",
    "foya-depth": "error",
    "duplicate-key": "error",
}
"""Codes whose severity the spec settles otherwise than the corpus in places (foya.md section 6 [R])."""

MORE = {
    # Both keys are in another case than they must be: "both may be flagged".
    "10-sibling-dialect-keys": {"tree/.foya/rules/case.md": ["unknown-field"]},
}
"""Findings that a note of the case allows."""


def check(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, CheckedFile]:
    """Check the project and the home folders of a case; return the files by their paths in it."""
    root = tmp_path / "case"
    shutil.copytree(case.parent, root)
    found: dict[str, CheckedFile] = {}
    homes = [path.parents[2] for path in sorted(root.glob("home/**/user_rules.md"))] or [root / "home"]
    for home in homes:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("USERPROFILE", str(home))
        wanted = [path for path in (root / "tree", home / ".foya" / "rules" / "user_rules.md") if path.exists()]
        outcome = check_paths([str(path) for path in wanted])
        assert outcome.failures == ()
        found.update({Path(file.path).relative_to(root).as_posix(): file for file in outcome.files})
    return found


def files_of(case: Path) -> Iterator[str]:
    """Return the rule files of a case."""
    for path in sorted(case.parent.rglob("*")):
        if path.suffix.lower() == ".md":
            yield path.relative_to(case.parent).as_posix()


def test_the_corpus_is_here() -> None:
    assert len(CASES) == 13
    kinds = {wanted["kind"] for case in CASES for wanted in expectation(case).get("diagnostics", [])}
    assert set(CODES) == kinds
    assert {code for codes in CODES.values() for code in codes} <= {*checks_by_code(), "json-syntax"}
    assert set(MORE) <= {case.parent.name for case in CASES}


def expectation(case: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads(case.read_text(encoding="utf-8"))["expected"]
    return expected


@pytest.mark.parametrize("case", CASES, ids=[case.parent.name for case in CASES])
def test_case(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = check(case, tmp_path, monkeypatch)
    assert sorted(checked) == list(files_of(case)), "every rule file is read, and nothing else"
    problems: list[str] = []
    left = {name: list(file.findings) for name, file in checked.items()}
    for wanted in expectation(case).get("diagnostics", []):
        lines = checked[wanted["file"]].document.lines
        met = next((finding for finding in left[wanted["file"]] if is_met(finding, wanted, lines)), None)
        if met is not None:
            left[wanted["file"]].remove(met)
            problems += severity_problems(met, wanted)
        elif not wanted.get("optional"):
            problems.append(f"{wanted['file']}: missing: {wanted['kind']} at {wanted['range']}")
    for name, findings in left.items():
        allowed = list(MORE.get(case.parent.name, {}).get(name, []))
        for finding in findings:
            if finding.code in allowed:
                allowed.remove(finding.code)
            elif finding.severity <= Severity.WARNING:
                place = checked[name].document.lines.position_at(finding.span.start, "utf-16")
                problems.append(
                    f"{name}:{place.line}:{place.column}: not expected: {finding.code}: {finding.message.en}"
                )
        problems += [f"{name}: the note allows {code}, which is not found: strike it" for code in allowed]
    assert not problems, "\n".join(problems)


def is_met(finding: Finding, wanted: dict[str, Any], lines: Lines) -> bool:
    return any(fits(finding, {**wanted, "kind": code}, lines) for code in CODES[wanted["kind"]])


def severity_problems(finding: Finding, wanted: dict[str, Any]) -> list[str]:
    severity = SPEC_WINS.get(finding.code, wanted["severity"])
    if finding.severity.label == severity:
        return []
    return [f"{wanted['file']}: {finding.code} is {finding.severity.label}, wanted {severity}"]


def test_a_rule_that_hides_nothing_has_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joiners of scripts and emoji, accents, wide spaces and flags are what authors write."""
    checked = check(CORPUS / "12-hidden-characters" / "case.json", tmp_path, monkeypatch)
    assert checked["tree/.foya/rules/fine.md"].findings == ()


def test_rules_of_one_id_name_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = check(CORPUS / "08-duplicate-ids-across-files" / "case.json", tmp_path, monkeypatch)
    root = tmp_path / "case"
    for name, others in (
        ("tree/.foya/rules/lint.md", {"home/.foya/rules/user_rules.md", "tree/.foya/rules/web/lint.md"}),
        ("tree/.foya/rules/web/lint.md", {"home/.foya/rules/user_rules.md", "tree/.foya/rules/lint.md"}),
    ):
        (finding,) = checked[name].findings
        paths = {Path(note.path or "").relative_to(root).as_posix() for note in finding.related}
        assert paths == others
    assert "`~/.foya/rules/user_rules.md`" not in checked["tree/.foya/rules/lint.md"].findings[0].message.en
    assert [len(finding.related) for finding in checked["home/.foya/rules/user_rules.md"].findings] == [2, 1, 1]
