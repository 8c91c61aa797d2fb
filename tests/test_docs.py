"""The generated pages: one for every code, key and command, in both languages."""

from __future__ import annotations

import importlib.util
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
