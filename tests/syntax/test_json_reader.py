"""What the reader makes of JSON, and of what is nearly JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from rulewright.syntax.json_reader import MAX_OF_A_KIND, read_json, removal, value_of
from rulewright.syntax.tree import Mapping, Scalar, Sequence, Tree
from rulewright.text.edits import apply_edits


def value(text: str) -> object:
    root = read_json(text).root
    return None if root is None else value_of(root)


def codes(tree: Tree) -> list[str]:
    return [problem.code for problem in tree.problems]


def mapping(text: str) -> Mapping:
    root = read_json(text).root
    assert isinstance(root, Mapping)
    return root


def test_spans() -> None:
    text = ' {"a": ["x", 10], "b": {}} '
    root = mapping(text)
    assert root.span.of(text) == '{"a": ["x", 10], "b": {}}'
    assert root.flow
    first, second = root.entries
    assert first.key_span.of(text) == '"a"'
    assert first.value.span.of(text) == '["x", 10]'
    assert isinstance(first.value, Sequence)
    assert [item.span.of(text) for item in first.value.items] == ['"x"', "10"]
    assert second.span.of(text) == '"b": {}'


def test_scalars() -> None:
    root = read_json(r'["a\n\u00e9\ud83d\ude00", 1, -0, 2.50, 3e4, true, null]').root
    assert isinstance(root, Sequence)
    assert value_of(root) == ["a\né😀", 1, 0, 2.5, 30000.0, True, None]
    scalars = [item for item in root.items if isinstance(item, Scalar)]
    assert [item.style for item in scalars] == ["double"] + ["plain"] * 6
    assert [item.raw for item in scalars] == ["a\né😀", "1", "-0", "2.50", "3e4", "true", "null"]


def test_a_number_of_too_many_digits() -> None:
    assert value("9" * 6000) == float("inf")
    assert value("-" + "9" * 6000) == float("-inf")


def test_the_last_of_duplicates_counts() -> None:
    root = mapping('{"a": 1, "<<": {"b": 2}, "a": 3}')
    entry = root.get("a")
    assert entry is not None
    assert value_of(entry.value) == 3
    assert root.get("b") is None
    assert root.get("<<") is not None
    assert list(root.effective()) == ["a", "<<"]
    assert root.complete()


def test_a_file_that_is_being_typed_is_read_on() -> None:
    """Hover and completion need what stands around the place where somebody types."""
    text = '{\n  "a": 1,\n  "b": \n  "c": {"d": [1, 2\n  },\n  "e": "x\n}\n'
    tree = read_json(text)
    assert codes(tree) == ["json-syntax"] * 3
    assert value(text) == {"a": 1, "b": None, "c": {"d": [1, 2]}, "e": "x"}
    missing = mapping(text).entries[1].value
    assert isinstance(missing, Scalar)
    assert missing.missing
    assert missing.broken
    assert text[: missing.span.start].endswith('"b":')


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "// x\n"])
def test_no_value(text: str) -> None:
    tree = read_json(text)
    assert tree.root is None
    assert codes(tree)[-1] == "json-syntax" or codes(tree)[0] == "json-syntax"


def test_the_end_of_a_cut_text_is_where_it_is_cut() -> None:
    text = '{\n  "a": [\n    1,\n    2\n\n'
    (problem,) = read_json(text).problems
    assert problem.span.of(text) == "2"


def test_comments_are_remembered() -> None:
    text = '{"a": 1} // x\n/* y */ # z'
    tree = read_json(text)
    assert [span.of(text) for span in tree.comments] == ["// x", "/* y */", "# z"]


@pytest.mark.parametrize(
    ("text", "key", "left"),
    [
        ('{"a": 1}', "a", "{}"),
        ('{"a": 1, "b": 2}', "a", '{"b": 2}'),
        ('{"a": 1, "b": 2}', "b", '{"a": 1}'),
        ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}', "b", '{\n  "a": 1,\n  "c": 3\n}'),
    ],
)
def test_removal(text: str, key: str, left: str) -> None:
    root = mapping(text)
    entry = root.get(key)
    assert entry is not None
    assert apply_edits(text, [removal(root, entry)]) == left


def test_more_than_enough_problems_are_counted() -> None:
    tree = read_json("{" + ",".join(f"k{number}: 1" for number in range(250)) + "}")
    assert len(tree.problems) == MAX_OF_A_KIND + 1
    assert "150 more" in tree.problems[-1].message.en
    assert not tree.problems[-1].fixes
    assert len(mapping("{" + ",".join(f"k{number}: 1" for number in range(250)) + "}").entries) == 250


def test_the_fix_for_an_odd_quote_changes_all_of_them() -> None:
    text = "{'a': 'b', “c”: 1}"
    fixed = text
    for problem in read_json(text).problems:
        fixed = apply_edits(fixed, problem.fixes[0].edits)
    assert fixed == '{"a": "b", "c": 1}'
    assert not read_json(fixed).problems


def test_an_own_address_is_no_comment() -> None:
    assert value("{a: http://example.com/x, b: 1}") == {"a": "http://example.com/x", "b": 1}


# ------------------------------------------------------------------ time grows with the text and nothing else

HOSTILE: list[Callable[[int], str]] = [
    lambda n: "[" * n,
    lambda n: '{"a":' * n,
    lambda n: "]" * n,
    lambda n: "," * n,
    lambda n: ":" * n,
    lambda n: '"\n' * n,
    lambda n: '"\n\\"' * n,
    lambda n: '"\n\\"' * n + '"' + " " * n,
    lambda n: "'" * n,
    lambda n: '\' "a" ' * n,
    lambda n: "'a' b " * n,
    lambda n: "“a” b " * n,
    lambda n: "a /**/ " * n,
    lambda n: "/*" * n,
    lambda n: "/" * n,
    lambda n: "#" * n,
    lambda n: "{" + "a " * n,
    lambda n: "1 a" * n,
    lambda n: "1 " * n,
    lambda n: "[" + "1 " * n,
    lambda n: "True " * n,
    lambda n: "[" + "True\t" * n,
    lambda n: "[" + "a" * n + " " * n + "b",
    lambda n: "\\" * n,
    lambda n: '"' + "\\" * n,
    lambda n: '"' + "\\u" * n + '"',
    lambda n: '"' + "\\ud800" * n + '"',
    lambda n: '"' + "\t" * n + '"',
    lambda n: "[" * 300 + '"\\' * n,
    lambda n: "[" * 300 + '"' + "\\" * (2 * n + 1),
    lambda n: "\u200b" * n,
    lambda n: "\xa0 " * n,
    lambda n: "{" + '"a": 1, ' * n,
    lambda n: "{" + '"a" ' * n,
    lambda n: '{"a": ' + '"b": ' * n,
    lambda n: "[{" * 90 + "]" * n,
    lambda n: ("[" * 150 + "}" * 150) * (n // 300),
    lambda n: "\r" * n + "\n" * n,
    lambda n: "\r\n//" * n,
    lambda n: "9" * n,
    lambda n: "[" + "0_" * n,
    lambda n: "[0x" + "f" * n,
]


def lines_run(text: str) -> int:
    """Count the lines of Python that the reader runs over a text."""
    count = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        read_json(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("make", HOSTILE, ids=range(len(HOSTILE)))
def test_steps_grow_with_the_text(make: Callable[[int], str]) -> None:
    """A text four times as long takes about four times the steps, not sixteen times."""
    short, long = lines_run(make(500)), lines_run(make(2000))
    assert long < 6 * short + 2000


@pytest.mark.slow
@pytest.mark.parametrize("make", HOSTILE, ids=range(len(HOSTILE)))
def test_what_a_step_looks_at_is_no_second_pass(make: Callable[[int], str]) -> None:
    """The patterns themselves: with the square of 200,000 signs this would not end in the time that a test has."""
    tree = read_json(make(200_000))
    assert tree.problems or tree.root is not None


@pytest.mark.parametrize("fault", ["x ", "[1 2]", '"\\d"'])
def test_a_grave_fault_behind_a_hundred_warnings_still_counts(fault: str) -> None:
    tree = read_json("[" + '"\\ud800", ' * 150 + fault + "]")
    assert len(tree.problems) == MAX_OF_A_KIND + 1
    assert [problem.minor for problem in tree.problems] == [True] * MAX_OF_A_KIND + [False]
