"""The actions of a chain: what is started, with which words and variables, and what is said where nothing is."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.hook import actions
from rulewright.hook.actions import fill_words
from rulewright.hook.chain_text import LARGEST
from support.chains import Bench, compiled, failure, rule

SPAWN = {"type": "spawn_fallback_agent", "id": "s"}
WARM = {"type": "warm_remote_capacity", "id": "w"}

# Tells through a pipe what a program was started with, as one JSON object.
TELLS = """
import json, os, stat, sys
def kind(number):
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return None
found = {
    "words": sys.argv[2:], "env": dict(os.environ), "cwd": os.getcwd(), "session": os.getsid(0) == os.getpid(),
    "streams": [kind(number) for number in (0, 1, 2)],
    "others": [number for number in range(3, 200) if kind(number) not in (None,) and not kind(number).startswith("/proc")],
}
with open(sys.argv[1], "w") as pipe:
    pipe.write(json.dumps(found) + "\\n")
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


class Ear:
    """A pipe that started programs tell through, and the words that make a program do so."""

    def __init__(self, folder: Path) -> None:
        path = folder / "ear"
        os.mkfifo(path)
        self.descriptor = os.open(path, os.O_RDWR)
        self.words = [sys.executable, "-c", TELLS, str(path)]

    def hear(self) -> dict[str, Any]:
        """Wait for the next one."""
        data = b""
        while not data.endswith(b"\n"):
            data += os.read(self.descriptor, 1 << 20)
        found: dict[str, Any] = json.loads(data)
        return found


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[Ear]:
    found = Ear(tmp_path)
    yield found
    os.close(found.descriptor)


def one(bench: Bench, action: dict[str, Any], event: dict[str, Any] | None = None) -> dict[str, Any]:
    """Dispatch one action; return its result."""
    found: dict[str, Any] = bench.dispatch(compiled(rule(actions=[action])), event or failure())["actionResults"][0]
    return found


# ---- spawn_fallback_agent


@pytest.mark.ledger("H060")
def test_no_launcher(bench: Bench) -> None:
    assert one(bench, SPAWN) == {
        "ruleId": "r",
        "actionType": "spawn_fallback_agent",
        "actionId": "s",
        "status": "failed",
        "reason": "No fallback agent launcher is registered in runtime context",
    }


@pytest.mark.ledger("H061")
def test_an_agent_is_started_in_the_background(bench: Bench, ear: Ear, monkeypatch: pytest.MonkeyPatch) -> None:
    leaked = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    bench.depth = 1
    bench.env = {
        "PATH": os.environ["PATH"],
        "KEEP": "1",
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "s",
        "RULEWRIGHT_CHAIN_DEPTH": "1",
    }
    bench.launcher = [*ear.words, "-p", "{prompt}", "--agent={agentType}", "--model", "{model}", "{description}|{cwd}"]
    work = bench.folder / "work"
    work.mkdir()
    action = {
        **SPAWN,
        "promptTemplate": "fix $ERROR",
        "agentType": "general-purpose",
        "model": "sonnet",
        "description": "D",
    }
    result = one(bench, action, failure(cwd=str(work)))
    os.close(leaked)
    heard = ear.hear()
    assert result["status"] == "executed"
    assert result["detail"].startswith("Fallback agent launched: process ")
    assert heard["words"] == ["-p", "fix exit 1", "--agent=general-purpose", "--model", "sonnet", f"D|{work}"]
    assert heard["cwd"] == str(work)
    assert heard["session"]
    if os.path.isdir("/proc/self/fd"):
        assert heard["streams"] == [os.devnull] * 3
        assert heard["others"] == []
    assert heard["env"]["KEEP"] == "1"
    assert heard["env"]["RULEWRIGHT_CHAIN_DEPTH"] == "2"
    assert not {"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID"} & set(heard["env"])


@pytest.mark.parametrize("cwd", [None, "", "relative", "/no/such/folder", 7, "/\0"])
def test_a_folder_that_is_not_there_is_replaced(bench: Bench, ear: Ear, cwd: Any) -> None:
    bench.launcher = ear.words
    assert one(bench, SPAWN, failure(cwd=cwd))["status"] == "executed"
    assert ear.hear()["cwd"] == str(bench.folder)


NASTY = "$(touch pwned) `touch pwned`; touch pwned & | > pwned \" ' \\ \n {model} ${ERROR} %PATH% é 𝄞"


def test_no_text_reaches_a_shell(bench: Bench, ear: Ear) -> None:
    bench.launcher = [*ear.words, "{prompt}"]
    one(bench, {**SPAWN, "promptTemplate": "$ERROR", "model": "m"}, failure(error=NASTY))
    assert ear.hear()["words"] == [NASTY]
    assert not (bench.folder / "pwned").exists()


@pytest.mark.parametrize("error", ["--dangerously-skip-permissions", "-", "--", "-p x"])
def test_a_text_does_not_become_an_option(bench: Bench, ear: Ear, error: str) -> None:
    bench.launcher = [*ear.words, "{prompt}", "--say={prompt}"]
    one(bench, {**SPAWN, "promptTemplate": "$ERROR"}, failure(error=error))
    assert ear.hear()["words"] == [f" {error}", f"--say={error}"]


def test_what_no_argument_can_hold(bench: Bench, ear: Ear) -> None:
    bench.launcher = [*ear.words, "{prompt}"]
    template = {**SPAWN, "promptTemplate": "$ERROR|$PAYLOAD_JSON"}
    result = one(bench, template, failure(error="a\0b\ud800c\udc80", output="x" * 3_000_000))
    assert result["status"] == "executed"
    (word,) = ear.hear()["words"]
    assert word.startswith("a\ufffdb\ufffdc\ufffd|{")
    assert len(word.encode()) <= LARGEST


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["a", "-p", "{prompt}"], ["a", "-p", "P"]),
        (["a", "--model", "{model}", "{prompt}"], ["a", "P"]),
        (["a", "--model={model}", "{prompt}"], ["a", "P"]),
        (["a", "exec", "{model}", "{prompt}"], ["a", "exec", "P"]),
        (["a", "--x=1", "{model}", "{prompt}"], ["a", "--x=1", "P"]),
        (["-a", "{model}"], ["-a"]),
        (["a", "{agentType}", "{agentType}{prompt}"], ["a", "T", "TP"]),
        (["a", "{{prompt}}", "{other}", "{ prompt }"], ["a", "{P}", "{other}", "{ prompt }"]),
        (["{prompt}", '{"disableAllHooks":true}'], ["{prompt}", '{"disableAllHooks":true}']),
        (["a", "-{prompt}"], ["a", "-P"]),
    ],
)
def test_words(command: list[str], expected: list[str]) -> None:
    values = {"prompt": "P", "description": "D", "agentType": "T", "model": "", "cwd": "C"}
    assert fill_words(command, values) == expected


@given(prompt=st.text(), description=st.text())
def test_each_word_stays_one_word(prompt: str, description: str) -> None:
    values = {"prompt": prompt, "description": description, "agentType": "", "model": "", "cwd": ""}
    words = fill_words(["a", "{prompt}", "{description}{prompt}", "--last"], values)
    assert (len(words), words[0], words[3]) == (4, "a", "--last")
    assert not any(word.startswith("-") or "\0" in word for word in words[1:3])


@pytest.mark.parametrize("name", ["no-such-program-anywhere", "./gone", "/no/such/program"])
def test_a_program_that_is_not_there(bench: Bench, name: str) -> None:
    bench.launcher = [name, "{prompt}"]
    assert one(bench, SPAWN)["reason"] == f"Fallback agent launch failed: there is no program {name}"


def test_a_program_that_cannot_be_run(bench: Bench) -> None:
    (bench.folder / "plain").write_text("#!/bin/sh\n")
    bench.launcher = ["./plain"]
    assert one(bench, SPAWN)["reason"] == "Fallback agent launch failed: ./plain: Permission denied"


def test_a_relative_program_is_that_of_the_project_not_of_the_event(bench: Bench) -> None:
    """Else whoever writes into the event's folder would choose the program."""
    for folder, code in (("project", 0), ("elsewhere", 1)):
        (bench.folder / folder).mkdir()
        program = bench.folder / folder / "agent"
        program.write_text(f"#!/bin/sh\necho {code} > {bench.folder}/who\n")
        program.chmod(0o755)
    words = ["./agent"]
    number, reason = actions.start(words, {}, str(bench.folder / "elsewhere"), str(bench.folder / "project"))
    assert reason == ""
    os.waitpid(number, 0)
    assert (bench.folder / "who").read_text() == "0\n"


# ---- warm_remote_capacity


@pytest.mark.ledger("H080")
def test_policy(bench: Bench) -> None:
    bench.allow_remote = False
    bench.warm = ["/no/such/program"]
    found = one(bench, WARM)
    assert (found["status"], found["reason"]) == ("skipped", "Remote sessions are blocked by policy")


@pytest.mark.ledger("H081")
def test_no_bridge(bench: Bench) -> None:
    found = one(bench, WARM)
    assert (found["status"], found["reason"]) == (
        "skipped",
        "Bridge is not active; warm_remote_capacity is a safe no-op",
    )


@pytest.mark.ledger("H082")
@pytest.mark.parametrize("given_value", [None, False, True, "true", 1])
def test_an_environment_is_made_only_where_that_is_said(bench: Bench, ear: Ear, given_value: Any) -> None:
    bench.env = {"RULEWRIGHT_CREATE_DEFAULT_ENVIRONMENT": "1"}
    bench.warm = [*ear.words, "up", "--create", "{createDefaultEnvironmentIfMissing}"]
    action = WARM if given_value is None else {**WARM, "createDefaultEnvironmentIfMissing": given_value}
    found = one(bench, action)
    assert found["status"] == "executed"
    assert found["detail"].startswith("Remote warm-up started: process ")
    heard = ear.hear()
    creates = given_value is True
    assert heard["words"] == (["up", "--create", "true"] if creates else ["up"])
    assert heard["env"].get("RULEWRIGHT_CREATE_DEFAULT_ENVIRONMENT") == ("1" if creates else None)


def test_a_warm_command_that_is_not_there(bench: Bench) -> None:
    bench.warm = ["/no/such/program"]
    found = one(bench, WARM)
    assert (found["status"], found["reason"]) == (
        "failed",
        "Remote warm-up failed: there is no program /no/such/program",
    )
