"""The windows of the tests in this folder. `dev.py vscode` downloads VS Code and packs the extension."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from vscode.workbench import CLIENT, RULEWRIGHT, VSIX, Workbench

Open = Callable[..., Workbench]


@pytest.fixture
def open_window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Return a function that opens a window on a new folder; `path` is the setting of the server's path."""
    yield from _opening(tmp_path_factory)


@pytest.fixture(scope="module")
def open_shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Return the same function, for a window that all tests of a module use: to start one takes seconds."""
    yield from _opening(tmp_path_factory)


def _opening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    if not (CLIENT / ".ready").exists() or not VSIX.exists():
        pytest.fail("VS Code or the extension is not there; `python dev.py vscode` gets both", pytrace=False)
    windows: list[Workbench] = []

    def open_one(
        files: dict[str, str] | None = None,
        *,
        path: Path | None = RULEWRIGHT,
        settings: dict[str, Any] | None = None,
        **options: Any,
    ) -> Workbench:
        scratch = tmp_path_factory.mktemp("window")
        folder = scratch / "a folder 文件夹"
        folder.mkdir()
        for name, text in (files or {}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        machine = {"rulewright.path": str(path)} if path else {}
        machine |= options.pop("machine", {})
        # What is installed must not reach the person who runs the tests.
        options["env"] = {
            "HOME": str(scratch),
            "RULEWRIGHT_HOME": str(scratch / "state"),
            "VIRTUAL_ENV": "",
            **options.get("env", {}),
        }
        window = Workbench(scratch, folder, settings=settings or {}, machine=machine, **options)
        windows.append(window)
        return window

    yield open_one
    for window in windows:
        window.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep a picture of each window, and what the extension wrote, when a test failed."""
    report: pytest.TestReport = yield
    if report.when == "call" and report.failed:
        for number, window in enumerate(Workbench.open_ones):
            picture = CLIENT.parent / "vscode-failed" / f"{item.name}-{number}.png"
            window.keep(picture)
            report.sections.append((f"window {number}, picture {picture}", window.output()))
    return report
