"""RE2 patterns: errors by name and place, rewrites, and the facts about patterns that can be read off the tree."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.hook.shell import commands
from rulewright.text.patterns import (
    PatternError,
    Translated,
    gate_literals,
    required_literal,
    required_literals,
    shell_unmatchable,
    slow,
    translate,
)


def read(pattern: str, ignore_case: bool = False) -> Translated:
    translated = translate(pattern, ignore_case)
    assert isinstance(translated, Translated), translated
    return translated


def refused(pattern: str) -> PatternError:
    error = translate(pattern)
    assert isinstance(error, PatternError)
    return error


@pytest.mark.parametrize(
    ("pattern", "construct", "part", "replacement", "exact"),
    [
        # the six of the corpus case on lookaround
        ("git push (?!.*--force-with-lease).*--force", "negative-lookahead", "(?!", None, False),
        ("(?<=origin )main", "lookbehind", "(?<=", None, False),
        (r"(\w+) \1", "backreference", r"\1", None, False),
        (r"git push\s++-f", "possessive", "++", r"git push\s+-f", True),
        ("(?>git) push", "atomic-group", "(?>", "(?:git) push", True),
        ("git push(?# any remote) -f", "comment", "(?#", "git push -f", True),
        # more groups
        ("(?=x)", "lookahead", "(?=", None, False),
        ("(?<!x)", "negative-lookbehind", "(?<!", None, False),
        ("(?(1)a|b)", "conditional", "(?(", None, False),
        ("(?|a|b)", "branch-reset", "(?|", "(?:a|b)", True),
        ("(?P=n)", "backreference", "(?P=", None, False),
        ("(?R)", "recursion", "(?R", None, False),
        ("(?1)", "recursion", "(?1", None, False),
        ("(?'n'a)", "quoted-group-name", "(?'", "(?P<n>a)", True),
        ("(?x)a", "flag", "(?x", None, False),
        ("(?<é>a)", "group-name", "(?<é>", None, False),
        ("(?P<n", "group-name", "(?P<n", None, False),
        # quantifiers
        (r"a++a", "possessive", "++", "a+a", False),
        (r"\w*+\b", "possessive", "*+", r"\w*\b", False),
        (r"(?:ab)++c", "possessive", "++", "(?:ab)+c", False),
        (r"a{2}+$", "possessive", "{2}+", "a{2}$", True),
        (r"(?:a++b)+", "possessive", "++", "(?:a+b)+", True),
        (r"(?:a++)+", "possessive", "++", "(?:a+)+", False),
        ("(?>a+)b++c", "atomic-group", "(?>", "(?:a+)b+c", False),
        ("a**", "nested-repeat", "**", None, False),
        ("a*?+", "nested-repeat", "*?+", None, False),
        ("x{1001}", "repeat-size", "{1001}", None, False),
        ("x{5,2}", "repeat-size", "{5,2}", "x{2,5}", False),
        ("(x{100}){11}", "repeat-size", "{11}", None, False),
        ("*.py", "missing-repeat-argument", "*", None, False),
        ("a|+", "missing-repeat-argument", "+", None, False),
        # escapes
        (r"a\Z", "end-before-newline", r"\Z", r"a\z", False),
        (r"\C", "any-byte", r"\C", None, False),
        (r"\h+", "horizontal-space", r"\h", r"[\t ]+", False),
        (r"[\h]", "horizontal-space", r"\h", r"[\t ]", False),
        (r"\e", "escape-character", r"\e", r"\x1b", True),
        (r"a\E", "stray-quote-end", r"\E", "a", True),
        (r"\u4E2d", "unicode-escape", r"\u4E2d", r"\x{4E2D}", True),
        (r"[\b]", "escape", r"\b", r"[\x08]", True),
        (r"\é", "escape", r"\é", "é", True),
        (r"\y", "escape", r"\y", None, False),
        (r"\k<n>", "backreference", r"\k<n>", None, False),
        (r"\g{1}", "backreference", r"\g{1}", None, False),
        ("a\\", "trailing-backslash", "\\", None, False),
        (r"\x{110000}", "hex-escape", r"\x{110000}", None, False),
        (r"\p{greek}", "unicode-class", r"\p{greek}", r"\p{Greek}", True),
        (r"\P{^Grek}", "unicode-class", r"\P{^Grek}", r"\P{^Greek}", False),
        (r"\p{Nope}", "unicode-class", r"\p{Nope}", None, False),
        # brackets
        ("[z-a]", "class-range", "z-a", None, False),
        ("[[:foo:]]", "posix-class", "[:foo:]", None, False),
        ("a[b", "missing-bracket", "[", None, False),
        ("a(b", "missing-paren", "(", None, False),
        ("a)b", "unexpected-paren", ")", None, False),
        ("(?:x" * 130 + "y" + ")*" * 130, "too-deep", None, None, False),
    ],
)
def test_what_re2_refuses(pattern: str, construct: str, part: str | None, replacement: str | None, exact: bool) -> None:
    error = refused(pattern)
    assert error.construct == construct
    if part is not None:
        assert error.span.of(pattern) == part
    assert error.replacement == replacement
    assert error.exact is exact
    assert error.message.en
    assert error.message.zh


def test_messages_name_the_construct_in_both_languages() -> None:
    error = refused("a(?!b)")
    assert error.message.en == "RE2 has no negative lookahead (`(?!`)"
    assert "否定先行断言" in error.message.zh
    assert error.hint is not None
    assert "negate: true" in error.hint.en
    assert "negate: true" in error.hint.zh


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\d", "٣", False),
        (r"\w", "é", False),
        (r"\s", "\v", False),
        (r"[[:space:]]", "\v", True),
        (r"\s", "\u00a0", False),
        ("a$", "a\n", False),
        ("(?m)a$", "a\nb", True),
        (r"\bé", "aé", True),
        ("x{,3}", "xx", False),
        ("x{,3}", "x{,3}", True),
        ("[]a]", "]", True),
        ("[a&&b]", "&", True),
        ("[+--]", ",", True),
        ("(?i)k", "\u212a", True),
        ("(?i:s)S", "\u017fS", True),
        ("(?i:a)b", "AB", False),
        ("a(?i)b|c", "C", True),
        (r"\Qa.b\E.", "a.bc", True),
        (r"\101\x{41}\x41", "AAA", True),
        (r"\pN\PN\p{Greek}", "1aα", True),
        ("(?s).", "\n", True),
        (".", "\n", False),
        (r"\z", "", True),
        (r"\B", "", True),
        ("(?<year>[0-9]+)-(?P<year>[0-9]+)", "1-2", True),
    ],
)
def test_meaning(pattern: str, text: str, found: bool) -> None:
    assert (re.search(read(pattern).python, text) is not None) is found


def test_deep_patterns_compile_far_down_the_stack() -> None:
    python = read("(?:x" * 58 + "y" + ")*" * 58).python

    def descend(levels: int) -> object:
        return descend(levels - 1) if levels else re.compile(python)

    assert descend(100)


@pytest.mark.parametrize(
    ("pattern", "one", "any_of", "gate"),
    [
        ("^git push .*(--force|-f)", "git push ", {"git push "}, {"push"}),
        ("--force|-f", "-f", {"-f"}, {"-f"}),
        ("--force|-n", "-", {"--force", "-n"}, {"--force", "-n"}),
        ("^(git|hg) push", " push", {"git push", "hg push"}, {"push"}),
        (r"rm\s+-rf", "-rf", {"-rf"}, {"-rf"}),
        ("ab+c", "ab", {"ab"}, {"ab"}),
        ("(?:ab){2}", "abab", {"abab"}, {"abab"}),
        ("(ab)?", "", set(), set()),
        ("ab|", "", set(), set()),
        ("[xy]z", "z", {"xz", "yz"}, {"xz", "yz"}),
        ("(?i)-f1", "-", {"-F1", "-f1"}, {"-F1", "-f1"}),
        (".*", "", set(), set()),
        ("[^a]", "", set(), set()),
        ("中文 push", "中文 push", {"中文 push"}, {"push"}),
        ('"quoted"', '"quoted"', {'"quoted"'}, {"quoted"}),
        (r"\$HOME", "$HOME", {"$HOME"}, {"HOME"}),
        ("a{0}b", "b", {"b"}, {"b"}),
    ],
)
def test_required_text(pattern: str, one: str, any_of: set[str], gate: set[str]) -> None:
    translated = read(pattern)
    assert required_literal(translated) == one
    assert required_literals(translated) == any_of
    assert gate_literals(translated) == gate


def test_many_nested_repeats_are_looked_at_once() -> None:
    started = time.process_time()
    required_literals(read("(?:a" * 58 + "b" + ")+" * 58))
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        # the three of the corpus case on catastrophic patterns
        (r"^(\S+\s*)+--force$", r"(\S+\s*)+"),
        (r'\b(grep|awk)\b("[^"]*"|[^|;&])*\.env\b', r'("[^"]*"|[^|;&])*'),
        (r"(a|aa)+$", "(a|aa)+"),
        (r"(a*)*b", "(a*)*"),
        (r"(a+)+b", "(a+)+"),
        (r"x(?:(a|aa)+b)*", "(a|aa)+"),
        (r"(\w+\d+)+$", r"(\w+\d+)+"),
        (r"(a|b|ab)*c", "(a|b|ab)*"),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "(([a-z])+.)+"),
        (r"(a?b?)*c", "(a?b?)*"),
        (r"(.*,){12}x", "(.*,){12}"),
        (r".*.*.*x", ".*.*.*"),
    ],
)
def test_slow_patterns(pattern: str, part: str | None) -> None:
    span = slow(read(pattern))
    assert (span and span.of(pattern)) == part


@pytest.mark.parametrize(
    "pattern",
    [
        r"^git( .*)? push( .*)?( --force( |$)| -[a-zA-Z]*f[a-zA-Z]*( |$)| \+\S)",
        r"^git push .*(--force|-f)",
        r"^git push .*(--force(\s|$)|-f(\s|$))",
        r"rm\s+(-[a-zA-Z]+\s+)*/",
        r"^(\w+=\S* )*npm (run )?\w+( --[\w-]+)*$",
        r"(\.\w+)+$",
        r"^([^/]+/)*[^/]+\.py$",
        r"[a-z0-9.]+@[a-z0-9]+(\.[a-z]+)+",
        r"\d{1,3}(\.\d{1,3}){3}",
        r"^\s*(.*?)\s*$",
        r"curl .*\| *(ba)?sh",
        r"(a|b)*c",
        r"(ab|ac)*d",
        r"(a|aa)+",
        r"(foo|bar|baz)+\b",
        r"(?i)(password|secret)\s*[:=]\s*\S+",
    ],
)
def test_ordinary_patterns_are_not_called_slow(pattern: str) -> None:
    assert slow(read(pattern)) is None


def test_looking_for_slow_parts_is_quick() -> None:
    started = time.process_time()
    slow(read("(" + "|".join(f"[a-z]{{{n}}}x?[0-9a-f]*" for n in range(1, 20)) + ")*y"))
    slow(read("(?:" * 60 + r"[a-z]*\w" + ")*" * 60))
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("pattern", "part", "certain"),
    [
        ("git  push", "  ", True),
        (r"git\s\spush", r"\s\s", True),
        (r"git push\n", r"\n", True),
        (r"\t", r"\t", True),
        ("^ git", "^ ", True),
        ("push $", " $", True),
        ("a^b", "^", True),
        ("a$b", "b", True),
        ("(a  b|c\nd)", "(a  b|c\nd)", True),
        ("git add && git push", "&&", False),
        ("true ; git push", ";", False),
        (r"cat x \| sh", r"\|", False),
        ('git commit -m "', '"', False),
        ("echo x > y", ">", False),
        ("make 2>&1", "2>", False),
        ("(a && b)+", "&&", False),
        ("a(;|&&)b", ";", False),
        ("(?:a && b|c ; d)", "&&", False),
    ],
)
def test_patterns_that_normalised_commands_cannot_match(pattern: str, part: str, certain: bool) -> None:
    found = shell_unmatchable(read(pattern))
    assert found is not None
    assert found.span.of(pattern) == part
    assert found.certain is certain
    assert found.reason.en
    assert found.reason.zh


@pytest.mark.parametrize(
    "pattern",
    [
        r"^git( .*)? push( .*)?( --force( |$)| -[a-zA-Z]*f[a-zA-Z]*( |$)| \+\S)",
        r"^git push .*(--force|-f)",
        r"git\s+push",
        r"git\s*push",
        r"(^|\s)-[a-z]*f",
        r"a(;|x)b",
        r"find .* -exec .* ;$",
        "(a  b|c)",
        r"^$",
        r"",
        r"\bgit\b",
        "a ?b",
        "x->y",
        "(?m)^git$",
    ],
)
def test_ordinary_shell_patterns_are_let_through(pattern: str) -> None:
    assert shell_unmatchable(read(pattern)) is None


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", " ", r"\s", "^", "$", "(a|  b)", " ?", ".", r"\n", " +", "(^| )", "( |$)", "[^a]"]),
             min_size=1, max_size=7).map("".join),
    st.lists(st.text("ab \t\n'\"", max_size=4), max_size=4),
)  # fmt: skip
def test_certain_is_a_proof(pattern: str, words: list[str]) -> None:
    translated = translate(pattern)
    if isinstance(translated, PatternError):
        return
    found = shell_unmatchable(translated)
    if found is not None and found.certain:
        line = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
        assert not any(re.search(translated.python, command) for command in commands(line).commands)


@pytest.mark.parametrize("pattern", ["(a|aa)+$", r"^(\S+\s*)+--force$", "(a*)*b", "(a+)+b"])
def test_what_is_called_slow_is_slow(pattern: str) -> None:
    """Each turn more doubles the time; far fewer turns than a command may have."""
    compiled = re.compile(read(pattern).python)

    def cost(turns: int) -> float:
        started = time.process_time()
        compiled.search("a" * turns + "!")
        return time.process_time() - started

    assert cost(22) > 3 * cost(16)
