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
from rulewright.text.language import Text

Config = dict[str, Any]


def compiled(document: Document) -> Config:
    """Return `{"error": ..., "config": ...}` of a document of hook chains.

    error: None, or in English why all rules are off, with the line of the first fault. config: then a disabled one, never none.
    Rules have `trigger` as `{"event", "outcomes"}`, with None for any outcome, and `condition` None where there is none.
    """
    root, why = document.chains.root, why_off(document)
    if root is None or why is not None:
        return {"error": None if why is None else why.en, "config": _config({"enabled": False})}
    data = as_javascript(value_of(root))
    assert isinstance(data, dict)
    return {"error": None, "config": _config(data)}


def why_off(document: Document) -> Text | None:
    """Return why all rules of a document are off, with the line of the first fault; None where nothing is wrong with it."""
    chains = document.chains
    if chains.refusal is not None and chains.refused_at is not None:
        line = document.lines.line_at(chains.refused_at.start) + 1
        return Text("line {line}: {fault}", "第 {line} 行：{fault}").format(line=line, fault=chains.refusal)
    return Text("the file holds no hook chains", "文件中没有 hook chains") if chains.root is None else None


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
