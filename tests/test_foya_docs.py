"""docs/foya.md in both languages: its examples give what they say, and it names every trigger, sub-command and budget."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands.conftest import rulewright
from rulewright.foya_set import TRIGGERS
from rulewright.hook import activity

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = [("foya.md", "en"), ("zh-CN/foya.md", "zh-CN")]


def blocks(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("name", "lang"), PAGES)
@pytest.mark.ledger("F062", "F080")
def test_the_examples_are_true(tmp_path: Path, name: str, lang: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    (rule,) = [block for kind, block in blocks(text) if kind == "markdown"]
    said, block = [block for kind, block in blocks(text) if kind == "text"]
    (command,) = [block for kind, block in blocks(text) if kind == "sh"]
    path = tmp_path / ".foya" / "rules" / "api-errors.md"
    path.parent.mkdir(parents=True)
    path.write_text(rule, encoding="utf-8")
    for notes in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
        (tmp_path / notes).write_text("Be brief.", encoding="utf-8")
    activity_text = command.split('"')[1]
    ran = rulewright("rule", "match", activity_text, "--lang", lang, cwd=tmp_path)
    assert (ran.code, ran.out, ran.err) == (0, said, "")
    path.write_text(rule.replace("trigger: glob", "trigger: always"), encoding="utf-8")
    assert rulewright("rule", "show", cwd=tmp_path).out == block
    assert re.search(r"`AGENTS.md`.*`CLAUDE.md`.*`GEMINI.md`", text)


@pytest.mark.parametrize(("name", "lang"), PAGES)
def test_the_tables_are_whole(name: str, lang: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    first = [line.split("|")[1].strip() for line in text.split("\n") if line.startswith("|")]
    assert {f"`{trigger}`" for trigger in TRIGGERS} <= set(first)
    for command in ("list", "show", "load NAME", "new NAME --text TEXT", "set NAME", "delete NAME", "changes"):
        assert f"`rulewright rule {command}`" in first
    for limit in (activity.DIRECT_LIMIT, activity.INDEX_LIMIT):
        assert any(cell.startswith(f"{limit:,} ") for cell in first)
    assert activity.OMITTED.strip() in text
