"""Whole events of every harness, from the bytes of a payload to the bytes of the answer, and the same replayed."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from rulewright.compiler import compile_index
from rulewright.explaining import explain
from rulewright.harness import NAMES, codec
from rulewright.hook.run import Call, Reply, run
from support.hook import document, package

SAMPLES = Path(__file__).parent.parent / "fixtures" / "events"
ROWS = [
    row
    for row in json.loads((SAMPLES / "manifest.json").read_bytes())["files"]
    if row["harness"] in NAMES and "kind" not in row
]
RULES = """
- id: push
  target: tool
  tool: shell
  action: block
  when:
    conditions:
      - {field: tool.input.command, op: shell_regex, pattern: '^git push .*--force'}
  text: Do not force-push.
- id: tidy
  target: skill
  skill: tidy
  action: block
  text: Not tidy.
- id: issues
  target: mcp
  mcp: ['github/create_*', '*/create_issue']
  action: block
  text: No issues.
- id: paths
  target: tool
  tool: [file.edit, file.write]
  action: block
  when:
    conditions:
      - {field: tool.input.path, op: in, pattern: [src/c.py, notes.md]}
  text: Leave it alone.
- id: key
  target: event
  event: prompt.submitted
  action: block
  when:
    conditions:
      - {field: prompt.text, op: contains, pattern: README}
  text: Not the README.
- id: failed
  target: event
  event: tool.error
  repeat: every
  fallback: skip
  reason: Each failure is another one.
  text: It failed.
- id: read
  target: tool
  tool: file.read
  repeat: every
  fallback: skip
  reason: Each file is another one.
  text: You have read.
"""


def index_of(name: str, rules: str = RULES) -> bytes:
    return compile_index([document(package(rules))], name)


def answer(name: str, native: str, payload: bytes, folder: Path, index: bytes, project: str = "") -> Reply:
    """Answer a payload as the command line does."""
    path = folder / project / ".style" / f"{name}.index"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(index)
    readable, writable = os.pipe()

    def write() -> None:
        with open(writable, "wb") as pipe:
            pipe.write(payload)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return run(Call(codec(name), str(folder / "state"), str(path), native), readable)
    finally:
        os.close(readable)
        writer.join()


def expected(row: dict[str, Any], raw: dict[str, Any]) -> str:
    """Return the text that an answer to a sample must hold."""
    given = raw.get("tool_input", raw.get("toolArgs", raw.get("toolInput", {})))
    command = given.get("command", "") if isinstance(given, dict) else ""
    if row["canonical"] == "tool.pre":
        paths = row.get("paths", [given.get("file_path", given.get("path", ""))] if isinstance(given, dict) else [])
        if row["tool"] == "shell" and command.startswith("git push --force"):
            return "Do not force-push."
        if row.get("skill") == "tidy":
            return "Not tidy."
        if row["tool"] == "mcp" and raw.get("tool_name", "").endswith("create_issue"):
            return "No issues."
        if row["tool"].startswith("file.") and any(path.endswith(("src/c.py", "notes.md")) for path in paths):
            return "Leave it alone."
    if row["canonical"] == "prompt.submitted" and "README" in raw.get("prompt", raw.get("user_prompt", "")):
        return "Not the README."
    if row["canonical"] == "tool.error":
        return "It failed."
    if row["canonical"] == "tool.post" and row.get("tool") == "file.read":
        return "You have read."
    return ""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"].removesuffix(".json"))
def test_an_event_is_answered_and_replayed_alike(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, payload = row["harness"], (SAMPLES / row["file"]).read_bytes()
    module = codec(name)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    index = index_of(name)
    reply = answer(name, row["event"], payload, tmp_path, index)
    assert reply.notes == []
    if row["event"] not in module.EVENTS:
        assert reply.stdout == b""  # What is registered in another manner, or carries nothing.
        return
    wanted = expected(row, json.loads(payload))
    assert (wanted in reply.stdout.decode()) if wanted else reply.stdout == b""
    assert explain(index, name, payload, native=row["event"]).stdout == reply.stdout.decode()
    # On one line, as the clients write it, where the bytes alone tell more.
    line = json.dumps(json.loads(payload), ensure_ascii=False, separators=(",", ":")).encode()
    assert answer(name, row["event"], line, tmp_path, index).stdout == reply.stdout


def test_events_that_share_a_native_one_stay_apart(tmp_path: Path) -> None:
    rules = """
- {id: good, target: tool, tool: '*', repeat: every, reason: r, text: Well done.}
- {id: bad, target: event, event: tool.error, repeat: every, reason: r, text: It failed.}
"""
    for name, native in (("foya", "PostToolUse"), ("gemini-cli", "AfterTool")):
        index = index_of(name, rules)
        for flag in (True, False):
            raw = {
                "tool_name": "bash",
                "tool_is_error": flag,
                "tool_response": {"llmContent": "x", **({"error": {"message": "m"}} if flag else {})},
            }
            reply = answer(name, native, json.dumps(raw).encode(), tmp_path, index)
            assert (b"It failed." in reply.stdout) is flag
            assert (b"Well done." in reply.stdout) is not flag


def test_any_file_of_a_patch_counts_and_negate_asks_for_one_outside(tmp_path: Path) -> None:
    rules = """
- id: outside
  target: tool
  tool: [file.edit, file.write]
  action: block
  when:
    conditions:
      - {field: tool.input.path, op: glob, pattern: 'src/**', negate: true}
  text: Stay in src.
"""
    index = index_of("codex", rules)
    for files, denied in (
        (["src/a", "src/b"], False),
        (["src/a", "lib/b"], True),
        (["lib/b"], True),
        (["src/a"], False),
    ):
        for verb in ("Add", "Update"):
            patch = "*** Begin Patch\n" + "".join(f"*** {verb} File: {file}\n+x\n" for file in files) + "*** End Patch"
            raw = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "cwd": "/p"}
            reply = answer("codex", "PreToolUse", json.dumps(raw).encode(), tmp_path, index)
            assert (b"Stay in src." in reply.stdout) is denied


def test_codex_in_a_folder_of_the_project_has_the_paths_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    raw = {
        "tool_name": "apply_patch",
        "tool_input": {"command": "*** Begin Patch\n*** Update File: c.py\n@@\n-x\n+y\n*** End Patch"},
        "cwd": str(project / "src"),
    }
    reply = answer("codex", "PreToolUse", json.dumps(raw).encode(), tmp_path, index_of("codex"), "shop")
    assert b"Leave it alone." in reply.stdout


def test_a_native_name_of_a_tool_that_varies_narrows_to_it(tmp_path: Path) -> None:
    rules = "- {id: patch, target: tool, tool: apply_patch, action: block, text: No patches.}"
    for verb in ("Add", "Update"):
        raw = {"tool_name": "apply_patch", "tool_input": {"command": f"*** {verb} File: a\n+x\n"}}
        reply = answer("codex", "PreToolUse", json.dumps(raw).encode(), tmp_path, index_of("codex", rules))
        assert b"No patches." in reply.stdout


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_cut_at_the_budget_of_the_host(name: str, tmp_path: Path) -> None:
    module = codec(name)
    native = next(native for native, row in module.EVENTS.items() if row[0] == "prompt.submitted")
    one = "字" * 1500
    rules = "".join(
        f"- {{id: r{number}, target: event, event: prompt.submitted, repeat: every, reason: r, text: {one}}}\n"
        for number in range(30)
    )
    reply = answer(name, native, b'{"prompt": "x"}', tmp_path, index_of(name, rules))
    wire = json.loads(reply.stdout)
    text = wire.get("context") or wire.get("additionalContext") or wire["hookSpecificOutput"]["additionalContext"]
    assert module.TEXT_LIMIT - 2 * module.text_size(one) < module.text_size(text) <= module.TEXT_LIMIT
    assert "left out" in text
