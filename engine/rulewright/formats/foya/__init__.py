"""The format of Foya's rules: how a file is recognised, read, and turned into the model (foya.md sections 1 and 2)."""

from __future__ import annotations

from typing import Final

from rulewright.formats.foya.lowering import lower, with_glob_lists
from rulewright.formats.foya.places import MAX_FOLDERS, global_file, is_global, place_of, rules_folder
from rulewright.formats.foya.program import MAX_CONTENT
from rulewright.syntax.markdown_reader import MarkdownTree, read_global, read_project

__all__ = ["MAX_CONTENT", "MAX_FOLDERS", "NAME", "detect", "global_file", "is_global", "lower", "read", "rules_folder"]

NAME: Final = "foya"


def detect(path: str, text: str) -> bool:
    """Tell whether a file is one of Foya's rule files: a Markdown file below `.foya/rules/`, in any letter case [F].

    Args:
        path: with either kind of slash; only its names are looked at.
    """
    return path.lower().endswith(".md") and rules_folder(path) is not None


def read(path: str, text: str) -> MarkdownTree:
    """Read the text of a rule file; of one that lies too deep nothing is reported, as nothing reads it."""
    place = place_of(path, text)
    tree = read_global(text) if place.scope == "global" else read_project(text)
    tree.problems = [] if place.too_deep else with_glob_lists(text, tree.problems)
    return tree
