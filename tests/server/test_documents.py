"""The text store: changes applied in place equal replacing the text, and every spelling of a URI is one document."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.text.lines import Lines, Unit
from rulewright_ls.documents import Documents, OpenDocument, split_lines, uri_to_key, uri_to_path

CORPUS = Path(__file__).parents[1] / "corpus" / "lsp"
UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")
texts = st.text(alphabet=st.sampled_from("ab\r\n\u2028\u0085\x0cé规😀 "), max_size=24)
changes = st.tuples(st.integers(0, 30), st.integers(0, 30), texts)


@settings(max_examples=400, deadline=None)
@given(texts, st.lists(changes, max_size=6), st.sampled_from(UNITS))
def test_changes_equal_replacing(text: str, edits: list[tuple[int, int, str]], unit: Unit) -> None:
    document = OpenDocument("file:///a", "/a", 0, text)
    for number, (a, b, new) in enumerate(edits, 1):
        lines = Lines(text)
        start, end = (min(x, len(text)) for x in sorted((a, b)))
        from_, to = lines.position_at(start, unit), lines.position_at(end, unit)
        # A place between CR and LF does not exist for a client: what it names is the end of the line.
        start, end = lines.offset_at(*from_, unit), lines.offset_at(*to, unit)
        document.change(number, [(tuple(from_), tuple(to), new)], unit)
        text = text[:start] + new + text[end:]
        assert document.text == text
        assert document._lines == split_lines(text)


@settings(deadline=None)
@given(texts)
def test_lines_join_to_the_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == len(Lines(text))


@pytest.mark.parametrize(
    ("text", "start", "end", "new", "result"),
    [
        ("a\u2028b\nc", (1, 0), (1, 1), "d", "a\u2028b\nd"),
        ("a\x0cb\u0085c\nx", (1, 0), (1, 0), "y", "a\x0cb\u0085c\nyx"),
        ("a\rb\r\nc", (1, 1), (2, 0), "", "a\rbc"),
        ("a\rb", (1, 0), (1, 0), "\n", "a\r\nb"),
        ("a\n", (0, 1), (0, 1), "\r", "a\r\n"),
        ("a\n", (9, 9), (9, 9), "z", "a\nz"),
        ("", (0, 0), (0, 5), "x", "x"),
        ("ab\ncd", (0, 9), (1, 0), " ", "ab cd"),
    ],
)
def test_line_ends(text: str, start: tuple[int, int], end: tuple[int, int], new: str, result: str) -> None:
    document = OpenDocument("file:///a", "/a", 0, text)
    document.change(1, [(start, end, new)], "utf-16")
    assert document.text == result


def test_a_reversed_range_is_read_as_meant() -> None:
    document = OpenDocument("file:///a", "/a", 0, "abc")
    document.change(1, [((0, 3), (0, 1), "")], "utf-16")
    assert document.text == "a"


def test_inside_a_character_rounds_down() -> None:
    document = OpenDocument("file:///a", "/a", 0, "😀x")
    document.change(1, [((0, 1), (0, 2), "")], "utf-16")
    assert document.text == "x"


URIS = json.loads((CORPUS / "05-windows-and-escaped-uris" / "uris.json").read_text("utf-8"))


def test_windows_spellings_are_one_document() -> None:
    spellings = URIS["same_file_on_windows"]
    assert {uri_to_path(uri, windows=True) for uri in spellings} == {URIS["path_on_windows"]}
    documents = Documents(windows=True)
    documents.open(spellings[0], 1, "text")
    for uri in spellings:
        found = documents.get(uri)
        assert found is not None
        assert found.uri == spellings[0]


def test_unc() -> None:
    assert uri_to_path(URIS["unc"]["uri"], windows=True) == URIS["unc"]["path"]


@pytest.mark.parametrize("row", [row for row in URIS["posix"] if "path" in row], ids=lambda row: row["path"])
def test_posix(row: dict[str, str]) -> None:
    assert uri_to_path(row["uri"], windows=False) == row["path"]


def test_posix_is_case_sensitive_and_knows_no_drives() -> None:
    row = next(row for row in URIS["posix"] if "different_from" in row)
    assert uri_to_key(row["uri"], windows=False) != uri_to_key(row["different_from"], windows=False)
    assert uri_to_path("file:///C:/x", windows=False) == "/C:/x"


def test_other_schemes_are_kept() -> None:
    assert uri_to_path("untitled:Untitled-1", windows=False) == "untitled:Untitled-1"
