from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.text.edits import Edit, apply_edits, compatible_groups
from rulewright.text.span import Span


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(max_size=20))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    spans = [Span(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    return text, [Edit(span, draw(st.text(max_size=3))) for span in spans]


@given(texts_with_edits(), st.randoms())
def test_edits_replace_their_spans_in_any_order(case: tuple[str, list[Edit]], random: st.Random) -> None:
    text, edits = case
    expected = text
    for edit in reversed(edits):
        expected = expected[: edit.span.start] + edit.new_text + expected[edit.span.end :]
    shuffled = list(edits)
    if len({edit.span for edit in edits}) == len(edits):
        random.shuffle(shuffled)
    assert apply_edits(text, shuffled) == expected


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcd", [Edit(Span(0, 2), ""), Edit(Span(1, 3), "")])


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply_edits("ab", [Edit(Span(1, 1), "x"), Edit(Span(1, 1), "y")]) == "axyb"


def test_an_insertion_before_a_replacement_at_the_same_place() -> None:
    assert apply_edits("ab", [Edit(Span(1, 2), "B"), Edit(Span(1, 1), "x")]) == "axB"


def test_groups_that_touch_an_earlier_one_are_left_out_whole() -> None:
    first = [Edit(Span(0, 2), "x")]
    second = [Edit(Span(1, 3), "y"), Edit(Span(8, 9), "z")]
    third = [Edit(Span(4, 5), "w")]
    assert compatible_groups([first, second, third]) == first + third


def test_equal_edits_of_two_groups_count_once() -> None:
    edit = Edit(Span(0, 2), "x")
    assert compatible_groups([[edit], [edit]]) == [edit]


def test_two_insertions_at_one_place_do_not_go_together() -> None:
    groups = [[Edit(Span(1, 1), "x")], [Edit(Span(1, 1), "y")]]
    assert compatible_groups(groups) == groups[0]


spans = st.tuples(st.integers(0, 12), st.integers(0, 4)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))
groups_of_edits = st.lists(
    st.lists(st.builds(Edit, spans, st.sampled_from(["", "x", "yy"])), min_size=1, max_size=3), max_size=5
)


@given(groups_of_edits)
def test_chosen_groups_always_apply(groups: list[list[Edit]]) -> None:
    apply_edits("0123456789abcdefgh", compatible_groups(groups))
