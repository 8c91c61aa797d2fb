"""Every check has a page whose examples are true, and a file of cases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulewright.checking import Check, Finding, no_workspace_findings
from rulewright.checks import all_checks
from rulewright.text.edits import apply_edits
from support.cases import CaseFile, Source, codes_of_file, parse_cases
from support.engine import analyze_workspace
from support.pages import Page, read_page

HERE = Path(__file__).parent
WITH_EXAMPLES = [check for check in all_checks() if check.formats]
"""The checks of users' files. `internal-error` looks at no file: it reports faults of ours."""


def page_of(check: Check) -> Page:
    return read_page(check.page)


def findings(check: Check, sources: list[Source]) -> list[tuple[Source, Finding]]:
    """Return the check's findings in the files of an example, with the page's settings; no text file stands beside them."""
    files = [(source.path, source.text) for source in sources]
    found = analyze_workspace(files, text_files={}, settings=page_of(check).settings).findings
    return [(source, finding) for source in sources for finding in found[source.path] if finding.code == check.code]


def by_code(checks: list[Check]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("check", checks, ids=[check.code for check in checks])


@by_code(list(all_checks()))
def test_page_has_its_sections(check: Check) -> None:
    page = page_of(check)
    assert 3 < len(page.title) <= 100
    assert not page.title.startswith("#")
    wanted = ["What it reports", "Why it matters", *(["Example"] if check.formats else [])]
    assert list(page.sections)[: len(wanted)] == wanted
    assert all(page.sections[name] for name in wanted[:2])
    assert page.source
    assert not check.formats or re.search(r"\[[SRAFO]\]", page.source), "whose decision is it?"
    kinds = {example.kind for example in page.examples}
    # What is bad only together with other files is good alone: there the second example would say nothing.
    alone = check.run_workspace is no_workspace_findings
    assert kinds >= ({"bad", "good"} if check.formats and alone else {"bad"} if check.formats else set())


@by_code(WITH_EXAMPLES)
def test_examples_are_true(check: Check) -> None:
    for example in page_of(check).examples:
        found = findings(check, example.sources)
        if example.kind == "good":
            assert not found
        else:
            assert found


@by_code(WITH_EXAMPLES)
def test_fixed_bad_examples_are_good(check: Check) -> None:
    """The first fix of each finding, applied, takes that finding away; a fix leaves no finding of its own code behind."""
    for example in page_of(check).examples:
        if example.kind != "bad":
            continue
        found = findings(check, example.sources)
        fixable = [(source, finding) for source, finding in found if finding.fixes]
        for source, finding in fixable:
            fixed = apply_edits(source.text, finding.fixes[0].edits)
            others = [other for other in example.sources if other is not source]
            after = Source(source.block, source.path, source.format, fixed, source.bare, [], [])
            assert len(findings(check, [*others, after])) < len(found), fixed


@by_code(list(all_checks()))
def test_messages_are_in_both_languages(check: Check) -> None:
    if not check.formats:
        return
    for example in page_of(check).examples:
        for _, finding in findings(check, example.sources):
            texts = [finding.message, *(r.message for r in finding.related), *(f.title for f in finding.fixes)]
            assert all(text.en.strip() and text.zh.strip() for text in texts)
            assert not any(re.search(r"\{[a-z_]+\}", text.en + text.zh) for text in texts), "a place was not filled"
            assert "\n" not in finding.message.en + finding.message.zh


@by_code(WITH_EXAMPLES)
def test_check_has_cases(check: Check) -> None:
    paths = [path for path in HERE.glob("*.md") if codes_of_file(path) == [check.code]]
    assert len(paths) == 1, "tests/checks/ has one case file for each code"
    cases = parse_cases(paths[0].read_text(encoding="utf-8"))
    assert len(cases) >= 2, "a case that is found and one that is not"


def test_case_files_are_collected(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> None:
    """A case file that pytest does not see would prove nothing."""
    path = next(iter(sorted(HERE.glob("*.md"))))
    collected = pytestconfig.hook.pytest_collect_file(file_path=path, parent=request.session)
    assert any(isinstance(item, CaseFile) for item in collected)
