"""Foya's rules and hook chains without a package: installed, examined, explained, called by hand, and taken out again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .conftest import GUARD, Run, rulewright

CLAUDE = ("--harness", "claude-code")
ALWAYS = "---\nid: tests\nname: tests\ntrigger: always\n---\nRun the tests.\n"
GLOB = "---\nid: go\nname: go\ntrigger: glob\nglobs: ['src/**/*.go']\n---\nUse gofmt.\n"
CHAINS = {
    "rules": [
        {
            "id": "retry",
            "trigger": {"event": "PostToolUseFailure"},
            "condition": {"toolNames": ["Bash"]},
            "actions": [{"type": "spawn_fallback_agent"}],
        }
    ]
}
FAILED = {
    "hook_event_name": "PostToolUseFailure",
    "session_id": "s",
    "tool_name": "Bash",
    "tool_input": {},
    "error": "e",
}
START = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}


@pytest.fixture
def rules(project: Path) -> Path:
    put(project / ".foya" / "rules" / "tests.md", ALWAYS)
    put(project / ".foya" / "rules" / "go.md", GLOB)
    return project


@pytest.fixture
def chains(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CODE_ENABLE_HOOK_CHAINS", "1")
    put(project / ".openclaude" / "hook-chains.json", json.dumps(CHAINS))
    return project


@pytest.fixture
def home() -> Path:
    return Path.home()


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def installed(project: Path) -> dict[str, str]:
    data = json.loads((project / ".claude" / "settings.json").read_text())
    return {native: groups[0]["hooks"][0]["command"] for native, groups in data["hooks"].items()}


def call(project: Path, command: str, event: dict[str, Any]) -> tuple[dict[str, Any], str]:
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps({"cwd": str(project), **event}).encode(), capture_output=True,
        timeout=60, check=True,
    )  # fmt: skip
    return (json.loads(done.stdout) if done.stdout else {}), done.stderr.decode()


def checks(run: Run) -> dict[str, tuple[str, str]]:
    found = json.loads(run("doctor", "--json").out)["installs"][0]["checks"]
    return {check["check"]: (check["status"], check["message"]) for check in found}


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_rules_alone_are_installed_and_given(rules: Path, run: Run) -> None:
    before = snapshot(rules)
    ran = run("install", *CLAUDE)
    assert ran.code == 0
    assert "Foya's rules installed into claude-code" in ran.err
    commands = installed(rules)
    assert sorted(commands) == ["PreToolUse", "SessionStart", "UserPromptSubmit"]
    answer, said = call(rules, commands["SessionStart"], START)
    assert "- Run the tests.\n" in answer["hookSpecificOutput"]["additionalContext"]
    assert said == ""
    call_of = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Edit"}
    answer, _ = call(rules, commands["PreToolUse"], {**call_of, "tool_input": {"file_path": str(rules / "src/a/b.go")}})
    assert "- Use gofmt.\n" in answer["hookSpecificOutput"]["additionalContext"]
    assert checks(run)["foya"] == ("ok", "Foya's rules are given; files in the project: 2")
    assert checks(run)["index"][0] == "ok"
    assert run("install", *CLAUDE).err.startswith("nothing to change")
    assert run("uninstall", *CLAUDE).code == 0
    assert snapshot(rules) == before


def test_a_faulty_rule_is_said_and_the_others_are_given(rules: Path, run: Run) -> None:
    put(rules / ".foya" / "rules" / "bad.md", "---\ntrigger: sometimes\n---\nText.\n")
    ran = run("install", *CLAUDE)
    assert ran.code == 0
    assert "bad.md` has errors (1)" in ran.err
    assert "Run the tests." in str(call(rules, installed(rules)["SessionStart"], START)[0])


def test_rules_that_come_later_need_a_sync(project: Path, run: Run) -> None:
    put(project / ".style" / "guard.yaml", GUARD)
    run("install", *CLAUDE)
    assert sorted(installed(project)) == ["PreToolUse"]
    assert "foya" not in checks(run)
    put(project / ".foya" / "rules" / "tests.md", ALWAYS)
    status, message = checks(run)["foya"]
    assert status == "error"
    assert "rulewright sync" in message
    run("sync")
    assert sorted(installed(project)) == ["PreToolUse", "SessionStart", "UserPromptSubmit"]
    assert checks(run)["foya"][0] == "ok"
    (project / ".foya" / "rules" / "tests.md").unlink()
    run("sync")
    assert sorted(installed(project)) == ["PreToolUse"]


def test_nothing_at_all_is_still_refused(project: Path, run: Run) -> None:
    ran = run("install", *CLAUDE)
    assert ran.code == 2
    assert "there are no packages" in ran.err


def test_foya_gives_its_rules_itself(rules: Path, run: Run) -> None:
    assert run("install", "--harness", "foya").code == 2


def test_the_global_rules_are_for_the_scope_user(project: Path, run: Run, home: Path) -> None:
    put(
        home / ".foya" / "rules" / "user_rules.md", '<!-- foya-rule: {"id": "g", "trigger": "always"} -->\nFrom home.\n'
    )
    assert run("install", *CLAUDE).code == 2
    assert run("install", *CLAUDE, "--scope", "user").code == 0
    data = json.loads((home / ".claude" / "settings.json").read_text())
    command = data["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert "From home." in str(call(project, command, START)[0])
    run("uninstall", *CLAUDE, "--scope", "user")


def test_chains_alone_and_the_commands_of_the_settings(chains: Path, run: Run) -> None:
    ran = run("install", *CLAUDE)
    assert ran.code == 0
    assert sorted(installed(chains)) == ["PostToolUseFailure", "TaskCompleted"]
    assert checks(run)["chains"] == ("ok", "hook chains are dispatched at PostToolUseFailure, TaskCompleted")
    out = chains / "out"
    put(chains / "rulewright.toml", f"[launch]\ncommand = ['touch', '{out}']\n")
    assert checks(run)["chains"][0] == "error"
    answer, said = call(chains, installed(chains)["PostToolUseFailure"], FAILED)
    assert answer == {}
    assert "run `rulewright sync`" in said
    assert not out.exists()
    ran = run("sync")
    assert "may now use" in ran.err
    assert f"touch {out}" in ran.err
    assert checks(run)["chains"][0] == "ok"
    call(chains, installed(chains)["PostToolUseFailure"], {**FAILED, "session_id": "t"})
    assert "error" not in json.dumps(checks(run)["chains"])
    run("uninstall", *CLAUDE)


def test_the_switch_is_said(chains: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_CODE_ENABLE_HOOK_CHAINS")
    run("install", *CLAUDE)
    status, message = checks(run)["chains"]
    assert status == "warning"
    assert "CLAUDE_CODE_ENABLE_HOOK_CHAINS" in message


def test_explain_shows_them(rules: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    event = put(rules / "event.json", json.dumps({**START, "cwd": str(rules)}))
    said = run("explain", *CLAUDE, "--payload", str(event)).out
    assert 'entry "foya/tests@session.start" match=matched block=none repeat=repeat-first output=emitted' in said
    assert 'entry "foya/go@session.start" match=not-matched' in said
    assert "- Run the tests." in said
    assert run("explain", *CLAUDE, "--payload", str(event)).out == said, "nothing was changed"
    monkeypatch.setenv("CLAUDE_CODE_ENABLE_HOOK_CHAINS", "1")
    put(rules / ".openclaude" / "hook-chains.json", json.dumps(CHAINS))
    event = put(rules / "event.json", json.dumps({**FAILED, "cwd": str(rules)}))
    said = run("explain", *CLAUDE, "--payload", str(event)).out
    assert 'entry "chain/retry@tool.error" match=matched block=none repeat=repeat-first output=dispatched' in said
    assert "\n  spawn_fallback_agent failed: No fallback agent launcher is registered" in said


def test_explain_says_of_chains_what_the_hook_then_says(chains: Path, run: Run) -> None:
    rule = {**CHAINS["rules"][0], "actions": [{"type": "warm_remote_capacity"}, {"type": "spawn_fallback_agent"}]}
    twice = {**rule, "actions": [{"type": "spawn_fallback_agent", "enabled": False}]}
    put(chains / ".openclaude" / "hook-chains.json", json.dumps({"rules": [rule, twice]}))
    run("install", *CLAUDE)
    put(chains / "rulewright.toml", '[launch]\ncommand = ["true"]\n')
    event = put(chains / "event.json", json.dumps({**FAILED, "cwd": str(chains)}))
    said = json.loads(run("explain", *CLAUDE, "--json", "--payload", str(event)).out)
    assert [entry["because"] for entry in said["entries"]] == [
        [
            "warm_remote_capacity skipped: Bridge is not active; warm_remote_capacity is a safe no-op",
            "spawn_fallback_agent failed: No fallback agent launcher is registered in runtime context",
        ],
        ["rule cooldown active for 30000ms"],
    ]
    hooks = json.loads((chains / ".claude" / "settings.json").read_text())["hooks"]
    command = hooks["PostToolUseFailure"][0]["hooks"][0]["command"]
    done = subprocess.run(["sh", "-c", command], input=event.read_bytes(), capture_output=True, check=True)
    assert done.stderr.decode() == said["wire"]["stderr"]
    assert "run `rulewright sync`" in said["wire"]["stderr"]


def test_called_by_hand_without_an_installation(rules: Path) -> None:
    event = json.dumps({**START, "cwd": str(rules)}).encode()
    ran = rulewright("hook", *CLAUDE, stdin=event, cwd=rules)
    assert "- Run the tests." in json.loads(ran.out)["hookSpecificOutput"]["additionalContext"]
    assert (ran.code, ran.err) == (0, "")
    assert rulewright("hook", *CLAUDE, stdin=event.replace(b"startup", b"resume"), cwd=rules).out == ""


def test_doctor_starts_no_chain(chains: Path, run: Run) -> None:
    out = chains / "out"
    put(chains / "rulewright.toml", f"[launch]\ncommand = ['touch', '{out}']\n")
    rule = {name: value for name, value in CHAINS["rules"][0].items() if name != "condition"}
    put(chains / ".openclaude" / "hook-chains.json", json.dumps({"rules": [rule]}))
    run("install", *CLAUDE)
    assert checks(run)["starts"][0] == "ok"
    assert not (Path(os.environ["RULEWRIGHT_HOME"]) / "chains").exists()
    assert not out.exists()


def sessions_are_a_file(root: Path) -> None:
    put(Path(os.environ["RULEWRIGHT_HOME"]) / "sessions", "x")


def caches_are_a_file(root: Path) -> None:
    put(Path(os.environ["RULEWRIGHT_HOME"]) / "caches", "x")


def no_json(root: Path) -> None:
    put(root / ".openclaude" / "hook-chains.json", "{")


def no_file(root: Path) -> None:
    (root / ".openclaude" / "hook-chains.json").unlink()
    (root / ".openclaude" / "hook-chains.json").mkdir()


def wrong_setting(root: Path) -> None:
    put(root / "rulewright.toml", '[chains]\ndispatch = "hots"\n')


def telemetry_unapproved(root: Path) -> None:
    put(root / "rulewright.toml", '[otel]\nendpoint = "http://127.0.0.1:9"\n')


@pytest.mark.parametrize(
    ("damage", "check", "words"),
    [
        (sessions_are_a_file, "state", "is not a folder"),
        (caches_are_a_file, "state", "is not a folder"),
        (no_json, "chains", "no hook chain of `.openclaude/hook-chains.json` runs: line 1"),
        (no_file, "chains", "is a folder"),
        (wrong_setting, "chains", "`chains.dispatch` must be"),
        (telemetry_unapproved, "chains", "`otel.endpoint = http://127.0.0.1:9`"),
    ],
)
def test_doctor_finds_what_keeps_them_from_working(
    chains: Path, run: Run, damage: Callable[[Path], None], check: str, words: str
) -> None:
    put(chains / ".foya" / "rules" / "tests.md", ALWAYS)
    run("install", *CLAUDE)
    assert run("doctor").code == 0
    damage(chains)
    ran = run("doctor", "--json")
    assert ran.code == 1
    found = [item for item in json.loads(ran.out)["installs"][0]["checks"] if item["status"] == "error"]
    assert any(item["check"] == check and words in item["message"] for item in found), found


def test_doctor_finds_a_disk_that_is_full(rules: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("install", *CLAUDE)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
    ran = run("doctor")
    assert (ran.code, "the disk is full" in ran.out) == (1, True)


def test_doctor_finds_entries_without_a_lock(rules: Path, run: Run) -> None:
    run("install", *CLAUDE)
    (rules / ".style" / "style.lock.yaml").unlink()
    ran = run("doctor")
    assert (ran.code, "has entries of the hook" in ran.out) == (1, True)
    assert run("doctor", "--harness", "codex").out == ""
    run("uninstall", *CLAUDE)
    assert run("doctor").out == ""
