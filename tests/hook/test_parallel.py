"""Many hook processes at once, and processes that are killed: nothing is lost, nothing is output twice, nothing hangs.

The default run does a few rounds of each; `-m slow` does them in earnest.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support.hook import Hook, package, payload, shell
from support.sessions import CLEAR, COMPACT, CORPUS, START, TIP, TURN, files_of, modes, prompt, refreshing, session_of
from support.waiting import reads, unread, until

ROUNDS = [pytest.param(5, id="5"), pytest.param(200, id="200", marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
KILLS = [pytest.param(60, id="60"), pytest.param(500, id="500", marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]


class Started:
    """A hook process that has started and waits for its event."""

    def __init__(self, hook: Hook, event: dict[str, Any]) -> None:
        self.data = json.dumps(event).encode()
        words = shlex.split(hook.command(event["hook_event_name"]))
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def write(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(self.data)
            self.process.stdin.flush()
        except BrokenPipeError:
            return

    def wait_for_reading(self) -> None:
        """Wait until it has begun."""
        assert self.process.stdin is not None
        reads(self.process.stdin)

    def wait_for_printing(self) -> None:
        """Wait until it has printed what nobody reads."""
        stdout = self.process.stdout
        assert stdout is not None
        until(lambda: unread(stdout), "the process to print")

    def end(self) -> bytes:
        """Return what it prints; it must end well, and soon."""
        out, err = self.process.communicate(timeout=60)
        assert (self.process.returncode, err) == (0, b"")
        return out

    def kill(self) -> bytes:
        """Kill it and return what it had printed."""
        self.process.send_signal(signal.SIGKILL)
        out, err = self.process.communicate(timeout=60)
        assert err == b""
        return out


def together(hook: Hook, *events: dict[str, Any]) -> list[bytes]:
    """Answer events in processes that all wait for them; return what each prints."""
    started = [Started(hook, event) for event in events]
    for process in started:
        process.write()
    return [process.end() for process in started]


def well_formed(hook: Hook) -> None:
    """Every file of the state is whole."""
    shapes = {"s": rb"(\d+ \d+\n)*", "t": rb"(\d+ \d+\n)*", "g": rb"(\d+ \d+\n)*", "c": rb"(\d+ \d+\n)*", "p": rb"\.*"}
    for name, data in files_of(hook.state / "sessions").items():
        file = Path(name).name
        if data is None:
            assert re.fullmatch(r"[0-9a-f]{32}", name), "nothing was set aside"
        else:
            assert re.fullmatch(shapes[file[0]], data), name
            assert re.fullmatch(r"[stp]-[0-9a-f]{32}|g|c", file), "no lock, no temporary file"
    assert modes(hook.state) <= {(True, 0o700), (False, 0o600)}


@pytest.mark.ledger("S033", "S080")
@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_64_processes_exactly_one_outputs(tmp_path: Path, rounds: int) -> None:
    hook = Hook(tmp_path, TIP)
    for number in range(rounds):
        event = {**shell("ls"), "session_id": f"round-{number}"}
        assert sum(bool(out) for out in together(hook, *[event] * 64)) == 1, number
        assert hook.answer(event).context is None
    well_formed(hook)


@pytest.mark.ledger("S062", "S081")
@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_64_processes_exactly_one_refreshes(tmp_path: Path, rounds: int) -> None:
    hook = Hook(tmp_path, refreshing(2))
    for number in range(rounds):
        assert sum(bool(out) for out in together(hook, *[shell("ls")] * 64)) == (number % 2 == 0), number
        hook.answer(prompt())
    well_formed(hook)


@pytest.mark.ledger("S063")
@pytest.mark.parametrize("rounds", ROUNDS)
def test_64_prompts_at_once_count_64(tmp_path: Path, rounds: int) -> None:
    hook = Hook(tmp_path, refreshing(64))
    assert hook.answer(shell("ls")).context == "Mind."
    for _ in range(max(rounds // 8, 2)):
        together(hook, *[prompt()] * 63)
        assert hook.answer(shell("ls")).context is None
        hook.send(prompt())
        assert hook.answer(shell("ls")).context == "Mind."
    well_formed(hook)


@pytest.mark.ledger("S032")
def test_of_many_processes_exactly_one_outputs_in_a_turn(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TURN)
    for turn in "ab":
        assert sum(bool(out) for out in together(hook, *[shell("ls", prompt_id=turn)] * 32)) == 1


@pytest.mark.ledger("S033", "S084")
def test_corpus_parallel_hooks(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(CORPUS / "02-parallel-hooks-lose-updates" / "make_input.py"), str(tmp_path)], check=True)  # fmt: skip
    hook = Hook(tmp_path, (tmp_path / "pkg.yaml").read_text(encoding="utf-8"))
    events = [json.loads((tmp_path / "events" / f"{i:02d}.json").read_bytes()) for i in range(60)]
    texts = [json.loads(out)["hookSpecificOutput"]["additionalContext"] for out in together(hook, *events)]
    assert texts == [f"Text number {i}." for i in range(60)]
    assert not any(together(hook, *events))
    assert sum(bool(out) for out in together(hook, *[{**events[0], "session_id": "s-2"}] * 20)) == 1
    together(hook, CLEAR, *[events[1]] * 20)
    well_formed(hook)
    assert sum(bool(out) for out in together(hook, *[events[2]] * 4)) == 1


def test_a_clear_while_hooks_run_breaks_nothing(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    for _ in range(3):
        together(hook, *[event for i in range(8) for event in (shell(f"run {i}"), CLEAR)])
    hook.answer(CLEAR)
    assert [hook.answer(shell("run 0")).context for _ in range(2)] == ["Mind run 0.", None]
    well_formed(hook)


@pytest.mark.ledger("S083")
def test_hooks_of_a_starting_session_keep_each_others_claims(tmp_path: Path) -> None:
    """A start that was called together with others, but comes late, takes nothing back that they have output."""
    hook = Hook(tmp_path, package("- {id: hello, target: event, event: session.start, text: Hello.}"), TIP)
    hook.answer(shell("ls"))
    assert hook.send(START).context == "Hello.", "what was output before counts no more"
    late = [Started(hook, START) for _ in range(4)]
    for process in late:
        process.wait_for_reading()
    assert hook.answer(START).context == "Hello."
    assert hook.answer(shell("ls")).context == "Mind ls."
    for process in late:
        process.write()
    assert not any(process.end() for process in late)
    assert hook.answer(shell("ls")).context is None


def test_one_that_prints_forever_holds_nobody_up(tmp_path: Path) -> None:
    """Its reader does not read, so it keeps its claim; the others go on at once, and after its death the text is due."""
    hook = Hook(tmp_path, package(f"- {{id: tip, target: tool, tool: shell, at: before, text: {'long ' * 30000}}}"))
    stuck = Started(hook, shell("ls"))
    stuck.write()
    stuck.wait_for_printing()
    assert hook.send(shell("ls")).stdout == b""
    assert stuck.process.poll() is None, "who waits for it waits for its end"
    stuck.kill()
    assert hook.send(shell("ls")).context is not None
    assert hook.send(shell("ls")).context is None


def test_one_whose_answer_nobody_reads_ends_at_the_deadline(tmp_path: Path) -> None:
    hook = Hook(
        tmp_path, package(f"- {{id: tip, target: tool, tool: shell, at: before, text: {'long ' * 30000}}}"), timeout=1
    )
    stuck = Started(hook, shell("ls"))
    stuck.write()
    # Where nothing is declared it is 55 s.
    assert stuck.process.wait(40) == 0
    stuck.kill()
    assert hook.send(shell("ls")).context is not None, "it was not delivered"


def kill_at_random(hook: Hook, event: dict[str, Any], chance: random.Random) -> tuple[bytes, bool]:
    """Kill the process that answers an event; return what it had printed, and whether it had ended by itself."""
    process = Started(hook, event)
    time.sleep(chance.choice([0, 0.005, 0.02]))
    process.write()
    # Most of the interesting moments lie in the last milliseconds of a process that has just got its event.
    time.sleep(chance.uniform(0, 0.03))
    out = process.kill()
    return out, process.process.returncode == 0


@pytest.mark.ledger("S033", "S062", "S063")
@pytest.mark.parametrize("kills", KILLS)
def test_killed_processes_lose_no_text_and_block_nobody(tmp_path: Path, kills: int) -> None:
    chance = random.Random(kills)
    hook = Hook(tmp_path, TIP, refreshing(2).replace("name: p", "name: q").replace("text: Mind", "text: Again"))
    counter = 0
    hook.answer(prompt())
    (dots,) = session_of(hook).glob("p-*")
    twice = 0
    for number in range(kills):
        before = len(dots.read_bytes())
        _, ended = kill_at_random(hook, prompt(number), chance)
        counter = len(dots.read_bytes())
        assert before + ended <= counter <= before + 1
        event = shell(f"run {number}")
        mine = f"Mind run {number}."
        out, ended = kill_at_random(hook, event, chance)
        first = json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
        began = time.monotonic()
        second = hook.answer(event).context or ""
        assert time.monotonic() - began < 20, "who waits for the dead waits until its own time is over, 55 s"
        told = (mine in first) + (mine in second)
        assert told >= 1, "a text was lost"
        assert not (ended and told == 2), "only a killed process may repeat itself"
        twice += told == 2
        assert hook.answer(event).context is None
        if number % 50 == 0:
            hook.answer(COMPACT)
            well_formed(hook)
    well_formed(hook)
    print(f"{twice} of {kills} texts came twice")
    assert twice <= max(3, kills // 20), "only a death between printing and noting it repeats a text"


@pytest.mark.parametrize("kills", KILLS)
def test_a_start_that_is_killed_leaves_the_state_whole(tmp_path: Path, kills: int) -> None:
    """Either nothing of the old session counts any more, or all of it."""
    chance = random.Random(kills)
    hook = Hook(tmp_path, TIP)
    for _ in range(kills // 5):
        texts = [shell(f"run {i}") for i in range(3)]
        assert [hook.answer(event).context is not None for event in texts] in ([True] * 3, [False] * 3)
        kill_at_random(hook, CLEAR, chance)
        well_formed(hook)


# Runs the hook as the command line does, but kills itself just before its n-th system call.
PROBE = """
import os, posix, signal, sys
sys.path.append({engine!r})
from rulewright import hook_entry
from rulewright.hook import index, run, state
left = {number}
class System:
    def __getattr__(self, name):
        found = getattr(posix, name)
        if not callable(found):
            return found
        def call(*words):
            global left
            left -= 1
            if left < 0:
                posix.kill(posix.getpid(), signal.SIGKILL)
            return found(*words)
        return call
hook_entry.system = index.system = run.system = state.system = System()
hook_entry.main()
"""


@pytest.mark.ledger("S033", "S062", "S063", "S084")
@pytest.mark.parametrize("name", ["first", "due", "prompt", "clear"])
def test_killed_before_any_system_call(tmp_path: Path, name: str) -> None:
    engine = str(Path(__file__).parents[2] / "engine")
    doubled = []
    for number in range(200):
        (tmp_path / str(number)).mkdir()
        hook = Hook(tmp_path / str(number), refreshing(1))
        if name != "first":
            assert hook.answer(shell("ls")).context == "Mind."
        if name == "due":
            hook.answer(prompt())
        event = {"first": shell("ls"), "due": shell("ls"), "prompt": prompt(), "clear": CLEAR}[name]
        words = shlex.split(hook.command(event["hook_event_name"]))
        words[words.index("-c") + 1] = PROBE.format(engine=engine, number=number)
        done = subprocess.run(words, input=json.dumps(event).encode(), capture_output=True, check=False, timeout=30)
        assert (done.returncode, done.stderr) in ((0, b""), (-signal.SIGKILL, b""))
        again = hook.answer(shell("ls"))
        assert again.stderr == ""
        if name in ("first", "due"):
            assert done.stdout in (b"", FULL)
            assert done.stdout or again.context, "lost"
            if done.stdout and again.context:
                doubled.append(number)
        elif done.returncode == 0:
            assert again.context == "Mind.", "it was counted, or began anew"
        assert hook.answer(shell("ls")).context is None
        well_formed(hook)
        if done.returncode == 0:
            break
    else:
        pytest.fail("so many system calls?")
    assert number > 7
    # The only one is the line that notes the delivery.
    assert len(doubled) <= 1


FULL = b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"Mind."}}'


def test_nothing_is_left_running(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    processes = [Started(hook, shell("ls")) for _ in range(4)]
    for process in processes:
        process.write()
        process.end()
        assert process.process.poll() == 0
        with pytest.raises(ProcessLookupError):
            os.kill(process.process.pid, 0)


def test_a_payload_without_a_session_is_nobodys_claim(tmp_path: Path) -> None:
    hook = Hook(tmp_path, TIP)
    event = payload(tool_name="Bash", tool_input={"command": "ls"})
    del event["session_id"]
    assert all(together(hook, *[event] * 8))
