"""The words of a file of Foya rules."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.ide.results import Token


def semantic_tokens(analysis: Analysis) -> Iterator[Token]:
    """Yield the words of every rule that can be read."""
    yield from ()
