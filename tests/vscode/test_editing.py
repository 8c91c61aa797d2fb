"""A person edits rule files in VS Code: what is reported, explained, offered and written."""

from __future__ import annotations

import pytest

from vscode.conftest import Open
from vscode.workbench import IMAGES, Workbench

pytestmark = [pytest.mark.vscode, pytest.mark.timeout(300)]

PACKAGE = """\
spec: style/v0.3
name: guard
version: 0.1.0
description: no force push
rules:
  - id: no-force-push
    target: tool
    tool: shell
    action: block
    at: after
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^git push .*(--force|-f)"
    text: Refused {{ tool.input.command }} here.
"""
WIDE = PACKAGE.replace("guard", "wide").replace("    at: after\n", "").replace("text: ", "text: 😀😀 {{ nope }} ")
FILES = {
    "rulewright.toml": 'harnesses = ["claude-code", "codex"]\n',
    "plain.yaml": "name: 'somebody else''s'\n",
    "README.md": "# Nothing of ours\n",
    ".style/guard.style.yaml": PACKAGE,
    ".style/good.style.yaml": PACKAGE.replace("guard", "good").replace("    at: after\n", ""),
    ".style/wide.style.yaml": WIDE,
    ".style/fixed.style.yaml": PACKAGE.replace("guard", "fixed"),
    ".style/all.style.yaml": PACKAGE.replace("guard", "all").replace("after", "after # first") + "    enabeld: true\n",
    ".style/typed.style.yaml": PACKAGE.replace("guard", "typed").replace("    at: after\n", ""),
    ".foya/rules/go.md": "---\nname: go\ntrigger: always_on\n---\nRun the tests.\n",
    ".foya/rules/api.md": "---\nid: api\nname: api\ntrigger: glob\nglobs: ['src/**']\n---\nKeep handlers thin.\n",
    ".openclaude/hook-chains.json": """\
{
  "version": 1,
  "maxChainDepth": 2,
  "rules": [
    {
      "id": "retry",
      "trigger": { "event": "PostToolUse", "outcome": "failed" },
      "actions": [{ "type": "notify_team", "messageTemplate": "${RULE_ID} fired" }]
    }
  ]
}
""",
}


@pytest.fixture(scope="module")
def window(open_shared: Open) -> Workbench:
    return open_shared(FILES)


def test_nothing_starts_for_files_that_are_not_ours(window: Workbench) -> None:
    window.open("README.md")
    window.open("plain.yaml")
    assert window.servers() == []
    # A text can become ours while it is written.
    window.go_to(1, 1)
    window.type("spec: style/v0.3\n")
    rows = window.problems("rows.length > 0", "plain.yaml")
    assert {row["source"] for row in rows} == {"rulewright"}
    assert len(window.servers()) == 1
    window.command("File: Revert File")
    window.problems("rows.length === 0", "plain.yaml")


def test_a_problem_stands_at_its_place_with_its_code(window: Workbench) -> None:
    window.open(".style/guard.style.yaml", 10, 9)
    rows = window.problems("rows.some((row) => row.code === 'block-after')", ".style/guard.style.yaml")
    (row,) = [row for row in rows if row["severity"] == "error"]
    assert (row["code"], row["source"], row["line"], row["column"]) == ("block-after", "rulewright", 10, 9)
    assert window.squiggles("error", "count === 1") == 1
    assert window.underlined("error") == ["after"]
    assert window.link_of("block-after").endswith("block-after")
    window.picture("vscode-problems.png")


def test_a_place_after_a_character_of_two_units(window: Workbench) -> None:
    window.open(".style/wide.style.yaml", 15, 1)
    rows = window.problems("rows.some((row) => row.code === 'unknown-variable')", ".style/wide.style.yaml")
    (row,) = [row for row in rows if row["code"] == "unknown-variable"]
    # The name stands behind two emoji of two UTF-16 units each.
    assert (row["line"], row["column"]) == (15, WIDE.split("\n")[14].index("nope") + 2 + 1)
    assert window.underlined("warning") + window.underlined("error") == ["nope"]


def test_a_hover_explains_a_key(window: Workbench) -> None:
    window.open(".style/guard.style.yaml", 1, 1)
    parts = window.hover("target", "parts.some((part) => part.includes('target'))")
    assert any("tool" in part for part in parts)


def test_a_setting_counts_at_once(window: Workbench) -> None:
    window.open(".style/guard.style.yaml", 10, 9)
    window.write(".vscode/settings.json", '{"rulewright.lang": "zh-CN"}')
    window.problems("rows.some((row) => row.message.includes('不能在调用之后'))", ".style/guard.style.yaml")
    window.write(".vscode/settings.json", "{}")
    window.problems("rows.some((row) => row.message.includes('after the call'))", ".style/guard.style.yaml")


def test_the_plan_stands_beside_each_rule(window: Workbench) -> None:
    window.open(".style/good.style.yaml", 1, 1)
    shown = window.lines("lines.some((line) => line.includes('claude-code'))")
    (hinted,) = [line for line in shown if "id: no-force-push" in line]
    assert "codex" in hinted
    window.picture("vscode-plan-hints.png")


def test_a_completion_is_written_with_its_indentation(window: Workbench) -> None:
    window.open(".style/typed.style.yaml", 9, 99)
    window.press("End")
    # VS Code repeats the indentation of the line before.
    window.type("\nfa")
    offered = window.complete()
    assert "fallback" in [one["label"] for one in offered]
    window.press("Control+Space")
    window.wait(".suggest-widget.visible", "fallback")
    window.picture("vscode-completion.png")
    window.press("Escape")
    window.complete("fallback")
    window.lines("lines[9].startsWith('    fallback: ')")
    window.press("Escape")
    window.save()
    written = (window.folder / ".style/typed.style.yaml").read_text("utf-8").split("\n")
    assert written[8] == "    action: block"
    assert written[9].startswith("    fallback:")
    assert written[10] == "    when:"


def test_a_quick_fix_is_saved(window: Workbench) -> None:
    name = ".style/fixed.style.yaml"
    window.open(name, 10, 9)
    window.problems("rows.some((row) => row.code === 'block-after')", name)
    title = window.quick_fix(picture=IMAGES / "vscode-quick-fix.png")[0]
    window.quick_fix(title)
    window.problems("rows.every((row) => row.severity !== 'error')", name)
    assert "at: after" in (window.folder / name).read_text("utf-8")
    window.save()
    assert "at: after" not in (window.folder / name).read_text("utf-8")


def test_all_fixes_at_once(window: Workbench) -> None:
    name = ".style/all.style.yaml"
    window.open(name, 1, 1)
    window.problems("rows.filter((row) => row.severity !== 'info').length >= 2", name)
    window.command("Fix All")
    window.problems("rows.every((row) => row.severity === 'info')", name)
    window.save()
    text = (window.folder / name).read_text("utf-8")
    assert "    enabled: true\n" in text
    assert "at: after" not in text


def test_a_foya_rule(window: Workbench) -> None:
    name = ".foya/rules/go.md"
    window.open(name, 3, 10)
    rows = window.problems("rows.length > 0", name)
    assert ("foya-trigger", 3, 10) in {(row["code"], row["line"], row["column"]) for row in rows}
    assert window.underlined("error") == ["always_on"]
    window.quick_fix(next(title for title in window.quick_fix() if "`always`" in title))
    window.lines("lines[2] === 'trigger: always'")
    window.save()
    assert (window.folder / name).read_text("utf-8") == FILES[name].replace("always_on", "always")


def test_a_foya_rule_is_tried_on_a_text(window: Workbench) -> None:
    window.open(".foya/rules/api.md", 1, 1)
    window.click(".codelens-decoration a", "try an activity text")
    window.wait(".quick-input-widget:visible", "Would the rule api wake?")
    window.type("please change src/api/client.go")
    window.press("Enter")
    text = window.wait(".editor-group-container .view-lines", "awake")
    assert "src/api/client.go" in text


def test_hook_chains(window: Workbench) -> None:
    name = ".openclaude/hook-chains.json"
    window.open(name, 1, 1)
    rows = window.problems("rows.length > 0", name)
    assert {row["source"] for row in rows} == {"rulewright"}
    assert "chain-event-unwired" in {row["code"] for row in rows}
    assert window.underlined("warning") == ['"PostToolUse"']


def test_the_plan_as_a_report(window: Workbench) -> None:
    window.open(".style/good.style.yaml", 1, 1)
    window.command("Rulewright: Show Plan of Package")
    window.wait(".quick-input-widget:visible", "codex")
    window.click(".quick-input-widget .monaco-list-row", "codex")
    window.press("Enter")
    text = window.wait(".editor-group-container .view-lines", "tool.pre")
    assert "no-force-push" in text


def test_a_killed_server_is_started_again(window: Workbench) -> None:
    window.open(".style/guard.style.yaml", 10, 9)
    window.problems("rows.some((row) => row.code === 'block-after')", ".style/guard.style.yaml")
    old = window.kill_server()
    told = window.notification("ended unexpectedly")
    assert "was started again" in told["message"]
    assert "Show Output" in told["buttons"]
    window.problems("rows.some((row) => row.code === 'block-after')", ".style/guard.style.yaml")
    (new,) = window.servers()
    assert new != old


def test_a_hook_is_installed_after_its_command_was_confirmed(window: Workbench) -> None:
    settings = window.folder / ".claude" / "settings.json"
    for name in (
        ".style/guard.style.yaml",
        ".style/fixed.style.yaml",
        ".style/all.style.yaml",
        ".style/typed.style.yaml",
    ):
        (window.folder / name).unlink(missing_ok=True)
    window.open(".style/good.style.yaml", 1, 1)
    window.command("Rulewright: Install Hook…")
    window.wait(".quick-input-widget:visible .monaco-list-row", "claude-code")
    window.choose_only("claude-code")
    told = window.wait(".monaco-dialog-box", "rulewright --lang en install --harness claude-code")
    assert "Show Changes First" in told
    assert not settings.exists()
    window.click(".monaco-dialog-box .monaco-button", "Show Changes First")
    window.wait(".editor-group-container .view-lines", ".claude/settings.json")
    assert not settings.exists()
    window.open(".style/good.style.yaml", 1, 1)
    window.command("Rulewright: Install Hook…")
    window.wait(".quick-input-widget:visible .monaco-list-row", "claude-code")
    window.choose_only("claude-code")
    window.click(".monaco-dialog-box .monaco-button", "Run")
    window.wait_for_file(".claude/settings.json")
    assert "rulewright" in settings.read_text("utf-8")
    window.command("Rulewright: Examine Installed Hooks")
    window.wait(".tab", "Doctor")
