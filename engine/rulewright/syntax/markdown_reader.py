"""Markdown with a header to tree: YAML between two `---` lines, or marker lines with JSON. All spans are places in the whole text.

It never raises on a text. What is almost a header is read as the header that was meant, with one problem for what is wrong with
it. The YAML and the JSON in it are read by the two readers of those. Knows no key of a format.

Source of what counts as a header: foya.md section 1 [F].
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rulewright.syntax.json_reader import read_json
from rulewright.syntax.tree import Fix, Mapping, Problem, Scalar, Sequence, Tree
from rulewright.syntax.yaml_reader import read_yaml
from rulewright.text.edits import Edit
from rulewright.text.hidden import hidden_characters, hidden_names, hidden_stretches
from rulewright.text.language import Text
from rulewright.text.span import Span

# What Go's `strings.TrimSpace` takes away (Go unicode.IsSpace: the property White_Space).
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
HEADING = "# Foya User Rules"
"""The first line of the global file, which is no rule's text [S]."""

MARKER_START = "<!-- foya-rule: "
MARKER_END = " -->"

_MAX_HIDDEN = 20
# A marker over more lines than this is a comment that was never closed [R].
_MAX_MARKER_LINES = 40
# Faults of one part of the text that cost the whole header.
_YAML_FAULTS = frozenset({"yaml-syntax", "yaml-alias-limit", "multi-document"})

_END = r"(?>\r\n|\n|\r)"
_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_OPENING = re.compile(rf"(?P<lead>\ufeff?(?:[ \t]*{_END})*+)(?P<fence>[ \t]*-{{3,}}[ \t]*)(?=[\r\n]|\Z)")
_KEY_LINE = re.compile(r"[ \t]*[\"']?[A-Za-z_][\w.-]*[\"']?[ \t]*:(?=[ \t\r\n]|\Z)")
_YAML_LINE = re.compile(r"[ \t]*(?:[\"']?[A-Za-z_][\w.-]*[\"']?[ \t]*:(?=[ \t\r\n]|\Z)|#)|[ \t]*-[ \t]|[ \t]+[^\s]")
# A closing line that misses the mark: surely one of the first, more likely than nothing one of the second.
_NEAR_CLOSING = re.compile(r"---[ \t]+|-{4,}[ \t]*")
_LIKE_CLOSING = re.compile(r"[ \t]*(?:-{2,}|\.{3}|\+{3}|[—–]+)[ \t]*")
_LONE_CR = re.compile(r"\r(?!\n)")
_MARKER = re.compile(
    r"(?:(?<=[\r\n])|\A)(?P<mark>\ufeff?)(?P<lead>[^\S\r\n]*)(?P<open><!--[^\S\r\n]*foya-rule\b[^\S\r\n]*:?)[^\S\r\n]*"
)
_CODE_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<rest>[^\r\n]*)")
_IGNORE_START = re.compile(r"<!--\s*rulewright:")
_IGNORE = re.compile(rf"{_IGNORE_START.pattern}[^\r\n]*?-->")
_BREAKS = re.compile(r"[ \t]*[\r\n]+[ \t]*")


@dataclass(slots=True, eq=False)
class Part:
    """One header with the text below it.

    span: both. header_span: the frontmatter with its fences, or the marker; empty where there is none. data_span: the YAML or
    JSON in it. header: what it holds, None where that is no mapping. body: without the white space around it.
    sound: the header could be read whole. doubtful: it should not be there, or its end is not known, so that nothing in it is
    judged. in_code: the marker stands inside of a fenced block of code.
    """

    span: Span
    header_span: Span
    data_span: Span
    header: Mapping | None
    body: Span
    sound: bool = True
    doubtful: bool = False
    in_code: bool = False


@dataclass(slots=True)
class MarkdownTree(Tree):
    """What the reader returns: `root` is the mapping of a frontmatter, or a list of one mapping for each marker.

    outside: text in front of the first marker that belongs to nothing. markers: the headers are markers, not a frontmatter.
    stray: marker lines below a frontmatter, outside of code: text and no more.
    """

    parts: list[Part] = field(default_factory=list)
    outside: Span | None = None
    markers: bool = False
    stray: list[Span] = field(default_factory=list)


def read_project(text: str) -> MarkdownTree:
    """Read a file that holds one text under one frontmatter; where it has no frontmatter but markers, those are its headers."""
    frontmatter = _find_frontmatter(text)
    if frontmatter is None:
        marks = list(_find_markers(text, 0))
        return _read_markers(text, marks, 0) if marks else _read_plain(text)
    tree = _read_frontmatter(text, frontmatter)
    body = tree.parts[0].body
    tree.stray = [mark.span for mark in _find_markers(text, body.start) if not mark.in_code]
    return tree


def read_global(text: str) -> MarkdownTree:
    """Read a file of several texts, each under its marker; a file without markers is one text.

    Of what is only almost a frontmatter Foya's program sees nothing here: it is text in front of the first marker.
    """
    frontmatter = _find_frontmatter(text)
    if frontmatter is None or frontmatter.fault is not None:
        marks = list(_find_markers(text, 0))
        return _read_markers(text, marks, 0) if marks else _read_plain(text)
    marks = list(_find_markers(text, frontmatter.body))
    first = _line_after(text, frontmatter.body)
    removed = Span(0, first if not text[frontmatter.body : first].strip(WHITE_SPACE) else frontmatter.body)
    fix = Fix(REMOVE_FRONTMATTER, (Edit(removed, ""),), safe=False)
    if not marks:
        tree = _read_frontmatter(text, frontmatter)
        tree.problems = [Problem("foya-marker", frontmatter.opening, GLOBAL_FRONTMATTER, (), (fix,))]
        tree.parts[0].doubtful = True
        return tree
    tree = _read_markers(text, marks, frontmatter.body)
    tree.problems.insert(0, Problem("foya-marker", frontmatter.opening, GLOBAL_FRONTMATTER_MARKERS, (), (fix,)))
    return tree


def trimmed(text: str, start: int, end: int) -> Span:
    """Return the part of a span without the white space around it; empty at `end` where there is nothing else."""
    inner = text[start:end]
    left = len(inner) - len(inner.lstrip(WHITE_SPACE))
    if left == len(inner):
        return Span(end, end)
    return Span(start + left, start + len(inner.rstrip(WHITE_SPACE)))


def is_marker_line(text: str, at: int) -> bool:
    """Tell whether Foya's program takes the line of `at` for a marker: its lines end at LF alone [F]."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : len(text) if end < 0 else end].strip(WHITE_SPACE)
    return line.startswith(MARKER_START) and line.endswith(MARKER_END)


# ---------------------------------------------------------------------- frontmatter


@dataclass(frozen=True, slots=True)
class _Frontmatter:
    """Where a frontmatter stands, and what is wrong with its fences. guessed: its end is not known for sure."""

    opening: Span
    closing: Span
    data: Span
    body: int
    fault: Problem | None = None
    guessed: bool = False


def _find_frontmatter(text: str) -> _Frontmatter | None:
    match = _OPENING.match(text)
    if match is None:
        return None
    opening = Span(*match.span("fence"))
    lead, fence = match["lead"], match["fence"]
    line = _LINE.match(text, match.end())
    begin = line.end() if line else len(text)
    # A line of dashes further down, or longer ones, may as well be a rule across the page.
    if (lead.strip("\ufeff") or fence != "---") and not _KEY_LINE.match(text, begin):
        return None
    closing, exact = _find_closing(text, begin)
    if closing is None:
        return _unclosed(text, opening, begin)
    line = _LINE.match(text, closing.end)
    body = line.end() if line else len(text)
    found = _Frontmatter(opening, closing, Span(begin, closing.start), body)
    return replace(found, fault=_fence_fault(text, found, lead, fence, exact))


def _find_closing(text: str, begin: int) -> tuple[Span | None, bool]:
    """Return the line that closes the frontmatter, and whether it is one to the letter."""
    like: Span | None = None
    for line in _lines(text, begin, len(text)):
        content = line.of(text)
        if content == "---":
            return line, True
        if _NEAR_CLOSING.fullmatch(content):
            return line, False
        if like is None and _LIKE_CLOSING.fullmatch(content):
            like = line
    # Only where nothing but YAML stands in front of it.
    if like is not None and _yaml_end(text, begin, like.start) == like.start:
        return like, False
    return None, False


def _fence_fault(text: str, found: _Frontmatter, lead: str, fence: str, exact: bool) -> Problem | None:
    """Return why Foya's program does not see this frontmatter; None where it does."""
    opening, closing = found.opening, found.closing
    if lead.startswith("\ufeff"):
        fix = Fix(REMOVE_MARK, (Edit(Span(0, len(lead)), ""),))
        return _fault(Span(0, 1), BYTE_ORDER_MARK, fix)
    if lead:
        fix = Fix(REMOVE_LINES, (Edit(Span(0, len(lead)), ""),))
        return _fault(opening, NOT_FIRST, fix)
    if fence != "---":
        return _fault(opening, OPENING_LINE, Fix(MAKE_FENCE, (Edit(opening, "---"),)))
    if not exact:
        return _fault(closing, CLOSING_LINE, Fix(MAKE_FENCE, (Edit(closing, "---"),)))
    if found.data.start == found.data.end:
        fix = Fix(REMOVE_FENCES, (Edit(Span(0, found.body), ""),))
        if _OPENING.match(text[found.body :]):
            # Without them, what follows would be taken for a frontmatter.
            end = text[opening.end : found.data.start]
            fix = Fix(ADD_LINE, (Edit(Span(found.data.start, found.data.start), end),))
        return _fault(opening, EMPTY, fix)
    header = text[: found.body]
    if _LONE_CR.search(header):
        edits = tuple(Edit(Span(*m.span()), "\n") for m in _LONE_CR.finditer(text, 0, found.body))
        return _fault(opening, CARRIAGE_RETURNS, Fix(MAKE_LINE_ENDS, edits))
    if found.body == closing.end:
        end = text[opening.end : found.data.start]
        return _fault(closing, NO_LINE_BREAK, Fix(ADD_LINE_BREAK, (Edit(Span(closing.end, closing.end), end),)))
    return None


def _unclosed(text: str, opening: Span, begin: int) -> _Frontmatter:
    """A frontmatter without an end: it goes as far as the text looks like YAML."""
    stop = _yaml_end(text, begin, len(text))
    end = text[opening.end : begin] or "\n"
    data = text[begin:stop]
    if not data:
        insert = f"{end}---{end}" if begin > opening.end else f"{end}{end}---{end}"
    else:
        insert = f"---{end}" if data.endswith(("\n", "\r")) else f"{end}---{end}"
    fix = Fix(CLOSE, (Edit(Span(stop, stop), insert),), safe=False)
    spot = Span(stop, stop)
    return _Frontmatter(opening, spot, Span(begin, stop), stop, _fault(opening, UNCLOSED, fix), guessed=True)


def _yaml_end(text: str, begin: int, stop: int) -> int:
    """Return how far the lines from `begin` on look like YAML."""
    at = begin
    while at < stop:
        line = _LINE.match(text, at, stop)
        if line is None or not _YAML_LINE.match(text, at, line.end(1)):
            return at
        at = line.end()
    return at


def _fault(span: Span, message: Text, fix: Fix) -> Problem:
    return Problem("foya-frontmatter", span, message, (), (fix,))


def _read_frontmatter(text: str, found: _Frontmatter) -> MarkdownTree:
    yaml = read_yaml(text, found.data.start, found.data.end, slashes=False)
    problems = [found.fault] if found.fault else []
    faults = [problem for problem in yaml.problems if problem.code in _YAML_FAULTS]
    root = yaml.root
    if not found.guessed:
        problems += [problem for problem in yaml.problems if problem.code not in _YAML_FAULTS]
        if faults:
            problems.append(_as_frontmatter(text, faults[0]))
        elif (
            root is not None and not isinstance(root, Mapping) and not (isinstance(root, Scalar) and root.value is None)
        ):
            kind = A_LIST if isinstance(root, Sequence) else A_TEXT
            problems.append(Problem("foya-frontmatter", _first_line(text, root.span), NOT_A_MAPPING.format(found=kind)))
            faults.append(problems[-1])
    header = root if isinstance(root, Mapping) else None
    body = trimmed(text, found.body, len(text))
    header_span = Span(found.opening.start, max(found.opening.end, found.closing.end))
    part = Part(
        Span(header_span.start, max(header_span.end, body.end if body.start < body.end else 0)),
        header_span,
        found.data,
        header,
        body,
        sound=not faults and not found.guessed,
        doubtful=found.guessed,
    )
    comments = [*yaml.comments, *_ignores(text, found.body)]
    problems += _hidden(text, found.body, len(text))
    return MarkdownTree(header, _in_order(problems), comments, parts=[part])


def _as_frontmatter(text: str, problem: Problem) -> Problem:
    """Turn a fault of the YAML into the one finding of the frontmatter, with what comes of it."""
    if problem.code == "multi-document":
        return replace(problem, code="foya-frontmatter", message=SECOND_DOCUMENT)
    alias = text.startswith("*", problem.span.start)
    message = ALIAS if alias else problem.message
    fixes = problem.fixes
    if alias and not fixes:
        quoted = "'" + problem.span.of(text).replace("'", "''") + "'"
        fixes = (Fix(QUOTE, (Edit(problem.span, quoted),), safe=False),)
    return Problem(
        "foya-frontmatter",
        problem.span,
        Text(message.en + STOPS.en, message.zh + STOPS.zh),
        problem.related,
        fixes,
    )


# ---------------------------------------------------------------------- markers


@dataclass(frozen=True, slots=True)
class _Marker:
    """A marker: its place without white space around it, the JSON in it, and what is wrong with its form."""

    span: Span
    data: Span
    line_end: int
    fault: Problem | None
    in_code: bool


def _find_markers(text: str, begin: int) -> Iterator[_Marker]:
    if "foya-rule" not in text:
        return
    blocks = list(_code_blocks(text, begin))
    after = begin
    for match in _MARKER.finditer(text, begin):
        if match.start() < after:
            continue
        marker = _marker_at(text, match)
        in_code = _is_inside(blocks, marker.span.start)
        after = max(match.end(), marker.line_end)
        yield replace(marker, in_code=in_code)


def _marker_at(text: str, match: re.Match[str]) -> _Marker:
    start = match.start("open")
    line_end = _line_end(text, start)
    arrow = text.rfind("-->", match.end(), line_end)
    end = line_end
    several = False
    if arrow < 0:
        found = _close_below(text, line_end)
        if found is not None:
            arrow, end, several = found[0], found[1], True
    behind = trimmed(text, arrow + 3, end) if arrow >= 0 else Span(end, end)
    stop = arrow + 3 if arrow >= 0 else trimmed(text, start, end).end
    span = Span(start, stop)
    data = trimmed(text, min(match.end(), arrow if arrow >= 0 else stop), arrow if arrow >= 0 else stop)
    if is_marker_line(text, start) and not match["mark"] and not several and arrow >= 0 and behind.start == behind.end:
        return _Marker(span, data, end, None, False)
    line = Span(start, min(line_end, stop))
    if data.start == data.end:
        return _Marker(span, data, end, Problem("foya-marker", line, NO_OBJECT), False)
    if match["mark"]:
        fault = _marker_fault(line, MARKER_MARK, Fix(REMOVE_MARK, (Edit(Span(*match.span("mark")), ""),)))
    elif arrow < 0:
        fault = _marker_fault(line, MARKER_OPEN, _rewritten(text, span, data, behind))
    elif several:
        fault = _marker_fault(line, MARKER_LINES, _rewritten(text, span, data, behind))
    elif behind.start < behind.end:
        fault = _marker_fault(line, MARKER_BEHIND, _rewritten(text, span, data, behind))
    elif text[start : match.end()] != MARKER_START or text[data.end : stop] != MARKER_END:
        fault = _marker_fault(line, MARKER_SPACES, _rewritten(text, span, data, behind))
    else:
        fault = _marker_fault(line, MARKER_RETURNS, Fix(MAKE_LINE_ENDS, tuple(_line_ends_around(text, start, end))))
    return _Marker(span, data, end, fault, False)


def _rewritten(text: str, span: Span, data: Span, behind: Span) -> Fix:
    """The fix that writes a marker as it should be: on one line of its own, with its spaces."""
    line = MARKER_START + _BREAKS.sub(" ", data.of(text)) + MARKER_END
    if behind.start == behind.end:
        return Fix(REWRITE, (Edit(span, line),))
    return Fix(REWRITE, (Edit(Span(span.start, behind.start), line + _own_line_end(text)),))


def _line_ends_around(text: str, start: int, end: int) -> Iterator[Edit]:
    """Yield the edits that make LF of the lone CR in front of a line and behind it."""
    if start and text[start - 1] == "\r":
        yield Edit(Span(start - 1, start), "\n")
    if text[end : end + 1] == "\r" and text[end + 1 : end + 2] != "\n":
        yield Edit(Span(end, end + 1), "\n")


def _close_below(text: str, at: int) -> tuple[int, int] | None:
    """Return where a comment that goes on below its line is closed, and the end of that line."""
    for number, line in enumerate(_lines(text, _line_after(text, at), len(text))):
        content = line.of(text)
        if number >= _MAX_MARKER_LINES or not content.strip(WHITE_SPACE) or _MARKER.match(text, line.start):
            return None
        arrow = content.find("-->")
        if arrow >= 0:
            return line.start + arrow, line.end
    return None


def _marker_fault(span: Span, message: Text, fix: Fix) -> Problem:
    return Problem("foya-marker", span, message, (), (fix,))


def _read_markers(text: str, marks: list[_Marker], begin: int) -> MarkdownTree:
    """Read the parts under markers; `begin` is where the text that may belong to nothing starts."""
    parts: list[Part] = []
    problems: list[Problem] = []
    items: list[Mapping] = []
    for number, mark in enumerate(marks):
        stop = marks[number + 1].span.start if number + 1 < len(marks) else len(text)
        json = read_json(text, mark.data.start, mark.data.end)
        faults = [problem for problem in json.problems if problem.code.startswith("json-") and not problem.minor]
        # With a quote too many, what stands between two texts becomes a key.
        problems += [problem for problem in json.problems if not faults and not problem.code.startswith("json-")]
        header = json.root if isinstance(json.root, Mapping) else None
        if mark.fault is not None:
            problems.append(mark.fault)
        elif faults and json.root is not None:
            problems.append(_as_marker(text, mark, faults[0]))
        elif header is None:
            problems.append(Problem("foya-marker", mark.span, NO_OBJECT))
        body = trimmed(text, mark.span.end, stop)
        end = body.end if body.start < body.end else mark.span.end
        if header is not None and header.span.start != mark.data.start:
            header = replace(header, span=Span(mark.data.start, header.span.end))
        sound = header is not None and not faults
        part = Part(Span(mark.span.start, end), mark.span, mark.data, header, body, sound, in_code=mark.in_code)
        parts.append(part)
        entries = header.entries if header is not None else []
        items.append(Mapping(part.span, entries, flow=True, broken=not sound, last_counts=True))
        problems += _hidden(text, mark.span.end, stop)
    first = marks[0].span.start
    problems += _hidden(text, begin, first)
    root = Sequence(Span(items[0].span.start, items[-1].span.end), list(items))
    tree = MarkdownTree(root, _in_order(problems), list(_ignores(text, begin)), parts=parts, markers=True)
    tree.outside = _outside(text, begin, first)
    return tree


def _as_marker(text: str, mark: _Marker, problem: Problem) -> Problem:
    """Turn a fault of the JSON into the one finding of its marker."""
    message = Text(problem.message.en + REFUSED.en, problem.message.zh + REFUSED.zh)
    fixes = problem.fixes
    source = mark.data.of(text)
    if "'" in source and '"' not in source and "\\" not in source:
        mended = source.replace("'", '"')
        if not [found for found in read_json(mended).problems if not found.minor]:
            fixes = (Fix(DOUBLE_QUOTES, (Edit(mark.data, mended),), safe=False),)
            return Problem(
                "foya-marker", mark.data, Text(SINGLE_QUOTES.en + REFUSED.en, SINGLE_QUOTES.zh + REFUSED.zh), (), fixes
            )
    return Problem("foya-marker", problem.span, message, problem.related, fixes)


def _outside(text: str, begin: int, end: int) -> Span | None:
    """Return the text in front of the first marker, without the heading and comments for this tool."""
    found: Span | None = None
    seen = False
    for line in _lines(text, begin, end):
        content = line.of(text).removeprefix("\ufeff").strip(WHITE_SPACE)
        if not content or _IGNORE.fullmatch(content) or (not seen and content == HEADING):
            seen = seen or bool(content)
            continue
        seen = True
        inner = trimmed(text, line.start + line.of(text).startswith("\ufeff"), line.end)
        found = Span(found.start if found else inner.start, inner.end)
    return found


# ---------------------------------------------------------------------- text


def _read_plain(text: str) -> MarkdownTree:
    """Read a file that is nothing but text."""
    begin = 1 if text.startswith("\ufeff") else 0
    body = trimmed(text, begin, len(text))
    if text.startswith(HEADING, body.start):
        body = trimmed(text, body.start + len(HEADING), len(text))
    tree = MarkdownTree(None, list(_hidden(text, begin, len(text))), list(_ignores(text, 0)))
    if body.start < body.end:
        nothing = Span(body.start, body.start)
        tree.parts.append(Part(body, nothing, nothing, None, body))
    return tree


def _hidden(text: str, start: int, end: int) -> Iterator[Problem]:
    for count, span in enumerate(hidden_stretches(text, Span(start, end))):
        if count >= _MAX_HIDDEN:
            return
        edits = tuple(Edit(part, "") for part in hidden_characters(text, span))
        fix = Fix(REMOVE_HIDDEN, edits)
        yield Problem("hidden-character", span, HIDDEN.format(names=hidden_names(span.of(text))), (), (fix,))


def _ignores(text: str, begin: int) -> Iterator[Span]:
    """Yield the comments that speak to this tool, outside of code."""
    if "rulewright:" not in text:
        return
    blocks = list(_code_blocks(text, begin))
    at = begin
    while match := _IGNORE_START.search(text, at):
        line_end = _line_end(text, match.end())
        end = text.find("-->", match.end(), line_end)
        if end >= 0 and not _is_inside(blocks, match.start()):
            yield Span(match.start(), end + 3)
        # Where a comment stays open, none behind it on its line is closed.
        at = end + 3 if end >= 0 else line_end


def _code_blocks(text: str, begin: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the fenced blocks of code that are closed. Source: CommonMark 0.31, fenced code blocks."""
    if "```" not in text and "~~~" not in text:
        return
    opened: tuple[int, str] | None = None
    for line in _lines(text, begin, len(text)):
        match = _CODE_FENCE.fullmatch(text, line.start, line.end)
        if match is None:
            continue
        fence, rest = match["fence"], match["rest"]
        if opened is None:
            if fence[0] != "`" or "`" not in rest:
                opened = line.start, fence
        elif fence.startswith(opened[1]) and not rest.strip():
            yield opened[0], line.end
            opened = None


def _is_inside(blocks: list[tuple[int, int]], at: int) -> bool:
    """Tell whether a place lies in one of some blocks, which are in order."""
    number = bisect_right(blocks, at, key=lambda block: block[0])
    return number > 0 and at < blocks[number - 1][1]


def _lines(text: str, begin: int, stop: int) -> Iterator[Span]:
    """Yield the lines between two places, without their ends."""
    at = begin
    while at < stop:
        match = _LINE.match(text, at, stop)
        if match is None:
            return
        yield Span(at, match.end(1))
        at = match.end()


def _line_end(text: str, at: int) -> int:
    match = _LINE.match(text, at)
    return match.end(1) if match else len(text)


def _line_after(text: str, at: int) -> int:
    match = _LINE.match(text, at)
    return match.end() if match else len(text)


def _own_line_end(text: str) -> str:
    """Return the line end that the text uses: that of its first line."""
    match = _LINE.match(text)
    return (match[2] if match else "") or "\n"


def _first_line(text: str, span: Span) -> Span:
    return Span(span.start, max(span.start, min(span.end, _line_end(text, span.start))))


def _in_order(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: problem.span)


# What comes of a fault, for the whole project.
_LOST_EN = "Foya does not see a frontmatter then: the whole file, keys included, becomes the text of an `always` rule (in a subfolder a `glob` rule)"
_LOST_ZH = (
    "这时 Foya 看不到 frontmatter：整个文件连同这些键都会成为一条 `always` 规则（在子目录中是 `glob` 规则）的正文"
)
STOPS = Text(
    "; Foya cannot read the file, and loads neither it nor the project's rules after it",
    "；Foya 无法读取这个文件，它和排在它后面的项目规则都不会加载",
)
REFUSED = Text("; Foya then loads no rule of this file", "；这样 Foya 不会加载这个文件中的任何规则")

BYTE_ORDER_MARK = Text(
    f"a byte order mark stands in front of `---`. {_LOST_EN}. Remove it",
    f"`---` 前面有字节顺序标记（BOM）。{_LOST_ZH}。请删除它",
)
NOT_FIRST = Text(
    f"`---` must be the very first line. {_LOST_EN}. Remove the lines above it",
    f"`---` 必须是文件的第一行。{_LOST_ZH}。请删除它上面的空行",
)
OPENING_LINE = Text(
    f"the first line must be `---` and nothing else. {_LOST_EN}",
    f"第一行必须只有 `---`。{_LOST_ZH}",
)
CLOSING_LINE = Text(
    f"the line that closes the frontmatter must be `---` and nothing else. {_LOST_EN}",
    f"结束 frontmatter 的那一行必须只有 `---`。{_LOST_ZH}",
)
UNCLOSED = Text(
    f"the frontmatter that begins here is never closed by a line `---`. {_LOST_EN}",
    f"从这里开始的 frontmatter 没有用一行 `---` 结束。{_LOST_ZH}",
)
EMPTY = Text(
    f"an empty frontmatter is none: `---` directly below `---`. {_LOST_EN}",
    f"空的 frontmatter（`---` 下一行就是 `---`）不算 frontmatter。{_LOST_ZH}",
)
NO_LINE_BREAK = Text(
    f"the file ends right behind the closing `---`, without a line break and without a rule. {_LOST_EN}. "
    "Write the rule below this line",
    f"文件在结尾的 `---` 之后立即结束，没有换行，也没有规则正文。{_LOST_ZH}。请在这一行下面写规则",
)
CARRIAGE_RETURNS = Text(
    f"lines end with a lone carriage return here, which ends no line for Foya. {_LOST_EN}",
    f"这里的行以单独的回车符结尾，Foya 不把它当作换行。{_LOST_ZH}",
)
NOT_A_MAPPING = Text(
    f"the frontmatter must be `key: value` lines, but this is {{found}}{STOPS.en}",
    f"frontmatter 应当由 `键: 值` 组成，实际是{{found}}{STOPS.zh}",
)
SECOND_DOCUMENT = Text(
    "a second YAML document begins here, and Foya does not read its keys; remove this line",
    "从这里开始是第二个 YAML 文档，Foya 不会读取其中的键；请删除这一行",
)
A_LIST = Text("a list", "列表")
A_TEXT = Text("text", "文本")
ALIAS = Text(
    "without quotes, YAML takes `*` at the start of a value for a reference to another value; put the value in quotes",
    "值没有加引号时，YAML 会把开头的 `*` 当成对另一个值的引用；请给这个值加上引号",
)
GLOBAL_FRONTMATTER = Text(
    'the global file has no frontmatter: each rule has a line `<!-- foya-rule: {"id":"…"} -->` above it',
    '全局规则文件没有 frontmatter：每条规则上面有一行 `<!-- foya-rule: {"id":"…"} -->`',
)
GLOBAL_FRONTMATTER_MARKERS = Text(
    "the global file has no frontmatter. With one, Foya reads the whole file as a single rule, the marker lines as its text",
    "全局规则文件没有 frontmatter。有了它，Foya 会把整个文件读成一条规则，标记行都成为正文",
)

_UNSEEN_EN = "Foya does not see this marker: what follows becomes text of the rule above, or is dropped"
_UNSEEN_ZH = "Foya 认不出这个标记：后面的内容会并入上一条规则的正文，或被丢弃"
MARKER_MARK = Text(
    f"a byte order mark stands in front of the marker. {_UNSEEN_EN}", f"标记前面有字节顺序标记（BOM）。{_UNSEEN_ZH}"
)
MARKER_OPEN = Text(
    f"the marker must end with ` -->` on this line. {_UNSEEN_EN}", f"标记必须在这一行以 ` -->` 结束。{_UNSEEN_ZH}"
)
MARKER_LINES = Text(f"a marker must stand on one line. {_UNSEEN_EN}", f"标记必须写在一行里。{_UNSEEN_ZH}")
MARKER_BEHIND = Text(
    f"nothing may follow ` -->` on the marker's line. {_UNSEEN_EN}",
    f"标记那一行的 ` -->` 后面不能有其他内容。{_UNSEEN_ZH}",
)
MARKER_SPACES = Text(
    f"a marker is written `<!-- foya-rule: {{…}} -->`, with just these spaces. {_UNSEEN_EN}",
    f"标记要写成 `<!-- foya-rule: {{…}} -->`，空格也要一致。{_UNSEEN_ZH}",
)
MARKER_RETURNS = Text(
    f"the line ends with a lone carriage return, which ends no line for Foya. {_UNSEEN_EN}",
    f"这一行以单独的回车符结尾，Foya 不把它当作换行。{_UNSEEN_ZH}",
)
NO_OBJECT = Text(
    f'a marker holds a JSON object: `<!-- foya-rule: {{"id":"…"}} -->`{REFUSED.en}',
    f'标记里应当是一个 JSON 对象：`<!-- foya-rule: {{"id":"…"}} -->`{REFUSED.zh}',
)
SINGLE_QUOTES = Text("JSON takes double quotes only", "JSON 只能用双引号")

REMOVE_MARK = Text("Remove the byte order mark", "删除字节顺序标记")
REMOVE_LINES = Text("Remove the lines above `---`", "删除 `---` 上面的空行")
MAKE_FENCE = Text("Change to `---`", "改为 `---`")
REMOVE_FENCES = Text("Remove both lines", "删除这两行")
MAKE_LINE_ENDS = Text("Change to line breaks that Foya knows", "改为 Foya 认识的换行")
ADD_LINE = Text("Put an empty line between them", "在两行之间加一个空行")
ADD_LINE_BREAK = Text("Add the line break", "补上换行")
CLOSE = Text("Close the frontmatter", "补上结尾的 `---`")
QUOTE = Text("Put the value in quotes", "给这个值加上引号")
REMOVE_FRONTMATTER = Text("Remove the frontmatter", "删除 frontmatter")
REWRITE = Text("Write the marker on one line, with its spaces", "把标记写成一行并补上空格")
DOUBLE_QUOTES = Text("Use double quotes", "改用双引号")
HIDDEN = Text("hidden character {names}; remove it", "隐藏字符 {names}；请删除它")
REMOVE_HIDDEN = Text("Remove the hidden characters", "删除隐藏字符")
