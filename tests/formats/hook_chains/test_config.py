"""A file of hook chains as the hook runs it: OpenClaude's own reading of the same text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rulewright.formats.hook_chains.config import compiled
from support.engine import read

PATH = ".openclaude/hook-chains.json"
OFF = {
    "version": 1,
    "enabled": False,
    "maxChainDepth": 2,
    "defaultCooldownMs": 30000,
    "defaultDedupWindowMs": 30000,
    "rules": [],
}
RULE = {"id": "a", "trigger": {"event": "TaskCompleted"}, "actions": [{"type": "notify_team"}]}


def of(data: object) -> dict[str, Any]:
    return compiled(read(PATH, data if isinstance(data, str) else json.dumps(data)))


@pytest.mark.ledger("H010", "H011", "H012", "H014")
def test_defaults() -> None:
    assert of({}) == {"error": None, "config": {**OFF, "enabled": True}}
    assert of({"rules": []})["config"]["rules"] == []


@pytest.mark.ledger("H004")
def test_enabled_false_stays_with_its_rules() -> None:
    config = of({"enabled": False, "rules": [RULE]})["config"]
    assert config["enabled"] is False
    assert len(config["rules"]) == 1


@pytest.mark.ledger("H013")
def test_wrapped_is_the_same_as_bare() -> None:
    data = {"defaultCooldownMs": 1, "rules": [RULE]}
    assert of({"hookChains": data}) == of(data)


def test_a_rule_in_full() -> None:
    rule = {
        "id": "a",
        "enabled": False,
        "trigger": {"event": "PostToolUseFailure", "outcome": "failed"},
        "condition": {"toolNames": ["Bash"], "eventFieldEquals": {"a.b": True, "c": 1.5}},
        "cooldownMs": 1,
        "dedupWindowMs": 2,
        "maxDepth": 3,
        "actions": [{"type": "warm_remote_capacity", "id": "w", "createDefaultEnvironmentIfMissing": True}],
    }
    (found,) = of({"rules": [rule]})["config"]["rules"]
    assert found == {
        **rule,
        "trigger": {"event": "PostToolUseFailure", "outcomes": ["failed"]},
        "actions": [{**rule["actions"][0], "enabled": True}],  # type: ignore[index]
    }


def test_what_a_rule_does_not_say() -> None:
    (found,) = of({"rules": [RULE]})["config"]["rules"]
    assert found == {
        "id": "a",
        "enabled": True,
        "trigger": {"event": "TaskCompleted", "outcomes": None},
        "condition": None,
        "actions": [{"type": "notify_team", "enabled": True}],
    }


def test_unknown_keys_are_dropped_at_every_level() -> None:
    noisy = {
        **RULE,
        "note": 1,
        "trigger": {"event": "TaskCompleted", "note": 1},
        "condition": {"toolName": ["Bash"]},
        "actions": [{"type": "notify_team", "promptTemplate": "x"}],
    }
    (found,) = of({"rules": [noisy], "x-note": 1, "$schema": "s"})["config"]["rules"]
    assert "note" not in json.dumps(found)
    assert found["condition"] == {}
    assert found["actions"] == [{"type": "notify_team", "enabled": True}]


def test_of_duplicate_keys_the_last_counts() -> None:
    assert of('{"enabled": true, "maxChainDepth": 99, "enabled": false, "maxChainDepth": 3}') == {
        "error": None,
        "config": {**OFF, "maxChainDepth": 3},
    }


def test_whole_numbers_in_other_spellings() -> None:
    config = of('{"version": 1.0, "defaultCooldownMs": 3e4, "maxChainDepth": 1E1}')["config"]
    assert (config["version"], config["defaultCooldownMs"], config["maxChainDepth"]) == (1, 30000, 10)
    assert type(config["defaultCooldownMs"]) is int


@pytest.mark.ledger("H005")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "line 1: the file is empty"),
        ('{\n  "enabled": true,\n}', "line 2: JSON allows no comma"),
        ("null", "line 1: an object"),
        ('{"hookChains": []}', "line 1: `hookChains` takes a mapping"),
        ('{"rules": [\n {"id": "a"}]}', "line 2: `trigger`, `actions` must be here"),
        ('{"maxChainDepth": 11,\n "version": 2}', "line 1: `maxChainDepth` takes"),
        ('{"rules": ' + "[" * 300 + "]" * 300 + "}", "line 1: more than 200"),
    ],
)
def test_a_fault_turns_the_file_off(text: str, error: str) -> None:
    result = of(text)
    assert result["error"].startswith(error)
    assert "OpenClaude" not in result["error"]
    assert result["config"] == OFF


@pytest.mark.ledger("H023")
def test_both_kinds_of_outcome_turn_the_file_off() -> None:
    trigger = {"event": "TaskCompleted", "outcome": "failed", "outcomes": ["failed"]}
    assert of({"rules": [{**RULE, "trigger": trigger}]})["config"] == OFF


def test_a_byte_order_mark_is_removed() -> None:
    assert of("\ufeff{}")["error"] is None


def test_half_a_surrogate_pair_is_no_fault() -> None:
    result = of('{"rules": [{"id": "a\\ud800", "trigger": {"event": "Stop"}, "actions": [{"type": "notify_team"}]}]}')
    assert result["error"] is None
    json.dumps(result).encode("utf-8")
