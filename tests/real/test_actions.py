"""What a rule does in a real client: denials, texts for the model, texts for the user, at every point that a client has."""

from __future__ import annotations

from typing import Any

import pytest

from real.desk import HERE, Desk

pytestmark = pytest.mark.real

GUARD = """
- id: no-force
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: shell_regex, pattern: "^git push .*(--force|-f)"}]}
  text: Force push is not allowed
- id: no-main
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: contains, pattern: origin main}]}
  text: 'Do not push to {{ tool.input.command }}: 不允许 😀 "quoted" \\'
- id: tips
  target: tool
  tool: shell
  at: before
  text: CTX-tips.
"""


@pytest.mark.ledger("S013", "S093", "S094", "S095")
def test_a_denied_call_tells_the_model_the_reason_and_nothing_else(desk: Desk) -> None:
    client = desk.client
    desk.install(GUARD)
    run = desk.run(
        [
            {"tools": [client.shell("cd /tmp && git push --force && touch ran")]},
            {"tools": [client.shell("git push -f origin main")]},
            {"tools": [client.shell('touch allowed && git commit -m "no git push -f"')]},
            {"say": "Done."},
        ]
    )
    assert len(run.requests) == 4
    first, second, third = run.requests[1:]
    several = 'Force push is not allowed\nDo not push to git push -f origin main: 不允许 😀 "quoted" \\'
    assert client.results(first) == [
        client.denied("Force push is not allowed", "cd /tmp && git push --force && touch ran")
    ]
    assert client.results(second)[1] == client.denied(several, "git push -f origin main")
    assert client.heard(second) == [], "what a block silences is not output"
    assert client.heard(third) == ["CTX-tips"], "and has not been used up"
    assert (desk.project / "allowed").exists()
    assert not (desk.project / "ran").exists()


@pytest.mark.ledger("S013")
def test_a_denied_prompt_makes_no_request(desk: Desk) -> None:
    desk.install(
        """
- id: secret
  target: event
  event: prompt.submitted
  action: block
  when: {conditions: [{field: prompt.text, op: regex, pattern: "sk-[a-z]{5}"}]}
  text: Take the key out of the prompt.
"""
    )
    denied = desk.run([{"say": "Done."}], prompts=["my key is sk-abcde"])
    assert denied.requests == []
    if desk.client.name == "claude-code":  # Codex prints nothing at all.
        assert any("Take the key out of the prompt." in str(line.get("result", "")) for line in denied.stream)
    allowed = desk.run([{"say": "Done."}], prompts=["my key is elsewhere"])
    assert len(allowed.requests) == 1


POINTS = """
- {id: start, target: event, event: session.start, text: CTX-start 开始.}
- {id: prompt, target: event, event: prompt.submitted, text: "CTX-prompt to {{ prompt.text }}."}
- {id: pre, target: tool, tool: shell, at: before, text: "CTX-pre of {{ tool.input.command }}."}
- {id: post, target: tool, tool: shell, text: "CTX-post <b> & 'x' \\\\ $HOME `id`."}
"""


@pytest.mark.ledger("S011", "S021")
def test_a_text_reaches_the_model_at_each_point(desk: Desk) -> None:
    client = desk.client
    desk.install(POINTS)
    command = "echo one"
    run = desk.run([{"tools": [client.shell(command)]}, {"say": "Done."}], prompts=["say hello"])
    before, after = run.requests
    assert sorted(client.heard(before)) == ["CTX-prompt", "CTX-start"]
    assert client.heard(after)[-2:] == ["CTX-pre", "CTX-post"]
    assert client.holds_context(before, "SessionStart", "CTX-start 开始.")
    assert client.holds_context(before, "UserPromptSubmit", "CTX-prompt to say hello.")
    assert client.holds_context(after, "PreToolUse", "CTX-pre of echo one.", "Bash")
    assert client.holds_context(after, "PostToolUse", "CTX-post <b> & 'x' \\ $HOME `id`.", "Bash")


@pytest.mark.ledger("S021")
def test_after_means_after_success(claude: Desk) -> None:
    claude.install(
        """
- {id: post, target: tool, tool: shell, text: CTX-post.}
- {id: error, target: event, event: tool.error, text: "CTX-error {{ tool.name }}."}
"""
    )
    run = claude.run([{"tools": [claude.client.shell("exit 3")]}, {"say": "Done."}])
    assert claude.client.heard(run.last) == ["CTX-error"]
    assert claude.client.holds_context(run.last, "PostToolUseFailure", "CTX-error shell.", "Bash")


@pytest.mark.ledger("S086")
def test_every_subagent_is_told(claude: Desk) -> None:
    claude.install("- {id: sub, target: event, event: subagent.start, text: 'CTX-sub {{ agent.type }}.'}")
    agent = {"name": "Agent", "input": {"description": "d", "subagent_type": "general-purpose"}}
    calls = [{**agent, "input": {**agent["input"], "prompt": f"TASK-{number}"}} for number in ("one", "two")]
    run = claude.run(
        [
            {"opening": "TASK-one", "say": "first is done"},
            {"opening": "TASK-two", "say": "second is done"},
            {"tools": calls},
            {"say": "Done."},
        ]
    )
    for task in ("TASK-one", "TASK-two"):
        (request,) = (body for body in run.requests if task in str(claude.client.conversation(body)[0]))
        assert claude.client.heard(request) == ["CTX-sub"]
        assert claude.client.holds_context(request, "SubagentStart", "CTX-sub general-purpose.")
    main = [body for body in run.requests if "scripted work" in str(claude.client.conversation(body)[0])]
    assert all(claude.client.heard(body) == [] for body in main)


def test_a_subagent_of_codex_is_told(codex: Desk) -> None:
    codex.install("- {id: sub, target: event, event: subagent.start, text: CTX-sub.}")
    spawn = {"name": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": "TASK-one"}}
    wait = {"tools": [codex.client.shell("sleep 3")]}
    run = codex.run([{"opening": "TASK-one", "say": "it is done"}, {"tools": [spawn]}, wait, {"say": "Done."}])
    for body in run.requests:
        is_subagent = "TASK-one" in str(codex.client.conversation(body)) and "function_call" not in str(body["input"])
        assert codex.client.heard(body) == (["CTX-sub"] if is_subagent else [])
    assert any(codex.client.heard(body) for body in run.requests)


WARN = """
- id: own
  target: tool
  tool: shell
  action: warn
  at: before
  model_text: CTX-model only.
  text: The user reads all of this. Every word of it.
- id: first-sentence
  target: tool
  tool: shell
  action: warn
  text: CTX-first of v1.2 is short. The rest is for the user. 其余给用户看。
"""


def messages_of(desk: Desk, run: Any) -> str:
    """What the client shows the user, as one text."""
    if desk.client.name == "claude-code":
        lines = [line for line in run.stream if line.get("type") == "system"]
        return "\n".join(str(line.get("content", line)) for line in lines)
    entries = [
        entry["text"]
        for line in run.stream
        if line.get("method") == "hook/completed"
        for entry in line["params"]["run"]["entries"]
    ]
    return "\n".join(entries)


@pytest.mark.ledger("S012", "S031")
def test_a_warning_is_whole_for_the_user_and_short_for_the_model(desk: Desk) -> None:
    client = desk.client
    desk.install(WARN)
    work = {"tools": [client.shell("echo one")]}
    steps = [{"trust": True}, {"thread": {}}, {"turn": "go"}] if client.name == "codex" else []
    run = desk.run([work, work, {"say": "Done."}], steps=steps)
    heard = client.heard(run.last)
    assert heard == ["CTX-model", "CTX-first", "CTX-model", "CTX-first"], "a warning is not deduplicated"
    assert client.holds_context(run.last, "PreToolUse", "CTX-model only.", "Bash")
    assert client.holds_context(run.last, "PostToolUse", "CTX-first of v1.2 is short.", "Bash")
    assert "The rest is for the user" not in str(client.conversation(run.last))
    shown = messages_of(desk, run)
    assert shown.count("The user reads all of this. Every word of it.") == 2
    assert shown.count("CTX-first of v1.2 is short. The rest is for the user. 其余给用户看。") == 2


@pytest.mark.ledger("S087")
def test_a_warning_at_the_end_is_for_the_user_alone(desk: Desk) -> None:
    desk.install("- {id: end, target: event, event: agent.stop, action: warn, text: CTX-end. Run the tests.}")
    steps = [{"trust": True}, {"thread": {}}, {"turn": "go"}] if desk.client.name == "codex" else []
    run = desk.run([{"say": "Done."}], steps=steps)
    assert len(run.requests) == 1, "the agent is not sent on"
    assert messages_of(desk, run).count("CTX-end. Run the tests.") == 1


def test_static_rules_are_in_the_first_request(desk: Desk) -> None:
    desk.install("- {id: tone, target: system, text: CTX-static answers are short.}")
    run = desk.run([{"say": "Done."}])
    assert desk.client.heard(run.last) == ["CTX-static"]


FILES = """
- id: no-generated
  target: tool
  tool: [file.write, file.edit]
  action: block
  when: {conditions: [{field: tool.input.path, op: glob, pattern: "gen/**/*.py"}]}
  text: Generated files are not edited by hand
"""


def test_files_are_guarded_by_their_path_in_the_project(desk: Desk) -> None:
    desk.install(FILES)
    calls: list[dict[str, Any]]
    if desk.client.name == "claude-code":
        calls = [
            {"name": "Write", "input": {"file_path": str(desk.project / name), "content": "x = 1\n"}}
            for name in ("gen/a.py", "src/gen.py")
        ]
    else:
        patch = "*** Begin Patch\n*** Add File: {}\n+x = 1\n*** End Patch"
        calls = [{"name": "apply_patch", "custom": patch.format(name)} for name in ("gen/a.py", "src/gen.py")]
    run = desk.run([{"tools": [calls[0]]}, {"tools": [calls[1]]}, {"say": "Done."}])
    assert "Generated files are not edited by hand" in desk.client.results(run.last)[0]
    assert "Generated files" not in desk.client.results(run.last)[1]
    assert not (desk.project / "gen").exists()
    assert (desk.project / "src" / "gen.py").read_text("utf-8") == "x = 1\n"


def test_codex_in_a_folder_of_the_project(codex: Desk) -> None:
    (codex.project / "sub").mkdir()
    codex.install(FILES.replace("gen/**", "sub/gen/**"))
    patch = "*** Begin Patch\n*** Add File: gen/a.py\n+x = 1\n*** End Patch"
    call = {"tools": [{"name": "apply_patch", "custom": patch}]}
    run = codex.run([call, {"say": "Done."}], folder="sub")
    assert "Generated files are not edited by hand" in codex.client.results(run.last)[0]
    assert not (codex.project / "sub" / "gen").exists()


def test_claude_code_reads_only_the_settings_of_the_folder_where_it_starts(claude: Desk) -> None:
    """What docs/installing.md says: below the project's folder, only an installation for the user acts."""
    (claude.project / "sub").mkdir()
    claude.install(GUARD)
    turns = [{"tools": [claude.client.shell("echo git push -f origin main")]}, {"say": "Done."}]
    project = claude.run(turns, folder="sub")
    assert claude.client.results(project.last) == ["git push -f origin main"]
    claude.install(GUARD, scope="user")
    user = claude.run(turns, folder="sub")
    assert "Do not push to" in claude.client.results(user.last)[0]


def test_long_texts_arrive_whole_up_to_the_limit(desk: Desk) -> None:
    """Past it the client would keep a preview; what does not fit is left for the next event, with a mark."""
    rules = "".join(
        f"- {{id: r{n}, target: tool, tool: shell, at: before, text: 'CTX-{n:02} {'长' * 300} end-{n:02}.'}}\n"
        for n in range(40)
    )
    desk.install(rules)
    turns = [{"tools": [desk.client.shell("echo one")]}] * 5
    run = desk.run([*turns, {"say": "Done."}])
    heard = desk.client.heard(run.last)
    assert heard == [f"CTX-{n:02}" for n in range(40)], "each once, in order, none lost"
    conversation = str(desk.client.conversation(run.last))
    assert all(f"长 end-{n:02}." in conversation for n in range(40))
    assert "more left out" in conversation


def test_tools_of_a_server_are_guarded(desk: Desk) -> None:
    desk.install(
        """
- id: no-secrets
  target: mcp
  mcp: my_server/ec*
  action: block
  when: {conditions: [{field: tool.input.text, op: contains, pattern: secret}]}
  text: Do not send that to {{ mcp.server }} ({{ mcp.tool }})
- {id: other, target: mcp, mcp: other/*, at: before, text: CTX-other.}
- {id: told, target: mcp, mcp: my_server/*, text: CTX-told.}
"""
    )
    flags = desk.client.serve(desk, "my_server", HERE / "mcp_echo.py")
    name = {"name": "mcp__my_server__echo"}
    if desk.client.name == "codex":
        name = {"name": "echo", "namespace": "mcp__my_server"}
    calls = [{**name, "input": {"text": text}} for text in ("a secret", "hello")]
    run = desk.run([{"tools": [calls[0]]}, {"tools": [calls[1]]}, {"say": "Done."}], flags=flags)
    results = desk.client.results(run.last)
    assert "Do not send that to my_server (echo)" in results[0]
    assert "echo: a secret" not in results[0]
    assert "echo: hello" in results[1]
    assert desk.client.heard(run.last) == ["CTX-told"]


def test_a_skill_is_guarded_by_its_name(claude: Desk) -> None:
    for name in ("tidy", "deploy"):
        folder = claude.project / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        head = f"---\nname: {name}\ndescription: does {name}\n---\n"
        (folder / "SKILL.md").write_text(f"{head}SKILL-TEXT of {name}\n", "utf-8")
    claude.install("- {id: no-deploy, target: skill, skill: dep*, action: block, text: A person deploys}")
    calls = [{"name": "Skill", "input": {"skill": name}} for name in ("deploy", "tidy")]
    run = claude.run([{"tools": [calls[0]]}, {"tools": [calls[1]]}, {"say": "Done."}])
    assert claude.client.results(run.last)[0] == "PreToolUse:Skill hook error: A person deploys"
    conversation = str(claude.client.conversation(run.last))
    assert "SKILL-TEXT of tidy" in conversation
    assert "SKILL-TEXT of deploy" not in conversation
