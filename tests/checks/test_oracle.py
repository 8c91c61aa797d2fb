"""The ten codes of the seed page against a second reading of it: random packages, each rule's codes worked out from the tables.

The reading here is written from the page alone (fields, defaults, constraints) and shares no code with the checks.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.analysis import analyze
from rulewright.settings import Settings
from support.engine import read

CODES = {
    "invalid-schema", "action-target", "block-after", "fail-closed-target", "refresh-invalid", "refresh-incompatible",
    "block-repeat", "reinject-unused", "T005", "T007",
}  # fmt: skip
WRONG = object()
MISSING = object()

FIELDS: dict[str, list[Any]] = {
    "action": ["inject", "warn", "block", "blok", 3, None],
    "at": ["before", "after", "afterwards", True],
    "repeat": ["every", "turn", "session", "once", 1],
    "fail": ["open", "closed", "shut", False],
    "refresh": [0, 1, 10, 1_000_000, 1_000_001, -1, 1.5, True, "10"],
    "reinject_on_compact": [True, False, "true", "yes", 1, 0],
}
GOOD: dict[str, Any] = {
    "action": lambda v: v in ("inject", "warn", "block"),
    "at": lambda v: v in ("before", "after"),
    "repeat": lambda v: v in ("every", "turn", "session"),
    "fail": lambda v: v in ("open", "closed"),
    "refresh": lambda v: type(v) is int and 0 <= v <= 1_000_000,
    "reinject_on_compact": lambda v: type(v) is bool,
}
EVENTS = ["tool.pre", "prompt.submitted", "session.start", "tool.post", "subagent.start", "agent.stop"]
WORDS = ["Do", "not", "push", "please", "ask", "first", "and", "then", "continue", "carefully", "不", "要", "推送"]


def tokens(text: str) -> int:
    """The documented estimate, written once more: CJK 1 each, other words a quarter of their length, signs 1."""
    count = 0
    word = 0
    for char in text + " ":
        cjk = "\u4e00" <= char <= "\u9fff"
        if char.isalnum() and not cjk:
            word += 1
            continue
        count += -(-word // 4)
        word = 0
        if cjk or not char.isspace():
            count += 1
    return count


def expected(rule: dict[str, Any], defaults: dict[str, Any]) -> list[str]:
    """Return the sorted codes of one rule; faults of `defaults` themselves are not its."""
    codes: list[str] = []

    def value(name: str) -> Any:
        if name in rule:
            return rule[name] if GOOD[name](rule[name]) else WRONG
        if name in defaults:
            return defaults[name] if GOOD[name](defaults[name]) else WRONG
        return MISSING

    for name in FIELDS:
        if name in rule and not GOOD[name](rule[name]):
            codes.append("refresh-invalid" if name == "refresh" else "invalid-schema")
    target, event = rule["target"], rule.get("event")
    call = target in ("tool", "mcp", "skill")
    action = "inject" if value("action") is MISSING else value("action")
    at = value("at")
    if at is MISSING:
        at = WRONG if action is WRONG else "before" if action == "block" else "after"
    repeat = value("repeat")
    if repeat is MISSING:
        repeat = WRONG if action is WRONG else {"warn": "every", "inject": "session", "block": None}[action]
    refresh = value("refresh")
    positive = refresh is not MISSING and refresh is not WRONG and refresh > 0
    deniable = (call and at == "before") or event in ("tool.pre", "prompt.submitted")
    unknown_point = call and at is WRONG
    if action == "block" and not call and event not in ("tool.pre", "prompt.submitted"):
        codes.append("action-target")
    if action == "block" and call and at == "after":
        codes.append("block-after")
    if value("fail") == "closed" and not deniable and not unknown_point:
        codes.append("fail-closed-target")
    if positive and (
        action == "block"
        or (action is not WRONG and repeat in ("every", "turn"))
        or (action is WRONG and ("repeat" in rule or "repeat" in defaults) and repeat in ("every", "turn"))
        or rule.get("mode") == "replace"
        or event == "subagent.start"
    ):
        codes.append("refresh-incompatible")
    if action == "block" and "repeat" in rule and repeat is not WRONG:
        codes.append("block-repeat")
    if rule.get("reinject_on_compact") is True and (action == "block" or repeat in ("every", "turn")):
        codes.append("reinject-unused")
    if action == "block" and tokens(rule["text"]) > 40:
        codes.append("T005")
    if action == "inject" and (repeat in ("every", "turn") or positive) and not rule.get("reason"):
        codes.append("T007")
    return sorted(codes)


@st.composite
def packages(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    some = st.dictionaries(st.sampled_from(list(FIELDS)), st.integers(0, 8), max_size=4)

    def picked() -> dict[str, Any]:
        return {name: FIELDS[name][index % len(FIELDS[name])] for name, index in draw(some).items()}

    defaults = picked()
    rules = []
    for number in range(draw(st.integers(1, 4))):
        rule: dict[str, Any] = {
            "id": f"rule-{number}",
            "target": draw(st.sampled_from(["tool", "mcp", "skill", "event", "system"])),
        }
        if rule["target"] == "tool":
            rule["tool"] = draw(st.sampled_from(["shell", "*", ["file.edit", "shell"]]))
        if rule["target"] == "event":
            rule["event"] = draw(st.sampled_from(EVENTS))
        fields = picked()
        if rule["target"] not in ("tool", "mcp", "skill"):
            fields.pop("at", None)
        rule.update(fields)
        if rule["target"] == "system" and draw(st.booleans()):
            rule["mode"] = draw(st.sampled_from(["append", "replace"]))
        if draw(st.booleans()):
            rule["reason"] = "It matters."
        rule["text"] = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=45)))
        keys = list(rule)
        random.Random(draw(st.integers(0, 9))).shuffle(keys)
        rules.append({key: rule[key] for key in keys})
    return defaults, rules


def as_block(defaults: dict[str, Any], rules: list[dict[str, Any]]) -> str:
    """Write a package as a person would: block style, one key a line."""
    lines = ["spec: style/v0.3", "name: random", "version: 0.1.0", "description: Random rules."]
    if defaults:
        lines += ["defaults:", *(f"  {key}: {json.dumps(value)}" for key, value in defaults.items())]
    lines.append("rules:")
    for rule in rules:
        lead = "  - "
        for key, value in rule.items():
            lines.append(f"{lead}{key}: {json.dumps(value, ensure_ascii=False)}")
            lead = "    "
    return "\n".join(lines) + "\n"


def as_json(defaults: dict[str, Any], rules: list[dict[str, Any]]) -> str:
    """Write the same package as JSON, which is YAML too."""
    whole: dict[str, Any] = {"spec": "style/v0.3", "name": "random", "version": "0.1.0", "description": "Random rules."}
    if defaults:
        whole["defaults"] = defaults
    return json.dumps({**whole, "rules": rules}, ensure_ascii=False)


@pytest.mark.ledger(
    "S010", "S014", "S015", "S020", "S023", "S030", "S034", "S035", "S040", "S049", "S060", "S064", "S065", "S070", "S073", "S107"
)  # fmt: skip
@settings(max_examples=300, deadline=None)
@given(packages(), st.sampled_from([as_block, as_json]))
def test_random_packages(package: tuple[dict[str, Any], list[dict[str, Any]]], write: Any) -> None:
    defaults, rules = package
    text = write(defaults, rules)
    document = read("random.style.yaml", text)
    findings = [finding for finding in analyze(document, Settings()).findings if finding.code in CODES]
    starts = [rule.span.start for rule in document.package.rules]
    assert len(starts) == len(rules)
    found: list[list[str]] = [[] for _ in rules]
    in_defaults: list[str] = []
    for finding in findings:
        owner = max((i for i, start in enumerate(starts) if start <= finding.span.start), default=None)
        (in_defaults if owner is None else found[owner]).append(finding.code)
    assert sorted(in_defaults) == sorted(
        "refresh-invalid" if name == "refresh" else "invalid-schema"
        for name, value in defaults.items()
        if not GOOD[name](value)
    )
    assert [sorted(codes) for codes in found] == [expected(rule, defaults) for rule in rules], text
