"""Edits that write texts as the author does: in the quotes of a scalar, and as more entries of a list."""

from __future__ import annotations

import json
import re

from rulewright.syntax.tree import Scalar, Sequence
from rulewright.syntax.yaml_quoting import quote_double, quote_single, quoted
from rulewright.text.edits import Edit
from rulewright.text.lines import Lines
from rulewright.text.span import Span

_DASH = re.compile(r"[ \t]*-[ \t]+")


def put_entries(
    lines: Lines, entries: Sequence, entry: Scalar, texts: tuple[str, ...], *, as_json: bool = False
) -> tuple[Edit, ...] | None:
    """Return the edits that put one or more texts in the place of an entry; where the first is the entry's own, it stays untouched.

    Args:
        lines: of the text in which the list stands.
        as_json: the list is written in JSON, which knows fewer escapes than YAML.

    Returns:
        None where the entry is written in a way that cannot be repeated: over several lines, with an anchor or a tag, or
        behind other entries of its line.
    """
    source = entry.span.of(lines.text)
    if entry.anchor is not None or entry.tag is not None or entry.missing or "\n" in source or "\r" in source:
        return None
    written = [written_like(entry, text, as_json=as_json) for text in texts]
    edits: list[Edit] = []
    if texts[0] != entry.value:
        edits.append(Edit(entry.span, written[0]))
    if entries.flow:
        more = "".join(f", {text}" for text in written[1:])
        return (Edit(entry.span, written[0] + more),) if edits else (_insert(entry.span.end, more),)
    line = lines.line_at(entry.span.start)
    lead = lines.text[lines.starts[line] : entry.span.start]
    if not _DASH.fullmatch(lead):
        return None
    if written[1:]:
        more = "".join(f"{lines.line_end()}{lead}{text}" for text in written[1:])
        edits.append(_insert(lines.ends[line], more))
    return tuple(edits)


def written_like(scalar: Scalar, text: str, *, as_json: bool = False) -> str:
    """Return a text as it is written in the place of a scalar: in its quotes, where they can hold it.

    Args:
        as_json: it stands in JSON, which knows fewer escapes than YAML.
    """
    if as_json:
        return json.dumps(text, ensure_ascii=False)
    if scalar.style == "double":
        return quote_double(text)
    return quote_single(text) if scalar.style == "single" and text.isprintable() else quoted(text)


def _insert(at: int, text: str) -> Edit:
    return Edit(Span(at, at), text)
