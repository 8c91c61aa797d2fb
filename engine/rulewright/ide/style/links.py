"""Places that lead to other places: an alias to its anchor, a `text_file` to the file."""

from __future__ import annotations

import os

from rulewright.analysis import Analysis
from rulewright.ide.results import Link
from rulewright.syntax.tree import Alias, Mapping, Node, Sequence, resolve
from rulewright.text.span import Span


def definition(analysis: Analysis, offset: int) -> Span | None:
    """Return the anchor that the alias at `offset` stands for."""
    alias = _alias_at(analysis.document.tree.root, offset)
    target = None if alias is None else resolve(alias)
    if target is None:
        return None
    return target.anchor or Span(target.span.start, target.span.start)


def text_files(analysis: Analysis) -> list[Link]:
    """Return the `text_file` values that name a file inside the package's folder."""
    package = analysis.document.package
    folder = os.path.dirname(os.path.abspath(analysis.document.path))
    found: list[Link] = []
    for rule in package.rules:
        value = rule.text_file
        if value.known and value.origin == "written" and value.text() and "\0" not in value.text():
            path = os.path.normpath(os.path.join(folder, value.text()))
            if path.startswith(folder + os.sep):
                found.append(Link(value.span, path))
    return found


def _alias_at(node: Node | None, offset: int) -> Alias | None:
    if isinstance(node, Alias):
        return node if node.span.contains(offset) else None
    if isinstance(node, Mapping):
        for entry in node.entries:
            if entry.value.span.contains(offset) and (found := _alias_at(entry.value, offset)) is not None:
                return found
    elif isinstance(node, Sequence):
        for item in node.items:
            if item.span.contains(offset) and (found := _alias_at(item, offset)) is not None:
                return found
    return None
