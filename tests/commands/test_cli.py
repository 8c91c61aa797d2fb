"""The command line as a whole: help, languages, streams, exit codes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands.conftest import FAULTY, ROOT, Run, rulewright
from rulewright.cli import COMMANDS, chosen_language

NAMES = [name for name, _, _ in COMMANDS]


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_in_both_languages(run: Run, name: str) -> None:
    english = run(name, "--help", "--lang", "en")
    chinese = run("--lang", "zh-CN", name, "--help")
    for ran in (english, chinese):
        assert (ran.code, ran.err) == (0, "")
    assert "usage: rulewright " + name in english.out
    assert "用法：rulewright " + name in chinese.out
    assert not re.search(r"[\u4e00-\u9fff]", english.out)
    # Every option is explained in Chinese, and none of argparse's own words is left over.
    assert not re.search(r"usage|options:|positional", chinese.out)
    for line in chinese.out.split("用法")[1].split("\n\n", 1)[1].split("\n"):
        if match := re.match(r"  (-\S+.*?)  +(\S.*)", line):
            assert re.search(r"[\u4e00-\u9fff]", match[2]), line


def test_the_overview_names_every_command(run: Run) -> None:
    ran = run("--help")
    assert all(re.search(rf"^ +{name} ", ran.out, re.MULTILINE) for name in NAMES)
    assert run().out == ran.out
    assert run("--version").out.startswith("rulewright 0.")


@pytest.mark.parametrize(
    "words",
    [("chekc",), ("check", "--nope"), ("check", "--format", "xml"), ("--lang", "fr", "check"), ("code",), ("install",)],
)
def test_wrong_usage_is_one_line_and_exit_2(run: Run, words: tuple[str, ...]) -> None:
    for lang in ("en", "zh-CN"):
        ran = run(*words) if words[0] == "--lang" else run(*words, "--lang", lang)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.count("\n") == 1
        assert "--help" in ran.err


@pytest.mark.parametrize(
    "words",
    [("hook",), ("hook", "--nope"), ("hook", "--harness", "nope"), ("hook", "--lang", "fr"), ("--nope", "hook")],
)
def test_the_hook_never_leaves_with_2(run: Run, words: tuple[str, ...]) -> None:
    ran = run(*words)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1


def test_options_and_paths_in_any_order(project: Path, run: Run) -> None:
    (project / "a.style.yaml").write_text(FAULTY)
    (project / "b.style.yaml").write_text(FAULTY.replace("faulty", "other"))
    wanted = run("check", "a.style.yaml", "b.style.yaml", "--strict").out
    assert run("check", "--strict", "a.style.yaml", "b.style.yaml").out == wanted
    assert run("check", "a.style.yaml", "--strict", "b.style.yaml").out == wanted
    assert run("check", "--strict", "--", "a.style.yaml", "b.style.yaml").out == wanted


def test_language_follows_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert chosen_language([]) == "en"
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert chosen_language(["check"]) == "zh-CN"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert chosen_language([]) == "en"
    assert chosen_language(["check", "--lang=zh-CN"]) == "zh-CN"
    assert chosen_language(["check", "--lang", "zh-CN"]) == "zh-CN"
    assert chosen_language(["check", "--lang"]) == "en"


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}]
)
def test_output_is_utf8_everywhere(project: Path, env: dict[str, str]) -> None:
    (project / "a.style.yaml").write_text(FAULTY.replace("No.", "不行"), encoding="utf-8")
    ran = rulewright("check", "--lang", "zh-CN", cwd=project, **env)
    assert ran.code == 1
    assert "错误[block-after]" in ran.out
    assert "检查了 1 个文件" in ran.err


def test_colour(project: Path) -> None:
    (project / "a.style.yaml").write_text(FAULTY)
    assert "\x1b" not in rulewright("check", cwd=project, NO_COLOR="").out
    assert "\x1b[31m" in rulewright("check", cwd=project, NO_COLOR="", FORCE_COLOR="1").out
    assert "\x1b" not in rulewright("check", cwd=project, NO_COLOR="1", FORCE_COLOR="1").out
    assert "\x1b" not in rulewright("check", "--format", "json", cwd=project, NO_COLOR="", FORCE_COLOR="1").out


def start(project: Path, *words: str, **more: object) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    return subprocess.Popen(
        [sys.executable, "-m", "rulewright", *words],
        cwd=project,
        env=env,
        stderr=subprocess.PIPE,
        **more,  # type: ignore[call-overload]
    )


def test_a_reader_that_has_left(project: Path) -> None:
    (project / "a.style.yaml").write_text(FAULTY)
    reader, writer = os.pipe()
    os.close(reader)
    process = start(project, "check", stdout=writer)
    os.close(writer)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 141
    assert b"Traceback" not in errors
    assert b"Broken" not in errors


def test_a_full_disk_is_one_line(project: Path) -> None:
    (project / "a.style.yaml").write_text(FAULTY)
    with open("/dev/full", "wb") as full:
        process = start(project, "check", stdout=full)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 2
    assert b"the output cannot be written" in errors
    assert b"Traceback" not in errors


@pytest.mark.skipif(not Path("/proc/self/syscall").exists(), reason="needs to see what a process waits for")
def test_interrupt(project: Path) -> None:
    process = start(project, "check", "--stdin", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while not reads_stdin(process.pid):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == b""


def reads_stdin(pid: int) -> bool:
    """Tell whether a process waits in `read(0, ...)`. Source: proc(5), /proc/pid/syscall; read is 0 on x86-64, 63 on arm64."""
    words = Path(f"/proc/{pid}/syscall").read_text().split()
    return words[:2] in (["0", "0x0"], ["63", "0x0"])


def test_starting_loads_only_what_is_needed() -> None:
    code = "import sys; from rulewright.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'engine'}:{ROOT / 'server'}"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    for heavy in ("pydantic", "yaml", "pygls", "lsprotocol", "rulewright.workspace", "rulewright.checks", "asyncio"):
        assert heavy not in loaded


def test_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    ran = run("check")
    assert (ran.code, ran.err) == (2, "rulewright: the current folder is gone\n")
    monkeypatch.chdir(tmp_path)


def test_the_hook_loads_nothing_that_checks_rules(project: Path) -> None:
    code = (
        "import sys; from rulewright.cli import main; "
        "code = main(['hook', '--harness', 'claude-code']); print(code, *sys.modules, file=sys.stderr)"
    )
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'engine'}:{ROOT / 'server'}"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=project, input=b"{}", capture_output=True, check=True
    )
    words = done.stderr.decode().split("\n")[-2].split()
    assert words[0] == "0"
    for heavy in ("pydantic", "yaml", "rulewright.workspace", "rulewright.analysis", "asyncio"):
        assert heavy not in words
