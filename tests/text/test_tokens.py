from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.text.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t\u3000", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("ab cd", 2),
        ("git push", 2),
        ("a_b", 3),
        ("禁止强推", 4),
        ("中a中", 3),
        ("abcd中efgh", 3),
        ("ひらがな", 4),
        ("한국어", 3),
        ("😀", 1),
        ("!!!", 3),
        ("，。", 2),
        ("12345678", 2),
        ("éèêë", 1),
        ("Force push is not allowed.", 2 + 1 + 1 + 1 + 2 + 1),
    ],
)
def test_estimates(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_between_none_and_one_a_character(text: str) -> None:
    found = estimate_tokens(text)
    assert 0 <= found <= len(text)
    assert (found == 0) == (not text.strip())


@given(st.text(), st.text())
def test_parts_divided_by_a_space_add_up(a: str, b: str) -> None:
    assert estimate_tokens(f"{a} {b}") == estimate_tokens(a) + estimate_tokens(b)
