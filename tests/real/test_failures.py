"""When something of ours is broken in a real client: what goes on, what is denied, and that a removed installation harms nobody."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from real.conftest import desk_for
from real.desk import ROOT, ClaudeCode, Client, Codex, Desk, Json

pytestmark = pytest.mark.real

RULES = """
- id: guard
  target: tool
  tool: shell
  action: block
  fail: FAIL
  when: {conditions: [{field: tool.input.command, op: contains, pattern: push --force}]}
  text: REASON
- {id: tips, target: tool, tool: shell, at: before, text: CTX-tips.}
"""
REASON = "Force push is not allowed"
OPEN, CLOSED = (RULES.replace("REASON", REASON).replace("FAIL", fail) for fail in ("open", "closed"))


PUSH = "echo git push --force"


def call_shell(desk: Desk, *commands: str) -> tuple[list[str], list[str]]:
    """Let the model call the shell, one command after the other; return the results and what the model heard."""
    run = desk.run([*({"tools": [desk.client.shell(command)]} for command in commands), {"say": "Done."}])
    assert len(run.requests) == len(commands) + 1, "the client goes on"
    return desk.client.results(run.last), desk.client.heard(run.last)


def spoil_state(desk: Desk) -> None:
    """Make the state folder one that nothing can be read from or written to, also for root."""
    shutil.rmtree(desk.state, ignore_errors=True)
    desk.state.write_text("in the way", "utf-8")


@pytest.mark.ledger("S041", "S043")
def test_closed_denies_where_the_state_is_broken(desk: Desk) -> None:
    """Also a call that the rule would not have matched; what `explain` says of such an event stands in its own tests."""
    desk.install(CLOSED)
    spoil_state(desk)
    (result,), heard = call_shell(desk, "touch ran")
    assert not (desk.project / "ran").exists()
    assert "p/guard" in result
    assert heard == []


@pytest.mark.ledger("S042")
def test_open_lets_the_call_through_where_the_state_is_broken(desk: Desk) -> None:
    desk.install(OPEN)
    spoil_state(desk)
    (_, denied), heard = call_shell(desk, "touch ran", PUSH)
    assert (desk.project / "ran").exists()
    assert heard == [], "what cannot be told to be new is not output"
    assert denied == desk.client.denied(REASON, PUSH), "a block needs no state"


@pytest.mark.ledger("S092")
def test_runaway_patterns_are_done_before_codex_gives_up(codex: Desk) -> None:
    """In Python's own matcher each would run for years; the client ends a hook after 10 s, and the call would run."""
    slow = CLOSED.replace("op: contains, pattern: push --force", "op: regex, pattern: '^(a+)+END$'")
    head, tail = slow.split("- {id: tips")
    rules = "".join(head.replace("id: guard", f"id: g{n}").replace("END", f"; touch {n}") for n in range(14))
    codex.install(f"{rules}- {{id: tips{tail}")
    assert all(handler["timeout"] == 10 for _, handler in codex.commands())
    results, heard = call_shell(codex, "a" * 60 + "; touch ran", "a" * 60 + "; touch 13")
    assert (codex.project / "ran").exists(), results[0]
    assert heard == ["CTX-tips"]
    assert REASON in results[1]
    assert not (codex.project / "13").exists()


@pytest.mark.ledger("S044")
def test_without_an_index_everything_passes(desk: Desk) -> None:
    """The index disappears, is cut off and becomes garbage in the middle of a session, and is then put back."""
    desk.install(CLOSED)
    index = desk.project / ".style" / f"{desk.client.name}.index"
    saved = desk.folder / "saved.index"
    shutil.copy(index, saved)
    at, old = shlex.quote(str(index)), shlex.quote(str(saved))
    commands = [f"rm {at}", f"{PUSH}; head -c 300 {old} > {at}", f"{PUSH}; echo garbage > {at}"]
    results, heard = call_shell(desk, *commands, f"{PUSH}; cp {old} {at}", PUSH)
    assert ["git push --force" in result and REASON not in result for result in results[1:4]] == [True] * 3, results
    assert results[4] == desk.client.denied(REASON, PUSH)
    assert heard == ["CTX-tips"], "at the first call, before anything was broken"


@pytest.mark.ledger("S046", "S047")
def test_with_fail_closed_no_failure_lets_a_call_through(claude: Desk) -> None:
    claude.install(OPEN, "--fail-closed")
    handlers = dict(claude.commands())
    assert handlers["PreToolUse"]["onFailure"] == "block"
    assert not any("timeout" in handler for handler in handlers.values())
    assert not any("onFailure" in handler for native, handler in handlers.items() if native != "PreToolUse")

    index = claude.project / ".style" / "claude-code.index"
    saved = index.read_bytes()
    (_, denied), _ = call_shell(claude, f"touch before && rm {shlex.quote(str(index))}", "touch ran")
    assert (claude.project / "before").exists(), "all was well: the call ran"
    assert not (claude.project / "ran").exists()
    assert denied
    index.write_bytes(saved)

    python = handlers["PreToolUse"]["command"].split(" ")[0]
    claude.change_commands(python, python + "-gone")
    (denied,), _ = call_shell(claude, "touch ran")
    assert not (claude.project / "ran").exists()
    assert "onFailure" in denied


@pytest.mark.ledger("S091")
@pytest.mark.parametrize("client", [ClaudeCode(), Codex()], ids=lambda client: client.name)
def test_a_removed_installation_stops_nobody(tmp_path: Path, client: Client) -> None:
    engine = tmp_path / "site-packages"
    shutil.copytree(ROOT / "engine" / "rulewright", engine / "rulewright")
    desk = desk_for(client, tmp_path)
    desk.engine = engine
    desk.install(CLOSED)
    assert all(str(engine) in handler["command"] for _, handler in desk.commands())
    (denied, *others), _ = call_shell(desk, PUSH, f"mv {engine} {tmp_path}/renamed", f"{PUSH} passes")
    assert denied == client.denied(REASON, PUSH)
    assert "git push --force passes" in others[1], "the package is gone"
    (tmp_path / "renamed").rename(engine)
    python = next(desk.commands())[1]["command"].split(" ")[0]
    desk.change_commands(python, python + "-gone")
    (result,), _ = call_shell(desk, f"{PUSH} passes")
    assert "git push --force passes" in result, "the interpreter is gone"


def test_uninstalled_is_gone(desk: Desk) -> None:
    path = desk.client.hooks_file(desk)
    path.parent.mkdir()
    own = '{ "hooks": {} }\n' if desk.client.name == "codex" else '{"env": {"A":  "b"}}\n'
    path.write_text(own, "utf-8")
    desk.install(OPEN + "- {id: tone, target: system, text: CTX-static.}")
    assert path.read_text("utf-8") != own
    done = desk.rulewright("uninstall", "--harness", desk.client.name)
    assert done.returncode == 0, done.stderr
    assert path.read_text("utf-8") == own
    (result,), heard = call_shell(desk, PUSH)
    assert "git push --force" in result
    assert REASON not in result
    assert heard == []


@pytest.mark.parametrize("scope", ["user", "local"])
def test_every_scope_acts(claude: Desk, scope: str) -> None:
    claude.install(OPEN, scope=scope)
    assert not claude.client.hooks_file(claude).exists()
    results, heard = call_shell(claude, PUSH, "true")
    assert results[0] == claude.client.denied(REASON, PUSH)
    assert heard == ["CTX-tips"]


def test_two_scopes_output_a_text_once(claude: Desk) -> None:
    """The same package for the user and in the project: two commands run, the claim is one."""
    rules = OPEN + "- {id: start, target: event, event: session.start, text: CTX-start.}"
    claude.install(rules, scope="user")
    claude.install(rules)
    assert call_shell(claude, "true")[1] == ["CTX-start", "CTX-tips"]


def test_the_users_hooks_of_codex_act(codex: Desk) -> None:
    codex.install(OPEN, scope="user")
    assert (codex.home / ".codex" / "hooks.json").exists()
    results, heard = call_shell(codex, PUSH, "true")
    assert results[0] == codex.client.denied(REASON, PUSH)
    assert heard == ["CTX-tips"]


def test_codex_runs_nothing_that_is_not_trusted(codex: Desk) -> None:
    """So `install` says that /hooks is due; what is trusted there stays so over a `sync` that changes no command."""
    codex.install(OPEN)
    work = [{"tools": [codex.client.shell("git push --force; echo was-run")]}, {"say": "Done."}]
    steps: list[Json] = [{"thread": {}}, {"turn": "go"}]
    untrusted = codex.run(work, steps=steps)
    assert "was-run" in codex.client.results(untrusted.last)[0]
    trusted = codex.run(work, steps=[{"trust": True}, *steps])
    assert REASON in codex.client.results(trusted.last)[0]
    codex.write(OPEN.replace("is not allowed", "is forbidden"))
    done = codex.rulewright("sync", "--harness", "codex")
    assert done.returncode == 0, done.stderr
    synced = codex.run(work, steps=steps)
    assert "Force push is forbidden" in codex.client.results(synced.last)[0]


def test_a_change_of_the_packages_acts_at_the_next_event(claude: Desk) -> None:
    """`sync` in the middle of a session, by the model's own hand: no restart is needed."""
    claude.install(OPEN)
    claude.write(OPEN.replace("is not allowed", "is forbidden"))
    env = {"HOME": claude.home, "RULEWRIGHT_HOME": claude.state, "PYTHONPATH": ROOT / "engine"}
    settings = [f"{name}={value}" for name, value in env.items()]
    sync = shlex.join(["env", *settings, sys.executable, "-m", "rulewright", "sync", "--harness", "claude-code"])
    push = {"tools": [claude.client.shell("git push --force")]}
    run = claude.run([push, {"tools": [claude.client.shell(sync)]}, push, {"say": "Done."}])
    results = claude.client.results(run.last)
    assert results[0] == claude.client.denied(REASON, "")
    assert results[2] == claude.client.denied("Force push is forbidden", ""), results[1]


def test_settings_are_as_the_client_reads_them(claude: Desk) -> None:
    """The user's own settings in the file still count beside our hooks."""
    path = claude.client.hooks_file(claude)
    path.parent.mkdir()
    path.write_text(json.dumps({"env": {"OWN_SETTING": "still-there"}}), "utf-8")
    claude.install(OPEN)
    run = claude.run([{"tools": [claude.client.shell("echo $OWN_SETTING")]}, {"say": "Done."}])
    assert claude.client.results(run.last) == ["still-there"]
