"""The developer commands: what a PATH of `test` means, how a benchmark's rows are judged, and what a broken place says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("checks/block-after", "tests/checks/block-after.md"),
        ("checks/block-after::A case", "tests/checks/block-after.md::A case"),
        ("support/views", "tests/support/views.py"),
        ("docs", "tests/test_docs.py"),
        ("test_dev.py", "tests/test_dev.py"),
        ("checks", "tests/checks"),
    ],
)
def test_paths_of_test(dev: ModuleType, path: str, file: str) -> None:
    assert dev.test_path(path) == str(ROOT / file)


def test_an_unknown_path_says_what_to_try(dev: ModuleType) -> None:
    with pytest.raises(dev.Failed, match="checks/CODE"):
        dev.test_path("checks/no-such-check")


def test_a_missed_target_is_counted(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {
        "hook": {
            "fast": {"value": 1.2, "unit": "x", "target": 1.4},
            "slow": {"value": 1.5, "unit": "x", "target": 1.4},
            "only told": {"value": 7, "unit": "ms"},
        }
    }
    assert dev.print_bench(rows) == 1
    printed = capsys.readouterr().out
    assert "MISSED" in printed
    assert "ok" in printed


def test_every_command_has_a_word_of_help(dev: ModuleType) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "dev.py"), "--help"], capture_output=True, encoding="utf-8", check=True
    )
    for name in dev.COMMANDS:
        assert f"\n    {name} " in done.stdout


def test_a_wrong_command_leaves_with_2() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "dev.py"), "tset"], capture_output=True, check=False)
    assert done.returncode == 2
