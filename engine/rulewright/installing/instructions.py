"""The managed block in a host's instruction file: the texts of static rules between two marks, all else as it was.

Pure functions on texts. A rule's text cannot end the block, hide what follows it, or pull in a file: several hosts read
`@path` as "include this file", and hosts share files, so a backslash goes in front of it for all of them.
Source: style.md section 3, evaluation points [R].
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulewright.errors import RulewrightError
from rulewright.text.language import Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

BEGIN = "<!-- rulewright:begin: from the rule packages; `rulewright sync` writes it anew -->"
END = "<!-- rulewright:end -->"

_BEGIN_LINE = re.compile(r"(?<![^\r\n])[ \t]*<!--[ \t]*rulewright:begin\b[^\r\n]*")
_END_LINE = re.compile(r"(?<![^\r\n])[ \t]*<!--[ \t]*rulewright:end\b[^\r\n]*")
# `<!--` in front of our own marks, and one that nothing closes.
_MARK = re.compile(r"<!--(?=\s*rulewright:)")
_UNCLOSED = re.compile(r"<!--(?!.*?-->)", re.DOTALL)
_INCLUDE = re.compile(r"(^|[ \t])@(?=[^\s])")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")


def block_of(texts: Sequence[str]) -> str:
    """Return the block for rule texts, with LF and without a line break at the end; empty for no texts."""
    if not texts:
        return ""
    return "\n\n".join([BEGIN, *(_harmless(text) for text in texts), END])


def _harmless(text: str) -> str:
    text = _UNCLOSED.sub("&lt;!--", _MARK.sub("&lt;!--", text.replace("\r\n", "\n").replace("\r", "\n")))
    rows: list[str] = []
    fence = ""
    for row in text.split("\n"):
        mark = _FENCE.match(row)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        rows.append(row if fence or mark else _INCLUDE.sub(r"\1\\@", row))
    return "\n".join(rows)


def find_block(text: str, shown: str) -> Span | None:
    """Return where the block stands, from its first mark to the end of its last; None where there is none.

    Raises:
        RulewrightError: a mark is missing or there are several: what is ours cannot be told.
    """
    begins, ends = list(_BEGIN_LINE.finditer(text)), list(_END_LINE.finditer(text))
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0].start() < begins[0].end():
        at = min(match.start() for match in (*begins, *ends))
        raise RulewrightError(
            Text(
                "`{path}:{line}`: the marks `rulewright:begin` and `rulewright:end` must be there once, in this order",
                "`{path}:{line}`：标记 `rulewright:begin` 和 `rulewright:end` 必须各出现一次，且顺序正确",
            ).format(path=shown, line=Lines(text).line_at(at) + 1),
            Text("mend them or delete both; nothing was changed", "请修正，或把两者都删除；没有改动任何内容"),
        )
    return Span(begins[0].start(), ends[0].end())


def put_block(text: str, block: str, shown: str) -> tuple[str, str | None]:
    """Return the text with the block, in its old place or at the end, and what was put in front of it (None: it was there).

    Raises:
        RulewrightError: as `find_block`.
    """
    line_end = Lines(text).line_end()
    written = block.replace("\n", line_end)
    found = find_block(text, shown)
    if found is not None:
        return text[: found.start] + written + text[found.end :], None
    lead = ""
    if text:
        lead = line_end if text.endswith(("\n", "\r")) else line_end * 2
    return text + lead + written + line_end, lead


def take_block(text: str, lead: str, shown: str) -> str:
    """Return the text without the block, and without `lead` in front of it.

    Raises:
        RulewrightError: as `find_block`.
    """
    found = find_block(text, shown)
    if found is None:
        return text
    front, rest = text[: found.start], text[found.end :]
    for line_end in ("\r\n", "\n", "\r"):
        if rest.startswith(line_end):
            rest = rest[len(line_end) :]
            break
    return front.removesuffix(lead) + rest
