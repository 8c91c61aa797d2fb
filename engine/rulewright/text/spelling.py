"""The nearest known word for a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str, limit: int = 8) -> int:
    """Return the edit distance (insert, delete, replace, swap of neighbours); `limit + 1` stands for more than `limit`.

    Source: optimal string alignment, Damerau 1964.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    previous = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        row = [i]
        for j, right in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, previous = previous, row
    return min(previous[-1], limit + 1)


def nearest(word: str, known: Iterable[str], limit: int = 2) -> str | None:
    """Return the known word within `limit` edits, the nearest first, then in the given order; None if there is none."""
    best: str | None = None
    best_distance = limit + 1
    word = word.lower()
    for candidate in known:
        if abs(len(candidate) - len(word)) >= best_distance:
            continue
        found = distance(word, candidate.lower(), best_distance - 1)
        if found < best_distance:
            best, best_distance = candidate, found
    return best


def is_sure(word: str, near: str, known: Iterable[str]) -> bool:
    """Tell whether `near` is so plainly what was meant that it may be written unasked.

    It is where less than half of it was mistyped, and no other known word is as near: `blok` is `block`, but `is` need
    not be `in`, and `ad` may be `at` or `id`.
    """
    found = distance(word.lower(), near.lower())
    return 2 * found < max(len(word), len(near)) and all(
        other == near or distance(word.lower(), other.lower(), found) > found for other in known
    )
