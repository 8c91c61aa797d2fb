"""Conditions: each operator as style.md section 5 says, and errors that are not taken for "no match"."""

from __future__ import annotations

from typing import Any

import pytest

from rulewright.hook.match import EngineError, Reader, condition_holds, matches
from support.hook import Hook, package, payload, shell
from support.waiting import costs_less_than

EVENT: dict[str, Any] = {
    "event": "tool.pre",
    "model": "claude-opus-5",
    "session": {"id": "s", "source": "startup"},
    "tool": {
        "name": "shell",
        "input": {
            "command": "git push -f origin main",
            "path": "src/app/main.py",
            "count": 3,
            "ratio": 2.5,
            "flag": True,
            "nothing": None,
            "words": ["git", "push", "-f", "a b", "it's"],
            "empty": "",
            "mapping": {"a": 1},
        },
    },
}
COMMAND = "tool.input.command"


def holds(field: str, op: str, pattern: Any, **more: Any) -> bool:
    condition = {"field": field, "op": op, "pattern": pattern, **more}
    if op == "regex":
        condition.setdefault("python", pattern)
    return condition_holds(condition, Reader(EVENT))


@pytest.mark.parametrize(
    ("field", "op", "pattern", "expected"),
    [
        (COMMAND, "equals", "git push -f origin main", True),
        (COMMAND, "equals", "git push", False),
        (COMMAND, "contains", "push -f", True),
        (COMMAND, "contains", "PUSH", False),
        (COMMAND, "starts_with", "git ", True),
        (COMMAND, "starts_with", "push", False),
        (COMMAND, "ends_with", " main", True),
        (COMMAND, "ends_with", "origin", False),
        (COMMAND, "in", ["ls", "git push -f origin main"], True),
        (COMMAND, "in", ["ls"], False),
        (COMMAND, "regex", "push.*main$", True),
        (COMMAND, "regex", "^push", False),
        ("tool.input.path", "glob", "src/**/*.py", True),
        ("tool.input.path", "glob", "src/*.py", False),
        ("tool.input.path", "glob", "SRC/**", False),
        ("tool.input.count", "gt", 2, True),
        ("tool.input.count", "gt", 3, False),
        ("tool.input.count", "lt", 3.5, True),
        ("tool.input.ratio", "lt", 2.5, False),
        ("tool.input.count", "equals", 3, True),
        ("tool.input.count", "equals", 3.0, True),
        ("tool.input.count", "equals", "3", False),
        ("tool.input.count", "in", [1, 3], True),
        ("tool.input.flag", "equals", True, True),
        ("tool.input.flag", "equals", 1, False),
        ("tool.input.nothing", "equals", "null", False),
        ("tool.input.empty", "contains", "", True),
        (COMMAND, "exists", True, True),
        (COMMAND, "exists", False, False),
        ("tool.input.nothing", "exists", True, True),
    ],
)
def test_operators(field: str, op: str, pattern: Any, expected: bool) -> None:
    assert holds(field, op, pattern) is expected
    assert holds(field, op, pattern, negate=True) is not expected


@pytest.mark.parametrize("op", ["equals", "contains", "starts_with", "ends_with", "in", "regex", "glob", "gt", "lt"])
@pytest.mark.parametrize("negate", [False, True])
def test_a_missing_field_holds_nothing_not_even_negated(op: str, negate: bool) -> None:
    pattern: Any = ["x"] if op == "in" else 1 if op in ("gt", "lt") else "x"
    assert holds("tool.input.missing", op, pattern, negate=negate) is False


def test_exists_on_a_missing_field() -> None:
    assert holds("tool.input.missing", "exists", False) is True
    assert holds("tool.input.missing", "exists", True) is False
    assert holds("tool.input.missing", "exists", True, negate=True) is False
    assert holds("tool.input.missing", "exists", False, negate=True) is False


@pytest.mark.parametrize(
    ("op", "pattern"),
    [
        ("equals", "GIT PUSH -F ORIGIN MAIN"),
        ("contains", "PUSH -F"),
        ("starts_with", "Git"),
        ("ends_with", "MAIN"),
        ("in", ["Git Push -f Origin Main"]),
    ],
)
def test_ignore_case(op: str, pattern: Any) -> None:
    assert holds(COMMAND, op, pattern) is False
    assert holds(COMMAND, op, pattern, ignore_case=True) is True


def test_ignore_case_of_globs() -> None:
    assert holds("tool.input.path", "glob", "SRC/**/*.PY", ignore_case=True) is True


@pytest.mark.parametrize("op", ["contains", "starts_with", "ends_with", "regex", "shell_regex", "glob"])
@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("tool.input.nothing", "null"),
        ("tool.input.count", "a number"),
        ("tool.input.flag", "true or false"),
        ("tool.input.mapping", "a mapping"),
        ("tool.input.words", "a list"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error(op: str, field: str, kind: str) -> None:
    with pytest.raises(EngineError, match=f"{field} is {kind}, not text"):
        holds(field, op, "x")


@pytest.mark.parametrize("field", [COMMAND, "tool.input.nothing", "tool.input.flag"])
def test_comparing_what_is_no_number_is_an_error(field: str) -> None:
    with pytest.raises(EngineError, match="not a number"):
        holds(field, "gt", 1)


def test_a_command_in_list_form_is_joined_with_shell_quoting() -> None:
    event = {"tool": {"input": {"command": ["git", "push", "-f", "a b", "it's", ""]}}}
    joined = {"field": COMMAND, "op": "equals", "pattern": "git push -f 'a b' 'it'\"'\"'s' ''"}
    assert condition_holds(joined, Reader(event))
    with pytest.raises(EngineError, match="a list"):
        condition_holds({**joined, "op": "contains"}, Reader({"tool": {"input": {"command": ["git", 1]}}}))


def entry(*conditions: tuple[str, str, Any], **more: Any) -> dict[str, Any]:
    return {"conditions": [{"field": f, "op": o, "pattern": p} for f, o, p in conditions], **more}


YES, NO, ODD = (COMMAND, "contains", "git"), (COMMAND, "contains", "svn"), ("tool.input.nothing", "contains", "x")


def test_all_and_any() -> None:
    assert matches(entry(YES, YES), Reader(EVENT))
    assert not matches(entry(YES, NO), Reader(EVENT))
    assert matches(entry(NO, YES, any=True), Reader(EVENT))
    assert not matches(entry(NO, NO, any=True), Reader(EVENT))
    assert matches(entry(), Reader(EVENT))


def test_an_error_counts_only_where_nothing_else_settles_the_matter() -> None:
    assert not matches(entry(ODD, NO), Reader(EVENT))
    assert matches(entry(ODD, YES, any=True), Reader(EVENT))
    for unsettled in (entry(ODD, YES), entry(YES, ODD), entry(ODD, NO, any=True)):
        with pytest.raises(EngineError):
            matches(unsettled, Reader(EVENT))


def test_models_are_globs_and_an_unknown_model_is_only_a_star() -> None:
    assert matches({"models": ["gpt-*", "claude-*"]}, Reader(EVENT))
    assert not matches({"models": ["gpt-*"]}, Reader(EVENT))
    assert not matches({"models": ["claude-*"]}, Reader({}))
    assert matches({"models": ["x", "*"]}, Reader({}))


def test_mcp_skill_and_sources_narrow() -> None:
    mcp = Reader({"mcp": {"server": "github", "tool": "create_issue"}})
    assert matches({"mcp": ["github/*"]}, mcp)
    assert matches({"mcp": ["*/create_*"]}, mcp)
    assert not matches({"mcp": ["gitlab/*"]}, mcp)
    assert matches({"skill": ["ti*"]}, Reader({"skill": {"name": "tidy"}}))
    assert not matches({"skill": ["ti*"]}, Reader({"skill": {"name": "test"}}))
    assert matches({"sources": ["startup", "clear"]}, Reader(EVENT))
    assert not matches({"sources": ["resume"]}, Reader(EVENT))


def test_the_pattern_is_compiled_only_where_its_literal_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    compiled: list[str] = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda pattern: (compiled.append(pattern), real(pattern))[1])
    condition = {"field": COMMAND, "op": "regex", "pattern": "x", "python": "push.*main", "literals": ["push"]}
    assert condition_holds(condition, Reader(EVENT))
    assert compiled == ["push.*main"]
    assert not condition_holds({**condition, "literals": ["pull"]}, Reader(EVENT))
    assert compiled == ["push.*main"]


SEVERAL = """
- id: first
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: regex, pattern: '^(a|aa)+$'}]}
  text: Never said.
- id: second
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: regex, pattern: '^(a|aa)+b?!?$'}]}
  text: Found all the same.
"""


def test_a_pattern_on_which_python_runs_away_is_searched_for_in_another_way(tmp_path: Any) -> None:
    hook = Hook(tmp_path, package(SEVERAL))
    with costs_less_than(1):
        assert hook.answer(shell("a" * 5000 + "!")).deny == "Found all the same."
        assert hook.answer(shell("a" * 5000 + "?")).stdout == b""


@pytest.mark.parametrize("flagged", [True, False])
def test_also_where_the_compiler_did_not_see_it(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, flagged: bool) -> None:
    from rulewright import compiler

    if not flagged:
        monkeypatch.setattr(compiler, "slow", lambda pattern: None)
    hook = Hook(tmp_path, package(SEVERAL))
    with costs_less_than(2):
        answer = hook.send(shell("a" * 60 + "!"))
    assert (answer.deny, answer.stderr, answer.exit) == ("Found all the same.", "", 0)


def test_patterns_that_run_away_are_stopped_and_the_other_entries_count(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no other way: an error of the entry, and all of them together take little more than one."""
    from rulewright import compiler

    monkeypatch.setattr(compiler, "program", lambda tree: None)
    rules = SEVERAL + "".join(
        SEVERAL.replace("id: first", f"id: first{i}").replace("id: second", f"id: second{i}") for i in range(5)
    )
    plain = """
- id: plain
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: contains, pattern: aaaa}]}
  text: Too many letters.
"""
    hook = Hook(tmp_path, package(rules + plain))
    with costs_less_than(4):
        answer = hook.send(shell("a" * 60 + "?"))
    assert answer.deny == "Too many letters."
    names = [f"first{i}" for i in ("", *range(5))] + [f"second{i}" for i in ("", *range(5))]
    assert sorted(answer.stderr.split("\n")[:-1]) == sorted(
        f"rulewright: p/{name}@tool.pre: the pattern took too long" for name in names
    )
    assert answer.exit == 0


def test_a_native_tool_name_means_that_tool_alone(tmp_path: Any) -> None:
    rules = "- {id: r, target: tool, tool: [TodoWrite, file.read], action: block, text: No.}"
    hook = Hook(tmp_path, package(rules))
    for tool, denied in (("TodoWrite", True), ("Read", True), ("TaskCreate", False), ("Bash", False)):
        assert (hook.answer(payload(tool_name=tool, tool_input={})).deny is not None) is denied
