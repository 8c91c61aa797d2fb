"""docs/plan.md names every status and reason that the program knows, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulewright.planning import REASONS, STATUSES

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.parametrize("name", ["plan.md", "zh-CN/plan.md"])
def test_every_status_and_reason_is_explained(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in text.split("\n") if line.startswith("| `")]
    listed = {word for cell in cells for word in cell.replace("、", ",").replace("`", "").replace(" ", "").split(",")}
    assert listed == {*REASONS, *STATUSES}
