"""The compiler and its index: what is filed where, damage is noticed, and the command line is one for a shell."""

from __future__ import annotations

import random
import shlex
from pathlib import Path
from typing import Any

import pytest

from rulewright import analysis, planning
from rulewright.compiler import compile_index, events_of, hook_command, interpreter
from rulewright.harness import claude_code
from rulewright.hook.index import Index, IndexUnusable, checksum
from support.hook import HARNESS, Hook, document, package, payload, shell


def names(index: Index, native: str, tool_class: str = "-") -> list[str]:
    section = index.section(native, tool_class)
    return [] if section is None else [entry["name"] for entry in section.entries(None)]


def index_of(*texts: str) -> Index:
    return Index(compile_index([document(text) for text in texts], HARNESS), HARNESS)


RULES = """
- {id: shell, target: tool, tool: shell, action: block, text: No.}
- {id: two, target: tool, tool: [file.edit, file.write], text: T.}
- {id: all, target: tool, tool: '*', at: before, text: T.}
- {id: mcp, target: mcp, mcp: github/*, action: block, text: No.}
- {id: skill, target: skill, skill: [tidy, test-*], at: before, text: T.}
- {id: pre, target: event, event: tool.pre, action: block, text: No.}
- {id: prompt, target: event, event: prompt.submitted, text: T.}
- {id: system, target: system, text: T.}
- {id: dynamic, target: system, when: {model: '*'}, text: T.}
- {id: off, target: tool, tool: shell, enabled: false, action: block, text: No.}
- {id: elsewhere, target: tool, tool: shell, action: block, when: {harness: [codex]}, text: No.}
- {id: here, target: tool, tool: shell, action: block, when: {harness: [codex, claude-code]}, text: No.}
- {id: gone, target: event, event: model.request, fallback: skip, text: T.}
"""


def test_each_rule_is_filed_under_its_events_and_tools() -> None:
    index = index_of(package(RULES))
    assert names(index, "PreToolUse", "shell") == [
        "p/shell@tool.pre",
        "p/all@tool.pre",
        "p/pre@tool.pre",
        "p/here@tool.pre",
    ]
    assert names(index, "PreToolUse", "mcp") == ["p/all@tool.pre", "p/mcp@tool.pre", "p/pre@tool.pre"]
    assert names(index, "PreToolUse", "skill") == ["p/all@tool.pre", "p/skill@tool.pre", "p/pre@tool.pre"]
    assert names(index, "PreToolUse", "other") == ["p/all@tool.pre", "p/pre@tool.pre"]
    assert names(index, "PostToolUse", "file.edit") == names(index, "PostToolUse", "file.write") == ["p/two@tool.post"]
    assert names(index, "PostToolUse", "shell") == []
    assert names(index, "UserPromptSubmit") == ["p/prompt@prompt.submitted", "p/dynamic@prompt.submitted"]
    assert names(index, "SessionStart") == ["p/dynamic@session.start"], "a static rule is not the hook's business"


def test_packages_keep_their_order_then_rules_theirs() -> None:
    rules = "- {id: b, target: tool, tool: shell, action: block, text: No.}\n- {id: a, target: tool, tool: '*', action: block, text: No.}"
    index = index_of(package(rules, "z"), package(rules, "a"))
    assert names(index, "PreToolUse", "shell") == ["z/b@tool.pre", "z/a@tool.pre", "a/b@tool.pre", "a/a@tool.pre"]


def test_the_events_to_be_called_for() -> None:
    data = compile_index([document(package(RULES))], HARNESS)
    assert events_of(data) == ("PostToolUse", "PreToolUse", "SessionStart", "UserPromptSubmit")
    assert list(events_of(data)) == Index(data, HARNESS).events()
    block = "- {id: a, target: tool, tool: shell, action: block, text: No.}"
    assert events_of(compile_index([document(package(block))], HARNESS)) == ("PreToolUse",)
    tip = "- {id: a, target: tool, tool: shell, at: before, text: T.}"
    assert events_of(compile_index([document(package(tip))], HARNESS)) == ("PreToolUse", "SessionStart"), (
        "a start forgets"
    )
    assert events_of(compile_index([], HARNESS)) == ()


def test_closed_rules_are_listed_by_event() -> None:
    rules = """
- {id: a, target: tool, tool: shell, action: block, fail: closed, text: No.}
- {id: b, target: tool, tool: file.edit, action: block, fail: closed, text: No.}
- {id: c, target: tool, tool: shell, action: block, text: No.}
- {id: d, target: event, event: prompt.submitted, action: block, fail: closed, text: No.}
"""
    index = index_of(package(rules))
    assert index.closed_rules("PreToolUse") == ["p/a", "p/b"]
    assert index.closed_rules("UserPromptSubmit") == ["p/d"]
    assert index.closed_rules("PostToolUse") == []
    assert index.has_event("PreToolUse")
    assert not index.has_event("Pre")


def test_text_files_come_from_the_caller() -> None:
    rules = "- {id: a, target: tool, tool: shell, action: block, text_file: texts/a.md}"
    given = document(package(rules))
    data = compile_index([given], HARNESS, lambda _, value: f"From {value}.\n" if value == "texts/a.md" else None)
    section = Index(data, HARNESS).section("PreToolUse", "shell")
    assert section is not None
    assert section.entries(None)[0]["text"] == "From texts/a.md."
    with pytest.raises(ValueError, match=r"the text file texts/a\.md of test\.style\.yaml cannot be read"):
        compile_index([given], HARNESS)


def test_a_rule_with_a_fault_is_not_compiled() -> None:
    given = analysis.read("a.style.yaml", package("- {id: a, target: tool, tool: shell, action: blokc, text: No.}"))
    assert given is not None
    with pytest.raises(ValueError, match="the rule a of p has a fault"):
        compile_index([given], HARNESS)
    odd = document(
        package(
            "- {id: a, target: tool, tool: shell, action: block, when: {conditions: [{field: cwd, op: regex, pattern: '(?=a)'}]}, text: No.}"
        )
    )
    with pytest.raises(ValueError, match="cannot be used: RE2 has no lookahead"):
        compile_index([odd], HARNESS)


def test_the_same_packages_give_the_same_bytes() -> None:
    texts = [package(RULES), package(RULES, "q")]
    assert len({compile_index([document(text) for text in texts], HARNESS) for _ in range(3)}) == 1


def test_sections_that_are_the_same_are_stored_once() -> None:
    one = len(
        compile_index([document(package("- {id: a, target: tool, tool: shell, action: block, text: No.}"))], HARNESS)
    )
    every = len(
        compile_index([document(package("- {id: a, target: tool, tool: '*', action: block, text: No.}"))], HARNESS)
    )
    assert every - one < 700


def test_any_damage_makes_the_index_unusable_or_is_not_read(tmp_path: Path) -> None:
    """A flipped bit, a cut, a zeroed block: the answer is the right one, or the event passes with a note. Never a crash."""
    rules = """
- {id: a, target: tool, tool: shell, action: block, fail: closed, text: Number one., when: {conditions: [{field: tool.input.command, op: contains, pattern: rm -rf}]}}
- {id: b, target: tool, tool: file.edit, action: block, text: Number two.}
"""
    hook = Hook(tmp_path, package(rules))
    good = hook.index.read_bytes()
    event = shell("rm -rf x")
    right = hook.answer(event)
    assert right.deny == "Number one."
    pick = random.Random(7)
    damaged: list[bytes] = [good[:length] for length in range(0, len(good), 7)]
    for _ in range(400):
        data = bytearray(good)
        at = pick.randrange(len(data))
        data[at] ^= 1 << pick.randrange(8)
        damaged.append(bytes(data))
    for _ in range(60):
        start = pick.randrange(len(good))
        length = pick.randrange(1, 40)
        damaged.append(good[:start] + bytes(length) + good[start + length :])
        damaged.append(good[:start] + good[start + length :])
    unusable = 0
    for data in damaged:
        hook.index.write_bytes(data)
        answer = hook.answer(event)
        if answer.stdout != right.stdout:
            assert answer.stdout == b""
            assert answer.stderr.startswith("rulewright: ")
            assert "index" in answer.stderr
            assert "Error" not in answer.stderr
            unusable += 1
    assert unusable > len(damaged) / 2


def test_checksums_change_with_every_bit() -> None:
    data = bytes(range(256)) * 3
    sums = {checksum(data)}
    for at in range(0, len(data), 5):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            sums.add(checksum(bytes(changed)))
    assert len(sums) == 1 + len(range(0, len(data), 5)) * 8
    assert checksum(data) != checksum(data + b"\0")


def test_an_index_is_data_only() -> None:
    data = compile_index([document(package(RULES))], HARNESS)
    assert data.startswith(b"rulewright-index 2 claude-code ")
    assert data.isascii()
    assert b"\r" not in data


def test_an_index_can_be_larger_than_one_read() -> None:
    rules = "".join(
        f"- {{id: r{i}, target: tool, tool: shell, action: block, text: 'Number {i} {'x' * 80}', "
        f"when: {{conditions: [{{field: tool.input.command, op: contains, pattern: program{i}x}}]}}}}\n"
        for i in range(400)
    )
    index = index_of(package(rules))
    section = index.section("PreToolUse", "shell")
    assert section is not None
    raw = b'{"command":"program7x and program333x"}'
    assert section.may_match(raw)
    assert [entry["rule"] for entry in section.entries(raw)] == ["p/r7", "p/r333"]
    assert not section.may_match(b'{"command":"program7 and program333"}')


def test_the_command_line_is_for_a_shell(tmp_path: Path) -> None:
    line = hook_command(
        HARNESS, "/s p/st'ate", "/i/x.index", "PreToolUse", python="/py thon", package_folder='/a "b" \\c'
    )
    words = shlex.split(line)
    assert words[:4] == ["/py thon", "-I", "-S", "-c"]
    assert words[5:] == ["claude-code", "/s p/st'ate", "/i/x.index", "PreToolUse"]
    assert words[4] == 'import sys;sys.path.append("/a \\"b\\" \\\\c");from rulewright.hook_entry import main;main()'
    assert "\n" not in line
    assert hook_command(HARNESS, "/s", "/i", "E", timeout=20).endswith(" /s /i E 20")
    assert hook_command(HARNESS, "/s", "/i", "E", fail_closed=True).endswith(" /s /i E fail-closed")
    assert hook_command(HARNESS, "/s", "/i", "E", timeout=20, fail_closed=True).endswith(" /s /i E 20 fail-closed")
    own = shlex.split(hook_command(HARNESS, "/s", "/i", "E"))
    assert own[0] == interpreter()
    assert Path(own[0]).is_absolute()


def test_the_command_line_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.name", "nt")
    line = hook_command(
        HARNESS, "C:\\a b\\state", "C:\\x.index", "PreToolUse", python="C:\\Py\\python.exe", package_folder="C:\\it's"
    )
    assert line == (
        "\"C:/Py/python.exe\" -I -S -c \"import sys;sys.path.append('C:/it\\'s');"
        'from rulewright.hook_entry import main;main()" "claude-code" "C:/a b/state" "C:/x.index" "PreToolUse"'
    )


# ------------------------------------------------------------------ planning


class Poor:
    """A harness that can do little."""

    NAME = "poor"
    ALSO: dict[str, Any] = {}  # noqa: RUF012
    EVENTS = {  # noqa: RUF012
        "Before": ("tool.pre", ("system-message",), ""),
        "After": ("tool.post", ("add-context",), ""),
        "Prompt": ("prompt.submitted", ("deny",), ""),
    }


def planned(rule: str, harness: Any = Poor) -> list[tuple[str, str | None, str, str | None, str, str, tuple[str, ...]]]:
    given = document(package(rule))
    assert given.package is not None
    return [
        (p.event, p.native, p.status, p.reason, p.action, p.repeat, p.gives)
        for p in planning.points(given.package.rules[0], harness)
    ]


@pytest.mark.ledger("S016", "S022", "S050", "S087", "S088")
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "at: before, text: T",
            ("tool.pre", "Before", "install-error", "add-context-unsupported", "inject", "session", ()),
        ),
        (
            "at: before, fallback: degrade, text: T",
            ("tool.post", "After", "degraded", "add-context-unsupported", "inject", "session", ("context",)),
        ),
        (
            "at: before, fallback: skip, text: T",
            ("tool.pre", "Before", "skipped", "add-context-unsupported", "inject", "session", ()),
        ),
        ("text: T", ("tool.post", "After", "native", None, "inject", "session", ("context",))),
        (
            "at: before, action: warn, text: T",
            ("tool.pre", "Before", "partial", "add-context-unsupported", "warn", "every", ("message",)),
        ),
        (
            "action: warn, text: T",
            ("tool.post", "After", "partial", "system-message-unsupported", "warn", "every", ("context",)),
        ),
        ("action: block, text: T", ("tool.pre", "Before", "install-error", "deny-unsupported", "block", "every", ())),
        (
            "action: block, fallback: degrade, text: T",
            ("tool.pre", "Before", "degraded", "deny-unsupported", "warn", "every", ("message",)),
        ),
        (
            "action: block, fail: closed, fallback: degrade, text: T",
            ("tool.pre", "Before", "install-error", "fail-closed-unsupported", "block", "every", ()),
        ),
        (
            "at: before, action: warn, fail: closed, text: T",
            ("tool.pre", "Before", "install-error", "fail-closed-unsupported", "warn", "every", ("message",)),
        ),
    ],
)
def test_where_a_rule_lands(rule: str, expected: tuple[Any, ...]) -> None:
    assert planned(f"- {{id: a, target: tool, tool: shell, {rule}}}") == [expected]


def test_events_a_harness_has_not() -> None:
    rule = "- {id: a, target: event, event: model.request, text: T}"
    assert planned(rule) == [("model.request", None, "install-error", "event-unsupported", "inject", "session", ())]
    assert planned(rule.replace("text", "fallback: skip, text"))[0][2] == "skipped"
    assert planned(rule.replace("text", "fallback: degrade, text"))[0][2] == "install-error"


def test_switched_off_and_other_harnesses_are_skipped() -> None:
    rule = "- {id: a, target: tool, tool: shell, action: block, enabled: false, text: T}"
    assert planned(rule, claude_code)[0][2:4] == ("skipped", "disabled")
    rule = "- {id: a, target: tool, tool: shell, action: block, when: {harness: [poor]}, text: T}"
    assert planned(rule, claude_code)[0][2:4] == ("skipped", "other-harness")


def test_a_warning_lands_at_session_start_with_both_outputs(tmp_path: Path) -> None:
    given = document(package("- {id: a, target: event, event: session.start, action: warn, text: Mind. This.}"))
    assert given.package is not None
    assert planning.points(given.package.rules[0], claude_code)[0].status == "native"
    hook = Hook(tmp_path, package("- {id: a, target: event, event: session.start, action: warn, text: Mind. This.}"))
    answer = hook.answer(payload("SessionStart", source="resume"))
    assert (answer.message, answer.context) == ("Mind. This.", "Mind.")


def test_bytes_that_are_no_index() -> None:
    for data in (
        b"",
        b"\n",
        b"rulewright-index",
        b"rulewright-index 1 claude-code x y\n",
        b"rulewright-index 1 claude-code -5 0\n",
    ):
        with pytest.raises(IndexUnusable):
            Index(data, HARNESS)
