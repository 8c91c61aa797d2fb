import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.hook.globs import glob_match


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("src/**/*.py", "srcx/a.py", False),
        ("**/foo", "foo", True),
        ("**/foo", "a/b/foo", True),
        ("**/foo", "a/xfoo", False),
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("src/**.py", "src/a/b.py", True),
        ("**", "a/b/c", True),
        ("*", "a/b", False),
        ("*", "", True),
        ("a/**/**/b", "a/b", True),
        ("a/**/b/**/c", "a/b/x/b/c", True),
        ("?.py", "a.py", True),
        ("?.py", "ab.py", False),
        ("a?b", "a/b", False),
        ("a[!x]b", "a/b", False),
        ("a[/]b", "a/b", False),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", False),
        ("[^a-c]x", "dx", True),
        ("[]]x", "]x", True),
        ("[!]]x", "]x", False),
        ("[a-]x", "-x", True),
        ("[abc", "[abc", True),
        ("[abc", "a", False),
        ("\\*", "*", True),
        ("\\*", "a", False),
        ("[\\]]", "]", True),
        ("{a,b}", "a", False),
        ("{a,b}", "{a,b}", True),
        ("SRC/*", "src/a", False),
        ("文档/**/*.md", "文档/深/层/a.md", True),
        ("github/*", "github/create_issue", True),
        ("github/*", "github/a/b", False),
        ("*/*", "github/create_issue", True),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_paths(pattern: str, text: str, expected: bool) -> None:
    assert glob_match(pattern, text) is expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("claude-*", "claude-opus-4", True),
        ("*", "anthropic/claude", True),
        ("*claude*", "vendor/claude/x", True),
        ("claude-?", "claude-4", True),
        ("gpt*", "claude", False),
        ("a[!b]c", "a/c", True),
    ],
)
def test_names_have_no_segments(pattern: str, text: str, expected: bool) -> None:
    assert glob_match(pattern, text, segments=False) is expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("SRC/*.PY", "src/a.py", True),
        ("[A-C]x", "bX", True),
        ("[a-c]x", "BX", True),
        ("[!a]x", "Ax", False),
        ("É*", "éa", True),
    ],
)
def test_ignore_case(pattern: str, text: str, expected: bool) -> None:
    assert glob_match(pattern, text, ignore_case=True) is expected


def oracle(pattern: str, segments: bool) -> str:
    """The same language as a regular expression, for patterns without escapes, from the words of the docstring."""
    out = []
    i = 0
    while i < len(pattern):
        run = re.match(r"\*+", pattern[i:])
        if run:
            stars = run.end()
            start = i == 0 or pattern[i - 1] == "/"
            if not segments:
                out.append(r"[\s\S]*")
            elif stars == 1:
                out.append("[^/]*")
            elif start and pattern[i + stars : i + stars + 1] == "/":
                out.append(r"(?:[\s\S]*/)?")
                stars += 1
            else:
                out.append(r"[\s\S]*")
            i += stars
        elif pattern[i] == "?":
            out.append("[^/]" if segments else r"[\s\S]")
            i += 1
        elif pattern[i] == "[" and re.match(r"\[[!^]?\]?[^\]]*\]", pattern[i:]):
            found = re.match(r"\[([!^]?)(\]?[^\]]*)\]", pattern[i:])
            assert found
            body = "".join("\\" + c if c in "\\[]^&~|" else c for c in found[2])
            out.append(("(?!/)" if segments else "") + "[" + ("^" if found[1] else "") + body + "]")
            i += found.end()
        else:
            out.append(re.escape(pattern[i]))
            i += 1
    return "".join(out)


pieces = st.lists(
    st.sampled_from(["*", "**", "**/", "/", "?", "a", "b", "ab", "[ab]", "[!a]", "[^b]", "[]a]", "["]), max_size=8
)


@given(pieces, st.text("ab/]", max_size=9), st.booleans())
def test_agrees_with_the_same_language_as_a_regular_expression(parts: list[str], text: str, segments: bool) -> None:
    pattern = "".join(parts)
    expected = re.fullmatch(oracle(pattern, segments), text) is not None
    assert glob_match(pattern, text, segments=segments) is expected


@given(st.text(), st.text(), st.booleans(), st.booleans())
def test_never_raises(pattern: str, text: str, ignore_case: bool, segments: bool) -> None:
    glob_match(pattern, text, ignore_case, segments)


@given(st.text())
def test_a_text_with_everything_quoted_matches_itself(text: str) -> None:
    assert glob_match("".join("\\" + c for c in text), text)


def test_many_stars_stay_quick() -> None:
    started = time.process_time()
    assert not glob_match("*a" * 60 + "b", "a" * 4000)
    assert not glob_match("**/a/" * 40 + "b", "a/" * 4000 + "a")
    assert time.process_time() - started < 1
