"""Texts: placeholders, control characters, first sentences."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.hook.json_text import compact, parse, utf8
from rulewright.hook.render import clean, first_sentence, pieces, render

EVENT: dict[str, Any] = {
    "tool": {
        "name": "shell",
        "input": {"command": "rm {{ tool.name }}", "list": [1, {"a": "é"}], "n": 3, "off": False},
    },
    "prompt": {"text": "a\x1b[31mb\x07\r\nc\td\u0085\x7f"},
}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("plain", "plain"),
        ("use {{ tool.name }}!", "use shell!"),
        ("{{tool.name}}{{	tool.name }}", "shellshell"),
        ("[{{ tool.missing }}]", "[]"),
        ("{{ tool.input.command }}", "rm {{ tool.name }}"),
        ("{{ tool.input.list }}", '[1,{"a":"é"}]'),
        ("{{ tool.input.n }} {{ tool.input.off }}", "3 false"),
        ("{{ not a field }} {{}} {{ }} {{ x", "{{ not a field }} {{}} {{ }} {{ x"),
        ("{{{ tool.name }}}", "{shell}"),
        ("{{ {{ tool.name }} }}", "{{ shell }}"),
        ("{tool.name} {0} %s ${x}", "{tool.name} {0} %s ${x}"),
        ("{{ prompt.text }}", "a[31mb\nc\td"),
    ],
)
def test_render(template: str, expected: str) -> None:
    assert render(template, EVENT) == expected


@settings(deadline=None)
@given(st.text())
def test_values_are_never_read_again(value: str) -> None:
    assert render("<{{ prompt.text }}>", {"prompt": {"text": value}}) == f"<{clean(value)}>"


@settings(deadline=None)
@given(st.text())
def test_cleaned_text_has_no_control_characters(text: str) -> None:
    cleaned = clean(text)
    assert not any((ord(char) < 32 and char not in "\n\t") or 127 <= ord(char) < 160 for char in cleaned)
    assert clean(cleaned) == cleaned


@settings(deadline=None)
@given(st.text(alphabet="{} .ab"))
def test_pieces_cover_the_template(template: str) -> None:
    found = pieces(template)
    assert found[-1][1] is None
    assert all(text in template for text, _ in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Edited a file. Run the linter before committing; CI rejects lint errors.", "Edited a file."),
        ("Use v1.2.3 of a.py now! Then stop.", "Use v1.2.3 of a.py now!"),
        ("Why? Because.", "Why?"),
        ("See https://example.com/a.b for more. Bye", "See https://example.com/a.b for more."),
        ("No mark at all", "No mark at all"),
        ("First line\nSecond. line", "First line"),
        ("First line \r\nSecond", "First line"),
        ("End.", "End."),
        ("  Lead. Rest", "Lead."),
        ("改了文件。 请运行检查。", "改了文件。"),
        ("改了文件！\n请运行检查。", "改了文件！"),
        ("Wait... then go.", "Wait..."),
        ("Edited {{ tool.input.path }}. Run it.", "Edited {{ tool.input.path }}."),
        ("", ""),
    ],
)
@pytest.mark.ledger("S012")
def test_first_sentence(text: str, expected: str) -> None:
    assert first_sentence(text) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_json_goes_round(value: Any) -> None:
    import json

    text = compact(value)
    assert json.loads(text) == value
    assert parse(utf8(text)) == value
    assert parse(b"\xef\xbb\xbf \r\n" + json.dumps(value).encode() + b"\n\t ") == value


@pytest.mark.parametrize(
    "data", [b"", b"  ", b"{", b"{}{}", b"{} x", b"nul", b"'a'", b"[1,]", b"\xff\xfe{\x00}\x00", b"[" * 100000]
)
def test_what_is_no_json_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        parse(data)


def test_lone_surrogates_do_not_stop_an_answer() -> None:
    assert utf8("a\ud83db") == "a\ufffdb".encode()
    assert utf8("\ud83d\ude00") == "😀".encode()
    assert parse(b'"\\ud83d"') == "\ud83d"
    assert parse(b'"\xff"') == "\ufffd"
