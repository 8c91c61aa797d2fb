"""The three complete examples of the hook chains documentation, their quotes and `=` put back.

They stand in tests/data/chains/: retry (example 1), notify (example 2), combined (example 3).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rulewright.analysis import analyze
from rulewright.checking import Finding, Severity
from rulewright.settings import Settings
from support.engine import read

DATA = Path(__file__).parent / "data" / "chains"
ERROR_HINT = "the payload of `TaskCompleted` has no error text: with `errorIncludes` this rule never triggers"


def found_in(text: str) -> list[tuple[Finding, str]]:
    """Return the findings in a text, each with the text that it is about."""
    document = read(".openclaude/hook-chains.json", text)
    return [(finding, finding.span.of(text)) for finding in analyze(document, Settings()).findings]


def codes(name: str) -> list[tuple[str, str]]:
    return [(finding.code, source) for finding, source in found_in((DATA / f"{name}.json").read_text(encoding="utf-8"))]


@pytest.mark.ledger("H110")
@pytest.mark.parametrize("name", ["retry", "notify", "combined"])
@pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "wrapped"])
def test_no_example_has_an_error(name: str, wrapped: bool) -> None:
    text = (DATA / f"{name}.json").read_text(encoding="utf-8")
    if wrapped:
        text = json.dumps({"hookChains": json.loads(text)}, indent=2)
    assert [finding for finding, _ in found_in(text) if finding.severity == Severity.ERROR] == []


@pytest.mark.ledger("H110")
def test_what_the_examples_are_told() -> None:
    assert codes("notify") == []
    # The payload of TaskCompleted has no error text, so that `${ERROR}` is empty there.
    assert codes("retry") == [("chain-variable-empty", "ERROR")]
    assert codes("combined") == [
        ("chain-outcome-never", '"timeout"'),
        ("chain-error-never", '"errorIncludes"'),
        ("chain-variable-empty", "ERROR"),
        ("chain-variable-empty", "ERROR"),
    ]


@pytest.mark.ledger("H110", "H112")
def test_the_third_example_is_told_why_it_never_triggers() -> None:
    found = found_in((DATA / "combined.json").read_text(encoding="utf-8"))
    said = [finding for finding, _ in found if finding.code == "chain-error-never"]
    assert [(finding.message.en, finding.severity) for finding in said] == [(ERROR_HINT, Severity.WARNING)]
