"""The format of OpenClaude's hook chains: how a file is recognised, read, and turned into the model (hook-chains.md 1 and 2)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from rulewright.formats.hook_chains.keys import field_at, table_at
from rulewright.formats.hook_chains.lowering import SYNTAX, fatal, lower
from rulewright.syntax.json_reader import read_json
from rulewright.syntax.tree import Tree

__all__ = ["NAME", "detect", "field_at", "lower", "read", "table_at"]

NAME: Final = "hook-chains"

FILE_NAME: Final = "hook-chains.json"
# Keys that no other JSON file has (hook-chains.md section 2).
_OWN_KEY = re.compile(r'"(?:hookChains|maxChainDepth|defaultCooldownMs|defaultDedupWindowMs)"\s*:')


def detect(path: str, text: str) -> bool:
    """Tell whether a file holds hook chains, by its name, or as another JSON file by a key of theirs.

    `CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH` may name a file of any name [S].

    Args:
        path: with either kind of slash; only its names are looked at.
    """
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    if name == FILE_NAME or name.endswith(f".{FILE_NAME}"):
        return True
    return name.endswith(".json") and _OWN_KEY.search(text) is not None


def read(path: str, text: str) -> Tree:
    """Read the text of a file. What is not JSON turns all its rules off, and says so."""
    tree = read_json(text)
    tree.problems = [
        replace(problem, message=fatal(problem.message)) if problem.code == SYNTAX and not problem.minor else problem
        for problem in tree.problems
    ]
    return tree
