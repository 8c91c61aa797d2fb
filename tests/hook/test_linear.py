"""Patterns searched for without backtracking: finds what RE2 finds, in time that grows with the text alone."""

from __future__ import annotations

import json
import time

import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rulewright.hook.linear import search
from rulewright.text.pattern_program import can_repeat, program
from rulewright.text.patterns import Translated, translate

OPTIONS = re2.Options()
OPTIONS.log_errors = False

ALPHABET = "abkKs_ 0\t\n\r.|\u212a\u00e9\u0660\u00a0\u2028ß中"
texts = st.lists(st.text(ALPHABET, max_size=10), min_size=1, max_size=6)
ATOMS = r"""
a b k é 中 - . ^ $ \b \B \A \z \d \D \w \W \s \S [a-k] [^a-k] [[:alpha:]_] [^\S\n] \pL \PN \p{Greek} \n (?i) (?s) (?m)
[^\x00-\x{10FFFF}]
"""


def combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=4).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(
            inner.map(lambda part: f"(?:{part})"),
            st.sampled_from(["*", "+", "?", "*?", "+?", "{0}", "{2}", "{1,3}", "{2,}", "{0,2}"]),
        ).map("".join),
    )


patterns = st.recursive(st.sampled_from(["", " ", *ATOMS.split()]), combine, max_leaves=12)


@settings(max_examples=100, deadline=None)
@given(patterns, texts, st.booleans())
@example("(?:a*)*b", ["aab", "a"], False)
@example(r"(?:|a|^b)+$", ["", "ab"], False)
@example(r"(?m)^a$\n?\b", ["a\nb", "b\na"], False)
@example(r"\B", ["", "a", " "], False)
@example(r"(?:^|a)(?:$|b)", ["", "ab", "b"], False)
def test_it_finds_what_re2_finds(pattern: str, subjects: list[str], ignore_case: bool) -> None:
    ours = translate(pattern, ignore_case)
    if not isinstance(ours, Translated):
        return
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    theirs = re2.compile(pattern, options)
    steps = program(ours.tree)
    assert steps is not None
    assert json.loads(json.dumps(steps)) == steps
    for subject in subjects:
        assert search(steps, subject) == (theirs.search(subject) is not None), (pattern, subject)


def steps_of(pattern: str) -> list[object]:
    translated = translate(pattern)
    assert isinstance(translated, Translated)
    found = program(translated.tree)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"^(\S+\s*)+--force$", "git log " + "aaaaaaaa " * 5000),
        (r'\b(grep|awk)\b("[^"]*"|[^|;&])*\.env\b', 'grep "q" ' * 5000),
        (r"(a|aa)+$", "a" * 40000 + "b"),
        (r".*.*.*x", "a" * 40000),
        (r"(x+x+)+y", "x" * 40000),
        (r"([a-z]*[0-9]?){40}!", "abc123" * 5000),
    ],
)
def test_the_time_grows_with_the_text_alone(pattern: str, text: str) -> None:
    steps = steps_of(pattern)
    began = time.process_time()
    assert not search(steps, text)
    assert time.process_time() - began < 1
    assert search(steps_of(r"(?s)a.*" + pattern), text) is False


def test_many_sets_of_steps_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from rulewright.hook import linear

    monkeypatch.setattr(linear, "_MOST_STATES", 3)
    text = "abbabaabbbabaabab" * 20
    theirs = re2.compile("a.{7}b$", OPTIONS)
    for end in range(len(text)):
        assert search(steps_of("a.{7}b$"), text[:end]) == (theirs.search(text[:end]) is not None)


def test_a_pattern_with_too_many_steps_has_no_program() -> None:
    translated = translate("(?:abc){600}")
    assert isinstance(translated, Translated)
    assert program(translated.tree) is None


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("git push", False), ("a?b", False), ("a+", True), ("(ab){2}", True), ("(a|b*)", True), ("x(y(z*))", True)],
)
def test_what_can_repeat(pattern: str, expected: bool) -> None:
    translated = translate(pattern)
    assert isinstance(translated, Translated)
    assert can_repeat(translated.tree) is expected
