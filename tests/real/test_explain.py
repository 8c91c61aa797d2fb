"""What `explain` says beforehand is what the model then reads, and the payloads are shaped like the recorded ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from real.desk import Desk, Json
from real.test_time import prompts
from rulewright.cli import main

pytestmark = pytest.mark.real

CAPTURED = Path(__file__).parents[1] / "fixtures" / "captured"
RULES = """
- {id: start, target: event, event: session.start, text: "CTX-start {{ session.source }}."}
- {id: each, target: event, event: prompt.submitted, repeat: turn, reason: test, text: "CTX-each: {{ prompt.text }}."}
- {id: pre, target: tool, tool: shell, at: before, text: "CTX-pre {{ tool.input.command }}."}
- {id: seldom, target: tool, tool: shell, at: before, refresh: 2, reason: test, text: CTX-seldom.}
- id: post
  target: tool
  tool: "*"
  action: warn
  repeat: turn
  model_text: CTX-post.
  text: "{{ tool.name }} was called: look at what it did."
- id: guard
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: shell_regex, pattern: '^rm -rf'}]}
  text: Do not run {{ tool.input.command }}
- id: root
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: contains, pattern: ' /'}]}
  text: Do not touch the root
"""


def test_explain_predicts_every_answer_and_every_answer_arrives(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    client = desk.client
    desk.install(RULES)
    desk.watch()
    commands = ["true one", "rm -rf /nowhere", "true two"]
    turns: list[Json] = []
    for _ in range(3):
        turns += [*({"tools": [client.shell(command)]} for command in commands), {"say": "Done."}]
    run = prompts(desk, turns, ["one", "two", "three"])
    seen = desk.seen()
    assert {record["event"] for record in seen} == {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}
    assert len(seen) == 1 + 3 + 9 + 6
    predicted: list[str] = []
    monkeypatch.chdir(desk.project)
    for record in seen:
        assert record["exit"] == 0
        assert record["stderr"] == ""
        monkeypatch.setenv("RULEWRIGHT_HOME", str(record["folder"] / "state"))
        payload = str(record["folder"] / "payload.json")
        assert main(["explain", "--harness", client.name, "--payload", payload, "--json"]) == 0
        explained = json.loads(capsys.readouterr().out)
        assert explained["wire"] == {"stdout": record["stdout"], "stderr": "", "exit": 0}, (record, explained)
        answer = json.loads(record["stdout"] or "{}").get("hookSpecificOutput", {})
        if "permissionDecisionReason" in answer:
            command = record["payload"]["tool_input"]["command"]
            assert client.denied(answer["permissionDecisionReason"], command) in client.results(run.last)
        if "additionalContext" in answer:
            context = answer["additionalContext"]
            tool = record["payload"].get("tool_name", "")
            assert client.holds_context(run.last, record["event"], context, tool), context
            predicted += re.findall(r"CTX-[a-z0-9-]+", context)
    assert sorted(client.heard(run.last)) == sorted(predicted)
    counts = {mark: predicted.count(mark) for mark in set(predicted)}
    assert counts == {"CTX-start": 1, "CTX-each": 3, "CTX-pre": 2, "CTX-seldom": 2, "CTX-post": 3}
    denied = [
        answer for answer in client.results(run.last) if "Do not run rm -rf /nowhere\nDo not touch the root" in answer
    ]
    assert len(denied) == 3


def test_the_payloads_have_the_recorded_shape(desk: Desk) -> None:
    """Keys that no recording has mean that the client changed: look at the codec, then record anew."""
    desk.install(
        """
- {id: a, target: event, event: session.start, text: a.}
- {id: b, target: event, event: prompt.submitted, text: b.}
- {id: c, target: tool, tool: "*", at: before, text: c.}
- {id: d, target: tool, tool: "*", text: d.}
- {id: e, target: event, event: agent.stop, action: warn, text: e.}
"""
    )
    desk.watch()
    client = desk.client
    desk.run([{"tools": [client.shell("echo one")]}, {"say": "Done."}])
    folder = next(path for path in CAPTURED.iterdir() if path.name.startswith(client.name))
    recorded: dict[str, set[str]] = {}
    for path in folder.glob("[0-9]*.json"):
        payload: dict[str, Any] = json.loads(path.read_text("utf-8"))
        recorded.setdefault(payload["hook_event_name"], set()).update(payload)
    seen = desk.seen()
    assert {record["event"] for record in seen} == {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
    }
    for record in seen:
        assert set(record["payload"]) <= recorded[record["event"]], record["payload"]
