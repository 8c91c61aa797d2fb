"""Comments that silence findings: `# rulewright: ignore[T005]`, on the line itself or on the line before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rulewright.checking import Finding, Fix, Severity
from rulewright.model import Document
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span
from rulewright.text.spelling import nearest

UNUSED = "unused-ignore"

_COMMENT = re.compile(r"(?:#|<!--)\s*rulewright:\s*ignore\b(?P<codes>\s*\[(?P<list>[^\]\r\n]*)\]?)?")
_CODE = re.compile(r"[^\s,]+")

NOTHING_HERE = Text("nothing on this line is reported as `{code}`", "这一行没有 `{code}` 可忽略")
NOTHING_BELOW = Text("nothing on the line below is reported as `{code}`", "下一行没有 `{code}` 可忽略")
UNKNOWN_CODE = Text("`{code}` is no code of a finding{hint}", "`{code}` 不是诊断码{hint}")
DID_YOU_MEAN = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_CODES = Text(
    "name what to ignore: `# rulewright: ignore[CODE]`", "请写明要忽略的诊断码：`# rulewright: ignore[CODE]`"
)
NO_HINT = Text("", "")
REMOVE_COMMENT = Text("Remove the comment", "删除这条注释")
REMOVE_CODE = Text("Remove `{code}` from the comment", "从注释中删除 `{code}`")
CHANGE_TO = Text("Change to `{near}`", "改为 `{near}`")


@dataclass(frozen=True, slots=True)
class Ignore:
    """One code in one ignoring comment. `lines` are the zero-based lines on which it silences findings."""

    code: str
    span: Span
    comment: Span
    lines: frozenset[int]
    alone: bool


def read_ignores(document: Document) -> tuple[list[Ignore], list[Span]]:
    """Return the codes of all ignoring comments, and the spans of comments that name none."""
    ignores: list[Ignore] = []
    nameless: list[Span] = []
    lines = document.lines
    begins = frozenset(comment.start for comment in document.tree.comments)
    ends: dict[int, int] = {}
    for comment in document.tree.comments:
        match = _COMMENT.match(document.text, comment.start, comment.end)
        if match is None:
            continue
        codes = list(_CODE.finditer(document.text, match.start("list"), match.end("list"))) if match["list"] else []
        if not codes:
            nameless.append(comment)
        covered = _lines_of(lines, comment, begins, ends)
        for code in codes:
            ignores.append(Ignore(code[0], Span(*code.span()), comment, covered, len(codes) == 1))
    return ignores, nameless


def _lines_of(lines: Lines, comment: Span, begins: frozenset[int], ends: dict[int, int]) -> frozenset[int]:
    """The comment's own line; if it stands alone there, also the next line that does not begin with a comment itself.

    Args:
        begins: where comments begin. ends: by line, the first line below a run of comments: filled as they are passed.
    """
    own = lines.line_at(comment.start)
    if lines.text[lines.starts[own] : comment.start].strip(" \t\ufeff"):
        return frozenset((own,))
    following, count = own + 1, len(lines)
    while following < count and following not in ends and _first_sign(lines, following) in begins:
        following += 1
    end = ends.get(following, following)
    ends.update(dict.fromkeys(range(own + 1, following), end))
    return frozenset((own, end))


def _first_sign(lines: Lines, line: int) -> int:
    """Return where the first character of a line that is no white space stands."""
    text = lines.line_text(line)
    return lines.starts[line] + len(text) - len(text.lstrip())


def suppress(document: Document, findings: Iterable[Finding], known: Iterable[str]) -> list[Finding]:
    """Return the findings that no comment silences, and one for each ignored code that silences nothing.

    A text with syntax errors may hide findings, so there unused codes are not reported.

    Args:
        known: all codes there are.
    """
    findings = list(findings)
    if "rulewright:" not in document.text:
        return findings
    ignores, nameless = read_ignores(document)
    by_line: dict[tuple[int, str], list[Ignore]] = {}
    for ignore in ignores:
        for line in ignore.lines:
            by_line.setdefault((line, ignore.code), []).append(ignore)
    kept: list[Finding] = []
    used: set[int] = set()
    for finding in findings:
        hits = by_line.get((document.lines.line_at(finding.span.start), finding.code), ())
        if hits and finding.code != UNUSED:
            used.update(id(hit) for hit in hits)
        else:
            kept.append(finding)
    kept += [
        Finding(
            UNUSED, span, NO_CODES, Severity.WARNING, fixes=(Fix(REMOVE_COMMENT, (_comment_edit(document, span),)),)
        )
        for span in nameless
    ]
    if document.tree.whole and not document.damaged:
        codes = tuple(known)
        kept += [_unused(document, ignore, codes) for ignore in ignores if id(ignore) not in used]
    return kept


def _unused(document: Document, ignore: Ignore, known: Sequence[str]) -> Finding:
    fixes: list[Fix] = []
    if ignore.code in known:
        message = (NOTHING_HERE if len(ignore.lines) == 1 else NOTHING_BELOW).format(code=ignore.code)
    else:
        near = nearest(ignore.code, known)
        message = UNKNOWN_CODE.format(code=ignore.code, hint=DID_YOU_MEAN.format(near=near) if near else NO_HINT)
        if near:
            fixes.append(Fix(CHANGE_TO.format(near=near), (Edit(ignore.span, near),), safe=False))
    if ignore.alone:
        fixes.append(Fix(REMOVE_COMMENT, (_comment_edit(document, ignore.comment),)))
    else:
        fixes.append(Fix(REMOVE_CODE.format(code=ignore.code), (_code_edit(document, ignore),)))
    return Finding(UNUSED, ignore.span, message, Severity.WARNING, fixes=tuple(fixes), unnecessary=True)


def _comment_edit(document: Document, comment: Span) -> Edit:
    """Take a comment away: with its whole line if it stands alone, else with the blanks before it."""
    lines = document.lines
    line = lines.line_at(comment.start)
    if not document.text[lines.starts[line] : comment.start].strip():
        return Edit(lines.full_span(line), "")
    start = comment.start
    while document.text[start - 1] in " \t":
        start -= 1
    return Edit(Span(start, comment.end), "")


def _code_edit(document: Document, ignore: Ignore) -> Edit:
    """Take one code out of a list, with the comma behind it, or before it where it is the last."""
    text, (start, end) = document.text, ignore.span
    after = re.compile(r"\s*,\s*").match(text, end)
    if after is not None:
        return Edit(Span(start, after.end()), "")
    while text[start - 1] in " \t,":
        start -= 1
    return Edit(Span(start, end), "")
