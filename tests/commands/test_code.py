"""`rulewright code`: the page of a code."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.conftest import Run
from rulewright import pages
from rulewright.checks import all_checks


@pytest.mark.parametrize("one", [check.code for check in all_checks()])
def test_every_code_has_a_page(run: Run, one: str) -> None:
    ran = run("code", one)
    assert ran.code == 0
    assert ran.out.startswith(f"{one} (")
    assert f"https://rulewright.github.io/codes/{one}\n" in ran.out
    assert "## What it reports" in ran.out


def test_case_and_misspelling(run: Run) -> None:
    assert run("code", "t005").out == run("code", "T005").out
    ran = run("code", "blok-after")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "rulewright: there is no code `blok-after`; did you mean `block-after`?\n"
    assert run("code", "xxxxxxxxxxxxx").err == "rulewright: there is no code `xxxxxxxxxxxxx`\n"


def test_the_chinese_page(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "package" / "docs" / "zh-CN" / "codes"
    folder.mkdir(parents=True)
    (folder / "T005.md").write_text("---\nhash: x\n---\n\n# 理由太长\n", encoding="utf-8")
    monkeypatch.setattr(pages.rulewright, "__file__", str(tmp_path / "package" / "__init__.py"))
    pages._translated.cache_clear()
    request.addfinalizer(pages._translated.cache_clear)
    assert "# 理由太长" in run("code", "T005", "--lang", "zh-CN").out
    assert "hash" not in run("code", "T005", "--lang", "zh-CN").out
    assert "理由太长" not in run("code", "T005", "--lang", "en").out
    assert "## What it reports" in run("code", "T007", "--lang", "zh-CN").out
