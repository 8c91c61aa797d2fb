"""What an installation writes, planned first as a list of changes, then written all or none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rulewright import files
from rulewright.errors import RulewrightError
from rulewright.files import Source
from rulewright.installing.lockfile import Installed
from rulewright.text.language import Text

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


@dataclass(frozen=True, slots=True)
class Change:
    """One file to write: its bytes before and after; None means that there is no file.

    kind: `text` is shown as a diff; `data` (an index) and `copy` (of a file as it was) are only named.
    mode: of a new file; None leaves it to the umask.
    """

    path: str
    before: bytes | None
    after: bytes | None
    kind: Literal["text", "data", "copy"] = "text"
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What an installation or its removal will do.

    root: what the paths of changes are shown relative to. events: native events with an entry of ours, by name.
    make_folders, private_folders: made before anything is written, the latter with mode 0700. remove_folders: removed at
    the end if they are empty.
    notes: what the user should know, whether or not anything changes. foya, chains: the hook gives Foya's rules, dispatches hook
        chains.
    """

    harness: str
    scope: str
    root: str
    changes: tuple[Change, ...]
    events: tuple[str, ...] = ()
    packages: tuple[Installed, ...] = ()
    make_folders: tuple[str, ...] = ()
    private_folders: tuple[str, ...] = ()
    remove_folders: tuple[str, ...] = ()
    notes: tuple[Text, ...] = ()
    foya: bool = False
    chains: bool = False


def apply(plan: Plan) -> None:
    """Write the changes of a plan, in its order. If one fails, those before it are undone.

    Raises:
        RulewrightError: a file cannot be written, or has changed since the plan was made.
    """
    made: list[str] = []
    done: list[Change] = []
    finished = False
    try:
        for folder in plan.private_folders:
            made.extend(files.make_folder(folder, PRIVATE_FOLDER))
        for folder in plan.make_folders:
            made.extend(files.make_folder(folder))
        for change in plan.changes:
            if bytes_or_none(change.path) != change.before:
                raise RulewrightError(
                    Text("`{path}` has changed in the meantime", "`{path}` 在此期间被改动过").format(path=change.path),
                    Text("run the command again", "请重新运行该命令"),
                )
            done.append(change)
            _put(change.path, change.after, change.mode)
        finished = True
    finally:
        if not finished:
            _undo(done, made)
    for folder in plan.remove_folders:
        files.remove_empty_folder(folder)


def _undo(done: Sequence[Change], made: Sequence[str]) -> None:
    # Each file gets its chance, whatever the one before it did; the first error is the one to tell of.
    for change in reversed(done):
        try:
            if bytes_or_none(change.path) != change.before:
                _put(change.path, change.before, change.mode)
        except RulewrightError:
            continue
    for folder in reversed(made):
        files.remove_empty_folder(folder)


def _put(path: str, data: bytes | None, mode: int | None) -> None:
    if data is None:
        files.remove_file(path)
    else:
        files.write_atomically(path, data, mode)


def source_or_none(path: str) -> Source | None:
    """Return a text file, None where there is none.

    Raises:
        RulewrightError: it is there but cannot be read.
    """
    return files.read_source(path) if os.path.lexists(path) else None


def bytes_or_none(path: str) -> bytes | None:
    """Return the bytes of a file, None where there is none.

    Raises:
        RulewrightError: it is there but cannot be read.
    """
    return files.read_bytes(path) if os.path.lexists(path) else None
