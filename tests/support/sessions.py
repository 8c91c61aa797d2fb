"""What tests of the session's state share: events that tell of it, rules that depend on it, and a look at its files."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from rulewright.hook.state import State
from support.hook import Hook, package, payload

CORPUS = Path(__file__).parent.parent / "corpus" / "engine"
TIP = package("- {id: tip, target: tool, tool: shell, at: before, text: 'Mind {{ tool.input.command }}.'}")
TURN = package("- {id: tip, target: tool, tool: shell, at: before, repeat: turn, reason: r, text: Mind.}")
START = payload("SessionStart", source="startup")
CLEAR = payload("SessionStart", source="clear")
COMPACT = payload("SessionStart", source="compact")


def refreshing(every: int, more: str = "") -> str:
    """Return a package whose only rule says `Mind.` before shell calls, every so many prompts."""
    return package(
        f"- {{id: tip, target: tool, tool: shell, at: before, refresh: {every}, reason: r, text: Mind.{more}}}"
    )


def prompt(number: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a prompt."""
    return payload("UserPromptSubmit", prompt=f"p{number}", **fields)


def session_of(hook: Hook, name: str = "s-1") -> Path:
    """Return the folder of a session."""
    return Path(State(str(hook.state), hook.harness, name)._path)


def modes(folder: Path) -> set[tuple[bool, int]]:
    """Return what there is in a folder and with which rights: whether it is a folder, and the mode."""
    return {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in [folder, *folder.rglob("*")]}


def files_of(folder: Path) -> dict[str, bytes | None]:
    """Return all that is in a folder, by its path: the bytes of files, None for folders."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
