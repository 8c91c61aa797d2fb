"""What an event keeps of files that only the whole engine reads: noticed changes, one renewal at a time, and no failure that counts."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.hook import cache, child

KIND = "foya"


class Files:
    """A folder of files, and a cache of their texts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "files"
        self.folder.mkdir()
        self.path = cache.path_of(str(folder / "state"), KIND, str(self.folder))
        self.renewed = 0
        self.fault = ""

    def manifest(self) -> bytes:
        paths = [self.folder, *sorted(self.folder.rglob("*"))]
        return cache.manifest_of([os.fsencode(path) for path in paths])

    def renew(self, seconds: float) -> str:
        assert seconds > 0
        self.renewed += 1
        if not self.fault:
            texts = sorted(path.read_text() for path in self.folder.rglob("*") if path.is_file())
            data = repr(texts).replace("'", '"').encode()
            Path(self.path).write_bytes(cache.pack(KIND, self.manifest(), data))
        return self.fault

    def load(self) -> cache.Loaded:
        return cache.load(self.path, KIND, 5.0, self.renew)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    found = Files(tmp_path)
    (found.folder / "a.md").write_text("one")
    return found


def test_what_is_unchanged_is_read_once(files: Files) -> None:
    assert files.load().data == ["one"]
    assert files.load().data == ["one"]
    assert files.renewed == 1


@pytest.mark.parametrize("change", ["write", "same size", "add", "remove", "rename", "deep"])
def test_every_change_is_noticed(files: Files, change: str) -> None:
    deep = files.folder / "x"
    deep.mkdir()
    files.load()
    path = files.folder / "a.md"
    if change == "write":
        path.write_text("longer")
    elif change == "same size":
        # As an editor saves: a new file in its place, and even the time of the old one.
        before = path.stat()
        (files.folder.parent / "new").write_text("two")
        os.replace(files.folder.parent / "new", path)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif change == "add":
        (files.folder / "b.md").write_text("two")
    elif change == "remove":
        path.unlink()
    elif change == "rename":
        path.rename(files.folder / "c.md")
    else:
        (deep / "b.md").write_text("two")
    expected = {"write": ["longer"], "same size": ["two"], "remove": [], "rename": ["one"]}
    assert files.load().data == expected.get(change, ["one", "two"])
    assert files.renewed == 2


def test_a_failure_leaves_the_last_good_one_and_says_so(files: Files) -> None:
    files.load()
    (files.folder / "a.md").write_text("changed")
    files.fault = "it broke"
    found = files.load()
    assert found.data == ["one"]
    assert "it broke" in found.note
    assert "what was read last counts" in found.note
    again = files.load()
    assert (again.data, files.renewed) == (["one"], 2), "not each event waits for one that fails again"
    assert "a moment ago" in again.note
    os.utime(f"{files.path}.failed", (0, 0))
    files.fault = ""
    assert files.load().data == ["changed"]
    assert not Path(f"{files.path}.failed").exists()


def test_a_failure_without_a_last_good_one(files: Files) -> None:
    files.fault = "it broke"
    found = files.load()
    assert found.data is None
    assert "it broke" in found.note


def _in_another_process(path: str) -> Callable[[], None]:
    """Take the lock of a cache in another process; return what gives it back."""
    code = (
        "import sys; from rulewright.hook import state, cache; "
        "d = state.open_private(sys.argv[1], 2); print(repr(state.lock(d, sys.argv[1])), flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code, f"{path}.lock"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "''\n"

    def end() -> None:
        process.communicate()

    return end


def test_while_another_process_reads_the_last_one_counts(files: Files) -> None:
    files.load()
    (files.folder / "a.md").write_text("changed")
    end = _in_another_process(files.path)
    found = files.load()
    end()
    assert (found.data, found.note, files.renewed) == (["one"], "", 1)


def test_who_must_not_miss_a_change_waits_for_the_other_process(files: Files) -> None:
    """Also where there is no cache yet, which would be as if there were no rules."""
    Path(files.path).parent.mkdir(parents=True)
    end = _in_another_process(files.path)
    waits: list[float] = []

    def pause(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            files.renew(5.0)
            end()

    found = cache.load(files.path, KIND, 5.0, files.renew, pause)
    assert (found.data, found.note, files.renewed) == (["one"], "", 1), "it was read once, by the other"
    assert len(waits) == 3


def test_who_waits_does_not_wait_for_ever_and_says_so(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("rulewright.hook.cache.time.monotonic", lambda: clock[0])

    def pause(seconds: float) -> None:
        clock[0] += seconds

    Path(files.path).parent.mkdir(parents=True)
    end = _in_another_process(files.path)
    found = cache.load(files.path, KIND, 5.0, files.renew, pause)
    end()
    assert (found.data, files.renewed) == (None, 0)
    assert "too long" in found.note
    assert 5.0 <= clock[0] < 5.1


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "version", "kind", "numbers"])
def test_a_damaged_cache_is_none(files: Files, damage: str) -> None:
    files.load()
    path = Path(files.path)
    data = path.read_bytes()
    head, _, rest = data.partition(b"\n")
    words = head.split(b" ")
    damaged = {
        "empty": b"",
        "cut": data[:-1],
        "changed": data[:-2] + b"x" + data[-1:],
        "version": data.replace(cache.CACHE_VERSION.encode(), b"0/0", 1),
        "kind": data.replace(b" foya ", b" chains ", 1),
        "numbers": b" ".join([*words[:3], b"x", *words[4:]]) + b"\n" + rest,
    }[damage]
    path.write_bytes(damaged)
    # Where only the data is damaged, that is noticed when it is read: then the next event reads the files anew.
    assert files.load().data == (None if damage in ("cut", "changed") else ["one"])
    assert files.load().data == ["one"]
    assert files.renewed == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_in_its_place_is_not_waited_for(files: Files) -> None:
    files.load()
    Path(files.path).unlink()
    os.mkfifo(files.path)
    found = cache.load(files.path, KIND, 5.0, lambda seconds: "it cannot be written")
    assert (found.data, "it cannot be written" in found.note) == (None, True)
    assert cache.read(files.path, KIND).data is None


@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    cache.unchanged(data)
    path = tmp_path_factory.mktemp("damaged") / "x"
    path.write_bytes(data)
    assert cache.load(str(path), KIND, 1.0, lambda _: "no").data is None


def test_while_one_renews_the_others_use_the_old_one(files: Files) -> None:
    files.load()
    (files.folder / "a.md").write_text("changed")
    inner: list[Any] = []

    def renew(seconds: float) -> str:
        # Another process: a lock is held against others, not against oneself.
        code = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from rulewright.hook import cache\n"
            "found = cache.load(sys.argv[2], 'foya', 5.0, lambda _: 'it must not')\n"
            "print(found.data, found.note)"
        )
        engine = str(Path(cache.__file__).parents[2])
        done = subprocess.run(
            [sys.executable, "-c", code, engine, files.path], capture_output=True, check=True, timeout=30
        )
        inner.append(done.stdout.decode().strip())
        return files.renew(seconds)

    assert cache.load(files.path, KIND, 5.0, renew).data == ["changed"]
    assert inner == ["['one']"]


def test_it_is_private(files: Files) -> None:
    files.load()
    folder = Path(files.path).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(Path(f"{files.path}.lock").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    path = cache.path_of(str(tmp_path / "state"), KIND, "x")
    found = cache.load(path, KIND, 1.0, lambda _: "never called")
    assert found.data is None
    assert "cannot be written" in found.note


def test_a_child_that_cannot_start_says_why() -> None:
    assert "support_that_is_not_there" in child.run_module("support_that_is_not_there", [], 20.0)


def test_a_child_runs_what_this_process_has_on_its_path(tmp_path: Path) -> None:
    """Not what lies in the folder it is started in, or where the environment points."""
    (tmp_path / "slow_module.py").write_text("import time\ndef main():\n    while True: time.sleep(1)\n")
    (tmp_path / "writes_module.py").write_text(
        "import sys\ndef main():\n    open(sys.argv[1], 'w').write(sys.argv[2])\n"
    )
    assert "longer than" in child.run_module("slow_module", [], 0.2, [str(tmp_path)])
    assert child.run_module("writes_module", [str(tmp_path / "out"), "a b"], 20.0, [str(tmp_path)]) == ""
    assert (tmp_path / "out").read_text() == "a b"
    code = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "from rulewright.hook import child\n"
        "print(child.run_module('writes_module', ['x', 'y'], 20.0))"
    )
    engine = str(Path(cache.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, engine],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, check=True, timeout=30,
    )  # fmt: skip
    assert b"No module named 'writes_module'" in done.stdout
    assert not (tmp_path / "x").exists()
