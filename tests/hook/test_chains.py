"""Hook chains: matching, guards in their order, and the texts that actions get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.hook import actions, chain_text, chains
from rulewright.hook.chains import matches
from rulewright.hook.telemetry import category
from support.chains import FAILURE, Bench, compiled, failure, from_json, rule, said

NOTIFY = {"type": "notify_team", "id": "a"}
SPAWN = {"type": "spawn_fallback_agent", "id": "s"}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def succeeding(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let every action succeed without doing anything; return the ids in the order in which they ran."""
    ran: list[str] = []

    def run(action: Any, rule_id: str, event: Any, runtime: Any) -> tuple[str, str, str]:
        ran.append(f"{rule_id}/{action.get('id')}")
        return "executed", "", ""

    monkeypatch.setattr(actions, "run", run)
    return ran


# ---- matching


def meets(condition: dict[str, Any], **payload: Any) -> bool:
    return matches(rule(condition=condition), {**failure(), "payload": payload})


@pytest.mark.ledger("H030")
@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"tool_name": "Bash"}, True),
        ({"toolName": "Bash"}, True),
        ({"tool_name": "", "toolName": "Bash"}, True),
        ({"tool_name": 1, "toolName": "Bash"}, True),
        ({"tool_name": "Read", "toolName": "Bash"}, False),
        ({"tool_name": "bash"}, False),
        ({}, False),
    ],
)
def test_tool_names(payload: dict[str, Any], expected: bool) -> None:
    assert meets({"toolNames": ["Edit", "Bash"]}, **payload) is expected


@pytest.mark.ledger("H031")
@pytest.mark.parametrize("name", ["task_status", "taskStatus", "status"])
def test_task_statuses(name: str) -> None:
    assert meets({"taskStatuses": ["failed"]}, **{name: "failed"})
    assert not meets({"taskStatuses": ["failed"]}, **{name: "done"})
    assert not meets({"taskStatuses": ["failed"]})


@pytest.mark.ledger("H032")
@pytest.mark.parametrize("name", ["error", "reason", "message"])
def test_error_includes(name: str) -> None:
    condition = {"errorIncludes": ["TIMEOUT", "Permission denied"]}
    assert meets(condition, **{name: "a Timeout occurred"})
    assert meets(condition, **{name: "permission DENIED"})
    assert not meets(condition, **{name: "permission was denied"})
    assert not meets(condition)


def test_the_first_error_text_counts() -> None:
    assert not meets({"errorIncludes": ["timeout"]}, error="other", reason="timeout")
    assert meets({"errorIncludes": ["timeout"]}, error="", reason="timeout")


@pytest.mark.ledger("H033")
@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("meta.source", "scheduler", True),
        (".meta..source.", "scheduler", True),
        ("meta.source", "Scheduler", False),
        ("meta.deep.n", 1, True),
        ("meta.deep.n", 1.0, True),
        ("meta.deep.n", "1", False),
        ("meta.deep.n", True, False),
        ("meta.yes", True, True),
        ("meta.yes", 1, False),
        ("meta.yes", "true", False),
        ("meta.none", "null", False),
        ("meta.deep", "x", False),
        ("meta.source.x", "scheduler", False),
        ("list.1", "b", True),
        ("list.01", "b", False),
        ("list.length", 2, True),
        ("list.9", "b", False),
        ("", "x", False),
        ("gone", "x", False),
    ],
)
def test_event_field_equals(path: str, value: Any, expected: bool) -> None:
    payload = {"meta": {"source": "scheduler", "deep": {"n": 1}, "yes": True, "none": None}, "list": ["a", "b"]}
    assert meets({"eventFieldEquals": {path: value}}, **payload) is expected


@pytest.mark.ledger("H034")
def test_all_parts_of_a_condition_must_hold() -> None:
    condition = {
        "toolNames": ["Bash"],
        "taskStatuses": ["failed"],
        "errorIncludes": ["x"],
        "eventFieldEquals": {"a.b": 1, "c": "d"},
    }
    payload: dict[str, Any] = {"tool_name": "Bash", "status": "failed", "error": "x", "a": {"b": 1}, "c": "d"}
    assert meets(condition, **payload)
    for name in payload:
        assert not meets(condition, **{key: value for key, value in payload.items() if key != name}), name


def test_empty_parts_ask_for_nothing() -> None:
    assert meets({"toolNames": [], "taskStatuses": [], "errorIncludes": [], "eventFieldEquals": {}})
    assert matches(rule(condition={}), failure())


def test_trigger() -> None:
    assert matches(rule(outcomes=None), failure())
    assert matches(rule(outcomes=["timeout", "failed"]), failure())
    assert not matches(rule(outcomes=["timeout"]), failure())
    assert not matches(rule(event="TaskCompleted"), failure())


@pytest.mark.ledger("H026")
def test_outcomes_of_events() -> None:
    assert chains.outcome_of("PostToolUseFailure") == "failed"
    assert chains.outcome_of("PostToolUseFailure", blocked=True) == "failed"
    assert chains.outcome_of("TaskCompleted") == "success"
    assert chains.outcome_of("TaskCompleted", blocked=True) == "failed"
    assert chains.outcome_of("PreToolUse") == ""


# ---- the switches


@pytest.mark.ledger("H003")
@pytest.mark.parametrize(
    ("value", "on"),
    [
        (None, False),
        ("", False),
        ("0", False),
        ("false", False),
        ("2", False),
        ("1", True),
        ("TRUE", True),
        ("Yes", True),
        ("oN", True),
    ],
)
def test_the_switch(value: str | None, on: bool) -> None:
    assert chains.switched_on({} if value is None else {"CLAUDE_CODE_ENABLE_HOOK_CHAINS": value}) is on


@pytest.mark.ledger("H001", "H002")
def test_the_path(tmp_path: Path) -> None:
    cwd = str(tmp_path)
    assert chains.config_path({}, cwd) == str(tmp_path / ".openclaude" / "hook-chains.json")
    named = {"CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH": "conf/my.json"}
    assert chains.config_path(named, cwd) == str(tmp_path / "conf" / "my.json")
    named = {"CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH": str(tmp_path / "else.json")}
    assert chains.config_path(named, cwd) == str(tmp_path / "else.json")


@pytest.mark.parametrize(
    ("word", "depth"), [("", 0), ("0", 0), ("2", 2), (" 3 ", 3), ("x", 10), ("-1", 10), ("9999", 10)]
)
def test_the_depth_of_a_process(word: str, depth: int) -> None:
    assert chains.depth_of({"RULEWRIGHT_CHAIN_DEPTH": word}) == depth


# ---- guards


@pytest.mark.ledger("H004")
@pytest.mark.parametrize(
    "config", [compiled(), compiled(rule(), enabled=False), compiled(enabled=False, error="no JSON")]
)
def test_nothing_to_do_is_said_as_disabled(bench: Bench, config: dict[str, Any]) -> None:
    found = bench.dispatch(config, failure())
    expected: dict[str, Any] = {
        "enabled": False,
        "configPath": str(bench.folder / "hook-chains.json"),
        "fromCache": False,
        "evaluatedRuleCount": 0,
        "matchedRuleIds": [],
        "actionResults": [],
    }
    assert found == ({**expected, "error": "no JSON"} if config["error"] else expected)
    assert not bench.state.exists()


@pytest.mark.ledger("H040")
def test_the_depth_of_the_chain_blocks_before_any_rule(bench: Bench, succeeding: list[str]) -> None:
    for depth in (2, 3):
        bench.depth = depth
        found = bench.dispatch(compiled(rule()), failure())
        assert (found["enabled"], found["evaluatedRuleCount"], found["matchedRuleIds"]) == (True, 0, [])
        assert found["reason"] == f"max chain depth reached ({depth}/2)"
    assert not (bench.state / "chains").exists()
    bench.depth = 1
    assert bench.dispatch(compiled(rule()), failure())["matchedRuleIds"] == ["r"]
    assert succeeding == ["r/a"]


@pytest.mark.ledger("H041")
@pytest.mark.parametrize(("limit", "skipped"), [(0, True), (1, True), (2, False)])
def test_the_depth_of_a_rule(bench: Bench, succeeding: list[str], limit: int, skipped: bool) -> None:
    bench.depth = 1
    found = bench.results(compiled(rule(maxDepth=limit, actions=[NOTIFY, SPAWN])), failure())
    reason = f"skipped: rule maxDepth reached (1/{limit})" if skipped else "executed"
    assert found == [("r", "a", reason), ("r", "s", reason)]
    # Such a pass starts no cooldown.
    bench.depth = 0
    expected = "executed" if limit == 1 else "skipped: rule maxDepth reached (0/0)" if not limit else None
    if expected:
        assert bench.results(compiled(rule(maxDepth=limit)), failure(error="new")) == [("r", "a", expected)]


@pytest.mark.ledger("H042")
def test_cooldown(bench: Bench, succeeding: list[str]) -> None:
    config = compiled(rule(cooldownMs=1000, dedupWindowMs=0, actions=[NOTIFY, SPAWN]))
    assert [text for _, _, text in bench.results(config, failure())] == ["executed"] * 2
    bench.now += 400
    assert [text for _, _, text in bench.results(config, failure())] == ["skipped: rule cooldown active for 600ms"] * 2
    bench.now += 599
    assert [text for _, _, text in bench.results(config, failure())] == ["skipped: rule cooldown active for 1ms"] * 2
    bench.now += 1
    assert [text for _, _, text in bench.results(config, failure())] == ["executed"] * 2


@pytest.mark.ledger("H043")
def test_dedup(bench: Bench, succeeding: list[str]) -> None:
    config = compiled(rule(cooldownMs=0, dedupWindowMs=1000))
    assert bench.results(config, failure()) == [("r", "a", "executed")]
    bench.now += 999
    assert bench.results(config, failure()) == [("r", "a", "skipped: dedup window active for 1ms")]
    assert bench.results(config, failure(tool_use_id="u2")) == [("r", "a", "executed")]
    bench.now += 1
    assert bench.results(config, failure()) == [("r", "a", "executed")]


@pytest.mark.ledger("H044")
def test_the_mark_is_set_before_the_action_begins(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    config = compiled(rule(cooldownMs=0))
    again: list[Any] = []

    def run(*_: Any) -> tuple[str, str, str]:
        again.extend(bench.results(config, failure()))
        return "failed", "no", ""

    monkeypatch.setattr(actions, "run", run)
    assert bench.results(config, failure()) == [("r", "a", "failed: no")]
    assert again == [("r", "a", "skipped: dedup window active for 30000ms")]


@pytest.mark.ledger("H045")
def test_the_dedup_key() -> None:
    made = rule()

    def key(
        event: dict[str, Any], rule_: dict[str, Any] = made, number: int = 0, scope: str = "s", **action: Any
    ) -> str:
        return chains.dedup_key(rule_, {**NOTIFY, **action}, number, chains.event_identity(event), scope)

    base = key(failure())
    assert len(base) == 40
    assert int(base, 16)
    assert (
        key({"payload": dict(reversed(FAILURE.items())), "outcome": "failed", "eventName": "PostToolUseFailure"})
        == base
    )
    assert key(failure(), number=3) == base
    others = [
        key(failure(error="y")),
        key(failure(more=1)),
        key(failure(), rule("r2")),
        key(failure(), id="b"),
        key(failure(), scope="s2"),
        key({**failure(), "outcome": "timeout"}),
        key(failure(), id=None),
        key(failure(), id=None, number=1),
    ]
    assert len({base, *others}) == 9


@pytest.mark.ledger("H046")
@pytest.mark.parametrize(
    ("action", "of_rule", "window"),
    [
        ({"dedupWindowMs": 5}, {"dedupWindowMs": 7}, 5),
        ({}, {"dedupWindowMs": 7}, 7),
        ({}, {}, 11),
        ({"dedupWindowMs": 0}, {"dedupWindowMs": 7}, 0),
    ],
)
def test_windows(action: dict[str, Any], of_rule: dict[str, Any], window: int) -> None:
    config = compiled(defaultDedupWindowMs=11, defaultCooldownMs=13)["config"]
    assert chains.dedup_window_of({**NOTIFY, **action}, rule(**of_rule), config) == window
    assert chains.cooldown_of(rule(), config) == 13
    assert chains.cooldown_of(rule(cooldownMs=0), config) == 0


@pytest.mark.ledger("H048")
def test_aborted(bench: Bench, succeeding: list[str]) -> None:
    """The first look is before the rule, each further one before an action."""
    answers = iter([False, False, True, True, True])
    bench.aborted = lambda: next(answers)
    config = compiled(rule(actions=[NOTIFY, SPAWN, {**NOTIFY, "id": "b"}]), rule("r2"))
    assert bench.results(config, failure()) == [
        ("r", "a", "executed"),
        ("r", "s", "skipped: aborted"),
        ("r", "b", "skipped: aborted"),
    ]
    bench.aborted = lambda: True
    found = bench.dispatch(compiled(rule("r3")), failure())
    assert (found["matchedRuleIds"], found["actionResults"]) == (["r3"], [])
    bench.aborted = lambda: False
    assert bench.results(compiled(rule("r3")), failure()) == [("r3", "a", "executed")]


@pytest.mark.ledger("H048")
@pytest.mark.parametrize("kind", ["spawn_fallback_agent", "notify_team", "warm_remote_capacity"])
def test_an_action_looks_once_more(bench: Bench, kind: str) -> None:
    bench.aborted = lambda: True
    assert actions.run({"type": kind}, "r", failure(), bench.runtime()) == ("skipped", "aborted", "")


@pytest.mark.ledger("H049")
def test_switched_off(bench: Bench, succeeding: list[str]) -> None:
    config = compiled({**rule("off"), "enabled": False}, rule(actions=[{**NOTIFY, "enabled": False}, SPAWN]))
    found = bench.dispatch(config, failure())
    assert found["matchedRuleIds"] == ["r"]
    assert [said(item) for item in found["actionResults"]] == ["skipped: action disabled", "executed"]
    assert succeeding == ["r/s"]


@pytest.mark.ledger("H050")
def test_actions_run_in_their_order(bench: Bench, succeeding: list[str]) -> None:
    ids = ["c", "a", "b"]
    bench.dispatch(compiled(rule(actions=[{**NOTIFY, "id": name} for name in ids]), rule("r2")), failure())
    assert succeeding == ["r/c", "r/a", "r/b", "r2/a"]


def test_an_action_without_id_is_told_apart_by_its_place(bench: Bench, succeeding: list[str]) -> None:
    config = compiled(rule(actions=[{"type": "notify_team"}, {"type": "notify_team"}]))
    assert bench.results(config, failure()) == [("r", None, "executed")] * 2


def test_scopes(bench: Bench, succeeding: list[str]) -> None:
    assert chains.scope_of({"session_id": "x"}, "p") == chains.scope_of({"sessionId": "x"}, "q") == "x"
    assert chains.scope_of({}, "p") != chains.scope_of({}, "q")
    assert bench.results(compiled(rule()), failure()) == [("r", "a", "executed")]
    bench.scope = "other"
    assert bench.results(compiled(rule()), failure()) == [("r", "a", "executed")]


def test_an_interrupted_call_is_nothing_to_recover_from() -> None:
    assert chains.interrupted({"is_interrupt": True})
    assert not chains.interrupted({"is_interrupt": False})
    assert not chains.interrupted({})


# ---- what the reference does over time

CORPUS = Path(__file__).parents[1] / "corpus"


def told(result: dict[str, Any]) -> str:
    """Return what became of an action in the corpus's words: `executed`, or `skipped: cooldown`."""
    if result["status"] == "executed":
        return "executed"
    return f"{result['status']}: {category(result['reason'])}"


@pytest.mark.ledger("H040", "H042", "H043", "H044", "H046", "H049")
def test_a_minute_and_a_half(bench: Bench, succeeding: list[str]) -> None:
    folder = CORPUS / "engine" / "05-hook-chain-timeline"
    config = from_json((folder / "input.json").read_text())
    for event in json.loads((folder / "timeline.json").read_text()):
        bench.now, bench.depth = event["at_ms"], event["chainDepth"]
        found = bench.dispatch(config, event)["actionResults"]
        assert [[item["ruleId"], item["actionId"], told(item)] for item in found] == event["results"], event["at_ms"]


@pytest.mark.ledger("H042", "H043")
def test_double_ids(bench: Bench, succeeding: list[str]) -> None:
    folder = CORPUS / "hookchains" / "02-duplicate-rule-and-action-ids"
    config = from_json((folder / "input.json").read_text())
    for row in json.loads((folder / "table.json").read_text()):
        bench.now = row["at_ms"]
        found = bench.results(config, row["event"])
        assert [[rule_id, action_id, text.partition(" for ")[0]] for rule_id, action_id, text in found] == row[
            "results"
        ]


def test_a_window_of_zero_lets_equal_ids_run_both(bench: Bench, succeeding: list[str]) -> None:
    folder = CORPUS / "hookchains" / "02-duplicate-rule-and-action-ids"
    config = from_json((folder / "input.json").read_text())
    found = bench.results(config, failure(tool_name="Read"))
    assert found[1:] == [("zero-window", "mail", "executed")] * 2


# ---- telemetry


@pytest.mark.ledger("H100", "H101", "H102")
def test_telemetry(bench: Bench) -> None:
    secret = "do not show"
    bench.depth = 1
    config = compiled(
        rule(actions=[{**NOTIFY, "enabled": False}, {**SPAWN, "promptTemplate": secret}, NOTIFY | {"id": None}]),
        rule("deep", maxDepth=1),
    )
    bench.dispatch(config, failure(error=secret, cwd=f"/{secret}"))
    about = {"time": bench.now, "hook_event_name": "PostToolUseFailure", "outcome": "failed", "chain_depth": 1}
    one = {"rule_id": "r", **about}
    assert bench.lines() == [
        {"event": "chain_rule_matched", **one},
        {
            "event": "chain_action_skipped",
            "action_type": "notify_team",
            "action_id": "a",
            "reason_category": "disabled",
            **one,
        },
        {
            "event": "chain_action_failed",
            "action_type": "spawn_fallback_agent",
            "action_id": "s",
            "reason_category": "context_missing",
            **one,
        },
        {
            "event": "chain_action_skipped",
            "action_type": "notify_team",
            "action_id": None,
            "reason_category": "context_missing",
            **one,
        },
        {
            "event": "chain_action_skipped",
            "action_type": "notify_team",
            "action_id": "a",
            "reason_category": "other",
            **one,
            "rule_id": "deep",
        },
        {"event": "hook_chains_dispatch", "evaluated_rules": 2, "matched_rules": 2, "action_results": 4, **about},
    ]
    text = (bench.state / "chains.jsonl").read_text()
    assert secret not in text
    assert str(bench.folder) not in text
    assert (bench.state / "chains.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.ledger("H100")
def test_an_action_that_was_executed_is_told(bench: Bench, succeeding: list[str]) -> None:
    bench.dispatch(compiled(rule()), failure())
    assert [line["event"] for line in bench.lines()] == [
        "chain_rule_matched",
        "chain_action_executed",
        "hook_chains_dispatch",
    ]
    assert "reason_category" not in bench.lines()[1]


@pytest.mark.ledger("H101")
@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("aborted", "aborted"),
        ("rule cooldown active for 3ms", "cooldown"),
        ("dedup window active for 3ms", "dedup"),
        (actions.BLOCKED, "policy"),
        (actions.NO_TEAM, "context_missing"),
        (actions.NO_LAUNCHER, "context_missing"),
        ("Remote warm-up preconditions failed: x", "precondition"),
        ("action disabled", "disabled"),
        (actions.NO_BRIDGE, "other"),
        ("rule maxDepth reached (1/1)", "other"),
    ],
)
def test_categories(reason: str, expected: str) -> None:
    assert category(reason) == expected


def test_full_telemetry_is_put_aside(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from rulewright.hook import telemetry

    monkeypatch.setattr(telemetry, "LARGEST", 400)
    for number in range(20):
        telemetry.Telemetry(str(bench.state)).emit("e", {"number": number, "fill": "x" * 50}, number)
    old = (bench.state / "chains.jsonl.1").read_text().split("\n")[:-1]
    found = [json.loads(line)["number"] for line in old] + [line["number"] for line in bench.lines()]
    assert found == list(range(found[0], 20))
    assert len(found) > 3
    assert all((bench.state / name).stat().st_size <= 400 for name in ("chains.jsonl", "chains.jsonl.1"))


def test_telemetry_that_cannot_be_written_stops_nothing(bench: Bench, succeeding: list[str]) -> None:
    (bench.state / "chains.jsonl").mkdir(parents=True)
    runtime = bench.runtime()
    found = chains.dispatch(compiled(rule()), failure(), runtime)
    assert found["actionResults"][0]["status"] == "executed"
    assert runtime.telemetry is not None
    assert runtime.telemetry.failure == "Is a directory"


# ---- texts

PAYLOAD = {
    "task_subject": "Ship it",
    "task_description": "To all",
    "task_id": "7",
    "error": "boom",
    "message": "not an error here",
    "z": 1,
    "a": [True, None, "é"],
}
CANONICAL = (
    '{"a":[true,null,"é"],"error":"boom","message":"not an error here","task_description":"To all","task_id":"7",'
    '"task_subject":"Ship it","z":1}'
)


@pytest.mark.ledger("H090")
@pytest.mark.parametrize(
    ("name", "in_prompt", "in_message"),
    [
        ("EVENT_NAME", "TaskCompleted", "TaskCompleted"),
        ("OUTCOME", "failed", "failed"),
        ("RULE_ID", "r", "r"),
        ("TASK_SUBJECT", "Ship it", "Ship it"),
        ("TASK_DESCRIPTION", "To all", ""),
        ("TASK_ID", "", "7"),
        ("ERROR", "boom", "boom"),
        ("PAYLOAD_JSON", CANONICAL, CANONICAL),
    ],
)
def test_variables(name: str, in_prompt: str, in_message: str) -> None:
    """`TASK_ID` is empty in a prompt, `TASK_DESCRIPTION` in a message [O]."""
    event = {"eventName": "TaskCompleted", "outcome": "failed", "payload": PAYLOAD}
    for place in (f"${{{name}}}", f"${name}"):
        template = f"<{place}>"
        assert chain_text.prompt({"promptTemplate": template}, "r", event) == f"<{in_prompt}>"
        assert chain_text.message({"messageTemplate": template}, "r", event) == f"<{in_message}>"
        assert chain_text.summary({"summary": template}, "r", event) == f"<{in_message}>"


@pytest.mark.ledger("H090")
@pytest.mark.parametrize(
    ("payload", "variable", "value"),
    [
        ({"taskSubject": "S"}, "TASK_SUBJECT", "S"),
        ({"task_subject": "", "taskSubject": "S"}, "TASK_SUBJECT", "S"),
        ({"taskId": "9"}, "TASK_ID", "9"),
        ({"reason": "why"}, "ERROR", "why"),
        ({"message": "why"}, "ERROR", ""),
        ({"error": {"a": 1}, "reason": "why"}, "ERROR", "why"),
    ],
)
def test_fields_behind_variables(payload: dict[str, Any], variable: str, value: str) -> None:
    event = {"eventName": "TaskCompleted", "outcome": "failed", "payload": payload}
    assert chain_text.message({"messageTemplate": f"[${variable}]"}, "r", event) == f"[{value}]"


def test_description_of_a_task_has_two_names() -> None:
    event = {"eventName": "TaskCompleted", "outcome": "failed", "payload": {"taskDescription": "D"}}
    assert chain_text.prompt({"promptTemplate": "$TASK_DESCRIPTION"}, "r", event) == "D"


@pytest.mark.ledger("H091")
@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a ${TYPO} b $TYPO_2 c", "a  b  c"),
        ("$A_AND_MORE", ""),
        ("${a} $lower $ $$ ${} ${A-B}", "${a} $lower $ $$ ${} ${A-B}"),
        ("cost $5", "cost "),
        ("$A$B${A}", "1${A}1"),
    ],
)
def test_places(template: str, expected: str) -> None:
    assert chain_text.fill(template, {"A": "1", "B": "${A}"}) == expected


@given(value=st.text(), other=st.text())
def test_values_are_put_in_once(value: str, other: str) -> None:
    assert chain_text.fill("${A}|$B", {"A": value, "B": other}) == f"{value}|{other}"


@pytest.mark.ledger("H062")
def test_the_built_in_prompt() -> None:
    event = {"eventName": "TaskCompleted", "outcome": "failed", "payload": PAYLOAD}
    text = chain_text.prompt({}, "my-rule", event)
    for part in ("TaskCompleted", "failed", "my-rule", "Ship it", "To all", "boom", "minimal, safe", CANONICAL):
        assert part in text
    bare = chain_text.prompt({}, "my-rule", {**event, "payload": {}})
    assert "Task" not in bare.replace("TaskCompleted", "")
    assert "Failure details" not in bare


def test_what_looks_like_a_place_in_an_id_or_an_error_stays() -> None:
    event = {
        "eventName": "TaskCompleted",
        "outcome": "failed",
        "payload": {"error": "${PAYLOAD_JSON}", "task_id": "$ERROR"},
    }
    assert "Failure details: ${PAYLOAD_JSON}" in chain_text.prompt({}, "$ERROR", event)
    assert "Rule ID: $ERROR" in chain_text.prompt({}, "$ERROR", event)
    assert "Error: ${PAYLOAD_JSON}\nTask: $ERROR" in chain_text.message({}, "r", event)


@pytest.mark.ledger("H063")
def test_the_default_description() -> None:
    assert chain_text.description({}, failure()) == "Fallback recovery: PostToolUseFailure (failed)"
    assert chain_text.description({"description": "Mine $ERROR"}, failure()) == "Mine $ERROR"


@pytest.mark.ledger("H074")
def test_the_default_summary_and_message() -> None:
    event = {"eventName": "TaskCompleted", "outcome": "failed", "payload": PAYLOAD}
    assert chain_text.summary({}, "r", event) == "Hook chain r triggered (TaskCompleted/failed)"
    assert chain_text.message({}, "r", event).split("\n")[1:] == [
        "Rule: r",
        "Event: TaskCompleted",
        "Outcome: failed",
        "Error: boom",
        "Task: Ship it",
        f"Payload: {CANONICAL}",
    ]
    assert chain_text.message({}, "r", {**event, "payload": {}}).split("\n")[4:6] == ["Error: n/a", "Task: n/a"]


@pytest.mark.ledger("H092")
def test_stable_json() -> None:
    assert chain_text.stable_json(PAYLOAD) == chain_text.stable_json(dict(reversed(PAYLOAD.items()))) == CANONICAL
    inner: dict[str, Any] = {"n": 1}
    looped: dict[str, Any] = {"b": inner, "a": inner}
    inner["up"] = looped
    listed: list[Any] = [1]
    listed.append(listed)
    assert chain_text.stable_json(looped) == '{"a":{"n":1,"up":"[Circular]"},"b":{"n":1,"up":"[Circular]"}}'
    assert chain_text.stable_json(listed) == '[1,"[Circular]"]'
    assert chain_text.stable_json([float("nan"), float("inf"), b"x"]) == "[null,null,\"b'x'\"]"
    deep: Any = 0
    for _ in range(50_000):
        deep = [deep]
    assert len(chain_text.stable_json(deep)) == 100_001


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(value=VALUES)
def test_stable_json_is_json(value: Any) -> None:
    assert json.loads(chain_text.stable_json(value)) == value


@given(template=st.text() | st.text("${}ABCERO_"), payload=st.dictionaries(st.text(), VALUES))
def test_any_text_becomes_a_prompt(template: str, payload: dict[str, Any]) -> None:
    event = {"eventName": "TaskCompleted", "outcome": "failed", "payload": payload}
    for text in (chain_text.prompt({"promptTemplate": template}, "r", event), chain_text.message({}, "r", event)):
        assert len(text.encode("utf-8", "surrogatepass")) <= chain_text.LARGEST


def test_a_large_payload_is_cut_not_the_words_after_it() -> None:
    event = failure(output="é" * 100_000)
    text = chain_text.prompt({"promptTemplate": "Before $PAYLOAD_JSON after"}, "r", event)
    assert text.startswith("Before {")
    assert text.endswith("é [cut] after")
    assert chain_text.LARGEST - 8 <= len(text.encode()) <= chain_text.LARGEST
    text = chain_text.prompt({"promptTemplate": "$ERROR"}, "r", failure(error="x" * 200_000))
    assert text.endswith("x [cut]")
    assert len(text) == chain_text.LARGEST
