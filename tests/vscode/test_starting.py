"""How the extension comes to its server: what it says where none is, where it finds one, how it installs one, what it does when one ends.

All tests use one window. Its PATH is one folder, which each test fills anew; there is no other Python and no other server.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from vscode.conftest import Open
from vscode.test_editing import PACKAGE
from vscode.workbench import ROOT, RULEWRIGHT, Workbench

pytestmark = [pytest.mark.vscode, pytest.mark.timeout(300)]

NAME = ".style/guard.style.yaml"
FOUND = "rows.some((row) => row.code === 'block-after')"
SPEC = "rulewright @ a wheel.whl"
"""What is installed, as the setting `rulewright.packageSpec` names it."""
PYTHON = Path(sys._base_executable)  # type: ignore[attr-defined]


class Machine:
    """What is installed around the window."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.environment = folder / "environment"

    def clear(self) -> None:
        """Take everything away."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.bin.mkdir(parents=True)

    def program(self, name: str, script: str) -> Path:
        """Add a program to the PATH, as the text of a shell script."""
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)
        return path

    def server(self, folder: Path) -> Path:
        """Put the server into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "rulewright").symlink_to(RULEWRIGHT)
        return folder / "rulewright"

    def installer(self, name: str) -> Path:
        """Add a program to the PATH that writes down its words, and installs the server; return the file of the words."""
        record = self.folder / f"{name}.words"
        link = f"{shutil.which('ln')} -s {shlex.quote(str(RULEWRIGHT))} {shlex.quote(str(self.bin / 'rulewright'))}"
        self.program(name, f"printf '%s\\n' \"$@\" > {shlex.quote(str(record))}\n{link}")
        return record


@pytest.fixture(scope="module")
def place(
    open_shared: Open, extensions_with_python: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Workbench, Machine]:
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.clear()
    window = open_shared(
        {NAME: PACKAGE},
        path=None,
        extensions=extensions_with_python,
        machine={"rulewright.packageSpec": SPEC},
        env={"PATH": str(machine.bin), "HOME": str(machine.folder), "PYTHON_ENVIRONMENT": str(machine.environment)},
    )
    window.open(NAME)
    window.notification("none was found")
    return window, machine


@pytest.fixture
def machine(place: tuple[Workbench, Machine]) -> Machine:
    place[1].clear()
    return place[1]


@pytest.fixture
def window(place: tuple[Workbench, Machine], machine: Machine) -> Workbench:
    window = place[0]
    shutil.rmtree(next(window.home.glob("**/globalStorage/rulewright.rulewright")) / "server", ignore_errors=True)
    window.press("Escape")
    window.command("Notifications: Clear All Notifications")
    return window


def look_again(window: Workbench) -> None:
    window.command("Rulewright: Restart Server")


def wait_for_start(window: Workbench, server: str) -> None:
    """Wait until the server that was started last is this one: its path, and how it was found."""
    window.wait_for(f"start of {server}", lambda: re.findall(r"\] server \S+: (.*)", window.output())[-1:] == [server])


def test_no_python(window: Workbench) -> None:
    look_again(window)
    told = window.notification("needs Python")
    assert told["message"] == "Rulewright needs Python 3.11 or newer, and none was found."
    assert told["buttons"] == ["Get Python", "Install…", "Choose Path…", "Try Again"]
    assert window.servers() == []
    window.click(".notification-toast .monaco-button", "Install…")
    told = window.notification("Nothing here can install Rulewright")
    assert told["message"].endswith("install Python 3.11 or newer, uv or pipx first.")


def test_a_python_that_is_too_old_then_the_right_one(window: Workbench, machine: Machine) -> None:
    old = machine.program("python3", "echo 3.9.2")
    look_again(window)
    told = window.notification("is 3.9.2")
    assert told["message"] == f"Rulewright needs Python 3.11 or newer; {old} is 3.9.2."
    machine.server(machine.bin)
    window.click(".notification-toast .monaco-button", "Try Again")
    window.problems(FOUND, NAME)


@pytest.mark.parametrize(
    ("name", "words"), [("uv", ["tool", "install", "--upgrade"]), ("pipx", ["install", "--force"])]
)
def test_it_is_installed_with_a_command_that_was_shown(
    window: Workbench, machine: Machine, name: str, words: list[str]
) -> None:
    record = machine.installer(name)
    look_again(window)
    window.notification("none was found")
    window.click(".notification-toast .monaco-button", "Install…")
    row = window.wait(".quick-input-widget:visible .monaco-list-row", name)
    # The command stands there as it will run; the spec is one word of it.
    assert f'{machine.bin / name} {" ".join(words)} "{SPEC}"' in row
    assert not record.exists()
    assert window.servers() == []
    window.press("Enter")
    window.problems(FOUND, NAME)
    assert record.read_text("utf-8").split("\n") == [*words, SPEC, ""]


def test_an_installation_that_fails(window: Workbench, machine: Machine) -> None:
    machine.program("uv", "echo 'reading' >&2\necho 'error: no route to the index' >&2\nexit 2")
    look_again(window)
    window.command("Rulewright: Install Server…")
    window.wait(".quick-input-widget:visible .monaco-list-row", "uv")
    window.press("Enter")
    told = window.notification("was not installed")
    assert told["message"] == "Rulewright was not installed: error: no route to the index"
    assert told["buttons"] == ["Show Output"]
    assert window.servers() == []


def test_an_environment_of_its_own(window: Workbench, machine: Machine) -> None:
    """The steps alone: the Python is a script that makes what `venv` and `pip` make."""
    record = machine.folder / "python.words"
    pip = f'printf \'%s\\n\' "$@" >> {record}\n{shutil.which("ln")} -s {RULEWRIGHT} "${{0%/*}}/rulewright"'
    made = machine.folder / "made"
    made.write_text(f"#!/bin/sh\n{pip}\n", "utf-8")
    made.chmod(0o755)
    venv = f'{shutil.which("mkdir")} -p "$5/bin" && {shutil.which("cp")} {made} "$5/bin/python"'
    machine.program("python3", f"case $2 in\n-c) echo 3.12.0;;\n*) printf '%s\\n' \"$@\" > {record}; {venv};;\nesac")
    look_again(window)
    window.notification("not installed yet")
    window.click(".notification-toast .monaco-button", "Install…")
    row = window.wait(".quick-input-widget:visible .monaco-list-row", "An environment that only this extension uses")
    assert "-I -m venv --clear" in row
    assert f'-I -m pip install --upgrade "{SPEC}"' in row
    window.press("Enter")
    window.problems(FOUND, NAME)
    words = record.read_text("utf-8").split("\n")
    assert words[:4] == ["-I", "-m", "venv", "--clear"]
    assert words[4].startswith(str(window.home))
    assert words[5:] == ["-I", "-m", "pip", "install", "--upgrade", SPEC, ""]


def test_the_active_environment_of_the_python_extension(window: Workbench, machine: Machine) -> None:
    first, second = machine.folder / "one" / "bin", machine.folder / "two 二" / "bin"
    for folder in (first, second):
        machine.server(folder)
    look_again(window)
    window.notification("none was found")
    for folder in (first, second):
        machine.environment.write_text(str(folder / "python"), "utf-8")
        window.command("Python: Select Interpreter")
        wait_for_start(window, f"{folder / 'rulewright'} (python)")
        window.problems(FOUND, NAME)
    # What fails over there is no reason to have no server; an environment that has one wins over the PATH again.
    server = machine.server(machine.bin)
    for fault in ("broken", "broken at once"):
        machine.environment.write_text(fault, "utf-8")
        window.command("Python: Select Interpreter")
        wait_for_start(window, f"{server} (path)")
        window.problems(FOUND, NAME)
        machine.environment.write_text(str(second / "python"), "utf-8")
        window.command("Python: Select Interpreter")
        wait_for_start(window, f"{second / 'rulewright'} (python)")
        window.problems(FOUND, NAME)


def test_a_server_that_is_too_old(window: Workbench, machine: Machine) -> None:
    old = machine.program("rulewright", "echo rulewright 0.0.1")
    look_again(window)
    told = window.notification("too old")
    assert told["message"].startswith(f"Rulewright 0.0.1 at {old} is too old")
    assert told["buttons"] == ["Install…", "Choose Path…", "Try Again"]
    assert window.servers() == []


def test_a_server_that_ends_at_once_is_not_started_for_ever(window: Workbench, machine: Machine) -> None:
    starts = machine.folder / "starts"
    path = machine.program(
        "rulewright", f'[ "$1" = --version ] && echo rulewright 9.9.9 && exit\necho x >> "{starts}"\nexit 3'
    )
    look_again(window)
    told = window.notification("did not start")
    assert told["message"] == f"The Rulewright server at {path} did not start."
    assert told["buttons"] == ["Restart", "Show Output"]
    assert len(starts.read_text("utf-8").split()) == 1


def test_a_server_that_does_not_answer_can_be_replaced(window: Workbench, machine: Machine) -> None:
    started = machine.folder / "started"
    sleep = shutil.which("sleep")
    machine.program(
        "rulewright", f'[ "$1" = --version ] && echo rulewright 9.9.9 && exit\necho $$ > "{started}"\nexec {sleep} 1000'
    )
    look_again(window)
    window.wait_for("a start", lambda: started.exists() and started.read_text("utf-8").strip() != "")
    silent = Path("/proc") / started.read_text("utf-8").strip()
    (machine.bin / "rulewright").unlink()
    machine.server(machine.bin)
    look_again(window)
    window.problems(FOUND, NAME)
    assert not silent.exists()
    assert window.notifications() == []


def test_a_server_that_ends_again_and_again_is_left_alone(window: Workbench, machine: Machine) -> None:
    machine.server(machine.bin)
    look_again(window)
    for _ in range(4):
        window.problems(FOUND, NAME)
        old = window.kill_server()
        window.wait_for_server(old)
    window.problems(FOUND, NAME)
    window.kill_server()
    told = window.notification("several times in a row")
    assert told["buttons"] == ["Restart", "Show Output"]
    assert window.servers() == []
    window.click(".notification-toast .monaco-button", "Restart")
    window.problems(FOUND, NAME)
    # Who asked for it gets a server that is looked after as the first one was.
    old = window.kill_server()
    window.wait_for_server(old)


def test_it_is_really_installed(open_window: Open, tmp_path: Path) -> None:
    """From this repository, with a real Python and pip, which need the package index."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    reached = subprocess.run(
        [PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", tmp_path, *needed],
        capture_output=True, encoding="utf-8", env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}, check=False,
    )  # fmt: skip
    if reached.returncode:
        pytest.skip(f"NOT TESTED: pip cannot reach a package index here ({reached.stderr.strip()[-200:]})")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(PYTHON)
    window = open_window(
        {NAME: PACKAGE},
        path=None,
        env={"PATH": f"{programs}:/usr/bin:/bin"},
        timeout=120_000,
    )
    window.open(NAME)
    window.notification("not installed yet")
    window.click(".notification-toast .monaco-button", "Install…")
    # No setting says what to install, and no index has it: the folder of this repository is asked for.
    window.wait(".quick-input-widget:visible", "The folder of the repository of Rulewright")
    window.fill(str(ROOT))
    row = window.wait(".quick-input-widget:visible .monaco-list-row", "An environment that only this extension uses")
    assert f"-m pip install --upgrade {ROOT}" in row
    window.click(".quick-input-widget:visible .monaco-list-row", "An environment that only this extension uses")
    window.problems(FOUND, NAME)
    (server,) = window.servers()
    assert str(window.home).encode() in Path(f"/proc/{server}/cmdline").read_bytes()
