"""Completion while typing: the right items, the right range, a document that stays well formed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.ide.results import Item
from rulewright.ide.style.completion import complete
from rulewright.ide.yaml_context import place_at
from rulewright.text.edits import Edit, apply_edits
from rulewright.text.lines import Lines

CORPUS = Path(__file__).parents[1] / "corpus" / "lsp" / "03-completion-while-typing" / "completions.json"
ROWS = [row for row in json.loads(CORPUS.read_text("utf-8")) if row["lang"] == "yaml"]


def items_at(marked: str, *, snippets: bool = False) -> tuple[str, int, dict[str, Item]]:
    offset = marked.index("|")
    text = marked[:offset] + marked[offset + 1 :]
    return text, offset, {item.label: item for item in complete(text, Lines(text), offset, snippets=snippets)}


def accept(text: str, offset: int, item: Item) -> str:
    lines = Lines(text)
    assert lines.line_at(item.span.start) == lines.line_at(item.span.end) == lines.line_at(offset)
    assert item.span.start <= offset <= item.span.end
    after = apply_edits(text, [Edit(item.span, item.new_text)])
    return Lines(after).line_text(lines.line_at(offset))


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("row", ROWS, ids=[f"{n}-{row.get('accept')}" for n, row in enumerate(ROWS)])
def test_corpus(row: dict[str, Any], line_end: str) -> None:
    text, offset, items = items_at(row["text"].replace("\n", line_end))
    assert set(row["want"]) <= set(items)
    assert not set(row.get("not", ())) & set(items)
    item = items[row["accept"]]
    assert accept(text, offset, item) == row["line_after"]
    if "replace" in row and " or " not in row["replace"]:
        assert item.span.of(text) == row["replace"]


HEAD = "spec: style/v0.3\nname: lsp\nversion: 0.1.0\ndescription: test package\nrules:\n"
RULE = HEAD + "  - id: a\n    target: tool\n"

# text with `|` at the cursor, what must be offered, what must not, what to accept, the line after that
TABLE: list[tuple[str, str, str, str, str, str]] = [
    ("tool block list", RULE + "    tool:\n      - sh|\n", "shell", "*", "shell", "      - shell"),
    ("tool flow list", RULE + "    tool: [shell, file.r|]\n", "file.read", "shell *", "file.read", "    tool: [shell, file.read]"),
    ("tool flow list, empty", RULE + "    tool: [|]\n", "shell file.edit", "*", "shell", "    tool: [shell]"),
    ("star is quoted", RULE + "    tool: |\n", "shell *", "", "*", '    tool: "*"'),
    ("event", HEAD + "  - id: a\n    target: event\n    event: prom|\n", "prompt.submitted", "tool.pre", "prompt.submitted", "    event: prompt.submitted"),
    ("part of a word", HEAD + "  - id: a\n    target: event\n    event: sub|\n", "subagent.start prompt.submitted", "tool.pre", "prompt.submitted", "    event: prompt.submitted"),
    ("bool", RULE + "    enabled: t|\n", "true", "false", "true", "    enabled: true"),
    ("op", RULE + "    when:\n      conditions:\n        - field: tool.input.command\n          op: sh|\n", "shell_regex", "equals", "shell_regex", "          op: shell_regex"),
    ("field in flow", RULE + "    when:\n      conditions:\n        - {field: tool.in|, op: equals}\n", "tool.input.command", "cwd", "tool.input.path", "        - {field: tool.input.path, op: equals}"),
    ("condition key", RULE + "    when:\n      conditions:\n        - field: cwd\n          |\n", "op pattern negate", "field id", "pattern", "          pattern: "),
    ("when key", RULE + "    when:\n      |\n    text: x\n", "model conditions match", "id text op", "model", "      model: "),
    ("pattern of exists", RULE + "    when:\n      conditions:\n        - {field: cwd, op: exists, pattern: |}\n", "true false", "", "false", "        - {field: cwd, op: exists, pattern: false}"),
    ("pattern of an event", RULE + "    when:\n      conditions:\n        - field: event\n          op: equals\n          pattern: tool.p|\n", "tool.pre", "", "tool.pre", "          pattern: tool.pre"),
    ("defaults", HEAD.replace("rules:\n", "") + "defaults:\n  |\n", "action at repeat fallback", "id text target", "repeat", "  repeat: "),
    ("defaults value", HEAD.replace("rules:\n", "") + "defaults:\n  action: |\n", "inject warn block", "", "warn", "  action: warn"),
    ("root key", HEAD.replace("rules:\n", "") + "r|\n", "rules", "spec name", "rules", "rules:"),
    ("spec value", "spec: |\n", "style/v0.3", "", "style/v0.3", "spec: style/v0.3"),
    ("spec value, part", "spec: style|\n", "style/v0.3", "", "style/v0.3", "spec: style/v0.3"),
    ("no space", RULE + "    action:bl|\n", "block", "warn", "block", "    action: block"),
    ("no space in flow", HEAD + "  - {id: a, target: tool, action:|}\n", "block warn", "", "block", "  - {id: a, target: tool, action: block}"),
    ("open quote", RULE + '    action: "bl|\n', "block", "", "block", '    action: "block"'),
    ("open quote in flow", HEAD + '  - {id: a, action: "bl|}\n', "block", "", "block", '  - {id: a, action: "block"}'),
    ("single quotes", RULE + "    action: '|'\n", "inject block", "", "block", "    action: 'block'"),
    ("quoted key", RULE + '    "act|": block\n', "action", "", "action", '    "action": block'),
    ("value before a comment", RULE + "    action: b| # why\n", "block", "warn", "block", "    action: block # why"),
    ("inside a value", RULE + "    action: bl|ok\n", "block", "warn", "block", "    action: block"),
    ("behind an anchor", RULE + "    action: &a bl|\n", "block", "", "block", "    action: &a block"),
    ("first key of a rule", HEAD + "  - |\n", "id target", "spec", "id", "  - id: "),
    ("first key, dash alone", HEAD + "  -|\n", "id target", "spec", "id", "  - id: "),
    ("dash at the margin", HEAD + "- id: a\n  target: tool\n  act|\n", "action", "id", "action", "  action: "),
    ("second rule", RULE + "    text: x\n  - id: b\n    tar|\n", "target", "id", "target", "    target: "),
    ("before the next rule", RULE + "    |\n  - id: b\n    text: y\n", "text action", "id target", "text", "    text: "),
    ("key of the first line", HEAD + "  - i|\n    target: tool\n", "id", "target", "id", "  - id: "),
    ("only keys of the target", HEAD + "  - id: a\n    target: system\n    |\n", "mode refresh", "tool mcp event at", "mode", "    mode: "),
    ("flow over several lines", HEAD + "  - {\n    id: a,\n    tar|\n  }\n", "target", "id spec", "target", "    target: "),
    ("value in flow over lines", HEAD + "  - {\n    id: a,\n    action: w|\n  }\n", "warn", "block", "warn", "    action: warn"),
    ("json style", HEAD + '  - {"id": "a", "act|": "x"}\n', "action", "id", "action", '  - {"id": "a", "action": "x"}'),
    ("value on the next line", RULE + "    action:\n      w|\n", "warn", "block", "warn", "      warn"),
    ("tab before a value", RULE + "    action:\tbl|\n", "block", "", "block", "    action:\tblock"),
    ("tabs as indentation", HEAD + "\t- id: a\n\t  act|\n", "action", "id", "action", "\t  action: "),
    ("emoji in front", HEAD + '  - {id: "🚀🚀", target: tool, action: bl|}\n', "block", "", "block", '  - {id: "🚀🚀", target: tool, action: block}'),
    ("below an unclosed quote", HEAD + '  - id: a\n    text: "never closed\n  - id: b\n    act|\n', "action", "id", "action", "    action: "),
    ("below a block scalar", RULE + "    text: |-\n      one: two\n    act|\n".replace("|-", ">-"), "action", "target text", "action", "    action: "),
    ("behind a document start", "---\nspec: style/v0.3\nna|\n", "name", "spec", "name", "name: "),
    ("behind a mark", "\ufeffsp|", "spec", "", "spec", "\ufeffspec: "),
    ("variable", RULE + '    text: "run {{ tool.input.c|"\n', "tool.input.command", "cwd", "tool.input.command", '    text: "run {{ tool.input.command }}"'),
    ("variable, closed", RULE + "    text: run {{ cw| }} here\n", "cwd", "model", "cwd", "    text: run {{ cwd }} here"),
    ("variable, no space", RULE + "    text: run {{|\n", "cwd model", "", "cwd", "    text: run {{ cwd }}"),
    ("variable in a block", RULE + "    text: >\n      run {{ cw|\n", "cwd", "", "cwd", "      run {{ cwd }}"),
    ("code in a comment", RULE + "    # rulewright: ignore[T0|]\n", "T005", "block-after", "T005", "    # rulewright: ignore[T005]"),
    ("list item", RULE + "    tool:\n      - shell\n      |\n", "- fetch", "", "- fetch", "      - fetch"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "want", "unwanted", "accepted", "line"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_table(text: str, want: str, unwanted: str, accepted: str, line: str) -> None:
    clean, offset, items = items_at(text)
    split = want.split(" ") if not want.startswith("-") else [want]
    assert set(split) <= set(items), sorted(items)
    assert not set(unwanted.split()) & set(items)
    assert accept(clean, offset, items[accepted]) == line


@pytest.mark.parametrize(
    "text",
    [
        RULE + "    text: >\n      act|\n",
        RULE + "    text: >\n      one\n\n      |\n",
        RULE + '    text: "one\n      act|\n      two"\n',
        RULE + "    text: some words act|\n",
        RULE + "    # act|\n",
        RULE + "    action: block # w|\n",
        RULE + "  |  action: block\n",
        RULE + "    action: block |\n",
        RULE + '    action: "block"|\n',
        HEAD + "  - {id: a}|\n",
        HEAD + "  - {id: a, |target: tool}\n",
        "x-shared:\n  a: |\n",
        RULE + "    action: |-\n".replace("|-", ">|"),
        RULE + "    name|: x\n",
    ],
    ids=range(14),
)
def test_nothing_here(text: str) -> None:
    assert items_at(text)[2] == {}


def test_whole_package_in_an_empty_file() -> None:
    for text in ("|", "# a comment\n|", "---\n|", "pack|"):
        items = items_at(text, snippets=True)[2]
        assert items["package"].snippet
        assert items["package"].new_text.startswith("spec: style/v0.3\n")
    assert "package" not in items_at("|")[2]
    assert "package" not in items_at("spec: style/v0.3\n|", snippets=True)[2]


@pytest.mark.parametrize(
    "text", [HEAD + "  - |\n", HEAD + "  |\n", HEAD + "  - id: a\n    text: x\n  |\n", HEAD + "  -|\n"]
)
def test_whole_rule(text: str) -> None:
    clean, offset, items = items_at(text, snippets=True)
    item = items.get("rule") or items["- rule"]
    assert accept(clean, offset, item).startswith("  - id: ")


def test_every_item_of_a_table_is_documented() -> None:
    _, _, items = items_at(HEAD + "  - |\n")
    assert all(item.doc and item.doc.en and item.doc.zh and item.detail.zh for item in items.values())


ALPHABET = st.sampled_from(["spec", "rules", "id", "action", ":", " ", "  ", "\n", "- ", "-", "{", "}", "[", "]", ",", '"', "'", "|", "#", "\t", "\r\n", "😀", "&a", "*a", "---", "x"])  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(ALPHABET, max_size=25), st.integers(0, 60))
def test_never_raises_and_ranges_hold_the_cursor(parts: list[str], at: int) -> None:
    text = "".join(parts)
    lines = Lines(text)
    offset = lines.offset_at(*lines.position_at(min(at, len(text))))
    place_at(text, lines, offset)
    for item in complete(text, lines, offset, snippets=True):
        accept(text, offset, item)
