"""The guards' marks: many processes at once, processes that are killed, damaged files, clocks that go backwards, limits."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rulewright.hook import chain_state
from rulewright.hook.chain_state import ChainState, ChainStateError, sha1
from rulewright.hook.state import open_private
from support.chains import Bench, compiled, failure, rule

ENGINE = Path(__file__).parents[2] / "engine"
SPAWN = {"type": "spawn_fallback_agent", "id": "s"}
HOLD = 60_000

# Dispatches one event as the hook does: in a process with no more than the interpreter. Waits for a line before it begins.
DISPATCH = """
import sys, time
sys.path.insert(0, {engine!r})
from rulewright.hook import actions
from rulewright.hook.chain_state import ChainState
from rulewright.hook.chains import Runtime, dispatch
from rulewright.hook.json_text import compact, parse
{extra}
config, event, launcher = parse(sys.argv[1].encode())
now = lambda: time.time_ns() // 1000000
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
runtime = Runtime(state=ChainState({state!r}, "s", now), scope="s", now_ms=now, launcher=launcher, env={{}}, cwd={cwd!r})
sys.stdout.write(compact(dispatch(config, event, runtime)))
"""
# Adds a line to a file, as one write.
RECORD = "import os, sys; f = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT); os.write(f, sys.argv[2].encode())"


class Clock:
    def __init__(self, now: int = 10**12) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path, clock: Clock) -> ChainState:
    return ChainState(str(tmp_path), "s", clock)


def scope_file(folder: Path, scope: str = "s") -> Path:
    return folder / "chains" / sha1(scope)


def key(number: int) -> str:
    return sha1(str(number))


# ---- one process


def test_files_and_modes(tmp_path: Path, state: ChainState) -> None:
    assert state.begin_cooldown("r", 1000, HOLD) == ("free", 0)
    assert state.mark_action(key(1), 1000, HOLD) == ("free", 0)
    names = sorted(path.name for path in (tmp_path / "chains").iterdir())
    assert names == sorted(["lock", sha1("s")])
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "chains").iterdir()}
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "chains").stat().st_mode & 0o777 == 0o700
    assert "r" not in scope_file(tmp_path).read_text().split()


def test_looking_changes_nothing(tmp_path: Path, state: ChainState, clock: Clock) -> None:
    assert state.cooldown_left("r", HOLD) == ("free", 0)
    assert state.action_left(key(1), HOLD) == ("free", 0)
    assert not (tmp_path / "chains").exists()
    state.begin_cooldown("r", 1000, HOLD)
    state.mark_action(key(1), 500, HOLD)
    before = scope_file(tmp_path).read_bytes()
    clock.now += 100
    assert state.cooldown_left("r", HOLD) == ("active", 900)
    assert state.action_left(key(1), HOLD) == ("active", 400)
    assert scope_file(tmp_path).read_bytes() == before


def test_rules_and_actions_are_told_apart(state: ChainState) -> None:
    assert state.begin_cooldown("r", 1000, HOLD)[0] == "free"
    assert state.mark_action(sha1("r"), 1000, HOLD)[0] == "free"
    assert state.begin_cooldown("q", 1000, HOLD)[0] == "free"
    assert state.begin_cooldown("r", 1000, HOLD) == ("active", 1000)


def test_a_window_of_zero_marks_nothing(tmp_path: Path, state: ChainState) -> None:
    assert state.begin_cooldown("r", 0, HOLD) == ("free", 0)
    assert not scope_file(tmp_path).exists()


@pytest.mark.ledger("H047")
@pytest.mark.parametrize(("kind", "limit"), [("c", 5000), ("d", 20_000)])
def test_limits(tmp_path: Path, state: ChainState, clock: Clock, kind: str, limit: int) -> None:
    """One more than the limit: the one that ends soonest goes, in whatever order they came."""
    assert chain_state.LIMITS[kind] == limit
    ends = list(range(1000, 1000 + limit))
    random.Random(7).shuffle(ends)
    marks = {(kind, key(end)): (clock.now, clock.now + end) for end in ends}
    other = "d" if kind == "c" else "c"
    marks[other, key(0)] = (clock.now, clock.now + 1)
    state.begin_cooldown("first", 1, HOLD)
    state._write(marks, clock.now)
    take = state.begin_cooldown if kind == "c" else state.mark_action
    assert take("new" if kind == "c" else key(-1), 500_000, HOLD) == ("free", 0)
    found, _ = state._marks(clock.now)
    kept = {name for of, name in found if of == kind}
    assert len(kept) == limit
    assert key(1000) not in kept
    assert {key(end) for end in ends if end != 1000} <= kept
    assert (sha1("new") if kind == "c" else key(-1)) in kept
    assert (other, key(0)) in found


def test_what_has_ended_is_forgotten(tmp_path: Path, state: ChainState, clock: Clock) -> None:
    for number in range(50):
        clock.now += 10
        state.mark_action(key(number), 20, HOLD)
    assert len(scope_file(tmp_path).read_bytes().split(b"\n")) < 6


def test_scopes_long_unused_are_forgotten(tmp_path: Path, clock: Clock) -> None:
    for name in ("old", "young"):
        ChainState(str(tmp_path), name, clock).begin_cooldown("r", 1000, HOLD)
    left = scope_file(tmp_path, "gone")
    left.with_name("x-left").write_text("damaged")
    for path in (scope_file(tmp_path, "old"), left.with_name("x-left"), left.with_name("lock")):
        os.utime(path, (1, 1))
    ChainState(str(tmp_path), "new", clock).begin_cooldown("r", 1000, HOLD)
    names = {path.name for path in (tmp_path / "chains").iterdir()}
    assert names == {"lock", sha1("young"), sha1("new")}


@pytest.mark.skipif(sys.platform == "win32", reason="a symbolic link needs rights that users lack")
def test_a_state_folder_that_leads_nowhere_is_said(tmp_path: Path, clock: Clock) -> None:
    """A link to a drive that is not there: a folder cannot be made in it, however often one tries."""
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    state = ChainState(str(tmp_path / "link" / "state"), "s", lambda: clock.now)
    with pytest.raises(ChainStateError, match="No such file or directory"):
        state.begin_cooldown("r", 1000, HOLD)
    path = str(tmp_path / "link" / "caches" / "a.lock")
    with pytest.raises(FileNotFoundError):
        open_private(path, os.O_RDWR)


# ---- the clock


@pytest.mark.parametrize("back", [1, 1000, 10**9, 10**12 - 1])
def test_a_clock_that_was_set_back_does_not_lock_for_ever(state: ChainState, clock: Clock, back: int) -> None:
    """A mark of the future counts as set now: it waits for its own window once more."""
    state.begin_cooldown("r", 1000, HOLD)
    clock.now -= back
    assert state.begin_cooldown("r", 1000, HOLD) == ("active", 1000)
    clock.now += 400
    assert state.begin_cooldown("r", 1000, HOLD) == ("active", 600)
    clock.now += 600
    assert state.begin_cooldown("r", 1000, HOLD) == ("free", 0)


def test_a_clock_that_was_set_forward_ends_windows(state: ChainState, clock: Clock) -> None:
    state.begin_cooldown("r", 1000, HOLD)
    clock.now += 10**9
    assert state.begin_cooldown("r", 1000, HOLD) == ("free", 0)


# ---- damage

GOOD = b"rulewright-chains 1\nc %s 5 10\nend 1\n" % sha1("r").encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 100,
        b"{}",
        GOOD[:-1],
        GOOD[:-6],
        GOOD[:40],
        GOOD + b"more\n",
        GOOD.replace(b"end 1", b"end 2"),
        GOOD.replace(b" 5 10", b" 10 5"),
        GOOD.replace(b" 5 10", b" 5 x"),
        GOOD.replace(b" 5 10", b" 5 99999999999999999"),
        GOOD.replace(b" 5 10", b" 5 99999999999"),
        GOOD.replace(b"\nc ", b"\nz "),
        GOOD.replace(b"chains 1", b"chains 9"),
    ],
)
def test_damage_stops_every_action_for_the_longest_window(
    tmp_path: Path, state: ChainState, clock: Clock, data: bytes
) -> None:
    """Nobody knows what was marked: to act could be to act twice."""
    state.begin_cooldown("r", 1000, HOLD)
    scope_file(tmp_path).write_bytes(data)
    assert state.cooldown_left("r", HOLD) == ("hold", HOLD)
    assert scope_file(tmp_path).read_bytes() == data
    assert state.begin_cooldown("r", 1000, HOLD) == ("hold", HOLD)
    aside = [path for path in (tmp_path / "chains").iterdir() if path.name.startswith("x-")]
    assert [path.read_bytes() for path in aside] == [data]
    clock.now += HOLD - 1
    assert state.mark_action(key(1), 1000, HOLD) == ("hold", 1)
    clock.now += 1
    assert state.mark_action(key(1), 1000, HOLD) == ("free", 0)
    assert state.begin_cooldown("r", 1000, HOLD) == ("free", 0)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_what_is_no_file_of_ours_is_damage(tmp_path: Path, state: ChainState, kind: str) -> None:
    state.begin_cooldown("r", 1000, HOLD)
    path = scope_file(tmp_path)
    path.unlink()
    target = tmp_path / "target"
    target.write_text("precious")
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(target)
    else:
        os.mkfifo(path)
    assert state.begin_cooldown("r", 1000, HOLD) == ("hold", HOLD)
    assert state.begin_cooldown("r", 1000, HOLD)[0] == "hold"
    assert path.is_file()
    assert not path.is_symlink()
    assert target.read_text() == "precious"


def test_damage_is_a_reason_not_an_end(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    config = compiled(rule(cooldownMs=0, dedupWindowMs=0), rule("long", "TaskCompleted", cooldownMs=70_000))
    scope_file(bench.state).parent.mkdir(parents=True)
    scope_file(bench.state).write_bytes(b"?")
    expected = "skipped: chain state was damaged: no action for 70000ms"
    assert bench.results(config, failure()) == [("r", "a", expected)]


def test_a_state_that_cannot_be_written_stops_the_actions(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.state.mkdir()
    (bench.state / "chains").write_text("")
    found = bench.results(compiled(rule()), failure())
    assert found == [("r", "a", "skipped: chain state unavailable (Not a directory): no action")]


# ---- locks


def test_a_lock_that_is_not_let_go_is_waited_for_and_given_up(tmp_path: Path, clock: Clock) -> None:
    ChainState(str(tmp_path), "s", clock).begin_cooldown("r", 1000, HOLD)
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os,sys; f=os.open(sys.argv[1],os.O_RDWR); os.lockf(f,os.F_LOCK,0); print(flush=True); input()",
            tmp_path / "chains" / "lock",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    waits: list[float] = []
    state = ChainState(str(tmp_path), "s", clock, waits.append)
    with pytest.raises(ChainStateError, match="another process"):
        state.begin_cooldown("q", 1000, HOLD)
    assert chain_state.WAIT <= sum(waits) < chain_state.WAIT + 1
    holder.kill()
    holder.communicate()
    assert state.begin_cooldown("q", 1000, HOLD) == ("free", 0)


class WithoutLocks:
    """The system, less `lockf`."""

    def __getattr__(self, name: str) -> Any:
        if name == "lockf":
            raise AttributeError(name)
        return getattr(os, name)


def test_without_locks_a_file_stands_for_one(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_state, "system", WithoutLocks())
    waits: list[float] = []
    state = ChainState(str(tmp_path), "s", clock, waits.append)
    assert state.begin_cooldown("r", 1000, HOLD) == ("free", 0)
    lock = tmp_path / "chains" / "lock-file"
    assert not lock.exists()
    lock.write_text("")
    with pytest.raises(ChainStateError, match="another process"):
        state.begin_cooldown("q", 1000, HOLD)
    os.utime(lock, (1, 1))
    assert state.begin_cooldown("q", 1000, HOLD) == ("free", 0)
    assert not lock.exists()


def test_threads_of_a_system_without_locks(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_state, "system", WithoutLocks())
    found: list[str] = []

    def take() -> None:
        found.append(ChainState(str(tmp_path), "s", clock).begin_cooldown("r", 1000, HOLD)[0])

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["active"] * 7 + ["free"]


# ---- many processes


class Started:
    """A process that is ready to dispatch."""

    def __init__(self, folder: Path, config: Any, event: Any, launcher: list[str] | None, extra: str = "") -> None:
        code = DISPATCH.format(engine=str(ENGINE), state=str(folder / "state"), cwd=str(folder), extra=extra)
        words = [sys.executable, "-I", "-S", "-c", code, json.dumps([config, event, launcher])]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def result(self) -> list[dict[str, Any]]:
        out, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        found: list[dict[str, Any]] = json.loads(out)["actionResults"]
        return found


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Any]:
    """A pipe that launched programs write to, and a launcher that does; reading waits for the next one."""
    path = tmp_path / "heard"
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDWR)
    yield descriptor, [sys.executable, "-c", RECORD, str(path), "launched\n"]
    os.close(descriptor)


@pytest.mark.ledger("H043", "H044")
@pytest.mark.parametrize("cooldown", [0, 60_000])
def test_fifty_processes_start_one_agent(tmp_path: Path, heard: Any, cooldown: int) -> None:
    descriptor, launcher = heard
    config = compiled(rule(actions=[SPAWN], cooldownMs=cooldown, dedupWindowMs=60_000))
    processes = [Started(tmp_path, config, failure(), launcher) for _ in range(50)]
    for process in processes:
        process.begin()
    found = [item for process in processes for item in process.result()]
    assert len(found) == 50
    executed = [item for item in found if item["status"] == "executed"]
    assert len(executed) == 1
    kind = "rule cooldown" if cooldown else "dedup window"
    assert {item["reason"].partition(" active")[0] for item in found if item["status"] != "executed"} == {kind}
    assert os.read(descriptor, 1000) == b"launched\n"


def test_a_kill_between_mark_and_launch_never_launches_twice(tmp_path: Path) -> None:
    """What was marked stays marked, although nothing was started: at most once."""
    config = compiled(rule(actions=[SPAWN], cooldownMs=0))
    kills = "import os\nactions.start = lambda *_: os.kill(os.getpid(), 9)"
    first = Started(tmp_path, config, failure(), ["agent"], kills)
    first.begin()
    first.process.communicate(timeout=60)
    assert first.process.returncode == -signal.SIGKILL
    second = Started(tmp_path, config, failure(), ["agent"])
    second.begin()
    (found,) = second.result()
    assert found["status"] == "skipped"
    assert found["reason"].startswith("dedup window active for ")


@pytest.mark.parametrize("rounds", [5, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])])
def test_kills_at_any_moment(tmp_path: Path, rounds: int) -> None:
    """Each of the calls in which a mark is made ends the process in its turn; then others dispatch the same event."""
    calls = ["open", "write", "fsync", "close", "replace", "lockf", "mkdir", "lstat"]
    chance = random.Random(3)
    config = compiled(rule(actions=[SPAWN], cooldownMs=0, dedupWindowMs=60_000))
    for number in range(rounds):
        folder = tmp_path / str(number)
        folder.mkdir()
        record = folder / "launches"
        dies = (
            "import os\nfrom rulewright.hook import chain_state, state\nclass Dies:\n count = 0\n def __getattr__(self, name):\n"
            f"  if name == {chance.choice(calls)!r}:\n   Dies.count += 1\n   if Dies.count == {chance.randint(1, 3)}:"
            " os.kill(os.getpid(), 9)\n  return getattr(os, name)\nchain_state.system = state.system = Dies()"
        )
        notes = f"import os\nactions.start = lambda *_: (os.write(os.open({str(record)!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT), b'x'), (1, ''))[1]\n"
        processes = [Started(folder, config, failure(), ["agent"], notes + dies)]
        processes += [Started(folder, config, failure(), ["agent"], notes) for _ in range(3)]
        for process in processes:
            process.begin()
        for process in processes:
            process.process.communicate(timeout=60)
        assert [process.process.returncode for process in processes[1:]] == [0, 0, 0]
        last = Started(folder, config, failure(), ["agent"], notes)
        last.begin()
        assert [item["status"] for item in last.result()] == ["skipped"]
        assert not record.exists() or record.read_bytes() == b"x"
