"""Whatever the text: the reader gives a tree and never raises, and on JSON it says what every reader says."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rulewright.syntax.json_reader import MAX_DEPTH, read_json, value_of
from rulewright.syntax.tree import Mapping, Node, Scalar, Sequence, Tree
from rulewright.text.edits import apply_edits
from rulewright.text.span import Span

# What mistakes are made of, beside the signs of JSON itself.
PIECES = (
    '{', '}', '[', ']', ',', ':', '"', '"a"', '"b": 1', '"c\\n"', '\\', '\\u', '\\ud83d', '\\ude00', "'", "'x'", '“', '”', '“y”',
    '//', '/*', '*/', '# z', '/', '\n', '\r\n', '\r', ' ', '\t', '1', '-1', '01', '+1', '.5', '1e5', '1.0', '0x1F', '9' * 5000,
    'true', 'True', 'false', 'null', 'None', 'NaN', '-Infinity', 'undefined', 'bare word', 'key', '=', ';', '，', '：', '\ufeff',
    '\u200b', '\xa0', '\x00', '\x1f', '\ud800', '\U0001f600', '中', '\u2028',
)  # fmt: skip

soup = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=40).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)
layouts = st.sampled_from([{"indent": 2}, {"indent": None}, {"separators": (",", ":")}, {"ensure_ascii": False}])
documents = st.builds(lambda value, layout: json.dumps(value, **layout), values, layouts)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """JSON with a few parts taken out, doubled, or put in."""
    text = draw(documents)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 6))
        text = text[:at] + draw(st.sampled_from(PIECES) | st.just("")) + text[at + length :]
    return text


def nodes(root: Node | None) -> Iterator[tuple[Node, Span]]:
    """Yield every node with the span that it must lie in."""
    todo: list[tuple[Node, Span]] = [] if root is None else [(root, root.span)]
    while todo:
        node, outer = todo.pop()
        yield node, outer
        if isinstance(node, Mapping):
            for entry in node.entries:
                todo.append((Scalar(entry.key_span, entry.key, entry.key), node.span))
                todo.append((entry.value, node.span))
        elif isinstance(node, Sequence):
            todo += [(item, node.span) for item in node.items]


def refuse(name: str) -> object:
    raise ValueError(name)


def strictly(text: str) -> tuple[bool, object]:
    """Read a text as strict JSON; tell whether it is."""
    try:
        return True, json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return False, None


def holds(text: str) -> Tree:
    """Check everything that is true of any text; return its tree."""
    tree = read_json(text)
    for node, outer in nodes(tree.root):
        assert 0 <= outer.start <= node.span.start <= node.span.end <= outer.end <= len(text)
    for problem in tree.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert "\n" not in problem.span.of(text).strip("\r\n")
        for fix in problem.fixes:
            fixed = apply_edits(text, fix.edits)
            if fix.safe:
                # Gone: there are fewer of its kind, or at least none in its place.
                same = [p for p in read_json(fixed).problems if p.message == problem.message]
                before = [p for p in tree.problems if p.message == problem.message]
                here = [p for p in same if p.span.start == problem.span.start]
                assert len(same) < len(before) or not here or len(before) >= 50, (text, fixed)
    plain = tree.problems and all(problem.minor or problem.code in GRAVE_TO_NOBODY for problem in tree.problems)
    strict, value = strictly(text.removeprefix("\ufeff"))
    if strict:
        assert not tree.problems or plain
        if not any(problem.code == "json-too-deep" for problem in tree.problems):
            assert tree.root is not None
            assert same_value(value_of(tree.root), value)
    else:
        # Python alone refuses a whole number of so many digits.
        assert not plain or "9" * 4301 in text
        assert tree.problems or "9" * 4301 in text
    return tree


GRAVE_TO_NOBODY = ("duplicate-key", "hidden-character", "json-too-deep")
"""Codes of what a strict reader takes."""


def same_value(ours: object, theirs: object) -> bool:
    """Tell whether two values are the same, type and all."""
    if isinstance(theirs, dict):
        return (
            isinstance(ours, dict)
            and list(ours) == list(theirs)
            and all(same_value(ours[k], theirs[k]) for k in theirs)
        )
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same_value, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


@given(documents)
def test_json_is_read_as_every_reader_does(text: str) -> None:
    tree = holds(text)
    assert not [problem for problem in tree.problems if problem.code == "json-syntax" and not problem.minor]


@given(mutated())
@example('{"a\nb": 1, "a\nb": 2, "c\nd" 1, "e\nf"}')
@example('{"a": "\\ud800\\ud83d\\ude00"}')
@example('{"<<": {"b": 1}, "<<": 2}')
def test_nearly_json(text: str) -> None:
    holds(text)


@given(soup)
@example('{"x-a": 1}')
@example("[1,,]")
@example('{"a": 1;,}')
def test_anything(text: str) -> None:
    holds(text)


@given(soup, st.text(max_size=5), st.text(max_size=5))
def test_a_part_of_a_text_is_read_alone(text: str, before: str, behind: str) -> None:
    alone = read_json(text)
    inside = read_json(before + text + behind, len(before), len(before) + len(text))
    assert [(p.code, p.message, p.span.shifted(len(before))) for p in alone.problems] == [
        (p.code, p.message, p.span) for p in inside.problems
    ]
    assert [n.span.shifted(len(before)) for n, _ in nodes(alone.root)] == [n.span for n, _ in nodes(inside.root)]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_texts() -> None:
    rng = random.Random(20)
    start = '{"version": 1, "rules": [{"id": "a", "trigger": {"event": "Stop"}, "actions": [{"type": "notify_team"}]}]}'
    for number in range(100_000):
        if number % 2:
            text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(30)))
        else:
            text = start
            for _ in range(rng.randrange(1, 5)):
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(PIECES) + text[at + rng.randrange(5) :]
        holds(text)


def test_depth_is_limited_and_nothing_overflows() -> None:
    for text in (
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
    ):
        tree = read_json(text)
        assert [p.code for p in tree.problems].count("json-too-deep") == 1
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert not read_json(deep).problems
    assert [p.code for p in read_json(f"[{deep}]").problems] == ["json-too-deep"]
