"""What the tests of commands share: a project in a temporary folder, commands in this process or in their own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rulewright.cli import main

ROOT = Path(__file__).parents[2]

GUARD = """\
spec: style/v0.3
name: guard
version: 0.1.0
description: a test package
rules:
  - id: force-push
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

FAULTY = """\
spec: style/v0.3
name: faulty
version: 0.1.0
description: a test package
rules:
  - id: r
    target: tool
    tool: shell
    action: block
    at: after
    repeat: turn
    text: No.
"""


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, which is also the current folder."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command in this process."""

    def call(*words: str) -> Ran:
        code = main([*words])
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return call


def rulewright(*words: str, cwd: Path, stdin: bytes = b"", timeout: float = 60, memory: int = 0, **env: str) -> Ran:
    """Run a command in its own process.

    Args:
        memory: bytes of address space that it may use; 0 does not bound it.
        env: a variable set to the empty string is left out.
    """
    merged = {**os.environ, "PYTHONPATH": f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}", **env}
    done = subprocess.run(
        [sys.executable, "-m", "rulewright", *words],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env={name: value for name, value in merged.items() if value},
        check=False,
        preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
