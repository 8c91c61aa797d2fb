from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.syntax.tree import Mapping, Scalar, Sequence
from rulewright.syntax.yaml_quoting import in_single_quotes, quote_double, quote_single, quoted
from rulewright.syntax.yaml_reader import read_yaml

PIECES = [
    "a",
    "yes",
    "1",
    "-",
    " ",
    ":",
    "#",
    "'",
    '"',
    "\\",
    "\n",
    "\t",
    "é",
    "😀",
    "{",
    "]",
    ",",
    "~",
    "=",
    "\u2028",
    "\x00",
    "\ud800",
]
VALUES = st.one_of(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text(max_size=20))


def read_back(source: str) -> list[object]:
    """The value as it reads in block context, as a key's value with a comment, and in brackets."""
    tree = read_yaml(f"a: {source} # c\nb: [{source}, {source}]\n")
    assert tree.problems == [], source
    assert isinstance(tree.root, Mapping)
    first, second = (entry.value for entry in tree.root.entries)
    assert isinstance(first, Scalar)
    assert isinstance(second, Sequence)
    return [first.value, *(item.value for item in second.items if isinstance(item, Scalar))]


@given(VALUES)
def test_quoted_reads_back_on_one_line(value: str) -> None:
    source = quoted(value)
    assert "\n" not in source
    assert "\r" not in source
    if "\ud800" <= max(value, default="") <= "\udfff" or any("\ud800" <= char <= "\udfff" for char in value):
        return  # YAML has no spelling for half a surrogate pair.
    if any(ord(char) in range(0xFDD0, 0xFDF0) for char in value):
        return
    found = [problem for problem in read_yaml(f"a: {source}\n").problems if problem.code != "hidden-character"]
    assert found == []
    tree = read_yaml(f"a: {source} # c\nb: [{source}, {source}]\n")
    assert isinstance(tree.root, Mapping)
    first, second = (entry.value for entry in tree.root.entries)
    assert isinstance(first, Scalar)
    assert isinstance(second, Sequence)
    assert [first.value, *(item.value for item in second.items if isinstance(item, Scalar))] == [value] * 3


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("block", "block"),
        ("Be brief.", "Be brief."),
        ("tool.pre", "tool.pre"),
        ("github/*", "github/*"),
        ("", "''"),
        ("yes", "'yes'"),
        ("No", "'No'"),
        ("null", "'null'"),
        ("10", "'10'"),
        ("0.1.0", "'0.1.0'"),
        ("*", "'*'"),
        ("a: b", "'a: b'"),
        ("it's", "'it''s'"),
        ("a #b", "'a #b'"),
        ("\\bgit", "'\\bgit'"),
        ("a\nb", '"a\\nb"'),
        ("a\x00", '"a\\0"'),
    ],
)
def test_the_plainest_spelling(value: str, source: str) -> None:
    assert quoted(value) == source
    assert read_back(source) == [value] * 3


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=20))
def test_double_quotes_can_say_everything(value: str) -> None:
    tree = read_yaml(quote_double(value))
    assert isinstance(tree.root, Scalar)
    assert tree.root.raw == value


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('"git\\s+push"', "'git\\s+push'"),
        ('"\\bgit"', "'\\bgit'"),
        ('"a\\\\b"', "'a\\b'"),
        ('"say \\"x\\""', "'say \"x\"'"),
        ('"it\'s"', "'it''s'"),
        ("\\d", "'\\d'"),
        ('"a\nb"', None),
        ('"a\x07"', None),
    ],
)
def test_in_single_quotes(source: str, expected: str | None) -> None:
    assert in_single_quotes(source) == expected


def test_quote_single() -> None:
    assert quote_single("it's") == "'it''s'"
