"""The runner for case files: Markdown with a heading per case, source blocks with marks, and expected results.

A case:

    ## A misspelt key
    Prose. A line such as `ledger: S023, S034` names the seed statements that the case proves.

    ```yaml style path=rules/a.style.yaml
    rules:
      - idd: x
        ^^^ unknown-field: part of the message
        ~~~ 1:1-1:6 part of a related message
    ```

    ```fix
    the whole text after the first fix of the first finding
    ```

Source blocks have the info string `yaml style`, `markdown foya` or `json hook-chains`, then any of:
- `path=NAME`;
- `codes=A,B`: what the case runs, `*` is all; without it, the code that the file is named after;
- `no-fix`: no finding offers a fix;
- `files`: no text file exists but those of the case;
- `crlf`, `no-eol`, `bom`: how the text is written;
- `escapes`: `\\u{200b}` stands for that character, `\\repeat{700}{Run it. }` for a text 700 times.

Several blocks under one heading are one workspace. A block `text path=NAME` is a file beside them, for `text_file`.
A block `toml settings` is the project's rulewright.toml.

Marks stand under the line they are about and are taken out before parsing; columns are code points:
- `^^^ code: part of the message` is a finding on exactly these columns;
- `^| code` one with an empty span, `^^^..+2:5 code` one that ends two lines down before column 5 (one-based);
- `^^^ code (warning)` asks for a severity too;
- `~~~ text` is related information of the mark above, `~~~ 4:7-4:12 text` with its place.

`$0` is the cursor, two are a selection, `\\$0` is the text `$0`. Columns are those of the text without it.
Other blocks hold results: `fix`, `fix 2`, `hover`, `completion`, `symbols`, `spans` and what else support.views knows.
Every finding of the codes must be marked, every mark met. `UPDATE_CASES=1` writes marks and results down instead.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from rulewright.checking import Finding
from rulewright.text.edits import apply_edits
from rulewright.text.lines import Lines
from rulewright.text.span import Span

FORMATS = {
    "style": ("yaml", "test{}.style.yaml"),
    "foya": ("markdown", ".foya/rules/test{}.md"),
    "hook-chains": ("json", "test{}/hook-chains.json"),
}
FLAGS = {"no-fix", "files", "crlf", "no-eol", "bom", "escapes"}

_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*$")
_FENCE = re.compile(r"(`{3,})\s*([^`]*)$")
_LEDGER = re.compile(r"ledger:\s*([A-Z]\d{3}(?:[,\s]+[A-Z]\d{3})*)\s*$")
_MARK = re.compile(
    r"(?P<lead>\s*)(?:(?P<empty>\^\|)|(?P<carets>\^+)(?:\.\.\+(?P<down>\d+):(?P<column>\d+))?)"
    r" (?P<code>[A-Za-z][\w-]*)(?: \((?P<severity>error|warning|info|hint)\))?(?:: ?(?P<part>.*))?$"
)
_RELATED = re.compile(r"\s*~+ (?:(?P<place>\d+:\d+-\d+:\d+)(?: |$))?(?P<part>.*)$")
_CURSOR = re.compile(r"\\\$0|\$0")
_ESCAPE = re.compile(r"\\u\{(?P<code>[0-9A-Fa-f]{1,6})\}|\\repeat\{(?P<times>\d{1,5})\}\{(?P<text>[^{}]*)\}")


class CaseError(Exception):
    """A case file is not well formed."""


@dataclass(slots=True)
class Block:
    """One fenced block. `first` and `last` are the zero-based lines of its content in the file, `last` excluded."""

    words: list[str]
    options: dict[str, str]
    lines: list[str]
    first: int
    last: int

    @property
    def label(self) -> str:
        """What identifies a result block: `fix`, `fix 2`, `hover`."""
        return " ".join(self.words)

    @property
    def is_source(self) -> bool:
        """The block is a rule file."""
        return len(self.words) > 1 and self.words[1] in FORMATS

    @property
    def is_file(self) -> bool:
        """The block is a plain file beside the rule files."""
        return self.words == ["text"] and "path" in self.options

    @property
    def is_settings(self) -> bool:
        """The block is the project's settings."""
        return self.words == ["toml", "settings"]


@dataclass(slots=True)
class Mark:
    """An expected finding: its span in the clean text, and the lines that say so."""

    line: int
    span: Span
    code: str
    part: str
    severity: str | None
    written: list[str]
    related: list[tuple[str | None, str]] = field(default_factory=list)

    def meets(self, finding: Finding) -> bool:
        """Tell whether the finding is the one that the mark asks for."""
        return (
            finding.code == self.code
            and finding.span == self.span
            and self.part in finding.message.en
            and self.severity in (None, finding.severity.label)
        )


@dataclass(slots=True)
class Source:
    """A rule file of a case: the text without marks and cursors, and what was marked."""

    block: Block
    path: str
    format: str
    text: str
    bare: list[str]
    cursors: list[int]
    marks: list[Mark]


@dataclass(slots=True)
class Case:
    """One heading with its blocks."""

    name: str
    line: int
    prose: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def ledger(self) -> list[str]:
        """The ids of the seed statements that the case proves."""
        return [word for line in self.prose if (m := _LEDGER.match(line)) for word in re.split(r"[,\s]+", m[1])]


@dataclass(slots=True)
class View:
    """What a result block is made from: the files of the case and the place of the cursor."""

    sources: list[Source]
    analyses: dict[str, Any]
    source: Source
    analysis: Any
    cursors: list[int]


@dataclass(slots=True)
class Outcome:
    """What analysing the files of a case gave: findings by path, and the analyses for other views."""

    findings: dict[str, list[Finding]]
    analyses: dict[str, Any] = field(default_factory=dict)


Analyze = Callable[[Sequence[Source], Mapping[str, str] | None, str | None], Outcome]
ViewTable = Mapping[str, Callable[[View], str]]


def parse_cases(text: str) -> list[Case]:
    """Read a case file.

    Raises:
        CaseError: a block is not closed, stands under no heading, or has a word that means nothing; two cases share a
            name.
    """
    cases: list[Case] = []
    current: Case | None = None
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := _FENCE.match(line):
            end = next((i for i in range(at + 1, len(lines)) if re.fullmatch(rf"{fence[1]}`*\s*", lines[i])), None)
            if end is None:
                raise CaseError(f"line {at + 1}: this block is not closed")
            if current is None:
                raise CaseError(f"line {at + 1}: a block needs a heading above it")
            current.blocks.append(_block(fence[2], lines[at + 1 : end], at + 1, end))
            at = end
        elif heading := _HEADING.match(line):
            current = Case(heading[2], at)
            cases.append(current)
        elif current is not None:
            current.prose.append(line.strip())
        at += 1
    cases = [case for case in cases if case.blocks]
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise CaseError(f"two cases are called {name!r}")
    return cases


def _block(info: str, lines: list[str], first: int, last: int) -> Block:
    words: list[str] = []
    options: dict[str, str] = {}
    for word in info.split():
        name, equals, value = word.partition("=")
        if equals:
            options[name] = value
        elif word in FLAGS:
            options[word] = ""
        else:
            words.append(word)
    block = Block(words, options, lines, first, last)
    if not words:
        raise CaseError(f"line {first}: a block needs an info string")
    if block.is_source:
        if FORMATS[words[1]][0] != words[0]:
            raise CaseError(f"line {first}: {words[1]} is written in {FORMATS[words[1]][0]}")
        unknown = set(options) - FLAGS - {"path", "codes"}
    else:
        unknown = set(options) - ({"path"} if block.is_file else set())
    if unknown or (block.is_source and len(words) > 2):
        raise CaseError(f"line {first}: `{info.strip()}` has a word that means nothing here")
    return block


def read_source(block: Block, number: int) -> Source:
    """Take the marks and cursors out of a source block."""
    format_name = block.words[1]
    path = block.options.get("path") or FORMATS[format_name][1].format(number or "")
    bare: list[str] = []
    clean: list[str] = []
    cursor_places: list[tuple[int, int]] = []
    pending: list[tuple[int, re.Match[str]]] = []
    marks: list[Mark | re.Match[str]] = []
    for line in block.lines:
        if (mark := _MARK.match(line)) and clean:
            pending.append((len(clean) - 1, mark))
            marks.append(mark)
        elif pending and (related := _RELATED.match(line)):
            marks.append(related)
        else:
            bare.append(line)
            shown = _ESCAPE.sub(_unescaped, line) if "escapes" in block.options else line
            out: list[str] = []
            last = 0
            for cursor in _CURSOR.finditer(shown):
                out.append(shown[last : cursor.start()])
                if cursor[0] == "$0":
                    cursor_places.append((len(clean), sum(map(len, out))))
                else:
                    out.append("$0")
                last = cursor.end()
            clean.append("".join(out) + shown[last:])
    text = written_as(block, "".join(line + "\n" for line in clean))
    lines = Lines(text)
    head = 1 if "bom" in block.options else 0
    offset = lambda line, column: lines.starts[line] + column + (head if line == 0 else 0)  # noqa: E731
    found: list[Mark] = []
    rows = iter(pending)
    for item in marks:
        assert isinstance(item, re.Match)
        if item.re is _RELATED:
            found[-1].related.append((item["place"], item["part"].strip()))
            found[-1].written.append(item.string)
            continue
        row, _ = next(rows)
        start = offset(row, len(item["lead"]))
        if item["empty"]:
            end = start
        elif item["down"]:
            end = offset(row + int(item["down"]), int(item["column"]) - 1)
        else:
            end = start + len(item["carets"])
        found.append(
            Mark(row, Span(start, end), item["code"], (item["part"] or "").strip(), item["severity"], [item.string])
        )
    return Source(block, path, format_name, text, bare, [offset(*place) for place in cursor_places], found)


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match["code"], 16)) if match["code"] else match["text"] * int(match["times"])


def written_as(block: Block, text: str) -> str:
    """Give a text the line ends, the end and the byte order mark that the block asks for."""
    if "no-eol" in block.options:
        text = text.removesuffix("\n")
    if "crlf" in block.options:
        text = text.replace("\n", "\r\n")
    return "\ufeff" + text if "bom" in block.options else text


def shown_as(block: Block, text: str) -> list[str]:
    """Return the lines of a block that stands for `text`: the reverse of `written_as`.

    Raises:
        CaseError: the text cannot be shown, for its line ends or its end are not what the block says.
    """
    if text.startswith("\ufeff") != ("bom" in block.options):
        return [f"(the byte order mark is not as in the source) {text[:20]!r}"]
    text = text.removeprefix("\ufeff")
    if "crlf" in block.options:
        if re.search(r"(?<!\r)\n", text):
            return ["(a line end is not CRLF)", *text.split("\n")]
        text = text.replace("\r\n", "\n")
    if "no-eol" in block.options:
        text += "\n"
    if text and not text.endswith("\n"):
        return [*text.split("\n"), "(no line end here)"]
    if "escapes" in block.options:
        text = re.sub(r"[^\x09\x0a\x20-\x7e\u4e00-\u9fff]", lambda m: f"\\u{{{ord(m[0]):x}}}", text)
    return text.split("\n")[:-1]


def place_of(lines: Lines, span: Span) -> str:
    """Write a span as `line:column-line:column`, one-based, in code points."""
    start, end = lines.position_at(span.start), lines.position_at(span.end)
    return f"{start.line + 1}:{start.column + 1}-{end.line + 1}:{end.column + 1}"


def mark_lines(finding: Finding, lines: Lines, own_severity: str | None, head: int = 0) -> tuple[int, list[str]]:
    """Return the zero-based line that a finding is about, and the marks for it."""
    start, end = lines.position_at(finding.span.start), lines.position_at(finding.span.end)
    column = start.column - (head if start.line == 0 else 0)
    lead = " " * column
    if finding.span.start == finding.span.end:
        sign = "^|"
    elif end.line == start.line:
        sign = "^" * (end.column - start.column)
    else:
        sign = (
            "^" * max(1, lines.ends[start.line] - finding.span.start) + f"..+{end.line - start.line}:{end.column + 1}"
        )
    severity = "" if own_severity in (None, finding.severity.label) else f" ({finding.severity.label})"
    message = finding.message.en.split("\n")[0]
    marks = [f"{lead}{sign} {finding.code}{severity}: {message}"]
    for related in finding.related:
        first_line = related.message.en.split("\n")[0]
        marks.append(f"{lead}~~~ {place_of(lines, related.span)} {first_line}".rstrip())
    return start.line, marks


@dataclass(slots=True)
class Comparison:
    """The blocks of a case as they are written and as they should be; `faults` say what no text shows."""

    case: Case
    actual: list[list[str]]
    faults: list[str]

    @property
    def ok(self) -> bool:
        """Everything is as written."""
        return not self.faults and all(b.lines == a for b, a in zip(self.case.blocks, self.actual, strict=True))

    def report(self) -> str:
        """Return the differences for a reader: `-` is what the case file says, `+` what happened."""
        parts = list(self.faults)
        for block, actual in zip(self.case.blocks, self.actual, strict=True):
            if block.lines != actual:
                diff = difflib.unified_diff(
                    block.lines, actual, f"{block.label} (case file)", "what happened", n=3, lineterm=""
                )
                parts.append("\n".join(diff))
        return "\n".join(parts)


def compare(case: Case, codes: Sequence[str] | None, analyze: Analyze, views: ViewTable) -> Comparison:
    """Run one case.

    Args:
        codes: what to look at; None means every code, an empty list that only the marked ones matter.
    """
    sources = [read_source(block, number) for number, block in enumerate(b for b in case.blocks if b.is_source)]
    faults: list[str] = []
    if not sources:
        raise CaseError(f"{case.name!r} has no source block")
    for source in sources:
        if "codes" in source.block.options:
            wanted = source.block.options["codes"]
            codes = None if wanted == "*" else wanted.split(",")
    if codes is not None and not codes and any(source.marks for source in sources):
        codes = sorted({mark.code for source in sources for mark in source.marks})
    files = {b.options["path"]: "".join(f"{line}\n" for line in b.lines) for b in case.blocks if b.is_file}
    closed = bool(files) or any("files" in source.block.options for source in sources)
    settings = next(("\n".join(b.lines) for b in case.blocks if b.is_settings), None)
    outcome = analyze(sources, files if closed else None, settings)
    actual_marks: dict[int, list[str]] = {}
    first: tuple[Source, Finding] | None = None
    for source in sources:
        found = [f for f in outcome.findings.get(source.path, []) if codes is None or f.code in codes]
        if found and first is None:
            first = (source, found[0])
        actual_marks[id(source.block)] = _with_marks(source, found, codes)
        if codes is not None:
            faults += [
                f"the case does not run {mark.code}, so its mark means nothing"
                for mark in source.marks
                if mark.code not in codes
            ]
    actual: list[list[str]] = []
    for block in case.blocks:
        if block.is_source:
            if "no-fix" in block.options:
                faults += _no_fix_faults(block, sources, outcome, codes)
            actual.append(actual_marks[id(block)])
        elif block.is_file or block.is_settings:
            actual.append(block.lines)
        elif block.words[0] == "fix":
            actual.append(_fixed(block, first))
        elif block.words[0] in views:
            source = next((s for s in sources if s.cursors), sources[0])
            view = View(sources, outcome.analyses, source, outcome.analyses.get(source.path), source.cursors)
            shown = views[block.words[0]](view)
            actual.append(shown.rstrip("\n").split("\n") if shown else [])
        else:
            raise CaseError(f"line {block.first}: no result is called {block.label!r}")
    return Comparison(case, actual, faults)


def _with_marks(source: Source, found: Sequence[Finding], codes: Sequence[str] | None) -> list[str]:
    lines = Lines(source.text)
    head = 1 if source.text.startswith("\ufeff") else 0
    left = list(found)
    under: dict[int, list[str]] = {}
    for mark in source.marks:
        met = next((finding for finding in left if mark.meets(finding)), None)
        if met is None:
            continue
        left.remove(met)
        kept = mark.written
        if not all(_has_related(met, lines, *wanted) for wanted in mark.related):
            kept = [mark.written[0], *mark_lines(met, lines, None, head)[1][1:]]
        under.setdefault(mark.line, []).extend(kept)
    for finding in left:
        line, marks = mark_lines(finding, lines, own_severity(finding.code), head)
        under.setdefault(min(line, len(source.bare) - 1), []).extend(marks)
    out: list[str] = []
    for number, line_text in enumerate(source.bare):
        out.append(line_text)
        out.extend(under.get(number, []))
    return out


def _has_related(finding: Finding, lines: Lines, place: str | None, part: str) -> bool:
    return any(
        part in related.message.en and place in (None, place_of(lines, related.span)) for related in finding.related
    )


def _fixed(block: Block, first: tuple[Source, Finding] | None) -> list[str]:
    number = int(block.words[1]) if len(block.words) > 1 else 1
    if first is None:
        return ["(there is no finding, so nothing to fix)"]
    source, finding = first
    if number > len(finding.fixes):
        return [f"(the first finding has {len(finding.fixes)} fixes)"]
    return shown_as(source.block, apply_edits(source.text, finding.fixes[number - 1].edits))


def _no_fix_faults(
    block: Block, sources: Sequence[Source], outcome: Outcome, codes: Sequence[str] | None
) -> Iterator[str]:
    source = next(source for source in sources if source.block is block)
    found = [f for f in outcome.findings.get(source.path, []) if codes is None or f.code in codes]
    if not found:
        yield "`no-fix` needs a finding"
    for finding in found:
        for fix in finding.fixes:
            yield f"no fix should be offered, but {finding.code} has {fix.title.en!r}"


def own_severity(code: str) -> str | None:
    """Return the severity of a check's findings when they name no other; None for a code that no check has."""
    try:
        from rulewright.checks import all_checks
    except ImportError:
        return None
    return next((check.severity.label for check in all_checks() if check.code == code), None)


def rewrite(path: Path, name: str, actual: Sequence[Sequence[str]]) -> None:
    """Put what happened into the case file: the blocks of the case called `name`."""
    text = path.read_text(encoding="utf-8")
    case = next(case for case in parse_cases(text) if case.name == name)
    lines = text.split("\n")
    for block, new in reversed(list(zip(case.blocks, actual, strict=True))):
        lines[block.first : block.last] = new
    path.write_bytes("\n".join(lines).encode())


def analyze_for_real(sources: Sequence[Source], files: Mapping[str, str] | None, settings: str | None) -> Outcome:
    """Run the engine on the files of a case."""
    from support import engine

    return engine.analyze_workspace([(source.path, source.text) for source in sources], files, settings)


class CaseFile(pytest.File):
    """A Markdown file with cases."""

    def collect(self) -> Iterator[CaseItem]:
        """Yield an item for each case."""
        cases = parse_cases(self.path.read_text(encoding="utf-8"))
        codes = codes_of_file(self.path)
        for case in cases:
            item = CaseItem.from_parent(self, name=case.name)
            item.case, item.codes = case, codes
            if case.ledger:
                item.add_marker(pytest.mark.ledger(*case.ledger))
            yield item


def codes_of_file(path: Path) -> list[str] | None:
    """Return the codes that the cases of a file run: its name's in tests/checks, none in tests/ide, else all.

    Raises:
        CaseError: a file in tests/checks is named after no check.
    """
    folder = path.parent.name
    if folder == "ide":
        return []
    if folder != "checks":
        return None
    from rulewright.checks import all_checks

    wanted = path.stem.replace("_", "-").lower()
    for check in all_checks():
        if check.code.lower() == wanted:
            return [check.code]
    raise CaseError(f"no check is called {path.stem}")


class CaseItem(pytest.Item):
    """One case."""

    case: Case
    codes: list[str] | None
    funcargs: Mapping[str, Any] = {}  # pytest-lsp's hook around every test asks for it

    def runtest(self) -> None:
        """Compare, or rewrite with UPDATE_CASES=1."""
        from support.views import VIEWS

        comparison = compare(self.case, self.codes, analyze_for_real, VIEWS)
        if comparison.ok:
            return
        if os.environ.get("UPDATE_CASES") == "1":
            rewrite(self.path, self.case.name, comparison.actual)
            if not comparison.faults:
                return
        raise CaseMismatch(comparison.report())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Show the difference alone; for anything else what pytest shows."""
        if isinstance(excinfo.value, CaseMismatch | CaseError):
            return f"{self.path}:{self.case.line + 1}: {self.case.name}\n{excinfo.value}"
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Tell where the case stands."""
        return self.path, self.case.line, f"{PurePosixPath(self.path.name)}: {self.case.name}"


class CaseMismatch(AssertionError):
    """A case is not as written."""
