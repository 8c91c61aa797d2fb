"""Hook chains as the tests call them: compiled configurations, events, and a runtime with a clock that stands still."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rulewright.hook.chain_state import ChainState
from rulewright.hook.chains import Runtime, dispatch
from rulewright.hook.telemetry import Telemetry

FAILURE = {"tool_name": "Bash", "error": "exit 1", "session_id": "s", "tool_use_id": "u1"}
MEMBERS = ("team-lead", "ann", "bob")


def rule(
    id_: str = "r",
    event: str = "PostToolUseFailure",
    outcomes: Sequence[str] | None = ("failed",),
    condition: dict[str, Any] | None = None,
    actions: Sequence[dict[str, Any]] = ({"type": "notify_team", "id": "a"},),
    **fields: Any,
) -> dict[str, Any]:
    """Return a compiled rule."""
    trigger = {"event": event, "outcomes": None if outcomes is None else list(outcomes)}
    return {"id": id_, "enabled": True, "trigger": trigger, "condition": condition, "actions": list(actions), **fields}


def compiled(*rules: dict[str, Any], error: str | None = None, **top: Any) -> dict[str, Any]:
    """Return a compiled configuration with the defaults of the format."""
    head = {
        "version": 1,
        "enabled": True,
        "maxChainDepth": 2,
        "defaultCooldownMs": 30_000,
        "defaultDedupWindowMs": 30_000,
    }
    return {"error": error, "config": {**head, "rules": list(rules), **top}}


def from_json(text: str) -> dict[str, Any]:
    """Compile a valid configuration as its reader does, without it: defaults applied, outcomes as a list."""
    raw = json.loads(text)
    rules = []
    for found in raw.pop("rules"):
        trigger = found.pop("trigger")
        outcomes = trigger.get("outcomes") or ([trigger["outcome"]] if "outcome" in trigger else None)
        rules.append(rule(found.pop("id"), trigger["event"], outcomes, **found))
    return compiled(*rules, **raw)


def failure(**fields: Any) -> dict[str, Any]:
    """Return a tool that failed."""
    return {"eventName": "PostToolUseFailure", "outcome": "failed", "payload": {**FAILURE, **fields}}


def completed(outcome: str = "failed", **fields: Any) -> dict[str, Any]:
    """Return a task that was completed."""
    return {"eventName": "TaskCompleted", "outcome": outcome, "payload": {"session_id": "s", **fields}}


class Bench:
    """A folder with a state and a team, a clock, and the results of dispatches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.openclaude = folder / "openclaude"
        self.now = 1_000_000_000_000
        self.depth = 0
        self.launcher: list[str] | None = None
        self.warm: list[str] | None = None
        self.allow_remote = True
        self.team = ""
        self.env: dict[str, str] = {}
        self.aborted: Callable[[], bool] = lambda: False
        self.scope = "s"

    def make_team(self, name: str = "mesh", members: Sequence[str] = MEMBERS) -> Path:
        """Write a team file as OpenClaude does; return the folder of its mailboxes."""
        folder = self.openclaude / "teams" / name
        folder.mkdir(parents=True)
        listed = [{"agentId": f"{member}@{name}", "name": member, "subscriptions": []} for member in members]
        (folder / "config.json").write_text(json.dumps({"name": name, "members": listed}, indent=2))
        return folder / "inboxes"

    def runtime(self) -> Runtime:
        """Return the surroundings as they are set now."""
        return Runtime(
            state=ChainState(str(self.state), self.scope, lambda: self.now),
            scope=self.scope,
            now_ms=lambda: self.now,
            depth=self.depth,
            aborted=self.aborted,
            launcher=self.launcher,
            warm=self.warm,
            allow_remote=self.allow_remote,
            team=self.team,
            env=self.env,
            config_dirs=(str(self.openclaude),),
            cwd=str(self.folder),
            root=str(self.folder),
            telemetry=Telemetry(str(self.state)),
            config_path=str(self.folder / "hook-chains.json"),
        )

    def dispatch(self, config: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
        """Dispatch one event."""
        return dispatch(config, event, self.runtime())

    def results(self, config: dict[str, Any], event: dict[str, Any]) -> list[tuple[str, str | None, str]]:
        """Dispatch one event; return rule, action, and `executed` or status and reason of each."""
        return [
            (found["ruleId"], found["actionId"], said(found)) for found in self.dispatch(config, event)["actionResults"]
        ]

    def lines(self) -> list[dict[str, Any]]:
        """Return the telemetry so far."""
        path = self.state / "chains.jsonl"
        return [json.loads(line) for line in path.read_text().split("\n")[:-1]] if path.exists() else []


def said(result: dict[str, Any]) -> str:
    """Return the status of an action, with its reason."""
    return f"{result['status']}: {result['reason']}" if "reason" in result else str(result["status"])
