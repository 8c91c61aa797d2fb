"""Characters that no editor shows: zero-width ones, text-direction controls, tag characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rulewright.text.span import Span

_RUN = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]+"
)
# What turns the direction of text -> what ends that. Source: Unicode UAX 9, explicit formatting characters.
_TURNS = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"), **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}
_JOINERS = "\u200c\u200d"
_NAMES = {"\ufeff": "BYTE ORDER MARK", "\U000e0001": "LANGUAGE TAG"}
# England, Scotland, Wales: a black flag, tag letters, and a cancel tag (Unicode TR51, emoji tag sequence).
_FLAG = re.compile("[\U000e0020-\U000e007e]{1,6}\U000e007f")
# Scripts that need joiners inside words: Arabic (with Persian), the Indic blocks, Khmer, Mongolian.
_JOINING = re.compile("[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u18af]")
_EMOJI = re.compile(
    "[\u2190-\u2bff\ufe0e\ufe0f\U0001f000-\U0001faff\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299]"
)


def hidden_characters(text: str, span: Span) -> Iterator[Span]:
    """Yield the span of every run of hidden characters inside `span`.

    Left out: joiners and tag letters inside emoji, joiners inside words of scripts that need them, and a byte order
    mark at the very start of the text. Raw characters only; an escape such as `\\u200b` is meant.
    Source: style.md section 5 [R].
    """
    if text.isascii():
        return
    for match in _RUN.finditer(text, span.start, span.end):
        start, end = match.span()
        if start == 0 and text[0] == "\ufeff":
            start = 1
        if start < end and not _belongs(text, start, end):
            yield Span(start, end)


def hidden_stretches(text: str, span: Span) -> Iterator[Span]:
    """Yield the runs of hidden characters; one that turns the direction of text and the one that ends it, on one line, together."""
    opened: Span | None = None
    for run in hidden_characters(text, span):
        source = run.of(text)
        if opened is not None:
            between = text[opened.end : run.start]
            if _TURNS[text[opened.end - 1]] in source and "\n" not in between and "\r" not in between:
                yield Span(opened.start, run.end)
                opened = None
                continue
            yield opened
            opened = None
        if source[-1] in _TURNS:
            opened = run
        else:
            yield run
    if opened is not None:
        yield opened


def hidden_names(run: str) -> str:
    """Name the hidden characters of a run, each once: `U+200B ZERO WIDTH SPACE, U+2060 WORD JOINER`; four at most.

    Tag characters say what they spell: `U+E0072 TAG LATIN SMALL LETTER R, … (spells "run x")`.
    """
    hidden = "".join(_RUN.findall(run))
    spelled = "".join(chr(ord(char) - 0xE0000) for char in hidden if "\U000e0020" <= char <= "\U000e007e")
    names = [
        f"U+{ord(char):04X} {_NAMES.get(char) or unicodedata.name(char, '')}".strip()
        for char in dict.fromkeys(hidden or run)
    ]
    if spelled:
        return ", ".join(names[:1]) + (", …" if len(names) > 1 else "") + f' (spells "{spelled}")'
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")


def _belongs(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if end - start == 1 and text[start] in _JOINERS:
        if _JOINING.match(before) and _JOINING.match(after):
            return True
        return text[start] == "\u200d" and bool(_EMOJI.match(before) and _EMOJI.match(after))
    return before == "\U0001f3f4" and bool(_FLAG.fullmatch(text, start, end))
