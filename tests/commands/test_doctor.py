"""`doctor`: it runs what is installed as the host would, finds what is wrong, and leaves no trace."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulewright import harness, installing
from rulewright.installing import examining
from rulewright.settings import load_settings

from .conftest import GUARD, Run, rulewright

CLAUDE = ("--harness", "claude-code")
EVERY = """\
  - id: every-tool
    target: tool
    tool: "*"
    at: before
    fallback: degrade
    text: Seen.
  - id: closed
    target: tool
    tool: shell
    action: block
    fail: closed
    when:
      conditions: [{field: tool.input.command, op: equals, pattern: x}]
    text: No.
  - id: prompt
    target: event
    event: prompt.submitted
    text: State assumptions.
  - id: tone
    target: system
    text: Answer shortly.
"""


@pytest.fixture
def packages(project: Path) -> Path:
    (project / ".style").mkdir()
    (project / ".style" / "guard.yaml").write_text(GUARD + EVERY)
    return project


def report(run: Run, *words: str) -> tuple[int, dict[str, Any]]:
    ran = run("doctor", "--json", *words)
    return ran.code, json.loads(ran.out)


def statuses(data: dict[str, Any], number: int = 0) -> dict[str, str]:
    return {check["check"]: check["status"] for check in data["installs"][number]["checks"]}


def snapshot(*folders: Path) -> dict[str, bytes | None]:
    return {
        str(path): path.read_bytes() if path.is_file() else None for folder in folders for path in folder.rglob("*")
    }


def test_nothing_installed(packages: Path, run: Run) -> None:
    ran = run("doctor")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "rulewright: nothing is installed here; run `rulewright install --harness NAME`\n"
    assert report(run) == (1, {"version": 1, "ok": False, "installs": []})


@pytest.mark.parametrize("name", harness.NAMES)
def test_all_is_well_and_no_trace_is_left(packages: Path, run: Run, name: str) -> None:
    run("install", "--harness", name)
    state = Path(os.environ["RULEWRIGHT_HOME"])
    before = snapshot(packages, state)
    code, data = report(run)
    assert (code, data["ok"]) == (0, True), data
    [one] = data["installs"]
    assert (one["harness"], one["scope"], one["ok"], one["fails"]) == (name, "project", True, "open")
    assert one["milliseconds"] > 0
    found = statuses(data)
    assert {found[check] for check in ("packages", "index", "entries", "instructions", "starts")} <= {"ok"}
    assert found["time"] == ("ok" if one["milliseconds"] <= examining.SLOW else "warning")
    assert snapshot(packages, state) == before


def test_in_words_of_both_languages(packages: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examining, "SLOW", examining.LONGEST_RUN * 1000)  # The machine may be busy.
    run("install", *CLAUDE)
    ran = run("doctor")
    assert ran.code == 0
    assert ran.out.startswith("claude-code (project): works\n  ok       packages: guard 0.1.0\n")
    assert re.search(r"^  ok       an event takes \d+ ms \(PreToolUse, median of 5\)$", ran.out, re.MULTILINE)
    ran = run("doctor", "--lang", "zh-CN")
    assert ran.out.startswith("claude-code（project）：正常\n  正常     规则包：guard 0.1.0\n")


def change_package(root: Path) -> None:
    (root / ".style" / "guard.yaml").write_text(GUARD.replace("not allowed", "forbidden") + EVERY)


def add_package(root: Path) -> None:
    (root / ".style" / "more.yaml").write_text(GUARD.replace("name: guard", "name: more"))


def break_package(root: Path) -> None:
    (root / ".style" / "guard.yaml").write_text(GUARD.replace("block", "inject", 1).replace("version:", "- version:"))


def remove_index(root: Path) -> None:
    (root / ".style" / "claude-code.index").unlink()


def damage_index(root: Path) -> None:
    (root / ".style" / "claude-code.index").write_bytes(b"rulewright-index 1 claude-code 0 0\n")


def edit(root: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = root / ".claude" / "settings.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def remove_entry(root: Path) -> None:
    edit(root, lambda data: data["hooks"].pop("PreToolUse"))


def double_entry(root: Path) -> None:
    edit(root, lambda data: data["hooks"]["PreToolUse"].append(data["hooks"]["PreToolUse"][0]))


def change_entry(root: Path) -> None:
    edit(root, lambda data: data["hooks"]["PreToolUse"][0]["hooks"][0].update(timeout=3))


def stray_entry(root: Path) -> None:
    edit(root, lambda data: data["hooks"].update(Stop=data["hooks"]["PreToolUse"]))


def switch_off(root: Path) -> None:
    edit(root, lambda data: data.update(disableAllHooks=True))


def malformed_neighbour(root: Path) -> None:
    edit(root, lambda data: data["hooks"]["PreToolUse"].append({"hooks": [{"type": "command"}]}))


def no_json(root: Path) -> None:
    (root / ".claude" / "settings.json").write_text("{")


def remove_settings(root: Path) -> None:
    (root / ".claude" / "settings.json").unlink()


def remove_block(root: Path) -> None:
    (root / "CLAUDE.md").unlink()


def change_block(root: Path) -> None:
    path = root / "CLAUDE.md"
    path.write_text(path.read_text().replace("shortly", "at length"))


def damage_block(root: Path) -> None:
    path = root / "CLAUDE.md"
    path.write_text(path.read_text() + "<!-- rulewright:end -->\n")


def program_gone(root: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        for groups in data["hooks"].values():
            handler = groups[0]["hooks"][0]
            handler["command"] = re.sub(r"^\S+", "/gone/python3", handler["command"])

    edit(root, change)


WRONG = [
    (change_package, "index", "is not what the packages say now"),
    (add_package, "index", "more.yaml"),
    (break_package, "packages", "packages with errors are not installed"),
    (remove_index, "index", "there is no index"),
    (damage_index, "index", "is not what the packages say now"),
    (remove_entry, "entries", "has no entry for PreToolUse"),
    (double_entry, "entries", "has 2 entries for PreToolUse"),
    (change_entry, "entries", "was changed"),
    (stray_entry, "entries", "which no rule needs"),
    (switch_off, "host", "turns all hooks off"),
    (malformed_neighbour, "host", "claude-code ignores `.claude/settings.json` as it is"),
    (no_json, "host", "is not JSON"),
    (remove_settings, "entries", "there is no `.claude/settings.json`"),
    (remove_block, "instructions", "has no block of static rules"),
    (change_block, "instructions", "is not what the packages say now"),
    (damage_block, "instructions", "must be there once"),
    (program_gone, "starts", "does not start (exit code 127)"),
]


@pytest.mark.parametrize(("damage", "check", "words"), WRONG, ids=lambda value: getattr(value, "__name__", None))
def test_what_is_wrong_is_found(
    packages: Path, run: Run, damage: Callable[[Path], None], check: str, words: str
) -> None:
    run("install", *CLAUDE)
    damage(packages)
    code, data = report(run)
    assert (code, data["ok"]) == (1, False)
    found = [item for item in data["installs"][0]["checks"] if item["status"] == "error"]
    assert any(item["check"] == check and words in item["message"] for item in found), found
    chinese = [item["message"] for item in report(run, "--lang", "zh-CN")[1]["installs"][0]["checks"]]
    assert all(re.search("[\u4e00-\u9fff]", message) for message in chinese), chinese
    text = run("doctor")
    assert text.code == 1
    assert "something is wrong" in text.out


def test_sync_mends_what_doctor_finds(packages: Path, run: Run) -> None:
    run("install", *CLAUDE)
    for damage in (change_package, remove_index, remove_entry, double_entry, change_entry, stray_entry, change_block):
        damage(packages)
        assert report(run)[0] == 1
        assert run("sync").code == 0
        assert report(run)[0] == 0, damage.__name__


def test_an_index_that_is_gone_is_heard_from_the_hook(packages: Path, run: Run) -> None:
    run("install", *CLAUDE)
    remove_index(packages)
    _, data = report(run)
    assert any(
        check["check"] == "starts" and "the index cannot be read" in check["message"]
        for check in data["installs"][0]["checks"]
    )


def test_a_program_that_is_gone_where_the_command_hides_it(packages: Path, run: Run) -> None:
    run("install", "--harness", "copilot-cli")
    path = packages / ".github" / "hooks" / "rulewright.json"
    path.write_text(re.sub(r'"bash": "\S+', '"bash": "/gone/python3', path.read_text()))
    code, data = report(run)
    assert code == 1
    assert statuses(data)["starts"] == "error"


def test_hooks_of_others_are_named(packages: Path, run: Run) -> None:
    (packages / ".claude").mkdir()
    other = {"hooks": [{"type": "command", "command": "theirs"}]}
    (packages / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [other], "Stop": [other]}}))
    run("install", *CLAUDE)
    code, data = report(run)
    assert code == 0
    [note] = [check["message"] for check in data["installs"][0]["checks"] if check["check"] == "others"]
    assert note.endswith("PreToolUse 1")


def test_it_says_whether_failures_deny(packages: Path, run: Run) -> None:
    run("install", *CLAUDE, "--fail-closed", "--client-version", "2.1.295")
    code, data = report(run)
    assert (code, data["installs"][0]["fails"]) == (0, "closed")
    remove_index(packages)
    code, data = report(run)
    assert code == 1
    assert statuses(data)["starts"] == "error"  # exit code 1: the host denies


def test_codex_is_run_by_the_login_shell(
    packages: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("install", "--harness", "codex")
    shell = tmp_path / "shell"
    shell.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/flags\nexec sh -c "$2"\n')
    shell.chmod(0o755)
    monkeypatch.setenv("SHELL", str(shell))
    assert report(run)[0] == 0
    assert set((tmp_path / "flags").read_text().split()) == {"-lc"}
    shell.write_text('#!/bin/sh\necho "Welcome!"\nexec sh -c "$2"\n')
    code, data = report(run)
    assert code == 1
    assert any("does a profile of the shell print something" in c["message"] for c in data["installs"][0]["checks"])
    monkeypatch.setenv("SHELL", "/gone/shell")
    assert report(run)[0] == 1


def test_a_hook_that_hangs_is_not_waited_for(packages: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examining, "LONGEST_RUN", 0.3)
    run("install", *CLAUDE)
    place = installing.place_of(load_settings(str(packages)), "claude-code", "project")
    ran = examining.run_as_host(place, "PreToolUse", "exec sleep 20")
    assert ran.fault is not None
    assert ran.fault.en == "the hook of PreToolUse did not answer within 0.3 s"


def test_the_user_and_the_project(packages: Path, run: Run) -> None:
    own = Path(os.environ["HOME"]) / ".style"
    own.mkdir()
    (own / "own.yaml").write_text(GUARD.replace("name: guard", "name: own"))
    run("install", *CLAUDE)
    run("install", *CLAUDE, "--scope", "user")
    code, data = report(run)
    assert (code, [one["scope"] for one in data["installs"]]) == (0, ["project", "user"])
    assert [one["scope"] for one in report(run, "--scope", "user")[1]["installs"]] == ["user"]


def test_in_a_process_of_its_own(packages: Path) -> None:
    rulewright("install", *CLAUDE, cwd=packages)
    ran = rulewright("doctor", cwd=packages)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("claude-code (project): works\n")
