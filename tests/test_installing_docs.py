"""The page on installing: what it says about files and failures is what the tables and the commands say, in both languages."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from rulewright import harness
from rulewright.commands import doctor, install, sync

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = [DOCS / "installing.md", DOCS / "zh-CN" / "installing.md"]


@pytest.mark.parametrize("path", PAGES, ids=["en", "zh-CN"])
def test_the_files_are_those_of_the_tables(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    for name in harness.NAMES:
        codec = harness.codec(name)
        row = next(line for line in page.split("\n") if line.startswith(f"| `{name}` |"))
        _, _, project, local, user, static, _ = (cell.strip() for cell in row.split("|"))
        for scope, cell in (("project", project), ("local", local), ("user", user)):
            if scope in codec.CONFIG:
                _, folder, file = codec.CONFIG[scope]
                assert cell == f"`{'~/' if scope == 'user' else ''}{folder}/{file}`"
            else:
                assert cell == ""
        _, folder, names = codec.INSTRUCTIONS["project"]
        assert f"`{folder + '/' if folder else ''}{names[-1]}`" in static


@pytest.mark.ledger("S091")
@pytest.mark.parametrize("path", PAGES, ids=["en", "zh-CN"])
def test_a_failing_process_is_the_harness_s_decision_and_there_is_a_remedy(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    section = page[page.index("90") : page.index("## Doctor" if path.parent == DOCS else "## 检查")]
    assert re.search(r"\*\*the\s+harness decides\*\*|\*\*由 harness 决定\*\*", section)
    assert "rulewright install --harness claude-code --fail-closed" in section
    assert harness.codec("claude-code").FAIL_CLOSED_SINCE in section
    for word in ("`fail: closed`", "`action: block`", "PreToolUse", "style.lock.yaml", "`--no-fail-closed`"):
        assert word in section


@pytest.mark.parametrize("path", PAGES, ids=["en", "zh-CN"])
def test_the_options_exist(path: Path) -> None:
    known: set[str] = set()
    for command in (install, sync, doctor):
        parser = argparse.ArgumentParser()
        command.add_arguments(parser, "en")
        known.update(option for action in parser._actions for option in action.option_strings)
    assert set(re.findall(r"--[a-z][a-z-]+", path.read_text(encoding="utf-8"))) <= known | {"--version"}
