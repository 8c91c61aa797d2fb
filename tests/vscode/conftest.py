"""The windows of the tests in this folder. `dev.py vscode` downloads VS Code and packs the extension."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from vscode.workbench import CLIENT, HERE, RULEWRIGHT, VSIX, Workbench, install

Open = Callable[..., Workbench]
PYTHON_EXTENSION = HERE / "python_extension"


@pytest.fixture(scope="session")
def extensions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which VS Code has installed the packed extension."""
    if not (CLIENT / ".ready").exists() or not VSIX.exists():
        pytest.fail("VS Code or the extension is not there; `python dev.py vscode` gets both", pytrace=False)
    folder = tmp_path_factory.mktemp("extensions")
    install(folder, VSIX)
    return folder


@pytest.fixture(scope="session")
def extensions_with_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return such a folder that has an extension with the API of the Python extension as well."""
    folder = tmp_path_factory.mktemp("extensions-with-python")
    packed = folder.parent / "python.vsix"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in PYTHON_EXTENSION.iterdir():
            archive.write(file, f"extension/{file.name}")
    install(folder, VSIX)
    install(folder, packed)
    return folder


@pytest.fixture
def open_window(extensions: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Return a function that opens a window on a new folder; `path` is the setting of the server's path."""
    yield from _opening(extensions, tmp_path_factory)


@pytest.fixture(scope="module")
def open_shared(extensions: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Return the same function, for a window that all tests of a module use: to start one takes seconds."""
    yield from _opening(extensions, tmp_path_factory)


def _opening(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    windows: list[Workbench] = []

    def open_one(
        files: dict[str, str] | None = None,
        *,
        path: Path | None = RULEWRIGHT,
        settings: dict[str, Any] | None = None,
        extensions: Path = installed,
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
        window = Workbench(extensions, folder, settings=settings or {}, machine=machine, **options)
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
    if report.when in ("setup", "call") and report.failed:
        for number, window in enumerate(Workbench.open_ones):
            picture = CLIENT.parent / "vscode-failed" / f"{item.name}-{number}.png"
            window.keep(picture)
            report.sections.append((f"window {number}, picture {picture}", window.output()))
    return report
