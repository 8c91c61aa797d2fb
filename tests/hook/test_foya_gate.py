"""The gate of Foya's rules is sound: where it says that a text wakes no rule, none is awake."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from hook.test_activity import rule
from rulewright.caching import gate_of, packed_rule
from rulewright.hook import activity
from rulewright.hook.foya_rules import shut

WORDS = st.text("ab*?[]{},/\\.@改\ud800\n ", min_size=1, max_size=6)
TEXTS = st.lists(st.sampled_from(["a", "b", "ab", "/", "\\", "\\\\", "@", "改", "\ud800", ".", "\n", " "]), max_size=20)


def gate(rules: list[dict[str, Any]], strict: bool) -> bytes:
    return gate_of([packed_rule(one, [], strict) for one in rules], strict)


@given(st.lists(st.lists(WORDS, max_size=3), max_size=5), st.lists(WORDS, max_size=3), TEXTS, st.booleans())
@example([["ab/*"], ["abb/*"]], [], ["ab", "b", "/", "a"], False)
@example([["\\a*"]], [], ["/", "a"], False)
@example([["\ud800*"]], [], ["\ud800", "a"], True)
def test_what_the_gate_shuts_out_is_asleep(
    globs: list[list[str]], names: list[str], pieces: list[str], strict: bool
) -> None:
    rules = [rule(f"g{number}", "glob", globs=some) for number, some in enumerate(globs)]
    rules += [rule(name, "manual") for name in names]
    text = "".join(pieces)
    joined = text if strict or "\\" not in text else text + text.replace("\\", "/")
    if shut(gate(rules, strict), joined):
        assert activity.select(rules, text, strict) == []


def test_it_shuts_where_nothing_is_named() -> None:
    rules = [rule(f"g{number}", "glob", globs=[f"packages/p{number}/*.ts", f"src/{number}/*"]) for number in range(50)]
    rules += [rule(f"m{number}", "manual") for number in range(50)]
    found = gate(rules, strict=False)
    assert shut(found, "git status --short")
    # What begins as some of them do is not yet one of them.
    assert shut(found, "see packages/p99/a.ts, src/99/b.ts and @m99".replace("m9", "n9"))
    assert not shut(found, "see packages/p7/a.ts")
    assert not shut(found, "src/49/")
    assert not shut(found, "ask @m3")
    # A rule that is always awake keeps it open.
    assert not shut(gate([*rules, rule("a")], strict=False), "")
    assert shut(gate([], strict=False), "anything")
