"""Results that a case can show besides findings and fixes, each as text: one function for the word of its block."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rulewright.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rulewright.text.lines import Lines
from support.cases import View, place_of


def spans(view: View) -> str:
    """Every key and value of the tree with its place."""
    lines = Lines(view.source.text)
    return "\n".join(f"{place_of(lines, span)} {label}" for span, label in _walk(view.analysis.document.tree.root, "$"))


def _walk(node: Node | None, path: str) -> Iterator[tuple[object, str]]:
    if node is None:
        return
    if isinstance(node, Scalar):
        yield node.span, f"{path} = {node.value!r}"
    elif isinstance(node, Alias):
        yield node.span, f"{path} = *{node.name}"
    elif isinstance(node, Mapping):
        yield node.span, f"{path} mapping"
        for entry in node.entries:
            yield entry.key_span, f"{path}.{entry.key} key"
            yield from _walk(entry.value, f"{path}.{entry.key}")
    elif isinstance(node, Sequence):
        yield node.span, f"{path} list"
        for number, item in enumerate(node.items):
            yield from _walk(item, f"{path}[{number}]")


VIEWS: dict[str, Callable[[View], str]] = {"spans": spans}
