"""The case runner must fail when it should. A small analyser stands in for the engine: it flags each word `bad`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from rulewright.checking import Finding, Fix, Related, Severity
from rulewright.text.edits import Edit
from rulewright.text.language import Text, same
from rulewright.text.span import Span
from support.cases import CaseError, Comparison, Outcome, Source, View, compare, parse_cases, rewrite


def fake(sources: Sequence[Source], files: Mapping[str, str] | None, settings: str | None) -> Outcome:
    findings: dict[str, list[Finding]] = {}
    for source in sources:
        found = findings.setdefault(source.path, [])
        for match in re.finditer(r"bad|wide\nspan|EMPTY", source.text):
            code = "wide" if match[0].startswith("wide") else "empty" if match[0] == "EMPTY" else "word"
            span = Span(match.start(), match.start() if code == "empty" else match.end())
            edits = [Fix(same(new), (Edit(span, new),)) for new in ("good", "fine")] if code == "word" else []
            note = Related(Span(0, 4), Text("see the top", "见开头"))
            severity = Severity.WARNING if code == "wide" else Severity.ERROR
            found.append(Finding(code, span, Text(f"{code} is wrong here", "有误"), severity, (note,), tuple(edits)))
    return Outcome(findings)


def run(text: str, codes: Sequence[str] | None = ("word",)) -> Comparison:
    (case,) = parse_cases(text)
    return compare(case, codes, fake, {"hover": lambda view: cursor_text(view)})


def cursor_text(view: View) -> str:
    return " ".join(f"{offset}:{view.source.text[offset : offset + 3]}" for offset in view.cursors)


def block(*lines: str, info: str = "yaml style") -> str:
    return "\n".join([f"```{info}", *lines, "```", ""])


HEAD = "## One\n\n"


def test_a_met_mark_passes_and_its_line_is_not_part_of_the_text() -> None:
    result = run(HEAD + block('n: "😀" ', "k: bad", "   ^^^ word: is wrong", "z: 1"))
    assert result.ok, result.report()


@pytest.mark.parametrize(
    "lines",
    [
        ("k: bad",),
        ("k: bad", "   ^^^ word: is wrong", "l: bad"),
        ("k: fine", "   ^^^ word: is wrong"),
        ("k: bad", "  ^^^ word: is wrong"),
        ("k: bad", "   ^^ word: is wrong"),
        ("k: bad", "   ^^^^ word: is wrong"),
        ("k: bad", "   ^| word: is wrong"),
        ("k: bad", "   ^^^ word: is right"),
        ("k: bad", "   ^^^ word (warning): is wrong"),
        ("k: bad", "   ^^^ word: is wrong", "   ^^^ word: is wrong"),
        ("x: 1", "   ^^^ word: is wrong", "k: bad"),
        ("k: bad", "   ^^^ word: is wrong", "   ~~~ see the bottom"),
        ("k: bad", "   ^^^ word: is wrong", "   ~~~ 1:2-1:5 see the top"),
    ],
    ids=[
        "missing-mark", "second-finding-unmarked", "mark-unmet", "column", "short", "long", "empty-span", "message",
        "severity", "marked-twice", "line", "related-text", "related-place",
    ],
)  # fmt: skip
def test_what_is_not_as_written_fails(lines: tuple[str, ...]) -> None:
    result = run(HEAD + block(*lines))
    assert not result.ok
    assert result.report()


def test_marks_for_empty_and_multi_line_spans_related_and_severity() -> None:
    text = HEAD + block(
        "k: EMPTY", "   ^| empty", "   ~~~ 1:1-1:5 see the top", "w: wide", "   ^^^^..+1:5 wide (warning)", "span: 1"
    )
    assert run(text, None).ok, run(text, None).report()
    assert not run(text.replace("+1:5", "+1:4"), None).ok


def test_other_codes_do_not_matter_unless_asked_for() -> None:
    text = HEAD + block("k: EMPTY")
    assert run(text).ok
    assert not run(text, None).ok
    assert not run(HEAD + block("k: EMPTY", info="yaml style codes=empty")).ok
    assert not run(HEAD + block("k: EMPTY", info="yaml style codes=*")).ok


def test_a_mark_for_a_code_that_does_not_run_is_a_fault() -> None:
    assert "means nothing" in run(HEAD + block("k: EMPTY", "   ^| empty")).report()


def test_no_codes_means_only_the_marked_ones() -> None:
    assert run(HEAD + block("k: bad"), []).ok
    assert not run(HEAD + block("k: bad", "   ^^^ word", "l: bad"), []).ok


def test_fix_blocks() -> None:
    source = block("k: bad", "   ^^^ word", "l: bad", "   ^^^ word")
    first, second = block("k: good", "l: bad", info="fix"), block("k: fine", "l: bad", info="fix 2")
    assert run(HEAD + source + first + second).ok
    assert not run(HEAD + source + block("k: good", "l: good", info="fix")).ok
    assert "has 2 fixes" in run(HEAD + source + block("k: good", info="fix 3")).report()
    assert "nothing to fix" in run(HEAD + block("k: 1") + block("k: 1", info="fix")).report()


def test_no_fix() -> None:
    assert run(HEAD + block("k: EMPTY", "   ^| empty", info="yaml style no-fix"), None).ok
    assert "no fix should be offered" in run(HEAD + block("k: bad", "   ^^^ word", info="yaml style no-fix")).report()
    assert "needs a finding" in run(HEAD + block("k: 1", info="yaml style no-fix")).report()


def test_line_ends_and_the_end_of_the_text() -> None:
    for flag in ("crlf", "no-eol", "bom", "crlf no-eol bom"):
        text = (
            HEAD
            + block("a: 1", "k: bad", "   ^^^ word", info=f"yaml style {flag}")
            + block("a: 1", "k: good", info="fix")
        )
        assert run(text).ok, run(text).report()
    assert run(HEAD + block("bad: 1", "^^^ word", info="yaml style bom")).ok


def test_escapes_stand_for_characters() -> None:
    text = (
        HEAD
        + block(r"k: \u{200b}bad", "    ^^^ word", info="yaml style escapes")
        + block(r"k: \u{200b}good", info="fix")
    )
    assert run(text).ok, run(text).report()


def test_a_text_can_be_repeated() -> None:
    text = HEAD + block(r"k: \repeat{3}{ab}bad", "         ^^^ word", info="yaml style escapes")
    assert run(text).ok, run(text).report()


def test_cursors_and_results() -> None:
    assert run(HEAD + block(r"k: $0one \$0 t$0wo") + block("3:one 11:wo", info="hover")).ok, run(
        HEAD + block(r"k: $0one \$0 t$0wo") + block("3:one 11:wo", info="hover")
    ).report()
    assert not run(HEAD + block("k: $0one") + block("3:two", info="hover")).ok


def test_several_blocks_are_one_workspace_with_names_of_their_own() -> None:
    text = (
        HEAD
        + block("k: 1", info="yaml style path=a.style.yaml")
        + block("k: bad", "   ^^^ word")
        + block("k: good", info="fix")
    )
    assert run(text).ok, run(text).report()


@pytest.mark.parametrize(
    "text",
    [
        "```yaml style\nk: 1\n```\n",
        HEAD + "```yaml style\nk: 1\n",
        HEAD + "```\nk: 1\n```\n",
        HEAD + "```json style\nk: 1\n```\n",
        HEAD + "```yaml style nofix\nk: 1\n```\n",
        HEAD + "```yaml style cods=x\nk: 1\n```\n",
        HEAD + block("k: 1") + HEAD + block("k: 1"),
    ],
    ids=["no-heading", "not-closed", "no-info", "language", "word", "option", "same-name"],
)
def test_malformed_files_are_refused(text: str) -> None:
    with pytest.raises(CaseError):
        parse_cases(text)


def test_a_case_without_source_and_an_unknown_result_are_refused() -> None:
    with pytest.raises(CaseError):
        run(HEAD + block("x", info="hover"))
    with pytest.raises(CaseError):
        run(HEAD + block("k: 1") + block("x", info="hoover"))


def test_ledger_lines() -> None:
    (case,) = parse_cases(HEAD + "ledger: S023, S034\nSome prose about ledger: nothing\n\n" + block("k: 1"))
    assert case.ledger == ["S023", "S034"]


def test_rewriting_makes_the_case_pass_and_touches_no_other(tmp_path: Path) -> None:
    other = "## Two\n\n" + block("k: bad")
    text = (
        "# Page\n\n"
        + HEAD
        + block("k: bad", "  ^^^ word: is wrong", "l: bad")
        + block("old", info="fix")
        + "\nprose\n\n"
        + other
    )
    path = tmp_path / "word.md"
    path.write_text(text, encoding="utf-8")
    case = parse_cases(text)[0]
    rewrite(path, "One", compare(case, ["word"], fake, {}).actual)
    after = path.read_text(encoding="utf-8")
    assert after.endswith("\nprose\n\n" + other)
    again = compare(parse_cases(after)[0], ["word"], fake, {})
    assert again.ok, again.report()
    assert "   ^^^ word: word is wrong here\n   ~~~ 1:1-1:5 see the top" in after
    assert "k: good\nl: bad\n" in after
