"""Globs of STYLE conditions: on paths, on `server/tool` names, on skill and model names.

Matching follows all ways at once, one step a character, so no pattern makes it slow. The module knows nothing of rules
and does no I/O; paths come in already made project-relative and `/`-separated.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    _Token = tuple[int, bool, tuple[tuple[str, str], ...]]

_CHAR = 0  # one given character
_ONE = 1  # one character from a class
_STAR = 2  # any run of characters inside a segment
_GLOBSTAR = 3  # any run of characters, `/` included
_FOLDERS = 4  # zero or more whole folders: what `**/` at the start of a segment stands for


def glob_match(pattern: str, text: str, ignore_case: bool = False, segments: bool = True) -> bool:
    """Tell whether the whole text matches the glob.

    Args:
        pattern: `*` is any run of characters, `?` one character, `[a-z]` one of a class (`[!a-z]` and `[^a-z]` one that
            is not in it; a `]` in first place is an ordinary member; a `[` without its `]` stands for itself), a
            backslash makes the next character ordinary. Nothing else is special; `{a,b}` is plain text.
        text: for paths: relative to the project, `/`-separated, no `/` at the end.
        ignore_case: compare characters by their lower case.
        segments: true for paths and `server/tool` names: `*`, `?` and classes stop at `/`; `**` does not, and `**/` at
            the start of a segment also stands for no folder at all (`**/a` matches `a`). False for model and skill
            names: `*` crosses everything.
    Source: style.md section 5 [R]; the escape is that of Go's path.Match.
    """
    tokens = _tokens(pattern, segments)
    length = len(tokens)
    # Bit i stands for "the tokens before i are used up".
    skippable = stay_inside = stay_anywhere = folders = 0
    for i, token in enumerate(tokens):
        bit = 1 << i
        if token[0] > _ONE:
            skippable |= bit
        if token[0] == _STAR:
            stay_inside |= bit
        elif token[0] == _GLOBSTAR:
            stay_anywhere |= bit
        elif token[0] == _FOLDERS:
            folders |= bit
    steps: dict[str, int] = {}
    active = _closure(1, skippable)
    inside_folders = 0  # folder tokens that have begun a folder and may end only behind a `/`
    for char in text:
        accepts = steps.get(char)
        if accepts is None:
            accepts = 0
            for i, token in enumerate(tokens):
                if token[0] <= _ONE and _accepts(token, char, ignore_case, segments):
                    accepts |= 1 << i
            steps[char] = accepts
        moved = ((active & accepts) << 1) | (active & stay_anywhere)
        started = inside_folders | (active & folders)
        if char == "/" and segments:
            moved |= started
            inside_folders = 0
        else:
            moved |= active & stay_inside
            inside_folders = started
        active = _closure(moved, skippable)
        if not active and not inside_folders:
            return False
    return bool(active >> length & 1)


def _closure(active: int, skippable: int) -> int:
    while True:
        more = active | ((active & skippable) << 1)
        if more == active:
            return active
        active = more


def _accepts(token: _Token, char: str, ignore_case: bool, segments: bool) -> bool:
    kind, negated, ranges = token
    if kind == _CHAR:
        given = ranges[0][0]
        return char == given or (ignore_case and char.lower() == given.lower())
    if segments and char == "/":
        return False
    for variant in (char, char.lower(), char.upper()) if ignore_case else (char,):
        for low, high in ranges:
            if low <= variant <= high:
                return not negated
    return negated


def _tokens(pattern: str, segments: bool) -> list[_Token]:
    tokens: list[_Token] = []
    i, length = 0, len(pattern)
    while i < length:
        char = pattern[i]
        i += 1
        if char == "*":
            stars = 1
            while i < length and pattern[i] == "*":
                stars += 1
                i += 1
            if stars == 1 or not segments:
                kind = _STAR if segments else _GLOBSTAR
            elif (i == stars or pattern[i - stars - 1] == "/") and pattern[i : i + 1] == "/":
                kind = _FOLDERS
                i += 1
            else:
                kind = _GLOBSTAR
            if not tokens or tokens[-1][0] != kind:
                tokens.append((kind, False, ()))
        elif char == "?":
            tokens.append((_ONE, True, ()))
        elif char == "[":
            end, token = _bracket(pattern, i)
            i = end
            tokens.append(token)
        else:
            if char == "\\" and i < length:
                char = pattern[i]
                i += 1
            tokens.append((_CHAR, False, ((char, char),)))
    return tokens


def _bracket(pattern: str, start: int) -> tuple[int, _Token]:
    """Read a class from behind its `[`; return the offset behind it and its token."""
    i = start
    negated = pattern[i : i + 1] in ("!", "^") and pattern[i : i + 1] != ""
    if negated:
        i += 1
    ranges: list[tuple[str, str]] = []
    first = True
    while i < len(pattern) and (first or pattern[i] != "]"):
        first = False
        low, i = _member(pattern, i)
        high = low
        if pattern[i : i + 1] == "-" and pattern[i + 1 : i + 2] not in ("", "]"):
            high, i = _member(pattern, i + 1)
        ranges.append((low, high))
    if i >= len(pattern):
        return start, (_CHAR, False, (("[", "["),))
    return i + 1, (_ONE, negated, tuple(ranges))


def _member(pattern: str, i: int) -> tuple[str, int]:
    if pattern[i] == "\\" and i + 1 < len(pattern):
        i += 1
    return pattern[i], i + 1
