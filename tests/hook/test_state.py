"""Claims: made once, also between processes; a start or a clear begins anew, a compaction only where asked for."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from rulewright.compiler import interpreter
from rulewright.hook.state import State, StateError
from support.hook import Hook, package, payload, shell

TIP = package("- {id: tip, target: tool, tool: shell, at: before, text: 'Mind {{ tool.input.command }}.'}")


def modes(folder: Path) -> set[tuple[bool, int]]:
    return {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in [folder, *folder.rglob("*")]}


@pytest.mark.ledger("S033", "S082")
def test_session_once_for_each_content(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    assert hook.answer(shell("ls")).context == "Mind ls."
    assert hook.answer(shell("ls")).context is None
    assert hook.answer(shell("pwd")).context == "Mind pwd."
    assert hook.answer({**shell("ls"), "session_id": "s-2"}).context == "Mind ls."
    assert modes(hook.state) == {(True, 0o700), (False, 0o600)}


@pytest.mark.ledger("S031", "S086")
def test_every_time(tmp_path: Path) -> None:
    rules = package("- {id: tip, target: tool, tool: shell, at: before, repeat: every, reason: r, text: Mind.}")
    hook = Hook(tmp_path, rules)
    assert [hook.answer(shell("ls")).context for _ in range(3)] == ["Mind."] * 3
    assert not hook.state.exists()


@pytest.mark.ledger("S032")
def test_turn_once_for_each_prompt(tmp_path: Path) -> None:
    rules = package("- {id: tip, target: tool, tool: shell, at: before, repeat: turn, reason: r, text: Mind.}")
    hook = Hook(tmp_path, rules)
    found = [hook.answer(shell("ls", prompt_id=prompt)).context for prompt in ("a", "a", "b", "a", "b")]
    assert found == ["Mind.", None, "Mind.", None, None]
    assert [hook.answer(shell("ls")).context for _ in range(2)] == ["Mind."] * 2, "no turn id: no turn is known"


@pytest.mark.ledger("S086")
def test_subagent_start_and_warnings_never_dedup(tmp_path: Path) -> None:
    rules = package(
        """
- {id: sub, target: event, event: subagent.start, text: Read only.}
- {id: warn, target: tool, tool: shell, at: before, action: warn, text: Careful.}
"""
    )
    hook = Hook(tmp_path, rules)
    start = payload("SubagentStart", agent_id="a", agent_type="x")
    assert [hook.answer(start).context for _ in range(2)] == ["Read only."] * 2
    assert [hook.answer(shell("ls")).message for _ in range(2)] == ["Careful."] * 2


@pytest.mark.ledger("S083", "S084")
@pytest.mark.parametrize("source", ["startup", "clear"])
def test_a_start_and_a_clear_begin_anew(tmp_path: Path, source: str) -> None:
    hook = Hook(tmp_path, TIP)
    assert [hook.answer(shell("ls")).context for _ in range(2)] == ["Mind ls.", None]
    assert hook.answer(payload("SessionStart", source=source)).stdout == b""
    assert [hook.answer(shell("ls")).context for _ in range(2)] == ["Mind ls.", None]
    assert not list(hook.state.glob("x-*")), "the old scope is gone"


@pytest.mark.parametrize("source", ["resume", "fork", "odd"])
def test_other_sources_keep_all(tmp_path: Path, source: str) -> None:
    hook = Hook(tmp_path, TIP)
    assert hook.answer(shell("ls")).context == "Mind ls."
    hook.answer(payload("SessionStart", source=source))
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
        hook.answer(payload("SessionStart", source="compact"))
        assert hook.answer(event).context == "Again."
        assert hook.answer(event).context is None
    hook.answer(payload("SessionStart", source="startup"))
    assert hook.answer(event).context == "Again.\n\nOnce.\n\nTurn."


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


def test_session_ids_are_only_data(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for name in ("../../escape", "a/b\0c", "x" * 5000, "\ud83d", "CON", ""):
        event = {**shell("ls"), "session_id": name}
        assert hook.answer(event).context == "Mind ls."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state", "test.index"]
    assert all(len(path.name) == 32 for path in hook.state.iterdir())


def test_without_a_session_the_text_is_output_each_time(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for odd in (None, 3, {"a": 1}):
        event = {**shell("ls"), "session_id": odd}
        assert [hook.answer(event).context for _ in range(2)] == ["Mind ls."] * 2
    event = shell("ls")
    del event["session_id"]
    assert hook.answer(event).context == "Mind ls."


@pytest.mark.ledger("S042")
def test_a_state_that_cannot_be_written_loses_no_text(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    hook.state.write_text("a file where the folder should be")
    answer = hook.answer(shell("ls"))
    assert answer.context == "Mind ls."
    assert "the session's state: Not a directory" in answer.stderr


@pytest.mark.ledger("S041", "S043")
def test_a_state_that_cannot_be_written_denies_where_a_rule_is_closed(tmp_path: Path) -> None:
    closed = package("- {id: guard, target: tool, tool: file.edit, action: block, fail: closed, text: No.}", name="q")
    hook = Hook(tmp_path, TIP, closed)
    hook.state.write_text("")
    answer = hook.answer(shell("ls"))
    assert answer.deny == "q/guard could not be evaluated and fails closed: the session's state: Not a directory."


def test_unreadable_state_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    state = State(str(folder), "h", "s")
    assert not state.is_claimed(state.session_key("r", ("t",), True))
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for odd in (State(str(loop), "h", "s"), State(f"{folder}\0", "h", "s")):
        with pytest.raises(StateError):
            odd.is_claimed("s-1")
        with pytest.raises(StateError):
            odd.claim("s-1")
        with pytest.raises(StateError):
            odd.start()


def test_claims_are_not_followed_through_links(tmp_path: Path) -> None:
    state = State(str(tmp_path / "state"), "h", "s")
    assert state.claim("s-1")
    victim = tmp_path / "victim"
    session = next((tmp_path / "state").iterdir())
    (session / "s-2").symlink_to(victim)
    assert not state.claim("s-2")
    assert not victim.exists()


def test_what_could_not_be_printed_is_due_again(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    words = ["sh", "-c", f"{hook.command('PreToolUse')} >&-"]
    done = subprocess.run(words, input=json.dumps(shell("ls")).encode(), capture_output=True, check=False, timeout=30)
    assert done.returncode == 0
    assert hook.answer(shell("ls")).context == "Mind ls."


def test_old_sessions_are_forgotten_at_a_start(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    hook.answer(shell("ls"))
    hook.answer({**shell("ls"), "session_id": "young"})
    old = State(str(hook.state), "claude-code", "s-1")._path
    os.utime(old, (time.time() - 31 * 86400,) * 2)
    left_over = hook.state / "x-left"
    left_over.mkdir()
    (left_over / "s-1").touch()
    os.utime(left_over, (time.time() - 120,) * 2)
    hook.answer(payload("SessionStart", source="startup", session_id="new"))
    assert len(list(hook.state.iterdir())) == 1


def together(hook: Hook, events: list[dict[str, object]]) -> list[bytes]:
    """Send events in processes that all run at once."""
    words = ["sh", "-c", hook.command("PreToolUse")]
    started = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in events
    ]
    for process, event in zip(started, events, strict=True):
        assert process.stdin is not None
        process.stdin.write(json.dumps(event).encode())
        process.stdin.flush()
    outputs = []
    for process in started:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        outputs.append(out)
    return outputs


def test_of_many_processes_at_once_exactly_one_outputs(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for round_number in range(3):
        event = {**shell("ls"), "session_id": f"round-{round_number}"}
        outputs = together(hook, [event] * 32)
        assert sum(bool(out) for out in outputs) == 1
        assert not any(together(hook, [event] * 4))
    several = [shell(f"run {i}") for i in range(32)]
    assert all(together(hook, several))
    assert not any(together(hook, several))


def test_a_clear_while_hooks_run_breaks_nothing(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for _ in range(3):
        running = [
            subprocess.Popen(
                ["sh", "-c", hook.command(event)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            for event in ("PreToolUse", "SessionStart") * 8
        ]
        for i, process in enumerate(running):
            data = payload("SessionStart", source="clear") if i % 2 else shell(f"run {i}")
            assert process.stdin is not None
            process.stdin.write(json.dumps(data).encode())
            process.stdin.flush()
        for process in running:
            _, err = process.communicate(timeout=60)
            assert (process.returncode, err) == (0, b"")
    hook.answer(payload("SessionStart", source="clear"))
    assert [hook.answer(shell("run 0")).context for _ in range(2)] == ["Mind run 0.", None]


def test_killed_processes_leave_nothing_that_blocks(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    import shlex

    words = shlex.split(hook.command("PreToolUse"))
    for i in range(12):
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert process.stdin is not None
        process.stdin.write(json.dumps(shell(f"run {i}")).encode())
        process.stdin.flush()
        time.sleep(0.003 * i)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
    began = time.monotonic()
    assert hook.send(shell("another")).context == "Mind another."
    assert hook.send(shell("another")).context is None
    assert time.monotonic() - began < 2
    assert modes(hook.state) <= {(True, 0o700), (False, 0o600)}
    assert interpreter() in hook.command("PreToolUse")
