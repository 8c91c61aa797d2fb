"""The real clients of the tests in this folder. `dev.py real` downloads them; without them the tests do not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from real import clients
from real.desk import CLIENTS, ClaudeCode, Client, Codex, Desk


def desk_for(client: Client, folder: Path) -> Desk:
    """Return a fresh desk; it fails where the client has not been downloaded."""
    if not clients.program(CLIENTS, client.name).exists():
        pytest.fail(f"{client.name} is not in {CLIENTS}; `python dev.py real` downloads it", pytrace=False)
    # Every command line that is installed has to get through a shell with these.
    return Desk(folder / "a desk's 桌子", client)


@pytest.fixture(params=[ClaudeCode(), Codex()], ids=lambda client: client.name)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """A desk for each client in turn."""
    return desk_for(request.param, tmp_path)


@pytest.fixture
def claude(tmp_path: Path) -> Desk:
    """A desk with Claude Code."""
    return desk_for(ClaudeCode(), tmp_path)


@pytest.fixture
def codex(tmp_path: Path) -> Desk:
    """A desk with Codex."""
    return desk_for(Codex(), tmp_path)
