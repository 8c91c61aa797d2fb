"""What a check is, what it sees, and what it reports. No check lives here, and nothing here reads files."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rulewright import planning
from rulewright.harness import codec
from rulewright.model import ChainFile, Document, FoyaFile, FoyaScope, Package, Rule, Value
from rulewright.planning import RulePlan
from rulewright.syntax.scalar_places import source_span
from rulewright.syntax.tree import Fix, Problem, Related, Scalar, resolve
from rulewright.syntax.yaml_quoting import in_same_quotes
from rulewright.text.edits import Edit
from rulewright.text.language import Text, same
from rulewright.text.patterns import PatternError, Translated, translate
from rulewright.text.span import Span

__all__ = [
    "Check",
    "FileContext",
    "FileFacts",
    "FoyaFacts",
    "Plans",
    "Finding",
    "Fix",
    "Related",
    "Severity",
    "Text",
    "WorkspaceContext",
    "is_outside",
    "same",
]


CODE_PAGES = "https://rulewright.github.io/codes/"


def code_url(code: str) -> str:
    """Return the address of a code's page: `codeDescription.href` in the editor, `url` in reports."""
    return CODE_PAGES + code


class Severity(enum.IntEnum):
    """How bad a finding is. The numbers are LSP's DiagnosticSeverity."""

    ERROR = 1
    WARNING = 2
    INFO = 3
    HINT = 4

    @property
    def label(self) -> str:
        """The word that settings and JSON use."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Finding:
    """One report of a check. `severity` None means the check's own."""

    code: str
    span: Span
    message: Text
    severity: Severity
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    unnecessary: bool = False


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What checks may know of the world outside the text; the workspace fills it in.

    text_files: for each `text_file` value the text of that file, or None where there is none that can be read.
    encoding: how the file is stored, `utf-8` where only its text is known.
    """

    text_files: Mapping[str, str | None] | None = None
    encoding: str = "utf-8"

    def text_of(self, rule: Rule) -> str | None:
        """Return the text of a rule's text file; None where the rule has none, or the file is not known."""
        return (self.text_files or {}).get(rule.text_file.text()) if rule.text_file.known else None


@dataclass(frozen=True, slots=True)
class PatternUse:
    """One pattern in a condition. result: what RE2 makes of it. shell: it is a `shell_regex`."""

    value: Value
    shell: bool
    result: Translated | PatternError


@functools.lru_cache(maxsize=4096)
def _translated(pattern: str, ignore_case: bool) -> Translated | PatternError:
    return translate(pattern, ignore_case)


class Plans:
    """What becomes of the rules of a document on the harnesses of its project: worked out when it is asked for, and once."""

    def __init__(self, document: Document, facts: FileFacts, harnesses: Iterable[str]) -> None:
        self._document = document
        self._facts = facts
        self._harnesses = tuple(codec(name) for name in dict.fromkeys(harnesses))
        self._found: tuple[tuple[Rule, tuple[RulePlan, ...]], ...] | None = None

    def __iter__(self) -> Iterator[tuple[Rule, tuple[RulePlan, ...]]]:
        if self._found is None:
            rules = self._document.package.rules if self._harnesses and self._document.tree.whole else ()
            every = ((rule, self.of(rule)) for rule in rules)
            self._found = tuple((rule, found) for rule, found in every if found)
        return iter(self._found)

    def of(self, rule: Rule) -> tuple[RulePlan, ...]:
        """Return a rule's plan on each harness; none where there is no harness, or the rule has a fault of its own."""
        return planning.plans(rule, self._harnesses, self._facts.text_of(rule))


@dataclass(slots=True)
class FileContext:
    """What one check sees of one file. Make findings with `finding`, fixes with `replace`, `remove` and `insert`.

    plans: the rules that could be read, each with what becomes of it on the harnesses of the project.
    """

    document: Document
    facts: FileFacts
    check: Check
    plans: Plans

    @property
    def package(self) -> Package:
        """The package; an empty one where the text as such cannot be taken at its word, so that nothing builds on it."""
        return self.document.package if self.document.tree.whole else Package.empty()

    @property
    def foya(self) -> FoyaFile:
        """The Foya rules; none where the text as such cannot be taken at its word."""
        return self.document.foya if self.document.tree.whole else FoyaFile.empty()

    @property
    def chains(self) -> ChainFile:
        """The hook chains; none where the text as such cannot be taken at its word."""
        return self.document.chains if self.document.tree.whole else ChainFile.empty()

    @property
    def text(self) -> str:
        """The whole text."""
        return self.document.text

    def finding(
        self,
        where: Value | Span,
        message: Text,
        *,
        fixes: Iterable[Fix] = (),
        related: Iterable[Related | Value] = (),
        severity: Severity | None = None,
        unnecessary: bool = False,
    ) -> Finding:
        """Make a finding of this check.

        A `Value` puts it on the value where the rule wrote it, else on the rule's anchor (or the merge key) with related
        information on the default or merged value that caused it. Inherited and merged values get no fixes: an edit
        there would change other rules too. A `Value` in `related` adds its place, if it is written anywhere.
        """
        notes: list[Related] = []
        if isinstance(where, Value):
            span = where.place
            if where.origin == "inherited":
                notes.append(Related(where.span, INHERITED))
            elif where.origin == "merged":
                notes.append(Related(where.span, MERGED))
            if where.origin != "written":
                fixes = ()
        else:
            span = where
        for item in related:
            if isinstance(item, Related):
                notes.append(item)
            elif item.origin != "default":
                start = item.span.start if item.key is None else item.key.start
                notes.append(Related(item.span, same(_first_line(self.text[start : item.span.end]))))
        return Finding(
            self.check.code,
            self._first_line_of(span),
            message,
            self.check.severity if severity is None else severity,
            tuple(notes),
            tuple(fixes),
            unnecessary,
        )

    def replace(self, where: Value | Span, new_text: str, *, safe: bool = True, title: Text | None = None) -> Fix:
        """A fix that puts `new_text` in the place of a value or span; a word in place of a quoted value gets its quotes."""
        span = where.span if isinstance(where, Value) else where
        written = in_same_quotes(new_text, span.of(self.text)) if isinstance(where, Value) else new_text
        return Fix(title or CHANGE_TO.format(text=new_text), (Edit(span, written),), safe)

    def pattern_uses(self) -> Iterator[PatternUse]:
        """Return the `regex` and `shell_regex` patterns of all rules that could be read, each as RE2 reads it."""
        for rule in self.package.sound_rules():
            for condition in rule.when.conditions if rule.when else ():
                pattern = condition.pattern
                if condition.op.is_("regex", "shell_regex") and isinstance(pattern.value, str):
                    result = _translated(pattern.value, condition.ignore_case.is_(True))
                    yield PatternUse(pattern, condition.op.is_("shell_regex"), result)

    def part_of(self, value: Value, part: Span) -> Value:
        """Return a value with its place narrowed to a part of it, given as offsets in the string that it is."""
        node = resolve(value.node) if value.node is not None else None
        if value.origin != "written" or not isinstance(node, Scalar):
            return value
        return replace(value, place=source_span(self.text, node, part.start, part.end))

    def _first_line_of(self, span: Span) -> Span:
        """Cut a span to its first line, so that a long text is not painted whole."""
        lines = self.document.lines
        return Span(span.start, max(span.start, min(span.end, lines.ends[lines.line_at(span.start)])))

    def remove_entry(self, where: Value, *, safe: bool = True) -> Fix | None:
        """A fix that removes `key: value` of a block mapping together with its lines; None in flow style or for a merged value.

        A first entry behind `- ` cannot go without rewriting the item, so there it is None too.
        """
        if where.key is None or where.origin != "written":
            return None
        lines = self.document.lines
        first, last = lines.line_at(where.key.start), lines.line_at(max(where.key.end, where.span.end))
        before = self.text[lines.starts[first] : where.key.start]
        after = self.text[max(where.key.end, where.span.end) : lines.ends[last]].strip()
        if before.strip() or (after and not after.startswith("#")):
            return None
        name = self.text[where.key.start : where.key.end]
        return Fix(REMOVE.format(text=name), (Edit(Span(lines.starts[first], lines.full_span(last).end), ""),), safe)

    def insert_entry(
        self, rule: Rule, after: Value, key: str, value: str, *, safe: bool = False, title: Text | None = None
    ) -> Fix | None:
        """A fix that writes `key: value` into a rule, on a new line behind its entry `after`; in flow style behind a comma."""
        if after.key is None or after.origin != "written":
            return None
        lines = self.document.lines
        first, last = lines.line_at(after.key.start), lines.line_at(max(after.key.end, after.span.end))
        end = max(after.key.end, after.span.end)
        lead = self.text[lines.starts[first] : after.key.start]
        rest = self.text[end : lines.ends[last]].strip()
        title = title or ADD.format(text=f"{key}: {value}")
        if rule.node.flow or lead.strip(" -") or (rest and not rest.startswith("#")):
            return Fix(title, (Edit(Span(end, end), f", {key}: {value}"),), safe)
        at = lines.ends[last]
        indent = lead.replace("-", " ")
        return Fix(title, (Edit(Span(at, at), f"{lines.line_end()}{indent}{key}: {value}"),), safe)


@dataclass(frozen=True, slots=True)
class FoyaFacts:
    """What workspace checks know of one Foya rule.

    trigger, id, name: empty where they have a fault of their own. id_place: None where the file does not say the id.
    name_written: the file says the name; else it is made from the file's name, and `name_place` is the rule's anchor.
    place: the rule's anchor. updated: seconds since 1970 that the marker says, None where it says none.
    characters, bytes: of the rule's item in the prompt, its line end included: of its text for an `always` rule, of its name and
        description for a `model_decision` rule; 0 for others.
    """

    scope: FoyaScope
    trigger: str
    id: str
    id_place: Span | None
    name: str
    name_place: Span
    name_written: bool
    place: Span
    updated: float | None = None
    characters: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """The little that workspace checks know of one file.

    folder: the `.foya/rules` that a Foya file lies below, with `/`. changed: seconds since 1970 of the file's last change, 0 where
        there is no file. real: the path without links, empty where the workspace does not say it.
    """

    path: str
    format: str
    names: tuple[tuple[str, Span], ...] = ()
    folder: str = ""
    foya: tuple[FoyaFacts, ...] = ()
    changed: float = 0
    real: str = ""


@dataclass(slots=True)
class WorkspaceContext:
    """What a check over several files sees: one summary a file, never the texts."""

    summaries: tuple[Summary, ...]
    check: Check

    def foya_projects(self) -> Iterator[list[tuple[str, FoyaFacts]]]:
        """Return, for each folder of Foya rules, the rules that hold together there, with the paths of their files.

        The global rules belong to every project. They are in the order in which Foya gives them: global first, then by the time
        of the last change, then by id (foya.md section 4 [F]); rules of one time and one id by their places.
        """
        shared: list[tuple[Summary, FoyaFacts]] = []
        folders: dict[str, list[tuple[Summary, FoyaFacts]]] = {}
        for summary in self.summaries:
            for rule in summary.foya:
                (shared if rule.scope == "global" else folders.setdefault(summary.folder, [])).append((summary, rule))
        for own in folders.values() if folders else ([],):
            ordered = sorted(shared + own, key=_order_in_prompt)
            yield [(summary.path, rule) for summary, rule in ordered]


def _order_in_prompt(item: tuple[Summary, FoyaFacts]) -> tuple[bool, float, str, str, int]:
    summary, rule = item
    changed = summary.changed if rule.updated is None else rule.updated
    return rule.scope != "global", changed, rule.id, summary.path, rule.place.start


def _first_line(text: str) -> str:
    return text.replace("\r", "\n").split("\n")[0].strip()


def no_file_findings(file: FileContext) -> Iterable[Finding]:
    """`run` of a check that looks only at the workspace."""
    return ()


def no_workspace_findings(workspace: WorkspaceContext) -> Iterable[tuple[str, Finding]]:
    """`run_workspace` of a check that looks at one file at a time."""
    return ()


@dataclass(frozen=True, slots=True)
class Check:
    """One check. Its module's docstring is its page.

    run: a generator over one file, without side effects, that never raises on a user's text.
    run_workspace: the same over summaries; yields (path, finding).
    """

    code: str
    severity: Severity
    formats: tuple[str, ...]
    run: Callable[[FileContext], Iterable[Finding]] = no_file_findings
    run_workspace: Callable[[WorkspaceContext], Iterable[tuple[str, Finding]]] = no_workspace_findings
    page: str = field(default="", compare=False)


def is_outside(path: str) -> bool:
    """Tell whether a relative path leads out of its folder, or is not relative at all."""
    path = path.replace("\\", "/")
    if path.startswith(("/", "~")) or path[1:2] == ":":
        return True
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            return True
    return False


def from_problems(file: FileContext) -> Iterable[Finding]:
    """`run` of a check whose faults are found while reading: pass on the problems of its code."""
    for problem in file.document.problems:
        if problem.code == file.check.code:
            yield finding_of(problem, file.check.severity)


def finding_of(problem: Problem, severity: Severity) -> Finding:
    """Turn a reading problem into a finding."""
    return Finding(problem.code, problem.span, problem.message, severity, problem.related, problem.fixes)


INHERITED = Text("inherited from here", "从这里继承")
MERGED = Text("merged from here", "从这里合并而来")
CHANGE_TO = Text("Change to `{text}`", "改为 `{text}`")
REMOVE = Text("Remove `{text}`", "删除 `{text}`")
ADD = Text("Add `{text}`", "添加 `{text}`")
