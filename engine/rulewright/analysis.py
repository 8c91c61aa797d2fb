"""The pipeline on one text, without I/O: detect, read, shape, check, suppress, set severities, sort."""

from __future__ import annotations

import gc
import logging
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from rulewright import formats
from rulewright.checking import (
    Check,
    FileContext,
    FileFacts,
    Finding,
    FoyaFacts,
    Plans,
    Severity,
    Summary,
    WorkspaceContext,
    no_workspace_findings,
)
from rulewright.checks import all_checks, checks_by_code
from rulewright.hook import activity
from rulewright.model import Document, FoyaRule
from rulewright.settings import Settings
from rulewright.suppression import suppress
from rulewright.syntax.json_reader import MAX_OF_A_KIND, MORE
from rulewright.text.language import Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

log = logging.getLogger(__name__)

NO_FACTS = FileFacts()
INTERNAL_ERROR = Text(
    "the check `{code}` failed on this file; please report it with the file. The other checks are not affected",
    "检查 `{code}` 在这个文件上出错；请附上文件报告。其他检查不受影响",
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """One text, understood: the document and what is to be reported, in the order of place and code.

    plans: what becomes of its rules on the harnesses of its project.
    """

    document: Document
    findings: tuple[Finding, ...]
    plans: Plans


def detect(path: str, text: str) -> formats.Format | None:
    """Return the format of a file, or None where it is none of ours."""
    return formats.detect(path, text)


def read(path: str, text: str) -> Document | None:
    """Read one rule file; None where it is of none of our formats. Never raises on a user's text.

    Args:
        path: only looked at, never opened.
    """
    module = formats.detect(path, text)
    return None if module is None else read_as(module, path, text)


def read_as(module: formats.Format, path: str, text: str) -> Document:
    """Read one text as the given format."""
    with collector_paused():
        tree = module.read(path, text)
        content, problems = module.lower(path, text, tree)
    # Where the text as such cannot be taken at its word, what follows from it is noise.
    found = [*tree.problems, *problems] if tree.whole else list(tree.problems)
    return Document(path, text, Lines(text), module.NAME, tree, content, found)


def analyze(
    document: Document, settings: Settings, facts: FileFacts = NO_FACTS, extra: Iterable[Finding] = ()
) -> Analysis:
    """Run every check on one document.

    Args:
        settings: severities by code, `off` takes a code away; the harnesses that rules are meant for.
        facts: what the workspace knows of the files that the document names.
        extra: findings about this file from `workspace_findings`; comments silence them as any other.
    """
    with collector_paused():
        plans = Plans(document, facts, settings.harnesses)
        findings: list[Finding] = [*extra]
        for check in all_checks():
            if document.format in check.formats:
                findings += _fenced(check, FileContext(document, facts, check, plans))
        findings = suppress(document, _once(findings), checks_by_code())
    return Analysis(document, in_order(with_settings(findings, settings)), plans)


def summarize(document: Document) -> Summary:
    """Return the little of a document that workspace checks look at."""
    package = document.package
    names: tuple[tuple[str, Span], ...] = ()
    if package.name.known:
        names = ((package.name.text(), package.name.span),)
    place = formats.foya.rules_folder(document.path) if document.format == formats.foya.NAME else None
    if place is None or not document.tree.whole:
        return Summary(document.path, document.format, names)
    rules = tuple(_foya_facts(rule) for rule in document.foya.sound_rules())
    return Summary(document.path, document.format, names, place[0], rules)


def _foya_facts(rule: FoyaRule) -> FoyaFacts:
    item = given = ""
    if rule.trigger.is_("always"):
        item, given = _prompt_item(rule.content), activity.direct_item(rule.content)
    elif rule.trigger.is_("model_decision"):
        name, description = rule.name.text(), rule.description.text()
        item, given = _prompt_item(f"{name}: {description}"), activity.index_item(name, description)
    return FoyaFacts(
        rule.scope,
        rule.trigger.text(),
        rule.id.text(),
        rule.id.place if rule.id.written and rule.id.text() else None,
        rule.name.text(),
        rule.name.place,
        rule.name.written,
        rule.anchor,
        _seconds(rule.updated),
        len(given),
        len(item) if item.isascii() else len(item.encode("utf-8", "surrogatepass")),
    )


_IN_PROMPT = {**dict.fromkeys((*range(0x20), 0x7F), ""), 0x09: "\t", 0x0A: "\n"}
_IN_PROMPT |= {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}
_CHANGED_IN_PROMPT = re.compile("[\x00-\x08\x0b-\x1f\x7f&<>]")


def _prompt_item(text: str) -> str:
    """Return a text as one item of the prompt of Foya's own program: control characters taken out, the signs of tags escaped.

    Source: freesoulcode/foya internal/agent/prompt_persistent.go and prompt_agentsmd.go at 566c699 [F].
    """
    if _CHANGED_IN_PROMPT.search(text):
        text = text.translate(_IN_PROMPT)
    text = text.strip()
    return f"- {text}\n" if text else ""


def _seconds(time: str) -> float | None:
    """Return the seconds since 1970 of a time in RFC 3339; None where it is none."""
    try:
        return datetime.fromisoformat(time).timestamp() if time else None
    except (ValueError, OverflowError):
        return None


def workspace_findings(summaries: Iterable[Summary]) -> dict[str, list[Finding]]:
    """Run the checks over several files; returns findings by path, to be handed to `analyze` as `extra`."""
    found: dict[str, list[Finding]] = {}
    every = tuple(summaries)
    for check in all_checks():
        if check.run_workspace is no_workspace_findings:
            continue
        mine = tuple(summary for summary in every if summary.format in check.formats)
        for path, finding in check.run_workspace(WorkspaceContext(mine, check)):
            found.setdefault(path, []).append(finding)
    return found


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by place, then code, then message: the order of every list that users or programs see."""
    return tuple(sorted(findings, key=lambda finding: (finding.span, finding.code, finding.message.en)))


def with_settings(findings: Iterable[Finding], settings: Settings) -> Iterator[Finding]:
    """Give each finding the severity that the settings want; drop those that are off."""
    wanted = settings.severity
    for finding in findings:
        name = wanted.get(finding.code) if wanted else None
        if name is None:
            yield finding
        elif name != "off":
            yield replace(finding, severity=Severity[name.upper()])


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One fault is one finding, even where an alias brings it up several times."""
    seen: set[tuple[str, Span, Text]] = set()
    for finding in findings:
        key = (finding.code, finding.span, finding.message)
        if key not in seen:
            seen.add(key)
            yield finding


def _fenced(check: Check, file: FileContext) -> list[Finding]:
    """Run one check; a fault of ours costs only its own findings, and is said once."""
    try:
        found = list(check.run(file))
        return _capped(found) if file.document.format == formats.hook_chains.NAME else found
    except Exception:
        if os.environ.get("RULEWRIGHT_RAISE"):
            raise
        log.exception("check %s failed on %s", check.code, file.document.path)
        return [Finding("internal-error", Span(0, 0), INTERNAL_ERROR.format(code=check.code), Severity.ERROR)]


def _capped(found: list[Finding]) -> list[Finding]:
    """Return findings of one code, as the reader of JSON does its own: the first ones, and one that says how many more there are."""
    if len(found) <= MAX_OF_A_KIND + 1:
        return found  # One that says there is one more would be no shorter; and the reader's own are capped already.
    gravest = min(found[MAX_OF_A_KIND:], key=lambda finding: finding.severity)
    message = MORE.format(code=gravest.code, count=len(found) - MAX_OF_A_KIND)
    return [*found[:MAX_OF_A_KIND], replace(gravest, message=message, related=(), fixes=())]


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector while many small objects that all live on are made (a third of the time saved)."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
