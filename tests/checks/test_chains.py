"""The checks of hook chains on files made of their own words: they never raise, and what they offer to mend is mended."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.analysis import Analysis, analyze
from rulewright.checking import Finding
from rulewright.formats.hook_chains.payloads import DISPATCHED, field_at, fields_of, paths_of
from rulewright.formats.hook_chains.templates import literals, uses
from rulewright.settings import Settings
from rulewright.text.edits import apply_edits
from support.engine import read

EVENTS = Path(__file__).parent.parent / "fixtures" / "events"


def analysis_of(text: str) -> Analysis:
    return analyze(read(".openclaude/hook-chains.json", text), Settings())


def mostly(common: list[Any], odd: list[Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(common * 3 + odd)


WINDOWS = mostly([0, 60, 600, 30000, 3600000, 7200000, 86400000], [1.0, 3e4, 86400001, -1, "30s", True, None, 10**30])
SWITCHES = mostly([True, False], ["false", 0])
IDS = mostly(["a", "b", "组", 'x "y"', "🙂"], ["", 5, "\ud800", "a\\b\n"])
TEMPLATES = st.lists(
    st.sampled_from(
        [
            "${ERROR}",
            "$OUTCOME",
            "${TASK_ID}",
            "$TASK_DESCRIPTION",
            "${ERORR}",
            "${error}",
            "$100",
            "${",
            "$$",
            "🙂",
            '"',
            "\\",
            "\n",
        ]
    )
).map("".join)
TOOLS = mostly(["Bash", "Edit", "mcp__a__b"], ["bash", "shell", "search", "Edit|Write", "*", "apply_patch", "", 1])
PATHS = mostly(
    ["tool_name", "error", "tool_input.command", "is_interrupt", "task_id"],
    ["", "is_interupt", "meta.source", "tool_input", "..x", 'a"b'],
)
SCALARS: st.SearchStrategy[Any] = st.sampled_from(["x", "true", "7", 7, 1.5, True, None, [], {}])


def optional(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keys)


CONDITIONS = optional(
    toolNames=st.lists(TOOLS, max_size=3),
    taskStatuses=st.lists(st.sampled_from(["failed", ""]), max_size=2),
    errorIncludes=st.lists(st.sampled_from(["timeout", "🙂"]), max_size=2),
    eventFieldEquals=st.dictionaries(PATHS, SCALARS, max_size=4),
)
ACTIONS = st.builds(
    lambda kind, keys: {"type": kind, **keys},
    mostly(["notify_team", "spawn_fallback_agent", "warm_remote_capacity"], ["notifyTeam", None]),
    optional(
        id=IDS,
        enabled=SWITCHES,
        dedupWindowMs=WINDOWS,
        promptTemplate=TEMPLATES,
        summary=TEMPLATES,
        messageTemplate=TEMPLATES,
    ),
)
OUTCOMES = mostly(["failed", "success", "timeout", "unknown"], ["Failed", 1])
TRIGGERS = st.one_of(
    st.fixed_dictionaries(
        {"event": mostly(["PostToolUseFailure", "TaskCompleted", "SessionEnd"], ["TaskComplete", 3])},
        optional={"outcome": OUTCOMES},
    ),
    st.fixed_dictionaries(
        {"event": st.sampled_from(["PostToolUseFailure", "TaskCompleted"]), "outcomes": st.lists(OUTCOMES, max_size=4)}
    ),
)
RULES = st.builds(
    lambda first, rest: {**first, **rest},
    st.fixed_dictionaries({"id": IDS, "trigger": TRIGGERS, "actions": st.lists(ACTIONS, max_size=3)}),
    optional(
        enabled=SWITCHES,
        condition=CONDITIONS,
        cooldownMs=WINDOWS,
        dedupWindowMs=WINDOWS,
        maxDepth=st.sampled_from([0, 1, 2, 5, 10, 11, "1"]),
    ),
)
FILES = optional(
    version=mostly([1], [2, "1"]),
    enabled=SWITCHES,
    maxChainDepth=st.sampled_from([1, 2, 3, 10, 0]),
    defaultCooldownMs=WINDOWS,
    defaultDedupWindowMs=WINDOWS,
    rules=st.lists(RULES, max_size=4),
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw the text of a file: bare or wrapped, on one line or many, characters as they are or escaped."""
    data = draw(FILES)
    if draw(st.booleans()):
        data = {"hookChains": data}
    text = json.dumps(data, indent=draw(st.sampled_from([None, 2, "\t"])), ensure_ascii=draw(st.booleans()))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))


def same_ones(found: Iterable[Finding], finding: Finding) -> int:
    return sum(1 for other in found if (other.code, other.message) == (finding.code, finding.message))


@given(texts())
def test_findings_stand_in_the_text_and_fixes_mend_them(text: str) -> None:
    found = analysis_of(text).findings
    mine = [finding for finding in found if finding.code.startswith("chain-")]
    for finding in mine:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        assert all(0 <= related.span.start <= related.span.end <= len(text) for related in finding.related)
        for fix in finding.fixes:
            fixed = apply_edits(text, fix.edits)
            json.loads(fixed)
            assert same_ones(analysis_of(fixed).findings, finding) < same_ones(found, finding), fix.title.en


@given(st.text(alphabet='${}ABE_R01 e\n\\"', max_size=30))
def test_variables_are_found_as_openclaude_finds_them(template: str) -> None:
    """What is not a use stays in the text; together with the signs around the names, nothing is counted twice."""
    spans = sorted(use.span for use in (*uses(template), *literals(template)))
    assert all(left.end <= right.start for left, right in itertools.pairwise(spans))
    for use in uses(template):
        assert use.span.of(template) == use.name
        assert template[: use.span.start].endswith(("$", "${"))
    for use in literals(template):
        assert template[: use.span.start].endswith("${")
        assert template[use.span.end] == "}"


def fixtures(event: str) -> list[Path]:
    return [
        path for harness in ("openclaude", "claude-code") for path in sorted((EVENTS / harness).glob(f"{event}-*.json"))
    ]


@pytest.mark.parametrize("event", sorted({path.name.split("-")[0] for path in (EVENTS / "openclaude").glob("*.json")}))
def test_recorded_payloads_have_no_other_fields(event: str) -> None:
    """Every field of a recorded event is known, with the kind of value that it has there."""
    paths = fixtures(event)
    assert paths
    for path in paths:
        for name, value in json.loads(path.read_text(encoding="utf-8")).items():
            known = fields_of(event).get(name)
            assert known is not None, f"{path.name} has {name}"
            kinds = {str: "text", bool: "bool", int: "number", float: "number", dict: "object", list: "list"}
            assert value is None or known.kind in ("any", kinds[type(value)]), f"{name} in {path.name}"


@pytest.mark.parametrize("event", DISPATCHED)
def test_every_listed_path_is_there(event: str) -> None:
    for path in paths_of(event):
        assert field_at(event, path) is not None
    assert field_at(event, "tool_name.x") is None
    assert field_at(event, "") is None
    assert field_at(event, ".cwd.") is not None


@pytest.mark.ledger("H112")
def test_five_thousand_rules_take_time_that_grows_with_them() -> None:
    """The ids of a large file are compared once each (a quadratic comparison took minutes)."""

    def text_of(count: int) -> str:
        action = {"type": "spawn_fallback_agent", "promptTemplate": "${TASK_SUBJECT} ${NOPE}"}
        trigger = {"event": "TaskCompleted", "outcome": "failed"}
        rules = [{"id": f"r{number}", "trigger": trigger, "actions": [action]} for number in range(count)]
        rules[-1]["id"] = "r17"
        return json.dumps({"rules": rules}, indent=1)

    def seconds(text: str) -> float:
        start = time.process_time()
        found = analysis_of(text).findings
        assert sum(1 for finding in found if finding.code == "chain-duplicate-id") == 1
        assert sum(1 for finding in found if finding.code == "chain-shadowed") <= 100
        return time.process_time() - start

    small, large = text_of(500), text_of(5000)
    seconds(small)
    # Ten times the rules: a quadratic check would take a hundred times as long.
    assert seconds(large) < 40 * max(seconds(small), 0.02)


def of_rules(rules: Iterable[dict[str, Any]]) -> str:
    return json.dumps({"rules": list(rules)}, indent=1)


def one_rule(**keys: Any) -> str:
    trigger = {"event": "PostToolUseFailure", "outcome": "failed"}
    return of_rules([{"id": "r", "trigger": trigger, "actions": [{"type": "notify_team"}], **keys}])


def prompt_of(text: str) -> list[dict[str, Any]]:
    return [{"type": "spawn_fallback_agent", "promptTemplate": text}]


MANY = {
    "unknown variables": (
        "chain-unknown-variable",
        lambda n: one_rule(actions=prompt_of(" ".join(f"${{NOPE_{number}}}" for number in range(n)))),
    ),
    "literals": ("chain-unknown-variable", lambda n: one_rule(actions=prompt_of("${error} " * n))),
    "empty variables": ("chain-variable-empty", lambda n: one_rule(actions=prompt_of("${TASK_ID} " * n))),
    "tools": ("chain-tool-name", lambda n: one_rule(condition={"toolNames": ["shell"] * n})),
    "paths": (
        "chain-field-path",
        lambda n: one_rule(condition={"eventFieldEquals": {f"tool_nam{number}": "x" for number in range(n)}}),
    ),
    "events": (
        "invalid-schema",
        lambda n: of_rules(
            {"id": f"r{number}", "trigger": {"event": f"TaskComplete{number}"}, "actions": [{"type": "notify_team"}]}
            for number in range(n)
        ),
    ),
    "entries": ("invalid-schema", lambda n: one_rule(condition={"toolNames": [7] * n})),
    "ids": ("chain-duplicate-id", lambda n: one_rule(actions=[{"type": "notify_team", "id": "a"}] * (n + 1))),
    "windows": ("chain-window-units", lambda n: one_rule(actions=[{"type": "notify_team", "dedupWindowMs": 30}] * n)),
}
"""What may be wrong very often in one file: its code, and a text with so many of it."""


@pytest.mark.parametrize("name", MANY)
def test_of_very_many_the_first_are_shown_and_the_rest_counted(name: str) -> None:
    code, text_of = MANY[name]
    assert [finding.code for finding in analysis_of(text_of(100)).findings].count(code) == 100
    found = [finding for finding in analysis_of(text_of(150)).findings if finding.code == code]
    assert len(found) == 101
    (said,) = (finding for finding in found if "not listed" in finding.message.en)
    assert said.message.en == f"50 more findings of `{code}` are not listed"
    assert said.message.zh == f"还有 50 处 `{code}` 没有列出"
    assert not said.fixes


@pytest.mark.parametrize("name", ["unknown variables", "empty variables", "tools", "paths", "entries"])
def test_ten_thousand_faults_are_found_before_the_hand_leaves_the_key(name: str) -> None:
    """What was meant is guessed for the first ones only: it took three seconds and ten."""
    text = MANY[name][1](10_000)
    start = time.process_time()
    assert len(analysis_of(text).findings) <= 300
    assert time.process_time() - start < 3
