"""Every change that is offered, tried on every faulty file there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulewright import analysis as engine
from rulewright.analysis import Analysis
from rulewright.checking import FileFacts, Finding
from rulewright.ide.code_actions import actions, fix_all, ignore_edit
from rulewright.settings import Settings
from rulewright.text.edits import apply_edits
from rulewright.text.span import Span

CORPUS = Path(__file__).parents[1] / "corpus"
FILES = sorted(path for folder in ("style", "lsp") for path in (CORPUS / folder).rglob("*.yaml"))


def analyse(text: str) -> Analysis:
    document = engine.read("a.style.yaml", text)
    assert document is not None
    return engine.analyze(document, Settings(), FileFacts({}))


def same_fault(finding: Finding, other: Finding, line: int, other_line: int) -> bool:
    return finding.code == other.code and finding.message == other.message and line == other_line


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_change_does_what_it_says(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    before = analyse(text)
    lines = before.document.lines
    for finding in before.findings[:12]:
        line = lines.line_at(finding.span.start)
        for fix in finding.fixes:
            after = analyse(apply_edits(text, fix.edits))
            if fix.safe:
                assert not any(f.code == finding.code and f.span == finding.span for f in after.findings), fix.title.en
                assert "yaml-syntax" not in {f.code for f in after.findings} - {f.code for f in before.findings}
        edit = ignore_edit(before, finding)
        if edit is not None and before.document.tree.whole:
            after = analyse(apply_edits(text, [edit]))
            shift = edit.new_text.count("\n") or edit.new_text.count("\r")
            left = [
                f
                for f in after.findings
                if f.code == finding.code and after.document.lines.line_at(f.span.start) == line + shift
            ]
            assert left == [], (finding.code, line)
            assert len(after.findings) < len(before.findings)
        for action in actions(before, finding.span, "zh-CN"):
            analyse(apply_edits(text, action.edits))
    action = fix_all(before, Settings(), FileFacts({}), "en")
    if action is not None:
        after_all = analyse(apply_edits(text, action.edits))
        assert not any(fix.safe for finding in after_all.findings for fix in finding.fixes[:1])
        assert fix_all(after_all, Settings(), FileFacts({}), "en") is None


HEAD = "spec: style/v0.3\nname: lsp\nversion: 0.1.0\ndescription: test package\nrules:\n"


def ignored(text: str, code: str) -> str | None:
    found = analyse(text)
    finding = next(f for f in found.findings if f.code == code)
    edit = ignore_edit(found, finding)
    return None if edit is None else apply_edits(text, [edit])


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (HEAD + "  - id: a\n    target: tool\n    tool: shell\n    action: block\n    at: after\n    text: x\n", "block-after", "    # rulewright: ignore[block-after]"),
        (HEAD + "  - {id: a, target: tool, tool: shell, action: block, at: after, text: x}\n", "block-after", "  # rulewright: ignore[block-after]"),
        (HEAD + "  # rulewright: ignore[block-repeat]\n  - {id: a, target: tool, tool: shell, action: block, repeat: turn, at: after, text: x}\n", "block-after", "  # rulewright: ignore[block-repeat, block-after]"),
        (HEAD + "  - id: a\n    target: tool\n    tool: shell\n    action: block\n    at: after # rulewright: ignore[T005]\n    text: x\n", "block-after", "    at: after # rulewright: ignore[T005, block-after]"),
        ("\ufeffspec: style/v0.9\nname: a\nversion: 0.1.0\ndescription: d\nrules:\n  - {id: a, target: system, text: x}\n", "spec-version", "\ufeff# rulewright: ignore[spec-version]"),
        ("spec: style/v0.9\r\nname: a\r\nversion: 0.1.0\r\ndescription: d\r\nrules:\r\n  - {id: a, target: system, text: x}\r\n", "spec-version", "# rulewright: ignore[spec-version]\r"),
    ],
    ids=["block", "flow", "merged-above", "merged-behind", "mark", "crlf"],
)  # fmt: skip
def test_ignoring_comments(text: str, code: str, line: str) -> None:
    after = ignored(text, code)
    assert after is not None
    assert line in after.split("\n")
    assert code not in [finding.code for finding in analyse(after).findings]


def test_no_comment_inside_a_scalar() -> None:
    text = (
        HEAD
        + "  - id: a\n    target: tool\n    tool: shell\n    at: before\n    text: |\n      Think of\n      {{ tool.imput.command }}.\n"
    )
    assert ignored(text, "unknown-variable") is None


def test_fix_all_runs_until_nothing_is_left() -> None:
    # The misspelt key hides that a block rule acts after the call.
    text = HEAD + "  - id: a\n    target: tool\n    tool: shell\n    actoin: block\n    at: after\n    text: x\n"
    found = analyse(text)
    action = fix_all(found, Settings(), FileFacts({}), "en")
    assert action is not None
    assert apply_edits(text, action.edits) == text.replace("actoin", "action").replace("after", "before")
    assert all(edit.span.end - edit.span.start <= len("actoin") for edit in action.edits)


def test_actions_of_a_selection() -> None:
    text = HEAD + "  - id: a\n    target: tool\n    tool: shell\n    action: blok\n    text: x\n    refresh: 1.5\n"
    titles = [action.title for action in actions(analyse(text), Span(0, len(text)), "en")]
    assert {"Ignore `invalid-schema` here", "Ignore `refresh-invalid` here"} <= set(titles)
