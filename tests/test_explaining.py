"""Explanations: the seed's lines, what decided, and that nothing is changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rulewright.explaining import explain, go_quote, lines
from support.hook import HARNESS, Hook, package, payload, shell

BLOCK = package(
    """
- {id: no-rm, target: tool, tool: shell, action: block, text: Do not run rm -rf., when: {conditions: [{field: tool.input.command, op: contains, pattern: rm -rf}]}}
- {id: no-root, target: tool, tool: shell, action: block, text: Do not touch the filesystem root., when: {conditions: [{field: tool.input.command, op: contains, pattern: ' /'}]}}
- {id: shell-tips, target: tool, tool: shell, at: before, text: Prefer trash over rm.}
""",
    "ac-block",
)


def said(hook: Hook, event: dict[str, object], details: bool = False) -> list[str]:
    return lines(explain(str(hook.index), HARNESS, json.dumps(event).encode(), str(hook.state)), details)


@pytest.mark.ledger("S104")
def test_the_lines_of_the_seed(tmp_path: Path) -> None:
    hook = Hook(tmp_path, BLOCK)
    assert said(hook, shell("rm -rf /")) == [
        'entry "ac-block/no-rm@tool.pre" match=matched block=blocked repeat=repeat-bypass output=blocked',
        'entry "ac-block/no-root@tool.pre" match=matched block=blocked repeat=repeat-bypass output=blocked',
        'entry "ac-block/shell-tips@tool.pre" match=matched block=block-precedence repeat=not-evaluated output=not-evaluated',
        r'wire stdout="{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",'
        r'\"permissionDecisionReason\":\"Do not run rm -rf.\\nDo not touch the filesystem root.\"}}"',
    ]


@pytest.mark.ledger("S105")
def test_a_replay_changes_nothing_and_sees_what_was_output(tmp_path: Path) -> None:
    hook = Hook(tmp_path, BLOCK)
    first = said(hook, shell("ls"))
    assert first[:3] == [
        'entry "ac-block/no-rm@tool.pre" match=not-matched block=not-evaluated repeat=not-evaluated output=not-evaluated',
        'entry "ac-block/no-root@tool.pre" match=not-matched block=not-evaluated repeat=not-evaluated output=not-evaluated',
        'entry "ac-block/shell-tips@tool.pre" match=matched block=none repeat=repeat-first output=emitted',
    ]
    assert "Prefer trash over rm." in first[3]
    assert said(hook, shell("ls")) == first
    assert not hook.state.exists()
    assert hook.answer(shell("ls")).context == "Prefer trash over rm."
    before = sorted(path.name for path in hook.state.rglob("*"))
    again = said(hook, shell("ls"))
    assert again[2:] == [
        'entry "ac-block/shell-tips@tool.pre" match=matched block=none repeat=repeat-again output=suppressed',
        'wire stdout=""',
    ]
    assert sorted(path.name for path in hook.state.rglob("*")) == before
    elsewhere = explain(str(hook.index), HARNESS, json.dumps(shell("ls")).encode())
    assert elsewhere.entries[2].repeat == "repeat-first", "without a state folder nothing was output yet"


def test_a_start_is_explained_as_a_new_scope(tmp_path: Path) -> None:
    hook = Hook(tmp_path, package("- {id: a, target: event, event: session.start, text: Hello.}"))
    start = payload("SessionStart", source="startup")
    assert hook.answer(start).context == "Hello."
    assert "repeat=repeat-first" in said(hook, start)[0]
    assert "repeat=repeat-again" in said(hook, {**start, "source": "resume"})[0]


@pytest.mark.parametrize("command", ["rm -rf /", "ls", "rm -rf x", "echo /"])
def test_what_is_explained_is_what_happens(tmp_path: Path, command: str) -> None:
    hook = Hook(tmp_path, BLOCK)
    event = shell(command)
    explained = explain(str(hook.index), HARNESS, json.dumps(event).encode(), str(hook.state))
    answer = hook.answer(event)
    assert (explained.stdout, explained.stderr, explained.exit) == (answer.stdout.decode(), answer.stderr, answer.exit)


def test_what_decided_is_said(tmp_path: Path) -> None:
    rules = """
- id: push
  target: tool
  tool: shell
  action: block
  when:
    conditions:
      - {field: tool.input.command, op: shell_regex, pattern: '^git push .*-f'}
      - {field: cwd, op: contains, pattern: proj, negate: true}
  text: No.
"""
    hook = Hook(tmp_path, package(rules))
    assert said(hook, shell("cd x && git push -f"), details=True)[1:4] == [
        "  the command `git push -f` matched",
        '  tool.input.command shell_regex "^git push .*-f": holds',
        '  cwd not contains "proj": does not hold',
    ]
    assert (
        said(hook, shell("git push -f 'x"), details=True)[1:3]
        == [
            "  the text could not be read as shell whole, so it is matched raw as well",
            "  the raw text matched",
        ]
        or "  the command `git push -f" in said(hook, shell("git push -f 'x"), details=True)[1]
    )
    unread = said(hook, shell("echo 'x"), details=True)
    assert unread[0].startswith('entry "p/push@tool.pre" match=not-matched'), "the second condition settles it"
    assert unread[1:3] == [
        "  the text could not be read as shell whole, so it is matched raw as well",
        '  tool.input.command shell_regex "^git push .*-f": tool.input.command could not be read as shell',
    ]


def test_errors_and_undecodable_events(tmp_path: Path) -> None:
    hook = Hook(tmp_path, BLOCK)
    found = explain(str(hook.index), HARNESS, json.dumps(shell(None)).encode())
    assert [entry.match for entry in found.entries] == ["error", "error", "matched"]
    assert found.stderr.startswith("rulewright: ac-block/no-rm@tool.pre: tool.input.command is null, not text\n")
    assert lines(found)[-1].startswith('wire stderr="rulewright: ac-block/no-rm@tool.pre')
    for data, event in ((b"{", None), (b"[]", None), (json.dumps(payload("Setup")).encode(), None)):
        found = explain(str(hook.index), HARNESS, data)
        assert (found.event, found.entries, found.stdout) == (event, (), "")
    assert explain(b"junk", HARNESS, b"{}").stderr == "rulewright: the file is not an index, so the event passes\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", '"plain"'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"'),
        ("\x00\x1b\x7f", r'"\x00\x1b\x7f"'),
        ("é中😀", '"é中😀"'),
        ("\u200b\u00a0\u2028\ufeff", r'"\u200b\u00a0\u2028\ufeff"'),
        ("\U000e0001", r'"\U000e0001"'),
        ("\ud83d", '"\ufffd"'),
    ],
)
def test_go_quoting(text: str, expected: str) -> None:
    assert go_quote(text) == expected
