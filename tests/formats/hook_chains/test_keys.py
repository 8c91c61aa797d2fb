"""The keys of hook chains agree with their words, and are found by their path."""

from __future__ import annotations

import typing

import pytest

from rulewright.formats.fields import fields_of
from rulewright.formats.hook_chains import field_at, keys, table_at, vocabulary
from rulewright.formats.hook_chains.payloads import DISPATCHED
from rulewright.formats.hook_chains.templates import MESSAGE_VARIABLES, PROMPT_VARIABLES


@pytest.mark.ledger("H021", "H022")
def test_words_and_types_are_the_same() -> None:
    assert typing.get_args(keys.Event) == tuple(vocabulary.EVENTS)
    assert typing.get_args(keys.Outcome) == tuple(vocabulary.OUTCOMES)
    assert tuple(keys.ACTIONS) == tuple(vocabulary.ACTION_TYPES) == fields_of(keys.ActionKeys)["type"].values
    assert set(vocabulary.VARIABLES) == {*PROMPT_VARIABLES, *MESSAGE_VARIABLES}


def test_events_that_nothing_dispatches_say_so() -> None:
    quiet = {name for name, doc in vocabulary.EVENTS.items() if "does not run chains here today" in doc.en}
    assert set(vocabulary.EVENTS) - quiet == set(DISPATCHED) == {"PostToolUseFailure", "TaskCompleted"}


@pytest.mark.parametrize(
    "model", [*keys.ROOTS, keys.RuleKeys, keys.TriggerKeys, keys.ConditionKeys, *keys.ACTIONS.values()]
)
def test_every_key_says_what_it_is(model: type[keys.Keys]) -> None:
    for field in fields_of(model).values():
        assert field.doc.en.endswith(".")
        assert field.doc.zh.endswith("。")
        assert field.source in ("S", "O", "R")
        assert field.required or field.default, "the default is shown"


def test_keys_by_path() -> None:
    assert "hookChains" in (table_at(()) or {})
    assert "rules" in (table_at(()) or {})
    assert list(table_at(("hookChains",)) or ()) == list(fields_of(keys.ConfigKeys))
    assert list(table_at(("rules", 3, "trigger")) or ()) == ["event", "outcome", "outcomes"]
    assert list(table_at(("hookChains", "rules", 0, "condition")) or ()) == list(fields_of(keys.ConditionKeys))
    assert table_at(("rules",)) is None
    assert table_at(("rules", 0, "condition", "eventFieldEquals")) is None
    assert table_at(("nothing",)) is None
    assert "recipients" not in (table_at(("rules", 0, "actions", 0), "spawn_fallback_agent") or {})
    every = table_at(("rules", 0, "actions", 0)) or {}
    assert {"recipients", "promptTemplate", "createDefaultEnvironmentIfMissing"} <= set(every)
    assert every["type"].values == tuple(keys.ACTIONS)


def test_a_field_by_path() -> None:
    field = field_at(("rules", 0, "trigger", "outcomes", 1))
    assert field is not None
    assert field.name == "outcomes"
    assert field_at(()) is None
    assert field_at(("rules", 0, "nothing")) is None
