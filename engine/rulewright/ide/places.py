"""What stands under the cursor in a tree: a key or a value, and the mappings around it. Knows no format."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rulewright.text.span import Span

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """One key or scalar. path: from the root. on_key: the key itself, else its value. mappings: around it, outermost first."""

    path: Path
    span: Span
    on_key: bool
    value: Node | None
    mappings: tuple[Mapping, ...]


def find(root: Node | None, offset: int) -> Found | None:
    """Return what stands at an offset, None where that is no key and no scalar of a mapping."""
    path: Path = ()
    mappings: tuple[Mapping, ...] = ()
    node = root
    while True:
        if isinstance(node, Mapping):
            mappings = (*mappings, node)
            on_key = next((entry for entry in node.entries if holds(entry.key_span, offset)), None)
            if on_key is not None:
                return Found((*path, on_key.key), on_key.key_span, True, on_key.value, mappings)
            entry = next((entry for entry in node.entries if holds(entry.value.span, offset)), None)
            if entry is None:
                return None
            path, node = (*path, entry.key), entry.value
        elif isinstance(node, Sequence):
            index = next((index for index, item in enumerate(node.items) if holds(item.span, offset)), None)
            if index is None:
                return None
            path, node = (*path, index), node.items[index]
        elif isinstance(node, Scalar | Alias) and path:
            return Found(path, node.span, False, node, mappings)
        else:
            return None


def holds(span: Span, offset: int) -> bool:
    """Tell whether a span covers the character behind an offset."""
    return span.start <= offset < span.end
