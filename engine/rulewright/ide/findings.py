"""What hover says of findings, in every format; and where a key's documentation comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulewright.analysis import Analysis
from rulewright.checking import code_url
from rulewright.checks import checks_by_code
from rulewright.ide.results import Hover
from rulewright.pages import page_of
from rulewright.text.language import Lang, Text
from rulewright.text.span import Span

_SECTION = re.compile(r"^## .*$", re.MULTILINE)

# Who says so, by the letter that a key carries. What `S` stands for depends on the format: its own documentation.
SOURCES = {
    "S": Text("Defined by STYLE (S)", "由 STYLE 规定（S）"),
    "F": Text("Defined by Foya (F)", "由 Foya 规定（F）"),
    "O": Text("So OpenClaude's own program does (O)", "OpenClaude 自己的程序如此（O）"),
    "R": Text("Rulewright's reading, the format does not say (R)", "格式未规定，由 Rulewright 约定（R）"),
}
OF_OPENCLAUDE = {**SOURCES, "S": Text("Defined by OpenClaude's documentation (S)", "由 OpenClaude 文档规定（S）")}
MORE = Text("More: [{code}]({url})", "详情：[{code}]({url})")


def with_findings(analysis: Analysis, offset: int, lang: Lang, span: Span | None, parts: Sequence[str]) -> Hover | None:
    """Return what is said of a place, and below it the head of each finding there; None where there is nothing to say.

    Args:
        span, parts: of the place itself, None and nothing where only findings may be there. An empty finding covers the character
            behind it.
    """
    said = list(parts)
    for finding in analysis.findings:
        if finding.span.start <= offset < max(finding.span.end, finding.span.start + 1):
            head = page_head(finding.code, lang)
            if head and head not in said:
                said.append(head)
            span = span or finding.span
    return None if span is None or not said else Hover(span, "\n\n---\n\n".join(said))


def page_head(code: str, lang: Lang) -> str:
    """Return a finding's code, the title and first paragraph of its page, and the link to the whole."""
    check = checks_by_code().get(code)
    if check is None:
        return ""
    title, _, rest = page_of(check, lang).lstrip("# ").partition("\n")
    sections = _SECTION.split(rest)
    body = (sections[1] if len(sections) > 1 else sections[0]).strip()
    paragraph = body.split("\n\n", 1)[0].replace("\n", " ")
    return "\n\n".join(
        part
        for part in (f"**{code}**: {title}", paragraph, MORE.format(code=code, url=code_url(code)).to(lang))
        if part
    )
