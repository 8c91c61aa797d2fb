"""The values of rules and actions: where each comes from, and where it stands."""

from __future__ import annotations

import pytest

from rulewright.model import BAD, ChainFile, Value
from support.engine import read

ACTIONS = '"actions": [{"type": "notify_team"}, {"type": "notify_team", "dedupWindowMs": 5, "id": "x"}]'


def of(text: str) -> ChainFile:
    return read("hook-chains.json", text).chains


def written_at(text: str, value: Value) -> str:
    return value.span.of(text)


@pytest.mark.ledger("H012")
def test_windows_are_inherited() -> None:
    text = (
        '{"defaultCooldownMs": 1, "defaultDedupWindowMs": 2, "rules": ['
        '{"id": "a", "trigger": {"event": "Stop"}, ' + ACTIONS + "},"
        '{"id": "b", "cooldownMs": 3, "dedupWindowMs": 4, "trigger": {"event": "Stop"}, ' + ACTIONS + "}]}"
    )
    first, second = of(text).rules
    assert (first.cooldown_ms.value, first.cooldown_ms.origin) == (1, "inherited")
    assert written_at(text, first.cooldown_ms) == "1"
    assert first.cooldown_ms.place == first.anchor
    assert (first.dedup_window_ms.value, first.dedup_window_ms.origin) == (2, "inherited")
    assert [action.dedup_window_ms.value for action in first.actions] == [2, 5]
    assert (second.cooldown_ms.value, second.cooldown_ms.origin) == (3, "written")
    assert [action.dedup_window_ms.value for action in second.actions] == [4, 5]
    assert [action.dedup_window_ms.origin for action in second.actions] == ["inherited", "written"]
    assert second.actions[0].dedup_window_ms.place == second.actions[0].anchor


def test_built_in_values() -> None:
    chains = of('{"rules": [{"id": "a", "trigger": {"event": "Stop"}, ' + ACTIONS + "}]}")
    (rule,) = chains.rules
    assert (chains.max_chain_depth.value, chains.max_chain_depth.origin) == (2, "default")
    assert (rule.cooldown_ms.value, rule.cooldown_ms.origin) == (30000, "default")
    assert (rule.actions[0].dedup_window_ms.value, rule.actions[0].dedup_window_ms.origin) == (30000, "default")
    assert rule.enabled.is_(True)
    assert rule.max_depth.value is None
    assert rule.outcomes.value is None
    assert rule.condition is None
    assert not rule.condition_bad


def test_one_outcome_and_several() -> None:
    one, several = of(
        '{"rules": [{"id": "a", "trigger": {"event": "Stop", "outcome": "failed"}, ' + ACTIONS + "},"
        '{"id": "b", "trigger": {"event": "Stop", "outcomes": ["failed", "success"]}, ' + ACTIONS + "}]}"
    ).rules
    assert [item.value for item in one.outcomes.items] == ["failed"]
    assert [item.value for item in several.outcomes.items] == ["failed", "success"]


def test_a_condition() -> None:
    text = (
        '{"rules": [{"id": "a", "trigger": {"event": "Stop"}, "condition": {"toolNames": ["A", "B"],'
        ' "eventFieldEquals": {"a.b": 1.0, "c": null}}, ' + ACTIONS + "}]}"
    )
    (rule,) = of(text).rules
    assert rule.condition is not None
    assert rule.condition_bad
    assert [item.value for item in rule.condition.tool_names.items] == ["A", "B"]
    assert rule.condition.error_includes.value is None
    (path, value), (_, bad) = rule.condition.event_field_equals
    assert (path.value, written_at(text, path), value.value) == ("a.b", '"a.b"', 1)
    assert type(value.value) is int
    assert bad.value is BAD


def test_faults_are_bad_and_the_rest_lives() -> None:
    (rule,) = of(
        '{"rules": [{"id": "a", "cooldownMs": "x", "trigger": {"event": "Nope", "outcome": "failed"},'
        ' "actions": [{"type": "nope", "enabled": false}, {"type": "notify_team", "summary": ""}]}]}'
    ).rules
    assert not rule.broken
    assert rule.cooldown_ms.value is BAD
    assert rule.event.value is BAD
    assert [item.value for item in rule.outcomes.items] == ["failed"]
    assert [action.type.value for action in rule.actions] == [BAD, "notify_team"]
    assert rule.actions[0].enabled.value is BAD
    assert rule.actions[1].summary.value is BAD
    assert [action.index for action in rule.actions] == [0, 1]


def test_of_duplicates_the_last_counts() -> None:
    (rule,) = of('{"rules": [{"id": "a", "id": "b", "trigger": {"event": "Stop"}, ' + ACTIONS + "}]}").rules
    assert rule.id.value == "b"


def test_wrapped_or_not() -> None:
    assert not of('{"rules": []}').wrapped
    wrapped = of('{"hookChains": {"rules": []}}')
    assert wrapped.wrapped
    assert wrapped.root is not None
    assert [entry.key for entry in wrapped.root.entries] == ["rules"]


def test_a_rule_that_is_cut_off_is_broken() -> None:
    chains = of('{"rules": [{"id": "a", "trigger": {"event": "Stop"}, ' + ACTIONS + '}, {"id": "b", "trigger": {"ev')
    assert [rule.broken for rule in chains.rules] == [False, True]
    assert [rule.id.value for rule in chains.sound_rules()] == ["a"]
    assert chains.refusal is not None
    assert "closing quote" in chains.refusal.en
