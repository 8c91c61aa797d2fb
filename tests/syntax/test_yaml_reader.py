"""Valid YAML: spans, values, anchors, comments, documents. With libyaml and with the pure Python parser."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import yaml

from rulewright.syntax import yaml_reader
from rulewright.syntax.tree import Alias, Mapping, Node, OddNumber, Scalar, Sequence, Tree, resolve
from rulewright.syntax.yaml_reader import read_yaml
from rulewright.text.edits import apply_edits


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(yaml_reader, "EVENT_LOADER", yaml.SafeLoader)


def plain(node: Node | None) -> object:
    """The tree as Python values, every leaf with its source text."""
    if node is None:
        return None
    if isinstance(node, Mapping):
        return {entry.key: plain(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    if isinstance(node, Alias):
        return f"*{node.name}"
    return node.value


def nodes(node: Node | None) -> Iterator[Node]:
    if node is None:
        return
    yield node
    if isinstance(node, Mapping):
        for entry in node.entries:
            yield from nodes(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from nodes(item)


def sources(text: str) -> list[str]:
    """The source text of every scalar and alias, in order."""
    return [node.span.of(text) for node in nodes(read_yaml(text).root) if isinstance(node, (Scalar, Alias))]


def value(text: str) -> object:
    tree = read_yaml(f"a: {text}\n")
    assert isinstance(tree.root, Mapping)
    node = tree.root.entries[0].value
    assert isinstance(node, Scalar)
    return node.value


def codes(tree: Tree) -> list[str]:
    return [problem.code for problem in tree.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b  \n", ["b"]),
        ("a: 'b c' # x\n", ["'b c'"]),
        ('a: "😀"\nb: é\n', ['"😀"', "é"]),
        ("a: b\r\nc: d\r\n", ["b", "d"]),
        ("a: b\rc: d\r", ["b", "d"]),
        ("a: b\r\nc: d\re: f\n", ["b", "d", "f"]),
        ("\ufeffa: b\n", ["b"]),
        ("a:\n  b\n  c  \n\nd: e", ["b\n  c", "e"]),
        ("a: |\n  x\n  y\n\n\nb: c\n", ["|\n  x\n  y", "c"]),
        ("a: >-\r\n  x\r\n\r\nb: c\r\n", [">-\r\n  x", "c"]),
        ("a: |+\n  x  \n\n", ["|+\n  x  "]),
        ("a: |\n", ["|"]),
        ("a: |\n  x", ["|\n  x"]),
        ("[a, 'b' , \"c\"]", ["a", "'b'", '"c"']),
        ("a: &x b\nc: *x\n", ["b", "*x"]),
        ("a: !!str 1\nb: &q !!int 2\n", ["1", "2"]),
        ("a: 'x\u2028y\x85z\u2029'\nb: c\n", ["'x\u2028y\x85z\u2029'", "c"]),
    ],
)
def test_scalar_spans(text: str, expected: list[str]) -> None:
    tree = read_yaml(text)
    assert sources(text) == expected
    assert tree.whole
    assert [code for code in codes(tree) if code != "yaml-trap"] == []


def test_collections_have_exact_spans() -> None:
    text = "a: {b: [1, 2] }\nc:\n  - d: e\n    f:\n  - - g\n    - h\n\n# end\n"
    root = read_yaml(text).root
    found = [node.span.of(text) for node in nodes(root) if isinstance(node, (Mapping, Sequence))]
    assert found == [
        text[: text.index("h\n") + 1],
        "{b: [1, 2] }",
        "[1, 2]",
        "- d: e\n    f:\n  - - g\n    - h",
        "d: e\n    f:",
        "- g\n    - h",
    ]


def test_keys_have_their_own_spans() -> None:
    text = "'a b' : 1\n? c\n: 2\n3: x\ntrue: y\n"
    root = read_yaml(text).root
    assert isinstance(root, Mapping)
    assert [(entry.key, entry.key_span.of(text)) for entry in root.entries] == [
        ("a b", "'a b'"),
        ("c", "c"),
        ("3", "3"),
        ("true", "true"),
    ]


def test_missing_values_are_behind_the_colon_and_on_the_dash() -> None:
    text = "a:\nb :   # why\nc:\n  -\n  - x\n  -\n"
    root = read_yaml(text).root
    assert isinstance(root, Mapping)
    a, b, c = (entry.value for entry in root.entries)
    assert isinstance(a, Scalar)
    assert isinstance(b, Scalar)
    assert (a.missing, a.value, a.span) == (True, None, (2, 2))
    assert (b.missing, b.span) == (True, (text.index(":   ") + 1,) * 2)
    assert isinstance(c, Sequence)
    first, _, last = c.items
    assert first.span == (text.index("-"), text.index("-") + 1)
    assert last.span == (text.rindex("-"), text.rindex("-") + 1)


def test_a_part_of_a_text_has_places_in_the_whole() -> None:
    text = "---\nid: é\nx: [a]\n---\nBody: x\n"
    tree = read_yaml(text, 4, text.index("---", 4))
    assert plain(tree.root) == {"id": "é", "x": ["a"]}
    assert [node.span.of(text) for node in nodes(tree.root)][1:] == ["é", "[a]", "a"]
    broken = read_yaml(text.replace("[a]", '"a '), 4, text.index("---", 4))
    assert [problem.span.of(text.replace("[a]", '"a ')) for problem in broken.problems] == ['"a']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("y", "y"),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("null", None),
        ("~", None),
        ("NULL", None),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("0.10", 0.1),
        (".inf", math.inf),
        ("-.Inf", -math.inf),
        ("2024-01-01", "2024-01-01"),
        ("1.2.3", "1.2.3"),
        ("0.1.0", "0.1.0"),
        ('"10"', "10"),
        ("'true'", "true"),
        ("!!str 10", "10"),
        ("!!str", ""),
        ('!!int "10"', 10),
        ("!!float 3", 3.0),
        ("!!bool no", "no"),
        ("!!null ''", None),
        ("\u0661\u0662", "\u0661\u0662"),
        ("1_a", "1_a"),
        ("0x", "0x"),
        ("1:75", "1:75"),
        ("=", "="),
        ("9007199254740993", 9007199254740993),
    ],
)
def test_values_are_those_of_yaml_1_2(text: str, expected: object) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "text", ["0x10", "0o17", "010", "08", "-007", "1_000", "1:30", "190:20:30", "0b1", "1_0.5", "1_", "9" * 10_000]
)
def test_numbers_on_which_readers_differ_are_odd(text: str) -> None:
    found = value(text)
    assert isinstance(found, OddNumber)
    assert found.text == text


def test_nan() -> None:
    found = value(".nan")
    assert isinstance(found, float)
    assert math.isnan(found)


def test_anchors_aliases_and_merges() -> None:
    text = "x:\n  a: &a\n    k: 1\n  b: &b {k: 2, l: 3}\nm:\n  <<: [*a, *b]\n  n: *a\n"
    tree = read_yaml(text)
    assert codes(tree) == []
    assert isinstance(tree.root, Mapping)
    merged = tree.root.entries[1].value
    assert isinstance(merged, Mapping)
    assert {key: plain(entry.value) for key, entry in merged.effective().items()} == {"n": "*a", "k": 1, "l": 3}
    shared = tree.root.entries[0].value
    assert isinstance(shared, Mapping)
    first = shared.entries[0].value
    assert isinstance(first, Mapping)
    assert first.anchor is not None
    assert first.anchor.of(text) == "&a"
    alias = merged.entries[1].value
    assert resolve(alias) is first


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a: *nowhere\n", "yaml-syntax", "*nowhere"),
        ("a: &x\n  b: *x\n", "yaml-alias-limit", "*x"),
        ("a: &x [1, [*x]]\n", "yaml-alias-limit", "*x"),
        ("<<: 3\na: b\n", "yaml-syntax", "3"),
        ("a: &x 3\nb:\n  <<: [{c: d}, *x]\n", "yaml-syntax", "*x"),
        ("a: &x {b: c}\nd:\n  <<: *x\n  <<: *x\n", "duplicate-key", "<<"),
        ("a: 1\na: 2\n", "duplicate-key", "a"),
        ("{a: 1, 'a': 2}", "duplicate-key", "'a'"),
        ("? [a]\n: b\n", "yaml-syntax", "[a]"),
        ("{a: b}: c\n", "yaml-syntax", "{a: b}"),
        ("~: c\n", "yaml-syntax", "~"),
    ],
)
def test_faults_in_well_formed_yaml(text: str, code: str, place: str) -> None:
    tree = read_yaml(text)
    assert [(problem.code, problem.span.of(text)) for problem in tree.problems] == [(code, place)]
    assert tree.whole


def test_a_duplicate_key_points_at_the_first() -> None:
    text = "a: 1\nb: 2\na: 3\n"
    (problem,) = read_yaml(text).problems
    assert problem.span == (10, 11)
    assert [related.span for related in problem.related] == [(0, 1)]


def test_an_alias_bomb_is_one_problem_and_stays_small() -> None:
    text = 'a: &a ["x","x","x","x","x","x","x","x","x"]\n'
    for name, before in zip("bcdefghi", "abcdefgh", strict=True):
        text += f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    tree = read_yaml(text)
    assert codes(tree) == ["yaml-alias-limit"]

    def size(node: Node | None) -> int:
        target = resolve(node) if node is not None else None
        if isinstance(target, Mapping):
            return 1 + sum(size(entry.value) for entry in target.entries)
        if isinstance(target, Sequence):
            return 1 + sum(size(item) for item in target.items)
        return 1

    assert size(tree.root) < 1_000_000


def test_merge_chains_cannot_grow_without_bound() -> None:
    text = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 400))
    tree = read_yaml(text)
    assert codes(tree) == ["yaml-alias-limit"]
    assert isinstance(tree.root, Mapping)
    for entry in tree.root.entries:
        assert isinstance(entry.value, Mapping)
        entry.value.effective()


def test_comments() -> None:
    text = "# a\nb: c # d\ne: 'x # y' # z\nf: |  # head\n  # text\n  more\n# last\ng: h#i\n[]: \n"
    comments = read_yaml(text.replace("[]: \n", "")).comments
    assert [span.of(text) for span in comments] == ["# a", "# d", "# z", "# head", "# last"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", "---\n", "---\n...\n", "\ufeff", "--- # c\n"])
def test_an_empty_text_has_no_root(text: str) -> None:
    tree = read_yaml(text)
    assert (tree.root, tree.problems, tree.whole) == (None, [], True)


@pytest.mark.parametrize(
    "text",
    ["# c\n---\na: b\n...\n", "---\na: b\n---\n", "%YAML 1.2\n---\na: b\n", "--- {a: b}\n", "a: b\n...\n# end\n"],
)
def test_one_document_with_marks_is_fine(text: str) -> None:
    tree = read_yaml(text)
    assert plain(tree.root) == {"a": "b"}
    assert tree.problems == []


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("a: b\n---\nc: d\n", 5, {"a": "b"}),
        ("---\n# c\n---\nc: d\n", 8, {"c": "d"}),
        ("---\na: b\n...\n---\nc: d\n---\ne: f\n", 13, {"a": "b"}),
        ("a: |\n  x\n---\nc: d\n", 9, {"a": "x\n"}),
        ("a: b\r\n---\r\nc: d\r\n", 6, {"a": "b"}),
    ],
)
def test_a_second_document_is_reported_at_its_dashes(text: str, start: int, expected: object) -> None:
    tree = read_yaml(text)
    assert [(problem.code, problem.span) for problem in tree.problems] == [("multi-document", (start, start + 3))]
    assert plain(tree.root) == expected
    assert not tree.whole


def test_forbidden_characters_are_named_and_the_tree_lives() -> None:
    text = "a: x\x0cy\nb: \ud800\nc: 'd\x00'\n"
    tree = read_yaml(text)
    assert [(problem.code, problem.span.of(text)) for problem in tree.problems] == [
        ("yaml-syntax", "\x0c"),
        ("yaml-syntax", "\ud800"),
        ("yaml-syntax", "\x00"),
    ]
    assert "U+000C" in tree.problems[0].message.en
    assert not tree.whole
    assert plain(tree.root) == {"a": "x\x0cy", "b": "\ud800", "c": "d\x00"}
    assert apply_edits(text, tree.problems[0].fixes[0].edits) == text.replace("\x0c", "")


def test_deep_nesting_is_one_problem_and_the_rest_is_read() -> None:
    text = "rules:\n- a: " + "[" * 10_000 + "]" * 10_000 + "\n- b: c\n"
    tree = read_yaml(text)
    assert codes(tree) == ["yaml-syntax"]
    assert "100" in tree.problems[0].message.en
    assert isinstance(tree.root, Mapping)
    rules = tree.root.entries[0].value
    assert isinstance(rules, Sequence)
    assert plain(rules.items[1]) == {"b": "c"}


@pytest.mark.parametrize("sign", ["[", "{", "- ", "? ", "- - ? "])
def test_ten_thousand_open_levels(sign: str) -> None:
    assert codes(read_yaml(sign * 10_000)) == ["yaml-syntax"]


def test_a_text_beyond_the_limit_is_not_read() -> None:
    tree = read_yaml("a" * 10_000_000)
    assert (tree.root, codes(tree), tree.whole) == (None, ["yaml-syntax"], False)
    assert "4000000" in tree.problems[0].message.en
