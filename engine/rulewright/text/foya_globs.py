"""What a glob of another tool means, for Foya's globs, which know `*`, `?` and `**` and take every other sign as itself.

Pure functions on patterns; how Foya matches one stands elsewhere. Source: foya.md section 3 [F].
"""

from __future__ import annotations

import re
from itertools import pairwise, product
from typing import Literal, NamedTuple

from rulewright.text.span import Span

Kind = Literal["comma", "braces", "class", "negation", "root", "backslash"]

MOST = 64
"""More entries than this are no readable list, so nothing is spelled out [R]."""

LONGEST = 1000
"""Characters. A longer pattern is no path, so it is not looked at [R]."""

_ROOT = re.compile(r"(?:\.?/)+")
_CLASS = re.compile(r"\[[!^]?\]?[^\]/\\]*\]")
# A folder or file that is named after a route's parameter (`[id]`, `[...slug]`) is a name, not a choice of one character.
_ROUTE = re.compile(r"(?:^|(?<=/))(?:\[\[\.{3}\w+\]\]|\[(?:\.{3}\w+|[A-Za-z_]\w+(?:-\w{2,})*)\])(?=$|[/.])")
_BACKSLASH = re.compile(r"\\+(.?)", re.DOTALL)
_SMALL_SET = re.compile(r"\[(\w{1,8})\]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_FOLDERS = re.compile(r"(?:^|(?<=/))\*\*/")


class Sign(NamedTuple):
    """One kind of sign that a pattern uses and Foya takes literally.

    span: the first place, in the pattern. meant: the patterns that say what was meant, none where no pattern can.
    sure: they match just what was meant, not more.
    """

    kind: Kind
    span: Span
    meant: tuple[str, ...]
    sure: bool = True


def foreign_signs(pattern: str) -> list[Sign]:
    """Return the signs of other tools' globs in a pattern: each kind once, in the order of their places."""
    found: list[Sign] = []
    if len(pattern) > LONGEST:
        return found
    if pattern.startswith("!"):
        found.append(Sign("negation", Span(0, 1), ()))
    root = _ROOT.match(pattern)
    if root:
        rest = pattern[root.end() :]
        found.append(Sign("root", Span(*root.span()), (rest,), sure="./" in root[0]))
    backslash = pattern.find("\\")
    if backslash >= 0:
        found.append(Sign("backslash", Span(backslash, backslash + 1), (_BACKSLASH.sub(_without_backslash, pattern),)))
    braces, classes = _braces(pattern), _classes(pattern)
    parts = _split(pattern, _commas(pattern, [*braces, *classes]))
    if braces:
        expanded = [expand_braces(part) for part in parts]
        meant = tuple(dict.fromkeys(each for one in expanded for each in one)) if all(expanded) else ()
        found.append(Sign("braces", braces[0], meant))
    if classes:
        sets = [_SMALL_SET.fullmatch(span.of(pattern)) for span in classes]
        if all(sets) and _choices_fit([len(match[1]) for match in sets if match]):
            chosen = product(*(dict.fromkeys(match[1]) for match in sets if match))
            found.append(Sign("class", classes[0], tuple(_filled(pattern, classes, choice) for choice in chosen)))
        else:
            found.append(Sign("class", classes[0], (_filled(pattern, classes, "?" * len(classes)),), sure=False))
    commas = _commas(pattern, [*braces, *classes])
    if commas:
        found.append(Sign("comma", Span(commas[0], commas[0] + 1), tuple(dict.fromkeys(parts))))
    usable = (sign if all(text.strip() for text in sign.meant) else sign._replace(meant=()) for sign in found)
    return sorted(usable, key=lambda sign: sign.span)


def expand_braces(pattern: str) -> list[str]:
    """Return the patterns that `{a,b}` stands for, groups inside groups included; none where they are more than MOST.

    A run such as `{1..3}` is not spelled out.
    """
    groups = _braces(pattern)
    if not groups:
        return [pattern]
    group = groups[0]
    inner = pattern[group.start + 1 : group.end - 1]
    if ".." in inner or pattern.count("{") > MOST:
        return []
    cuts = [-1, *_commas(inner, _braces(inner)), len(inner)]
    found: dict[str, None] = {}
    for start, end in pairwise(cuts):
        expanded = expand_braces(pattern[: group.start] + inner[start + 1 : end].strip() + pattern[group.end :])
        found.update(dict.fromkeys(expanded))
        if not expanded or len(found) > MOST:
            return []
    return [] if "" in found else list(found)


def without_folders(pattern: str) -> list[str]:
    """Return the patterns that also match where a `**/` of this one stands for no folder at all, as in other tools.

    None where a pattern of wildcards alone would be left, which any word would match.
    """
    folders = [Span(*match.span()) for match in _FOLDERS.finditer(pattern)]
    if not folders or 2 ** len(folders) > MOST or len(pattern) > LONGEST:
        return []
    choices = list(product(("**/", ""), repeat=len(folders)))[1:]
    found = dict.fromkeys(_filled(pattern, folders, choice) for choice in choices)
    found.pop(pattern, None)
    return [] if any(not each.strip("*?/ \t") for each in found) else list(found)


def non_ascii(pattern: str) -> Span | None:
    """Return the first run of characters outside ASCII."""
    match = _NON_ASCII.search(pattern)
    return Span(*match.span()) if match else None


def any_characters(pattern: str) -> str:
    """Return the pattern with a `?` for each character outside ASCII."""
    return _NON_ASCII.sub(lambda match: "?" * len(match[0]), pattern)


def _without_backslash(match: re.Match[str]) -> str:
    """Before a sign that Foya takes as itself a backslash was an escape, and elsewhere a separator of folders."""
    return match[1] if match[1] and match[1] in "[]{}!,/" else "/" + match[1]


def _braces(pattern: str) -> list[Span]:
    """Return the outermost `{...}` that are closed and hold something."""
    found: list[Span] = []
    opened: list[int] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] == "{":
            opened.append(at)
        elif pattern[at] == "}" and opened:
            start = opened.pop()
            if at > start + 1:
                while found and found[-1].start > start:
                    found.pop()
                found.append(Span(start, at + 1))
        at += 1
    return found


def _classes(pattern: str) -> list[Span]:
    routes = [Span(*match.span()) for match in _ROUTE.finditer(pattern)]
    found: list[Span] = []
    for match in _CLASS.finditer(pattern):
        escaped = match.start() and pattern[match.start() - 1] == "\\"
        if len(match[0]) > 2 and not escaped and not any(route.contains(match.start()) for route in routes):
            found.append(Span(*match.span()))
    return found


def _commas(pattern: str, inside: list[Span]) -> list[int]:
    """Return the places of the commas that stand in none of the spans, and behind no backslash."""
    return [
        at
        for at, char in enumerate(pattern)
        if char == ","
        and not any(span.start < at < span.end for span in inside)
        and not (at and pattern[at - 1] == "\\")
    ]


def _split(pattern: str, commas: list[int]) -> list[str]:
    """Return the texts between the commas, without empty ones."""
    parts = (pattern[start + 1 : end].strip() for start, end in pairwise([-1, *commas, len(pattern)]))
    return [part for part in parts if part]


def _choices_fit(sizes: list[int]) -> bool:
    total = 1
    for size in sizes:
        total *= size
    return total <= MOST


def _filled(pattern: str, spans: list[Span], parts: tuple[str, ...] | str) -> str:
    """Put one part in the place of each span."""
    out: list[str] = []
    at = 0
    for span, part in zip(spans, parts, strict=True):
        out += (pattern[at : span.start], part)
        at = span.end
    return "".join(out) + pattern[at:]
