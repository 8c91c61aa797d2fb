"""What a person meets before the first check: another language, no server, no Python, a folder without trust."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from vscode.conftest import Open
from vscode.test_editing import PACKAGE
from vscode.workbench import ROOT, RULEWRIGHT

pytestmark = [pytest.mark.vscode, pytest.mark.timeout(300)]

NAME = ".style/guard.style.yaml"
FILES = {NAME: PACKAGE}


def bin_folder(folder: Path, **programs: str) -> Path:
    """Make a folder of the PATH with the given programs, as shell scripts."""
    folder.mkdir(parents=True)
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (folder / name).chmod(0o755)
    return folder


def test_chinese(open_window: Open) -> None:
    window = open_window(FILES, locale="zh-cn")
    window.open(NAME, 10, 9)
    rows = window.problems("rows.length > 0", NAME)
    (row,) = [row for row in rows if row["code"] == "block-after"]
    assert "调用" in row["message"]
    parts = window.hover("target", "parts.length > 0")
    assert any("规则" in part for part in parts), parts
    window.picture("vscode-hover-zh.png")
    window.kill_server()
    assert "已重新启动" in window.notification("Rulewright 服务器意外退出")["message"]


def test_no_python(open_window: Open, tmp_path: Path) -> None:
    window = open_window(FILES, path=None, env={"PATH": str(bin_folder(tmp_path / "bin")), "HOME": str(tmp_path)})
    window.open(NAME)
    told = window.notification("needs Python")
    assert told["message"] == "Rulewright needs Python 3.11 or newer, and none was found."
    assert told["buttons"] == ["Get Python", "Install…", "Choose Path…", "Try Again"]
    assert window.servers() == []


def test_a_python_that_is_too_old_then_the_right_one(open_window: Open, tmp_path: Path) -> None:
    programs = bin_folder(tmp_path / "bin", python3="echo 3.9.2")
    window = open_window(FILES, path=None, env={"PATH": str(programs), "HOME": str(tmp_path)})
    window.open(NAME)
    told = window.notification("needs Python")
    assert told["message"] == f"Rulewright needs Python 3.11 or newer; {programs / 'python3'} is 3.9.2."
    (programs / "rulewright").symlink_to(RULEWRIGHT)
    window.click(".notification-toast .monaco-button", "Try Again")
    window.problems("rows.some((row) => row.code === 'block-after')", NAME)


def test_a_server_that_is_too_old_is_replaced_by_one_click(open_window: Open, tmp_path: Path) -> None:
    programs = bin_folder(tmp_path / "bin", rulewright="echo rulewright 0.0.1")
    (programs / "python3").symlink_to(Path(sys._base_executable))  # type: ignore[attr-defined]
    window = open_window(
        FILES,
        path=None,
        machine={"rulewright.packageSpec": str(ROOT)},
        env={"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)},
        timeout=120_000,
    )
    window.open(NAME)
    told = window.notification("too old")
    assert told["message"].startswith(f"Rulewright 0.0.1 at {programs / 'rulewright'} is too old")
    window.click(".notification-toast .monaco-button", "Install…")
    row = window.wait(".quick-input-widget:visible .monaco-list-row", "An environment that only this extension uses")
    # The command stands there before anything runs.
    assert "-m venv --clear" in row
    assert f"-m pip install --upgrade {ROOT}" in row
    assert window.servers() == []
    window.press("Enter")
    window.problems("rows.some((row) => row.code === 'block-after')", NAME)
    (server,) = window.servers()
    words = Path(f"/proc/{server}/cmdline").read_bytes()
    assert str(window.home).encode() in words


def test_a_folder_without_trust_is_only_read(open_window: Open, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    good = bin_folder(tmp_path / "bin")
    (good / "rulewright").symlink_to(RULEWRIGHT)
    evil = f"#!/bin/sh\n: > '{touched}'\nexec '{RULEWRIGHT}' \"$@\"\n"
    window = open_window(
        FILES | {"evil.sh": evil, ".venv/bin/rulewright": evil},
        path=None,
        restricted=True,
        env={"PATH": f"{good}:/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    for name in ("evil.sh", ".venv/bin/rulewright"):
        os.chmod(window.folder / name, 0o755)
    window.write(".vscode/settings.json", json.dumps({"rulewright.path": str(window.folder / "evil.sh")}))
    window.open(NAME, 10, 9)
    window.problems("rows.some((row) => row.code === 'block-after')", NAME)
    assert len(window.servers()) == 1
    assert not touched.exists()


def test_a_server_that_ends_at_once_is_not_started_for_ever(open_window: Open, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    script = f'[ "$1" = --version ] && exec echo rulewright 9.9.9\necho x >> "{starts}"\nexit 3'
    programs = bin_folder(tmp_path / "bin", rulewright=script)
    window = open_window(FILES, path=programs / "rulewright")
    window.open(NAME)
    told = window.notification("did not start")
    assert told["message"] == f"The Rulewright server at {programs / 'rulewright'} did not start."
    assert told["buttons"] == ["Restart", "Show Output"]
    assert len(starts.read_text("utf-8").split()) == 1


def test_a_server_that_ends_again_and_again_is_left_alone(open_window: Open) -> None:
    window = open_window(FILES)
    window.open(NAME, 10, 9)
    for _ in range(4):
        window.problems("rows.some((row) => row.code === 'block-after')", NAME)
        old = window.kill_server()
        window.wait_for_server(old)
    window.problems("rows.some((row) => row.code === 'block-after')", NAME)
    window.kill_server()
    told = window.notification("several times in a row")
    assert told["buttons"] == ["Restart", "Show Output"]
    assert window.servers() == []
    window.click(".notification-toast .monaco-button", "Restart")
    window.problems("rows.some((row) => row.code === 'block-after')", NAME)
