"""A person edits a STYLE package in VS Code and puts it to work: what is reported, explained, offered, written and installed."""

from __future__ import annotations

import json

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
WORDS = (
    PACKAGE.replace("name: guard", "name: guard-words")
    .replace("    at: after\n", "    event: tool.pre\n")
    .replace("tool: shell", "tool: [shell, shel]")
    .replace("{{ tool.input.command }}", "{{ tool.input.command }} {{ sesion.id }}")
)
WIDE = PACKAGE.replace("guard", "wide").replace("    at: after\n", "").replace("text: ", "text: 😀😀 {{ nope }} ")
FILES = {
    "rulewright.toml": 'harnesses = ["claude-code", "codex"]\n',
    "plain.yaml": "name: 'somebody else''s'\n",
    "README.md": "# Nothing of ours\n",
    ".style/guard.style.yaml": PACKAGE,
    ".style/good.style.yaml": PACKAGE.replace("guard", "good").replace("    at: after\n", ""),
    ".style/wide.style.yaml": WIDE,
    ".style/words.style.yaml": WORDS,
    ".style/fixed.style.yaml": PACKAGE.replace("guard", "fixed"),
    ".style/all.style.yaml": PACKAGE.replace("guard", "all").replace("after", "after # first") + "    enabeld: true\n",
    ".style/typed.style.yaml": PACKAGE.replace("guard", "typed").replace("    at: after\n", ""),
    "event.json": json.dumps(
        {
            "hook_event_name": "PreToolUse",
            "session_id": "one",
            "tool_use_id": "two",
            "tool_name": "Bash",
            "tool_input": {"command": "git push --force"},
        }
    ),
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


def test_words_have_the_colours_of_what_they_are(window: Workbench) -> None:
    window.open(".style/words.style.yaml", 1, 1)
    words = ("tool.pre", "shell", "shel", "tool.input.command", "sesion.id", "guard-words")
    colors = window.colors(*words, apart=("shell", "shel"))
    assert len({colors[word] for word in ("tool.pre", "shell", "guard-words")}) == 3
    # What does not exist looks otherwise than what does, and alike.
    assert colors["shel"] == colors["sesion.id"]
    assert colors["shel"] not in (colors["shell"], colors["tool.input.command"])


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


def test_an_event_is_explained_with_the_open_package(window: Workbench) -> None:
    window.open(".style/good.style.yaml", 1, 1)
    window.command("Rulewright: Explain Event…")
    window.wait(".quick-input-widget:visible", "For which harness?")
    window.click(".quick-input-widget:visible .monaco-list-row", "claude-code")
    window.wait(".quick-input-widget:visible", "The event as the harness sends it: a JSON file")
    window.fill(str(window.folder / "event.json"))
    text = window.wait(".editor-group-container .view-lines", "block=blocked")
    assert "Refused git push --force here." in text
    # It is a text, whatever the name of the event's file.
    window.problems("rows.every((row) => row.source === 'rulewright')")


def test_the_walkthrough(window: Workbench) -> None:
    window.command("Welcome: Open Walkthrough...")
    window.pick("Get Started with Rulewright", "Rulewright")
    for step in ("Install the server", "Write a rule", "See where it lands", "Install the hook"):
        window.wait(".gettingStartedContainer .getting-started-step", step)
    window.click(".gettingStartedContainer .getting-started-step .step-title", "See where it lands")
    window.wait(".gettingStartedContainer .getting-started-step.expanded .monaco-button", "Show Plan")
    window.command("View: Close All Editors")


def test_a_hook_is_installed_synchronised_and_taken_out(window: Workbench) -> None:
    """Each command is shown before it runs, and its changes where that is asked for."""
    settings = window.folder / ".claude" / "settings.json"
    index = window.folder / ".style" / "claude-code.index"
    for name in (
        ".style/guard.style.yaml",
        ".style/fixed.style.yaml",
        ".style/all.style.yaml",
        ".style/typed.style.yaml",
        ".style/words.style.yaml",
    ):
        (window.folder / name).unlink(missing_ok=True)
    name = ".style/good.style.yaml"

    def ask(title: str, words: str, choice: str) -> None:
        window.command(title)
        if "--harness" in words:
            window.wait(".quick-input-widget:visible .monaco-list-row", "claude-code")
            window.choose_only("claude-code")
        told = window.wait(".monaco-dialog-box", f"rulewright --lang en {words}")
        assert "Show Changes First" in told
        window.click(".monaco-dialog-box .monaco-button", choice)

    window.open(name, 1, 1)
    ask("Rulewright: Install Hook…", "install --harness claude-code", "Show Changes First")
    window.wait(".editor-group-container .view-lines", ".claude/settings.json")
    assert not settings.exists()
    ask("Rulewright: Install Hook…", "install --harness claude-code", "Run")
    window.wait_for("the hook", lambda: settings.exists() and index.exists())
    assert "rulewright" in settings.read_text("utf-8")

    window.open("event.json", 1, 1)
    window.command("Rulewright: Explain Event…")
    window.click(".quick-input-widget:visible .monaco-list-row", "claude-code")
    text = window.wait(".editor-group-container .view-lines", "good/no-force-push")
    assert "block=blocked" in text

    before = index.read_bytes()
    window.write(name, (window.folder / name).read_text("utf-8").replace("Refused", "Never"))
    ask("Rulewright: Sync Hook…", "sync", "Run")
    window.wait_for("another index", lambda: index.read_bytes() != before)

    window.command("Rulewright: Examine Installed Hooks")
    text = window.wait(".editor-group-container .view-lines", "every entry starts and answers")
    assert "good 0.1.0" in text

    ask("Rulewright: Uninstall Hook…", "uninstall --harness claude-code", "Run")
    window.wait_for("an end of the hook", lambda: not index.exists() and not settings.exists())
