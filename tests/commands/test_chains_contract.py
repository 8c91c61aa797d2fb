"""`rulewright chains run` from outside: real processes in projects of their own, with a launcher that records what it is given.

What is asked here is what OpenClaude's own tests ask of its hook chains, and what the guide and the specification state, word by
word. One file of chains asks many things at once, because each process takes half a second: the rules that match are told apart by
their ids.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import ROOT, Ran, Run, rulewright

SWITCH = "CLAUDE_CODE_ENABLE_HOOK_CHAINS"
PATH = "CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH"
TASK = {"task_id": "task-1", "task_subject": "Patch the build", "error": "CI timeout", "session_id": "s"}
SPAWN = {"type": "spawn_fallback_agent", "id": "spawn"}
NOTIFY = {"type": "notify_team", "id": "notify"}
WARM = {"type": "warm_remote_capacity", "id": "warm"}
FREE = {"defaultCooldownMs": 0, "defaultDedupWindowMs": 0}

# Writes what it is called with to a pipe, in one piece; the reader has the other end.
RECORDER = """
import json, os, sys
told = {"words": sys.argv[1:], "cwd": os.getcwd(), "depth": os.environ.get("RULEWRIGHT_CHAIN_DEPTH")}
data = json.dumps(told).encode() + b"\\n"
pipe = os.open(os.path.join(os.path.dirname(__file__), "heard"), os.O_WRONLY)
while data:
    data = data[os.write(pipe, data):]
"""


def rule(name: str = "r", *actions: dict[str, Any], event: str = "TaskCompleted", **keys: Any) -> dict[str, Any]:
    """Return a rule as users write it; without actions it has one that starts an agent."""
    trigger = {"event": event, "outcome": "failed"}
    return {"id": name, "trigger": trigger, "actions": list(actions or [SPAWN]), **keys}


class Project:
    """A project with chains and a launcher, and a state of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder.parent / "state"
        self.home = folder.parent / "home"
        (folder / ".git").mkdir(parents=True)
        self.home.mkdir()
        self.chains = folder / ".openclaude" / "hook-chains.json"
        self.pipe = -1
        self._told = b""

    def write(self, *rules: dict[str, Any], **top: Any) -> None:
        """Write the chains: without windows, unless they are given."""
        self.chains.parent.mkdir(exist_ok=True)
        self.chains.write_text(json.dumps({**FREE, "rules": list(rules), **top}), encoding="utf-8")

    def settings(self, text: str) -> None:
        (self.folder / "rulewright.toml").write_text(text, encoding="utf-8")

    def launcher(self, *words: str) -> None:
        """Set a launcher that records its words, `{prompt}` where none are given."""
        script = self.folder / "recorder.py"
        script.write_text(RECORDER, encoding="utf-8")
        if self.pipe < 0:
            os.mkfifo(self.folder / "heard")
            self.pipe = os.open(self.folder / "heard", os.O_RDWR)
        command = [sys.executable, str(script), *(words or ["{prompt}"])]
        self.settings(f"[launch]\ncommand = {json.dumps(command)}\n")

    def heard(self) -> dict[str, Any]:
        """Wait for the next agent and return what it was started with."""
        while b"\n" not in self._told:
            self._told += os.read(self.pipe, 1 << 16)
        line, _, self._told = self._told.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def call(
        self,
        *words: str,
        payload: Any = TASK,
        event: str = "TaskCompleted",
        outcome: str = "failed",
        env: dict[str, str] | None = None,
    ) -> Ran:
        """Run the command. `env`: variables; the empty text removes one."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        merged = {SWITCH: "1", PATH: "", "RULEWRIGHT_HOME": str(self.state), "HOME": str(self.home), **(env or {})}
        for name in (
            "CLAUDE_CODE_TEAM_NAME",
            "CLAUDE_CODE_AGENT_NAME",
            "RULEWRIGHT_CHAIN_DEPTH",
            "OPENCLAUDE_CONFIG_DIR",
        ):
            merged.setdefault(name, "")
        head = ("chains", "run", "--event", event, "--outcome", outcome, "--payload", "-")
        return rulewright(*head, *words, cwd=self.folder, stdin=data, **merged)

    def json(self, *words: str, code: int = 0, **keys: Any) -> dict[str, Any]:
        """Run the command and return its result."""
        ran = self.call("--json", *words, **keys)
        assert (ran.code, "Traceback" in ran.err) == (code, False), ran.err
        found: dict[str, Any] = json.loads(ran.out)
        return found

    def results(self, *words: str, **keys: Any) -> list[str]:
        """Run the command and return `rule/action: status: reason` of each action."""
        return [told(item) for item in self.json(*words, **keys)["actionResults"]]

    def files(self) -> dict[str, bytes]:
        """Return all files of the state and of the user."""
        places = (self.state, self.home)
        return {str(path): path.read_bytes() for at in places for path in sorted(at.rglob("*")) if path.is_file()}

    def close(self) -> None:
        if self.pipe >= 0:
            os.close(self.pipe)


def told(item: dict[str, Any]) -> str:
    reason = f": {item['reason']}" if "reason" in item else ""
    return f"{item['ruleId']}/{item['actionId']}: {item['status']}{reason}"


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path / "project")
    yield made
    made.close()


# ---- the schema: each constraint, a value inside and one outside

LIMIT = 86_400_000


def file(**top: Any) -> dict[str, Any]:
    return {"rules": [rule()], **top}


def of_rule(**keys: Any) -> dict[str, Any]:
    return file(rules=[rule(**keys)])


def of_trigger(**keys: Any) -> dict[str, Any]:
    return file(rules=[{**rule(), "trigger": keys}])


def of_action(kind: str, **keys: Any) -> dict[str, Any]:
    return file(rules=[rule("r", {"type": kind, **keys})])


def of_condition(**keys: Any) -> dict[str, Any]:
    return file(rules=[rule(condition=keys)])


WINDOWS: list[Any] = [-1, LIMIT + 1, 1.5, "30000", True, None, [], 10**400]
TEXTS: list[Any] = ["", 1, None, True, ["x"]]
LISTS: list[Any] = ["x", [""], [1], [None], None, {}, 3]
GOOD = {
    "nothing": {},
    "the fields of the guide": {"version": 1, "enabled": True, "maxChainDepth": 2, **FREE, "rules": []},
    "no rules": {"rules": []},
    "wrapped": {"hookChains": file()},
    "wrapped and empty": {"hookChains": {}},
    "least": file(maxChainDepth=1, defaultCooldownMs=0, defaultDedupWindowMs=0),
    "most": file(maxChainDepth=10, defaultCooldownMs=LIMIT, defaultDedupWindowMs=LIMIT),
    "whole floats": file(version=1.0, maxChainDepth=2.0, defaultCooldownMs=3e4),
    "least of a rule": of_rule(cooldownMs=0, dedupWindowMs=0, maxDepth=0),
    "most of a rule": of_rule(cooldownMs=LIMIT, dedupWindowMs=LIMIT, maxDepth=10),
    "any outcome": of_trigger(event="TaskCompleted"),
    "every outcome": of_trigger(event="TaskCompleted", outcomes=["success", "failed", "timeout", "unknown"]),
    "an event that nobody sends": of_trigger(event="SessionEnd", outcome="unknown"),
    "an empty condition": of_condition(),
    "empty parts": of_condition(toolNames=[], taskStatuses=[], errorIncludes=[], eventFieldEquals={}),
    "values": of_condition(eventFieldEquals={"a.b": "x", "c": 1, "d": 1.5, "e": False, "": ""}),
    "spawn": of_action("spawn_fallback_agent", id="i", enabled=False, dedupWindowMs=0, description="d", promptTemplate="p",
                       agentType="a", model="m"),
    "notify": of_action("notify_team", teamName="t", recipients=["*"], summary="s", messageTemplate="m"),
    "notify nobody": of_action("notify_team", recipients=[]),
    "warm": of_action("warm_remote_capacity", createDefaultEnvironmentIfMissing=True),
    "unknown keys": {**of_rule(note="n"), "comment": 1},
}  # fmt: skip


def values(*found: Any) -> list[Any]:
    return list(found)


BAD: list[Any] = [
    [], "text", 1,
    *[file(version=value) for value in values(0, 2, "1", True, None)],
    *[file(enabled=value) for value in values(0, "true", None)],
    *[file(maxChainDepth=value) for value in values(0, 11, 1.5, "2", True, None)],
    *[file(defaultCooldownMs=value) for value in WINDOWS],
    *[file(defaultDedupWindowMs=value) for value in WINDOWS],
    *[{"rules": value} for value in values(None, {}, "x", [1], [None], [[]], [{}])],
    {"hookChains": file(version=2)},
    *[of_rule(cooldownMs=value) for value in WINDOWS],
    *[of_rule(dedupWindowMs=value) for value in WINDOWS],
    *[of_rule(maxDepth=value) for value in values(-1, 11, 0.5, "1", None)],
    *[of_rule(id=value) for value in TEXTS],
    *[of_rule(enabled=value) for value in values(1, "yes", None)],
    *[of_rule(actions=value) for value in values([], None, {}, [1], [{}], [{"type": "other"}], [{"type": 1}])],
    *[file(rules=[{key: value for key, value in rule().items() if key != gone}]) for gone in ("id", "trigger", "actions")],
    *[of_rule(trigger=value) for value in values(None, [], "TaskCompleted", {})],
    *[of_trigger(event=value) for value in values("taskcompleted", "TaskComplete", "", 1, None)],
    *[of_trigger(event="TaskCompleted", outcome=value) for value in values("failure", "Failed", "", 1, None, ["failed"])],
    *[of_trigger(event="TaskCompleted", outcomes=value) for value in values([], "failed", ["bad"], [1], None)],
    of_trigger(event="TaskCompleted", outcome="failed", outcomes=["failed"]),
    *[of_rule(condition=value) for value in values(None, [], "x")],
    *[of_condition(**{name: value}) for name in ("toolNames", "taskStatuses", "errorIncludes") for value in LISTS],
    *[of_condition(eventFieldEquals=value) for value in values(None, [], "x", {"a": None}, {"a": []}, {"a": {}})],
    *[of_action(kind, id=value) for kind in ("spawn_fallback_agent", "notify_team") for value in TEXTS],
    *[of_action("warm_remote_capacity", enabled=value) for value in values(0, "no", None)],
    *[of_action("notify_team", dedupWindowMs=value) for value in WINDOWS],
    *[of_action("spawn_fallback_agent", **{name: value})
      for name in ("description", "promptTemplate", "agentType", "model") for value in TEXTS],
    *[of_action("notify_team", **{name: value}) for name in ("teamName", "summary", "messageTemplate") for value in TEXTS],
    *[of_action("notify_team", recipients=value) for value in LISTS],
    *[of_action("warm_remote_capacity", createDefaultEnvironmentIfMissing=value) for value in values(0, "true", None)],
]  # fmt: skip


@pytest.mark.ledger("H005", "H010", "H011", "H012", "H013", "H014", "H020", "H021", "H022", "H023", "H024")
def test_each_constraint_of_the_schema(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused is off with an error, and an error for `check` too; what is taken is neither."""
    monkeypatch.setenv(SWITCH, "1")
    (project / "payload.json").write_text("{}")
    wrong = []
    for number, (good, value) in enumerate([*((True, one) for one in GOOD.values()), *((False, one) for one in BAD)]):
        path = project / f"{number}.hook-chains.json"
        path.write_text(json.dumps(value))
        head = ("chains", "run", "--event", "TaskCompleted", "--outcome", "failed", "--payload", "payload.json")
        ran = run(*head, "--json", "--dry-run", "--config", str(path))
        found = json.loads(ran.out)
        taken = (ran.code, "error" in found) == (0, False)
        refused = (ran.code, found["enabled"], bool(found.get("error"))) == (1, False, True)
        if not (taken if good else refused):
            wrong.append(f"{json.dumps(value)[:300]}: {ran.code} {found.get('error')}")
    assert wrong == []
    assert len(BAD) > 150
    report = json.loads(
        run("check", "--format", "json", *(path.name for path in sorted(project.glob("*.hook-chains.json")))).out
    )
    errors = {one["path"] for one in report["diagnostics"] if one["severity"] == "error"}
    everything = {path.name for path in project.glob("*.hook-chains.json")}
    assert everything - errors == {f"{number}.hook-chains.json" for number in range(len(GOOD))}


@pytest.mark.ledger("H005")
@pytest.mark.parametrize(
    "text", ["{", json.dumps(of_trigger(event="TaskCompleted", outcome="failed", outcomes=["failed"]))]
)
def test_a_file_that_cannot_be_used(at: Project, text: str) -> None:
    at.chains.parent.mkdir()
    at.chains.write_text(text)
    at.launcher()
    found = at.json(code=1)
    assert {name: found[name] for name in ("enabled", "configPath", "fromCache", "evaluatedRuleCount")} == {
        "enabled": False,
        "configPath": str(at.chains),
        "fromCache": False,
        "evaluatedRuleCount": 0,
    }
    assert (found["matchedRuleIds"], found["actionResults"]) == ([], [])
    assert found["error"].startswith("line 1: ")


# ---- the result, and the switches


def test_the_shape_of_the_result(at: Project) -> None:
    """As cli.md shows it: these keys, in this order."""
    at.write(rule("r", {"type": "notify_team", "id": "a"}), rule("other", event="PostToolUseFailure"))
    ran = at.call("--json")
    assert ran.err == ""
    assert (
        ran.out
        == json.dumps(
            {
                "enabled": True,
                "configPath": str(at.chains),
                "fromCache": False,
                "evaluatedRuleCount": 2,
                "matchedRuleIds": ["r"],
                "actionResults": [
                    {
                        "ruleId": "r",
                        "actionType": "notify_team",
                        "actionId": "a",
                        "status": "skipped",
                        "reason": "No team context is available for notify_team action",
                    }
                ],
            },
            indent=2,
        )
        + "\n"
    )


@pytest.mark.ledger("H003")
@pytest.mark.parametrize(
    ("word", "on"),
    [
        ("", False),
        ("0", False),
        ("false", False),
        ("no", False),
        ("1", True),
        ("yes", True),
        ("ON", True),
        ("True", True),
    ],
)
def test_the_switch(at: Project, word: str, on: bool) -> None:
    at.write(rule())
    found = at.json(env={SWITCH: word})
    assert (found["enabled"], found["evaluatedRuleCount"], found["fromCache"]) == (on, int(on), False)
    if not on:
        assert (found["matchedRuleIds"], found["actionResults"]) == ([], [])
        assert at.files() == {}


@pytest.mark.ledger("H004")
@pytest.mark.parametrize("top", [{"enabled": False}, {"rules": []}])
def test_a_file_that_is_off(at: Project, top: dict[str, Any]) -> None:
    at.write(rule(), **top)
    at.launcher()
    found = at.json()
    assert (found["enabled"], found["evaluatedRuleCount"], found["actionResults"]) == (False, 0, [])
    assert "error" not in found


@pytest.mark.ledger("H001", "H002")
def test_which_file(at: Project) -> None:
    at.write(rule("default"))
    absolute = at.folder.parent / "else where 文件.json"
    absolute.write_text(json.dumps({"rules": [rule("absolute")]}))
    relative = at.folder / "conf" / "relative.json"
    relative.parent.mkdir()
    relative.write_text(json.dumps({"hookChains": {"rules": [rule("relative")]}}))
    found = at.json(env={PATH: str(absolute)})
    assert (found["configPath"], found["matchedRuleIds"]) == (str(absolute), ["absolute"])
    found = at.json(env={PATH: "conf/relative.json"})
    assert (found["configPath"], found["matchedRuleIds"]) == (str(relative), ["relative"])
    found = at.json("--config", "conf/relative.json", env={PATH: str(absolute)})
    assert (found["configPath"], found["matchedRuleIds"]) == (str(relative), ["relative"])
    found = at.json(code=1, env={PATH: "no/such.json"})
    assert (found["configPath"], found["enabled"]) == (str(at.folder / "no" / "such.json"), False)
    # A path of Windows is a name as any other here, and is not taken apart.
    found = at.json(code=1, env={PATH: "C:\\conf\\hook-chains.json"})
    assert found["configPath"] == str(at.folder / "C:\\conf\\hook-chains.json")


@pytest.mark.ledger("H006")
def test_the_cache(at: Project) -> None:
    at.write(rule("one"))
    names = [at.json()["fromCache"], at.json()["fromCache"], at.json("--reload")["fromCache"], at.json()["fromCache"]]
    assert names == [False, True, False, True]
    at.write(rule("two"))
    found = at.json()
    assert (found["fromCache"], found["matchedRuleIds"]) == (False, ["two"])
    # Another project has a file of its own.
    before = at.files()
    found = at.json("--dry-run")
    assert (found["fromCache"], found["matchedRuleIds"], at.files()) == (False, ["two"], before)


# ---- which rules match


@pytest.mark.ledger("H021", "H022", "H026", "H030", "H031", "H032", "H033", "H034")
def test_which_rules_match(at: Project) -> None:
    """Every rule whose id begins with `yes` matches, in the order of the file, and no other."""
    payload = {
        "tool_name": "", "toolName": "Edit", "status": "failed", "taskStatus": "blocked", "error": "", "reason": "Permission DENIED by policy",
        "message": "timeout", "meta": {"source": "scheduler", "count": 1, "on": True, "none": None, "list": ["a"], "": "e"},
        "one": 1, "zero": 0, "text": "1", "half": 0.5, "session_id": "s",
    }  # fmt: skip

    def case(name: str, trigger: dict[str, Any] | None = None, **condition: Any) -> dict[str, Any]:
        made = rule(name, NOTIFY, event="PostToolUseFailure", condition=condition)
        return {**made, "trigger": {"event": "PostToolUseFailure", **(trigger or {})}}

    def equals(name: str, **pairs: Any) -> dict[str, Any]:
        return case(name, eventFieldEquals={key.replace("_", "."): value for key, value in pairs.items()})

    rules = [
        case("yes any outcome"),
        case("yes outcome", {"outcome": "failed"}),
        case("no outcome", {"outcome": "success"}),
        case("yes outcomes", {"outcomes": ["timeout", "failed"]}),
        case("no outcomes", {"outcomes": ["timeout", "unknown"]}),
        {**case("no event"), "trigger": {"event": "TaskCompleted"}},
        {**case("no disabled"), "enabled": False},
        case("yes tool", toolNames=["Write", "Edit"]),
        case("no tool", toolNames=["Write"]),
        case("no tool case", toolNames=["edit"]),
        case("yes status", taskStatuses=["blocked"]),
        case("no status, the alias before it counts", taskStatuses=["failed"]),
        case("yes error", errorIncludes=["nothing", "permission denied"]),
        case("no error, the alias before it counts", errorIncludes=["timeout"]),
        case("yes all parts", toolNames=["Edit"], taskStatuses=["blocked"], errorIncludes=["POLICY"],
             eventFieldEquals={"meta.source": "scheduler", "one": 1}),
        case("no all but one", toolNames=["Edit"], taskStatuses=["blocked"], errorIncludes=["POLICY"],
             eventFieldEquals={"meta.source": "scheduler", "one": 2}),
        case("yes empty parts", toolNames=[], taskStatuses=[], errorIncludes=[], eventFieldEquals={}),
        equals("yes nested", meta_source="scheduler"),
        equals("yes empty segments", _meta__source_="scheduler"),
        equals("no nested case", meta_source="Scheduler"),
        equals("no deeper than it is", meta_source_x="scheduler"),
        equals("no object", meta="scheduler"),
        equals("no missing", meta_gone="x"),
        equals("yes number", one=1),
        equals("yes number with a point", one=1.0),
        equals("yes fraction", half=0.5),
        equals("no number for text", text=1),
        equals("no text for number", one="1"),
        equals("no true for one", one=True),
        equals("no false for zero", zero=False),
        equals("no one for true", meta_on=1),
        equals("yes true", meta_on=True),
        equals("no text for true", meta_on="true"),
        equals("no text for null", meta_none="null"),
        equals("no false for null", meta_none=False),
        equals("no length of a text", text_length=1),
    ]  # fmt: skip
    at.write(*rules)
    found = at.json(payload=payload, event="PostToolUseFailure")
    assert found["matchedRuleIds"] == [one["id"] for one in rules if one["id"].startswith("yes")]
    assert found["evaluatedRuleCount"] == len(rules)
    told_of = {one["ruleId"]: one for one in at.json("--dry-run", payload=payload, event="PostToolUseFailure")["rules"]}
    assert {name for name, one in told_of.items() if one["matched"]} == set(found["matchedRuleIds"])
    assert told_of["no true for one"]["because"] == {
        "part": "condition.eventFieldEquals.one",
        "wanted": True,
        "found": 1,
    }


# ---- guards


@pytest.mark.ledger("H040", "H041")
def test_depths(at: Project) -> None:
    at.write(rule("deep", maxDepth=1), rule("deeper", maxDepth=3), rule("free"), maxChainDepth=3)
    at.launcher()
    assert at.results("--depth", "0") == ["deep/spawn: executed", "deeper/spawn: executed", "free/spawn: executed"]
    assert {at.heard()["depth"] for _ in range(3)} == {"1"}
    # The depth of the environment counts, and agents are one deeper.
    assert at.results(env={"RULEWRIGHT_CHAIN_DEPTH": "2"}) == [
        "deep/spawn: skipped: rule maxDepth reached (2/1)",
        "deeper/spawn: executed",
        "free/spawn: executed",
    ]
    assert {at.heard()["depth"] for _ in range(2)} == {"3"}
    for depth in ("3", "4"):
        found = at.json("--depth", depth)
        assert (found["enabled"], found["evaluatedRuleCount"]) == (True, 0)
        assert (found["matchedRuleIds"], found["actionResults"]) == ([], [])
        assert found["reason"] == f"max chain depth reached ({depth}/3)"


def wait_of(text: str, before: str) -> int:
    """Return the N of `... for Nms`."""
    assert text.startswith(before), text
    assert text.endswith("ms")
    return int(text[len(before) : -2])


@pytest.mark.ledger("H042", "H046")
def test_cooldowns(at: Project) -> None:
    """A rule's own counts before the default; all its actions are skipped; another session has its own."""
    two = (SPAWN, {**SPAWN, "id": "second"})
    at.write(
        rule("own", *two, cooldownMs=60_000), rule("default"), rule("none", cooldownMs=0), defaultCooldownMs=3_600_000
    )
    at.launcher("x")
    other = {**TASK, "task_id": "another"}
    assert at.results() == [
        "own/spawn: executed",
        "own/second: executed",
        "default/spawn: executed",
        "none/spawn: executed",
    ]
    first, second, third, fourth = at.results(payload=other)
    assert 0 < wait_of(first, "own/spawn: skipped: rule cooldown active for ") <= 60_000
    assert first.partition(": ")[2] == second.partition(": ")[2]
    assert 60_000 < wait_of(third, "default/spawn: skipped: rule cooldown active for ") <= 3_600_000
    assert fourth == "none/spawn: executed"
    assert len(at.results(payload={**other, "session_id": "t"})) == 4
    assert at.results(payload={**other, "session_id": "u"})[0] == "own/spawn: executed"


@pytest.mark.ledger("H043", "H046", "H049")
def test_dedup_windows(at: Project) -> None:
    """An action's own counts before its rule's, that before the default; a disabled action is marked as well."""
    at.write(
        rule(
            "r",
            {**SPAWN, "id": "own", "dedupWindowMs": 60_000},
            {**SPAWN, "id": "of the rule"},
            {**SPAWN, "id": "none", "dedupWindowMs": 0},
            {**SPAWN, "id": "off", "enabled": False},
            dedupWindowMs=3_600_000,
        ),
        rule("default"),
        defaultDedupWindowMs=80_000_000,
    )
    at.launcher("x")
    ran = [
        "r/own: executed",
        "r/of the rule: executed",
        "r/none: executed",
        "r/off: skipped: action disabled",
        "default/spawn: executed",
    ]
    assert at.results() == ran
    own, of_the_rule, none, off, default = at.results()
    assert 0 < wait_of(own, "r/own: skipped: dedup window active for ") <= 60_000
    assert 60_000 < wait_of(of_the_rule, "r/of the rule: skipped: dedup window active for ") <= 3_600_000
    assert none == "r/none: executed"
    assert wait_of(off, "r/off: skipped: dedup window active for ") > 60_000
    assert 3_600_000 < wait_of(default, "default/spawn: skipped: dedup window active for ") <= 80_000_000
    # Another event, even by one field of its payload.
    assert at.results(payload={**TASK, "more": 1}) == ran
    assert at.results(payload=json.dumps(dict(reversed(TASK.items())), indent=3).encode())[0].startswith(
        "r/own: skipped: dedup"
    )


# An agent that calls for the same event at once, before it does anything else.
AGAIN = """
import os, subprocess, sys
head = [sys.executable, "-m", "rulewright", "chains", "run", "--event", "TaskCompleted", "--outcome", "failed", "--json", "--depth", "0"]
done = subprocess.run([*head, "--payload", "payload.json"], capture_output=True)
pipe = os.open("heard", os.O_WRONLY)
os.write(pipe, done.stdout.replace(b"\\n", b"") + b"\\n")
"""


@pytest.mark.ledger("H044")
def test_the_mark_is_there_when_the_action_begins(at: Project) -> None:
    at.write(rule(dedupWindowMs=3_600_000))
    at.launcher()
    (at.folder / "again.py").write_text(AGAIN)
    (at.folder / "payload.json").write_text(json.dumps(TASK))
    at.settings(f"[launch]\ncommand = {json.dumps([sys.executable, 'again.py'])}\n")
    assert at.results() == ["r/spawn: executed"]
    (item,) = at.heard()["actionResults"]
    assert told(item).startswith("r/spawn: skipped: dedup window active for ")


@pytest.mark.ledger("H042", "H043")
def test_of_many_processes_one_acts(at: Project) -> None:
    at.write(rule(cooldownMs=3_600_000))
    at.launcher()
    env = {**os.environ, "PYTHONPATH": str(ROOT / "engine"), SWITCH: "1", "RULEWRIGHT_HOME": str(at.state)}
    (at.folder / "payload.json").write_text(json.dumps(TASK))
    head = [
        sys.executable,
        "-m",
        "rulewright",
        "chains",
        "run",
        "--event",
        "TaskCompleted",
        "--outcome",
        "failed",
        "--json",
    ]
    started = [
        subprocess.Popen([*head, "--payload", "payload.json"], cwd=at.folder, env=env, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    found = sorted(told(json.loads(one.communicate()[0])["actionResults"][0]).partition(" for ")[0] for one in started)
    assert found == ["r/spawn: executed", *["r/spawn: skipped: rule cooldown active"] * 3]
    assert at.heard()["depth"] == "1"


def test_a_dry_run_changes_nothing(at: Project) -> None:
    at.write(rule("r", SPAWN, NOTIFY, cooldownMs=60_000), rule("s", SPAWN))
    at.launcher()
    for _ in range(2):
        found = at.json("--dry-run")
        assert [[item["would"] for item in one["actions"]] for one in found["rules"]] == [["run", "skip"], ["run"]]
        assert (found["dryRun"], found["actionResults"], at.files()) == (True, [], {})
    assert at.results()[0] == "r/spawn: executed"
    assert at.heard()["words"]


# ---- actions


@pytest.mark.ledger("H050", "H060", "H070", "H071", "H072", "H080", "H081")
def test_actions_that_cannot_run(at: Project) -> None:
    at.write(
        rule("launcher", SPAWN),
        rule("team", NOTIFY, {**NOTIFY, "id": "missing", "teamName": "gone 组"}, {**NOTIFY, "id": "nobody", "teamName": "mesh", "recipients": ["zoe"]}),
        rule("bridge", WARM),
    )  # fmt: skip
    team = at.home / ".openclaude" / "teams" / "mesh" / "config.json"
    team.parent.mkdir(parents=True)
    team.write_text(json.dumps({"name": "mesh", "members": [{"name": "ann"}]}))
    expected = [
        "launcher/spawn: failed: No fallback agent launcher is registered in runtime context",
        "team/notify: skipped: No team context is available for notify_team action",
        "team/missing: skipped: Team file not found for team gone 组",
        "team/nobody: skipped: No eligible recipients for notify_team action",
        "bridge/warm: skipped: Bridge is not active; warm_remote_capacity is a safe no-op",
    ]
    assert at.results() == expected
    at.settings('[chains]\nallow_remote = false\n[warm]\ncommand = ["true"]\n')
    assert at.results()[-1] == "bridge/warm: skipped: Remote sessions are blocked by policy"
    lines = [json.loads(line) for line in (at.state / "chains.jsonl").read_text().split("\n")[:-1]]
    found = [line["reason_category"] for line in lines if "reason_category" in line]
    assert found == [
        *["context_missing"] * 2,
        "other",
        "other",
        "other",
        *["context_missing"] * 2,
        "other",
        "other",
        "policy",
    ]


@pytest.mark.ledger("H061", "H062", "H063", "H090", "H091", "H092")
def test_what_an_agent_is_given(at: Project) -> None:
    template = "${EVENT_NAME}|$OUTCOME|${RULE_ID}|${TASK_SUBJECT}|${TASK_DESCRIPTION}|${ERROR}|${PAYLOAD_JSON}|${TYPO}|$NOPE|$lower"
    at.write(
        rule(
            "r1",
            {
                **SPAWN,
                "promptTemplate": template,
                "description": "Mine",
                "agentType": "general-purpose",
                "model": "sonnet",
            },
        )
    )
    at.launcher("-p", "{prompt}", "--model", "{model}", "--agent={agentType}", "{description}")
    payload = {
        "taskSubject": "S",
        "task_description": "D",
        "reason": "${ERROR} $HOME",
        "b": {"z": 1, "a": [True, None]},
    }
    assert at.results(payload=payload) == ["r1/spawn: executed"]
    canonical = json.dumps(payload, sort_keys=True, separators=(",", ":"))
    prompt = f"TaskCompleted|failed|r1|S|D|${{ERROR}} $HOME|{canonical}|||$lower"
    assert at.heard() == {
        "words": ["-p", prompt, "--model", "sonnet", "--agent=general-purpose", "Mine"],
        "cwd": str(at.folder),
        "depth": "1",
    }
    at.write(rule("r2"))
    assert at.results(payload={**TASK, "task_description": "All of it"}) == ["r2/spawn: executed"]
    words = at.heard()["words"]
    assert (len(words), words[0], words[-1]) == (3, "-p", "Fallback recovery: TaskCompleted (failed)")
    for part in (
        "Event: TaskCompleted",
        "Outcome: failed",
        "Rule ID: r2",
        "Task subject: Patch the build",
        "Task description: All of it",
        "Failure details: CI timeout",
        "minimal, safe",
        '"task_id":"task-1"',
    ):
        assert part in words[1], part


@pytest.mark.ledger("H070", "H072", "H073", "H074")
def test_what_a_team_is_told(at: Project) -> None:
    at.write(
        rule(
            "r",
            NOTIFY,
            {
                **NOTIFY,
                "id": "two",
                "teamName": "Own Team",
                "recipients": ["zoe", "bob"],
                "summary": "$RULE_ID ${TASK_ID}",
            },
        )
    )
    for name, folder in (("mesh", "mesh"), ("Own Team", "own-team")):
        path = at.home / ".openclaude" / "teams" / folder / "config.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"name": name, "members": [{"name": one} for one in ("ann", "bob", "cy")]}))
    found = at.results(env={"CLAUDE_CODE_TEAM_NAME": "mesh", "CLAUDE_CODE_AGENT_NAME": "ann"})
    assert found == ["r/notify: executed", "r/two: executed"]
    boxes = {
        str(path.relative_to(at.home / ".openclaude" / "teams")): json.loads(path.read_text())
        for path in at.home.rglob("inboxes/*.json")
    }
    assert sorted(boxes) == ["Own-Team/inboxes/bob.json", "mesh/inboxes/bob.json", "mesh/inboxes/cy.json"]
    (message,) = boxes["mesh/inboxes/cy.json"]
    assert (message["from"], message["read"]) == ("ann", False)
    assert message["summary"] == "Hook chain r triggered (TaskCompleted/failed)"
    for part in ("Rule: r", "Event: TaskCompleted", "Outcome: failed", "Error: CI timeout", "Task: Patch the build"):
        assert part in message["text"].split("\n"), part
    assert boxes["Own-Team/inboxes/bob.json"][0]["summary"] == "r task-1"


@pytest.mark.ledger("H082")
@pytest.mark.parametrize("creates", [True, False])
def test_an_environment_is_made_only_where_the_rule_says_so(at: Project, creates: bool) -> None:
    at.write(rule("r", {**WARM, "createDefaultEnvironmentIfMissing": creates}))
    at.launcher()
    command = [
        sys.executable,
        str(at.folder / "recorder.py"),
        "warm",
        "--create",
        "{createDefaultEnvironmentIfMissing}",
    ]
    at.settings(f"[warm]\ncommand = {json.dumps(command)}\n")
    assert at.results() == ["r/warm: executed"]
    assert at.heard()["words"] == (["warm", "--create", "true"] if creates else ["warm"])


@pytest.mark.ledger("H100", "H101", "H102")
def test_telemetry_says_what_happened_and_nothing_of_whom(at: Project) -> None:
    at.write(rule("r", SPAWN, NOTIFY, {**SPAWN, "id": "off", "enabled": False}))
    at.launcher()
    payload = {**TASK, "error": "secret word", "cwd": str(at.home)}
    at.json("--depth", "1", payload=payload)
    text = (at.state / "chains.jsonl").read_text()
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    assert [(line["event"], line.get("action_id"), line.get("reason_category")) for line in lines] == [
        ("chain_rule_matched", None, None),
        ("chain_action_executed", "spawn", None),
        ("chain_action_skipped", "notify", "context_missing"),
        ("chain_action_skipped", "off", "disabled"),
        ("hook_chains_dispatch", None, None),
    ]
    assert all(
        (line["hook_event_name"], line["outcome"], line["chain_depth"]) == ("TaskCompleted", "failed", 1)
        for line in lines
    )
    assert all(line["rule_id"] == "r" for line in lines[:-1])
    assert (lines[-1]["matched_rules"], lines[-1]["action_results"]) == (1, 3)
    for word in ("secret word", "Patch the build", str(at.home), str(at.folder), "task-1"):
        assert word not in text


# ---- payloads that nobody would write, and folders that nobody would have


@pytest.mark.parametrize(
    ("payload", "english", "chinese"),
    [
        (b"", "`stdin` is empty; a payload is a JSON object", "`stdin` 是空的；payload 应当是 JSON 对象"),
        (b" \n", "`stdin` is empty", "`stdin` 是空的"),
        (b'{\n  "a": 1,\n}', "`stdin` is not JSON: see line 3, column 1", "`stdin` 不是 JSON：请看第 3 行第 1 列"),
        (b"[]", "`stdin` is not a JSON object", "`stdin` 不是 JSON 对象"),
        (b"null", "`stdin` is not a JSON object", "`stdin` 不是 JSON 对象"),
        (b'{"a":' * 100_000, "`stdin` nests too deep to be read", "`stdin` 嵌套过深，无法读取"),
        (b'{"a":' + b"9" * 5000 + b"}", "`stdin` has a number of too many digits", "`stdin` 中有一个数字位数过多"),
        ('{"a":1}'.encode("utf-16"), "`stdin` is not UTF-8; save it as UTF-8", "`stdin` 不是 UTF-8；请另存为 UTF-8"),
        (b" " * 50_000_001, "stdin is longer than 50000000 bytes", "stdin 超过 50000000 字节"),
    ],
    ids=["empty", "blank", "comma", "list", "null", "deep", "digits", "utf-16", "large"],
)
def test_a_payload_that_cannot_be_read(at: Project, payload: bytes, english: str, chinese: str) -> None:
    for lang, text in (("en", english), ("zh-CN", chinese)):
        ran = at.call("--lang", lang, payload=payload)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"rulewright: {text}")
        assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "payload",
    [
        b"\xef\xbb\xbf{}",
        b'{"a":NaN,"b":-Infinity,"c":1e999}',
        b'{"error":"\\ud800 \\udc00","session_id":"\\udfff\\u0000","task_subject":"\xff"}',
        b'{"error":"first","error":"second"}',
        b'{"a":' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"error":{"a":1},"task_id":5,"tool_name":[]}',
    ],
    ids=["mark", "numbers", "halves", "twice", "nested", "types"],
)
def test_an_odd_payload_is_given_to_the_agent(at: Project, payload: bytes) -> None:
    at.write(rule())
    at.launcher()
    assert at.results(payload=payload) == ["r/spawn: executed"]
    assert "Payload: {" in at.heard()["words"][0]


def test_a_large_payload_takes_its_time_once(at: Project) -> None:
    """It is written as JSON once, not for each of a hundred actions."""
    at.write(*(rule(f"r{number}", {**SPAWN, "promptTemplate": "$ERROR"}) for number in range(100)))
    payload = {**TASK, **{f"key{number}": number for number in range(200_000)}}
    # No launcher: what takes time is to tell the event from others. A hundred times that would be minutes.
    ran = rulewright(
        "chains", "run", "--event", "TaskCompleted", "--outcome", "failed", "--payload", "-", "--json",
        cwd=at.folder, stdin=json.dumps(payload).encode(), **{SWITCH: "1", "RULEWRIGHT_HOME": str(at.state)},
    )  # fmt: skip
    assert len(json.loads(ran.out)["actionResults"]) == 100


@pytest.mark.ledger("H061")
@pytest.mark.parametrize(
    "template",
    [
        "first\nsecond\r\n\tthird",
        'it\'s "quoted" `$(touch pwned)` %PATH% ^& ; | > x',
        "--dangerously-skip",
        "你好 🙂 é",
        "x" * 200_000,
    ],
    ids=["lines", "quotes", "dash", "unicode", "long"],
)
def test_any_prompt_is_one_word(at: Project, template: str) -> None:
    at.write(rule("r", {**SPAWN, "promptTemplate": template, "description": "d" * 200_000}))
    at.launcher("{prompt}", "d={description}", "both={prompt}{description}")
    assert at.results() == ["r/spawn: executed"]
    prompt, description, both = at.heard()["words"]
    if len(template) > 100_000:
        assert prompt.endswith("x [cut]")
    else:
        assert prompt == (f" {template}" if template.startswith("-") else template)
    assert description.endswith("d [cut]")
    assert len(both) < 128 * 1024
    assert not (at.folder / "pwned").exists()


@pytest.mark.ledger("H060")
def test_launchers_that_cannot_start(at: Project) -> None:
    at.write(rule())
    plain, odd = at.folder / "plain.sh", at.folder / "odd.sh"
    plain.write_text("#!/bin/sh\n")
    plain.chmod(0o644)
    odd.write_text("#!/no/such/interpreter\n")
    odd.chmod(0o755)
    for words, reason in (
        (["./plain.sh"], "./plain.sh: Permission denied"),
        (["./odd.sh"], "./odd.sh: the interpreter that its first line names is not there"),
        (["./gone.sh"], "there is no program ./gone.sh"),
        (["no-such-program-at-all"], "there is no program no-such-program-at-all"),
    ):
        at.settings(f"[launch]\ncommand = {json.dumps([*words, '{prompt}'])}\n")
        assert at.results() == [f"r/spawn: failed: Fallback agent launch failed: {reason}"]


def test_a_launcher_by_a_path_of_the_project(at: Project) -> None:
    """It is found from the project's folder, wherever the event happened; what it prints or returns disturbs nothing."""
    at.write(rule())
    at.launcher()
    script = at.folder / "tools" / "agent"
    script.parent.mkdir()
    recorder = at.folder / "recorder.py"
    script.write_text(
        f"#!/bin/sh\n'{sys.executable}' '{recorder}' \"$@\"\nprintf '%100000s'\nprintf '%100000s' >&2\nexit 1\n"
    )
    script.chmod(0o755)
    at.settings('[launch]\ncommand = ["tools/agent", "{cwd}"]\n')
    below = at.folder / "below"
    below.mkdir()
    ran = at.call(payload={**TASK, "cwd": str(below)})
    assert (ran.code, ran.err, len(ran.out) < 1000) == (0, "", True)
    assert at.heard() == {"words": [str(below)], "cwd": str(below), "depth": "1"}


def test_a_state_folder_with_spaces_and_other_letters(at: Project) -> None:
    home = at.folder.parent / "my state é 状态 🙂"
    at.write(rule(cooldownMs=60_000))
    at.launcher("x")
    assert at.results(env={"RULEWRIGHT_HOME": str(home)}) == ["r/spawn: executed"]
    assert at.results(env={"RULEWRIGHT_HOME": str(home)})[0].startswith("r/spawn: skipped: rule cooldown active for ")
    assert (home / "chains.jsonl").exists()


def test_a_state_folder_that_cannot_be_written(at: Project) -> None:
    """Nothing is started whose mark could not be kept, and the user is told."""
    at.write(rule("r", SPAWN))
    at.launcher()
    (at.folder.parent / "file").write_text("")
    (at.folder.parent / "link").symlink_to(at.folder.parent / "gone" / "drive")
    for home in (at.folder.parent / "file", at.folder.parent / "file" / "below", at.folder.parent / "link" / "below"):
        ran = at.call(env={"RULEWRIGHT_HOME": str(home)})
        assert (ran.code, "Traceback" in ran.err) == (0, False), ran.err
        assert "skipped: chain state unavailable (" in ran.out
        assert ran.err.startswith("rulewright: telemetry cannot be written: ")
        assert at.json("--dry-run", env={"RULEWRIGHT_HOME": str(home)})["matchedRuleIds"] == ["r"]


@pytest.mark.parametrize("home", ["", "/proc/none", "relative"])
def test_a_home_that_is_not_there(at: Project, home: str) -> None:
    at.write(rule("r", {**NOTIFY, "teamName": "mesh"}))
    (item,) = at.results(env={"HOME": home})
    assert item == "r/notify: skipped: Team file not found for team mesh"


def test_a_mailbox_that_cannot_be_written(at: Project) -> None:
    at.write(rule("r", {**NOTIFY, "teamName": "队 A"}))
    folder = at.home / ".openclaude" / "teams" / "--a"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"members": [{"name": "ann"}]}))
    at.home.joinpath(".openclaude", "teams", "--A").mkdir(exist_ok=True)
    at.home.joinpath(".openclaude", "teams", "--A", "inboxes").write_text("in the way")
    (item,) = at.results()
    assert item.startswith("r/notify: failed: Team notification failed: the mailbox of ann: ")


# ---- what people see


@pytest.mark.ledger("H048")
def test_an_interrupted_call_is_said(at: Project) -> None:
    at.write(rule())
    payload = {**TASK, "is_interrupt": True}
    assert "nothing runs: the user interrupted the call himself (`is_interrupt`)" in at.call(payload=payload).out
    found = at.json(payload=payload)
    assert (found["matchedRuleIds"], found["actionResults"], found["reason"]) == (["r"], [], "aborted")


@pytest.mark.ledger("H048")
def test_a_dry_run_of_an_interrupted_call_says_the_same(at: Project) -> None:
    """It is asked before the guards, so what they have to say is no reason."""
    at.write(rule(cooldownMs=60000), rule("deep", maxDepth=0))
    at.json()
    payload = {**TASK, "is_interrupt": True}
    found = at.json("--dry-run", payload=payload)
    assert (found["matchedRuleIds"], found["reason"]) == (["r", "deep"], "aborted")
    assert [told["guard"] for told in found["rules"]] == ["aborted", "aborted"]
    assert {action["reason"] for told in found["rules"] for action in told["actions"]} == {"aborted"}
    assert "nothing runs: the user interrupted the call himself" in at.call("--dry-run", payload=payload).out
    assert "这次调用是用户自己中断的" in at.call("--dry-run", "--lang", "zh-CN", payload=payload).out


def test_what_a_file_says_does_not_steer_the_terminal(at: Project) -> None:
    at.write(rule("a\x1b[2J\nb\u202e", {**NOTIFY, "id": "\x07", "teamName": "t\rx"}))
    for words in ((), ("--dry-run",)):
        out = at.call(*words).out
        assert "a<U+001B>[2J<U+000A>b<U+202E>" in out
        assert not set("\x1b\x07\r\u202e") & set(out)
    assert at.json()["matchedRuleIds"] == ["a\x1b[2J\nb\u202e"]


def test_why_a_file_is_off_in_both_languages(at: Project) -> None:
    at.chains.parent.mkdir()
    at.chains.write_text('{\n  "maxChainDepth": 11\n}')
    path = ".openclaude/hook-chains.json"
    ran = at.call()
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert ran.err.startswith(f"rulewright: `{path}` cannot be used: line 2: `maxChainDepth` ")
    chinese = at.call("--lang", "zh-CN").err
    assert chinese.startswith(f"rulewright: `{path}` 无法使用：第 2 行：`maxChainDepth` ")
    assert "whole number" not in chinese
    assert at.call("--lang", "zh-CN", env={PATH: "gone.json"}).err.startswith("rulewright: `gone.json` 无法使用：")
