"""Hook chains through the installed hook: real processes, and a launcher that notes what it was started with."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rulewright import caching
from rulewright.compiler import import_folders
from rulewright.harness import codec
from rulewright.hook import chain_event, deadline
from rulewright.hook.run import Call
from rulewright.settings import load_settings
from support.foya_hook import Project
from support.hook import Answer, payload
from support.waiting import until

RULE = {
    "id": "retry",
    "trigger": {"event": "PostToolUseFailure", "outcome": "failed"},
    "condition": {"toolNames": ["Bash"], "errorIncludes": ["exit code"]},
    "actions": [{"type": "spawn_fallback_agent", "id": "agent", "promptTemplate": "Mend ${EVENT_NAME}: ${ERROR}"}],
}
DONE = {
    "id": "done",
    "trigger": {"event": "TaskCompleted", "outcome": "success"},
    "actions": [{"type": "spawn_fallback_agent", "promptTemplate": "${EVENT_NAME} ${OUTCOME}"}],
}
NOTED = (
    "import sys,os\nopen(sys.argv[1],'a').write(os.environ.get('RULEWRIGHT_CHAIN_DEPTH','')+'|'+sys.argv[2]+'\\n')\n"
)


class Chains(Project):
    """A project with chains, switched on, whose launcher appends what it gets to a file."""

    def __init__(self, folder: Path, *packages: str, harness: str = "claude-code") -> None:
        super().__init__(folder, *packages, harness=harness)
        self.environment["CLAUDE_CODE_ENABLE_HOOK_CHAINS"] = "1"
        self.noted = folder / "noted"

    def launcher(self, *more: str, approve: bool = True) -> None:
        """Set the launcher, and agree to it as `install` does."""
        script = self.root / "launcher.py"
        script.write_text(NOTED)
        words = [sys.executable, str(script), str(self.noted), "{prompt}", *more]
        settings = self.root / "rulewright.toml"
        settings.write_text(f"[launch]\ncommand = {json.dumps(words)}\n")
        if approve:
            path = Path(caching.approval_path(str(self.root), str(self.state)))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(caching.commands_hash(load_settings(str(self.root))))

    def fail(self, error: str = "exit code 1", **fields: Any) -> Answer:
        """Tell of a failed call."""
        event = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": error, **fields}
        return self.send(payload("PostToolUseFailure", **event))

    def started(self, count: int = 1) -> list[str]:
        """Return what launchers were started with, in any order; waits for as many as there should be."""

        def found() -> list[str]:
            lines = self.noted.read_text().split("\n")[:-1] if self.noted.exists() else []
            return lines if len(lines) >= count else []

        return sorted(until(found, f"{count} started launchers"))

    def results(self) -> list[dict[str, Any]]:
        """Return the lines that dispatches have left."""
        path = self.state / "chains.jsonl"
        return [json.loads(line) for line in path.read_text().split("\n") if line] if path.exists() else []


@pytest.fixture
def project(tmp_path: Path) -> Chains:
    found = Chains(tmp_path)
    found.launcher()
    return found


@pytest.mark.ledger("H026")
def test_a_failed_call_starts_the_agent_once(project: Chains) -> None:
    project.chains(RULE)
    found = project.fail()
    assert (found.stdout, found.stderr, found.exit) == (b"", "", 0)
    assert project.started() == ["1|Mend PostToolUseFailure: exit code 1"]
    assert project.fail().stderr == ""
    [dispatched, again] = [line for line in project.results() if line["event"] == "hook_chains_dispatch"]
    assert dispatched["outcome"] == "failed"
    assert again["matched_rules"] == 1
    skipped = [line for line in project.results() if line["event"] == "chain_action_skipped"]
    assert [line["reason_category"] for line in skipped] == ["cooldown"]
    assert project.started() == ["1|Mend PostToolUseFailure: exit code 1"]


@pytest.mark.ledger("H003")
@pytest.mark.parametrize(
    ("value", "on"), [("1", True), ("YES", True), ("on", True), ("0", False), ("", False), (None, False)]
)
def test_the_switch(project: Chains, value: str | None, on: bool) -> None:
    project.chains(RULE)
    del project.environment["CLAUDE_CODE_ENABLE_HOOK_CHAINS"]
    if value is not None:
        project.environment["CLAUDE_CODE_ENABLE_HOOK_CHAINS"] = value
    assert project.fail().stderr == ""
    assert bool(project.results()) is on
    assert (project.state / "caches").exists() is on


@pytest.mark.ledger("H027")
@pytest.mark.parametrize(("fields", "outcome"), [({}, "success"), ({"task_status": "failed"}, "failed")])
def test_a_completed_task(project: Chains, fields: dict[str, str], outcome: str) -> None:
    project.chains(DONE)
    project.send(payload("TaskCompleted", task_id="1", task_subject="s", **fields))
    [dispatched] = [line for line in project.results() if line["event"] == "hook_chains_dispatch"]
    assert dispatched["outcome"] == outcome
    assert dispatched["matched_rules"] == (outcome == "success")
    if outcome == "success":
        assert project.started() == ["1|TaskCompleted success"]


@pytest.mark.ledger("H027")
def test_a_completion_that_our_own_answer_refuses(project: Chains, monkeypatch: pytest.MonkeyPatch) -> None:
    """No harness lets a hook refuse it by its answer today; where one does, the outcome is `failed`."""
    project.chains(DONE)
    for name, value in project.environ().items():
        monkeypatch.setenv(name, value)
    call = Call(codec(project.harness), str(project.state), str(project.index), "TaskCompleted")
    call.on_path = import_folders
    deadline.start(20)
    try:
        assert chain_event.dispatch(call, {"event": "task.completed"}, str(project.root), blocked=True) == []
    finally:
        deadline.stop()
    [dispatched] = project.results()
    assert (dispatched["outcome"], dispatched["matched_rules"]) == ("failed", 0)


def test_other_events_dispatch_nothing(project: Chains) -> None:
    project.chains({**RULE, "trigger": {"event": "PreToolUse"}, "condition": {}})
    project.tool("Bash", {"command": "ls"})
    assert project.results() == []


@pytest.mark.parametrize("chains", ["{", '{"rules": 1}', "[]"])
def test_an_invalid_file_runs_nothing_and_says_so(project: Chains, chains: str) -> None:
    project.chains(RULE).write_text(chains)
    found = project.fail()
    assert (found.stdout, found.exit) == (b"", 0)
    assert "the hook chains cannot be used" in found.stderr


def test_marks_that_cannot_be_kept_run_nothing_and_are_said(project: Chains) -> None:
    project.chains(RULE)
    (project.state / "chains").write_text("no folder")
    found = project.fail()
    assert (found.stdout, found.exit) == (b"", 0)
    assert not project.noted.exists()
    assert "was not run: chain state unavailable" in found.stderr


def test_without_a_file_nothing_is_said(project: Chains) -> None:
    assert project.fail().stderr == ""
    project.chains(RULE)
    assert project.fail().stderr == ""
    assert project.started() == ["1|Mend PostToolUseFailure: exit code 1"]


def test_commands_that_nobody_agreed_to_are_not_run(project: Chains) -> None:
    """A project's settings come with its files, so they alone must not decide what runs."""
    project.chains(RULE, defaultCooldownMs=0, defaultDedupWindowMs=0)
    project.launcher("--more", approve=False)
    found = project.fail()
    assert "run `rulewright sync`" in found.stderr
    assert "No fallback agent launcher" in found.stderr
    assert not project.noted.exists()
    project.launcher("--more")
    assert project.fail("exit code 2").stderr == ""
    assert project.started() == ["1|Mend PostToolUseFailure: exit code 2"]


def test_the_host_may_dispatch_itself(project: Chains) -> None:
    project.chains(RULE)
    settings = project.root / "rulewright.toml"
    settings.write_text(settings.read_text() + '[chains]\ndispatch = "host"\n')
    assert project.fail().stderr == ""
    assert project.results() == []


def test_the_environment_names_another_file(project: Chains, tmp_path: Path) -> None:
    path = project.chains(RULE)
    path.rename(tmp_path / "other.json")
    project.environment["CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH"] = str(tmp_path / "other.json")
    project.fail()
    assert project.started() == ["1|Mend PostToolUseFailure: exit code 1"]


def test_names_of_other_harnesses_are_filled_in(tmp_path: Path) -> None:
    project = Chains(tmp_path, harness="copilot-cli")
    project.launcher()
    project.chains({**RULE, "condition": {"toolNames": ["bash"], "errorIncludes": ["exit code"]}})
    event = {
        "hook_event_name": "postToolUseFailure", "sessionId": "s", "cwd": str(project.root), "toolName": "bash",
        "toolArgs": '{"command": "make"}', "error": "exit code 3",
    }  # fmt: skip
    project.send(event)
    assert project.started() == ["1|Mend PostToolUseFailure: exit code 3"]


def test_many_failures_at_once_start_one_agent(project: Chains) -> None:
    project.chains(RULE)
    project.fail("warm")
    event = payload("PostToolUseFailure", tool_name="Bash", tool_input={}, error="exit code 1")
    started = [project.start(event) for _ in range(12)]
    for process in started:
        out, err = process.communicate(json.dumps(event).encode(), timeout=60)
        assert (out, err, process.returncode) == (b"", b"", 0)
    assert project.started() == ["1|Mend PostToolUseFailure: exit code 1"]
    executed = [line for line in project.results() if line["event"] == "chain_action_executed"]
    assert len(executed) == 1


@pytest.mark.parametrize("changed", [False, True], ids=["first", "changed"])
def test_no_failure_is_missed_while_the_file_is_read(project: Chains, changed: bool) -> None:
    """The first events after a change come at once: each is dispatched, by the rules as they are now."""
    if changed:
        project.chains({**RULE, "enabled": False})
        project.fail("warm")
    project.chains({**RULE, "cooldownMs": 0})
    earlier = len(project.results())
    started = []
    for number in range(8):
        event = payload("PostToolUseFailure", tool_name="Bash", tool_input={}, error=f"exit code {number}")
        started.append((project.start(event), json.dumps(event).encode()))
    for process, data in started:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.flush()
    for process, _ in started:
        out, err = process.communicate(timeout=60)
        assert (out, err, process.returncode) == (b"", b"", 0)
    assert project.started(8) == [f"1|Mend PostToolUseFailure: exit code {number}" for number in range(8)]
    dispatched = [line for line in project.results()[earlier:] if line["event"] == "hook_chains_dispatch"]
    assert [line["matched_rules"] for line in dispatched] == [1] * 8
