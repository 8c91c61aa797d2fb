"""The compiled set of Foya rules: plain data in the order in which rules are given, and what is left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright import analysis
from rulewright.formats import by_name
from rulewright.foya_set import compile_set
from rulewright.model import Document

RULES = "/p/.foya/rules"


def document(name: str, text: str) -> Document:
    return analysis.read_as(by_name("foya"), f"{RULES}/{name}", text)


def rule(rule_id: str, trigger: str, more: str = "") -> str:
    return f"---\nid: {rule_id}\ntrigger: {trigger}\n{more}---\nText of {rule_id}.\n"


@pytest.mark.ledger("F010")
def test_it_is_plain_data_in_order() -> None:
    documents = [
        document("b.md", rule("b", "glob", "globs: [src/**]\n")),
        document("a.md", rule("a", "always")),
        document("user_rules.md", '<!-- foya-rule: {"id":"tone","name":"Tone"} -->\nBe brief.\n'),
    ]
    times = {f"{RULES}/a.md": 200, f"{RULES}/b.md": 100, f"{RULES}/user_rules.md": 300}
    found = compile_set(documents, times)
    assert json.loads(json.dumps(found)) == found
    assert found["notes"] == []
    assert [entry["id"] for entry in found["rules"]] == ["tone", "b", "a"]
    assert found["rules"] == found["program"]
    assert found["rules"][1] == {
        "id": "b",
        "name": "b",
        "description": "",
        "scope": "project",
        "path": f"{RULES}/b.md",
        "trigger": "glob",
        "globs": ["src/**"],
        "content": "Text of b.",
    }


def test_global_rules_come_in_the_order_of_their_change() -> None:
    """What Go writes for no time is none, so that the time of the file counts."""
    times = {
        "new": "2026-11-30T12:00:00+08:00",
        "none": "0001-01-01T00:00:00Z",
        "old": "2025-01-01T00:00:00.5Z",
        "bare": "",
    }
    text = "".join(
        f'<!-- foya-rule: {{"id":"{rule_id}","updated_at":{json.dumps(time or None)}}} -->\nText.\n'
        for rule_id, time in times.items()
    )
    changed = 1_750_000_000 * 10**9  # in 2025, behind January
    found = compile_set([document("user_rules.md", text)], {f"{RULES}/user_rules.md": changed})
    assert [entry["id"] for entry in found["rules"]] == ["old", "bare", "none", "new"]
    assert found["rules"] == found["program"]


def test_what_is_left_out_is_noted() -> None:
    found = compile_set(
        [
            document("a.md", rule("a", "model_decision")),
            document("b.md", rule("b", "glob")),
            document("c.md", rule("c", "sometimes")),
            document("d.md", "---\nid: d\n"),
            document("e.md", rule("e", "always")),
            document("1/2/3/4/deep.md", rule("deep", "sometimes")),
        ],
        {},
    )
    assert [entry["id"] for entry in found["rules"]] == ["e"]
    assert found["program"] == []
    assert [note.removeprefix(f"{RULES}/") for note in found["notes"]] == [
        "a.md:2: it is a model_decision rule without a description",
        "b.md:2: it is a glob rule without globs",
        "c.md:2: its trigger is none of the four",
        "d.md:2: its header cannot be read",
    ]


@given(st.lists(st.text(max_size=60).map(lambda text: f"---\n{text}\n---\nBody.\n"), max_size=3))
def test_any_files_become_plain_data(texts: list[str]) -> None:
    found = compile_set([document(f"{number}.md", text) for number, text in enumerate(texts)], {})
    assert json.loads(json.dumps(found)) == found
    assert len(found["rules"]) <= len(texts)
    assert all(entry["content"] for entry in found["rules"] + found["program"])
