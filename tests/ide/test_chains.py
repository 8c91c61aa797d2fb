"""Editor features of hook chains: hover with what counts, completion, outline, lenses, changes of the whole file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright import analysis
from rulewright.analysis import Analysis
from rulewright.checking import FileFacts
from rulewright.ide import code_actions, code_lens, completion, hover, semantic_tokens, symbols
from rulewright.ide.chains.refactors import refactors
from rulewright.ide.results import Item
from rulewright.settings import Settings
from rulewright.text.edits import Edit, apply_edits
from rulewright.text.language import Lang
from rulewright.text.lines import Lines
from rulewright.text.span import Span

PATH = "/project/.openclaude/hook-chains.json"
FILE = """\
{
  "defaultCooldownMs": 45000,
  "rules": [
    {
      "id": "😀 first",
      "trigger": { "event": "PostToolUseFailure", "outcome": "failed" },
      "condition": { "toolNames": ["Bash", "Nope"], "eventFieldEquals": { "tool_input.command": "ls" } },
      "dedupWindowMs": 7000,
      "actions": [
        { "type": "spawn_fallback_agent", "id": "retry", "promptTemplate": "${ERROR} ${TASK_ID} $EVENT_NAME" },
        { "type": "notify_team", "enabled": false }
      ]
    },
    { "id": "dead", "trigger": { "event": "Stop" }, "actions": [{ "type": "warm_remote_capacity" }] }
  ]
}
"""


def analyze(text: str) -> Analysis:
    document = analysis.read(PATH, text)
    assert document is not None
    return analysis.analyze(document, Settings(), FileFacts({}))


def hovered(at: str, lang: Lang = "en") -> str:
    """Return what is said of the place behind the `|` in `at`, which stands in FILE without it."""
    offset = FILE.index(at.replace("|", "")) + at.index("|")
    found = hover.hover(analyze(FILE), offset, lang)
    return "" if found is None else found.markdown


def items(marked: str, snippets: bool = False) -> dict[str, Item]:
    offset = marked.index("|")
    text = marked.replace("|", "", 1)
    found = completion.complete("hook-chains", PATH, text, Lines(text), offset, snippets=snippets)
    return {item.label: item for item in found}


def accepted(marked: str, label: str) -> str:
    item = items(marked)[label]
    return apply_edits(marked.replace("|", "", 1), [Edit(item.span, item.new_text)])


def rule(text: str) -> str:
    return '{"rules": [{"id": "a", "trigger": {"event": "PostToolUseFailure"}, ' + text + "}]}"


# --- hover


def test_a_window_shows_where_it_comes_from() -> None:
    said = hovered('"i|d": "dead"')
    assert "- `cooldownMs`: In effect: `45000`, from `defaultCooldownMs` (line 2)" in said
    assert "- `dedupWindowMs`: In effect: `30000`, built in" in said
    said = hovered('"dedup|WindowMs": 7000')
    assert "In effect: `7000`, written here" in said
    assert "That is 7 s" in said
    assert "a whole number of milliseconds from 0 to 86400000" in said
    assert "Default: `defaultDedupWindowMs`" in said
    assert "Defined by OpenClaude's documentation (S)" in said


@pytest.mark.parametrize(
    ("at", "part"),
    [
        ('"event": "PostTool|UseFailure"', "After a tool call that failed"),
        ('"event": "St|op"', "does not run chains here today"),
        ('"outcome": "fai|led"', "every tool failure"),
        ('"B|ash"', "the tool that rules of packages call `shell`"),
        ('"tool_input.com|mand"', "the command line"),
        ("${ERR|OR}", "The error text"),
        ("${TASK|_ID}", "leaves it empty in this template"),
        ("$EVENT|_NAME", "The name of the event"),
        ('"ty|pe": "notify_team"', "Sends a message to a team"),
        ('"enab|led": false', "In effect: `false`"),
        ('"i|d": "dead"', "never fires: chains are not dispatched at Stop"),
        ('"default|CooldownMs"', "That is 45 s"),
    ],
)
def test_hover(at: str, part: str) -> None:
    assert part in hovered(at)


def test_hover_in_chinese_and_in_a_broken_file() -> None:
    assert "工具调用失败之后" in hovered('"event": "PostTool|UseFailure"', "zh-CN")
    text = '{"rules": [{"id": "a", "trigger": {"event": "Stop", }, }, // cut\n {"cooldownMs": 5'
    found = hover.hover(analyze(text), text.index("cooldownMs") + 3, "en")
    assert found is not None
    assert "cooldown" in found.markdown.lower()


# --- completion


def test_keys_of_each_mapping() -> None:
    assert list(items("{|}"))[:3] == ["version", "enabled", "maxChainDepth"]
    assert "hookChains" in items("{|}")
    assert "hookChains" not in items('{"version": 1, |}')
    assert set(items(rule('"condition": {|}'))) == {"toolNames", "taskStatuses", "errorIncludes", "eventFieldEquals"}
    assert "promptTemplate" in items(rule('"actions": [{"type": "spawn_fallback_agent", |}]'))
    assert "promptTemplate" not in items(rule('"actions": [{"type": "notify_team", |}]'))
    assert "outcomes" not in items('{"rules": [{"trigger": {"outcome": "failed", |}}]}')


@pytest.mark.parametrize(
    ("marked", "label", "wanted"),
    [
        ("{|}", "version", '{"version": }'),
        ('{"ver|"}', "version", '{"version"}'),
        ('{"ver|": 1}', "version", '{"version": 1}'),
        ('{"ver|', "version", '{"version": '),
        ('{\n  "version": 1,\n  |\n  "rules": []\n}', "enabled", '{\n  "version": 1,\n  "enabled": \n  "rules": []\n}'),
        ('{"rules": [{"trigger": {"event": |}}]}', "TaskCompleted", '{"rules": [{"trigger": {"event": "TaskCompleted"}}]}'),
        ('{"rules": [{"trigger": {"event":|}}]}', "TaskCompleted", '{"rules": [{"trigger": {"event": "TaskCompleted"}}]}'),
        ('{"rules": [{"trigger": {"event": "Task|"}}]}', "TaskCompleted", '{"rules": [{"trigger": {"event": "TaskCompleted"}}]}'),
        ('{"rules": [{"trigger": {"event": "Task|', "TaskCompleted", '{"rules": [{"trigger": {"event": "TaskCompleted"'),
        ('{"enabled": |}', "false", '{"enabled": false}'),
        (rule('"condition": {"toolNames": ["B|"]}'), "Bash", rule('"condition": {"toolNames": ["Bash"]}')),
    ],
)  # fmt: skip
def test_what_is_accepted_stands_as_json_wants_it(marked: str, label: str, wanted: str) -> None:
    assert accepted(marked, label) == wanted


def test_dispatched_events_come_first_and_outcomes_fit_the_event() -> None:
    assert list(items('{"rules": [{"trigger": {"event": "|"}}]}'))[:2] == ["PostToolUseFailure", "TaskCompleted"]
    assert list(items('{"rules": [{"trigger": {"event": "PostToolUseFailure", "outcome": "|"}}]}')) == ["failed"]
    assert list(items('{"rules": [{"trigger": {"event": "TaskCompleted", "outcomes": ["|"]}}]}')) == [
        "success",
        "failed",
    ]


def test_template_variables_are_those_of_the_template() -> None:
    prompt = '"actions": [{"type": "spawn_fallback_agent", "promptTemplate": "😀 ${|}"}]'
    assert "TASK_DESCRIPTION" in items(rule(prompt))
    assert "TASK_ID" not in items(rule(prompt))
    assert accepted(rule(prompt), "ERROR") == rule(prompt.replace("|", "ERROR"))
    message = '"actions": [{"type": "notify_team", "summary": "Now $ER|"}]'
    assert accepted(rule(message), "ERROR") == rule(message.replace("$ER|", "${ERROR}"))
    # The payload of this event has no task: what stays empty comes last.
    names = list(items(rule(prompt)))
    assert names.index("ERROR") < names.index("TASK_SUBJECT")


def test_dot_paths_come_from_the_event() -> None:
    found = items(rule('"condition": {"eventFieldEquals": {"tool_in|"}}'))
    assert "tool_input.command" in found
    assert "task_id" not in items(rule('"condition": {"eventFieldEquals": {|}}'))


def test_whole_parts_become_good_json() -> None:
    import re

    def plain(text: str) -> Any:
        text = re.sub(r"\$\{\d+\|([^,|}]*)[^}]*\}", r"\1", text)
        text = re.sub(r"\$\{\d+:((?:\\.|[^}\\])*)\}", r"\1", text)
        return json.loads(text.replace("$0", "").replace("\\$", "$").replace("\\}", "}"))

    assert plain(items("|", snippets=True)["hook chains"].new_text)["rules"] == []
    (whole,) = items('{"rules": [|]}', snippets=True).values()
    data = plain(whole.new_text)
    assert not [f for f in analyze(json.dumps({"rules": [data]})).findings if f.severity == 1]
    for item in items(rule('"actions": [|]'), snippets=True).values():
        action = plain(item.new_text)
        assert action["type"] == item.label
        text = json.dumps({"rules": [{"id": "a", "trigger": {"event": "PostToolUseFailure"}, "actions": [action]}]})
        assert not [f for f in analyze(text).findings if f.severity <= 2], item.label


# --- outline, lenses, words


def test_outline() -> None:
    found = symbols.symbols(analyze(FILE))
    assert [(entry.name, entry.detail) for entry in found] == [
        ("😀 first", "PostToolUseFailure failed"),
        ("dead", "Stop"),
    ]
    assert [(entry.name, entry.detail) for entry in found[0].children] == [
        ("retry", "spawn_fallback_agent"),
        ("notify_team", ""),
    ]


@pytest.mark.ledger("H112")
@pytest.mark.parametrize(
    ("change", "title"),
    [
        ({}, "fires on PostToolUseFailure failed · cooldown 30 s · 1 action"),
        ({"cooldownMs": 120000}, "fires on PostToolUseFailure failed · cooldown 2 min · 1 action"),
        ({"trigger": {"event": "TaskCompleted"}}, "fires on TaskCompleted success/failed · cooldown 30 s · 1 action"),
        ({"trigger": {"event": "Stop"}}, "never fires: chains are not dispatched at Stop"),
        (
            {"trigger": {"event": "TaskCompleted", "outcome": "timeout"}},
            "never fires: TaskCompleted never has the outcome timeout",
        ),
        (
            {"trigger": {"event": "TaskCompleted"}, "condition": {"errorIncludes": ["x"]}},
            "never fires: TaskCompleted carries no error text",
        ),
        ({"maxDepth": 0}, "never fires: maxDepth 0 skips every action"),
        ({"enabled": False}, "never fires: the rule is switched off"),
        ({"actions": [{"type": "notify_team", "enabled": False}]}, "never fires: all actions are switched off"),
        ({"cooldownMs": "1"}, "never fires: OpenClaude refuses the whole file"),
    ],
)
def test_a_lens_says_when_a_rule_fires_or_why_it_never_can(change: dict[str, Any], title: str) -> None:
    data = {"id": "a", "trigger": {"event": "PostToolUseFailure"}, "actions": [{"type": "notify_team"}], **change}
    (lens,) = code_lens.code_lenses(analyze(json.dumps({"rules": [data]})), "en")
    assert lens.title == title


def test_words() -> None:
    found = [
        (token.span.of(FILE), token.kind, token.unknown) for token in semantic_tokens.semantic_tokens(analyze(FILE))
    ]
    assert found == [
        ("PostToolUseFailure", "event", False),
        ("failed", "enumMember", False),
        ("Bash", "function", False),
        ("Nope", "function", True),
        ("ERROR", "variable", False),
        ("TASK_ID", "variable", True),
        ("EVENT_NAME", "variable", False),
        ("Stop", "event", True),
    ]


# --- changes of the whole file


def titles(text: str, at: int = 0) -> dict[str, str]:
    found = analyze(text)
    return {fix.title.en: apply_edits(text, list(fix.edits)) for fix in refactors(found, Span(at, at))}


@pytest.mark.ledger("H013")
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_wrapping_and_unwrapping(line_end: str) -> None:
    text = FILE.replace("\n", line_end)
    wrapped = titles(text)["Wrap in `hookChains`"]
    assert json.loads(wrapped) == {"hookChains": json.loads(FILE)}
    assert titles(wrapped)["Take out of `hookChains`"] == text
    assert titles('{"hookChains": {"rules": []}}')["Take out of `hookChains`"] == '{"rules": []}'


@pytest.mark.parametrize("text", ["{}", '{"rules": []}', '{\n  "rules": []\n}', FILE, '{"hookChains": {"version": 1}}'])
def test_the_defaults_are_written_down(text: str) -> None:
    after = json.loads(titles(text)["Write the defaults down"])
    before = json.loads(text)
    config = after.get("hookChains", after)
    assert config == {
        "version": 1, "enabled": True, "maxChainDepth": 2, "defaultCooldownMs": 30000, "defaultDedupWindowMs": 30000,
        **before.get("hookChains", before),
    }  # fmt: skip
    assert "Write the defaults down" not in titles(json.dumps(after))


def test_a_window_that_all_rules_write_moves_to_the_top() -> None:
    rules = [{"id": name, "cooldownMs": 5000, "trigger": {"event": "TaskCompleted"}, "actions": []} for name in "ab"]
    for text in (json.dumps({"rules": rules}), json.dumps({"defaultCooldownMs": 1, "rules": rules}, indent=2)):
        after = json.loads(
            titles(text, text.index("cooldownMs") + 2)["Move `cooldownMs` of all rules to `defaultCooldownMs`"]
        )
        assert after["defaultCooldownMs"] == 5000
        assert all("cooldownMs" not in rule for rule in after["rules"])
    different = json.dumps({"rules": [rules[0], {**rules[1], "cooldownMs": 1}]})
    assert not [title for title in titles(different, different.index("cooldownMs") + 2) if "Move" in title]


# --- any text


@settings(max_examples=200, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from(
            ["{", "}", "[", "]", ":", ",", '"', "\n", "😀", '"rules"', '"trigger"', '"event"', '"actions"', '"type"', '"spawn_fallback_agent"',
             '"promptTemplate"', "${", "$ERROR", "1", "true", "// x\n", '"condition"', '"hookChains"', '"cooldownMs"', " "]
        ),
        max_size=24,
    ),
    where=st.integers(0, 300),
)  # fmt: skip
def test_nothing_raises_on_any_text(pieces: list[str], where: int) -> None:
    text = "".join(pieces)
    offset = min(where, len(text))
    lines = Lines(text)
    found = analyze(text)
    for item in completion.complete("hook-chains", PATH, text, lines, offset, snippets=True):
        assert 0 <= item.span.start <= item.span.end <= len(text)
        assert lines.line_at(item.span.start) == lines.line_at(item.span.end)
    said = hover.hover(found, offset, "zh-CN")
    assert said is None or 0 <= said.span.start <= said.span.end <= len(text)
    for entry in symbols.symbols(found):
        assert entry.span.start <= entry.selection.start <= entry.selection.end <= entry.span.end
    code_lens.code_lenses(found, "en")
    for action in code_actions.refactorings(found, Span(offset, offset), "en"):
        apply_edits(text, list(action.edits))
