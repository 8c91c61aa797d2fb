"""Foya's rules and hook chains in real clients: what reaches the model, when, and what a failed call starts."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from real.desk import ROOT, Desk, texts
from support.foya_hook import ALWAYS, DECISION, GLOB, MANUAL

pytestmark = pytest.mark.real


def rule(desk: Desk, name: str, template: str, **values: str) -> Path:
    """Write a rule of the project."""
    path = desk.project / ".foya" / "rules" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(template.format(name=name, **values), "utf-8")
    return path


def install(desk: Desk) -> None:
    """Install what the project has, without a package."""
    done = desk.rulewright("install", "--harness", desk.client.name)
    assert done.returncode == 0, done.stdout + done.stderr


def shown(desk: Desk, *words: str) -> str:
    """Return what a command of `rule` prints, without the line break at its end."""
    done = desk.rulewright("rule", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.removesuffix("\n")


@pytest.mark.ledger("F020", "F021", "F022", "F024", "F026", "F030", "F031", "F040")
def test_each_rule_reaches_the_model_when_it_is_awake_and_once(desk: Desk) -> None:
    client = desk.client
    rule(desk, "always", ALWAYS, text="CTX-always <tests> & 测试 😀.")
    rule(desk, "go", GLOB, glob="src/**/*.go", text="CTX-glob use gofmt.")
    rule(desk, "release", MANUAL, text="CTX-manual tag first.")
    rule(desk, "deploy", DECISION, description="CTX-index how to deploy", text="CTX-loaded push the tag.")
    install(desk)
    calls = [
        client.shell("echo one"),
        client.shell("ls src/api/client.go || true"),
        client.shell("echo src/api/client.go"),
    ]
    run = desk.run(
        [*({"tools": [call]} for call in calls), {"say": "Done."}], prompts=["Do it as @release says"]
    )  # fmt: skip
    first, second, third, last = run.requests
    assert sorted(client.heard(first)) == ["CTX-always", "CTX-index", "CTX-manual"]
    assert client.heard(second) == client.heard(first), "what was sent stays as it was"
    assert sorted(client.heard(third)) == ["CTX-always", "CTX-glob", "CTX-index", "CTX-manual"]
    assert client.heard(last) == client.heard(third), "and comes once"
    # To the character what the command shows.
    assert client.holds_context(first, "SessionStart", shown(desk, "show", "--harness", client.name))
    assert "CTX-loaded push the tag." in shown(desk, "load", "deploy")


@pytest.mark.ledger("F072")
def test_a_rule_that_is_changed_while_the_client_works_counts_at_once(desk: Desk) -> None:
    client = desk.client
    path = rule(desk, "always", ALWAYS, text="CTX-old.")
    install(desk)
    change = client.shell(f"sed -i s/CTX-old/CTX-new/ {path.relative_to(desk.project)}")
    run = desk.run([{"tools": [change]}, {"tools": [client.shell("echo two")]}, {"say": "Done."}])
    assert client.heard(run.requests[0]) == ["CTX-old"]
    assert client.heard(run.last).count("CTX-new") >= 1
    assert any("CTX-new." in text and "<foya_rules" in text for text in texts(client.conversation(run.last)))


@pytest.mark.ledger("F050")
def test_the_model_loads_a_rule_through_the_shell(claude: Desk) -> None:
    rule(claude, "deploy", DECISION, description="how to deploy", text="CTX-loaded push the tag.")
    install(claude)
    command = shlex.join([sys.executable, "-m", "rulewright", "rule", "load", "deploy"])
    run = claude.run(
        [{"tools": [claude.client.shell(command)]}, {"say": "Done."}],
        environment={"PYTHONPATH": str(ROOT / "engine"), "RULEWRIGHT_HOME": str(claude.state)},
    )
    assert claude.client.results(run.last) == [shown(claude, "load", "deploy")]


@pytest.mark.ledger("H026")
def test_a_failed_call_starts_the_fallback_agent(claude: Desk) -> None:
    noted = claude.folder / "noted"
    chains = claude.project / ".openclaude" / "hook-chains.json"
    chains.parent.mkdir()
    action = {"type": "spawn_fallback_agent", "promptTemplate": "${EVENT_NAME} ${OUTCOME} ${ERROR}"}
    trigger = {"event": "PostToolUseFailure", "outcome": "failed"}
    chain = {"id": "retry", "trigger": trigger, "condition": {"toolNames": ["Bash"]}, "actions": [action]}
    chains.write_text(json.dumps({"rules": [chain]}), "utf-8")
    words = ["python3", "-c", "import sys; open(sys.argv[1], 'w').write(sys.argv[2])", str(noted), "{prompt}"]
    (claude.project / "rulewright.toml").write_text(f"[launch]\ncommand = {json.dumps(words)}\n", "utf-8")
    install(claude)
    wait = claude.client.shell("sleep 1")
    turns = [{"tools": [claude.client.shell("exit 3")]}, {"tools": [wait]}, {"say": "Done."}]
    claude.run(turns)
    assert not noted.exists(), "it is off"
    claude.run(turns, environment={"CLAUDE_CODE_ENABLE_HOOK_CHAINS": "1"})
    assert noted.read_text("utf-8").startswith("PostToolUseFailure failed ")
    assert "3" in noted.read_text("utf-8")
