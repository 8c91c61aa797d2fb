"""What one event loads, exactly, and how much processor time it takes compared with the bare interpreter.

The lists of modules are exact, so they never flake; the ratio is one of lowest processor times, which load on the machine
hardly moves. Figures in milliseconds belong to `dev.py bench`.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rulewright.compiler import interpreter
from rulewright.hook.index import PLACE
from support.foya_hook import GLOB as GLOB_RULE
from support.foya_hook import Project
from support.hook import Hook, package, payload, shell

CONTAINS = """
- id: guard
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: contains, pattern: rm -rf}]}
  text: No.
"""
SHELL = """
- id: guard
  target: tool
  tool: shell
  action: block
  when: {conditions: [{field: tool.input.command, op: shell_regex, pattern: '^git push .*(--force|-f)'}]}
  text: No.
"""
INJECT = "- {id: tip, target: tool, tool: shell, at: before, text: Mind.}"

GATE = {
    "rulewright",
    "rulewright.harness",
    "rulewright.harness.claude_code",
    "rulewright.hook",
    "rulewright.hook.deadline",
    "rulewright.hook.event",
    "rulewright.hook.index",
    "rulewright.hook.run",
    "rulewright.hook_entry",
}
DECODED = GATE | {
    "_json",
    "rulewright.hook.json_text",
    "rulewright.hook.match",
    "rulewright.hook.merge",
    "rulewright.hook.translation",
}
READ = DECODED | {"__future__", "rulewright.hook.shell"}
PATTERN = READ | {
    "_rulewright_re",
    "_rulewright_re._casefix",
    "_rulewright_re._compiler",
    "_rulewright_re._constants",
    "_rulewright_re._parser",
    "_sre",
    "rulewright.hook.regex",
}
CLAIMED = DECODED | {"_blake2", "rulewright.hook.state"}

FOYA = GATE | {
    "_blake2",
    "_json",
    "rulewright.hook.cache",
    "rulewright.hook.foya_rules",
    "rulewright.hook.json_text",
    "rulewright.hook.state",
    "rulewright.hook.translation",
}

# Runs the hook as the command line does, but says at the end what was loaded, instead of ending at once.
PROBE = """
import sys
before = set(sys.modules)
sys.path.insert(0, {engine!r})
from rulewright import hook_entry
def end(code):
    hook_entry.system.write(2, ",".join(sorted(set(sys.modules) - before)).encode())
    sys.exit(code)
hook_entry.system = type("System", (), {{"write": hook_entry.system.write, "_exit": staticmethod(end)}})
hook_entry.main()
"""


def loaded(hook: Hook, command: str) -> tuple[bytes, set[str]]:
    """Return what a fresh process prints for a shell command, and the modules it loaded."""
    return loaded_by(shlex.split(hook.command("PreToolUse")), shell(command))


def loaded_by(words: list[str], payload: dict[str, Any], **env: str) -> tuple[bytes, set[str]]:
    """Return what the process of a command line prints for an event, and the modules it loaded."""
    engine = str(Path(__file__).parents[2] / "engine")
    words[words.index("-c") + 1] = PROBE.format(engine=engine)
    event = json.dumps(payload).encode()
    done = subprocess.run(words, input=event, capture_output=True, check=True, timeout=30, env={**os.environ, **env})
    return done.stdout, set(done.stderr.decode().split(","))


@pytest.mark.parametrize(
    ("rules", "command", "says", "expected"),
    [
        (CONTAINS, "ls", b"", GATE),
        (SHELL, "ls -la | grep x", b"", GATE),
        (CONTAINS, "rm -rf x", b"deny", DECODED),
        (SHELL, "git push -f", b"deny", PATTERN),
        (SHELL, "git push origin", b"", PATTERN),
        (SHELL, "git push", b"", READ),  # No `git push ` stands there, so the pattern is not looked at.
        (SHELL, "ls push", b"", READ),
        (SHELL, "git pull -f", b"", GATE),
        (INJECT, "ls", b"Mind.", CLAIMED),
        (INJECT.replace("Mind.", "'Mind {{ cwd }}.'"), "ls", b"Mind /project.", CLAIMED | {"rulewright.hook.render"}),
    ],
)
def test_an_event_loads_exactly_this(tmp_path: Path, rules: str, command: str, says: bytes, expected: set[str]) -> None:
    stdout, modules = loaded(Hook(tmp_path, package(rules)), command)
    assert says in stdout
    assert bool(stdout) is bool(says)
    assert modules == expected


def test_a_foya_rule_that_sleeps_loads_little(tmp_path: Path) -> None:
    """And where hook chains are switched off, they load nothing at all."""
    project = Project(tmp_path, package(CONTAINS))
    project.rule("go", GLOB_RULE, glob="src/**/*.go", text="Use gofmt.")
    project.tool("Bash", {"command": "ls"})
    assert loaded_by(project.command("PreToolUse"), shell("ls"), **project.environ()) == (b"", FOYA)
    failure = payload("PostToolUseFailure", tool_name="Bash", tool_input={}, error="e")
    off = {**project.environ(), "CLAUDE_CODE_ENABLE_HOOK_CHAINS": "0"}
    assert loaded_by(project.command("PostToolUseFailure"), failure, **off) == (b"", GATE)


def least_cpu(commands: list[tuple[list[str], Path]], rounds: int) -> list[float]:
    """Return the least processor time of each command, in seconds; they are run in turns."""
    least = [float("inf")] * len(commands)
    out = os.open(os.devnull, os.O_WRONLY)
    for _ in range(rounds):
        for number, (words, stdin) in enumerate(commands):
            source = os.open(stdin, os.O_RDONLY)
            actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, out, 1)]
            process = os.posix_spawn(words[0], words, {}, file_actions=actions)
            _, status, used = os.wait4(process, 0)
            os.close(source)
            assert status == 0
            least[number] = min(least[number], used.ru_utime + used.ru_stime)
    os.close(out)
    return least


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs processor times of single processes")
def test_processor_time(tmp_path: Path) -> None:
    """Against `pass`: nothing matches under 1.4 times, a block under 1.25 times of `import json`, as the guide asks."""
    runs: list[tuple[list[str], Path]] = []
    quiet = tmp_path / "quiet.json"
    quiet.write_bytes(json.dumps(shell("ls")).encode())
    forced = tmp_path / "forced.json"
    forced.write_bytes(json.dumps(shell("git push -f")).encode())
    for code in ("pass", "import json"):
        runs.append(([interpreter(), "-I", "-S", "-c", code], quiet))
    words = shlex.split(Hook(tmp_path, package(SHELL)).command("PreToolUse"))
    runs += [(words, quiet), (words, forced)]
    bare, with_json, silent, blocks = least_cpu(runs, 20)
    assert silent / bare < 1.4
    assert blocks / with_json < 1.25


def test_rules_of_other_tools_and_events_are_not_read(tmp_path: Path) -> None:
    """The bytes that an event reads do not grow with them: garbage in their place changes nothing."""
    others = "".join(
        f"- {{id: e{i}, target: tool, tool: file.edit, action: block, text: No {i}., "
        f"when: {{conditions: [{{field: tool.input.path, op: contains, pattern: path{i}}}]}}}}\n"
        for i in range(500)
    )
    hook = Hook(tmp_path, package(CONTAINS + others))
    data = hook.index.read_bytes()
    head, _, rest = data.partition(b"\n")
    start = len(head) + 1 + int(head.split()[3])
    row = next(line for line in rest.split(b"\n") if line.startswith(b"PreToolUse shell "))
    offset, gate, _, listed, _, entries = map(int, row.split()[2:])
    assert (offset, entries) == (0, 1)
    end = start + gate + listed + PLACE
    end += int(data[end - PLACE : end].split()[1])
    assert end - start < 600
    hook.index.write_bytes(data[:end] + b"\xff" * (len(data) - end))
    assert hook.answer(shell("rm -rf x")).deny == "No."
