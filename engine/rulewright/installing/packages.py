"""The packages of an installation: read, checked as strictly as can be, and compiled. Writes nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from rulewright import analysis, files, harness, planning
from rulewright.checking import Severity
from rulewright.compiler import compile_index
from rulewright.errors import RulewrightError
from rulewright.hook.render import clean
from rulewright.model import Document, Rule
from rulewright.settings import STYLE_FOLDER, Settings
from rulewright.text.language import Text, same
from rulewright.workspace import (
    CheckedFile,
    DocumentFacts,
    Outcome,
    facts_of,
    find_packages,
    not_a_rule_file,
    read_document,
    read_text_file,
    show_path,
    workspace_findings,
)


class PackagesRefused(RulewrightError):
    """Packages have errors: those of `outcome`."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(
            Text("packages with errors are not installed", "有错误的规则包不能安装"),
            Text("nothing was changed", "没有改动任何内容"),
        )
        self.outcome = outcome


class RulesRefused(RulewrightError):
    """A harness cannot do what rules ask of it: `reasons`, one a rule and event."""

    def __init__(self, name: str, reasons: Sequence[Text]) -> None:
        super().__init__(
            Text("{count} of the rules cannot be installed into {name}", "有 {count} 条规则无法安装到 {name}").format(
                count=len(reasons), name=name
            ),
            Text(
                "give them a `fallback`, or leave this harness out of `when.harness`; nothing was changed",
                "请为它们设置 `fallback`，或用 `when.harness` 排除这个 harness；没有改动任何内容",
            ),
        )
        self.reasons = tuple(reasons)


def read_packages(settings: Settings, *, may_be_none: bool = False) -> list[tuple[Document, bytes]]:
    """Read and check the packages of a project; each with the bytes of its file.

    Args:
        may_be_none: something else is installed, so that it is fine where there are none.
    Raises:
        PackagesRefused: one has an error; severities of the settings do not count here.
        RulewrightError: there is none, or one cannot be read.
    """
    paths = find_packages(settings)
    if not paths and not may_be_none:
        raise RulewrightError(
            Text("there are no packages in `{folder}`", "`{folder}` 中没有规则包").format(
                folder=show_path(os.path.join(settings.root, STYLE_FOLDER))
            ),
            Text(
                "put one there, or name it under `packages` in rulewright.toml; without one there is something to install where the "
                "project has hook chains, or Foya rules and the harness does not read those itself",
                "请把规则包放到那里，或写进 rulewright.toml 的 `packages`；没有规则包时，如果项目有 hook 链，或有 Foya 规则而 harness "
                "不会自己读取，也可以安装",
            ),
        )
    return read_documents(paths, settings)


def read_documents(paths: Sequence[str], settings: Settings) -> list[tuple[Document, bytes]]:
    """Read and check the packages at absolute paths, as `read_packages`, in the given order.

    Raises:
        PackagesRefused: one has an error.
        RulewrightError: one cannot be read or is no rule file.
    """
    # What a harness can do is asked of the one that is installed into, not of those that the settings name.
    strict = replace(settings, severity={}, harnesses=())
    found: list[tuple[Document, bytes]] = []
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        data = files.read_bytes(path)
        document = read_document(path, files.decode(data, show_path(path)).text, strict)
        if document is None:
            raise not_a_rule_file(show_path(path))
        found.append((document, data))
    extras = workspace_findings([analysis.summarize(document) for document, _ in found], strict)
    faulty: list[CheckedFile] = []
    for document, data in found:
        # A comment can silence a message, but not make a faulty rule run: so here none counts.
        bare = replace(document, tree=replace(document.tree, comments=[]))
        result = analysis.analyze(bare, strict, facts_of(document))
        # Two packages of one name cannot both be installed: here that warning is an error.
        clashes = [replace(finding, severity=Severity.ERROR) for finding in extras.get(document.path, ())]
        findings = analysis.in_order([*(f for f in result.findings if f.severity == Severity.ERROR), *clashes])
        if findings:
            shown = show_path(document.path)
            facts = DocumentFacts(document.format, document.lines)
            summary = analysis.summarize(document)
            faulty.append(CheckedFile(document.path, shown, files.decode(data, shown), facts, findings, summary))
    if faulty:
        raise PackagesRefused(Outcome(tuple(faulty), (), {file.path: file for file in faulty}))
    return found


def refuse_unplannable(documents: Sequence[Document], name: str) -> None:
    """Refuse packages that ask a harness for what it cannot do, where no `fallback` says what to do instead.

    Raises:
        RulesRefused: with each rule and the reason.
    """
    reasons: list[Text] = []
    codec = harness.codec(name)
    for document in documents:
        for rule in document.package.rules:
            for point in planning.points(rule, codec, _text_of(document, rule)):
                if point.status == "install-error":
                    why = planning.point_words(point) or same(str(point.reason))
                    rule_name = f"{document.package.name.text()}/{rule.id.text()}@{point.own_event}"
                    reasons.append(
                        Text("{rule}: {why} ({reason})", "{rule}：{why}（{reason}）").format(
                            rule=rule_name, why=why, reason=str(point.reason)
                        )
                    )
    if reasons:
        raise RulesRefused(name, reasons)


def compile_packages(documents: Sequence[Document], name: str, *, foya: bool = False, chains: bool = False) -> bytes:
    """Return the index of packages that have no errors, with the text files they name.

    Args:
        foya, chains: the hook gives Foya's rules, dispatches hook chains.

    Raises:
        RulewrightError: a rule cannot be compiled.
    """
    try:
        return compile_index(documents, name, _text_file, foya=foya, chains=chains)
    except ValueError as error:
        raise RulewrightError(
            Text("the packages cannot be compiled: {why}", "无法编译规则包：{why}").format(why=same(str(error))),
            Text("nothing was changed", "没有改动任何内容"),
        ) from error


def static_texts(documents: Sequence[Document], name: str) -> list[str]:
    """Return the texts of the rules that stand in the harness's instruction file, in rule order."""
    codec = harness.codec(name)
    found = []
    for document in documents:
        for rule in document.package.rules:
            text = _text_of(document, rule)
            if any(point.status == "static" for point in planning.points(rule, codec, text)):
                found.append(clean(text).strip("\n").rstrip())
    return [text for text in found if text]


def _text_of(document: Document, rule: Rule) -> str:
    if rule.text_file.known:
        return _text_file(document, rule.text_file.text()) or ""
    return rule.text.text()


def _text_file(document: Document, value: str) -> str | None:
    return read_text_file(os.path.dirname(document.path), value)
