"""Whatever the text: it is read without an exception, and taken or refused as OpenClaude's own schema does."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rulewright.analysis import analyze
from rulewright.checking import Finding
from rulewright.formats.hook_chains import vocabulary
from rulewright.formats.hook_chains.config import compiled
from rulewright.settings import Settings
from rulewright.text.edits import apply_edits
from support.engine import read

PATH = ".openclaude/hook-chains.json"
WINDOWS = st.sampled_from([0, 1, 30000, 86400000, 86400001, -1, 1.5, 3e4, "60", None, True])
TEXTS = st.sampled_from(["a", "Bash", "", "😀", 5, None])
LISTS = st.lists(TEXTS, max_size=2) | TEXTS
FLAGS = st.sampled_from([True, False, "true", 0, None])
EVENTS = st.sampled_from([*vocabulary.EVENTS, "taskCompleted", "", 1])
OUTCOMES = st.sampled_from([*vocabulary.OUTCOMES, "Failed", None])
SCALARS: st.SearchStrategy[object] = st.sampled_from(["x", 1, 1.5, True, None, [], {}])


def some(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Mappings that mostly have what is required, and a few of the rest."""
    return st.fixed_dictionaries(required, optional=optional)


ACTIONS = some(
    {"type": st.sampled_from([*vocabulary.ACTION_TYPES] * 3 + ["notifyTeam", None])},
    {"id": TEXTS, "enabled": FLAGS, "dedupWindowMs": WINDOWS, "description": TEXTS, "recipients": LISTS, "summary": TEXTS,
     "createDefaultEnvironmentIfMissing": FLAGS, "prompt": TEXTS},
)  # fmt: skip
TRIGGERS = some({"event": EVENTS}, {"outcome": OUTCOMES, "outcomes": st.lists(OUTCOMES, max_size=2)})
CONDITIONS = some(
    {},
    {"toolNames": LISTS, "toolName": LISTS, "errorIncludes": LISTS, "eventFieldEquals": st.dictionaries(st.text(max_size=3), SCALARS, max_size=2)},
)  # fmt: skip
RULES = some(
    {"id": TEXTS, "trigger": TRIGGERS, "actions": st.lists(ACTIONS, max_size=2)},
    {"enabled": FLAGS, "condition": CONDITIONS, "cooldownMs": WINDOWS, "dedupWindowMs": WINDOWS, "maxDepth": WINDOWS, "note": TEXTS},
)  # fmt: skip
CONFIGS = some(
    {},
    {"version": st.sampled_from([1, 1.0, 2, "1", True]), "enabled": FLAGS, "maxChainDepth": WINDOWS, "defaultCooldownMs": WINDOWS,
     "rules": st.lists(RULES, max_size=2) | SCALARS},
)  # fmt: skip
FILES = CONFIGS | st.builds(lambda config: {"hookChains": config}, CONFIGS) | SCALARS


# ------------------------------------------------------------------ OpenClaude's schema, written down a second time


def accepts(data: object) -> bool:
    """Tell whether OpenClaude's schema takes a value. Source: `HookChainsConfigFileSchema` in its src/utils/hookChains.ts [O]."""
    if not isinstance(data, dict):
        return False
    config = data.get("hookChains", data)
    return (
        isinstance(config, dict)
        and (not isinstance(config.get("version", 1), bool) and config.get("version", 1) == 1)
        and isinstance(config.get("enabled", True), bool)
        and whole(config.get("maxChainDepth", 2), 1, 10)
        and whole(config.get("defaultCooldownMs", 0), 0, 86400000)
        and whole(config.get("defaultDedupWindowMs", 0), 0, 86400000)
        and isinstance(config.get("rules", []), list)
        and all(map(rule_ok, config.get("rules", [])))
    )


def whole(value: object, least: int, most: int) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return number and value == int(value) and least <= value <= most  # type: ignore[call-overload, operator]


def text_ok(value: object) -> bool:
    return isinstance(value, str) and value != ""


def texts_ok(value: object) -> bool:
    return isinstance(value, list) and all(map(text_ok, value))


def rule_ok(rule: object) -> bool:
    return (
        isinstance(rule, dict)
        and text_ok(rule.get("id"))
        and isinstance(rule.get("enabled", True), bool)
        and trigger_ok(rule.get("trigger"))
        and condition_ok(rule.get("condition", {}))
        and whole(rule.get("cooldownMs", 0), 0, 86400000)
        and whole(rule.get("dedupWindowMs", 0), 0, 86400000)
        and whole(rule.get("maxDepth", 0), 0, 10)
        and isinstance(rule.get("actions"), list)
        and rule["actions"] != []
        and all(map(action_ok, rule["actions"]))
    )


def trigger_ok(trigger: object) -> bool:
    if not isinstance(trigger, dict) or not isinstance(trigger.get("event"), str):
        return False
    outcomes = trigger.get("outcomes", ["failed"])
    return (
        trigger["event"] in vocabulary.EVENTS
        and trigger.get("outcome", "failed") in vocabulary.OUTCOMES
        and isinstance(outcomes, list)
        and outcomes != []
        and all(outcome in vocabulary.OUTCOMES for outcome in outcomes)
        and not ("outcome" in trigger and "outcomes" in trigger)
    )


def condition_ok(condition: object) -> bool:
    if not isinstance(condition, dict):
        return False
    pairs = condition.get("eventFieldEquals", {})
    return (
        all(texts_ok(condition.get(name, [])) for name in ("toolNames", "taskStatuses", "errorIncludes"))
        and isinstance(pairs, dict)
        and all(isinstance(value, str | int | float) for value in pairs.values())
    )


def action_ok(action: object) -> bool:
    if not isinstance(action, dict) or action.get("type") not in vocabulary.ACTION_TYPES:
        return False
    texts = {
        "spawn_fallback_agent": ("description", "promptTemplate", "agentType", "model"),
        "notify_team": ("teamName", "summary", "messageTemplate"),
    }.get(action["type"], ())
    return (
        text_ok(action.get("id", "x"))
        and isinstance(action.get("enabled", True), bool)
        and whole(action.get("dedupWindowMs", 0), 0, 86400000)
        and all(text_ok(action.get(name, "x")) for name in texts)
        and (action["type"] != "notify_team" or texts_ok(action.get("recipients", [])))
        and (
            action["type"] != "warm_remote_capacity"
            or isinstance(action.get("createDefaultEnvironmentIfMissing", True), bool)
        )
    )


# ------------------------------------------------------------------ what holds of any text


def holds(text: str) -> None:
    """Check everything that is true of any text."""
    document = read(PATH, text)
    findings = analyze(document, Settings()).findings
    for finding in findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        safe = [fix for fix in finding.fixes if fix.safe]
        for fix in safe:
            after = analyze(read(PATH, apply_edits(text, fix.edits)), Settings()).findings
            assert count(after, finding) < count(findings, finding), (finding, text)
    result = compiled(document)
    grave = [p for p in document.problems if p.code in GRAVE and not p.minor]
    assert (result["error"] is None) == (not grave)
    assert (document.chains.refusal is None) == (not grave)
    json.dumps(result)
    if result["error"] is not None:
        assert result["config"]["enabled"] is False
        assert result["config"]["rules"] == []


GRAVE = ("json-syntax", "json-too-deep", "invalid-schema", "chain-outcome-conflict")


def count(findings: tuple[Finding, ...], wanted: Finding) -> int:
    return sum(finding.code == wanted.code and finding.message == wanted.message for finding in findings)


@given(FILES)
def test_it_is_taken_as_openclaude_takes_it(data: object) -> None:
    text = json.dumps(data)
    holds(text)
    assert (compiled(read(PATH, text))["error"] is None) == accepts(data)


@given(FILES)
def test_what_is_taken_is_what_was_written(data: object) -> None:
    result = compiled(read(PATH, json.dumps(data)))
    if result["error"] is None:
        # Compiled once more, nothing changes: all defaults are in it, and nothing unknown.
        again = {**result["config"], "rules": [bare(rule) for rule in result["config"]["rules"]]}
        assert compiled(read(PATH, json.dumps(again))) == result


def bare(rule: dict[str, Any]) -> dict[str, Any]:
    """Return a compiled rule as it may be written."""
    trigger = {name: value for name, value in rule["trigger"].items() if value is not None}
    rest = {name: value for name, value in rule.items() if name != "condition" or value is not None}
    return {**rest, "trigger": trigger}


@given(
    FILES,
    st.integers(0, 400),
    st.integers(0, 5),
    st.sampled_from(['"', "{", "}", "[", "]", ",", ":", "'", "//", "\n", ""]),
)
@example({"rules": [{"id": "a"}]}, 12, 1, "")
def test_nearly_a_file(data: object, at: int, length: int, piece: str) -> None:
    text = json.dumps(data, indent=1)
    holds(text[:at] + piece + text[at + length :])


@given(st.text())
def test_any_text(text: str) -> None:
    holds(text)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_texts() -> None:
    rng = random.Random(30)
    whole_file = json.dumps(
        {
            "version": 1,
            "rules": [
                {
                    "id": "a",
                    "trigger": {"event": "TaskCompleted", "outcomes": ["failed"]},
                    "condition": {"toolNames": ["Bash"], "eventFieldEquals": {"a.b": 1}},
                    "cooldownMs": 60000,
                    "actions": [{"type": "notify_team", "recipients": ["*"], "summary": "${RULE_ID}"}],
                }
            ],
        }
    )
    pieces = [*"{}[],:\"'\\/#\n 0a", "null", "true", "1e5", '"id"', '"rules": ', "\u200b", "，", "//", "/*"]
    for _ in range(100_000):
        text = whole_file
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(pieces) + text[at + rng.randrange(6) :]
        document = read(PATH, text)
        grave = [p for p in document.problems if p.code in GRAVE and not p.minor]
        assert (compiled(document)["error"] is None) == (not grave)
        assert all(0 <= p.span.start <= p.span.end <= len(text) for p in document.problems)
