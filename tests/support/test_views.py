"""The views of a case, over the real engine: a case with a wrong result must fail, a right one pass."""

from __future__ import annotations

import pytest

from support.cases import analyze_for_real, compare, parse_cases
from support.views import VIEWS

PACKAGE = """\
spec: style/v0.3
name: demo
version: 0.1.0
description: An example.
rules:
  - id: guard
    target: tool
    tool: shell
    action: {value}
    text: Do not.
"""


def shown(view: str, value: str, settings: str = "") -> str:
    """Return what happened, as `UPDATE_CASES=1` would write it down."""
    project = f"```toml settings\n{settings}\n```\n\n" if settings else ""
    text = f"## One\n\n{project}```yaml style\n{PACKAGE.format(value=value)}```\n\n```{view}\nnot this\n```\n"
    (case,) = parse_cases(text)
    comparison = compare(case, [], analyze_for_real, VIEWS)
    assert not comparison.ok
    return "\n".join(comparison.actual[-1])


def test_every_view_is_tried_here() -> None:
    assert set(VIEWS) == {"hover", "completion", "symbols", "actions", "folds", "hints", "lenses", "spans", "tokens"}


def test_hover() -> None:
    place, *text = shown("hover", "bl$0ock").split("\n")
    assert place == "9:13-9:18"
    assert "action" in "\n".join(text)


def test_completion() -> None:
    assert {"inject", "warn", "block"} <= set(shown("completion", "$0").split("\n"))


def test_symbols() -> None:
    assert any(line.strip().endswith("guard") for line in shown("symbols", "block").split("\n"))


def test_actions() -> None:
    assert "block" in shown("actions", "bl$0ok")


def test_folds() -> None:
    assert any("-" in line for line in shown("folds", "block").split("\n"))


def test_hints() -> None:
    assert shown("hints", "block", 'harnesses = ["codex"]').startswith("6:14 codex native\n  | harness |")
    assert not shown("hints", "block")


def test_spans() -> None:
    rows = shown("spans", "block").split("\n")
    assert "9:5-9:11 $.rules[0].action key" in rows
    assert "9:13-9:18 $.rules[0].action = 'block'" in rows


@pytest.mark.parametrize("view", ["hover", "completion"])
def test_a_view_at_a_place_needs_one_cursor(view: str) -> None:
    with pytest.raises(Exception, match="one cursor"):
        shown(view, "block")
