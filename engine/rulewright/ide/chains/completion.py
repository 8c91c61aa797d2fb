"""What can be written at the cursor of a file of hook chains."""

from __future__ import annotations

from rulewright.ide.results import Item
from rulewright.text.lines import Lines


def complete(text: str, lines: Lines, offset: int, *, snippets: bool = False) -> list[Item]:
    """Return what can be written at `offset`, the likeliest first."""
    return []
