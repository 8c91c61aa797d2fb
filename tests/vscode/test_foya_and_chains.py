"""A person edits Foya rules and hook chains in VS Code: what is reported, explained, offered, tried and written."""

from __future__ import annotations

import json

import pytest

from vscode.conftest import Open
from vscode.workbench import Workbench

pytestmark = [pytest.mark.vscode, pytest.mark.timeout(300)]

CHAINS = ".openclaude/hook-chains.json"
FILES = {
    "src/api/client.go": "package api\n",
    "src/main.go": "package main\n",
    ".foya/rules/all.md": """\
---
id: all
name: all
description: 😀 what changes
triger: glob
globs: src/**
---
Keep handlers thin.
""",
    ".foya/rules/api.md": """\
---
id: api
name: api
description: handlers of requests
trigger: glob
globs: ["src/**"]
---
Keep handlers thin.
""",
    ".foya/rules/calls.md": """\
---
id: calls
name: calls
description: who is called
trigger: always
---
See @review, not @review-old, and (@review).
""",
    ".foya/rules/review.md": """\
---
id: review-id
name: review
description: how to review
trigger: manual
---
Read the whole change first.
""",
    ".foya/rules/typed.md": """\
---
id: typed
name: typed
description: what is typed
---
Be brief.
""",
    ".foya/rules/wrong.md": "---\nname: wrong\ntrigger: always_on\n---\nRun the tests.\n",
    CHAINS: """\
{
  "version": 1,
  "maxChainDepth": 2,
  "rules": [
    {
      "id": "retry",
      "trigger": { "event": "PostToolUseFailure", "outcome": "failed" },
      "condition": { "toolNames": ["shell"] },
      "actions": [
        { "type": "notify_team", "id": "tell", "summary": "😀 ${RULE_ID} of ${NOPE}" }
      ]
    }
  ]
}
""",
    "ci/fixed.hook-chains.json": """\
{
  "version": 1,
  "rules": [
    {
      "id": "retry",
      "enabeld": true,
      "trigger": { "event": "PostToolUseFailure", "outcom": "failed" },
      "actions": [{ "type": "notify_team", "id": "tell", "summary": "${RULE_ID}" }]
    }
  ]
}
""",
    "ci/typed.hook-chains.json": """\
{
  "version": 1,
  "rules": [
    {
      "id": "retry",
      "trigger": { },
      "actions": [{ "type": "notify_team", "id": "tell", "summary": "by " }]
    }
  ]
}
""",
    "ci/rewritten.hook-chains.json": """\
{
  "version": 1,
  "rules": [
    {
      "id": "one",
      "cooldownMs": 5000, "trigger": { "event": "PostToolUseFailure", "outcome": "failed" },
      "condition": { "toolNames": ["Bash"] },
      "actions": [{ "type": "notify_team", "id": "tell", "summary": "${RULE_ID}" }]
    },
    {
      "id": "two",
      "cooldownMs": 5000, "trigger": { "event": "PostToolUseFailure", "outcome": "failed" },
      "condition": { "toolNames": ["Edit"] },
      "actions": [{ "type": "notify_team", "id": "tell", "summary": "${RULE_ID}" }]
    }
  ]
}
""",
    "ci/lens.hook-chains.json": """\
{
  "version": 1,
  "rules": [
    {
      "id": "retry",
      "trigger": { "event": "PostToolUseFailure", "outcome": "failed" },
      "actions": [{ "type": "notify_team", "id": "tell", "summary": "${RULE_ID}" }]
    }
  ]
}
""",
}


@pytest.fixture(scope="module")
def window(open_shared: Open) -> Workbench:
    return open_shared(FILES)


def column(name: str, line: int, text: str) -> int:
    """Return where a text stands in a line, from 1 and in UTF-16 units."""
    before = FILES[name].split("\n")[line - 1].partition(text)[0]
    return len(before.encode("utf-16-le")) // 2 + 1


def text_of(window: Workbench, name: str) -> str:
    return (window.folder / name).read_text("utf-8")


# --- Foya rules


def test_a_problem_of_a_foya_rule_is_fixed_and_saved(window: Workbench) -> None:
    name = ".foya/rules/wrong.md"
    window.open(name, 3, 10)
    rows = window.problems("rows.length > 0", name)
    assert ("error", "rulewright", "foya-trigger", 3, 10) in {
        (row["severity"], row["source"], row["code"], row["line"], row["column"]) for row in rows
    }
    assert window.link_of("foya-trigger").endswith("/foya-trigger")
    assert window.underlined("error") == ["always_on"]
    window.quick_fix(next(title for title in window.quick_fix() if "`always`" in title))
    window.lines("lines[2] === 'trigger: always'")
    window.problems("rows.every((row) => row.code !== 'foya-trigger')", name)
    window.save()
    assert text_of(window, name) == FILES[name].replace("always_on", "always")


def test_all_fixes_of_a_foya_rule(window: Workbench) -> None:
    name = ".foya/rules/all.md"
    window.open(name, 5, 1)
    rows = window.problems("rows.length > 1", name)
    assert {(row["code"], row["line"], row["column"]) for row in rows} == {
        ("unknown-field", 5, 1),
        ("foya-globs-type", 6, column(name, 6, "src")),
    }
    assert window.underlined("warning") == ["triger"]
    assert window.underlined("error") == ["src/**"]
    window.command("Fix All")
    window.problems("rows.length === 0", name)
    window.save()
    fixed = FILES[name].replace("triger", "trigger").replace("src/**", '["src/**"]')
    assert text_of(window, name) == fixed


def test_a_hover_in_a_foya_rule(window: Workbench) -> None:
    window.open(".foya/rules/api.md", 1, 1)
    parts = window.hover("trigger", "parts.some((part) => part.startsWith('trigger'))")
    assert any("always" in part and "model_decision" in part for part in parts), parts
    parts = window.hover('"src/**"', "parts.some((part) => part.includes('2'))")
    assert any("src/api/client.go" in part for part in parts), parts


def test_a_trigger_and_a_glob_are_completed(window: Workbench) -> None:
    name = ".foya/rules/typed.md"
    window.open(name, 4, 99)
    window.press("End")
    window.type("\ntrigger: gl")
    assert [one["label"] for one in window.complete()] == ["glob"]
    window.complete("glob")
    window.lines("lines[4] === 'trigger: glob'")
    window.press("End")
    window.type("\ngl")
    # The key comes with its brackets and quotes, and the cursor between them.
    window.complete("globs")
    window.lines("""lines[5] === 'globs: [""]'""")
    assert "src/**" in [one["label"] for one in window.complete()]
    window.complete("src/**")
    window.lines("""lines[5] === 'globs: ["src/**"]'""")
    window.problems("rows.length === 0", name)
    window.press("Escape")
    window.save()
    assert text_of(window, name) == FILES[name].replace("typed\n---", 'typed\ntrigger: glob\nglobs: ["src/**"]\n---')


def test_a_foya_rule_is_tried_on_a_text(window: Workbench) -> None:
    window.open(".foya/rules/api.md", 1, 1)
    lenses = window.lenses("lenses.length > 1 && lenses.every((lens) => lens.runs)")
    assert lenses == [
        {"text": "wakes on src/** (2 files)", "runs": True},
        {"text": "try an activity text", "runs": True},
    ]
    window.click(".codelens-decoration a", "try an activity text")
    window.wait(".quick-input-widget:visible", "Would the rule api wake?")
    window.type("please change src/api/client.go")
    window.press("Enter")
    text = window.wait(".editor-group-container .view-lines", "awake")
    assert "src/api/client.go" in text


def test_a_foya_rule_is_shown_as_the_model_gets_it(window: Workbench) -> None:
    window.open(".foya/rules/api.md", 1, 1)
    window.click(".codelens-decoration a", "wakes on")
    text = window.wait(".editor-group-container .view-lines", "scope:")
    assert "Keep handlers thin." in text
    assert "description: handlers of requests" in text
    assert window.wait(".tab", "Rule api")


def test_a_new_name_reaches_the_mentions_in_another_file(window: Workbench) -> None:
    name = ".foya/rules/review.md"
    window.open(name, 3, 8)
    window.rename("second look", refused="white space")
    window.rename("look")
    window.lines("lines[2] === 'name: look'")
    window.wait_for_text(".foya/rules/calls.md", "See @look, not @review-old, and (@look).")
    window.wait_for_text(name, "id: review-id\nname: look\n")
    window.open(".foya/rules/calls.md", 7, 6)
    window.lines("lines.includes('See @look, not @review-old, and (@look).')")


# --- hook chains


def test_problems_of_hook_chains(window: Workbench) -> None:
    window.open(CHAINS, 10, 1)
    rows = window.problems("rows.length > 1", CHAINS)
    assert {(row["code"], row["source"], row["line"], row["column"]) for row in rows} == {
        ("chain-tool-name", "rulewright", 8, column(CHAINS, 8, '"shell"')),
        ("chain-unknown-variable", "rulewright", 10, column(CHAINS, 10, "NOPE")),
    }
    assert window.underlined("warning") == ['"shell"', "NOPE"]
    assert window.link_of("chain-tool-name").endswith("/chain-tool-name")


def test_a_hover_in_hook_chains(window: Workbench) -> None:
    window.open(CHAINS, 1, 1)
    parts = window.hover("PostToolUseFailure", "parts.some((part) => part.includes('PostToolUseFailure'))")
    assert any("outcome" in part for part in parts), parts


def test_a_line_above_a_rule_of_hook_chains_runs_nothing(window: Workbench) -> None:
    window.command("Notifications: Clear All Notifications")
    window.open("ci/lens.hook-chains.json", 1, 1)
    (lens,) = window.lenses("lenses.length > 0")
    assert lens["text"].startswith("fires on PostToolUseFailure")
    assert not lens["runs"]
    window.click(".codelens-decoration", "fires on")
    window.problems("rows.length === 0", "ci/lens.hook-chains.json")
    assert window.notifications() == []


def test_an_event_and_a_variable_are_completed(window: Workbench) -> None:
    name = "ci/typed.hook-chains.json"
    window.open(name, 6, column(name, 6, "}") - 1)
    window.type(' "event": "Post')
    window.complete("PostToolUseFailure")
    window.lines("""lines[5].includes('{ "event": "PostToolUseFailure" }')""")
    window.press("Escape")
    window.go_to(7, column(name, 7, 'by "') + 3)
    window.type("${RU")
    assert [one["label"] for one in window.complete()] == ["RULE_ID"]
    window.complete("RULE_ID")
    window.lines("""lines[6].includes('"by ${RULE_ID}"')""")
    window.press("Escape")
    window.problems("rows.length === 0", name)
    window.save()
    written = json.loads(text_of(window, name))["rules"][0]
    assert written["trigger"] == {"event": "PostToolUseFailure"}
    assert written["actions"][0]["summary"] == "by ${RULE_ID}"


def test_a_quick_fix_then_all_fixes_of_hook_chains(window: Workbench) -> None:
    name = "ci/fixed.hook-chains.json"
    window.open(name, 6, 9)
    window.problems("rows.filter((row) => row.code === 'unknown-field').length === 2", name)
    window.quick_fix(next(title for title in window.quick_fix() if "`enabled`" in title))
    window.lines("""lines[5].trim() === '"enabled": true,'""")
    window.problems("rows.length === 1", name)
    window.command("Fix All")
    window.problems("rows.length === 0", name)
    window.save()
    assert text_of(window, name) == FILES[name].replace("enabeld", "enabled").replace('outcom"', 'outcome"')


def test_hook_chains_are_rewritten_from_the_light_bulb(window: Workbench) -> None:
    """Written defaults, a window moved to the top, wrapped and taken out again; each is saved, and the file is what it says."""
    name = "ci/rewritten.hook-chains.json"
    text = FILES[name]
    window.open(name, 1, 1)
    window.problems("rows.length === 0", name)

    # The server has read the file; the light bulb comes when the cursor moves.
    window.lenses("lenses.length > 0")

    def rewrite(line: int, at: int, title: str, shown: str, expected: str) -> None:
        window.go_to(line + 1, 1)
        window.go_to(line, at)
        window.light_bulb(title)
        window.lines(shown)
        window.save()
        assert text_of(window, name) == expected

    top = '{\n  "enabled": true,\n  "maxChainDepth": 2,\n  "defaultCooldownMs": 30000,\n  "defaultDedupWindowMs": 30000,\n'
    written = text.replace("{\n", top, 1)
    rewrite(1, 1, "Write the defaults down", "lines[1] === '  \"enabled\": true,'", written)
    moved = written.replace('"defaultCooldownMs": 30000', '"defaultCooldownMs": 5000').replace(
        '"cooldownMs": 5000, ', ""
    )
    line = next(at for at, each in enumerate(written.split("\n"), 1) if '"cooldownMs"' in each)
    column_of = written.split("\n")[line - 1].index("cooldownMs") + 2
    title = "Move `cooldownMs` of all rules to `defaultCooldownMs`"
    rewrite(line, column_of, title, "lines[3] === '  \"defaultCooldownMs\": 5000,'", moved)
    wrapped = '{\n  "hookChains": ' + moved.rstrip("\n").replace("\n", "\n  ") + "\n}\n"
    rewrite(1, 1, "Wrap in `hookChains`", "lines[1] === '  \"hookChains\": {'", wrapped)
    rewrite(1, 1, "Take out of `hookChains`", "lines[1] === '  \"enabled\": true,'", moved)
    window.problems("rows.length === 0", name)


def test_words_of_hook_chains_have_the_colours_of_what_they_are(window: Workbench) -> None:
    window.open(CHAINS, 1, 1)
    words = ("PostToolUseFailure", "failed", "shell", "RULE_ID", "NOPE", "tell")
    colors = window.colors(*words, apart=("NOPE", "RULE_ID"))
    assert len({colors[word] for word in ("PostToolUseFailure", "failed", "tell")}) == 3
    # What does not exist looks otherwise than what does, and alike.
    assert colors["NOPE"] == colors["shell"]
    assert colors["NOPE"] != colors["RULE_ID"]
