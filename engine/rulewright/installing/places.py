"""Where an installation lies: its index and lock, the host's file of hooks, the host's instruction file. Reads no contents.

Project and local scope keep index and lock in `<project>/.style/` and share the index: same packages, same command line, and
a host that runs equal commands once runs them once. User scope keeps them in the folder of per-user state (cli.md, Files).
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Any

from rulewright import harness
from rulewright.errors import RulewrightError
from rulewright.installing.lockfile import LOCK_NAME
from rulewright.settings import STYLE_FOLDER, Settings, home_folder, index_name, index_path, state_folder
from rulewright.text.language import Text

USER = "user"
SCOPES = ("user", "project", "local")


@dataclass(frozen=True, slots=True)
class Place:
    """One harness in one scope. All paths are absolute.

    settings: of the packages. root: what paths in the lock are relative to, and where the project is.
    host: the host's file of hooks. instructions: the host's instruction file, None where it has none for the scope.
    """

    harness: str
    scope: str
    settings: Settings
    root: str
    index: str
    lock: str
    host: str
    instructions: str | None

    @property
    def codec(self) -> Any:
        """The harness's module."""
        return harness.codec(self.harness)

    def relative(self, path: str) -> str:
        """Return a path as the lock holds it: relative to the root with `/`; absolute where it is not below it."""
        relative = os.path.relpath(path, self.root).replace(os.sep, "/")
        return path.replace(os.sep, "/") if relative.startswith("..") or self.scope == USER else relative

    def absolute(self, path: str) -> str:
        """Return the absolute path for one of the lock."""
        return os.path.normpath(os.path.join(self.root, path))


def place_of(settings: Settings, name: str, scope: str) -> Place:
    """Return where an installation lies.

    Args:
        settings: of the project; not looked at for the scope `user`.
    Raises:
        RulewrightError: there is no such harness, or it has no such scope.
    """
    refuse_unknown(name, scope)
    codec = harness.codec(name)
    home = home_folder()
    if scope == USER:
        settings = Settings(root=home)
        folder = state_folder()
        index, lock = os.path.join(folder, index_name(name)), os.path.join(folder, LOCK_NAME)
    else:
        index = index_path(settings.root, name)
        lock = os.path.join(settings.root, STYLE_FOLDER, LOCK_NAME)
    variable, below, file = codec.CONFIG[scope]
    host = os.path.join(_folder(settings.root, variable, below), file)
    instructions = None
    if scope in codec.INSTRUCTIONS:
        variable, below, names = codec.INSTRUCTIONS[scope]
        folder = _folder(settings.root, variable, below)
        found = [name for name in names if os.path.isfile(os.path.join(folder, name))]
        instructions = os.path.join(folder, found[0] if found else names[-1])
    return Place(name, scope, settings, settings.root, index, lock, host, instructions)


def lock_paths(settings: Settings) -> dict[str, str]:
    """Return the locks that count for a project: the user's and the project's own, by `user` and `project`."""
    return {
        "project": os.path.join(settings.root, STYLE_FOLDER, LOCK_NAME),
        USER: os.path.join(state_folder(), LOCK_NAME),
    }


def backup_path(path: str) -> str:
    """Return where a copy of a user's file is kept from before our first change: in the folder of per-user state."""
    mark = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return os.path.join(backup_folder(), f"{mark}-{os.path.basename(path)}")


def backup_folder() -> str:
    """Return the folder of such copies."""
    return os.path.join(state_folder(), "backups")


def refuse_unknown(name: str, scope: str) -> None:
    """Refuse a harness or scope that there is no table for.

    Raises:
        RulewrightError: with what is supported.
    """
    if name not in harness.NAMES:
        raise RulewrightError(
            Text("installing into `{name}` is not supported", "不支持安装到 `{name}`").format(name=name),
            SUPPORTED.format(names=", ".join(harness.NAMES)),
        )
    scopes = [known for known in SCOPES if known in harness.codec(name).CONFIG]
    if scope not in scopes:
        raise RulewrightError(
            Text("`{name}` has no scope `{scope}`", "`{name}` 没有作用域 `{scope}`").format(name=name, scope=scope),
            SUPPORTED.format(names=", ".join(scopes)),
        )


SUPPORTED = Text("supported: {names}", "支持的有：{names}")


def _folder(root: str, variable: str | None, below: str) -> str:
    moved = os.environ.get(variable) if variable else None
    return os.path.abspath(moved) if moved else os.path.join(root, *below.split("/"))
