"""The format of Foya's rules: how a file is recognised, read, and turned into the model (foya.md sections 1 and 2)."""

from __future__ import annotations

import os
from typing import Final

from rulewright.model import FoyaFile
from rulewright.syntax.tree import Problem, Tree

__all__ = ["NAME", "detect", "is_global", "lower", "read", "rules_folder"]

NAME: Final = "foya"

GLOBAL_NAME: Final = "user_rules.md"
"""The one file of the global rules, directly in `rules/` (foya.md section 1 [S])."""


def detect(path: str, text: str) -> bool:
    """Tell whether a file is one of Foya's rule files: a Markdown file below `.foya/rules/`, in any letter case [F].

    Args:
        path: with either kind of slash; only its names are looked at.
    """
    return path.lower().endswith(".md") and rules_folder(path) is not None


def rules_folder(path: str) -> tuple[str, str] | None:
    """Return the folder `.foya/rules` that a path lies below, and the rest of the path, both with `/`; None where there is none."""
    parts = path.replace("\\", "/").split("/")
    for at in range(len(parts) - 2, 0, -1):
        if parts[at] == "rules" and parts[at - 1] == ".foya":
            return "/".join(parts[: at + 1]), "/".join(parts[at + 1 :])
    return None


def is_global(path: str, text: str) -> bool:
    """Tell whether a rule file is the global one, with markers, rather than a project's.

    That is `user_rules.md` directly in the `.foya/rules` of the home folder, and anywhere else one with markers or without
    frontmatter: a home folder that is looked at from elsewhere.
    """
    found = rules_folder(path)
    if found is None or found[1] != GLOBAL_NAME:
        return False
    home = os.path.abspath(os.path.expanduser("~")).replace("\\", "/")
    return (
        found[0] == f"{home}/.foya/rules" or "foya-rule:" in text or not text.removeprefix("\ufeff").startswith("---")
    )


def read(path: str, text: str) -> Tree:
    """Read the text of a rule file."""
    return Tree(None)


def lower(path: str, text: str, tree: Tree) -> tuple[FoyaFile, list[Problem]]:
    """Turn the tree into rules, with the problems of their shape."""
    return FoyaFile.empty(), []
