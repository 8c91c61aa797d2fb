from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.text.spelling import distance, is_sure, nearest

WORDS = st.text("abc", max_size=7)


def slow_distance(a: str, b: str) -> int:
    """Optimal string alignment, from its definition."""
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            best = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                best = min(best, table[i - 2, j - 2] + 1)
            table[i, j] = best
    return table[len(a), len(b)]


@given(WORDS, WORDS, st.integers(0, 8))
def test_distance_is_exact_up_to_its_limit(a: str, b: str, limit: int) -> None:
    assert distance(a, b, limit) == min(slow_distance(a, b), limit + 1)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("action", "actoin", 1), ("acton", "action", 1), ("", "ab", 2), ("tool", "tool", 0), ("warn", "block", 5)],
)
def test_distances(a: str, b: str, expected: int) -> None:
    assert distance(a, b) == expected


@given(WORDS, st.lists(WORDS, max_size=6), st.integers(0, 3))
def test_nearest_is_the_first_of_the_nearest(word: str, known: list[str], limit: int) -> None:
    best = min(known, key=lambda other: slow_distance(word, other), default=None)
    expected = best if best is not None and slow_distance(word, best) <= limit else None
    assert nearest(word, known, limit) == expected


def test_case_does_not_count() -> None:
    assert nearest("Action", ["at", "action"]) == "action"
    assert nearest("BASH", ["shell"]) is None


@pytest.mark.parametrize(
    ("word", "near", "known", "expected"),
    [
        ("blok", "block", ("inject", "warn", "block"), True),
        ("idd", "id", ("id", "at"), True),
        ("is", "in", ("equals", "in", "lt"), False),
        ("ad", "at", ("at", "id"), False),
        ("mod", "mode", ("mode", "model"), True),
        ("opeed", "open", ("open", "closed"), True),
    ],
)
def test_a_guess_is_sure_where_little_was_mistyped_and_nothing_else_is_as_near(
    word: str, near: str, known: tuple[str, ...], expected: bool
) -> None:
    assert is_sure(word, near, known) is expected
