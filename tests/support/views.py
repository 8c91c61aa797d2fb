"""Results that a case can show besides findings and fixes, each as text: one function for the word of its block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rulewright.ide import code_actions, code_lens, completion, folding, inlay_hints, semantic_tokens, symbols
from rulewright.ide import hover as hovering
from rulewright.ide.results import Symbol
from rulewright.syntax import tree
from rulewright.text.lines import Lines
from rulewright.text.span import Span
from support.cases import CaseError, View, place_of


def hover(view: View) -> str:
    """What is shown for the cursor: the place, then the text; nothing where nothing is said."""
    found = hovering.hover(view.analysis, _cursor(view), "en")
    return "" if found is None else f"{place_of(Lines(view.source.text), found.span)}\n{found.markdown}"


def completion_labels(view: View) -> str:
    """What is offered at the cursor, one label a line, in order."""
    document = view.analysis.document
    items = completion.complete(
        document.format, document.path, view.source.text, Lines(view.source.text), _cursor(view)
    )
    return "\n".join(item.label for item in items)


def outline(view: View) -> str:
    """The outline, each entry with its place, what is inside it indented."""
    lines = Lines(view.source.text)

    def rows(entries: Sequence[Symbol], indent: str) -> Iterator[str]:
        for entry in entries:
            yield f"{indent}{place_of(lines, entry.selection)} {entry.name}"
            yield from rows(entry.children, indent + "  ")

    return "\n".join(rows(symbols.symbols(view.analysis), ""))


def actions(view: View) -> str:
    """The titles of what is offered at the cursor or for the selection."""
    span = Span(view.cursors[0], view.cursors[-1]) if view.cursors else Span(0, len(view.source.text))
    return "\n".join(action.title for action in code_actions.actions(view.analysis, span, "en"))


def folds(view: View) -> str:
    """What can be folded: first and last line, one-based."""
    return "\n".join(f"{fold.first + 1}-{fold.last + 1}" for fold in folding.folds(view.analysis))


def hints(view: View) -> str:
    """The inlay hints of the text, or of the selection: the place, the label, and the explanation indented below."""
    lines = Lines(view.source.text)
    span = Span(view.cursors[0], view.cursors[-1]) if view.cursors else Span(0, len(view.source.text))
    rows: list[str] = []
    for hint in inlay_hints.inlay_hints(view.analysis, span, "en"):
        place = lines.position_at(hint.offset)
        rows.append(f"{place.line + 1}:{place.column + 1} {hint.label}")
        rows += [f"  {line}".rstrip() for line in hint.tooltip.split("\n")]
    return "\n".join(rows)


def lenses(view: View) -> str:
    """The lines above rules, each with its place."""
    lines = Lines(view.source.text)
    return "\n".join(
        f"{place_of(lines, lens.span)} {lens.title}" for lens in code_lens.code_lenses(view.analysis, "en")
    )


def tokens(view: View) -> str:
    """The words with a meaning of their own, each with its place."""
    lines = Lines(view.source.text)
    return "\n".join(
        f"{place_of(lines, token.span)} {token.kind}{' unknown' if token.unknown else ''} {token.span.of(lines.text)}"
        for token in semantic_tokens.semantic_tokens(view.analysis)
    )


def spans(view: View) -> str:
    """Every key and value of the tree with its place."""
    lines = Lines(view.source.text)
    return "\n".join(f"{place_of(lines, span)} {label}" for span, label in _walk(view.analysis.document.tree.root, "$"))


def _walk(node: tree.Node | None, path: str) -> Iterator[tuple[Span, str]]:
    if isinstance(node, tree.Scalar):
        yield node.span, f"{path} = {node.value!r}"
    elif isinstance(node, tree.Alias):
        yield node.span, f"{path} = *{node.name}"
    elif isinstance(node, tree.Mapping):
        yield node.span, f"{path} mapping"
        for entry in node.entries:
            yield entry.key_span, f"{path}.{entry.key} key"
            yield from _walk(entry.value, f"{path}.{entry.key}")
    elif isinstance(node, tree.Sequence):
        yield node.span, f"{path} list"
        for number, item in enumerate(node.items):
            yield from _walk(item, f"{path}[{number}]")


def _cursor(view: View) -> int:
    if len(view.cursors) != 1:
        raise CaseError("this result needs one cursor: `$0`")
    return view.cursors[0]


VIEWS: dict[str, Callable[[View], str]] = {
    "hover": hover,
    "completion": completion_labels,
    "symbols": outline,
    "actions": actions,
    "folds": folds,
    "hints": hints,
    "lenses": lenses,
    "spans": spans,
    "tokens": tokens,
}
