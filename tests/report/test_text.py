"""The text report: the underline stands under the fault, whatever characters the line holds."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import settings as under
from hypothesis import strategies as st

from rulewright.checking import Finding, Fix, Related, Severity, Summary, Text
from rulewright.errors import RulewrightError
from rulewright.files import Source
from rulewright.report import text
from rulewright.text.edits import Edit
from rulewright.text.lines import Lines
from rulewright.text.span import Span
from rulewright.workspace import CheckedFile, DocumentFacts, Failure, Outcome


def outcome(content: str, *spans: Span, **more: object) -> Outcome:
    findings = tuple(
        Finding("code", span, Text("wrong", "不对"), Severity.ERROR, **more)  # type: ignore[arg-type]
        for span in spans
    )
    facts = DocumentFacts("style", Lines(content))
    return Outcome(
        (CheckedFile("/p/a.yaml", "a.yaml", Source(content), facts, findings, Summary("/p/a.yaml", "style")),)
    )


def underlined(content: str, fault: str) -> tuple[str, str]:
    at = content.index(fault)
    rows = text.render(outcome(content, Span(at, at + len(fault))), "en", colour=False).split("\n")
    return rows[1], rows[2]


def cells(shown: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown)


@pytest.mark.parametrize(
    ("line", "fault", "before", "under"),
    [
        ("at: after", "after", 4, 5),
        ("名: after", "after", 4, 5),
        ("x: 中文", "中文", 3, 4),
        ("😀😀: after", "after", 6, 5),
        ("\tat: after", "after", 8, 5),
        ("a\tb\tafter", "after", 8, 5),
        ("e\u0301: after", "after", 3, 5),
        ("👨\u200d👩\u200d👧: after", "after", 4, 5),
        ("👍🏽: after", "after", 4, 5),
        ("❤\ufe0f: after", "after", 3, 5),
        ("x\u202ey: after", "\u202e", 1, 8),
        ("a\u200bb: after", "after", 12, 5),
        ("x: \x1b[31m", "\x1b", 3, 8),
        ("x\ud800: after", "after", 11, 5),
        ("ｆｕｌｌ: after", "after", 10, 5),
        ("한글: after", "after", 6, 5),
    ],
)
def test_the_underline_is_under_the_fault(line: str, fault: str, before: int, under: int) -> None:
    shown, marks = underlined(f"first\n{line}\r\nlast", fault)
    assert shown.startswith("    2 | ")
    assert marks == "      | " + " " * before + "^" * under


def test_a_long_line_is_cut_around_the_fault() -> None:
    line = "x" * 5000 + "FAULT" + "y" * 5000
    shown, marks = underlined(line, "FAULT")
    assert len(shown) <= text.WIDTH + 10
    assert shown[8] == "…"
    assert shown[-1] == "…"
    assert shown[marks.index("^") :].startswith("FAULT")
    assert marks.count("^") == 5


def test_a_long_fault_does_not_run_out_of_the_window() -> None:
    shown, marks = underlined("a: " + "中" * 4000, "中" * 4000)
    assert cells(marks) <= cells(shown) <= text.WIDTH + 10
    assert "^" in marks


@under(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=300), st.data())
def test_any_line_any_place(line: str, draw: st.DataObject) -> None:
    start = draw.draw(st.integers(0, len(line)))
    end = draw.draw(st.integers(start, len(line)))
    rows = text.render(outcome(line, Span(start, end)), "en", colour=False).split("\n")
    assert len(rows) == 5
    assert set(rows[2].partition("| ")[2]) <= {" ", "^"}
    assert rows[2].count("^") >= 1
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for row in rows for char in row)


def test_an_empty_span_and_one_over_several_lines_get_a_mark() -> None:
    rows = text.render(outcome("abc\ndef", Span(3, 3), Span(1, 6)), "en", colour=False).split("\n")
    assert rows[0] == "a.yaml:1:4: error[code]: wrong"
    assert rows[2] == "      |    ^"
    assert rows[4] == "a.yaml:1:2: error[code]: wrong"
    assert rows[6] == "      |  ^^"


def test_columns_are_code_points_and_one_based() -> None:
    first = text.render(outcome("😀😀after", Span(2, 7)), "en", colour=False).split("\n")[0]
    assert first == "a.yaml:1:3: error[code]: wrong"


def test_related_places_and_fixes() -> None:
    found = outcome(
        "a: 1\nb: 2\n",
        Span(3, 4),
        related=(Related(Span(8, 9), Text("see", "见")), Related(Span(0, 1), Text("gone", "无"), path="/p/other.yaml")),
        fixes=(
            Fix(Text("Change it", "改它"), (Edit(Span(3, 4), "2"),)),
            Fix(Text("Drop it", "删它"), (Edit(Span(0, 5), ""),), safe=False),
        ),
    )
    shown = text.render(found, "en", colour=False)
    assert "  a.yaml:2:4: see\n" in shown
    assert "gone" not in shown  # its file is not known here
    assert "  fixable: Change it\n  fixable with --unsafe: Drop it\n" in shown
    chinese = text.render(found, "zh-CN", colour=False)
    assert "a.yaml:1:4: 错误[code]: 不对" in chinese
    assert "可修复：改它" in chinese
    assert text.summary(found, "en") == "1 file checked: 1 error (1 can be fixed with `rulewright fix`)"
    assert text.summary(found, "zh-CN") == "检查了 1 个文件：1 个错误（其中 1 个可用 `rulewright fix` 修复）"
    assert text.summary(outcome("x"), "en") == "1 file checked: no problems"


def test_colour_only_when_asked() -> None:
    assert "\x1b" not in text.render(outcome("x", Span(0, 1)), "en", colour=False)
    assert "\x1b[31m" in text.render(outcome("x", Span(0, 1)), "en", colour=True)


def test_a_very_long_line_is_shown_around_the_fault_and_costs_no_more() -> None:
    source = "x" * 500_000 + "中FAULT" + "y" * 500_000
    at = source.index("FAULT")
    before = time.process_time()
    rows = text.render(outcome(source, *[Span(at, at + 5)] * 200), "en", colour=False).split("\n")
    assert time.process_time() - before < 2
    line = next(row for row in rows if "FAULT" in row)
    marks = rows[rows.index(line) + 1]
    assert "中FAULTyy" in line
    assert line.count("…") == 2
    assert marks.index("^") == line.index("FAULT") + 1  # 中 takes two cells
    assert marks.count("^") == 5


def test_the_closing_line_counts_what_cannot_be_read_and_then_calls_nothing_fine() -> None:
    lost = Failure("a", "a", RulewrightError(Text("x", "x")))
    assert text.summary(Outcome((), (lost,)), "en") == "0 files checked, 1 cannot be read"
    assert text.summary(Outcome((), (lost, lost)), "zh-CN") == "检查了 0 个文件，2 个无法读取"
    assert text.summary(outcome("x"), "en") == "1 file checked: no problems"
