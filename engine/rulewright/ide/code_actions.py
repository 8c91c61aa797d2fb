"""Changes that an editor offers: the fixes of findings, "ignore here", and all safe fixes at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rulewright import analysis as engine
from rulewright.analysis import Analysis
from rulewright.checking import FileFacts, Finding
from rulewright.ide.chains.refactors import refactors
from rulewright.settings import Settings
from rulewright.suppression import UNUSED, read_ignores
from rulewright.syntax.tree import SYNTAX_CODES, Alias, Mapping, Node, Scalar, Sequence
from rulewright.text.edits import Edit, apply_edits, compatible_groups
from rulewright.text.language import Lang, Text
from rulewright.text.span import Span

ActionKind = Literal["quickfix", "source.fixAll", "refactor.rewrite"]

IGNORE_HERE = Text("Ignore `{code}` here", "在这里忽略 `{code}`")
FIX_ALL = Text("Fix everything that can be fixed safely", "修复所有可安全修复的问题")
FIX_ALL_OF = Text("Fix all `{code}` in this file", "修复本文件中所有的 `{code}`")

# Findings that no comment is offered for: our own faults, and texts that are not read as they are meant anyway.
NOT_IGNORABLE = frozenset({"internal-error", "multi-document", UNUSED, *SYNTAX_CODES})
MAX_ROUNDS = 10
"""Fixes can bring out others. Each round must remove something, so this is a net, not a limit that is met."""


@dataclass(frozen=True, slots=True)
class Action:
    """One change to offer.

    findings: those that it is about. preferred: the one that an editor's "fix this" key takes.
    """

    title: str
    kind: ActionKind
    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...] = ()
    preferred: bool = False


def actions(analysis: Analysis, span: Span, lang: Lang) -> list[Action]:
    """Return the quick fixes for the findings that touch `span`, then the ignoring comments for them."""
    touched = [finding for finding in analysis.findings if _touches(finding.span, span)]
    found: list[Action] = []
    for finding in touched:
        for index, fix in enumerate(finding.fixes):
            found.append(Action(fix.title.to(lang), "quickfix", fix.edits, (finding,), fix.safe and index == 0))
    for code in dict.fromkeys(finding.code for finding in touched):
        same = [finding for finding in analysis.findings if finding.code == code]
        edits = _safe_edits(same)
        if len(same) > 1 and edits:
            found.append(Action(FIX_ALL_OF.format(code=code).to(lang), "quickfix", tuple(edits), tuple(same)))
    offered: set[tuple[str, int]] = set()
    for finding in touched:
        line = analysis.document.lines.line_at(finding.span.start)
        if finding.code not in NOT_IGNORABLE and (finding.code, line) not in offered:
            offered.add((finding.code, line))
            edit = ignore_edit(analysis, finding)
            if edit is not None:
                found.append(Action(IGNORE_HERE.format(code=finding.code).to(lang), "quickfix", (edit,), (finding,)))
    return found


def refactorings(analysis: Analysis, span: Span, lang: Lang) -> list[Action]:
    """Return the changes that mend no fault, for the place of `span`."""
    if analysis.document.format != "hook-chains":
        return []
    return [Action(fix.title.to(lang), "refactor.rewrite", fix.edits) for fix in refactors(analysis, span)]


def fix_all(analysis: Analysis, settings: Settings, facts: FileFacts, lang: Lang) -> Action | None:
    """Return one change that applies all safe fixes until nothing is left to fix; None if there is nothing.

    Args:
        settings, facts: as for the analysis, to look at the text in between.
    """
    text = analysis.document.text
    findings: tuple[Finding, ...] = analysis.findings
    pieces: list[_Piece] = [_Piece(text, 0)]
    for _ in range(MAX_ROUNDS):
        edits = _safe_edits(findings)
        if not edits:
            break
        pieces = _patched(pieces, edits)
        text = apply_edits(text, edits)
        document = engine.read(analysis.document.path, text)
        if document is None:
            break
        findings = engine.analyze(document, settings, facts).findings
    changes = tuple(_changes(pieces, len(analysis.document.text)))
    return Action(FIX_ALL.to(lang), "source.fixAll", changes) if changes else None


def _safe_edits(findings: Iterable[Finding]) -> list[Edit]:
    return compatible_groups([fix.edits for finding in findings for fix in finding.fixes[:1] if fix.safe])


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a changed text: what stood at `start` of the first text, or something new (None)."""

    text: str
    start: int | None = None


def _patched(pieces: list[_Piece], edits: list[Edit]) -> list[_Piece]:
    """Apply edits to a text in pieces, so that in the end it is known what changed: no comparing of texts afterwards."""
    result: list[_Piece] = []
    rest = list(reversed(pieces))
    at = 0

    def advance(until: int, *, keep: bool) -> None:
        nonlocal at
        while at < until:
            piece = rest.pop()
            if at + len(piece.text) > until:
                cut = until - at
                rest.append(_Piece(piece.text[cut:], None if piece.start is None else piece.start + cut))
                piece = _Piece(piece.text[:cut], piece.start)
            at += len(piece.text)
            if keep:
                result.append(piece)

    for edit in sorted(edits, key=lambda edit: edit.span):
        advance(edit.span.start, keep=True)
        advance(edit.span.end, keep=False)
        result.append(_Piece(edit.new_text))
    return result + rest[::-1]


def _changes(pieces: list[_Piece], length: int) -> Iterator[Edit]:
    """Yield the edits that turn the first text into the one in pieces."""
    at = 0
    new = ""
    for piece in [*pieces, _Piece("", length)]:
        if piece.start is None:
            new += piece.text
            continue
        if piece.start > at or new:
            yield Edit(Span(at, piece.start), new)
        at, new = piece.start + len(piece.text), ""


def ignore_edit(analysis: Analysis, finding: Finding) -> Edit | None:
    """Return the edit that silences a finding: a comment on the line before, or one more code in a comment that is there.

    None where no comment can stand: inside a scalar of several lines.
    """
    document = analysis.document
    lines = document.lines
    line = lines.line_at(finding.span.start)
    for ignore in reversed(read_ignores(document)[0]):
        if line in ignore.lines:
            return Edit(Span(ignore.span.end, ignore.span.end), f", {finding.code}")
    start = lines.starts[line]
    if _inside_scalar(document.tree.root, start):
        return None
    text = lines.line_text(line)
    if line == 0 and text.startswith("\ufeff"):
        start += 1
    if text.lstrip("\ufeff").startswith(("---", "%")):
        return None
    indent = text.lstrip("\ufeff")[: len(text.lstrip("\ufeff")) - len(text.lstrip("\ufeff \t"))]
    return Edit(Span(start, start), f"{indent}# rulewright: ignore[{finding.code}]{lines.line_end()}")


def _inside_scalar(node: Node | None, offset: int) -> bool:
    """Tell whether the start of a line lies within a scalar that began on a line before."""
    if isinstance(node, Scalar):
        return node.span.start < offset < node.span.end
    if isinstance(node, Alias) or node is None:
        return False
    if not node.span.start < offset < node.span.end:
        return False
    if isinstance(node, Mapping):
        return any(_inside_scalar(entry.value, offset) for entry in node.entries)
    assert isinstance(node, Sequence)
    return any(_inside_scalar(item, offset) for item in node.items)


def _touches(a: Span, b: Span) -> bool:
    return a.start <= b.end and b.start <= a.end
