"""The format STYLE, `style/v0.3`: how a package is recognised, read, and turned into the model (style.md sections 1 and 2)."""

from __future__ import annotations

import re
from typing import Final

from rulewright.formats.style.keys import field_at, table_at
from rulewright.formats.style.lowering import lower
from rulewright.formats.style.vocabulary import SPEC
from rulewright.syntax.tree import Tree
from rulewright.syntax.yaml_reader import read_yaml

__all__ = ["NAME", "SPEC", "detect", "field_at", "lower", "read", "table_at"]

NAME: Final = "style"

_SUFFIXES = (".yaml", ".yml")
# Comments, blank lines, directives and a document start may come before the first key.
_FIRST_KEY = re.compile(
    r"\ufeff?(?:[ \t]*(?:#[^\r\n]*|%[^\r\n]*|---[ \t]*(?:#[^\r\n]*)?)?(?>\r\n|\n|\r))*+(?:---[ \t]+)?[\"']?spec[\"']?[ \t]*:[ \t]+[\"']?style/"
)


def detect(path: str, text: str) -> bool:
    """Tell whether a file is a STYLE package, by its name or by its first key (style.md section 1).

    Args:
        path: with either kind of slash; only its names are looked at.
    """
    parts = path.replace("\\", "/").split("/")
    name = parts[-1].lower()
    if name == "style.lock.yaml" or not name.endswith(_SUFFIXES):
        return False
    if name == "style.yaml" or name.endswith((".style.yaml", ".style.yml")) or ".style" in parts[:-1]:
        return True
    return _FIRST_KEY.match(text) is not None


def read(path: str, text: str) -> Tree:
    """Read the text of a package."""
    return read_yaml(text)
