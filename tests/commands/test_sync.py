"""`sync` in its own words: what the lock names is brought up to date, in the project and for the user."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .conftest import FAULTY, GUARD, Run, rulewright

CLAUDE = ("--harness", "claude-code")
UNSUPPORTED = GUARD.replace("name: guard", "name: later").replace(
    "target: tool\n    tool: shell\n    action: block", "target: event\n    event: tool.error"
)


@pytest.fixture
def packages(project: Path) -> Path:
    (project / ".style").mkdir()
    (project / ".style" / "guard.yaml").write_text(GUARD)
    own = Path(os.environ["HOME"]) / ".style"
    own.mkdir()
    (own / "own.yaml").write_text(GUARD.replace("name: guard", "name: own"))
    return project


def test_nothing_installed(packages: Path, run: Run) -> None:
    ran = run("sync")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "nothing is installed here; run `rulewright install --harness NAME`\n"
    assert "这里没有安装任何内容" in run("sync", "--lang", "zh-CN").err


def test_everything_that_is_installed(packages: Path, run: Run) -> None:
    run("install", "--harness", "claude-code", "codex")
    run("install", *CLAUDE, "--scope", "user")
    assert run("sync").err.count("nothing to change\n") == 3
    (packages / ".style" / "guard.yaml").write_text(GUARD.replace("not allowed", "forbidden"))
    ran = run("sync", "--dry-run")
    assert ".style/claude-code.index: written" in ran.out
    assert b"forbidden" not in (packages / ".style" / "claude-code.index").read_bytes()
    ran = run("sync", *CLAUDE)
    assert ran.code == 0
    assert "guard 0.1.0 installed into claude-code (project)" in ran.err
    assert "own 0.1.0 installed into claude-code (user)" in ran.err
    assert b"forbidden" in (packages / ".style" / "claude-code.index").read_bytes()
    assert b"forbidden" not in (packages / ".style" / "codex.index").read_bytes()
    ran = run("sync", "--scope", "project")
    assert "(user)" not in ran.err
    assert b"forbidden" in (packages / ".style" / "codex.index").read_bytes()


def test_a_refusal_of_one_changes_none(packages: Path, run: Run) -> None:
    run("install", "--harness", "claude-code", "codex")
    before = (packages / ".style" / "claude-code.index").read_bytes()
    (packages / ".style" / "later.yaml").write_text(UNSUPPORTED)
    ran = run("sync")
    assert ran.code == 1
    assert ran.out.startswith("later/force-push@tool.error: there is no event `tool.error`")
    assert "1 of the rules cannot be installed into codex" in ran.err
    assert (packages / ".style" / "claude-code.index").read_bytes() == before
    (packages / ".style" / "later.yaml").write_text(FAULTY)
    ran = run("sync")
    assert ran.code == 1
    assert "error[block-after]" in ran.out


@pytest.mark.ledger("S050")
def test_install_names_what_a_harness_cannot_do(packages: Path, run: Run) -> None:
    (packages / ".style" / "later.yaml").write_text(UNSUPPORTED)
    ran = run("install", "--harness", "claude-code", "codex", "--lang", "zh-CN")
    assert ran.code == 1
    assert "later/force-push@tool.error：没有事件 `tool.error`" in ran.out
    assert not (packages / ".claude").exists()


@pytest.mark.ledger("S048")
def test_sync_keeps_fail_closed(packages: Path, run: Run) -> None:
    ran = run("install", *CLAUDE, "--fail-closed", "--client-version", "2.1.295")
    assert ran.code == 0
    (packages / ".style" / "guard.yaml").write_text(GUARD.replace("not allowed", "forbidden"))
    assert run("sync").code == 0
    [group] = json.loads((packages / ".claude" / "settings.json").read_text())["hooks"]["PreToolUse"]
    assert group["hooks"][0]["onFailure"] == "block"
    assert run("install", *CLAUDE, "--no-fail-closed").code == 0
    assert "onFailure" not in (packages / ".claude" / "settings.json").read_text()
    assert run("install", *CLAUDE, "--fail-closed", "--no-fail-closed").code == 2


def test_in_a_process_of_its_own(packages: Path) -> None:
    assert rulewright("install", *CLAUDE, cwd=packages).code == 0
    (packages / ".style" / "guard.yaml").write_text(GUARD.replace("not allowed", "forbidden"))
    ran = rulewright("sync", cwd=packages / ".style")
    assert (ran.code, ran.out) == (0, "")
    assert "Traceback" not in ran.err
    assert b"forbidden" in (packages / ".style" / "claude-code.index").read_bytes()
