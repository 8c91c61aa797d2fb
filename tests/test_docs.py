"""The generated pages: one for every code, key and command, in both languages."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from rulewright.checks import all_checks
from rulewright.cli import COMMANDS
from rulewright.formats.fields import fields_of
from rulewright.formats.style.keys import RuleKeys

BUILD = Path(__file__).resolve().parent.parent / "docs" / "build.py"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("docs")
    (folder / "stale.md").write_text("old", encoding="utf-8")
    count = builder().build(folder)
    found = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    assert count == len(found)
    return found


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", BUILD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_build"] = module
    spec.loader.exec_module(module)
    return module


def test_every_code_has_a_page_in_both_languages(pages: dict[str, str]) -> None:
    for check in all_checks():
        for folder in ("", "zh-CN/"):
            page = pages[f"{folder}codes/{check.code}.md"]
            assert page.startswith(f"# `{check.code}`: ")
            assert f"`{check.severity.label}`" in page
            assert f"({check.code}.md)" in pages[f"{folder}codes/README.md"]


def test_every_key_is_in_the_reference(pages: dict[str, str]) -> None:
    for folder in ("", "zh-CN/"):
        reference = pages[f"{folder}fields/style.md"]
        for name, field in fields_of(RuleKeys).items():
            row = next(line for line in reference.split("\n") if line.startswith(f"| `{name}` |"))
            assert len(re.findall(r"(?<!\\)\|", row)) == 6, row
            assert (field.doc.en if not folder else field.doc.zh) in reference


def test_every_command_is_described(pages: dict[str, str]) -> None:
    for name, _, text in COMMANDS:
        assert f"## `rulewright {name}`\n\n{text.en}" in pages["commands.md"]
        assert f"## `rulewright {name}`\n\n{text.zh}" in pages["zh-CN/commands.md"]
        assert f"rulewright {name} [" in pages["commands.md"]


def test_stale_pages_go(pages: dict[str, str]) -> None:
    assert "stale.md" not in pages


CHINESE = sorted((BUILD.parent / "zh-CN" / "codes").glob("*.md"))


def without_examples(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)


def examples(page: str) -> list[str]:
    return re.findall(r"^```.*?^```$", page, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("path", CHINESE, ids=lambda path: path.stem)
def test_chinese_pages_are_as_new_as_the_english_ones(path: Path) -> None:
    """A changed English page asks for a look at its translation. UPDATE_CASES=1 copies the examples, never the words."""
    english = next(check.page for check in all_checks() if check.code == path.stem)
    text = path.read_text(encoding="utf-8")
    if os.environ.get("UPDATE_CASES") == "1" and len(examples(text)) == len(examples(english)):
        for old, new in zip(examples(text), examples(english), strict=True):
            text = text.replace(old, new, 1)
        path.write_text(text, encoding="utf-8")
    stamp = hashlib.sha256(without_examples(english).encode()).hexdigest()[:12]
    head, _, page = text.removeprefix("---\n").partition("\n---\n")
    assert head == f"english: {stamp}", f"bring the Chinese page up to date, then put `english: {stamp}` at its head"
    assert examples(page) == examples(english), "the examples differ: UPDATE_CASES=1 copies them"
    assert re.findall(r"^## (.+)$", without_examples(page), re.MULTILINE)[:2] == ["报告什么", "为什么重要"]
    assert re.search(r"^来源：", page, re.MULTILINE)
