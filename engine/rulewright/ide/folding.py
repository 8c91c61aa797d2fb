"""What can be folded: rules, mappings and lists of several lines, and runs of comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulewright.analysis import Analysis
from rulewright.syntax.tree import Mapping, Node, Scalar, Sequence


@dataclass(frozen=True, slots=True)
class Fold:
    """Zero-based lines, both included; the first stays visible."""

    first: int
    last: int
    comment: bool = False


def folds(analysis: Analysis) -> list[Fold]:
    """Return what can be folded, by place."""
    document = analysis.document
    lines = document.lines
    found: set[tuple[int, int]] = set()
    for start, end in _spans(document.tree.root):
        first = lines.line_at(start)
        last = lines.line_at(max(start, end - 1))
        while last > first and not lines.line_text(last).strip():
            last -= 1
        if last > first:
            found.add((first, last))
    result = [Fold(first, last) for first, last in found]
    run: list[int] = []
    for comment in [*document.tree.comments, None]:
        line = -1
        if comment is not None:
            line = lines.line_at(comment.start)
            if lines.text[lines.starts[line] : comment.start].strip():
                continue
        if run and line == run[-1] + 1:
            run.append(line)
            continue
        if len(run) > 1:
            result.append(Fold(run[0], run[-1], comment=True))
        run = [line]
    return sorted(result, key=lambda fold: (fold.first, fold.last))


def _spans(node: Node | None) -> Iterator[tuple[int, int]]:
    if isinstance(node, Mapping):
        for entry in node.entries:
            yield entry.key_span.start, entry.value.span.end
            if not isinstance(entry.value, Scalar):
                yield from _spans(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield item.span.start, item.span.end
            yield from _spans(item)
