"""Changes of a file of hook chains that mend no fault: wrap or unwrap it, write the defaults down, move a window to the top."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.formats.hook_chains.vocabulary import DEFAULT_DEPTH, DEFAULT_WINDOW_MS
from rulewright.model import ChainFile, Value
from rulewright.syntax.tree import Fix, Mapping
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

_DEFAULTS = (
    ("version", "1"),
    ("enabled", "true"),
    ("maxChainDepth", str(DEFAULT_DEPTH)),
    ("defaultCooldownMs", str(DEFAULT_WINDOW_MS)),
    ("defaultDedupWindowMs", str(DEFAULT_WINDOW_MS)),
)
_WINDOWS = (
    ("cooldown_ms", "cooldownMs", "defaultCooldownMs"),
    ("dedup_window_ms", "dedupWindowMs", "defaultDedupWindowMs"),
)
_INDENT = re.compile(r"[ \t]*")


def refactors(analysis: Analysis, span: Span) -> Iterator[Fix]:
    """Yield the changes that can be made at a place; none in a file with a fault that hides others."""
    document = analysis.document
    chains = document.chains
    if chains.root is None or document.damaged or not isinstance(document.tree.root, Mapping):
        return
    root = document.tree.root
    if span.start <= _first_line_end(root.span, document.lines):
        yield _unwrap(chains, root, document.text) if chains.wrapped else _wrap(root, document.text, document.lines)
        if (added := _add_defaults(chains.root, document.text, document.lines)) is not None:
            yield added
    yield from _extract(chains, span, document.text, document.lines)


def _wrap(root: Mapping, text: str, lines: Lines) -> Fix:
    inner = root.span.of(text)
    end = lines.line_end()
    indented = re.sub(r"(\r\n|\n|\r)(?=[^\r\n])", lambda match: match[1] + "  ", inner)
    return Fix(WRAP, (Edit(root.span, f'{{{end}  "hookChains": {indented}{end}}}'),), safe=False)


def _unwrap(chains: ChainFile, root: Mapping, text: str) -> Fix:
    assert chains.root is not None
    inner = chains.root.span.of(text)
    depth = _INDENT.match(text, _line_start(text, chains.root.span.end - 1))
    lead = depth[0] if depth is not None else ""
    less = re.sub(rf"(\r\n|\n|\r){lead}", lambda match: match[1], inner) if lead else inner
    return Fix(UNWRAP, (Edit(root.span, less),), safe=False)


def _add_defaults(root: Mapping, text: str, lines: Lines) -> Fix | None:
    present = {entry.key for entry in root.entries}
    missing = [(name, value) for name, value in _DEFAULTS if name not in present]
    if not missing:
        return None
    return Fix(
        ADD_DEFAULTS, (_insert(root, [f'"{name}": {value}' for name, value in missing], text, lines),), safe=False
    )


def _insert(root: Mapping, entries: list[str], text: str, lines: Lines) -> Edit:
    """Put entries in front of the first one, on lines of their own where that one has one."""
    at = root.span.start + 1
    if not root.entries:
        return Edit(Span(at, at), " " + ", ".join(entries) + (" " if text[at : at + 1] == "}" else ""))
    first = root.entries[0].key_span.start
    start = _line_start(text, first)
    lead = text[start:first]
    if lead.strip(" \t"):
        return Edit(Span(first, first), "".join(f"{entry}, " for entry in entries))
    end = lines.line_end()
    return Edit(Span(start, start), "".join(f"{lead}{entry},{end}" for entry in entries))


def _extract(chains: ChainFile, span: Span, text: str, lines: Lines) -> Iterator[Fix]:
    """Move a window that all rules write alike to the top, where it is the default."""
    assert chains.root is not None
    for attribute, name, default in _WINDOWS:
        values = [getattr(rule, attribute) for rule in chains.rules]
        here = any(_covers(value, span) for value in values)
        if not here or len(values) < 2 or any(not value.written or value.key is None for value in values):
            continue
        number = values[0].value
        if any(value.value != number or isinstance(value.value, bool) for value in values):
            continue
        edits = [_without(rule.node, name, text) for rule in chains.rules]
        entry = chains.root.get(default)
        if entry is not None:
            edits.append(Edit(entry.value.span, values[0].span.of(text)))
        else:
            edits.append(_insert(chains.root, [f'"{default}": {values[0].span.of(text)}'], text, lines))
        yield Fix(
            EXTRACT.format(name=name, default=default), tuple(sorted(edits, key=lambda edit: edit.span)), safe=False
        )


def _covers(value: Value, span: Span) -> bool:
    return value.key is not None and value.key.start <= span.end and span.start <= value.span.end


def _without(node: Mapping, name: str, text: str) -> Edit:
    """Take an entry out of a mapping, with its comma and, where it stands alone on its lines, those."""
    index = next(at for at, entry in enumerate(node.entries) if entry.key == name)
    entry = node.entries[index]
    if index + 1 < len(node.entries):
        return Edit(Span(entry.key_span.start, node.entries[index + 1].key_span.start), "")
    if index:
        return Edit(Span(node.entries[index - 1].value.span.end, entry.value.span.end), "")
    return Edit(Span(entry.key_span.start, entry.value.span.end), "")


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _first_line_end(span: Span, lines: Lines) -> int:
    """The first line of the file's mapping, with that of `hookChains` where it follows."""
    line = lines.line_at(span.start)
    return lines.ends[min(line + 1, len(lines) - 1)]


WRAP = Text("Wrap in `hookChains`", "放进 `hookChains` 中")
UNWRAP = Text("Take out of `hookChains`", "从 `hookChains` 中取出")
ADD_DEFAULTS = Text("Write the defaults down", "写出默认值")
EXTRACT = Text("Move `{name}` of all rules to `{default}`", "把所有规则的 `{name}` 移到 `{default}`")
