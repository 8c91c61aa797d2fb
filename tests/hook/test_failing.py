"""What the handler does where it fails itself: open lets the event pass, closed denies it, an installation may deny always."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulewright.harness import codec
from rulewright.hook import deadline
from rulewright.hook.run import Call, _limit
from support.hook import HARNESS, Answer, Hook, package, payload, shell
from support.sessions import session_of

# One rule that fails closed at each of the two events where that can be, and rules that need the state there.
RULES = """
- {{id: guard, target: tool, tool: file.edit, action: block, fail: {fail}, when: {{conditions: [{{field: tool.input.path, op: contains, pattern: never}}]}}, text: No.}}
- {{id: key, target: event, event: prompt.submitted, action: block, fail: {fail}, when: {{conditions: [{{field: prompt.text, op: equals, pattern: never}}]}}, text: No.}}
- {{id: tip, target: tool, tool: shell, at: before, text: Mind.}}
- {{id: hint, target: event, event: prompt.submitted, text: Think.}}
- {{id: after, target: tool, tool: shell, text: Look.}}
"""
CALL = shell("ls")
PROMPT = payload("UserPromptSubmit", prompt="x")
AFTER = shell("ls", "PostToolUse", tool_response={})
NAMES = {"PreToolUse": "p/guard", "UserPromptSubmit": "p/key"}


def hook_with(folder: Path, fail: str, **more: Any) -> Hook:
    return Hook(folder, package(RULES.format(fail=fail)), **more)


def unwritable(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> str:
    hook.state.write_text("")
    return "the session's state: Not a directory"


def damaged(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> str:
    session = session_of(hook)
    session.parent.mkdir(parents=True)
    session.write_text("junk")
    return "the session's state: Not a directory; it has been set aside"


def crashed(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> str:
    from rulewright.hook import merge

    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(merge, "answer", broken)
    return "ZeroDivisionError: oops"


def too_late(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> str:
    from rulewright.hook import merge

    hook.timeout = 0.2
    monkeypatch.setattr(merge, "evaluate", lambda *_: time.sleep(5))
    return "the event's time is over"


FAILURES = [unwritable, damaged, crashed, too_late]
Failure = Callable[[Hook, pytest.MonkeyPatch], str]


@pytest.mark.ledger("S041", "S042")
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("event", [CALL, PROMPT, AFTER], ids=["call", "prompt", "after"])
def test_open_lets_the_event_pass_without_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Failure, event: dict[str, Any]
) -> None:
    hook = hook_with(tmp_path, "open")
    cause = failure(hook, monkeypatch)
    assert hook.answer(event) == Answer(b"", f"rulewright: {cause}, so the event passes\n", 0)


@pytest.mark.ledger("S041", "S043")
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("event", [CALL, PROMPT], ids=["call", "prompt"])
def test_closed_denies_the_whole_native_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Failure, event: dict[str, Any]
) -> None:
    """Neither the tool nor the conditions of the rule narrow that."""
    hook = hook_with(tmp_path, "closed")
    cause = failure(hook, monkeypatch)
    answer = hook.answer(event)
    name = NAMES[event["hook_event_name"]]
    assert answer.deny == f"{name} could not be evaluated and fails closed: {cause}."
    assert (answer.stderr, answer.exit) == (f"rulewright: {cause}\n", 0)


@pytest.mark.ledger("S042", "S043")
@pytest.mark.parametrize("failure", FAILURES)
def test_where_no_rule_of_the_native_event_is_closed_it_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Failure
) -> None:
    hook = hook_with(tmp_path, "closed")
    failure(hook, monkeypatch)
    assert hook.answer(AFTER).stdout == b""


@pytest.mark.ledger("S041", "S043")
@pytest.mark.parametrize("fail", ["open", "closed"])
def test_an_event_that_does_not_say_what_it_must(tmp_path: Path, fail: str) -> None:
    hook = hook_with(tmp_path, fail)
    event = {**CALL}
    del event["tool_name"]
    answer = hook.send(event)
    reason = "p/guard could not be evaluated and fails closed: the event names no tool."
    assert (answer.deny, answer.exit) == (reason if fail == "closed" else None, 0)


@pytest.mark.ledger("S041", "S043")
@pytest.mark.parametrize("fail", ["open", "closed"])
def test_an_error_of_one_entry_is_its_own(tmp_path: Path, fail: str) -> None:
    """The others have been evaluated: what they say counts."""
    hook = hook_with(tmp_path, fail)
    event = payload(tool_name="Edit", tool_input={"path": {"odd": 1}})
    answer = hook.send(event)
    assert (answer.deny is not None) is (fail == "closed")
    odd = Hook(tmp_path, package("- {id: odd, target: tool, tool: shell, action: block, when: {conditions: [{field: tool.input.command, op: contains, pattern: rm}]}, text: No.}\n- {id: tip, target: tool, tool: shell, at: before, text: Mind.}"))  # fmt: skip
    found = odd.send(shell(None, description="rm"))
    assert found.context == "Mind."


DAMAGE: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda data: None,
    "empty": lambda data: b"",
    "cut": lambda data: data[:60],
    "bits": lambda data: bytes(byte ^ 1 for byte in data),
    "other": lambda data: data.replace(b" claude-code ", b" codex ", 1),
}


@pytest.mark.ledger("S044")
@pytest.mark.parametrize("kind", DAMAGE)
def test_without_an_index_no_rule_is_closed(tmp_path: Path, kind: str) -> None:
    hook = hook_with(tmp_path, "closed")
    spoil(hook, kind)
    for event in (payload(tool_name="Edit", tool_input={}), PROMPT):
        answer = hook.send(event)
        assert (answer.stdout, answer.exit) == (b"", 0)
        assert answer.stderr.endswith(", so the event passes\n")


def spoil(hook: Hook, kind: str) -> None:
    data = DAMAGE[kind](hook.index.read_bytes())
    hook.index.unlink()
    if data is not None:
        hook.index.write_bytes(data)


# ------------------------------------------------------------------ installed with --fail-closed

ALWAYS = "The rules could not be evaluated and fail closed: "


@pytest.mark.ledger("S046")
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("fail", ["open", "closed"])
def test_an_installation_that_fails_closed_denies_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Failure, fail: str
) -> None:
    hook = hook_with(tmp_path, fail, fail_closed=True)
    cause = failure(hook, monkeypatch)
    answer = hook.answer(CALL)
    who = ALWAYS if fail == "open" else "p/guard could not be evaluated and fails closed: "
    assert (answer.deny, answer.exit) == (f"{who}{cause}.", 1)


@pytest.mark.ledger("S046")
@pytest.mark.parametrize("kind", DAMAGE)
def test_it_denies_also_where_the_index_is_not_usable(tmp_path: Path, kind: str) -> None:
    hook = hook_with(tmp_path, "open", fail_closed=True)
    spoil(hook, kind)
    answer = hook.send(payload(tool_name="Edit", tool_input={}))
    assert answer.deny is not None
    assert answer.deny.startswith(ALWAYS)
    assert answer.exit == 1
    assert list(answer.wire) == ["hookSpecificOutput"]


@pytest.mark.ledger("S046")
@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"\xff\xfe", json.dumps({**CALL, "tool_name": None}).encode()])
def test_it_denies_also_where_there_is_no_event(tmp_path: Path, data: bytes) -> None:
    hook = hook_with(tmp_path, "open", fail_closed=True)
    answer = hook.send(data)
    assert answer.deny is not None
    assert answer.deny.startswith(ALWAYS)
    assert answer.exit == 1


@pytest.mark.ledger("S045", "S046")
def test_it_acts_at_tool_calls_of_claude_code_alone(tmp_path: Path) -> None:
    for harness, name, event in (
        (HARNESS, "UserPromptSubmit", PROMPT),
        (HARNESS, "PostToolUse", AFTER),
        ("codex", "PreToolUse", CALL),
    ):
        hook = hook_with(tmp_path, "open", fail_closed=True, harness=harness)
        hook.index.unlink()
        answer = hook.send(event)
        assert (answer.stdout, answer.exit) == (b"", 0), name


@pytest.mark.ledger("S046")
def test_where_nothing_fails_it_changes_nothing(tmp_path: Path) -> None:
    hook = hook_with(tmp_path, "open", fail_closed=True)
    assert (hook.send(CALL).context, hook.send(CALL).exit) == ("Mind.", 0)
    assert hook.send(payload(tool_name="Edit", tool_input={"file_path": "never"})) == Answer(
        b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
        b'"permissionDecisionReason":"No."}}',
        "",
        0,
    )


@pytest.mark.ledger("S046")
def test_an_entry_that_cannot_be_evaluated_is_a_failure_there_unless_another_blocks(tmp_path: Path) -> None:
    rules = """
- {id: odd, target: tool, tool: shell, action: block, when: {conditions: [{field: tool.input.command, op: contains, pattern: rm}]}, text: No.}
- {id: no, target: tool, tool: shell, action: block, when: {conditions: [{field: tool.input.description, op: contains, pattern: wipe}]}, text: Never.}
"""
    hook = Hook(tmp_path, package(rules), fail_closed=True)
    answer = hook.send(payload(tool_name="Bash", tool_input={"command": None, "description": "rm"}))
    assert answer.deny == f"{ALWAYS}p/odd@tool.pre: tool.input.command is null, not text."
    assert answer.exit == 1
    answer = hook.send(payload(tool_name="Bash", tool_input={"command": None, "description": "rm and wipe"}))
    assert (answer.deny, answer.exit) == ("Never.", 0)


@pytest.mark.ledger("S046")
@pytest.mark.parametrize("fail_closed", [False, True])
def test_an_answer_that_nobody_can_read_exits_with_1_there(tmp_path: Path, fail_closed: bool) -> None:
    """So that the client denies in its own way."""
    hook = hook_with(tmp_path, "open", fail_closed=fail_closed)
    words = ["sh", "-c", f"{hook.command('PreToolUse')} >&-"]
    done = subprocess.run(words, input=json.dumps(CALL).encode(), capture_output=True, check=False, timeout=30)
    assert done.returncode == int(fail_closed)


@pytest.mark.ledger("S046")
def test_an_interrupt_denies_there_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rulewright.hook import merge

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(merge, "evaluate", interrupted)
    assert hook_with(tmp_path, "open", fail_closed=True).answer(CALL).exit == 1
    answer = hook_with(tmp_path, "open").answer(CALL)
    assert (answer.stdout, answer.exit) == (b"", 0)


# ------------------------------------------------------------------ the deadline


@pytest.mark.ledger("S090")
@pytest.mark.parametrize(
    ("harness", "event", "declared", "seconds"),
    [
        ("claude-code", "PreToolUse", None, 55),
        ("claude-code", "UserPromptSubmit", None, 27),
        ("claude-code", "PreToolUse", 20, 18),
        ("claude-code", "PreToolUse", 600, 540),
        ("claude-code", "SessionEnd", None, 1.35),
        ("openclaude", "UserPromptSubmit", None, 55),
        ("codex", "PreToolUse", None, 9),
        ("codex", "PreToolUse", 10, 9),
        ("foya", "PreToolUse", None, 27),
    ],
)
def test_nine_tenths_of_the_hooks_timeout(harness: str, event: str, declared: float | None, seconds: float) -> None:
    assert _limit(Call(codec(harness), "", "", event, declared)) == pytest.approx(seconds)


def test_a_late_alarm_of_a_pattern_does_not_end_the_event() -> None:
    def take_too_long() -> None:
        deadline.enter_pattern(0.01)
        time.sleep(30)

    deadline.start(60)
    try:
        deadline._ring(0, None)
        with pytest.raises(deadline.PatternTooSlow):
            take_too_long()
        deadline.leave_pattern()
        deadline._ring(0, None)
    finally:
        deadline.stop()


def test_the_time_of_patterns_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of its own: each pattern takes all that it may, and no time passes between them."""
    now, alarms = [100.0], [0.0]

    def set_alarm(_: int, seconds: float, again: float = 0.0) -> None:
        alarms.append(seconds)

    monkeypatch.setattr(deadline.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(deadline._signal, "setitimer", set_alarm)
    deadline.start(5)
    try:
        allowed = []
        for _ in range(4):
            deadline.enter_pattern(0.3)
            allowed.append(alarms[-1])
            now[0] += alarms[-1]
            deadline.leave_pattern()
        assert allowed == pytest.approx([0.3, deadline.PATTERN_REST, deadline.PATTERN_REST, deadline.PATTERN_REST])
        assert alarms[-1] == pytest.approx(5 - sum(allowed)), "and then the event's own"
    finally:
        deadline.stop()


@pytest.mark.parametrize("with_program", [True, False])
def test_an_alarm_that_rings_while_it_is_set_back_is_the_pattern_s(
    monkeypatch: pytest.MonkeyPatch, with_program: bool
) -> None:
    """It must not leave the matcher as if the whole hook had failed."""
    from rulewright.hook import match
    from rulewright.text.pattern_program import program
    from rulewright.text.patterns import PatternError, translate

    translated = translate("a+b")
    assert not isinstance(translated, PatternError)
    condition = {"python": translated.python}
    if with_program:
        condition["program"] = program(translated.tree)
    rings = iter([True])
    leave = deadline.leave_pattern

    def ringing() -> None:
        if next(rings, False):
            raise deadline.PatternTooSlow
        leave()

    monkeypatch.setattr(deadline, "leave_pattern", ringing)
    if with_program:
        assert match._found(condition, ("x", "aab")) == "aab"
    else:
        with pytest.raises(match.EngineError):
            match._found(condition, ("x", "aab"))
    monkeypatch.undo()
    assert match._found(condition, ("x", "aab")) == "aab"
