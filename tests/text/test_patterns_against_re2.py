"""The translation against RE2 itself (google-re2, the C++ library): what it accepts, and what it finds."""

import re
import unicodedata
import warnings

import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rulewright.text.patterns import (
    PatternError,
    Translated,
    gate_literals,
    required_literal,
    required_literals,
    translate,
)
from rulewright.text.unicode_classes import class_names, named_class

OPTIONS = re2.Options()
OPTIONS.log_errors = False
OPTIONS.max_mem = 64 << 20


def re2_compile(pattern: str, ignore_case: bool = False) -> object | None:
    options = OPTIONS
    if ignore_case:
        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None


def known_difference(pattern: str) -> bool:
    """Where C++ RE2 and Go differ, and Go counts: see the docstring of rulewright.text.patterns."""
    return bool(
        re.search(r"\\C", pattern)
        or re.search(r"\(\?P?<[^>]*[^\x00-\x7f]", pattern)
        or re.search(r"\{[0-9]{8,}|\{[0-9]+,[0-9]{8,}", pattern)
    )


def agree(pattern: str, subjects: list[str], ignore_case: bool = False) -> None:
    theirs = re2_compile(pattern, ignore_case)
    ours = translate(pattern, ignore_case)
    if known_difference(pattern):
        return
    assert (theirs is None) == isinstance(ours, PatternError), (pattern, ours)
    if isinstance(ours, PatternError):
        assert 0 <= ours.span.start <= ours.span.end <= len(pattern)
        assert ours.span.start < ours.span.end or not pattern
        if ours.replacement is not None:
            assert isinstance(translate(ours.replacement, ignore_case), Translated)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = re.compile(ours.python)
    needed, any_of, gate = required_literal(ours), required_literals(ours), gate_literals(ours)
    for subject in subjects:
        found = theirs.search(subject) is not None  # type: ignore[union-attr]
        assert (compiled.search(subject) is not None) == found, (pattern, ours.python, subject)
        if found:
            assert needed in subject
            assert not any_of or any(text in subject for text in any_of), (pattern, any_of, subject)
            assert not gate or any(text in subject for text in gate), (pattern, gate, subject)


ALPHABET = "abkKsSfF-_ 0\t\n\x0b\x0c\r\x00.|]{}\\ſ\u212a\u00e9\u00c9\u0660\u00a0\u2028ßẞ中"
subjects = st.lists(st.text(ALPHABET, max_size=8), min_size=1, max_size=6)

ATOMS = r"""
a b k S é ß 中 - . ^ $ \b \B \A \z \d \D \w \W \s \S [a-k] [^a-k] []a] [^]a] [a-] [[:alpha:]_] [[:^space:]] [\w-]
[^\S\n] [k-s&&b] \pL \PN \p{Greek} [\p{Lu}k] \p{^L} \x41 \x{212A} \012 \n \. \- \Qa.*\E { } {,3} {01} ]
(?i) (?s) (?m) (?U) (?-i) (?i-s) [^\x00-\x{10FFFF}]
"""
atoms = st.sampled_from(["", " ", *ATOMS.split()])


def combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
        st.tuples(st.sampled_from(["(", "(?:", "(?i:", "(?s:", "(?m:", "(?P<n>", "(?<n>"]), inner).map(
            lambda t: f"{t[0]}{t[1]})"
        ),
        st.tuples(
            inner.map(lambda p: f"(?:{p})"),
            st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{0}", "{1,2}", "{2,}", "{0,1}?"]),
        ).map("".join),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "++", "**"])).map("".join),
    )


patterns = st.recursive(atoms, combine, max_leaves=10)


@settings(max_examples=250, deadline=None)
@given(patterns, subjects, st.booleans())
@example("(?:a|b?)*k", ["abk", ""], False)
@example(r"\B", ["", "a"], False)
@example(r"(?i)\W", ["k", "\u212a"], False)
@example(r"a*(?i)*", ["b"], False)
def test_random_patterns_from_a_grammar(pattern: str, texts: list[str], ignore_case: bool) -> None:
    agree(pattern, texts, ignore_case)


@settings(max_examples=250, deadline=None)
@given(st.text("ab1()[]{}|*+?^$.\\,-:<>=!PQEpbBdDwWsSzZAxCiUm'#&~ké", max_size=14), subjects)
@example("(?<n>a)(?P<n>b)", ["ab"])
@example("[a&&b]", ["&"])
@example("[--a]", ["-"])
@example("[a~~b||c]", ["|"])
@example(r"\08", ["\x008"])
@example(r"\777", ["\u01ff"])
@example("x{,3}", ["x{,3}", "xxx"])
@example("(x{2}){501}", ["x"])
@example("(x{1000}){0}", [""])
def test_random_text_as_pattern(pattern: str, texts: list[str]) -> None:
    agree(pattern, texts)


@settings(max_examples=200, deadline=None)
@given(patterns, st.integers(0, 200), st.sampled_from(list("()[]{}*+?|^$\\-a,1:")), st.booleans(), subjects)
def test_random_patterns_with_one_character_put_in_or_taken_out(
    pattern: str, at: int, char: str, put_in: bool, texts: list[str]
) -> None:
    at %= len(pattern) + 1
    agree(pattern[:at] + char + pattern[at:] if put_in else pattern[:at] + pattern[at + 1 :], texts)


EVERY_CHARACTER = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def members(pattern: str) -> set[str]:
    return set("".join(re2.compile(f"(?:{pattern})+", OPTIONS).findall("".join(EVERY_CHARACTER))))


@pytest.mark.parametrize("name", ["Greek", "Han", "Latin", "Common", "Kawi", "Lu", "L", "Nd", "Zs", "C"])
def test_unicode_classes_are_those_of_re2(name: str) -> None:
    ranges = named_class(name)
    assert ranges is not None
    ours = {chr(code) for first, last in ranges for code in range(first, last + 1) if not 0xD800 <= code < 0xE000}
    # Characters newer than Python's Unicode version are in no category here.
    assert {char for char in ours ^ members(rf"\p{{{name}}}") if unicodedata.category(char) != "Cn"} == set()


def test_re2_knows_every_class_name() -> None:
    assert [name for name in class_names() if re2_compile(rf"\p{{{name}}}") is None] == []


def test_case_folding_is_that_of_re2() -> None:
    """Every character that has a case, against each of its case variants in Python's eyes and in ours."""
    wrong = []
    for code in range(0x41, 0x1E944):
        char = chr(code)
        variants = set(char.lower() + char.upper() + char.title() + char.casefold())
        if 0xD800 <= code < 0xE000 or variants == {char}:
            continue
        ours = translate(re.escape(char) if code < 0x80 else char, ignore_case=True)
        assert isinstance(ours, Translated)
        theirs = re2.compile(f"(?i)\\x{{{code:x}}}", OPTIONS)
        mine = re.compile(ours.python)
        wrong += [(char, v) for v in variants if (mine.search(v) is None) != (theirs.search(v) is None)]
    assert wrong == []
