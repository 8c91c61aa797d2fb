"""`dev.py demo`: the whole way from the editor to a refused call, and a loud failure when a step is off."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "demo.py")]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120)


@pytest.mark.ledger("S013", "S093", "S094", "S095")
def test_the_demo_shows_the_main_job() -> None:
    done = run(EXAMPLES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"permissionDecision":"deny"' in done.stdout
    assert "awake   go-tests" in done.stdout
    assert "the path in the command wakes the rule" in done.stdout
    assert "1 of 1 rules match" in done.stdout
    assert "All as it should be" in done.stdout
    assert "\033" not in done.stdout


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("ac-block.style.yaml", "Do not run rm -rf.", "Please do not.", "expected a deny"),
        ("broken.style.yaml", "at: after", "at: before", "expected ['T005'"),
        ("project/.foya/rules/go.md", "src/**", "lib/**", "`go-tests` should be awake"),
        ("project/.openclaude/hook-chains.json", "timed out", "cut off", "the chain should match"),
    ],
    ids=["answer", "finding", "rule", "chain"],
)
def test_the_demo_fails_when_a_step_is_off(tmp_path: Path, name: str, old: str, new: str, said: str) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(EXAMPLES, folder)
    path = folder / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    done = run(folder)
    assert done.returncode == 1
    assert f"The demo failed: {said}" in done.stdout, done.stdout + done.stderr
