"""`rulewright install`, `uninstall`, `hook`, `explain` and `lsp` as commands; the editing itself is in test_installing."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from commands.conftest import FAULTY, GUARD, Run, rulewright
from rulewright.commands import lsp
from rulewright.errors import RulewrightError

BLOCK = """\
spec: style/v0.3
name: ac-block
version: 0.1.0
description: block precedence example
rules:
  - id: no-rm
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - {field: tool.input.command, op: contains, pattern: rm -rf}
    text: Do not run rm -rf.
  - id: no-root
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - {field: tool.input.command, op: contains, pattern: " /"}
    text: Do not touch the filesystem root.
  - id: shell-tips
    target: tool
    tool: shell
    at: before
    text: Prefer trash over rm.
"""
DENIED = (
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    '"permissionDecisionReason":"Do not run rm -rf.\\nDo not touch the filesystem root."}}'
)
CLAUDE = ("--harness", "claude-code")


def event(command: str, **more: object) -> str:
    return json.dumps(
        {
            "hook_event_name": "PreToolUse",
            "session_id": "s1",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            **more,
        }
    )


@pytest.fixture
def packages(project: Path) -> Path:
    (project / ".style").mkdir()
    (project / ".style" / "block.yaml").write_text(BLOCK)
    return project


def test_install_and_uninstall(packages: Path, run: Run) -> None:
    ran = run("install", *CLAUDE)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("ac-block 0.1.0 installed into claude-code (project); events: PreToolUse")
    assert ".claude/settings.json" in ran.err
    assert "PreToolUse" in json.loads((packages / ".claude" / "settings.json").read_text())["hooks"]
    assert run("install", *CLAUDE).err.startswith("nothing to change\n")
    assert run("uninstall", *CLAUDE, "--lang", "zh-CN").err.startswith("已从 claude-code（project）中移除\n")
    assert not (packages / ".claude").exists()
    ran = run("uninstall", *CLAUDE)
    assert (ran.code, ran.err) == (0, "nothing is installed in claude-code (project)\n")


def test_dry_run_writes_nothing(packages: Path, run: Run) -> None:
    (packages / ".claude").mkdir()
    (packages / ".claude" / "settings.json").write_text('{\n  "env": {}\n}\n')
    before = sorted(packages.rglob("*"))
    ran = run("install", *CLAUDE, "--dry-run")
    assert ran.code == 0
    assert "--- a/.claude/settings.json\n+++ b/.claude/settings.json\n" in ran.out
    assert '-  "env": {}\n+  "env": {},\n+  "hooks": {\n' in ran.out
    assert "--- /dev/null\n+++ b/.style/style.lock.yaml\n" in ran.out
    assert sorted(packages.rglob("*")) == before
    run("install", *CLAUDE)
    ran = run("uninstall", *CLAUDE, "--dry-run")
    assert "+++ /dev/null" in ran.out
    assert (packages / ".style" / "style.lock.yaml").exists()


def test_errors_are_listed_and_nothing_is_written(packages: Path, run: Run) -> None:
    (packages / ".style" / "faulty.yaml").write_text(FAULTY)
    ran = run("install", *CLAUDE)
    assert ran.code == 1
    assert ".style/faulty.yaml:10:9: error[block-after]" in ran.out
    assert "block-repeat" not in ran.out
    assert ran.err == "rulewright: packages with errors are not installed; nothing was changed\n"
    assert not (packages / ".claude").exists()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("install", "--harness", "nobody"), "installing into `nobody` is not supported; supported: claude-code, "),
        (
            ("install", "--harness", "codex", "--scope", "local"),
            "`codex` has no scope `local`; supported: user, project",
        ),
        (("uninstall", *CLAUDE, "--scope", "here"), "`claude-code` has no scope `here`"),
        (("install", "--harness", "codex", "--fail-closed"), "`--fail-closed` is not possible in `codex`"),
        (("explain", "--harness", "nobody", "--payload", "-"), "unknown harness `nobody`"),
        (("explain", *CLAUDE, "--payload", "gone.json"), "there is no `gone.json`"),
        (("lsp", "--tcp", "0.0.0.0:1"), "`0.0.0.0` can be reached by others; use 127.0.0.1, or add `--allow-remote`"),
        (("lsp", "--ws", "here"), "`here` is not HOST:PORT; for example 127.0.0.1:7777"),
    ],
)
def test_what_is_not_there_is_refused(packages: Path, run: Run, words: tuple[str, ...], wanted: str) -> None:
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert wanted in ran.err
    assert ran.err.count("\n") == 1
    assert run(*words, "--lang", "zh-CN").err != ran.err
    assert not (packages / ".claude").exists()


def test_install_without_packages(project: Path, run: Run) -> None:
    ran = run("install", *CLAUDE)
    assert ran.code == 2
    assert "there are no packages in `.style`" in ran.err


@pytest.mark.ledger("S104")
def test_explain_prints_the_lines_of_the_seed(project: Path, run: Run) -> None:
    (project / "block.yaml").write_text(BLOCK)
    (project / "event.json").write_text(event("rm -rf /"))
    ran = run("explain", *CLAUDE, "--payload", "event.json", "--package", "block.yaml")
    assert (ran.code, ran.err) == (0, "")
    rows = [line for line in ran.out.split("\n") if not line.startswith("  ")]
    assert [row.split(" ")[1] for row in rows[:3]] == [
        '"ac-block/no-rm@tool.pre"', '"ac-block/no-root@tool.pre"', '"ac-block/shell-tips@tool.pre"',
    ]  # fmt: skip
    assert rows[0].endswith("block=blocked repeat=repeat-bypass output=blocked")
    assert rows[1].endswith("block=blocked repeat=repeat-bypass output=blocked")
    assert rows[2].endswith("block=block-precedence repeat=not-evaluated output=not-evaluated")
    assert rows[3] == "wire stdout=" + json.dumps(DENIED)


@pytest.mark.ledger("S105")
def test_explain_where_nothing_blocks(project: Path, run: Run) -> None:
    (project / "block.yaml").write_text(BLOCK)
    (project / "event.json").write_text(event("ls"))
    ran = run("explain", *CLAUDE, "--payload", "event.json", "--package", "block.yaml", "--json")
    report = json.loads(ran.out)
    assert (report["harness"], report["event"]) == ("claude-code", "tool.pre")
    assert [entry["block"] == "blocked" for entry in report["entries"]] == [False, False, False]
    answer = json.loads(report["wire"]["stdout"])
    assert answer["hookSpecificOutput"]["additionalContext"] == "Prefer trash over rm."
    assert (report["wire"]["stderr"], report["wire"]["exit"]) == ("", 0)


def test_explain_what_is_installed(packages: Path) -> None:
    ran = rulewright("explain", *CLAUDE, "--payload", "-", cwd=packages, stdin=event("rm -rf /").encode())
    assert (ran.code, ran.out) == (2, "")
    assert "nothing is installed for this project; name packages with `--package`" in ran.err
    assert rulewright("install", *CLAUDE, cwd=packages).code == 0
    for _ in range(2):  # nothing is remembered, so it says the same again
        ran = rulewright("explain", *CLAUDE, "--payload", "-", "--json", cwd=packages, stdin=event("ls").encode())
        assert json.loads(ran.out)["entries"][2]["output"] != "not-evaluated"


def test_explain_refuses_packages_with_errors(project: Path, run: Run) -> None:
    (project / "event.json").write_text(event("ls"))
    (project / "a.yaml").write_text(GUARD.replace("^git push", "(?=x)^git"))
    ran = run("explain", *CLAUDE, "--payload", "event.json", "--package", "a.yaml")
    assert ran.code == 1
    assert "error[regex-invalid]" in ran.out
    (project / "b.yaml").write_text("a: 1\n")
    ran = run("explain", *CLAUDE, "--payload", "event.json", "--package", "b.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "`b.yaml` is not a rule file" in ran.err


def test_hook_answers_with_what_is_installed(packages: Path) -> None:
    words = ("hook", *CLAUDE)
    ran = rulewright(*words, cwd=packages, stdin=event("rm -rf /").encode())
    assert (ran.code, ran.out) == (0, "")
    assert "nothing is installed for this project, so the event passes" in ran.err
    rulewright("install", *CLAUDE, cwd=packages)
    ran = rulewright(*words, cwd=packages, stdin=event("rm -rf /").encode())
    assert (ran.code, ran.out, ran.err) == (0, DENIED, "")
    elsewhere = packages.parent
    project = {"CLAUDE_PROJECT_DIR": str(packages)}
    assert rulewright(*words, cwd=elsewhere, stdin=event("rm -rf /").encode(), **project).out == DENIED
    ran = rulewright(*words, cwd=packages, stdin=b"no json")
    assert (ran.code, ran.out) == (0, "")
    assert "additionalContext" in rulewright(*words, cwd=packages, stdin=event("ls").encode()).out
    assert rulewright(*words, cwd=packages, stdin=event("ls").encode()).out == ""  # said once in this session


def test_addresses() -> None:
    assert lsp.address("127.0.0.1:80", False) == ("127.0.0.1", 80)
    assert lsp.address("localhost:0", False) == ("localhost", 0)
    assert lsp.address("[::1]:80", False) == ("::1", 80)
    assert lsp.address(":80", False) == ("127.0.0.1", 80)
    assert lsp.address("0.0.0.0:80", True) == ("0.0.0.0", 80)
    for text in ("x", "h:", "h:x", "h:99999", "h:-1", "h:\u0661"):
        with pytest.raises(RulewrightError):
            lsp.address(text, True)
    for text in ("example.org:80", "[::]:80", "10.0.0.1:1"):
        with pytest.raises(RulewrightError):
            lsp.address(text, False)


def test_a_port_in_use_is_one_line(project: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = rulewright("lsp", "--tcp", f"127.0.0.1:{taken.getsockname()[1]}", cwd=project)
    assert ran.code == 2
    assert "cannot listen on 127.0.0.1:" in ran.err
    assert "Traceback" not in ran.err


def test_lsp_over_stdio(project: Path) -> None:
    messages = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"processId": None, "rootUri": None, "capabilities": {}},
        },
        {"jsonrpc": "2.0", "method": "initialized", "params": {}},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    sent = b"".join(
        b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in (json.dumps(m).encode() for m in messages)
    )
    ran = rulewright("lsp", "--stdio", cwd=project, stdin=sent)
    assert ran.code == 0
    assert ran.out.startswith("Content-Length: ")
    assert '"capabilities"' in ran.out


def test_a_silenced_error_is_still_refused(packages: Path, run: Run) -> None:
    silenced = GUARD.replace('--force|-f)"', '--force|-f)(?=x)" # rulewright: ignore[regex-invalid]')
    (packages / ".style" / "guard.yaml").write_text(silenced)
    assert run("check").code == 0
    ran = run("install", *CLAUDE)
    assert ran.code == 1
    assert ".style/guard.yaml:14:" in ran.out
    assert "error[regex-invalid]" in ran.out
    assert not (packages / ".claude").exists()
