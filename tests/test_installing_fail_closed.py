"""`--fail-closed`: for a client that can, of a version that can; written, remembered, taken back."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rulewright import harness, installing
from rulewright.errors import RulewrightError
from rulewright.installing import Plan
from rulewright.installing.clients import at_least, client_version
from rulewright.settings import load_settings

RULES = """\
spec: style/v0.3
name: guard
version: 0.1.0
description: d
rules:
  - id: no-rm
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - {field: tool.input.command, op: contains, pattern: rm -rf}
    text: Do not run rm -rf.
  - id: hello
    target: event
    event: prompt.submitted
    text: State assumptions.
"""
PROMPTS_ONLY = RULES[: RULES.index("  - id: no-rm")] + RULES[RULES.index("  - id: hello") :]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".style").mkdir()
    (folder / ".style" / "guard.yaml").write_text(RULES)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    (tmp_path / "bin").mkdir()
    return folder


def client(root: Path, script: str) -> None:
    path = root.parent / "bin" / "claude"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def install(root: Path, **options: Any) -> Plan:
    plan = installing.plan_install(load_settings(str(root)), "claude-code", **options)
    installing.apply(plan)
    return plan


def handlers(root: Path) -> dict[str, dict[str, Any]]:
    data = json.loads((root / ".claude" / "settings.json").read_text())
    return {native: groups[0]["hooks"][0] for native, groups in data["hooks"].items()}


@pytest.mark.ledger("S047")
def test_it_writes_on_failure_block_at_tool_calls_only(root: Path) -> None:
    client(root, "echo '2.1.332 (Claude Code)'")
    install(root, fail_closed=True)
    found = handlers(root)
    assert found["PreToolUse"]["onFailure"] == "block"
    assert shlex.split(found["PreToolUse"]["command"])[-1] == "fail-closed"
    for native in set(found) - {"PreToolUse"}:
        assert "onFailure" not in found[native]
        assert "fail-closed" not in found[native]["command"]
    data = json.loads((root / ".claude" / "settings.json").read_text())
    assert "onFailure" not in data["hooks"]["PreToolUse"][0]  # on a group it has no effect


@pytest.mark.ledger("S048")
def test_it_is_remembered_for_install_and_sync(root: Path) -> None:
    client(root, "echo '2.1.295 (Claude Code)'")
    install(root, fail_closed=True)
    assert "fail_closed: true" in (root / ".style" / "style.lock.yaml").read_text()
    first = (root / ".claude" / "settings.json").read_bytes()
    assert install(root).changes == ()
    [lock] = installing.installed(load_settings(str(root)))
    assert lock.fail_closed
    (root / ".style" / "guard.yaml").write_text(RULES.replace("Do not", "Never"))
    installing.apply(installing.plan_sync(load_settings(str(root)), lock))
    assert (root / ".claude" / "settings.json").read_bytes() == first
    # A client that has gone from the PATH does not take it away: it was sure once.
    (root.parent / "bin" / "claude").unlink()
    assert install(root).changes == ()
    # An older one does not have it.
    client(root, "echo 2.1.294")
    with pytest.raises(RulewrightError, match=r"needs claude-code 2\.1\.295 or newer, here is 2\.1\.294") as caught:
        install(root)
    assert "--no-fail-closed" in caught.value.to("en")
    install(root, fail_closed=False)
    assert "onFailure" not in (root / ".claude" / "settings.json").read_text()
    assert "fail-closed" not in (root / ".claude" / "settings.json").read_text()
    assert install(root).changes == ()


@pytest.mark.ledger("S045")
@pytest.mark.parametrize("name", [name for name in harness.NAMES if name != "claude-code"])
def test_other_harnesses_have_no_such_thing(root: Path, name: str) -> None:
    with pytest.raises(RulewrightError, match=f"`--fail-closed` is not possible in `{name}`") as caught:
        installing.plan_install(load_settings(str(root)), name, fail_closed=True)
    assert "不支持 `--fail-closed`" in caught.value.to("zh-CN")
    assert not (root / ".style" / "style.lock.yaml").exists()


@pytest.mark.ledger("S045")
@pytest.mark.parametrize(
    ("script", "why"),
    [
        (None, "`claude --version` does not say which version is here"),
        ("echo unknown", "`claude --version` does not say which version is here"),
        ("exit 1", "`claude --version` does not say which version is here"),
        ("echo '2.1.294 (Claude Code)'", "2.1.295 or newer, here is 2.1.294"),
        ("echo '1.0.999'", "2.1.295 or newer, here is 1.0.999"),
    ],
)
def test_a_version_that_is_too_old_or_unknown_is_refused(root: Path, script: str | None, why: str) -> None:
    if script is not None:
        client(root, script)
    with pytest.raises(RulewrightError) as caught:
        install(root, fail_closed=True)
    assert why in caught.value.to("en")
    assert caught.value.to("en").endswith("nothing was changed")
    assert not (root / ".claude").exists()


@pytest.mark.ledger("S045")
def test_the_user_can_state_the_version(root: Path) -> None:
    with pytest.raises(RulewrightError, match=r"`new` is not a version such as 2\.1\.295"):
        install(root, fail_closed=True, client_version="new")
    with pytest.raises(RulewrightError, match=r"here is 2\.1\.9"):
        install(root, fail_closed=True, client_version="2.1.9")
    install(root, fail_closed=True, client_version="2.2.0")
    assert handlers(root)["PreToolUse"]["onFailure"] == "block"


def test_versions_are_compared_by_their_numbers() -> None:
    assert at_least("2.1.295", "2.1.295")
    assert at_least("2.10.0", "2.9.999")
    assert at_least("3.0.0", "2.1.295")
    assert not at_least("2.1.29", "2.1.295")


def test_a_client_that_hangs_is_not_waited_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.installing.clients.VERSION_TIMEOUT", 0.2)
    client(root, "exec sleep 20")
    assert client_version(harness.codec("claude-code")) is None


def test_without_a_rule_for_tool_calls_it_is_said(root: Path) -> None:
    (root / ".style" / "guard.yaml").write_text(PROMPTS_ONLY)
    plan = install(root, fail_closed=True, client_version="2.1.295")
    assert any("`--fail-closed` protects nothing yet" in note.en for note in plan.notes)
    assert list(handlers(root)) == ["SessionStart", "UserPromptSubmit"]


@pytest.mark.ledger("S046")
def test_the_installed_command_denies_and_exits_with_1_when_the_index_is_gone(root: Path) -> None:
    install(root, fail_closed=True, client_version="2.1.295")
    command = handlers(root)["PreToolUse"]["command"]
    event = {
        "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
    }  # fmt: skip

    def run() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["sh", "-c", command], input=json.dumps(event).encode(), capture_output=True, timeout=30, check=False
        )

    assert (run().returncode, run().stdout) == (0, b"")
    for damage in (b"", b"no index", None):
        path = root / ".style" / "claude-code.index"
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage)
        done = run()
        assert done.returncode == 1
        assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
