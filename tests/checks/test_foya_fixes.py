"""Fixes of globs and names, on any text: the file still reads, what was reported is gone, and other entries stay what they were."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from rulewright.checking import Finding
from rulewright.model import Document
from rulewright.syntax.yaml_quoting import quote_double, quote_single, quoted
from rulewright.text.edits import apply_edits
from rulewright.text.foya_globs import expand_braces, foreign_signs, without_folders
from support.engine import analyze_workspace, read

PROJECT = ".foya/rules/x.md"
GLOBAL = ".foya/rules/user_rules.md"
CODES = ("foya-glob-syntax", "foya-glob-root", "foya-glob-non-ascii", "foya-glob-unused", "foya-manual-name")

GLOBS = st.text(st.sampled_from("ab*?/.,{}[]!\\- '\"\u6587\U0001f680#:&"), min_size=1, max_size=12).filter(
    lambda text: bool(text.strip())
)
NAMES = st.text(st.sampled_from("ab \u3000'\":#-\U0001f680"), min_size=1, max_size=8).filter(
    lambda text: bool(text.strip())
)
WAYS = st.sampled_from(["flow double", "flow single", "block double", "block single", "block plain", "marker"])


def written(globs: list[str], way: str, trigger: str, name: str) -> tuple[str, str]:
    """Return path and text of a rule with globs, written in one of the ways that authors have."""
    if way == "marker":
        header = {"id": "x", "name": name, "trigger": trigger, "globs": globs}
        return GLOBAL, f"# Foya User Rules\n\n<!-- foya-rule: {json.dumps(header, ensure_ascii=False)} -->\nRun it.\n"
    quote = {"double": quote_double, "single": quote_single, "plain": quoted}[way.split()[1]]
    listed = [quote(glob) for glob in globs]
    block = (
        "\n" + "\n".join(f"  - {glob}  # mine" for glob in listed)
        if way.startswith("block")
        else f" [{', '.join(listed)}]"
    )
    return PROJECT, f"---\nid: x\nname: {quote(name)}\ntrigger: {trigger}\nglobs:{block}\n---\nRun it.\n"


def findings(path: str, text: str) -> list[Finding]:
    return [finding for finding in analyze_workspace([(path, text)]).findings[path] if finding.code in CODES]


def is_sound(document: Document) -> bool:
    return document.tree.whole and not document.problems and len(document.foya.sound_rules()) == 1


@given(
    st.lists(GLOBS, min_size=1, max_size=3, unique=True),
    WAYS,
    st.sampled_from(["glob", "glob", "glob", "manual"]),
    NAMES,
)
def test_a_fix_takes_its_finding_away_and_nothing_else(globs: list[str], way: str, trigger: str, name: str) -> None:
    path, text = written(globs, way, trigger, name)
    before = read(path, text)
    assert is_sound(before), [problem.message.en for problem in before.problems]
    (rule,) = before.foya.rules
    assert rule.patterns == tuple(globs)
    for finding in findings(path, text):
        for fix in finding.fixes:
            fixed = apply_edits(text, fix.edits)
            after = read(path, fixed)
            assert is_sound(after), fixed
            (changed,) = after.foya.rules
            assert changed.content == rule.content
            assert changed.id.text() == "x"
            # A part that a comma hid may have a fault of its own: what was said is gone.
            said = [other.message for other in findings(path, text)].count(finding.message)
            assert [other.message for other in findings(path, fixed)].count(finding.message) < said, fixed
            others = [item.text() for item in rule.globs.items if not item.span.contains(finding.span.start)]
            if rule.trigger.is_("glob"):
                assert set(others) <= set(changed.patterns), fixed


@given(st.text(max_size=30))
def test_any_pattern_can_be_looked_at(pattern: str) -> None:
    for sign in foreign_signs(pattern):
        assert 0 <= sign.span.start < sign.span.end <= len(pattern)
        for meant in sign.meant:
            assert meant.strip()
            assert sign.kind not in {other.kind for other in foreign_signs(meant)}
    for shorter in without_folders(pattern):
        assert len(shorter) < len(pattern)


@given(GLOBS)
def test_what_fills_a_place_of_a_folder_asks_for_no_more(pattern: str) -> None:
    assert {each for shorter in without_folders(pattern) for each in without_folders(shorter)} <= set(
        without_folders(pattern)
    )


def test_braces_are_spelled_out_as_a_shell_does() -> None:
    assert expand_braces("a{b,c{d,e}}f") == ["abf", "acdf", "acef"]
    assert expand_braces("{a,b}{c,d}") == ["ac", "ad", "bc", "bd"]
    assert expand_braces("x{,.test}.ts") == ["x.ts", "x.test.ts"]
    assert expand_braces("plain") == ["plain"]
    assert expand_braces("{1..9}") == []


def test_a_pattern_that_is_made_to_be_slow_is_left_alone() -> None:
    for pattern in ("{a,b}" * 190, "{" * 999, "{a" * 400, "[a]" * 300, "," * 1000, "**/" * 300, "{a,b}" * 100_000):
        signs = foreign_signs(pattern)
        assert all(len(sign.meant) <= 1000 for sign in signs)
        assert without_folders(pattern) == []
