"""Broken YAML: the problem is at the mistake, on one line, and everything else is read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rulewright.syntax import yaml_reader
from rulewright.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rulewright.syntax.yaml_reader import read_yaml
from rulewright.text.edits import apply_edits
from rulewright.text.lines import Lines

CORPUS = Path(__file__).parent.parent / "corpus"


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(yaml_reader, "EVENT_LOADER", yaml.SafeLoader)


def short(node: Node | None) -> object:
    """The tree as Python values; a broken mapping has the key `!`."""
    if isinstance(node, Mapping):
        found = {entry.key: short(entry.value) for entry in node.entries}
        return {"!": True, **found} if node.broken else found
    if isinstance(node, Sequence):
        return [short(item) for item in node.items]
    if isinstance(node, Alias):
        return f"*{node.name}"
    return node.value if isinstance(node, Scalar) else None


# text, source of the problem's span, a word of the message, the text after the fix (None: no fix)
MISTAKES = [
    ('a: "x y\nb: 1\n', '"x y', "never closed", 'a: "x y"\nb: 1\n'),
    ("a: 'it's'\n", "'it's'", "double", "a: 'it''s'\n"),
    ('a: "say "hi" now"\n', '"say "hi" now"', "follows", "a: 'say \"hi\" now'\n"),
    ("a: [x, y\nb: 1\n", "[x, y", "never closed", "a: [x, y]\nb: 1\n"),
    ("a: {x: 1\nb: 1\n", "{x: 1", "never closed", "a: {x: 1}\nb: 1\n"),
    ("a: [x]]\n", "]", "closes nothing", "a: [x]\n"),
    ("a: [A-Z]+_KEY\n", "[A-Z]+_KEY", "quotes", "a: '[A-Z]+_KEY'\n"),
    ("a:\n\tb: 1\n", "\t", "tab", "a:\n  b: 1\n"),
    ("a: 1\nb:block\nc: 2\n", "b:block", "space", "a: 1\nb: block\nc: 2\n"),
    ("a: 1\nb：block\nc: 2\n", "b：block", "full-width", "a: 1\nb: block\nc: 2\n"),
    ("a: 1\nact\nc: 2\n", "act", "no colon", None),
    ("a: x: y # why\n", "x: y", "quotes", "a: 'x: y' # why\n"),
    ("a: Be\n  and exact: always\nb: 1\n", "and exact: always", "above", "a: 'Be and exact: always'\nb: 1\n"),
    ("a: %d of\n", "%d of", "`%`", "a: '%d of'\n"),
    ("a: @x\n", "@x", "`@`", "a: '@x'\n"),
    ("a: `x`\n", "`x`", "quotes", "a: '`x`'\n"),
    ("a: >= 80 é\n", ">= 80 é", "`>`", "a: '>= 80 é'\n"),
    ("a: - b\n", "- b", "`-`", "a: '- b'\n"),
    ("a: *\n", "*", "`*`", "a: '*'\n"),
    ("a: *.py\n", "*.py", "`*`", "a: '*.py'\n"),
    ("a: !x!y z\n", "!x!y z", "`!`", "a: '!x!y z'\n"),
    ('a: "x\\sy"\n', "\\s", "single quotes", "a: 'x\\sy'\n"),
    ('a: "x\\xzz"\n', "\\x", "single quotes", "a: 'x\\xzz'\n"),
    ("a:\n    b: 1\n  c: 2\n", "c", "indentation", "a:\n    b: 1\n    c: 2\n"),
    ("a: 1\n  bc: 2\n", "bc", "indentation", "a: 1\nbc: 2\n"),
    ("- a: 1\n  b: 2\n - c: 3\n", "c: 3", None, None),
    ("a: 1\n- b\n", "-", "list item", None),
    ("a: [x, b: c: d]\n", None, "brackets", None),
    ("\ta: 1\n", "\t", "tab", "  a: 1\n"),
]


@pytest.mark.parametrize(("text", "place", "words", "fixed"), MISTAKES, ids=[repr(case[0]) for case in MISTAKES])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_mistake_is_named_where_it_is(
    text: str, place: str | None, words: str | None, fixed: str | None, end: str
) -> None:
    text = text.replace("\n", end)
    problems = read_yaml(text).problems
    assert [problem.code for problem in problems] == ["yaml-syntax"]
    (problem,) = problems
    if place is not None and words is not None:
        assert problem.span.of(text) == place
    if words is not None:
        assert words in problem.message.en
    assert problem.message.zh != problem.message.en
    if fixed is None:
        return
    assert not problem.fixes[0].safe
    after = apply_edits(text, problem.fixes[0].edits)
    assert after == fixed.replace("\n", end)
    assert read_yaml(after).problems == []


def test_one_open_quote_above_900_rules() -> None:
    rules = "".join(f"  - id: r{i}\n    target: system\n    text: Be brief ({i}).\n" for i in range(900))
    text = 'rules:\n  - id: a\n    target: system\n    text: "never closed\n' + rules
    tree = read_yaml(text)
    (problem,) = tree.problems
    assert problem.span.of(text) == '"never closed'
    assert isinstance(tree.root, Mapping)
    assert not tree.root.broken
    items = tree.root.entries[0].value
    assert isinstance(items, Sequence)
    assert not items.broken
    assert short(items.items[0]) == {"!": True, "id": "a", "target": "system"}
    assert [short(item) for item in items.items[1:]] == [
        {"id": f"r{i}", "target": "system", "text": f"Be brief ({i})."} for i in range(900)
    ]


@pytest.mark.parametrize("dash", ["- ", "  - ", "    -   "])
def test_only_the_broken_key_is_lost(dash: str) -> None:
    pad = " " * len(dash)
    text = (
        f"spec: s\nrules:\n{dash}id: a\n{pad}when:\n{pad}  conditions:\n{pad}    - {{field: f, op: o}}\n"
        f'{pad}    - field: g\n{pad}      op: "x\n{pad}      pattern: y\n{pad}text: t\n{dash}id: b\ntail: 1\n'
    )
    tree = read_yaml(text)
    assert [problem.span.of(text) for problem in tree.problems] == ['"x']
    assert short(tree.root) == {
        "spec": "s",
        "rules": [
            {
                "!": True,
                "id": "a",
                "when": {
                    "!": True,
                    "conditions": [{"field": "f", "op": "o"}, {"!": True, "field": "g", "pattern": "y"}],
                },
                "text": "t",
            },
            {"id": "b"},
        ],
        "tail": 1,
    }


def test_a_broken_head_keeps_the_rules() -> None:
    text = "spec: s\nname: %x\nversion 1\nrules:\n  - id: a\n"
    tree = read_yaml(text)
    assert [problem.span.of(text) for problem in tree.problems] == ["%x", "version 1"]
    assert short(tree.root) == {"!": True, "spec": "s", "rules": [{"id": "a"}]}


def test_an_item_of_which_nothing_can_be_read_is_an_empty_broken_mapping() -> None:
    text = "rules:\n  - @a\n  - id: b\n"
    tree = read_yaml(text)
    assert short(tree.root) == {"rules": [{"!": True}, {"id": "b"}]}
    assert isinstance(tree.root, Mapping)
    items = tree.root.entries[0].value
    assert isinstance(items, Sequence)
    assert items.items[0].span.of(text) == "@a"


def test_a_flow_item_keeps_what_stands_before_the_mistake() -> None:
    text = '- {id: a, target: tool, text: "x}\n- {id: b}\n'
    assert short(read_yaml(text).root) == [{"!": True, "id": "a", "target": "tool"}, {"id": "b"}]


def test_anchors_of_the_head_are_known_in_the_items() -> None:
    text = "x: &x\n  k: 1\n  l: @\ny: &y {m: 2}\nrules:\n  - <<: *y\n    a: *x\n  - b: *z\n"
    tree = read_yaml(text)
    assert [problem.span.of(text) for problem in tree.problems] == ["@", "*z"]
    assert isinstance(tree.root, Mapping)
    rules = tree.root.entries[2].value
    assert isinstance(rules, Sequence)
    first = rules.items[0]
    assert isinstance(first, Mapping)
    assert set(first.effective()) == {"m", "a"}
    alias = first.entries[1].value
    assert isinstance(alias, Alias)
    assert alias.target is tree.root.entries[0].value


def test_values_on_several_lines_are_not_cut() -> None:
    text = "a: 'one\n\n  two'\nb: [x,\n  y\n]\nc: |\n  d: e: f\n   # no\ng: @\n"
    tree = read_yaml(text)
    assert [problem.span.of(text) for problem in tree.problems] == ["@"]
    assert short(tree.root) == {"!": True, "a": "one\ntwo", "b": ["x", "y"], "c": "d: e: f\n # no\n"}


def test_duplicates_are_found_across_the_pieces() -> None:
    text = "a: 1\na: 2\nb: @\n"
    assert [(problem.code, problem.span) for problem in read_yaml(text).problems] == [
        ("duplicate-key", (5, 6)),
        ("yaml-syntax", (13, 14)),
    ]


def test_a_key_behind_a_mistake_is_no_duplicate() -> None:
    """The newline in front of the second item is gone: one slip, one problem."""
    text = "rules:\n  - id: a\n    text: x  - id: b\n    text: y\n"
    assert [problem.code for problem in read_yaml(text).problems] == ["yaml-syntax"]


@pytest.mark.parametrize(
    ("text", "place", "items"),
    [
        ("rules:\n  -id: a\n    k: v\n  - id: b\n  - id: c\n", "-id", 3),
        ("rules:\n    id: a\n    k: v\n  - id: b\n", "id", 2),
        ("rules:\n - id: a\n    k: v\n  - id: b\n  - id: c\n", "- id: a", 3),
        ("rules:\n  - id: a\n    k: v\n - id: b\n  - id: c\n", "- id: b", 3),
        ("rules:\n  - id: a\n  -id: b\n    k: v\n  - id: c\n", "-id", 3),
    ],
)
def test_a_slip_at_a_dash_costs_its_item_only(text: str, place: str, items: int) -> None:
    tree = read_yaml(text)
    assert [problem.span.of(text) for problem in tree.problems] == [place]
    assert isinstance(tree.root, Mapping)
    rules = tree.root.entries[0].value
    assert isinstance(rules, Sequence)
    assert len(rules.items) == items
    assert all(isinstance(item, Mapping) and item.entries for item in rules.items)


def test_conflict_marks_are_one_problem() -> None:
    text = "rules:\n<<<<<<< HEAD\n  - id: a\n||||||| base\n  - id: o\n=======\n  - id: b\n>>>>>>> topic\n"
    tree = read_yaml(text)
    (problem,) = tree.problems
    assert problem.span.of(text) == "<<<<<<< HEAD"
    assert not tree.whole
    assert short(tree.root) == {"rules": [{"id": "a"}]}


def test_marks_inside_a_text_are_no_conflict() -> None:
    text = "a: |\n  <<<<<<< HEAD\n  =======\n  >>>>>>> x\n"
    assert read_yaml(text).problems == []


def test_a_long_text_that_is_no_yaml_gives_few_problems() -> None:
    assert 1 <= len(read_yaml("a: b: c\n" * 5_000).problems) <= 20


@pytest.mark.parametrize(
    "name",
    [
        "02-backspace-instead-of-word-boundary/refused",
        *(f"08-plain-scalar-traps/{n}" for n in ("class", "colon", "dash", "fold", "gt", "percent", "star")),
    ],
)
def test_the_corpus_fixes_are_right(name: str) -> None:
    text = (CORPUS / "style" / f"{name}.yaml").read_bytes().decode()
    (problem,) = read_yaml(text).problems
    assert problem.code == "yaml-syntax"
    after = apply_edits(text, problem.fixes[0].edits)
    again = read_yaml(after)
    assert again.problems == []
    assert "!" not in str(short(again.root))


@pytest.mark.parametrize(
    ("text", "place", "fixed"),
    [
        ("a: Mention issue #12 in it. # really\n", " #12 in it.", "a: 'Mention issue #12 in it.' # really\n"),
        ("a: &always run it\n", "&always", "a: '&always run it'\n"),
        ("a: !important run it\n", "!important", "a: '!important run it'\n"),
        ("a: ! run\n", "!", "a: '! run'\n"),
        ("a: “run it”\n", "“run it”", "a: 'run it'\n"),
        ("a: ‘it’\n", "‘it’", "a: 'it'\n"),
        ("- action：block\n", "：", "- action: block\n"),
    ],
)
def test_traps(text: str, place: str, fixed: str) -> None:
    tree = read_yaml(text)
    assert [(problem.code, problem.span.of(text)) for problem in tree.problems] == [("yaml-trap", place)]
    assert tree.whole
    after = apply_edits(text, tree.problems[0].fixes[0].edits)
    assert after == fixed
    assert read_yaml(after).problems == []


@pytest.mark.parametrize(
    "text",
    [
        "a: block  # why\n",
        "a: x #!y\n",
        "a: x # rulewright: ignore\n",
        "a: x #rulewright: ignore\n",
        "a: 3 #12\n",
        "a: 'x' #12\n",
        "a: C#, b#c\n",
        "a: #12\n",
        "a: “x” and “y”\n",
        "a: &x b\nc: *x\n",
        "a: !!str b\n",
        "a: 注意：x\n",
        "a: http://x/#y\n",
    ],
)
def test_no_traps(text: str) -> None:
    assert read_yaml(text).problems == []


def test_problem_spans_stay_on_one_line() -> None:
    for text, *_ in MISTAKES:
        lines = Lines(text)
        for problem in read_yaml(text).problems:
            assert lines.line_at(problem.span.start) == lines.line_at(problem.span.end)


def expanded(node: Node | None) -> int:
    """How many nodes a walk that follows aliases sees; stops counting at a million."""
    count = 0
    pending = [node]
    while pending and count < 1_000_000:
        found = pending.pop()
        if found is None:
            continue
        count += 1
        if isinstance(found, Alias):
            pending.append(found.target)
        elif isinstance(found, Sequence):
            pending += found.items
        elif isinstance(found, Mapping):
            pending += [entry.value for entry in found.entries]
    return count


@pytest.mark.parametrize("broken", ["x: [a, *, b]", "  - x: 'a' b", "\tx: 1", "x: &k7 [*k5, *, *k5]"])
@pytest.mark.parametrize("block", [False, True])
def test_the_limit_of_aliases_holds_in_a_broken_text(broken: str, block: bool) -> None:
    lines = ["k0: &k0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 9):
        alias = f"*k{level - 1}"
        if block and level % 2:
            lines += [f"k{level}: &k{level}", *[f"  - {alias}"] * 10, "  - 'a' b"]
        else:
            lines += [f"k{level}: &k{level} [{', '.join([alias] * 5)}, *, {', '.join([alias] * 5)}]"]
    for at in (2, len(lines)):
        text = "\n".join([*lines[:at], broken, *lines[at:]]) + "\n"
        assert expanded(read_yaml(text).root) < 200_000, text


def test_a_hidden_character_that_keeps_a_text_from_being_a_list_is_not_taken_out_unasked() -> None:
    def safety(text: str) -> list[bool]:
        return [fix.safe for problem in read_yaml(text).problems for fix in problem.fixes]

    assert safety("a: Be\u200b brief.\n") == [True]
    assert safety("a: \u200b[x]\n") == [False]
    assert safety("a:\u200b b\n") == [False]
    assert safety("a: b \u200b# c\n") == [False]
