"""The two commands of the README, in a clone, from nothing. Slow and needs the package index: `dev.py test -- -m fresh`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = [pytest.mark.fresh, pytest.mark.timeout(1800)]


def base_python() -> str:
    """Return the interpreter behind the venv that the tests run in: a newcomer has no venv yet."""
    return str(getattr(sys, "_base_executable", sys.executable))


def commands_of_the_readme() -> list[str]:
    """Return the commands of the README's first block."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```sh\n(.*?)```", readme, re.DOTALL)
    assert block
    return [line.split("#")[0].strip() for line in block[1].strip().split("\n")]


def test_a_fresh_clone_does_what_the_readme_says(tmp_path: Path) -> None:
    clone = tmp_path / "a clone"  # with a space, as on many a desk
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    commands = commands_of_the_readme()
    assert len(commands) == 2
    home = tmp_path / "home"
    home.mkdir()
    dropped = ("VIRTUAL_ENV", "PYTHONPATH", "RULEWRIGHT_RAISE", "UPDATE_CASES")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    environment["HOME"] = str(home)
    for command in commands:
        words = command.split()
        assert words[:2] == ["python3", "dev.py"]
        done = subprocess.run(
            [base_python(), *words[1:]],
            cwd=clone,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}"
    closing = done.stdout.strip().split("\n")[-1]
    assert re.search(r"\d+ passed.* in ", closing), closing
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, encoding="utf-8", check=True
    )
    assert not status.stdout, "the commands leave files that git does not ignore"
