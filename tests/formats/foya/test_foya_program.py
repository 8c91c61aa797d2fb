"""What Foya's own program makes of a file. Each case is the behaviour of its code (foya.md sections 1 and 2 [F])."""

from __future__ import annotations

import pytest

from rulewright.analysis import read_as
from rulewright.formats import by_name
from rulewright.model import FoyaFile, ProgramRule

GLOBAL = ".foya/rules/user_rules.md"


def file(text: str, path: str = ".foya/rules/a.md") -> FoyaFile:
    return read_as(by_name("foya"), path, text).foya


def loaded(text: str, path: str = ".foya/rules/a.md") -> tuple[ProgramRule, ...] | None:
    return file(text, path).program


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\nid: x\ntrigger: manual\n---\nB.\n",
        "\n---\nid: x\n---\nB.\n",
        " ---\nid: x\n---\nB.\n",
        "---\nid: x\n\nB.\n",
        "---\nid: x\n----\nB.\n",
        "---\nid: x\n--- \nB.\n",
        "---\nid: x\n---",
        "---\n---\nB.\n",
        "---\rid: x\r---\rB.\r",
    ],
)
def test_a_header_that_is_not_seen_is_text(text: str) -> None:
    rules = loaded(text)
    assert rules is not None
    assert [(rule.name, rule.trigger, rule.content) for rule in rules] == [("a", "always", text.strip())]
    (deeper,) = loaded(text, ".foya/rules/web/a.md") or ()
    assert (deeper.trigger, deeper.globs) == ("glob", ("web/**",))


@pytest.mark.parametrize(
    "header",
    [
        "globs: a",
        'globs: ""',
        "globs: {a: b}",
        "globs: [[a]]",
        'globs: [""]',
        'trigger: manual\nglobs: ["  "]',
        "trigger: bogus",
        'trigger: " always"',
        "trigger: [always]",
        "trigger: glob",
        "trigger: glob\nglobs: []",
        "trigger: model_decision",
        "name: [a]",
        r'name: "a\/b"',
        r'"na\/me": a',
        'trigger: glob\nglobs: ["src\\/**", "b\\\\/c"]',
        "id: {a: b}",
        "id: a\nid: b",
        "globs: *.ts",
        "x: [",
        "- a",
        "text",
        "\tid: a",
        "x: a\x01b",
    ],
)
def test_a_file_that_it_refuses(header: str) -> None:
    assert loaded(f"---\n{header}\n---\nB.\n") is None


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("id: 007\nname: no", ("007", "no", "always", ())),
        ('id: " x "\nname: " y "', ("x", " y ", "always", ())),
        ("unknown: [1]", (None, "a", "always", ())),
        ("~", (None, "a", "always", ())),
        ("trigger:\nglobs: ~", (None, "a", "always", ())),
        ("trigger: glob\nglobs: [a, ~, 3]", (None, "a", "glob", ("a", "3"))),
        ('trigger: model_decision\ndescription: "  "', (None, "a", "model_decision", ())),
        ("trigger: manual\t", (None, "a", "manual", ())),
        ("b: &b\n  name: n\n<<: *b", (None, "n", "always", ())),
        ("name: n\n...\n- x", (None, "n", "always", ())),
    ],
)
def test_a_header_that_it_reads(header: str, expected: tuple[str | None, str, str, tuple[str, ...]]) -> None:
    found = file(f"---\n{header}\n---\n\n B.\n")
    (rule,) = found.program or ()
    assert (rule.id if expected[0] else None, rule.name, rule.trigger, rule.globs) == expected
    assert rule.content == "B."
    assert found.rules[0].id.text() == rule.id


def test_the_first_closing_line_counts() -> None:
    (rule,) = loaded("---\nid: a\n---\nB.\n\n---\n\nC.\n") or ()
    assert rule.content == "B.\n\n---\n\nC."


def test_an_empty_rule_is_none() -> None:
    assert loaded("---\nid: a\n---\n \u3000\n") == ()
    assert loaded("") == ()
    assert loaded("# Foya User Rules\n", GLOBAL) == ()
    assert loaded('<!-- foya-rule: {"id":"a"} -->\n\n', GLOBAL) == ()


def test_too_long_a_text() -> None:
    """A plain file is refused, a rule under a marker left out, and below a frontmatter nobody counts."""
    text = "x" * 6001
    assert loaded(text) is None
    assert (
        loaded(f'<!-- foya-rule: {{"id":"a"}} -->\n{text}\n<!-- foya-rule: {{"id":"b"}} -->\nB.\n', GLOBAL) is not None
    )
    assert [
        rule.id
        for rule in loaded(f'<!-- foya-rule: {{"id":"a"}} -->\n{text}\n<!-- foya-rule: {{"id":"b"}} -->\nB.\n', GLOBAL)
        or ()
    ] == ["b"]
    assert [len(rule.content) for rule in loaded(f"---\nid: a\n---\n{text}") or ()] == [6001]


@pytest.mark.ledger("F060")
def test_markers() -> None:
    text = '# Foya User Rules\n\n  <!-- foya-rule: {"id":"a","NAME":"n"} -->  \r\nOne.\n<!--foya-rule: {"id":"b"}-->\nTwo.\n'
    rules = loaded(text, GLOBAL)
    assert rules is not None
    assert [(rule.id, rule.name, rule.content) for rule in rules] == [
        ("a", "n", 'One.\n<!--foya-rule: {"id":"b"}-->\nTwo.')
    ]


@pytest.mark.parametrize(
    "json",
    [
        "{'id':'a'}",
        '{"id":"a",}',
        '{"name":"a"}',
        '{"id":""}',
        '{"id":3}',
        "null",
        "[]",
        "",
        '{"id":"a","globs":"x"}',
        '{"id":"a","globs":[null]}',
        '{"id":"a","globs":[3]}',
        '{"id":"a","trigger":"bogus"}',
        '{"id":"a","trigger":"glob"}',
        '{"id":"a","created_at":"yesterday"}',
    ],
)
def test_one_bad_marker_costs_the_whole_file(json: str) -> None:
    assert loaded(f'<!-- foya-rule: {{"id":"ok"}} -->\nOne.\n<!-- foya-rule: {json} -->\nTwo.\n', GLOBAL) is None


def test_marker_values() -> None:
    json = (
        '{"id":" a ","id":null,"Trigger":"glob","path":"web/x.md","globs":null,"scope":"nowhere","other":[1],'
        '"updated_at":"2026-11-30T12:00:00.5+08:00","created_at":null}'
    )
    (rule,) = loaded(f"<!-- foya-rule: {json} -->\nOne.\n", GLOBAL) or ()
    assert (rule.id, rule.name, rule.trigger, rule.globs) == (" a ", "x", "glob", ("web/**",))
    assert rule.updated == "2026-11-30T12:00:00.5+08:00"
    (zero,) = loaded('<!-- foya-rule: {"id":"a","updated_at":"0001-01-01T00:00:00Z"} -->\nOne.\n', GLOBAL) or ()
    assert zero.updated == ""


def test_a_project_file_holds_one_rule() -> None:
    one = '<!-- foya-rule: {"id":"a","name":"n"} -->\nOne.\n'
    assert [rule.name for rule in loaded(one) or ()] == ["n"]
    assert loaded(one + '<!-- foya-rule: {"id":"b"} -->\nTwo.\n') is None


def test_a_frontmatter_makes_one_rule_of_the_global_file() -> None:
    text = '---\nowner: me\n---\n# Foya User Rules\n\n<!-- foya-rule: {"id":"a"} -->\nOne.\n'
    found = file(text, GLOBAL)
    (rule,) = found.program or ()
    assert rule.content.startswith("# Foya User Rules")
    assert [rule.id.text() for rule in found.rules] == ["a"]


def test_nothing_of_a_file_that_lies_too_deep() -> None:
    found = file("---\nid: a\n---\nB.\n", ".foya/rules/a/b/c/d/e.md")
    assert found.too_deep
    assert found.program == ()
    assert found.sound_rules() == ()
