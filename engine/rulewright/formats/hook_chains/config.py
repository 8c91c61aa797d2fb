"""A file of hook chains as OpenClaude takes it: plain data in its own key names, with defaults (hook-chains.md sections 1 and 2).

Keys that OpenClaude does not know are dropped, of duplicate keys the last counts, and one fault of the shape turns the file off.
"""

from __future__ import annotations

from typing import Any

from rulewright.formats.fields import Shape, fields_of
from rulewright.formats.hook_chains import keys
from rulewright.formats.hook_chains import vocabulary as words
from rulewright.formats.hook_chains.lowering import as_javascript
from rulewright.model import Document
from rulewright.syntax.json_reader import value_of

Config = dict[str, Any]


def compiled(document: Document) -> Config:
    """Return `{"error": ..., "config": ...}` of a document of hook chains.

    error: None, or in English why all rules are off, with the line of the first fault. config: then a disabled one, never none.
    Rules have `trigger` as `{"event", "outcomes"}`, with None for any outcome, and `condition` None where there is none.
    """
    chains = document.chains
    if chains.refusal is not None or chains.root is None:
        return {"error": _error(document), "config": _config({"enabled": False})}
    data = as_javascript(value_of(chains.root))
    assert isinstance(data, dict)
    return {"error": None, "config": _config(data)}


def _config(data: Config) -> Config:
    return {
        "version": 1,
        "enabled": True,
        "maxChainDepth": words.DEFAULT_DEPTH,
        "defaultCooldownMs": words.DEFAULT_WINDOW_MS,
        "defaultDedupWindowMs": words.DEFAULT_WINDOW_MS,
        **_known(data, keys.ConfigKeys),
        "rules": [_rule(rule) for rule in data.get("rules", [])],
    }


def _rule(data: Config) -> Config:
    trigger = data["trigger"]
    outcomes = [trigger["outcome"]] if "outcome" in trigger else trigger.get("outcomes")
    condition = data.get("condition")
    return {
        "enabled": True,
        **_known(data, keys.RuleKeys),
        "trigger": {"event": trigger["event"], "outcomes": outcomes},
        "condition": None if condition is None else _known(condition, keys.ConditionKeys),
        "actions": [{"enabled": True, **_known(action, keys.ACTIONS[action["type"]])} for action in data["actions"]],
    }


def _known(data: Config, model: type[Shape]) -> Config:
    """Return the keys of a mapping that OpenClaude knows, in the order in which they are written."""
    known = fields_of(model)
    return {name: value for name, value in data.items() if name in known}


def _error(document: Document) -> str:
    chains = document.chains
    if chains.refusal is None or chains.refused_at is None:
        return "the file holds no hook chains"
    return f"line {document.lines.line_at(chains.refused_at.start) + 1}: {chains.refusal.en}"
