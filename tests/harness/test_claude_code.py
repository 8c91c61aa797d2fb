"""Claude Code: recorded and documented events decode, answers have the shapes that were observed to work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.harness import NAMES, claude_code, codec
from rulewright.hook.event import EVENTS, MISSING, TOOL_CLASSES, TOOL_EVENTS, lookup
from rulewright.hook.translation import project_path

FIXTURES = Path(__file__).parent.parent / "fixtures"
SAMPLES = FIXTURES / "events"
ROWS = [row for row in json.loads((SAMPLES / "manifest.json").read_bytes())["files"] if row["harness"] == "claude-code"]
EVENT_ROWS = [row for row in ROWS if "kind" not in row]
STDOUT_ROWS = [row for row in ROWS if row.get("kind") == "stdout"]
REJECTED_ROWS = [row for row in ROWS if row.get("kind") == "rejected"]
CAPTURED = sorted((FIXTURES / "captured" / "claude-code-2.1.332").glob("[0-9]*.json"))


def field(event: Any, name: str) -> Any:
    value = lookup(event, name)
    return None if value is MISSING else value


def read(row: dict[str, Any]) -> Any:
    return json.loads((SAMPLES / row["file"]).read_bytes())


@pytest.mark.parametrize("row", EVENT_ROWS, ids=lambda row: Path(row["file"]).stem)
def test_every_sample_decodes(row: dict[str, Any]) -> None:
    raw = read(row)
    event = claude_code.decode(raw, row["event"])
    if row["canonical"] is None or row["file"].endswith("SubagentStop-compaction.json"):
        assert event is None
        return
    assert event is not None
    assert event["event"] == row["canonical"]
    assert event["harness"] == "claude-code"
    assert field(event, "session.id") == raw["session_id"]
    assert field(event, "turn.id") == raw.get("prompt_id")
    if "source" in row:
        assert field(event, "session.source") == {"fork": "resume"}.get(row["source"], row["source"])
    if row["canonical"] == "prompt.submitted":
        assert field(event, "prompt.text") == raw["prompt"]
    if "tool" in row:
        assert field(event, "tool.name") == row["tool"]
        assert field(event, "tool.native_name") == raw["tool_name"]
    for name, key in (
        ("mcp.server", "mcp_server"),
        ("mcp.tool", "mcp_tool"),
        ("skill.name", "skill"),
        ("agent.type", "agent"),
    ):
        if key in row:
            assert field(event, name) == row[key]
    if row["canonical"] == "tool.error":
        assert field(event, "tool.error") == raw["error"]
    if row["canonical"] == "tool.post":
        assert field(event, "tool.output") == raw["tool_response"]


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_every_captured_event_decodes(path: Path) -> None:
    raw = json.loads(path.read_bytes())
    event = claude_code.decode(raw, raw["hook_event_name"])
    known = claude_code.EVENTS.get(raw["hook_event_name"])
    if known is None or raw.get("agent_type") == "":
        assert event is None
    else:
        assert event is not None
        assert event["event"] == known[0]


def test_the_plugin_servers_tool_is_told_from_its_name() -> None:
    event = claude_code.decode(
        json.loads((SAMPLES / "claude-code/PreToolUse-plugin_mcp.json").read_bytes()), "PreToolUse"
    )
    assert field(event, "mcp.server") == "plugin:dbkit:postgres"
    assert field(event, "mcp.tool") == "query"


def test_a_server_name_with_underscores_is_not_split() -> None:
    raw = {"tool_name": "mcp__my__server__do__it", "mcp_server": {"name": "my__server"}}
    event = claude_code.decode(raw, "PreToolUse")
    assert (field(event, "mcp.server"), field(event, "mcp.tool")) == ("my__server", "do__it")
    event = claude_code.decode({"tool_name": "mcp__git_hub__make_issue"}, "PreToolUse")
    assert (field(event, "mcp.server"), field(event, "mcp.tool")) == ("git_hub", "make_issue")


def test_windows_paths_become_project_relative() -> None:
    raw = json.loads((SAMPLES / "claude-code/PreToolUse-windows_edit.json").read_bytes())
    assert field(claude_code.decode(raw, "PreToolUse"), "tool.input.path") == "src/app.cs"
    project = "c:\\users\\DEV\\code"
    assert field(claude_code.decode(raw, "PreToolUse", project), "tool.input.path") == "shop/src/app.cs"
    assert field(claude_code.decode(raw, "PreToolUse"), "tool.input.file_path") == raw["tool_input"]["file_path"]


@pytest.mark.parametrize(
    ("path", "project", "cwd", "expected"),
    [
        ("/project/src/a.py", "/project", "/project/sub", "src/a.py"),
        ("/project/src/../lib/./a.py", "/project", "", "lib/a.py"),
        ("../a.py", "/project", "/project/sub", "a.py"),
        ("a.py", "/project", "/project/sub", "sub/a.py"),
        ("a.py", "", "", "a.py"),
        ("../a.py", "", "", "../a.py"),
        ("/etc/passwd", "/project", "/project", "/etc/passwd"),
        ("/project/../etc/passwd", "/project", "/project", "/etc/passwd"),
        ("/../../etc/passwd", "/project", "", "/etc/passwd"),
        ("/projects/a.py", "/project", "", "/projects/a.py"),
        ("/project", "/project", "", "."),
        ("/other/a.py", "/project", "/other", "a.py"),
        ("/project/we\\ird.py", "/project", "", "we\\ird.py"),
        ("C:/x/Src/a.py", "c:\\X", "", "Src/a.py"),
        ("src\\a.py", "C:\\x", "C:\\x\\y", "y/src/a.py"),
        ("\\\\server\\share\\a.py", "C:\\x", "C:\\x", "//server/share/a.py"),
        ("/project/Ünïcode/文件.py", "/project", "", "Ünïcode/文件.py"),
    ],
)
def test_paths(path: str, project: str, cwd: str, expected: str) -> None:
    assert project_path(path, project, cwd) == expected


def test_fields_are_looked_up_through_dots_lists_and_keys_with_dots() -> None:
    event: Any = {"tool": {"input": {"a.b": {"c": 1}, "list": [{"x": 2}], "none": None}}}
    assert lookup(event, "tool.input.a.b.c") == 1
    assert lookup(event, "tool.input.list.0.x") == 2
    assert lookup(event, "tool.input.list.1.x") is MISSING
    assert lookup(event, "tool.input.none") is None
    assert lookup(event, "tool.input.none.x") is MISSING
    assert lookup(event, "tool.input.a") is MISSING
    assert lookup(event, "") is MISSING


ANSWERS: dict[str, dict[str, Any]] = {
    "PermissionRequest-allow": {"allow": True},
    "PermissionRequest-deny": {"block": "Not in this repository."},
    "PostToolUse-context": {"context": "Run the formatter before you commit."},
    "PostToolUse-feedback": {"block": "The file breaks the layering rule; move the import."},
    "PostToolUse-warn": {
        "message": "rule shop/lint: run the formatter",
        "context": "Run the formatter before you commit.",
    },
    "PostToolUseFailure-context": {"context": "Tests need the database: run make db first."},
    "PreCompact-deny": {"block": "Finish the migration first."},
    "PreToolUse-context": {"context": "This repository protects main."},
    "PreToolUse-deny": {"block": "Do not force-push. Use --force-with-lease after asking."},
    "PreToolUse-deny_context": {
        "message": "blocked by rule shop/no-force",
        "block": "Do not force-push. Use --force-with-lease after asking.",
        "context": "Ask first.",
    },
    "PreToolUse-fail_closed_deny": {"block": "The rule handler failed; the call is denied (fail closed)."},
    "PreToolUse-rewrite": {
        "allow": True,
        "input": {"command": "git push --force-with-lease origin main", "description": "Push the branch"},
    },
    "PreToolUse-system_message": {"message": "rule shop/no-force: pushing to main"},
    "PreToolUse-warn": {
        "message": "rule shop/protect: pushing to a protected branch. See CONTRIBUTING.",
        "context": "Pushing to a protected branch.",
    },
    "SessionStart-context": {"context": "Project rules: …"},
    "SessionStart-warn": {"message": "3 rule packages active", "context": "Project rules: …"},
    "Stop-context": {"context": "Consider updating the changelog."},
    "Stop-continue": {"block": "Update the changelog before you stop."},
    "SubagentStart-context": {"context": "You are a helper: do not edit files."},
    "SubagentStop-continue": {"block": "Cite the files you read."},
    "UserPromptSubmit-context": {"context": "Answer in English."},
    "UserPromptSubmit-deny": {"block": "The prompt holds an API key. Remove it."},
    "UserPromptSubmit-warn": {"message": "rule shop/plan: large change", "context": "Plan before you edit."},
}


@pytest.mark.parametrize("row", STDOUT_ROWS, ids=lambda row: Path(row["file"]).stem)
def test_every_answer_that_works_is_written_so(row: dict[str, Any]) -> None:
    expected = read(row)
    found = claude_code.encode(ANSWERS[Path(row["file"]).stem], row["event"])
    assert found == expected
    assert json.dumps(found) == json.dumps(expected), "the order of keys"


TEXTS = st.text(max_size=8)


@settings(deadline=None)
@given(
    answer=st.fixed_dictionaries(
        {},
        optional={
            "block": TEXTS,
            "context": TEXTS,
            "message": TEXTS,
            "allow": st.booleans(),
            "input": st.none() | st.dictionaries(TEXTS, TEXTS, max_size=2),
        },
    ),
    native=st.sampled_from(sorted(claude_code.EVENTS)),
)
def test_no_answer_has_a_shape_that_the_client_drops(answer: dict[str, Any], native: str) -> None:
    wire = claude_code.encode(answer, native)
    assert may_be_ours(json.dumps(wire) if wire else "", native)
    if native in ("PreCompact", "PostCompact", "SessionEnd", "Notification") and not answer.get("block"):
        assert wire == {}


def may_be_ours(stdout: str, native: str, exit_code: int = 0) -> bool:
    """Tell whether a hook of ours may print this: nothing, or one object of documented keys, without nulls, at exit 0."""
    if not stdout:
        return exit_code == 0
    try:
        wire = json.loads(stdout)
    except ValueError:
        return False
    if not isinstance(wire, dict) or not set(wire) <= {"systemMessage", "decision", "reason", "hookSpecificOutput"}:
        return False
    specific = wire.get("hookSpecificOutput", {"hookEventName": native, "": ""})
    return (
        None not in [*wire.values(), *specific.values()]
        and wire.get("decision", "block") == "block"
        and ("decision" in wire) == bool(wire.get("reason"))
        and specific["hookEventName"] == native
        and len(specific) > 1
        and (specific.get("permissionDecision") == "deny") == bool(specific.get("permissionDecisionReason"))
    )


@pytest.mark.parametrize("row", REJECTED_ROWS, ids=lambda row: Path(row["file"]).stem)
def test_no_shape_that_the_client_drops_can_be_ours(row: dict[str, Any]) -> None:
    text = (SAMPLES / row["file"]).read_text(encoding="utf-8")
    assert not may_be_ours(text, row["event"], row["exit"])


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "session_id",
        "cwd",
        "hook_event_name",
        "tool_name",
        "tool_input",
        "tool_response",
        "prompt",
        "source",
        "prompt_id",
        "agent_id",
        "agent_type",
        "mcp_server",
        "model",
        "error",
    ]
)


@settings(deadline=None)
@given(raw=st.dictionaries(KEYS, JSON_VALUES, max_size=8), native=st.sampled_from(sorted(claude_code.EVENTS)))
def test_decoding_never_fails_on_json(raw: dict[str, Any], native: str) -> None:
    known = claude_code.EVENTS.get(claude_code.native_event(raw, native))
    named = isinstance(raw.get("tool_name"), str) and raw["tool_name"]
    if known is not None and known[0] in TOOL_EVENTS and not named:
        with pytest.raises(ValueError, match="the event names no tool"):
            claude_code.decode(raw, native, "/project")
    else:
        event = claude_code.decode(raw, native, "/project")
        assert event is None or event["event"] in EVENTS


def test_the_tables_use_the_canonical_words() -> None:
    assert {row[0] for row in claude_code.EVENTS.values()} <= set(EVENTS)
    assert set(claude_code.TOOLS.values()) <= set(TOOL_CLASSES)
    assert all(len(row) == 3 and row[2] for row in claude_code.EVENTS.values())


def test_codecs_are_found_by_name() -> None:
    folder = Path(claude_code.__file__).parent
    assert sorted(NAMES) == sorted(path.stem.replace("_", "-") for path in folder.glob("[a-z]*.py"))
    assert [codec(name).NAME for name in NAMES] == list(NAMES)
    for name in ("nobody", "../x", "", "claude.code", "os"):
        with pytest.raises(KeyError):
            codec(name)
