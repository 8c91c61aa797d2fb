from __future__ import annotations

import pytest

from rulewright.text.hidden import hidden_characters, hidden_names, hidden_stretches
from rulewright.text.span import Span


def found(text: str) -> list[str]:
    return [span.of(text) for span in hidden_characters(text, Span(0, len(text)))]


@pytest.mark.parametrize("code", [0xAD, 0x200B, 0x200E, 0x2060, 0x202E, 0x2066, 0x2069, 0xFEFF, 0xE0001, 0xE0041])
def test_each_kind_is_found(code: int) -> None:
    assert found(f"a{chr(code)}b") == [chr(code)]


def test_a_run_is_one() -> None:
    assert found("a\u200b\u200b\u2060b\u200bc") == ["\u200b\u200b\u2060", "\u200b"]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "\ufeffspec: x",
        "👩\u200d💻",
        "👩🏽\u200d❤\ufe0f\u200d💋\u200d👨",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "中文 é",
        "\\u200b",
    ],
)
def test_what_belongs_is_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text", ["a\u200db", "👩\u200d", "\u200d👩", "x\U000e0067\U000e007f", "🏴\U000e0067", "\u200c"]
)
def test_joiners_and_tags_elsewhere_are_found(text: str) -> None:
    assert len(found(text)) == 1


def test_only_the_asked_part_is_looked_at() -> None:
    text = "\u200ba\u200bb\u200b"
    assert list(hidden_characters(text, Span(1, 4))) == [Span(2, 3)]


def test_names() -> None:
    assert hidden_names("\u200b\u200b\u202e") == "U+200B ZERO WIDTH SPACE, U+202E RIGHT-TO-LEFT OVERRIDE"
    assert hidden_names("\ufeff") == "U+FEFF BYTE ORDER MARK"
    assert hidden_names("\u200b\u200c\u200d\u200e\u200f").endswith(", …")


def test_tags_say_what_they_spell() -> None:
    run = "".join(chr(0xE0000 + ord(char)) for char in "run x")
    assert hidden_names(run) == 'U+E0072 TAG LATIN SMALL LETTER R, … (spells "run x")'


def test_a_turn_of_direction_and_its_end_are_one_stretch() -> None:
    def stretches(text: str) -> list[str]:
        return [span.of(text) for span in hidden_stretches(text, Span(0, len(text)))]

    assert stretches("a\u202eb\u202cc\u200bd") == ["\u202eb\u202c", "\u200b"]
    assert stretches("\u2066a\u202cb\u2069") == ["\u2066", "\u202c", "\u2069"]
    assert stretches("\u202ea\n\u202cb") == ["\u202e", "\u202c"]
    assert stretches("\u202ea") == ["\u202e"]
    assert hidden_names("\u202eb\u202c") == "U+202E RIGHT-TO-LEFT OVERRIDE, U+202C POP DIRECTIONAL FORMATTING"
