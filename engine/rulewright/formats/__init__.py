"""The formats of rule files. Each is a module with the same four names: `NAME`, `detect`, `read`, `lower`."""

from __future__ import annotations

from typing import Protocol

from rulewright.formats import foya, hook_chains, style
from rulewright.model import Content
from rulewright.syntax.tree import Problem, Tree


class Format(Protocol):
    """What a module of a format offers."""

    @property
    def NAME(self) -> str:  # noqa: N802  # a constant of the module
        """The name in JSON, settings and case files."""

    def detect(self, path: str, text: str) -> bool:
        """Tell whether a file is of this format."""

    def read(self, path: str, text: str) -> Tree:
        """Read the text into a tree; never raises. The path is only looked at."""

    def lower(self, path: str, text: str, tree: Tree) -> tuple[Content, list[Problem]]:
        """Turn the tree into the model, with the problems of its shape."""


# In the order of detection.
FORMATS: tuple[Format, ...] = (style, foya, hook_chains)


def detect(path: str, text: str) -> Format | None:
    """Return the format of a file, or None where it is none of ours."""
    for module in FORMATS:
        if module.detect(path, text):
            return module
    return None


def by_name(name: str) -> Format:
    """Return a format by its name.

    Raises:
        KeyError: there is no such format.
    """
    for module in FORMATS:
        if name == module.NAME:
            return module
    raise KeyError(name)
