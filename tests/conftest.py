"""The surroundings of every test: folders of its own, no network beyond this machine, and cases in Markdown."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.cases import CaseFile

CASE_FOLDERS = ("checks", "ide", "formats")
TESTS = Path(__file__).parent

# Set before any test module is imported: what is imported may read them.
_SCRATCH = Path(tempfile.mkdtemp(prefix="rulewright-tests-"))
for _name, _folder in (("HOME", "home"), ("USERPROFILE", "home"), ("RULEWRIGHT_HOME", "state")):
    (_SCRATCH / _folder).mkdir(exist_ok=True)
    os.environ[_name] = str(_SCRATCH / _folder)
# What the person who runs the tests has set for agents, editors, git (in a git hook) and colours is no test's business.
for _name in list(os.environ):
    if _name.startswith(("CLAUDE", "CODEX_", "COPILOT_", "FOYA_", "GEMINI_", "OPENCLAUDE_", "OTEL_")) or _name in (
        "COLUMNS",
        "FORCE_COLOR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_WORK_TREE",
        "PYTHONPATH",
        "RULEWRIGHT_CHAIN_DEPTH",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
    ):
        del os.environ[_name]
# A shell of the person's own reads profiles of their own.
os.environ["SHELL"] = "/bin/sh"
os.environ["TERM"] = "xterm"
# Whatever lies about in the folder for temporary files belongs to no test.
os.environ["GIT_CEILING_DIRECTORIES"] = os.path.abspath(tempfile.gettempdir())
# A check that raises is a failed test, not a finding.
os.environ["RULEWRIGHT_RAISE"] = "1"
os.environ["NO_COLOR"] = "1"
os.environ["LC_ALL"] = "C.UTF-8"
os.environ.pop("LANG", None)
os.environ.pop("LANGUAGE", None)


# Random examples on a developer's machine; in CI the same ones each time, so that a red run is about the change in it. How long
# an example takes to be made says how busy the machine is.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_unconfigure() -> None:
    """Remove the folders that the tests shared."""
    shutil.rmtree(_SCRATCH, ignore_errors=True)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    """Take the Markdown files of the case folders for tests."""
    if file_path.suffix == ".md" and file_path.parent.parent == TESTS and file_path.parent.name in CASE_FOLDERS:
        return CaseFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a home folder and a state folder that nothing else uses."""
    base = tmp_path_factory.mktemp("own")
    for name, folder in (("HOME", "home"), ("USERPROFILE", "home"), ("RULEWRIGHT_HOME", "state")):
        (base / folder).mkdir(exist_ok=True)
        monkeypatch.setenv(name, str(base / folder))


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Refuse every connection that would leave this machine."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else None
        if host is not None and host not in ("127.0.0.1", "::1", "localhost"):
            raise RuntimeError(f"a test tried to reach {host}")
        real(self, address)  # type: ignore[arg-type]

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", connect)
    yield
    patch.undo()
