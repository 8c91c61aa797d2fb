"""Where a file of Foya rules lies, and what follows from that: scope, folder, depth, default id (foya.md sections 1 and 2)."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Final

from rulewright.model import FoyaScope
from rulewright.settings import FOYA_RULES, home_folder

GLOBAL_NAME: Final = "user_rules.md"
"""The one file of the global rules, directly in `rules/` (foya.md section 1 [S])."""

MAX_FOLDERS: Final = 3
"""Levels of folders below `rules/` that are read [S]."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file lies. rule_path: below `rules/`, with `/`; empty for the global file."""

    scope: FoyaScope
    rule_path: str

    @property
    def folder(self) -> str:
        """The folder below `rules/`, empty at the root."""
        return self.rule_path.rpartition("/")[0]

    @property
    def too_deep(self) -> bool:
        """Nothing reads a file below a third folder."""
        return self.rule_path.count("/") > MAX_FOLDERS

    @property
    def default_id(self) -> str:
        """The id of a rule that has none: made from the path in the project, so that it is the same on every machine [R]."""
        path = f".foya/rules/{self.rule_path}" if self.scope == "project" else f"~/.foya/rules/{GLOBAL_NAME}"
        return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def rules_folder(path: str) -> tuple[str, str] | None:
    """Return the folder `.foya/rules` that a path lies below, and the rest of the path, both with `/`; None where there is none."""
    parts = path.replace("\\", "/").split("/")
    for at in range(len(parts) - 2, 0, -1):
        if parts[at] == "rules" and parts[at - 1] == ".foya":
            return "/".join(parts[: at + 1]), "/".join(parts[at + 1 :])
    return None


def global_file(home: str | None = None) -> str:
    """Return the absolute path of the global rules, which need not exist. Source: foya.md section 1 [S].

    Args:
        home: the home folder, None: the user's.
    """
    return os.path.join(home or home_folder(), FOYA_RULES, GLOBAL_NAME)


def is_global(path: str, text: str) -> bool:
    """Tell whether a rule file is the global one, with markers, rather than a project's.

    That is `user_rules.md` directly in the `.foya/rules` of the home folder, and anywhere else one with markers or without
    frontmatter: a home folder that is looked at from elsewhere.
    """
    found = rules_folder(path)
    if found is None or found[1] != GLOBAL_NAME:
        return False
    return (
        found[0] == os.path.dirname(global_file()).replace("\\", "/")
        or "foya-rule:" in text
        or not text.removeprefix("\ufeff").startswith("---")
    )


def place_of(path: str, text: str) -> Place:
    """Return where a file lies. A path outside of any rules folder counts as one directly in it."""
    if is_global(path, text):
        return Place("global", "")
    found = rules_folder(path)
    return Place("project", found[1] if found else path.replace("\\", "/").rpartition("/")[2])
