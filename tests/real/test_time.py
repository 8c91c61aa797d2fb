"""How often a text comes in a real client: parallel calls, turns, sessions, resumption, /clear, compaction, refresh."""

from __future__ import annotations

import pytest

from real.desk import Desk, Json, Run

pytestmark = pytest.mark.real


def prompts(desk: Desk, turns: list[Json], texts: list[str], **more: str) -> Run:
    """Run several prompts in one session of the client."""
    if desk.client.name == "codex":
        steps: list[Json] = [{"trust": True}, {"thread": {}}]
        steps += [{"compact": True} if text == "/compact" else {"turn": text} for text in texts]
        return desk.run(turns, steps=steps, **more)
    return desk.run(turns, prompts=texts, **more)


SESSION = "- {id: s, target: tool, tool: shell, at: before, text: CTX-session.}"


@pytest.mark.ledger("S033")
def test_parallel_calls_output_a_text_once(desk: Desk) -> None:
    desk.install(SESSION + "\n- {id: other, target: tool, tool: shell, text: CTX-after.}")
    calls = [desk.client.shell(f"echo {number}") for number in range(6)]
    run = desk.run([{"tools": calls}, {"tools": calls}, {"say": "Done."}])
    assert len(desk.client.results(run.last)) == 12
    for request in run.requests[1:]:
        assert sorted(desk.client.heard(request)) == ["CTX-after", "CTX-session"]


@pytest.mark.ledger("S082")
def test_a_text_that_changed_comes_again(desk: Desk) -> None:
    desk.install('- {id: s, target: tool, tool: shell, text: "CTX-{{ tool.input.command }}."}')
    run = desk.run([{"tools": [desk.client.shell(word)]} for word in ("true", "false", "true")] + [{"say": "Done."}])
    # A command that fails is a success to Codex, which tells nobody of its exit code.
    expected = ["CTX-true", "CTX-false"] if desk.client.name == "codex" else ["CTX-true"]
    assert desk.client.heard(run.last) == expected


TURN = "- {id: t, target: tool, tool: shell, at: before, repeat: turn, reason: test, text: CTX-turn.}"


@pytest.mark.ledger("S032")
def test_a_turn_hears_a_text_once(desk: Desk) -> None:
    desk.install(TURN)
    work = {"tools": [desk.client.shell("echo one"), desk.client.shell("echo two")]}
    run = prompts(desk, [work, work, {"say": "First."}, work, work, {"say": "Second."}], ["one", "two"])
    counts = [len(desk.client.heard(request)) for request in run.requests]
    assert counts == [0, 1, 1, 1, 2, 2]


@pytest.mark.ledger("S031")
def test_every_match_is_output(desk: Desk) -> None:
    desk.install(TURN.replace("repeat: turn", "repeat: every"))
    work = {"tools": [desk.client.shell("echo one"), desk.client.shell("echo two")]}
    run = desk.run([work, work, {"say": "Done."}])
    assert [len(desk.client.heard(request)) for request in run.requests] == [0, 2, 4]


@pytest.mark.ledger("S062", "S063")
def test_refresh_counts_prompts_and_waits_for_the_point(desk: Desk) -> None:
    """Due again with the third prompt, whose turn has no call; so it comes with the fourth."""
    desk.install("- {id: r, target: tool, tool: shell, at: before, refresh: 2, reason: test, text: CTX-refresh.}")
    work = {"tools": [desk.client.shell("echo one")]}
    say = {"say": "Done."}
    turns = [work, say, work, say, say, work, say, work, say, work, say]
    run = prompts(desk, turns, ["one", "two", "three", "four", "five", "six"])
    counts = [len(desk.client.heard(request)) for request in run.requests]
    assert counts == [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3]


@pytest.mark.ledger("S063")
def test_the_report_of_an_agent_is_no_prompt(claude: Desk) -> None:
    """A background agent that has finished reports as a prompt, in a turn of its own."""
    claude.install("- {id: r, target: tool, tool: shell, at: before, refresh: 1, reason: test, text: CTX-refresh.}")
    work = {"tools": [claude.client.shell("echo one")]}
    agent = {"description": "d", "subagent_type": "general-purpose", "prompt": "TASK-one", "run_in_background": True}
    run = claude.run(
        [
            {"opening": "TASK-one", "say": "it is done"},
            {"when": "<task-notification>", **work},
            {"tools": [claude.client.shell("echo one"), {"name": "Agent", "input": agent}]},
            {"say": "Waiting."},
            {"say": "Done."},
        ]
    )
    assert "<task-notification>" in str(claude.client.conversation(run.last))
    assert len([result for result in claude.client.results(run.last) if result == "one"]) == 2
    assert claude.client.heard(run.last) == ["CTX-refresh"]


def test_a_resumed_session_keeps_and_a_new_one_begins(desk: Desk) -> None:
    desk.install(SESSION)
    turns = [{"tools": [desk.client.shell("echo one")]}, {"say": "Done."}]
    first = desk.run(turns)
    assert desk.client.heard(first.last) == ["CTX-session"]
    if desk.client.name == "codex":
        thread = next(line["thread_id"] for line in first.stream if line.get("type") == "thread.started")
        resumed = desk.run(turns, flags=["resume", thread])
    else:
        session = next(line["session_id"] for line in first.stream if "session_id" in line)
        resumed = desk.run(turns, flags=["--resume", session])
    assert len(desk.client.results(resumed.last)) == 2, "it is the same conversation"
    assert desk.client.heard(resumed.last) == ["CTX-session"]
    fresh = desk.run(turns)
    assert len(desk.client.results(fresh.last)) == 1
    assert desk.client.heard(fresh.last) == ["CTX-session"]


@pytest.mark.ledger("S084")
def test_clear_begins_anew(claude: Desk) -> None:
    claude.install(
        SESSION + "\n- {id: start, target: event, event: session.start, sources: [clear], text: CTX-cleared.}"
    )
    work = {"tools": [claude.client.shell("echo one")]}
    turns = [work, work, {"say": "Before."}, work, work, {"say": "After."}]
    run = claude.run(turns, prompts=["one", "/clear", "two"])
    assert claude.client.heard(run.requests[2]) == ["CTX-session"]
    assert claude.client.heard(run.requests[3]) == ["CTX-cleared"]
    assert claude.client.heard(run.requests[5]) == ["CTX-cleared", "CTX-session"]


@pytest.mark.ledger("S084")
def test_a_cleared_thread_begins_anew(codex: Desk) -> None:
    codex.install(
        SESSION + "\n- {id: start, target: event, event: session.start, sources: [clear], text: CTX-cleared.}"
    )
    work = {"tools": [codex.client.shell("echo one")]}
    steps = [
        {"trust": True},
        {"thread": {}},
        {"turn": "one"},
        {"thread": {"sessionStartSource": "clear"}},
        {"turn": "two"},
    ]
    run = codex.run([work, work, {"say": "Before."}, work, work, {"say": "After."}], steps=steps)
    assert codex.client.heard(run.requests[2]) == ["CTX-session"]
    assert codex.client.heard(run.requests[3]) == ["CTX-cleared"]
    assert codex.client.heard(run.requests[5]) == ["CTX-cleared", "CTX-session"]


COMPACTION = """
- {id: kept, target: tool, tool: shell, at: before, text: CTX-kept.}
- {id: again, target: tool, tool: shell, at: before, reinject_on_compact: true, text: CTX-again.}
- {id: start, target: event, event: session.start, sources: [startup], reinject_on_compact: true, text: CTX-start.}
- {id: only, target: event, event: session.start, sources: [startup], text: CTX-only-once.}
"""


# Claude Code asks for a summary in a request that offers tools, Codex in one that does not.
SUMMARY = {"when": "Do NOT call any tools. Respond with plain text only", "say": "A summary."}


@pytest.mark.ledger("S071", "S072", "S085")
def test_a_compaction_brings_back_what_asked_for_it(desk: Desk) -> None:
    desk.install(COMPACTION)
    work = {"tools": [desk.client.shell("echo one")]}
    turns = [work, work, {"say": "Before."}, work, work, {"say": "After."}]
    run = prompts(desk, [*turns, SUMMARY], ["one", "/compact", "two"], side="A summary.")
    before = next(body for body in run.requests if len(desk.client.results(body)) == 2)
    assert sorted(desk.client.heard(before)) == ["CTX-again", "CTX-kept", "CTX-only-once", "CTX-start"]
    assert "A summary." in str(desk.client.conversation(run.last))
    heard = desk.client.heard(run.last)
    assert heard.count("CTX-again") == 1
    assert heard.count("CTX-start") == 1
    assert "CTX-only-once" not in heard
    assert "CTX-kept" not in heard


@pytest.mark.ledger("S071", "S085")
def test_an_automatic_compaction_counts_as_well(claude: Desk) -> None:
    claude.install(COMPACTION)
    work = {"tools": [claude.client.shell("echo one")]}
    full = work | {"tokens": 990_000}
    turns: list[Json] = [work, full, work, work, {"say": "After."}]
    run = claude.run([*turns, SUMMARY], side="A summary.")
    heard = claude.client.heard(run.last)
    assert "A summary." in str(claude.client.conversation(run.last))
    assert heard.count("CTX-again") == 1
    assert "CTX-kept" not in heard
