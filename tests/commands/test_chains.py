"""`rulewright chains run`: the switches, the result, what is explained, and chains that start themselves again."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from commands.conftest import Run, rulewright

FAILURE = {"tool_name": "Bash", "error": "Connection timeout", "session_id": "s", "tool_use_id": "u"}
TASK = {
    "task_id": "7",
    "task_subject": "Deploy",
    "task_description": "To production",
    "error": "no capacity",
    "session_id": "s",
}
SPAWN = {"type": "spawn_fallback_agent", "id": "s"}
NOTIFY = {"type": "notify_team", "id": "n"}
NO_LAUNCHER = "No fallback agent launcher is registered in runtime context"
NO_TEAM = "No team context is available for notify_team action"

Chains = Callable[..., Any]


def chain(*actions: dict[str, Any], **rule: Any) -> dict[str, Any]:
    """Return a configuration of one rule."""
    trigger = {"event": "PostToolUseFailure", "outcome": "failed"}
    return {"rules": [{"id": "r", "trigger": trigger, "actions": list(actions or [NOTIFY]), **rule}]}


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch hook chains on."""
    monkeypatch.setenv("CLAUDE_CODE_ENABLE_HOOK_CHAINS", "1")


@pytest.fixture
def chains(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Chains:
    """Run `chains run` on a tool that failed; return the result, or what was printed where it is no JSON."""
    for name in (
        "CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH",
        "CLAUDE_CODE_TEAM_NAME",
        "CLAUDE_CODE_AGENT_NAME",
        "RULEWRIGHT_CHAIN_DEPTH",
        "OPENCLAUDE_CONFIG_DIR",
    ):
        monkeypatch.delenv(name, raising=False)

    def call(*words: str, payload: object = FAILURE, event: str = "PostToolUseFailure", outcome: str = "failed") -> Any:
        write(project / "payload.json", payload)
        head = ("chains", "run", "--event", event, "--outcome", outcome, "--payload", "payload.json")
        return run(*head, *words)

    return call


def result(ran: Any, code: int = 0) -> dict[str, Any]:
    assert ran.code == code, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


# ---- the switches and the file


@pytest.mark.ledger("H001", "H003", "H060")
def test_a_dispatch(project: Path, chains: Chains, on: None) -> None:
    path = project / ".openclaude" / "hook-chains.json"
    write(path, chain(SPAWN, NOTIFY))
    ran = chains("--json")
    assert ran.err == ""
    assert result(ran) == {
        "enabled": True,
        "configPath": str(path),
        "fromCache": False,
        "evaluatedRuleCount": 1,
        "matchedRuleIds": ["r"],
        "actionResults": [
            {
                "ruleId": "r",
                "actionType": "spawn_fallback_agent",
                "actionId": "s",
                "status": "failed",
                "reason": NO_LAUNCHER,
            },
            {"ruleId": "r", "actionType": "notify_team", "actionId": "n", "status": "skipped", "reason": NO_TEAM},
        ],
    }


@pytest.mark.ledger("H003")
@pytest.mark.parametrize("value", ["0", "", "no", "off", "2"])
def test_switched_off(project: Path, chains: Chains, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain())
    monkeypatch.setenv("CLAUDE_CODE_ENABLE_HOOK_CHAINS", value)
    ran = chains("--json")
    assert result(ran) == {
        "enabled": False,
        "configPath": str(project / ".openclaude" / "hook-chains.json"),
        "fromCache": False,
        "evaluatedRuleCount": 0,
        "matchedRuleIds": [],
        "actionResults": [],
    }
    assert ran.err == "rulewright: hook chains are off; switch them on with CLAUDE_CODE_ENABLE_HOOK_CHAINS=1\n"
    assert not (Path(os.environ["RULEWRIGHT_HOME"]) / "chains").exists()


@pytest.mark.ledger("H003")
@pytest.mark.parametrize("value", ["1", "true", "YES", "On"])
def test_switched_on(project: Path, chains: Chains, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain())
    monkeypatch.setenv("CLAUDE_CODE_ENABLE_HOOK_CHAINS", value)
    assert result(chains("--json"))["enabled"]


@pytest.mark.ledger("H002")
def test_another_file(project: Path, chains: Chains, on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project / ".openclaude" / "hook-chains.json", "broken")
    for name in ("relative/a.json", str(project / "b.json")):
        write(project / name, chain(NOTIFY, dedupWindowMs=0, cooldownMs=0))
        monkeypatch.setenv("CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH", name)
        assert result(chains("--json"))["configPath"] == str(project / name)
    write(project / "c.json", chain(cooldownMs=0))
    assert result(chains("--json", "--config", "c.json"))["configPath"] == str(project / "c.json")


@pytest.mark.ledger("H004")
@pytest.mark.parametrize("config", [{**chain(), "enabled": False}, {"rules": []}, {}, {"hookChains": {"rules": []}}])
def test_nothing_to_run(project: Path, chains: Chains, on: None, config: dict[str, Any]) -> None:
    write(project / ".openclaude" / "hook-chains.json", config)
    found = result(chains("--json"))
    assert (found["enabled"], found["evaluatedRuleCount"], found["actionResults"]) == (False, 0, [])
    assert "error" not in found
    assert "nothing runs: the file has `enabled: false`, or no rules" in chains().out


@pytest.mark.ledger("H005")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '{"rules": [}',
        '{"version": 2}',
        '{"rules": [{"id": ""}]}',
        '{"maxChainDepth": 11}',
        "\ufeff'",
        "\0",
        "[" * 3000,
    ],
)
def test_a_file_that_cannot_be_used(project: Path, chains: Chains, on: None, text: str) -> None:
    write(project / ".openclaude" / "hook-chains.json", text)
    ran = chains("--json")
    found = result(ran, 1)
    assert (found["enabled"], found["evaluatedRuleCount"]) == (False, 0)
    assert found["error"]
    assert ran.err.startswith("rulewright: `.openclaude/hook-chains.json` cannot be used: ")
    assert ran.err.count("\n") == 1


@pytest.mark.ledger("H005")
def test_a_file_that_is_not_there(project: Path, chains: Chains, on: None) -> None:
    """By default there is none, which is no fault; one that is named should be there."""
    found = result(chains("--json"))
    assert not found["enabled"]
    assert "hook-chains.json" in found["error"]
    assert result(chains("--json", "--config", "gone.json"), 1)["error"]
    (project / "folder.json").mkdir()
    assert result(chains("--json", "--config", "folder.json"), 1)["error"]


def test_the_host_dispatches(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain())
    write(project / "rulewright.toml", '[chains]\ndispatch = "host"\n')
    ran = chains("--json")
    assert not result(ran)["enabled"]
    assert "`chains.dispatch` leaves hook chains to OpenClaude itself" in ran.err
    assert result(chains("--json", "--dry-run"))["matchedRuleIds"] == ["r"]


@pytest.mark.ledger("H006")
def test_the_cache(project: Path, chains: Chains, on: None) -> None:
    path = project / ".openclaude" / "hook-chains.json"
    write(path, chain(cooldownMs=0, dedupWindowMs=0))
    folder = Path(os.environ["RULEWRIGHT_HOME"]) / "caches"

    def from_cache(*words: str) -> bool:
        found = result(chains("--json", *words))
        assert found["matchedRuleIds"] == ["r"]
        return bool(found["fromCache"])

    assert [from_cache(), from_cache(), from_cache("--reload"), from_cache()] == [False, True, False, True]
    (cached,) = folder.glob("chains-*[0-9a-f]")
    os.utime(cached, (cached.stat().st_atime, cached.stat().st_mtime - 301))
    assert [from_cache(), from_cache()] == [False, True]
    os.utime(path, (1, 1))
    assert [from_cache(), from_cache()] == [False, True]
    write(path, "{")
    assert result(chains("--json"), 1)["error"]
    path.unlink()
    assert result(chains("--json"))["error"]


# ---- guards between processes


@pytest.mark.ledger("H042", "H043")
def test_guards_last_from_one_call_to_the_next(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", {**chain(), "defaultCooldownMs": 3_600_000})
    assert result(chains("--json"))["actionResults"][0]["reason"] == NO_TEAM
    reason = result(chains("--json"))["actionResults"][0]["reason"]
    assert reason.startswith("rule cooldown active for 3")
    other = result(chains("--json", payload={**FAILURE, "session_id": "other"}))
    assert other["actionResults"][0]["reason"] == NO_TEAM


@pytest.mark.ledger("H040")
def test_depth(project: Path, chains: Chains, on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain())
    found = result(chains("--json", "--depth", "2"))
    assert (found["enabled"], found["evaluatedRuleCount"], found["reason"]) == (
        True,
        0,
        "max chain depth reached (2/2)",
    )
    assert "max chain depth reached (7/2)" in chains("--depth", "7").out
    monkeypatch.setenv("RULEWRIGHT_CHAIN_DEPTH", "2")
    assert result(chains("--json"))["evaluatedRuleCount"] == 0
    assert result(chains("--json", "--depth", "1"))["evaluatedRuleCount"] == 1


def test_a_call_that_the_user_interrupted(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain())
    found = result(chains("--json", payload={**FAILURE, "is_interrupt": True}))
    assert (found["matchedRuleIds"], found["actionResults"]) == (["r"], [])


# An agent that fails again: it notes how deep it is, and calls for the chains of its own failure.
AGENT = """
import os, subprocess, sys
depth = os.environ["RULEWRIGHT_CHAIN_DEPTH"]
with open("payload-" + depth, "w") as file:
    file.write('{"tool_name": "Bash", "error": "at depth %s", "session_id": "s"}' % depth)
words = ["-m", "rulewright", "chains", "run", "--event", "PostToolUseFailure", "--outcome", "failed", "--json", "--payload", file.name]
done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
pipe = os.open(sys.argv[1], os.O_WRONLY)
os.write(pipe, (depth + " " + done.stdout.replace("\\n", "") + "\\n").encode())
"""


@pytest.mark.ledger("H040", "H061")
def test_an_agent_that_fails_again_ends_at_the_depth(project: Path, on: None) -> None:
    limit = 3
    config = {**chain(SPAWN, cooldownMs=0, dedupWindowMs=0), "maxChainDepth": limit}
    write(project / ".openclaude" / "hook-chains.json", config)
    write(project / "agent.py", AGENT)
    write(project / "payload.json", FAILURE)
    os.mkfifo(project / "heard")
    write(
        project / "rulewright.toml",
        f"[launch]\ncommand = {json.dumps([sys.executable, 'agent.py', 'heard', '{prompt}'])}\n",
    )
    pipe = os.open(project / "heard", os.O_RDWR)
    head = ("chains", "run", "--event", "PostToolUseFailure", "--outcome", "failed", "--json")
    first = rulewright(*head, "--payload", "payload.json", cwd=project)
    assert result(first)["actionResults"][0]["status"] == "executed"
    told: dict[int, Any] = {}
    text = b""
    while len(told) < limit:
        text += os.read(pipe, 1 << 16)
        while b"\n" in text:
            line, _, text = text.partition(b"\n")
            depth, _, found = line.partition(b" ")
            told[int(depth)] = json.loads(found)
    os.close(pipe)
    assert sorted(told) == [1, 2, 3]
    assert [len(told[depth]["actionResults"]) for depth in (1, 2, 3)] == [1, 1, 0]
    assert told[3]["reason"] == "max chain depth reached (3/3)"
    assert not (project / "payload-4").exists()


# ---- the complete examples of the guide

RETRY = {
    "version": 1,
    "enabled": True,
    "maxChainDepth": 2,
    "defaultCooldownMs": 30000,
    "defaultDedupWindowMs": 30000,
    "rules": [
        {
            "id": "retry-task-via-fallback",
            "trigger": {"event": "TaskCompleted", "outcome": "failed"},
            "cooldownMs": 60000,
            "actions": [
                {
                    "type": "spawn_fallback_agent",
                    "id": "spawn-retry-agent",
                    "description": "Retry failed task with fallback agent",
                    "promptTemplate": "A task failed. Recover it safely.\nTask=${TASK_SUBJECT}\nDescription=${TASK_DESCRIPTION}\n"
                    "Error=${ERROR}\nPayload=${PAYLOAD_JSON}",
                    "agentType": "general-purpose",
                    "model": "sonnet",
                }
            ],
        }
    ],
}
NOTIFY_ONLY = {
    "version": 1,
    "enabled": True,
    "maxChainDepth": 2,
    "defaultCooldownMs": 30000,
    "defaultDedupWindowMs": 30000,
    "rules": [
        {
            "id": "notify-on-tool-failure",
            "trigger": {"event": "PostToolUseFailure", "outcome": "failed"},
            "condition": {"toolNames": ["Edit", "Write", "Bash"]},
            "actions": [
                {
                    "type": "notify_team",
                    "id": "notify-team-failure",
                    "recipients": ["*"],
                    "summary": "Tool failure detected",
                    "messageTemplate": "Tool failure detected.\nEvent=${EVENT_NAME} outcome=${OUTCOME}\nError=${ERROR}\n"
                    "Payload=${PAYLOAD_JSON}",
                }
            ],
        }
    ],
}
COMBINED = {
    "version": 1,
    "enabled": True,
    "maxChainDepth": 2,
    "defaultCooldownMs": 45000,
    "defaultDedupWindowMs": 30000,
    "rules": [
        {
            "id": "full-recovery-chain",
            "trigger": {"event": "TaskCompleted", "outcomes": ["failed", "timeout"]},
            "condition": {"errorIncludes": ["timeout", "capacity", "connection"]},
            "cooldownMs": 90000,
            "actions": [
                {
                    "type": "spawn_fallback_agent",
                    "id": "fallback-agent",
                    "description": "Recover failed task execution",
                    "promptTemplate": "Recover failed task and produce a concise fix summary.\nTask=${TASK_SUBJECT}\nError=${ERROR}\n"
                    "Payload=${PAYLOAD_JSON}",
                },
                {
                    "type": "notify_team",
                    "id": "notify-team",
                    "recipients": ["*"],
                    "summary": "Recovery chain triggered",
                    "messageTemplate": "Recovery chain ${RULE_ID} fired.\nOutcome=${OUTCOME}\nTask=${TASK_SUBJECT}\nError=${ERROR}",
                },
                {
                    "type": "warm_remote_capacity",
                    "id": "warm-capacity",
                    "createDefaultEnvironmentIfMissing": False,
                },
            ],
        }
    ],
}
# Tells its words through a pipe.
TELLS = "import json, os, sys; p = os.open(sys.argv[1], os.O_WRONLY); os.write(p, json.dumps(sys.argv[2:]).encode() + b'\\n')"


@pytest.fixture
def ear(project: Path) -> Iterator[tuple[int, list[str]]]:
    os.mkfifo(project / "heard")
    pipe = os.open(project / "heard", os.O_RDWR)
    yield pipe, [sys.executable, "-c", TELLS, str(project / "heard")]
    os.close(pipe)


def team(name: str = "mesh") -> Path:
    """Write a team file of the user; return the folder of its mailboxes."""
    folder = Path(os.environ["HOME"]) / ".openclaude" / "teams" / name
    write(folder / "config.json", {"name": name, "members": [{"name": "team-lead"}, {"name": "ann"}]})
    return folder / "inboxes"


@pytest.mark.ledger("H111", "H061")
def test_example_retry(project: Path, chains: Chains, on: None, ear: tuple[int, list[str]]) -> None:
    write(project / ".openclaude" / "hook-chains.json", RETRY)
    pipe, words = ear
    command = [*words, "--agent", "{agentType}", "--model", "{model}", "-p", "{prompt}", "{description}"]
    write(project / "rulewright.toml", f"[launch]\ncommand = {json.dumps(command)}\n")
    assert not result(chains("--json", payload=TASK, event="TaskCompleted", outcome="success"))["matchedRuleIds"]
    found = result(chains("--json", payload=TASK, event="TaskCompleted"))
    assert [item["status"] for item in found["actionResults"]] == ["executed"]
    heard = json.loads(os.read(pipe, 1 << 16))
    assert heard[:5] == ["--agent", "general-purpose", "--model", "sonnet", "-p"]
    assert heard[5].startswith(
        "A task failed. Recover it safely.\nTask=Deploy\nDescription=To production\nError=no capacity\nPayload={"
    )
    assert heard[6] == "Retry failed task with fallback agent"
    again = result(chains("--json", payload={**TASK, "task_id": "8"}, event="TaskCompleted"))
    assert again["actionResults"][0]["reason"].startswith("rule cooldown active for ")


@pytest.mark.ledger("H111", "H072", "H073")
def test_example_notify(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", NOTIFY_ONLY)
    inboxes = team()
    write(project / "rulewright.toml", '[chains]\nteam = "mesh"\n')
    assert not result(chains("--json", payload={**FAILURE, "tool_name": "Read"}))["matchedRuleIds"]
    found = result(chains("--json"))
    assert found["actionResults"][0]["detail"] == "Team notification sent to 2 recipient(s)"
    for name in ("team-lead", "ann"):
        (message,) = json.loads((inboxes / f"{name}.json").read_text())
        assert message["summary"] == "Tool failure detected"
        assert message["text"].startswith(
            "Tool failure detected.\nEvent=PostToolUseFailure outcome=failed\nError=Connection timeout\nPayload={"
        )


@pytest.mark.ledger("H111", "H050", "H081")
def test_example_combined(project: Path, chains: Chains, on: None, ear: tuple[int, list[str]]) -> None:
    write(project / ".openclaude" / "hook-chains.json", COMBINED)
    inboxes = team()
    pipe, words = ear
    write(project / "rulewright.toml", f"[launch]\ncommand = {json.dumps([*words, '{prompt}'])}\n")
    payload = {**TASK, "team_name": "mesh"}
    unmet = {**payload, "error": "syntax error"}
    assert not result(chains("--json", payload=unmet, event="TaskCompleted"))["matchedRuleIds"]
    found = result(chains("--json", payload=payload, event="TaskCompleted", outcome="timeout"))
    assert [(item["actionId"], item["status"]) for item in found["actionResults"]] == [
        ("fallback-agent", "executed"),
        ("notify-team", "executed"),
        ("warm-capacity", "skipped"),
    ]
    assert found["actionResults"][2]["reason"] == "Bridge is not active; warm_remote_capacity is a safe no-op"
    (message,) = json.loads((inboxes / "ann.json").read_text())
    assert (
        message["text"] == "Recovery chain full-recovery-chain fired.\nOutcome=timeout\nTask=Deploy\nError=no capacity"
    )
    assert "Task=Deploy\nError=no capacity" in json.loads(os.read(pipe, 1 << 16))[0]


@pytest.mark.ledger("H080")
def test_policy(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain({"type": "warm_remote_capacity"}))
    write(project / "rulewright.toml", "[chains]\nallow_remote = false\n")
    assert result(chains("--json"))["actionResults"][0]["reason"] == "Remote sessions are blocked by policy"


# ---- what is explained


def test_dry_run_changes_nothing(project: Path, chains: Chains, on: None) -> None:
    config = chain({**SPAWN, "enabled": False}, SPAWN | {"id": "s2"}, NOTIFY, NOTIFY)
    config["rules"] += [
        {**config["rules"][0], "id": "off", "enabled": False},
        {**config["rules"][0], "id": "deep", "maxDepth": 0},
        {**config["rules"][0], "id": "other", "condition": {"toolNames": ["Edit"], "errorIncludes": ["timeout"]}},
        config["rules"][0],
    ]
    write(project / ".openclaude" / "hook-chains.json", config)
    inboxes = team()
    write(project / "rulewright.toml", '[launch]\ncommand = ["/agent"]\n[chains]\nteam = "mesh"\n')
    state = Path(os.environ["RULEWRIGHT_HOME"])
    before = sorted(state.rglob("*"))
    ran = chains("--dry-run")
    assert ran.out == (
        ".openclaude/hook-chains.json: PostToolUseFailure (failed), depth 0\n"
        "  3 of 5 rules match\n"
        "  r  matches\n"
        "    spawn_fallback_agent s  would be skipped: action disabled\n"
        "    spawn_fallback_agent s2  would run: /agent\n"
        "    notify_team n  would run: team-lead, ann\n"
        "    notify_team n  would be skipped: dedup window active for 30000ms\n"
        "  off  does not match: the rule is switched off (`enabled: false`)\n"
        "  deep  matches\n"
        "    spawn_fallback_agent s  would be skipped: rule maxDepth reached (0/0)\n"
        "    spawn_fallback_agent s2  would be skipped: rule maxDepth reached (0/0)\n"
        "    notify_team n  would be skipped: rule maxDepth reached (0/0)\n"
        "    notify_team n  would be skipped: rule maxDepth reached (0/0)\n"
        '  other  does not match: `condition.toolNames` asks for ["Edit"], the event has "Bash"\n'
        "  r  matches\n"
        "    spawn_fallback_agent s  would be skipped: rule cooldown active for 30000ms\n"
        "    spawn_fallback_agent s2  would be skipped: rule cooldown active for 30000ms\n"
        "    notify_team n  would be skipped: rule cooldown active for 30000ms\n"
        "    notify_team n  would be skipped: rule cooldown active for 30000ms\n"
        "nothing was changed, nothing was started\n"
    )
    assert sorted(state.rglob("*")) == before
    assert not inboxes.exists()
    found = result(chains("--dry-run", "--json"))
    assert (found["dryRun"], found["matchedRuleIds"], found["actionResults"]) == (True, ["r", "deep", "r"], [])
    assert found["rules"][3]["because"] == {"part": "condition.toolNames", "wanted": ["Edit"], "found": "Bash"}
    # What it says is what happens then.
    would = [item["would"] == "run" for told in found["rules"] for item in told["actions"]]
    (project / "agent").write_text("#!/bin/sh\n")
    (project / "agent").chmod(0o755)
    write(project / "rulewright.toml", '[launch]\ncommand = ["./agent"]\n[chains]\nteam = "mesh"\n')
    assert [item["status"] == "executed" for item in result(chains("--json"))["actionResults"]] == would


def test_dry_run_shows_the_guards(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain(cooldownMs=0, dedupWindowMs=3_600_000))
    chains()
    told = result(chains("--dry-run", "--json"))["rules"][0]
    assert told["guard"] is None
    assert told["actions"][0]["reason"].startswith("dedup window active for 3")
    write(project / ".openclaude" / "hook-chains.json", chain(cooldownMs=3_600_000))
    chains(payload={**FAILURE, "more": 1})
    assert result(chains("--dry-run", "--json"))["rules"][0]["guard"].startswith("rule cooldown active for 3")


@pytest.mark.parametrize(
    ("condition", "part", "found"),
    [
        ({"taskStatuses": ["failed"]}, "condition.taskStatuses", None),
        ({"errorIncludes": ["disk"]}, "condition.errorIncludes", "Connection timeout"),
        ({"eventFieldEquals": {"meta.source": "x"}}, "condition.eventFieldEquals.meta.source", None),
        ({"eventFieldEquals": {"session_id": "x"}}, "condition.eventFieldEquals.session_id", "s"),
    ],
)
def test_dry_run_says_what_does_not_hold(
    project: Path, chains: Chains, on: None, condition: dict[str, Any], part: str, found: Any
) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain(condition=condition))
    because = result(chains("--dry-run", "--json"))["rules"][0]["because"]
    assert (because["part"], because["found"]) == (part, found)


def test_in_chinese(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain(SPAWN))
    assert chains("--lang", "zh-CN").out == (
        ".openclaude/hook-chains.json：PostToolUseFailure（failed），深度 0\n"
        "  1 条规则中有 1 条匹配\n"
        f"  r  spawn_fallback_agent s  失败：{NO_LAUNCHER}（请在 rulewright.toml 中设置 `launch.command`）\n"
    )
    assert "将会跳过" in chains("--lang", "zh-CN", "--dry-run").out


def test_an_outcome_that_never_comes(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain())
    ran = chains("--json", outcome="timeout")
    assert result(ran)["matchedRuleIds"] == []
    assert "PostToolUseFailure with outcome timeout is never dispatched by itself" in ran.err


# ---- wrong usage


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--event", "PostToolUseFailur"), "did you mean `PostToolUseFailure`?"),
        (("--event", "Zzz"), "there is no hook event `Zzz`; known are PreToolUse, "),
        (("--outcome", "fail"), "invalid choice: 'fail'"),
        (("--depth", "x"), "invalid int value: 'x'"),
        (("--depth", "-1"), "--depth must not be negative"),
        (("--payload", "gone.json"), "gone.json"),
        (("--payload", "text.txt"), "`text.txt` is not JSON"),
        (("--payload", "list.json"), "`list.json` is not a JSON object"),
    ],
)
def test_wrong_usage(project: Path, chains: Chains, on: None, words: tuple[str, ...], message: str) -> None:
    write(project / "text.txt", "{text")
    write(project / "list.json", [])
    ran = chains(*words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('[launch]\ncommand = "claude -p"', "`launch.command` must be a list of strings, the program first"),
        ("[launch]\ncommand = []", "`launch.command` must be a list of strings"),
        ('[launch]\ncommand = ["{prompt}"]', "`launch.command` must begin with the name of a program"),
        ('[launch]\ncommand = ["a", "{promt}"]', "`launch.command` has no place {promt}; known are {prompt}, "),
        ('[launch]\ncmd = ["a"]', "`launch.cmd` unknown; known are command"),
        ('[warm]\ncommand = ["a", 1]', "`warm.command` must be a list"),
        ('[warm]\ncommand = ["a", "{prompt}"]', "`warm.command` has no place {prompt}"),
        ('[otel]\nendpoint = "localhost:4318"', "`otel.endpoint` must be an http:// or https:// address"),
        ('[chains]\ndispatch = "me"', '`chains.dispatch` must be "rulewright" or "host"'),
        ('[chains]\nallow_remote = "no"', "`chains.allow_remote` must be true or false"),
        ("[chains]\nteam = 1", "`chains.team` must be a string"),
    ],
)
def test_wrong_settings(project: Path, chains: Chains, on: None, settings: str, message: str) -> None:
    write(project / "rulewright.toml", settings)
    ran = chains("--json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"rulewright: rulewright.toml: {message}")
    assert ran.err.count("\n") == 1
    assert "rulewright.toml：" in chains("--lang", "zh-CN").err


def test_json_in_the_words_of_a_command(project: Path, chains: Chains, on: None) -> None:
    write(project / ".openclaude" / "hook-chains.json", chain(SPAWN))
    words = ["./no-agent", "--settings", '{"disableAllHooks":true}', "{prompt}"]
    write(project / "rulewright.toml", f"[launch]\ncommand = {json.dumps(words)}\n")
    reason = result(chains("--json"))["actionResults"][0]["reason"]
    assert reason == "Fallback agent launch failed: there is no program ./no-agent"


def test_from_stdin_and_in_a_folder_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / ".openclaude" / "hook-chains.json", {"hookChains": chain(SPAWN)})
    head = ("chains", "run", "--event", "PostToolUseFailure", "--outcome", "failed", "--payload", "-", "--json")
    env = {"CLAUDE_CODE_ENABLE_HOOK_CHAINS": "true", "RULEWRIGHT_HOME": str(tmp_path / "state")}
    ran = rulewright(*head, cwd=tmp_path, stdin=json.dumps(FAILURE).encode(), **env)
    assert result(ran)["actionResults"][0]["reason"] == NO_LAUNCHER
    assert ran.err == ""
    assert (tmp_path / "state" / "chains.jsonl").exists()


# ---- OpenTelemetry


class Collector(HTTPServer):
    """Takes what is sent to it, on this machine."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, bytes]] = []
        super().__init__(("127.0.0.1", 0), Taker)
        self.thread = Thread(target=self.handle_request)
        self.thread.start()


class Taker(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((self.path, data))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        return


@pytest.mark.ledger("H100")
def test_telemetry_is_sent_to_a_collector(project: Path, chains: Chains, on: None) -> None:
    """By a process of its own: the call does not wait for it."""
    logs = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2")
    collector = Collector()
    write(project / ".openclaude" / "hook-chains.json", chain(SPAWN))
    write(project / "rulewright.toml", f'[otel]\nendpoint = "http://127.0.0.1:{collector.server_port}"\n')
    ran = chains("--json")
    assert ran.err == ""
    collector.thread.join(60)
    collector.server_close()
    ((path, data),) = collector.taken
    assert path == "/v1/logs"
    request = logs.ExportLogsServiceRequest.FromString(data)
    records = request.resource_logs[0].scope_logs[0].log_records
    assert [record.event_name for record in records] == [
        "chain_rule_matched",
        "chain_action_failed",
        "hook_chains_dispatch",
    ]
    assert not list((Path(os.environ["RULEWRIGHT_HOME"]) / "chains").glob("export-*"))


def test_without_the_extra(project: Path, chains: Chains, on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from rulewright import telemetry_otel

    monkeypatch.setattr(telemetry_otel, "installed", lambda: False)
    write(project / ".openclaude" / "hook-chains.json", chain(SPAWN))
    write(project / "rulewright.toml", '[otel]\nendpoint = "http://127.0.0.1:9"\n')
    ran = chains("--json")
    assert ran.code == 0
    assert "install `rulewright[otel]`" in ran.err
