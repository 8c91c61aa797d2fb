"""Edits of a text: apply them, and put several together without overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rulewright.text.span import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `new_text`."""

    span: Span
    new_text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with all edits applied; their spans are places in the text as it is before.

    Raises:
        ValueError: two edits overlap.
    """
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: e.span):
        if edit.span.start < at:
            raise ValueError(f"edits overlap at {edit.span.start}")
        parts.append(text[at : edit.span.start])
        parts.append(edit.new_text)
        at = edit.span.end
    parts.append(text[at:])
    return "".join(parts)


def compatible_groups(groups: Iterable[Sequence[Edit]]) -> list[Edit]:
    """Return the edits of as many groups as go together: a group that touches an earlier one is left out whole.

    Equal edits of two groups count as one; two insertions at one place do not go together. A group whose own edits
    overlap is left out too, so that the result always applies.
    """
    chosen: list[Edit] = []
    for group in groups:
        fresh = [edit for edit in group if edit not in chosen]
        if _applies(fresh) and not any(_touch(a, b) for a in fresh for b in chosen):
            chosen.extend(fresh)
    return chosen


def _applies(edits: Iterable[Edit]) -> bool:
    ordered = sorted(edit.span for edit in edits)
    return all(left.end <= right.start for left, right in pairwise(ordered))


def _touch(a: Edit, b: Edit) -> bool:
    if a.span == b.span:
        return True
    return a.span.start < b.span.end and b.span.start < a.span.end
