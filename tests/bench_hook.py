"""How long a hook process takes, as ratios to the bare interpreter in the same run. `python dev.py bench` runs it.

Whole processes, started in turns so that load on the machine hits all alike; medians of the wall-clock time. The targets are
those of docs and CI; a figure over its target is marked, nothing fails: figures belong to benchmarks, not to tests.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "engine")]

from rulewright import analysis  # noqa: E402
from rulewright.compiler import compile_index, hook_command, interpreter, library_folders  # noqa: E402

QUIET = "git status --short && ls -la src"
FORCED = "cd app && git push --force origin main"
REMOVES = "rm -rf build"

# What a hook of the same purpose looks like when it is written by hand.
BASH_HOOK = r"""#!/bin/bash
command=$(jq -r '.tool_input.command // empty')
if grep -qE 'rm -rf' <<<"$command"; then
  jq -cn '{hookSpecificOutput: {hookEventName: "PreToolUse",
    permissionDecision: "deny", permissionDecisionReason: "Do not remove trees."}}'
fi
"""

HEAD = "spec: style/v0.3\nname: {name}\nversion: 0.1.0\ndescription: benchmark\nrules:\n"
CONTAINS = """\
  - id: c{i}
    target: tool
    tool: {tool}
    action: block
    at: before
    when: {{conditions: [{{field: {field}, op: contains, pattern: "{text}"}}]}}
    text: Do not remove trees.
"""
SHELL = """\
  - id: s{i}
    target: tool
    tool: shell
    action: block
    when: {{conditions: [{{field: tool.input.command, op: shell_regex, pattern: '{text}'}}]}}
    text: Force push is not allowed.
"""
INJECT = """\
  - id: i{i}
    target: tool
    tool: shell
    at: before
    refresh: {refresh}
    reason: benchmark
    when: {{conditions: [{{field: tool.input.command, op: contains, pattern: "git status"}}]}}
    text: Mind the working tree.
"""
EVENT = """\
  - id: e{i}
    target: event
    event: prompt.submitted
    when: {{conditions: [{{field: prompt.text, op: contains, pattern: "word {i}"}}]}}
    text: Think of {i}.
"""


def package(name: str, rules: str) -> str:
    """Return the text of a package."""
    return HEAD.format(name=name) + rules


def silent(count: int) -> str:
    """Return rules for shell that the benchmark's commands do not match: half plain text, half patterns."""
    return "".join(
        SHELL.format(i=i, text=f"^tool{i} +deploy .*--prod")
        if i % 2
        else CONTAINS.format(i=i, tool="shell", field="tool.input.command", text=f"program{i} --wipe")
        for i in range(count)
    )


def elsewhere(count: int) -> str:
    """Return rules for other tools and other events."""
    return "".join(
        EVENT.format(i=i)
        if i % 2
        else CONTAINS.format(i=i, tool="file.edit", field="tool.input.path", text=f"folder{i}/")
        for i in range(count)
    )


GUARD = CONTAINS.format(i="x", tool="shell", field="tool.input.command", text="rm -rf")
PUSH_GUARD = SHELL.format(i="x", text="^git push .*(--force|-f)")


def payload(command: str) -> bytes:
    """Return an event as Claude Code 2.1.332 writes it."""
    event = {
        "session_id": "00000000-0000-4000-8000-000000000001",
        "transcript_path": "/home/user/.claude/projects/-project/00000000-0000-4000-8000-000000000001.jsonl",
        "cwd": "/project",
        "prompt_id": "00000000-0000-4000-8000-000000000002",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "d"},
        "tool_use_id": "toolu_call_000000000001",
    }
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


# name: (rules, command, what it is compared with, target)
CASES: dict[str, tuple[str, str, str, float | None]] = {
    "no match, 1 rule": (PUSH_GUARD, QUIET, "bare", 1.4),
    "no match, 100 rules": (silent(100), QUIET, "bare", 1.4),
    "no match, 1000 rules": (silent(1000), QUIET, "bare", 1.6),
    "no match, 1 rule and 1000 of other tools and events": (
        PUSH_GUARD + elsewhere(1000),
        QUIET,
        "no match, 1 rule",
        1.05,
    ),
    "contains blocks, 1 rule": (GUARD, REMOVES, "bare", 2.4),
    "contains blocks, 1000 rules": (silent(999) + GUARD, REMOVES, "bare", 2.4),
    # Each run finds the text output already, by the run that checks the answer.
    "output already, 1 rule": (INJECT.format(i="x", refresh=0), QUIET, "no match, 1 rule", 1.25),
    "output already, with refresh": (INJECT.format(i="x", refresh=5), QUIET, "no match, 1 rule", 1.25),
    "output already, 1000 rules": (silent(999) + INJECT.format(i="x", refresh=5), QUIET, "no match, 1000 rules", 1.25),
    "shell_regex blocks, 1 rule": (PUSH_GUARD, FORCED, "bare", 2.4),
    "shell_regex blocks, 1000 rules": (silent(999) + PUSH_GUARD, FORCED, "bare", 2.4),
}
BASH = "bash and jq"
# Foya's rules of a project, none of them awake: the event before a tool call, with and without them.
FOYA = "no match, 1 rule and 200 Foya rules"
FOYA_RULE = "---\nid: f{i}\nname: f{i}\ntrigger: {trigger}\nglobs: ['packages/p{i}/**/*.ts']\n---\n{text}\n"


def start(words: list[str], stdin: Path, out: int) -> float:
    """Run a process to its end and return the seconds it took."""
    source = os.open(stdin, os.O_RDONLY)
    actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, out, 1)]
    begun = time.perf_counter()
    process = os.posix_spawn(words[0], words, {"PATH": os.environ["PATH"]}, file_actions=actions)
    _, status = os.waitpid(process, 0)
    taken = time.perf_counter() - begun
    os.close(source)
    if status:
        raise SystemExit(f"{words} left with {status}")
    return taken


def main(quick: bool = False) -> dict[str, Any]:
    """Measure; return one row a comparison: the ratio of the medians and its target."""
    python = interpreter()
    rounds = 15 if quick else 60
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        runs: dict[str, tuple[list[str], Path]] = {}
        quiet = base / "quiet.json"
        quiet.write_bytes(payload(QUIET))
        runs["bare"] = ([python, "-I", "-S", "-c", "pass"], quiet)
        for number, (name, (rules, command, _, _)) in enumerate(CASES.items()):
            document = analysis.read("bench.style.yaml", package("bench", rules))
            assert document is not None
            index = base / f"{number}.index"
            index.write_bytes(compile_index([document], "claude-code"))
            event = base / f"{number}.json"
            event.write_bytes(payload(command))
            line = hook_command("claude-code", str(base / "state"), str(index), "PreToolUse", python=python)
            runs[name] = (shlex.split(line), event)
            answer = subprocess.run(shlex.split(line), stdin=event.open("rb"), capture_output=True, check=True)
            if (b'"deny"' in answer.stdout) is not ("blocks" in name) or answer.stderr:
                raise SystemExit(f"{name}: unexpected answer {answer.stdout!r} {answer.stderr!r}")
        runs[FOYA] = (with_foya(base, python), quiet)
        bash, jq = shutil.which("bash"), shutil.which("jq")
        if bash and jq:
            script = base / "hook.sh"
            script.write_text(BASH_HOOK, encoding="utf-8")
            removes = base / "removes.json"
            removes.write_bytes(payload(REMOVES))
            runs[BASH] = ([bash, str(script)], removes)
        times: dict[str, list[float]] = {name: [] for name in runs}
        order = list(runs)
        out = os.open(os.devnull, os.O_WRONLY)
        for turn in range(rounds):
            for name in order[turn % len(order) :] + order[: turn % len(order)]:
                times[name].append(start(*runs[name], out))
        os.close(out)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    rows: dict[str, Any] = {"bare interpreter": {"value": round(medians["bare"] * 1000, 2), "unit": "ms"}}
    compared = [(name, to, target) for name, (_, _, to, target) in CASES.items()]
    compared.append((FOYA, "no match, 1 rule", 1.3))
    if BASH in medians:
        compared.append((BASH, "bare", None))
        compared += [(name, BASH, 0.8) for name in CASES if name.endswith("blocks, 1 rule")]
    else:
        rows["NOT MEASURED"] = "bash or jq is missing, so nothing is compared with a hook in bash"
    for name, to, target in compared:
        label = f"{name} / {to}"
        rows[label] = {"value": round(medians[name] / medians[to], 3), "unit": "x", "target": target}
    return rows


def with_foya(base: Path, python: str) -> list[str]:
    """Return the command line of a hook in a project with 200 Foya rules, which have been read already."""
    rules = base / "project" / ".foya" / "rules"
    rules.mkdir(parents=True)
    for number in range(200):
        trigger = "glob" if number % 2 else "manual"
        text = FOYA_RULE.format(i=number, trigger=trigger, text="Mind the working tree. " * 20)
        (rules / f"f{number}.md").write_text(text, encoding="utf-8")
    index = base / "project" / ".style" / "claude-code.index"
    index.parent.mkdir()
    document = analysis.read("bench.style.yaml", package("bench", PUSH_GUARD))
    assert document is not None
    index.write_bytes(compile_index([document], "claude-code", foya=True))
    state = str(base / "state")
    line = hook_command("claude-code", state, str(index), "PreToolUse", python=python, libraries=library_folders())
    for _ in range(2):
        answer = subprocess.run(shlex.split(line), input=payload(QUIET), capture_output=True, check=True)
        if answer.stdout or answer.stderr:
            raise SystemExit(f"{FOYA}: unexpected answer {answer.stdout!r} {answer.stderr!r}")
    return shlex.split(line)


def report(rows: dict[str, Any]) -> str:
    """Return the figures as text."""
    lines = []
    for label, row in rows.items():
        if not isinstance(row, dict):
            lines.append(f"{label}: {row}")
            continue
        target = row.get("target")
        verdict = "" if target is None else f"  target {target}{'' if row['value'] <= target else '  MISSED'}"
        lines.append(f"{label:<76} {row['value']:>7} {row['unit']}{verdict}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(report(main("--quick" in sys.argv)))
