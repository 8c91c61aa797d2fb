"""Whole events: the seed's examples through the real command line, the corpus, broken installations, slow input."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rulewright.compiler import hook_command, interpreter
from rulewright.explaining import explain
from support.hook import HARNESS, Hook, package, payload, shell
from support.waiting import costs_less_than

CORPUS = Path(__file__).parent.parent / "corpus"

MINIMAL = """spec: style/v0.3
name: ac-min
version: 0.1.0
description: action minimal example
rules:
  - id: force-push-guard
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^git push .*(--force|-f)"
    text: Force push is not allowed.
"""
ALL = """spec: style/v0.3
name: ac-all
version: 0.1.0
description: actions example
rules:
  - id: lint-reminder
    target: tool
    tool: file.edit
    action: warn
    model_text: Run the linter after editing.
    text: Edited a file. Run the linter before committing; CI rejects lint errors.
  - id: force-push-guard
    target: tool
    tool: shell
    action: block
    fail: closed
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^git push .*(--force|-f)"
    text: Force push is not allowed.
  - id: plan-reminder
    target: system
    refresh: 10
    reason: Long sessions drift from the plan format.
    when:
      model: "*"
    text: Keep plans to five steps or fewer.
  - id: per-turn
    target: event
    event: prompt.submitted
    repeat: turn
    reason: Remind on every turn.
    text: State assumptions before acting.
"""
BLOCK = """spec: style/v0.3
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


@pytest.mark.ledger("S013", "S021")
def test_the_minimal_example(tmp_path: Path) -> None:
    hook = Hook(tmp_path, MINIMAL)
    answer = hook.send(shell("cd app && git push --force origin main"))
    assert answer.stdout == (
        b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
        b'"permissionDecisionReason":"Force push is not allowed."}}'
    )
    assert (answer.stderr, answer.exit) == ("", 0)
    quiet = hook.send(shell("git push origin main"))
    assert (quiet.stdout, quiet.stderr, quiet.exit) == (b"", "", 0)
    assert hook.send(shell("git push -f", event="PostToolUse")).stdout == b""


@pytest.mark.ledger("S101", "S012", "S021", "S032", "S043", "S062", "S063", "S072", "S085")
@pytest.mark.parametrize("how", ["answer", "send"])
def test_the_second_example(tmp_path: Path, how: str) -> None:
    """The whole example, and the four notes that the page makes on it."""
    hook = Hook(tmp_path, ALL)
    answer = getattr(hook, how)
    plan, assumptions = "Keep plans to five steps or fewer.", "State assumptions before acting."

    # plan-reminder: at session.start and prompt.submitted, every 10 turns. per-turn: at most once a turn.
    assert answer(payload("SessionStart", source="startup")).context == plan
    said = [answer(payload("UserPromptSubmit", prompt="x", prompt_id=str(turn))).context for turn in range(1, 22)]
    assert said == [f"{plan}\n\n{assumptions}" if turn % 10 == 0 else assumptions for turn in range(1, 22)]
    assert answer(payload("UserPromptSubmit", prompt="x", prompt_id="21")).context is None
    assert answer(payload("SessionStart", source="compact")).context == plan, "a system rule is due again"

    # lint-reminder: the user sees the whole text, the model only model_text.
    edit = payload("PostToolUse", tool_name="Edit", tool_input={"file_path": "/project/a.py"}, tool_response={})
    for _ in range(2):
        found = answer(edit)
        assert found.message == "Edited a file. Run the linter before committing; CI rejects lint errors."
        assert found.context == "Run the linter after editing."
    assert answer({**edit, "hook_event_name": "PreToolUse"}).stdout == b""
    assert answer({**edit, "hook_event_name": "PostToolUseFailure", "error": "x"}).stdout == b""

    # force-push-guard: before the call; an error of the handler denies too, whatever the call is.
    assert answer(shell("git push -f")).deny == "Force push is not allowed."
    assert answer(shell("git status")).stdout == b""
    nameless = shell("git status")
    del nameless["tool_name"]
    assert answer(nameless).deny == (
        "ac-all/force-push-guard could not be evaluated and fails closed: the event names no tool."
    )


@pytest.mark.ledger("S093", "S094", "S095", "S104", "S105")
def test_the_third_example(tmp_path: Path) -> None:
    hook = Hook(tmp_path, BLOCK)
    denied = hook.send(shell("rm -rf /"))
    assert denied.stdout == (
        b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
        b'"permissionDecisionReason":"Do not run rm -rf.\\nDo not touch the filesystem root."}}'
    )
    assert not hook.state.exists(), "the silenced rule made no claim"
    assert [hook.send(shell("ls")).context for _ in range(2)] == ["Prefer trash over rm.", None]


@pytest.mark.ledger("S011")
def test_inject_gives_the_text_to_the_model(tmp_path: Path) -> None:
    hook = Hook(tmp_path, package("- {id: a, target: event, event: prompt.submitted, text: Think.}"))
    assert hook.send(payload("UserPromptSubmit", prompt="x")).wire == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "Think."}
    }


@pytest.mark.ledger("S013")
def test_a_prompt_is_blocked(tmp_path: Path) -> None:
    rules = """
- id: key
  target: event
  event: prompt.submitted
  action: block
  when: {conditions: [{field: prompt.text, op: regex, pattern: 'AKIA[0-9A-Z]{16}'}]}
  text: The prompt holds a key.
"""
    hook = Hook(tmp_path, package(rules))
    answer = hook.send(payload("UserPromptSubmit", prompt="use AKIAABCDEFGHIJKLMNOP please"))
    assert answer.wire == {"decision": "block", "reason": "The prompt holds a key."}
    assert hook.send(payload("UserPromptSubmit", prompt="use nothing")).stdout == b""


@pytest.mark.ledger("S012")
def test_warn_without_model_text_gives_the_first_sentence(tmp_path: Path) -> None:
    rules = (
        "- {id: a, target: tool, tool: shell, at: before, action: warn, text: 'Careful with {{ tool.name }}. Really.'}"
    )
    answer = Hook(tmp_path, package(rules)).send(shell("ls"))
    assert (answer.message, answer.context) == ("Careful with shell. Really.", "Careful with shell.")


@pytest.mark.ledger("S087")
def test_warn_where_only_one_output_exists(tmp_path: Path) -> None:
    rules = """
- {id: a, target: event, event: subagent.start, action: warn, text: Read only. Always.}
- {id: b, target: event, event: agent.stop, action: warn, text: Tests. Run them.}
"""
    hook = Hook(tmp_path, package(rules))
    assert hook.send(payload("SubagentStart", agent_id="a", agent_type="x")).wire == {
        "hookSpecificOutput": {"hookEventName": "SubagentStart", "additionalContext": "Read only."}
    }
    assert hook.send(payload("Stop")).wire == {"systemMessage": "Tests. Run them."}


def test_the_compaction_helper_is_no_subagent(tmp_path: Path) -> None:
    rules = "- {id: a, target: event, event: subagent.start, text: Read only.}"
    hook = Hook(tmp_path, package(rules))
    assert hook.answer(payload("SubagentStop", agent_id="a", agent_type="")).stdout == b""


@pytest.mark.ledger("S093", "S094", "S095", "S033")
@pytest.mark.parametrize("how", ["answer", "send"])
def test_corpus_block_takes_precedence(tmp_path: Path, how: str) -> None:
    case = CORPUS / "engine" / "01-block-takes-precedence"
    texts = [(case / "packages" / name).read_text(encoding="utf-8") for name in ("pa.yaml", "pb.yaml")]
    said = {"pa/use-pnpm": "Use pnpm in this repository.", "pb/lock-hint": "Commit the lock file."}
    hook = Hook(tmp_path, *texts)
    known: set[Path] = set()
    for step in json.loads((case / "steps.json").read_bytes()):
        answer = getattr(hook, how)(step["event"])
        assert answer.deny == step["deny"]
        assert (answer.context or "") == "\n\n".join(said[name] for name in step["emitted"])
        assert answer.message is None
        now = set(hook.state.rglob("s-*"))
        if "registered" in step:
            assert len(now - known) == len(step["registered"])
        known = now


SHELL_CASES = ["01-seed-pattern-audit", "02-wrappers", "03-chains-groups-substitutions", "04-mentions-are-not-commands"]


def shell_rows() -> list[Any]:
    return [
        pytest.param(case, row, id=f"{case[:2]}-{number}")
        for case in SHELL_CASES
        for number, row in enumerate(json.loads((CORPUS / "shell" / case / "commands.json").read_bytes()))
    ]


@pytest.mark.parametrize(("case", "row"), shell_rows())
def test_corpus_shell(tmp_path: Path, case: str, row: dict[str, Any]) -> None:
    accepted = {row["verdict"], *row.get("acceptable", [])}
    hook = Hook(tmp_path, (CORPUS / "shell" / case / "input.yaml").read_text(encoding="utf-8"))
    answer = hook.answer(shell(row["command"]))
    assert ("block" if answer.deny else "allow") in accepted, row.get("note")
    if "contains" in row:
        plain = Hook(tmp_path, (CORPUS / "shell" / case / "contains.yaml").read_text(encoding="utf-8"))
        assert ("block" if plain.answer(shell(row["command"])).deny else "allow") == row["contains"]


HOSTILE = CORPUS / "shell" / "05-unparsable-and-hostile-input"


@pytest.mark.ledger("S041", "S042", "S043")
@pytest.mark.parametrize("row", json.loads((HOSTILE / "payloads.json").read_bytes()), ids=range(12))
@pytest.mark.parametrize("fail", ["open", "closed"])
def test_corpus_hostile_input(tmp_path: Path, row: dict[str, Any], fail: str) -> None:
    name = "input.yaml" if fail == "open" else "closed.yaml"
    hook = Hook(tmp_path, (HOSTILE / name).read_text(encoding="utf-8"))
    if "payload_gen" in row:
        command = eval(row["payload_gen"].removeprefix("command = "), {"__builtins__": {}})
        event = shell(command)
    else:
        event = payload(tool_name=row.get("tool", "Bash"), **row["payload"])
    data = json.dumps(event).encode()
    with costs_less_than(5):
        answer = hook.send(data)
    accepted = {row[fail], *row.get("acceptable", [])}
    if accepted & {"block", "deny"}:
        accepted |= {"block", "deny"}
    if "error" in accepted and fail == "open":
        accepted.add("allow")
    found = "allow" if answer.deny is None else "block"
    assert found in accepted, answer
    assert answer.exit == 0
    assert answer.stdout == b"" or json.loads(answer.stdout)
    if answer.deny not in (None, "Force push is not allowed."):
        assert answer.deny is not None
        assert re.fullmatch(r"guard-closed/force-push-guard could not be evaluated and fails closed: .+\.", answer.deny)
    if row["open"] == "allow" and row["closed"] == "deny":
        replayed = explain(hook.index.read_bytes(), HARNESS, data)
        assert [entry.match for entry in replayed.entries] == ["error"], "not a rule that does not match"
        assert replayed.stdout.encode() == answer.stdout
    assert "Traceback" not in answer.stderr


def test_corpus_patterns_that_run_away(tmp_path: Path) -> None:
    """Where a backtracking engine would take ages: no match, and all three in less than 200 ms."""
    case = CORPUS / "style" / "03-catastrophic-patterns"
    hook = Hook(tmp_path, (case / "input.yaml").read_text(encoding="utf-8"))
    rows = json.loads((case / "events.json").read_bytes())
    taken = []
    for _ in range(3):  # The first time on a busy machine says little.
        began = time.process_time()
        answers = [hook.answer(shell(row["command"])) for row in rows]
        taken.append(time.process_time() - began)
        assert [(answer.stdout, answer.stderr) for answer in answers] == [(b"", "")] * 3
    assert min(taken) < 0.2
    assert [hook.send(shell(row["command"])).stderr for row in rows] == [""] * 3


# ------------------------------------------------------------------ input that comes slowly, in part, or not at all

SLOW = CORPUS / "engine" / "03-slow-and-open-stdin"
GUARD = (SLOW / "pkg.yaml").read_text(encoding="utf-8")
EVENT = (SLOW / "payload.json").read_bytes()
COMPACT = json.dumps(json.loads(EVENT), separators=(",", ":")).encode()
REASON = "Do not remove trees."
BEFORE_THE_DEADLINE = 40.0
"""Seconds: far more than an answer takes, and less than the 55 of an event where no timeout is declared."""


class Running:
    """A hook process whose stdin is ours."""

    def __init__(self, hook: Hook) -> None:
        self.began = time.monotonic()
        words = shlex.split(hook.command("PreToolUse"))
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdin is not None
        self.stdin = self.process.stdin

    def write(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def end(self, limit: float) -> tuple[str | None, str, float]:
        """Wait without closing stdin; return the reason of a deny, stderr and the seconds it took."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        try:
            code = self.process.wait(limit)
            taken = time.monotonic() - self.began
            out, err = self.process.stdout.read(), self.process.stderr.read()
        finally:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdout, self.process.stderr, self.stdin):
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        assert code == 0
        assert b"Traceback" not in err
        wire = json.loads(out) if out else {}
        return wire.get("hookSpecificOutput", {}).get("permissionDecisionReason"), err.decode(), taken


@pytest.mark.parametrize("data", [EVENT, COMPACT, COMPACT + b"\n"], ids=["laid-out", "compact", "line"])
def test_a_complete_event_on_an_open_pipe_is_answered(tmp_path: Path, data: bytes) -> None:
    running = Running(Hook(tmp_path, GUARD))
    running.write(data)
    reason, _, _ = running.end(BEFORE_THE_DEADLINE)
    assert reason == REASON


def test_an_event_in_drops(tmp_path: Path) -> None:
    running = Running(Hook(tmp_path, GUARD))
    for start in range(0, len(COMPACT), 3):
        running.write(COMPACT[start : start + 3])
        time.sleep(0.005)
    reason, _, _ = running.end(BEFORE_THE_DEADLINE)
    assert reason == REASON


@pytest.mark.ledger("S041", "S043", "S090")
@pytest.mark.parametrize("data", [EVENT[: len(EVENT) // 2], b""], ids=["half", "nothing"])
def test_an_event_that_never_comes_ends_at_the_deadline(tmp_path: Path, data: bytes) -> None:
    running = Running(Hook(tmp_path, GUARD, timeout=1.0))
    if data:
        running.write(data)
    reason, _, taken = running.end(BEFORE_THE_DEADLINE)
    assert reason == "pe/no-rm could not be evaluated and fails closed: the event's time is over."
    assert taken >= 0.9


@pytest.mark.ledger("S042", "S090")
def test_an_event_that_never_comes_passes_where_no_rule_is_closed(tmp_path: Path) -> None:
    running = Running(Hook(tmp_path, GUARD.replace("    fail: closed\n", ""), timeout=1.0))
    running.write(EVENT[:50])
    reason, err, taken = running.end(BEFORE_THE_DEADLINE)
    assert reason is None
    assert err == "rulewright: the event's time is over, so the event passes\n"
    assert taken >= 0.9


@pytest.mark.ledger("S044")
@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "there is no event to read"),
        (b" \n", "there is no event to read"),
        (EVENT[: len(EVENT) // 2], "the event cannot be read (not JSON)"),
        (EVENT + COMPACT, "the event cannot be read (more than one JSON value)"),
        (b"[1]", "the event is not a JSON object"),
        (b"hello", "the event cannot be read (not JSON)"),
        (EVENT.decode().encode("utf-16"), "the event cannot be read (not JSON)"),
        (b"[" * 100_000, "the event cannot be read (nested too deep)"),
    ],
)
def test_what_cannot_be_decoded_passes_though_a_rule_is_closed(tmp_path: Path, data: bytes, cause: str) -> None:
    answer = Hook(tmp_path, GUARD).send(data)
    assert (answer.stdout, answer.exit) == (b"", 0)
    assert answer.stderr == f"rulewright: {cause}, so the event passes\n"


def test_stdin_that_is_no_pipe(tmp_path: Path) -> None:
    hook = Hook(tmp_path, GUARD)
    for redirection in ("</dev/null", "<&-"):
        words = ["sh", "-c", f"{hook.command('PreToolUse')} {redirection}"]
        done = subprocess.run(words, capture_output=True, check=False, timeout=20)
        assert (done.stdout, done.returncode) == (b"", 0)
        assert done.stderr == b"rulewright: there is no event to read, so the event passes\n"


def test_a_byte_order_mark(tmp_path: Path) -> None:
    assert Hook(tmp_path, GUARD).send(b"\xef\xbb\xbf" + EVENT).deny == REASON


@pytest.mark.parametrize("filler", ["x", "}", "\\", '"'], ids=["plain", "braces", "backslashes", "quotes"])
def test_a_very_large_event(tmp_path: Path, filler: str) -> None:
    event = json.loads(EVENT)
    event["tool_input"] = {"extra": filler * 20_000_000, "command": "rm -rf build"}
    data = json.dumps(event).encode()
    hook = Hook(tmp_path, GUARD)
    # The corpus asks for 3 s on a machine that does nothing else.
    with costs_less_than(3):
        answer = hook.send(data)
    assert answer.deny == REASON


# ------------------------------------------------------------------ installations that are not what they were


def test_a_package_that_is_gone_exits_with_1(tmp_path: Path) -> None:
    hook = Hook(tmp_path, GUARD)
    for folder in (tmp_path / "gone", tmp_path):
        command = hook_command(HARNESS, str(hook.state), str(hook.index), "PreToolUse", package_folder=str(folder))
        done = subprocess.run(["sh", "-c", command], input=EVENT, capture_output=True, check=False, timeout=20)
        assert done.returncode == 1
        assert done.stdout == b""


def test_an_interpreter_that_is_gone_does_not_exit_with_2(tmp_path: Path) -> None:
    command = Hook(tmp_path, GUARD).command("PreToolUse").replace(interpreter(), str(tmp_path / "python"))
    done = subprocess.run(["sh", "-c", command], input=EVENT, capture_output=True, check=False, timeout=20)
    assert done.returncode == 127


@pytest.mark.parametrize(
    "words", [[], ["claude-code"], ["nobody", "s", "i", "E"], ["claude-code", "s", "i", "E", "soon"]]
)
def test_a_command_line_of_another_version_exits_with_1(words: list[str]) -> None:
    engine = str(Path(__file__).parents[2] / "engine")
    code = f"import sys;sys.path.insert(0,{engine!r});from rulewright.hook_entry import main;main()"
    command = [interpreter(), "-I", "-S", "-c", code, *words]
    done = subprocess.run(command, input=EVENT, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"so the event passes" in done.stderr


def test_folders_with_odd_names(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s a "test" $HOME `x` \\ ü'
    folder.mkdir()
    engine = folder / "lib"
    engine.symlink_to(Path(__file__).parents[2] / "engine")
    hook = Hook(folder, GUARD)
    command = hook_command(HARNESS, str(hook.state), str(hook.index), "PreToolUse", package_folder=str(engine))
    done = subprocess.run(["sh", "-c", command], input=EVENT, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'"deny"' in done.stdout


def test_the_command_line_works_where_bytecode_cannot_be_written(tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "lib"
    source = Path(__file__).parents[2] / "engine" / "rulewright"
    shutil.copytree(source, folder / "rulewright", ignore=shutil.ignore_patterns("__pycache__"))
    for path in [folder / "rulewright", folder / "rulewright" / "hook", folder / "rulewright" / "harness"]:
        (path / "__pycache__").write_text("a file where the folder should be")
    hook = Hook(tmp_path, GUARD)
    command = hook_command(HARNESS, str(hook.state), str(hook.index), "PreToolUse", package_folder=str(folder))
    done = subprocess.run(["sh", "-c", command], input=EVENT, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'"deny"' in done.stdout


@pytest.mark.ledger("S044")
def test_a_missing_or_foreign_index_passes(tmp_path: Path) -> None:
    hook = Hook(tmp_path, GUARD)
    good = hook.index.read_bytes()
    cases = {
        b"": "the file is not an index",
        b"{}": "the file is not an index",
        good.replace(b"index 2 ", b"index 1 ", 1): "the index is of another version: run `rulewright sync`",
        good.replace(b" claude-code ", b" other ", 1): "the index is for another harness",
        good[:-20]: "a section of the index is damaged",
        good[:80]: "the index is damaged",
    }
    for data, cause in cases.items():
        hook.index.write_bytes(data)
        answer = hook.answer(EVENT)
        assert answer.stdout == b""
        assert answer.stderr == f"rulewright: {cause}, so the event passes\n"
    hook.index.unlink()
    assert "the index cannot be read (No such file or directory), so the event passes" in hook.send(EVENT).stderr
    hook.index.mkdir()
    assert "the index cannot be read (Is a directory), so the event passes" in hook.answer(EVENT).stderr


def test_a_crash_of_ours_is_said_and_denies_only_where_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rulewright.hook import merge

    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(merge, "evaluate", broken)
    hook = Hook(tmp_path, GUARD)
    assert hook.answer(EVENT).deny == "pe/no-rm could not be evaluated and fails closed: ZeroDivisionError: oops."
    hook = Hook(tmp_path, GUARD.replace("    fail: closed\n", ""))
    answer = hook.answer(EVENT)
    assert (answer.stdout, answer.stderr) == (b"", "rulewright: ZeroDivisionError: oops, so the event passes\n")


def test_an_event_other_than_the_command_line_says_counts_as_what_it_is(tmp_path: Path) -> None:
    rules = """
- {id: before, target: tool, tool: shell, at: before, repeat: every, reason: r, text: Before.}
- {id: after, target: tool, tool: shell, repeat: every, reason: r, text: After.}
"""
    hook = Hook(tmp_path, package(rules))
    assert hook.answer(shell("ls", event="PostToolUse"), "PreToolUse").context == "After."
    assert hook.answer(shell("ls", event="Setup"), "PreToolUse").stdout == b""
    unnamed = shell("ls")
    del unnamed["hook_event_name"]
    assert hook.answer(unnamed, "PostToolUse").wire["hookSpecificOutput"]["hookEventName"] == "PostToolUse"


def test_texts_are_cut_between_rules_and_stay_due(tmp_path: Path) -> None:
    rules = "".join(
        f"- {{id: r{i}, target: tool, tool: shell, at: before, text: {'abcd'[i] * 4000}}}\n" for i in range(4)
    )
    hook = Hook(tmp_path, package(rules))
    first, second, third = (hook.answer(shell("ls")).context for _ in range(3))
    mark = "[rulewright: 2 more left out, the texts are too long for one answer]"
    assert first == f"{'a' * 4000}\n\n{'b' * 4000}\n\n{mark}"
    assert second == f"{'c' * 4000}\n\n{'d' * 4000}"
    assert third is None


def test_reasons_are_cut_between_rules(tmp_path: Path) -> None:
    rules = "".join(
        f"- {{id: r{i}, target: tool, tool: shell, action: block, text: {'abc'[i] * 6000}}}\n" for i in range(3)
    )
    deny = Hook(tmp_path, package(rules)).answer(shell("ls")).deny
    assert deny == f"{'a' * 6000}\n[rulewright: 2 more left out, the texts are too long for one answer]"


def test_an_empty_reason_is_filled_and_an_empty_text_is_nothing(tmp_path: Path) -> None:
    rules = """
- {id: no, target: tool, tool: shell, action: block, text: '{{ tool.missing }}'}
- {id: nothing, target: tool, tool: file.read, at: before, text: '{{ tool.missing }}'}
"""
    hook = Hook(tmp_path, package(rules))
    assert hook.answer(shell("ls")).deny == "Blocked by p/no."
    assert hook.answer(payload(tool_name="Read", tool_input={})).stdout == b""


def test_non_ascii_goes_out_as_it_is(tmp_path: Path) -> None:
    rules = "- {id: no, target: tool, tool: shell, action: block, text: '不要运行 {{ tool.input.command }} 😀'}"
    answer = Hook(tmp_path, package(rules)).send(json.dumps(shell("é \ud83d")).encode())
    assert "不要运行 é \ufffd 😀".encode() in answer.stdout


def test_the_console_script_answers_too(tmp_path: Path) -> None:
    from rulewright.settings import index_name

    (tmp_path / ".style").mkdir()
    hook = Hook(tmp_path, GUARD)
    hook.index.rename(tmp_path / ".style" / index_name(HARNESS))
    code = "import sys; from rulewright.cli import hook; sys.exit(hook())"
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code, "--harness", HARNESS]
    done = subprocess.run(command, input=EVENT, capture_output=True, check=False, timeout=60, env=environment)
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"] == REASON
    assert done.returncode == 0
