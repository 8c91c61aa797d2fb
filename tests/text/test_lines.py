from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.text.lines import Lines, Position, Unit, char_width, width
from rulewright.text.span import Span

UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")
PIECES = [
    "a",
    "é",
    "中",
    "😀",
    "\n",
    "\r",
    "\r\n",
    "\u2028",
    "\x85",
    "\x0b",
    "\x0c",
    "\ufeff",
    "\ud800",
    "e\u0301",
    "\t",
    " ",
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES)).map("".join), st.text(st.characters(exclude_categories=())))


def code_units(text: str, unit: Unit) -> int:
    """The length in code units, the slow and certain way."""
    if unit == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    if unit == "utf-16":
        return sum(len(char.encode("utf-16-le", "surrogatepass")) // 2 for char in text)
    return len(text)


@given(TEXTS)
def test_lines_are_those_of_the_protocol(text: str) -> None:
    lines = Lines(text)
    assert [lines.line_text(line) for line in range(len(lines))] == re.split("\r\n|\n|\r", text)
    assert "".join(lines.full_span(line).of(text) for line in range(len(lines))) == text
    assert all(lines.span(line) == Span(lines.starts[line], lines.ends[line]) for line in range(len(lines)))


@given(TEXTS, st.sampled_from(UNITS))
def test_offsets_round_trip(text: str, unit: Unit) -> None:
    lines = Lines(text)
    for offset in range(len(text) + 1):
        position = lines.position_at(offset, unit)
        line = lines.line_at(offset)
        assert position.line == line
        inside = min(offset, lines.ends[line])
        assert position.column == code_units(text[lines.starts[line] : inside], unit)
        assert lines.offset_at(*position, unit) == inside


@given(TEXTS, st.sampled_from(UNITS), st.integers(0, 12), st.integers(0, 30))
def test_any_position_gives_an_offset_on_its_line(text: str, unit: Unit, line: int, column: int) -> None:
    lines = Lines(text)
    offset = lines.offset_at(line, column, unit)
    if line >= len(lines):
        assert offset == len(text)
        return
    assert lines.starts[line] <= offset <= lines.ends[line]
    found = lines.position_at(offset, unit)
    assert found.line == line
    assert found.column <= column
    if offset < lines.ends[line]:
        assert found.column + char_width(text[offset], unit) > column


@given(TEXTS, st.sampled_from(UNITS))
def test_width_counts_code_units(text: str, unit: Unit) -> None:
    assert width(text, unit) == code_units(text, unit)


def test_a_column_inside_a_surrogate_pair_rounds_down() -> None:
    lines = Lines("a😀b")
    assert [lines.offset_at(0, column, "utf-16") for column in range(5)] == [0, 1, 1, 2, 3]
    assert [lines.offset_at(0, column, "utf-8") for column in range(7)] == [0, 1, 1, 1, 1, 2, 3]


def test_between_cr_and_lf_is_the_end_of_the_line() -> None:
    lines = Lines("ab\r\nc")
    assert lines.position_at(3) == Position(0, 2)
    assert lines.position_at(4) == Position(1, 0)
    assert lines.offset_at(0, 99) == 2


def test_offsets_outside_the_text_are_cut() -> None:
    lines = Lines("a\nb")
    assert lines.position_at(-5) == Position(0, 0)
    assert lines.position_at(99) == Position(1, 1)


def test_a_negative_position_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Lines("a").offset_at(-1, 0)
    with pytest.raises(ValueError, match="negative"):
        Lines("a").offset_at(0, -1)


@pytest.mark.parametrize(
    ("text", "end"), [("", "\n"), ("a", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb\n", "\r"), ("\nb\r\n", "\n")]
)
def test_the_line_end_is_that_of_the_first_line(text: str, end: str) -> None:
    assert Lines(text).line_end() == end


def test_other_separators_end_no_line() -> None:
    assert len(Lines("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg")) == 1
