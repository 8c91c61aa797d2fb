"""Explanations: the seed's lines, what decided, and that nothing is changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rulewright.explaining import Refresh, explain, go_quote, lines
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


REMINDERS = package(
    """
- {id: plan, target: system, refresh: 3, reason: r, when: {model: '*'}, text: Keep plans short.}
- {id: tip, target: tool, tool: shell, at: before, refresh: 3, reason: r, text: Mind.}
- {id: turn, target: tool, tool: shell, at: before, repeat: turn, reason: r, text: Once a turn.}
- {id: every, target: tool, tool: shell, at: before, repeat: every, reason: r, text: Each time.}
- {id: push, target: tool, tool: shell, action: block, when: {conditions: [{field: tool.input.command, op: shell_regex, pattern: '^git push'}]}, text: No.}
"""
)


def prompt() -> dict[str, object]:
    return payload("UserPromptSubmit", prompt="x")


def files(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.ledger("S062", "S063")
def test_it_says_where_a_refresh_stands_and_changes_nothing(tmp_path: Path) -> None:
    hook = Hook(tmp_path, REMINDERS)

    def replayed(event: dict[str, object]) -> dict[str, tuple[str, str, Refresh | None]]:
        before = files(tmp_path)
        found = explain(str(hook.index), HARNESS, json.dumps(event).encode(), str(hook.state))
        assert files(tmp_path) == before
        told = hook.answer(event)
        assert (found.stdout, found.stderr) == (told.stdout.decode(), told.stderr)
        return {entry.entry: (entry.repeat, entry.output, entry.refresh) for entry in found.entries}

    tip, turn, every, push = (f"p/{name}@tool.pre" for name in ("tip", "turn", "every", "push"))
    assert replayed(shell("ls")) == {
        tip: ("repeat-first", "emitted", Refresh(3, None)),
        turn: ("repeat-first", "emitted", None),
        every: ("repeat-bypass", "emitted", None),
        push: ("not-evaluated", "not-evaluated", None),
    }
    plan = "p/plan@prompt.submitted"
    assert replayed(prompt()) == {plan: ("repeat-first", "emitted", Refresh(3, None))}
    found = replayed(shell("ls"))
    assert found[tip] == ("repeat-again", "suppressed", Refresh(3, 1))
    assert found[turn] == ("repeat-first", "emitted", None), "a prompt has passed"
    assert replayed(prompt()) == {plan: ("repeat-again", "suppressed", Refresh(3, 1))}
    assert replayed(shell("git push"))[tip] == ("not-evaluated", "not-evaluated", None), "a block silences it"
    assert replayed(prompt()) == {plan: ("repeat-again", "suppressed", Refresh(3, 2))}
    assert replayed(shell("ls"))[tip] == ("repeat-refreshed", "emitted", Refresh(3, 3))
    assert replayed(prompt()) == {plan: ("repeat-refreshed", "emitted", Refresh(3, 3))}
    for source, repeat in (("resume", "repeat-again"), ("compact", "repeat-first"), ("clear", "repeat-first")):
        found = replayed(payload("SessionStart", source=source))
        assert found["p/plan@session.start"][0] == repeat, source
    assert replayed(shell("ls"))[tip] == ("repeat-first", "emitted", Refresh(3, None)), "cleared"


def test_a_refresh_in_words(tmp_path: Path) -> None:
    hook = Hook(tmp_path, REMINDERS)
    assert "  refresh every 3 prompts: not output yet" in said(hook, shell("ls"), details=True)
    hook.answer(shell("ls"))
    hook.answer(prompt())
    assert said(hook, shell("ls"), details=True)[:2] == [
        'entry "p/tip@tool.pre" match=matched block=none repeat=repeat-again output=suppressed',
        "  refresh every 3 prompts: 1 since the last output, due after 2 more",
    ]


@pytest.mark.ledger("S041", "S042", "S043")
@pytest.mark.parametrize("fail", ["open", "closed"])
def test_failures_are_explained_as_they_happen_and_damage_stays(tmp_path: Path, fail: str) -> None:
    guard = package(f"- {{id: guard, target: tool, tool: file.edit, action: block, fail: {fail}, text: No.}}", name="q")
    hook = Hook(tmp_path, REMINDERS, guard)
    hook.answer(shell("ls"))
    (claim, *_) = hook.state.glob("sessions/*/s-*")
    claim.write_bytes(b"junk")
    before = files(tmp_path)
    event = json.dumps(shell("ls")).encode()
    found = explain(str(hook.index), HARNESS, event, str(hook.state))
    assert files(tmp_path) == before, "damage is not set aside by looking"
    assert bool(found.stdout) is (fail == "closed")
    assert "a file holds what was not written there" in found.stderr
    nameless = shell("ls")
    del nameless["tool_name"]
    found = explain(str(hook.index), HARNESS, json.dumps(nameless).encode(), str(hook.state))
    answer = hook.answer(nameless)
    assert (found.stdout, found.stderr) == (answer.stdout.decode(), answer.stderr)
    assert found.entries == ()


def test_all_entries_are_there_also_those_that_the_bytes_rule_out(tmp_path: Path) -> None:
    """The hook skips them unread; an explanation says what keeps each from matching, and what the rules of others do."""
    rules = "\n".join(
        f"- {{id: r{i}, target: tool, tool: shell, action: block, when: {{conditions: [{{field: tool.input.command, op: contains, pattern: word{i}}}]}}, text: No.}}"
        for i in range(20)
    )
    hook = Hook(tmp_path, package(rules))
    found = explain(str(hook.index), HARNESS, json.dumps(shell("word7")).encode())
    assert [entry.entry for entry in found.entries] == [f"p/r{i}@tool.pre" for i in range(20)]
    assert [entry.match for entry in found.entries] == ["matched" if i == 7 else "not-matched" for i in range(20)]
    assert found.entries[3].because == ('tool.input.command contains "word3": does not hold',)


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
