"""The session's state: what is output again and when, what a compaction, a start and a clear change, and damage."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from rulewright.hook.state import AGAIN, FIRST, REFRESHED, State, StateError
from support.hook import Hook, package, payload, shell
from support.sessions import (
    CLEAR,
    COMPACT,
    CORPUS,
    START,
    TIP,
    TURN,
    files_of,
    modes,
    prompt,
    refreshing,
    session_of,
)

CLOSED = package("- {id: guard, target: tool, tool: file.edit, action: block, fail: closed, text: No.}", name="q")
DENIED = "q/guard could not be evaluated and fails closed: the session's state: {}."


# ------------------------------------------------------------------ repeat


@pytest.mark.ledger("S033", "S080", "S082")
def test_session_once_for_each_content(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    assert hook.answer(shell("ls")).context == "Mind ls."
    assert hook.answer(shell("ls")).context is None
    assert hook.answer(shell("pwd")).context == "Mind pwd."
    assert hook.answer({**shell("ls"), "session_id": "s-2"}).context == "Mind ls."
    assert modes(hook.state) == {(True, 0o700), (False, 0o600)}


@pytest.mark.ledger("S080")
def test_a_claim_is_of_a_rule_of_a_package(tmp_path: Path) -> None:
    """The same text of two rules, and of two rules of one name in two packages, is output for each."""
    rule = "- {{id: {}, target: tool, tool: shell, at: before, when: {{conditions: [{{field: tool.input.command, op: equals, pattern: {}}}]}}, text: Mind.}}"
    rules = "\n".join(rule.format(name, name) for name in ("a", "b"))
    hook = Hook(tmp_path, package(rules, "one"), package(rule.format("a", "c"), "two"))
    assert [hook.answer(shell(name)).context for name in "abcabc"] == ["Mind."] * 3 + [None] * 3


@pytest.mark.ledger("S031", "S086")
def test_every_time(tmp_path: Path) -> None:
    rules = package("- {id: tip, target: tool, tool: shell, at: before, repeat: every, reason: r, text: Mind.}")
    hook = Hook(tmp_path, rules)
    assert [hook.answer(shell("ls")).context for _ in range(3)] == ["Mind."] * 3
    assert not hook.state.exists()


@pytest.mark.ledger("S032", "S081")
def test_turn_once_for_each_turn_id(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TURN)
    found = [hook.answer(shell("ls", prompt_id=turn)).context for turn in ("a", "a", "b", "a", "b")]
    assert found == ["Mind.", None, "Mind.", None, None]


@pytest.mark.ledger("S032", "S081")
@pytest.mark.parametrize("harness", ["claude-code", "openclaude"])
def test_turn_once_for_each_prompt_where_there_is_no_turn_id(tmp_path: Path, harness: str) -> None:
    hook = Hook(tmp_path, TURN, harness=harness)
    events = [shell("ls"), shell("ls"), prompt(1), shell("ls"), shell("ls"), prompt(2), shell("ls")]
    assert [hook.answer(event).context for event in events] == ["Mind.", None, None, "Mind.", None, None, "Mind."]


@pytest.mark.ledger("S081")
def test_a_turn_is_of_a_generation_and_no_compaction_touches_it(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TURN)
    event = shell("ls", prompt_id="t")
    found = [hook.answer(each).context for each in (event, event, COMPACT, event, CLEAR, event, event)]
    assert found == ["Mind.", None, None, None, None, "Mind.", None]


@pytest.mark.ledger("S086")
def test_subagent_start_warnings_and_blocks_never_dedup(tmp_path: Path) -> None:
    rules = package(
        """
- {id: sub, target: event, event: subagent.start, text: Read only.}
- {id: warn, target: tool, tool: shell, at: before, action: warn, text: Careful.}
- {id: block, target: tool, tool: file.edit, action: block, text: No.}
"""
    )
    hook = Hook(tmp_path, rules)
    start = payload("SubagentStart", agent_id="a", agent_type="x")
    assert [hook.answer(start).context for _ in range(2)] == ["Read only."] * 2
    assert [hook.answer(shell("ls")).message for _ in range(2)] == ["Careful."] * 2
    assert [hook.answer(payload(tool_name="Edit", tool_input={})).deny for _ in range(2)] == ["No."] * 2
    assert not hook.state.exists()


def test_session_ids_are_only_data(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for name in ("../../escape", "a/b\0c", "x" * 5000, "\ud83d", "CON", ""):
        event = {**shell("ls"), "session_id": name}
        assert hook.answer(event).context == "Mind ls."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state", "test.index"]
    assert [path.name for path in hook.state.iterdir()] == ["sessions"]
    assert all(len(path.name) == 32 for path in (hook.state / "sessions").iterdir())


def test_without_a_session_the_text_is_output_each_time(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for odd in (None, 3, {"a": 1}):
        event = {**shell("ls"), "session_id": odd}
        assert [hook.answer(event).context for _ in range(2)] == ["Mind ls."] * 2
    event = shell("ls")
    del event["session_id"]
    assert hook.answer(event).context == "Mind ls."
    assert not hook.state.exists()


# ------------------------------------------------------------------ starts, clears, compactions


@pytest.mark.ledger("S083", "S084")
@pytest.mark.parametrize("how", ["answer", "send"])
@pytest.mark.parametrize("event", [START, CLEAR], ids=["startup", "clear"])
def test_a_start_and_a_clear_begin_anew(tmp_path: Path, event: dict[str, Any], how: str) -> None:
    hook = Hook(tmp_path, TIP)
    answer = getattr(hook, how)
    for _ in range(2):
        assert [answer(shell("ls")).context for _ in range(2)] == ["Mind ls.", None]
        assert answer(event).stdout == b""


@pytest.mark.parametrize("source", ["resume", "fork", "odd", None])
def test_other_sources_keep_all(tmp_path: Path, source: str | None) -> None:
    hook = Hook(tmp_path, TIP)
    assert hook.answer(shell("ls")).context == "Mind ls."
    hook.answer(payload("SessionStart", source=source))
    assert hook.answer(shell("ls")).context is None


def test_a_fork_under_a_new_id_is_a_new_session(tmp_path: Path) -> None:
    """A fork comes under an id of its own; what the first session was told it is told once more."""
    hook = Hook(tmp_path, TIP)
    assert hook.answer(shell("ls")).context == "Mind ls."
    hook.answer(payload("SessionStart", source="fork", session_id="forked"))
    assert [hook.answer({**shell("ls"), "session_id": "forked"}).context for _ in range(2)] == ["Mind ls.", None]


@pytest.mark.ledger("S084")
def test_a_clear_under_a_new_id(tmp_path: Path) -> None:
    """As Claude Code sends it: the end of the old session, then the start of another one."""
    hook = Hook(tmp_path, TIP)
    assert hook.answer(shell("ls")).context == "Mind ls."
    hook.answer(payload("SessionEnd", reason="clear"))
    hook.answer({**CLEAR, "session_id": "s-2"})
    assert [hook.answer({**shell("ls"), "session_id": "s-2"}).context for _ in range(2)] == ["Mind ls.", None]


@pytest.mark.ledger("S083")
def test_what_is_claimed_once_the_session_begins_stays_claimed(tmp_path: Path) -> None:
    """Hooks of a starting session run at once: the start of one must not take back what the other has just output."""
    hook = Hook(tmp_path, TIP)
    late = hook.call("SessionStart")  # It has begun, but is slow.
    assert hook.answer(shell("ls")).context == "Mind ls."
    readable, writable = os.pipe()
    os.write(writable, json.dumps(START).encode())
    os.close(writable)
    from rulewright.hook.run import run

    assert run(late, readable).stdout == b""
    os.close(readable)
    assert hook.answer(shell("ls")).context is None


@pytest.mark.ledger("S071", "S080", "S081", "S085")
def test_a_compaction_counts_only_for_rules_that_ask(tmp_path: Path) -> None:
    rules = package(
        """
- {id: again, target: tool, tool: shell, at: before, reinject_on_compact: true, text: Again.}
- {id: once, target: tool, tool: shell, at: before, text: Once.}
- {id: turn, target: tool, tool: shell, at: before, repeat: turn, reason: r, text: Turn.}
"""
    )
    hook = Hook(tmp_path, rules)
    event = shell("ls", prompt_id="t")
    assert hook.answer(event).context == "Again.\n\nOnce.\n\nTurn."
    assert hook.answer(event).context is None
    for _ in range(2):
        hook.answer(COMPACT)
        assert hook.answer(event).context == "Again."
        assert hook.answer(event).context is None
    hook.answer(START)
    assert hook.answer(event).context == "Again.\n\nOnce.\n\nTurn."


@pytest.mark.ledger("S071", "S085")
@pytest.mark.parametrize(
    ("harness", "native", "session", "known"),
    [
        ("foya", "PostCompact", "session_id", True),
        ("copilot-cli", "preCompact", "sessionId", True),
        ("gemini-cli", "PreCompress", "session_id", False),
    ],
)
def test_where_another_event_tells_of_a_compaction(
    tmp_path: Path, harness: str, native: str, session: str, known: bool
) -> None:
    from rulewright.compiler import events_of

    rules = "- {id: a, target: event, event: prompt.submitted, reinject_on_compact: true, text: A.}"
    hook = Hook(tmp_path, package(rules), harness=harness)
    event = {"foya": "UserPromptSubmit", "copilot-cli": "userPromptSubmitted", "gemini-cli": "BeforeAgent"}[harness]
    asked = {session: "s", "cwd": "/project", "prompt": "x", "user_prompt": "x", "event": event}
    assert (native in events_of(hook.index.read_bytes())) is known

    def said() -> bool:
        return bool(hook.answer(json.dumps(asked).encode(), event).stdout)

    assert [said(), said()] == [True, False]
    hook.answer(json.dumps({**asked, "event": native}).encode(), native)
    assert said() is known


@pytest.mark.ledger("S072")
def test_a_session_start_rule_that_asks_for_it_also_listens_to_compact(tmp_path: Path) -> None:
    rules = package(
        """
- {id: a, target: event, event: session.start, sources: [startup], reinject_on_compact: true, text: A.}
- {id: b, target: event, event: session.start, sources: [startup], text: B.}
"""
    )
    hook = Hook(tmp_path, rules)
    found = [hook.answer(payload("SessionStart", source=source)).context for source in ("startup", "compact", "resume")]
    assert found == ["A.\n\nB.", "A.", None]


# ------------------------------------------------------------------ refresh


@pytest.mark.ledger("S062", "S063")
@pytest.mark.parametrize("how", ["answer", "send"])
def test_corpus_refresh_clock(tmp_path: Path, how: str) -> None:
    case = CORPUS / "04-refresh-clock"
    hook = Hook(tmp_path, (case / "pkg.yaml").read_text(encoding="utf-8"))
    steps = json.loads((case / "steps.json").read_bytes())
    assert len(steps) > 30
    for step in steps:
        answer = getattr(hook, how)(step["event"])
        assert answer.context == ("Use pnpm." if step.get("emitted") else None), step["n"]
        assert answer.deny == ("Publishing is done by CI." if step.get("deny") else None), step["n"]


@pytest.mark.ledger("S062")
@pytest.mark.parametrize("every", [1, 2, 5])
def test_each_so_many_prompts_from_the_first_output(tmp_path: Path, every: int) -> None:
    hook = Hook(tmp_path, refreshing(every))
    found = []
    for number in range(12):
        hook.answer(prompt(number))
        found.append([hook.answer(shell("ls")).context for _ in range(2)])
    assert found == [["Mind." if number % every == 0 else None, None] for number in range(12)]


@pytest.mark.ledger("S063")
def test_what_counts_as_a_prompt(tmp_path: Path) -> None:
    """Neither tool calls nor hits, and not the report of a background agent."""
    hook = Hook(tmp_path, refreshing(1))
    assert hook.answer(shell("ls")).context == "Mind."
    for event in (shell("pwd"), payload("SubagentStart", agent_id="a"), COMPACT, payload("Stop")):
        hook.answer(event)
    hook.answer(payload("UserPromptSubmit", prompt="<task-notification> done </task-notification>"))
    assert hook.answer(shell("ls")).context is None
    hook.answer(prompt())
    assert hook.answer(shell("ls")).context == "Mind."


def test_prompts_of_subagents_do_not_count(tmp_path: Path) -> None:
    hook = Hook(tmp_path, refreshing(1), harness="codex")
    assert hook.answer(shell("ls")).context == "Mind."
    hook.answer(prompt(agent_id="a", turn_id="x"))
    assert hook.answer(shell("ls")).context is None
    hook.answer(prompt(turn_id="y"))
    assert hook.answer(shell("ls")).context == "Mind."


@pytest.mark.parametrize(("reinject", "expected"), [("true", "Mind."), ("false", None)])
def test_a_compaction_and_refresh(tmp_path: Path, reinject: str, expected: str | None) -> None:
    """Where a compaction makes the claim void the next match is a first one, and prompts are counted from there."""
    hook = Hook(tmp_path, refreshing(3, f", reinject_on_compact: {reinject}"))
    assert hook.answer(shell("ls")).context == "Mind."
    for event in (prompt(1), prompt(2), COMPACT):
        assert hook.answer(event).context is None
    assert hook.answer(shell("ls")).context == expected
    hook.answer(prompt(3))
    assert hook.answer(shell("ls")).context == (None if expected else "Mind.")
    for number in (4, 5):
        hook.answer(prompt(number))
    assert hook.answer(shell("ls")).context == expected


@pytest.mark.ledger("S062", "S063", "S082")
def test_a_changed_text_has_a_clock_of_its_own(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP.replace("text:", "refresh: 2, reason: r, text:"))
    assert [hook.answer(shell(name)).context for name in ("a", "a")] == ["Mind a.", None]
    hook.answer(prompt(1))
    assert [hook.answer(shell(name)).context for name in ("a", "b")] == [None, "Mind b."]
    hook.answer(prompt(2))
    assert [hook.answer(shell(name)).context for name in ("a", "b")] == ["Mind a.", None]


def test_two_installations_count_the_same_prompts_each_for_itself(tmp_path: Path) -> None:
    """A user's and a project's installation have one state folder, and both are called at each prompt."""
    hooks = []
    for name in ("user", "project"):
        (tmp_path / name).mkdir()
        hook = Hook(tmp_path / name, refreshing(2).replace("name: p", f"name: {name}"))
        hook.state = tmp_path / "state"
        hooks.append(hook)
    for expected in (["Mind."] * 2, [None] * 2, ["Mind."] * 2, [None] * 2):
        assert [hook.answer(shell("ls")).context for hook in hooks] == expected
        for hook in hooks:
            hook.answer(prompt())


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_two_installations_see_the_same_start_once(tmp_path: Path, source: str) -> None:
    """Both are called, one after the other where the machine is busy: the second does not undo what the first has claimed."""
    rules = "- {id: s, target: event, event: session.start, reinject_on_compact: true, text: Mind.}"
    hooks = []
    for name in ("user", "project"):
        (tmp_path / name).mkdir()
        hook = Hook(tmp_path / name, package(rules))
        hook.state = tmp_path / "state"
        hooks.append(hook)
    start = payload("SessionStart", source="startup")
    assert [hook.answer(start).context for hook in hooks] == ["Mind.", None]
    again = payload("SessionStart", source=source)
    assert [hook.answer(again).context for hook in hooks] == ["Mind.", None]


def test_prompts_are_counted_only_where_a_rule_needs_that(tmp_path: Path) -> None:
    from rulewright.compiler import events_of

    for rules, events in ((TIP, {"PreToolUse", "SessionStart"}), (refreshing(2), {"PreToolUse", "SessionStart"})):
        hook = Hook(tmp_path, rules)
        counts = "refresh" in rules
        assert set(events_of(hook.index.read_bytes())) == events | ({"UserPromptSubmit"} if counts else set())
        hook.answer(prompt())
        assert hook.state.exists() is counts


# ------------------------------------------------------------------ state that cannot be used


@pytest.mark.ledger("S041", "S042")
def test_a_state_that_cannot_be_written_lets_the_event_pass_without_output(tmp_path: Path) -> None:
    rules = TIP + "  - {id: plain, target: tool, tool: shell, at: before, repeat: every, reason: r, text: Each time.}\n"
    hook = Hook(tmp_path, rules)
    hook.state.write_text("a file where the folder should be")
    answer = hook.answer(shell("ls"))
    assert answer.stdout == b""
    assert answer.stderr == "rulewright: the session's state: Not a directory, so the event passes\n"
    assert hook.state.read_text() == "a file where the folder should be"


@pytest.mark.ledger("S041", "S043")
def test_a_state_that_cannot_be_written_denies_where_a_rule_is_closed(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP, CLOSED)
    hook.state.write_text("")
    assert hook.answer(shell("ls")).deny == DENIED.format("Not a directory")
    hook.state.unlink()
    assert hook.answer(shell("ls")).context == "Mind ls.", "nothing was claimed by the failure"


@pytest.mark.ledger("S041", "S043")
def test_a_block_needs_no_state(tmp_path: Path) -> None:
    block = package("- {id: no, target: tool, tool: shell, action: block, text: Never.}", name="b")
    hook = Hook(tmp_path, TIP, block)
    hook.state.write_text("")
    assert hook.answer(shell("ls")).deny == "Never."


def damage(kind: str, path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(path.parent / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "half":
        path.write_bytes(data[:-1])
    elif kind == "garbage":
        path.write_bytes(b"\xff\0junk\n")
    elif kind == "huge":
        path.write_bytes(b"1" * (1 << 20))


@pytest.mark.ledger("S041", "S043")
@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "half", "garbage", "huge"])
@pytest.mark.parametrize("name", ["s-", "g", "c", "p-"])
@pytest.mark.parametrize("closed", [False, True])
def test_damaged_state_is_set_aside_and_counts_as_a_failure_once(
    tmp_path: Path, kind: str, name: str, closed: bool
) -> None:
    if (kind, name) == ("half", "p-"):
        pytest.skip("half of a count is a count")
    rules = refreshing(5, ", reinject_on_compact: true")
    hook = Hook(tmp_path, rules, *([CLOSED] if closed else []))
    for event in (prompt(), shell("ls"), CLEAR, COMPACT, shell("ls"), prompt()):
        hook.answer(event)
    session = session_of(hook)
    (found,) = session.glob(f"{name}*")
    damage(kind, found)
    answer = hook.answer(shell("ls"))
    assert "it has been set aside" in answer.stderr
    assert answer.context is None
    assert (answer.deny is not None) is closed
    assert not session.exists()
    (aside,) = (hook.state / "sessions").glob("x-*")
    assert list(aside.glob(f"{name}*")), "what was damaged is kept"
    assert [hook.answer(shell("ls")).context for _ in range(2)] == ["Mind.", None]
    assert not (session / "elsewhere").exists()


@pytest.mark.ledger("S041")
def test_a_file_where_the_session_should_be_is_set_aside(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    session = session_of(hook)
    session.parent.mkdir(parents=True)
    session.write_text("junk")
    assert "set aside" in hook.answer(shell("ls")).stderr
    assert hook.answer(shell("ls")).context == "Mind ls."


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_rights_is_left_as_it_is(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    assert hook.answer(shell("ls")).context == "Mind ls."
    session = session_of(hook)
    session.chmod(0)
    try:
        assert hook.answer(shell("ls")).stderr.startswith("rulewright: the session's state: Permission denied")
    finally:
        session.chmod(0o700)
    assert hook.answer(shell("ls")).context is None


@pytest.mark.ledger("S041", "S043")
def test_a_prompt_that_cannot_be_counted_is_a_failure(tmp_path: Path) -> None:
    closed = package("- {id: key, target: event, event: prompt.submitted, action: block, fail: closed, when: {conditions: [{field: prompt.text, op: equals, pattern: never}]}, text: No.}", "k")  # fmt: skip
    hook = Hook(tmp_path, refreshing(3), closed)
    hook.state.write_text("")
    assert hook.answer(prompt()).wire["reason"] == (
        "k/key could not be evaluated and fails closed: the session's state: Not a directory."
    )


def test_odd_folders_are_errors(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for odd in (State(str(loop), "h", "s"), State(f"{tmp_path}\0", "h", "s")):
        for call in (
            lambda odd=odd: odd.standing("s-1"),
            lambda odd=odd: odd.claim("s-1"),
            lambda odd=odd: odd.begin("g", 1),
            odd.count_prompt,
            odd.prompts,
        ):
            with pytest.raises(StateError):
                call()
    assert loop.is_symlink(), "the state folder itself is nobody's to move"


# ------------------------------------------------------------------ claims


def test_a_claim_stands_once_it_is_settled(tmp_path: Path) -> None:
    def state() -> State:
        return State(str(tmp_path), "h", "s", "i")

    first = state()
    assert (first.claim("s-1"), first.claim("s-1")) == (FIRST, AGAIN)
    first.settle(False)
    second = state()
    assert second.claim("s-1") == FIRST, "what was not delivered is due"
    second.settle(True)
    assert state().claim("s-1") == AGAIN
    assert state().standing("s-1") == (AGAIN, None)


@pytest.mark.parametrize("kind", ["g", "c"])
def test_a_clock_that_was_set_back_repeats_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """What was said stays said, also behind a start or a compaction of what is now the future; the next one counts all the same."""

    def claims() -> list[str]:
        """Claim one text that was there before and a new one, twice each."""
        found = []
        for name in ("s-1", "s-2", "s-1", "s-2"):
            state = State(str(tmp_path), "h", "s", "i")
            found.append(state.claim(name, by_compaction=True))
            state.settle(True)
        return found

    def begin(index: str) -> None:
        State(str(tmp_path), "h", "s", index).begin(kind, time.time_ns())

    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 3600 * 10**9)
    begin("i")
    state = State(str(tmp_path), "h", "s", "i")
    assert state.claim("s-1", by_compaction=True) == FIRST
    state.settle(True)
    monkeypatch.undo()
    assert claims() == [AGAIN, FIRST, AGAIN, AGAIN]
    begin("i")
    assert claims() == [FIRST, FIRST, AGAIN, AGAIN]
    begin("i")
    begin("another index, at the same event")
    assert claims() == [FIRST, FIRST, AGAIN, AGAIN]


def test_looking_changes_nothing(tmp_path: Path) -> None:
    def look() -> State:
        return State(str(tmp_path), "h", "s", "i", looks=True)

    assert look().claim("s-1") == FIRST
    look().count_prompt()
    assert not list(tmp_path.iterdir())
    state = State(str(tmp_path), "h", "s", "i")
    state.count_prompt()
    state.claim("s-1", refresh=1)
    state.settle(True)
    before = files_of(tmp_path)
    assert look().claim("s-1", refresh=1) == AGAIN
    counting = look()
    counting.count_prompt()
    assert counting.prompts() == 2
    assert counting.standing("s-1", refresh=1) == (REFRESHED, 1)
    beginning = look()
    beginning.begin("g", time.time_ns())
    assert beginning.claim("s-1") == FIRST
    (next((tmp_path / "sessions").iterdir()) / "s-1").write_bytes(b"junk")
    with pytest.raises(StateError):
        look().claim("s-1")
    (next((tmp_path / "sessions").iterdir()) / "s-1").write_bytes(before[next(n for n in before if n.endswith("s-1"))])
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("locks", [True, False])
def test_without_locks_an_empty_file_stands_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: bool
) -> None:
    from rulewright.hook import state as module

    if not locks:
        monkeypatch.delattr(module.system, "lockf")
    first, second = State(str(tmp_path), "h", "s"), State(str(tmp_path), "h", "s")
    assert first.claim("s-1") == FIRST
    if not locks:
        assert second.claim("s-1") == AGAIN, "it is being output"
        (lock,) = (tmp_path / "sessions").glob("*/s-1.0")
        os.utime(lock, (time.time() - 61,) * 2)
        assert second.claim("s-1") == FIRST, "the process that had it is dead"
        second.settle(True)
        assert not list((tmp_path / "sessions").glob("*/s-1.*"))
    else:
        first.settle(True)
    assert State(str(tmp_path), "h", "s").claim("s-1") == AGAIN


def test_what_could_not_be_printed_is_due_again(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    words = ["sh", "-c", f"{hook.command('PreToolUse')} >&-"]
    done = subprocess.run(words, input=json.dumps(shell("ls")).encode(), capture_output=True, check=False, timeout=30)
    assert done.returncode == 0
    assert hook.answer(shell("ls")).context == "Mind ls."


def test_old_sessions_are_forgotten_at_a_start(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for name in ("old", "young", "long"):
        hook.answer({**shell("ls"), "session_id": name})
    for name in ("old", "long"):
        folder = session_of(hook, name)
        for path in [*(folder.iterdir() if name == "old" else ()), folder]:
            os.utime(path, (time.time() - 31 * 86400,) * 2)
    aside = hook.state / "sessions" / "x-left"
    aside.mkdir()
    (aside / "s-1").touch()
    for path in (aside / "s-1", aside):
        os.utime(path, (time.time() - 31 * 86400,) * 2)
    beside = hook.state / "something"
    beside.mkdir()
    os.utime(beside, (0, 0))
    hook.answer({**START, "session_id": "new"})
    left = {path.name for path in (hook.state / "sessions").iterdir()}
    assert left == {session_of(hook, name).name for name in ("young", "long", "new")}
    assert beside.exists(), "only sessions are ours to remove"
