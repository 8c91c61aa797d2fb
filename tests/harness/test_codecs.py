"""All harnesses: recorded and documented events decode, answers are written as they were seen to work, and in no other shape."""

from __future__ import annotations

import copy
import inspect
import json
import subprocess
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as under
from hypothesis import strategies as st
from pydantic import ConfigDict, TypeAdapter

from rulewright.formats.style.vocabulary import FIELDS as WORDS
from rulewright.harness import NAMES, codec
from rulewright.hook.event import EVENTS, MISSING, TOOL_CLASSES, TOOL_EVENTS, lookup
from rulewright.hook.index import tool_named
from support.answers import ANSWERS
from support.codec import Codec

FIXTURES = Path(__file__).parent.parent / "fixtures"
SAMPLES = FIXTURES / "events"
CODECS: dict[str, Any] = {name: codec(name) for name in NAMES}
ROWS = [row for row in json.loads((SAMPLES / "manifest.json").read_bytes())["files"] if row["harness"] in NAMES]
EVENT_ROWS = [row for row in ROWS if "kind" not in row]
STDOUT_ROWS = [row for row in ROWS if row.get("kind") == "stdout" and row["harness"] != "claude-code"]
REJECTED_ROWS = [row for row in ROWS if row.get("kind") == "rejected" and row["harness"] != "claude-code"]
CAPTURED = [
    (name, path)
    for name in NAMES
    for folder in sorted((FIXTURES / "captured").glob(f"{name}-[0-9]*"))
    for path in sorted(folder.glob("[0-9]*.json"))
]
SCHEMAS = json.loads((FIXTURES / "captured" / "codex-0.171.0" / "hook-schemas.json").read_bytes())
CAPABILITIES = {
    "deny",
    "ask",
    "allow",
    "update-input",
    "add-context",
    "replace-output",
    "continue-agent",
    "stop-agent",
    "system-message",
    "feedback",
}


def sample_id(row: dict[str, Any]) -> str:
    return str(row["file"].removesuffix(".json").removesuffix(".txt"))


def read(row: dict[str, Any]) -> Any:
    return json.loads((SAMPLES / row["file"]).read_bytes())


def field(event: Any, name: str) -> Any:
    value = lookup(event, name)
    return None if value is MISSING else value


# The tables


@pytest.mark.parametrize("name", NAMES)
def test_every_module_says_the_same_things(name: str) -> None:
    module = CODECS[name]
    for attribute, kind in get_type_hints(Codec).items():
        value = getattr(module, attribute)
        TypeAdapter(kind, config=ConfigDict(strict=True)).validate_python(value, strict=True)
    for attribute, wanted in inspect.getmembers(Codec, inspect.isfunction):
        if attribute.startswith("_"):
            continue
        parameters = list(inspect.signature(wanted).parameters.values())[1:]
        found = list(inspect.signature(getattr(module, attribute)).parameters.values())
        assert [(one.name, one.default) for one in found] == [(one.name, one.default) for one in parameters], attribute


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_use_the_canonical_words(name: str) -> None:
    module = CODECS[name]
    canonical = [row[0] for row in module.EVENTS.values()]
    assert len(canonical) == len(set(canonical)), "a canonical event has one native event"
    assert {*canonical, *module.ALSO} <= set(EVENTS)
    assert not set(canonical) & set(module.ALSO)
    assert {row[0] for row in module.ALSO.values()} <= set(module.EVENTS)
    for row in (*module.EVENTS.values(), *module.ALSO.values()):
        assert set(row[1]) <= CAPABILITIES
        assert row[2]
    assert set(module.TOOLS.values()) <= set(TOOL_CLASSES)
    assert set(module.EVENT_TIMEOUTS) | set(module.FRAGILE_EVENTS) | set(module.FAIL_CLOSED_EVENTS) <= set(
        module.EVENTS
    )
    for native, classes in module.VARYING_TOOLS.items():
        assert module.tool_class(native) is None
        assert module.TOOLS[native] in classes
        assert set(classes) <= set(TOOL_CLASSES)
    for native, canonical_tool in module.TOOLS.items():
        assert native in module.VARYING_TOOLS or module.tool_class(native) == canonical_tool
    assert module.tool_class("") in TOOL_CLASSES
    assert bool(module.FAIL_CLOSED) == bool(module.FAIL_CLOSED_EVENTS) == bool(module.FAIL_CLOSED_SINCE)


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_of_payloads_and_answers_hold_together(name: str) -> None:
    module = CODECS[name]
    fields = module.FIELDS
    below = {name[:-2] for name in WORDS if name.endswith(".*")}
    assert all(field in WORDS or field in below or field.rpartition(".")[0] in below for field in fields)
    assert (fields["session.id"][0], bool(module.TURN_FIELD)) == (module.SESSION_FIELD, "turn.id" in fields)
    inputs = {place.partition(".")[0] for field in ("tool.input.path", "skill.name") for place in fields.get(field, ())}
    assert inputs == set(fields["tool.input"]), "a path is put into the input that it is from"
    assert all(place.count(".") <= 1 for places in fields.values() for place in places)
    natives = {*module.EVENTS, *getattr(module, "PASCAL_NAMES", ())}
    written: dict[tuple[str, str], list[str]] = {}
    for part, events, pairs in module.ANSWERS:
        assert set(events) <= natives
        for native in events:
            written.setdefault((native, part), []).extend(place for place, _ in pairs)
    for places in written.values():
        assert len(places) == len(set(places)), "nothing is written twice"


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_and_a_source_are_read_where_they_mean_that(name: str) -> None:
    module = CODECS[name]
    tool = {module.TOOL_FIELD: "x"}
    raw = {"prompt": "p", "user_prompt": "p", "source": "startup", **tool}
    for native, (canonical, _, _) in module.EVENTS.items():
        event = module.decode(raw, native)
        assert (field(event, "prompt.text") == "p") is (canonical == "prompt.submitted")
        assert (field(event, "session.source") == "startup") is (canonical == "session.start")
        assert ("tool" in event) is (canonical in TOOL_EVENTS)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_tables_promise_can_be_written(name: str) -> None:
    module = CODECS[name]
    rows = [(native, row[1]) for native, row in module.EVENTS.items()]
    rows += [(native, capabilities) for native, capabilities, _ in module.ALSO.values()]
    for native, capabilities in rows:
        for answer, wanted in (
            ({"block": "b"}, {"deny", "feedback", "continue-agent"}),
            ({"context": "c"}, {"add-context"}),
            ({"message": "m"}, {"system-message"}),
            ({"input": {"command": "x"}}, {"update-input"}),
        ):
            if wanted & set(capabilities) and (native, wanted) != ("PermissionRequest", {"update-input"}):
                assert module.encode(answer, native), (native, wanted)
        assert module.encode({}, native) == {}
        assert module.encode({"block": "", "context": "", "message": ""}, native) == {}


@pytest.mark.ledger("S106")
def test_codex_shows_a_warn_at_tool_post_whole_and_at_session_start_in_part() -> None:
    events = CODECS["codex"].EVENTS
    assert {"add-context", "system-message"} <= set(events["PostToolUse"][1])
    assert "add-context" in events["SessionStart"][1]
    assert "system-message" not in events["SessionStart"][1]


@pytest.mark.ledger("S092")
def test_only_codex_hooks_have_a_timeout() -> None:
    assert {name: module.HOOK_TIMEOUT for name, module in CODECS.items() if module.HOOK_TIMEOUT} == {"codex": 10}
    assert CODECS["codex"].handler("run", 10)["timeout"] == 10
    assert "timeout" not in CODECS["claude-code"].handler("run", CODECS["claude-code"].HOOK_TIMEOUT)


def test_timeouts_are_written_in_the_unit_of_the_harness() -> None:
    written = {
        name: next(value for key, value in module.handler("run", 20, "PreToolUse").items() if key.startswith("timeout"))
        for name, module in CODECS.items()
    }
    assert written == {**dict.fromkeys(NAMES, 20), "gemini-cli": 20_000}


@pytest.mark.skipif("sys.platform == 'win32'")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ["sh -c 'printf 1; exit 3'", "/nowhere/python -I"])
def test_a_failure_never_denies(name: str, command: str) -> None:
    module = CODECS[name]
    line = module.handler(command)[module.COMMAND_KEY]
    shell = "/bin/sh" if module.SHELL[0].startswith("$") else module.SHELL[0]
    done = subprocess.run([shell, module.SHELL[1], line], capture_output=True, check=False)
    assert (done.returncode == 0) is module.FAILURE_DENIES
    assert done.stdout == (b"1" if command.startswith("sh") else b"")


def test_texts_are_measured_as_the_hosts_do() -> None:
    sizes = {name: module.text_size("a字😀") for name, module in CODECS.items()}
    assert sizes == {
        **dict.fromkeys(NAMES, 4),  # UTF-16: 1 + 1 + 2
        **dict.fromkeys(("codex", "foya", "copilot-cli"), 8),  # UTF-8: 1 + 3 + 4
    }
    for module in CODECS.values():
        assert module.text_size("\ud800") in (1, 3)


@given(text=st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.just("\n")))
def test_the_budget_of_foya_holds_whatever_json_makes_of_a_text(text: str) -> None:
    foya = CODECS["foya"]
    whole = text * 3
    room = 64 * 1024 - len(b'{"decision":"deny","halt":true,"reason":""}')
    assert len(json.dumps(whole, ensure_ascii=False).encode()) - 2 <= 2 * foya.text_size(whole)
    assert room >= 2 * foya.TEXT_LIMIT


# Events


@pytest.mark.parametrize("row", EVENT_ROWS, ids=sample_id)
def test_every_sample_decodes(row: dict[str, Any]) -> None:
    module, raw = CODECS[row["harness"]], read(row)
    before = copy.deepcopy(raw)
    event = module.decode(raw, row["event"], "")
    assert raw == before, "the payload is left alone"
    if row["canonical"] is None or row["file"].endswith("SubagentStop-compaction.json"):
        assert event is None
        return
    assert event is not None
    assert (event["event"], event["harness"]) == (row["canonical"], row["harness"])
    session = raw.get(module.SESSION_FIELD, raw.get("session_id"))
    assert field(event, "session.id") == session
    assert field(event, "turn.id") == (raw.get(module.TURN_FIELD) if module.TURN_FIELD else None)
    assert field(event, "cwd") == raw.get("cwd")
    assert field(event, "model") == (raw.get("model") if isinstance(raw.get("model"), str) else None)
    if row["canonical"] == "session.start":
        wanted = {"fork": "resume"}.get(row["source"], row["source"])
        assert field(event, "session.source") == wanted
    if row["canonical"] == "prompt.submitted":
        assert field(event, "prompt.text") == raw.get("prompt", raw.get("user_prompt"))
        assert module.counts_as_prompt(raw) is not row.get("synthetic", False)
    if "tool" in row:
        assert field(event, "tool.name") == row["tool"]
        native = raw.get("tool_name", raw.get("toolName"))
        assert field(event, "tool.native_name") == native
        assert module.tool_class(native) in (None, row["tool"])
        assert row["tool"] in module.VARYING_TOOLS.get(native, (row["tool"],))
    for name, key in (
        ("mcp.server", "mcp_server"),
        ("mcp.tool", "mcp_tool"),
        ("skill.name", "skill"),
        ("agent.type", "agent"),
    ):
        if key in row:
            assert field(event, name) == row[key]
    if "paths" in row:
        assert field(event, "tool.input.path") == (row["paths"] if len(row["paths"]) > 1 else row["paths"][0])
    if row["canonical"] == "tool.error":
        assert field(event, "tool.error")
    if row["canonical"] == "tool.post":
        assert field(event, "tool.output") is not None
        assert field(event, "tool.error") is None


@pytest.mark.parametrize("row", EVENT_ROWS, ids=sample_id)
def test_the_bytes_show_the_tool_that_decoding_finds(row: dict[str, Any]) -> None:
    module = CODECS[row["harness"]]
    known = module.EVENTS.get(row["event"])
    shown = tool_named((SAMPLES / row["file"]).read_bytes(), module.TOOL_FIELD.encode())
    if shown is not None and known is not None and known[0] in TOOL_EVENTS:
        assert module.tool_class(shown) in (None, row["tool"])


@pytest.mark.parametrize(("name", "path"), CAPTURED, ids=lambda part: part if isinstance(part, str) else part.stem)
def test_every_captured_event_decodes(name: str, path: Path) -> None:
    module = CODECS[name]
    raw = json.loads(path.read_bytes())
    known = module.EVENTS.get(raw["hook_event_name"])
    event = module.decode(raw, raw["hook_event_name"])
    if known is None or raw.get("agent_type") == "":
        assert event is None
    else:
        assert event is not None
        assert event["event"] in (known[0], *module.ALSO)
        assert field(event, "session.id") == raw["session_id"]


def test_a_payload_of_copilot_tells_its_event_by_its_shape() -> None:
    module = CODECS["copilot-cli"]
    for row in EVENT_ROWS:
        if row["harness"] == "copilot-cli" and row["canonical"] is not None:
            assert module.native_event(read(row), "") == row["event"]


@pytest.mark.parametrize(
    ("patch", "paths", "tool"),
    [
        ("*** Begin Patch\n*** Add File: a\n+x\n*** Add File: b/c\n+y\n*** End Patch", ["a", "b/c"], "file.write"),
        ("*** Begin Patch\r\n*** Update File: a b\r\n@@\r\n-x\r\n+y\r\n*** End Patch\r\n", "a b", "file.edit"),
        ("*** Begin Patch\n  *** Delete File: x  \n*** Add File: y\n*** End Patch", ["x", "y"], "file.edit"),
        ("*** Update File: a\n*** Move to: ../b\n@@\n+*** Add File: no\n-*** Add File: no", ["a", "/p/b"], "file.edit"),
        ("*** Update File: a\n@@\n *** Add File: perhaps\n", ["a", "perhaps"], "file.edit"),
        ("*** Update File: /p/q/a\n*** Update File: a\n", "a", "file.edit"),
        ("*** Update File: /etc/passwd\n", "/etc/passwd", "file.edit"),
        ("no patch", None, "file.edit"),
        ("", None, "file.edit"),
        ("*** Add File: \u2028x\u2028y\n+z", "\u2028x\u2028y", "file.write"),
    ],
)
def test_the_files_of_a_patch(patch: str, paths: Any, tool: str) -> None:
    raw = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "cwd": "/p/q"}
    event = CODECS["codex"].decode(raw, "PreToolUse")
    assert field(event, "tool.input.path") == paths
    assert field(event, "tool.name") == tool
    assert field(event, "tool.input.command") == patch
    for arguments in (patch, {"input": patch}):
        raw = {"toolName": "apply_patch", "toolArgs": arguments, "cwd": "/p/q"}
        event = CODECS["copilot-cli"].decode(raw, "preToolUse")
        assert (field(event, "tool.input.path"), field(event, "tool.name")) == (paths, tool)


@pytest.mark.parametrize(
    ("name", "native", "raw", "wanted"),
    [
        ("codex", "PreToolUse", {"tool_name": "Bash", "tool_input": {"cmd": "ls"}}, {"tool.input.command": "ls"}),
        (
            "codex",
            "PreToolUse",
            {
                "tool_name": "apply_patch",
                "tool_input": {"command": "*** Update File: src\\a.cs\n"},
                "cwd": "C:\\Users\\dev\\shop",
            },
            {"tool.input.path": "src/a.cs"},
        ),
        (
            "openclaude",
            "PreToolUse",
            {"tool_name": "Edit", "tool_input": {"file_path": "c:\\X\\src\\a.cs"}, "cwd": "C:\\x"},
            {"tool.input.path": "src/a.cs", "tool.input.file_path": "c:\\X\\src\\a.cs"},
        ),
        (
            "foya",
            "PreToolUse",
            {"tool_name": "edit", "tool_input": {"path": "../a.py"}, "cwd": "/p/sub", "project_path": "/p"},
            {"tool.input.path": "a.py"},
        ),
        (
            "foya",
            "PostToolUse",
            {"tool_name": "create_issue", "tool_is_error": True, "tool_output": "no"},
            {"event": "tool.error", "tool.error": "no", "mcp.tool": "create_issue", "mcp.server": None},
        ),
        ("foya", "PreToolUse", {"tool_name": "browser_click"}, {"tool.name": "other"}),
        (
            "gemini-cli",
            "BeforeTool",
            {"tool_name": "mcp_git_hub_make", "mcp_context": {"server_name": "git_hub", "tool_name": "make"}},
            {"mcp.server": "git_hub", "mcp.tool": "make"},
        ),
        ("gemini-cli", "BeforeTool", {"tool_name": "mcp_a_b_c"}, {"mcp.server": "a", "mcp.tool": "b_c"}),
        (
            "gemini-cli",
            "AfterTool",
            {"tool_name": "glob", "tool_response": {"error": {"message": "gone"}}},
            {"event": "tool.error", "tool.error": "gone"},
        ),
        (
            "copilot-cli",
            "preToolUse",
            {"toolName": "github-mcp-server-get_issue"},
            {"mcp.server": "github-mcp-server", "mcp.tool": "get_issue"},
        ),
        (
            "copilot-cli",
            "preToolUse",
            {"toolName": "view", "toolArgs": '{"path": "C:\\\\x\\\\a.py"}', "cwd": "C:\\x"},
            {"tool.input.path": "a.py"},
        ),
        ("copilot-cli", "preToolUse", {"toolName": "bash", "toolArgs": "{bad"}, {"tool.input": "{bad"}),
        ("copilot-cli", "preToolUse", {"toolName": "skill", "toolArgs": {"skill": "tidy"}}, {"skill.name": "tidy"}),
        ("copilot-cli", "sessionStart", {"source": "new"}, {"session.source": "startup"}),
        ("codex", "SessionStart", {"source": "fork"}, {"session.source": "resume"}),
    ],
)
def test_details(name: str, native: str, raw: dict[str, Any], wanted: dict[str, Any]) -> None:
    event = CODECS[name].decode(raw, native)
    assert {key: field(event, key) for key in wanted} == wanted


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
PAYLOADS = [(row["harness"], row["event"], read(row)) for row in EVENT_ROWS]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    """A payload with keys taken away, added, or given other values, at any depth."""
    name, native, raw = draw(st.sampled_from(PAYLOADS))
    raw = copy.deepcopy(raw)
    for _ in range(draw(st.integers(0, 4))):
        place = raw
        while draw(st.booleans()):
            inner = [value for value in place.values() if isinstance(value, dict) and value]
            if not inner:
                break
            place = draw(st.sampled_from(inner))
        if not place:
            continue
        key = draw(st.sampled_from(sorted(place)))
        change = draw(st.sampled_from(("remove", "replace", "add")))
        if change == "remove":
            del place[key]
        else:
            place[key if change == "replace" else draw(st.text(max_size=4))] = draw(VALUES)
    return name, draw(st.sampled_from((native, ""))), raw


@given(case=mutated())
@example(case=("foya", "PostToolUse", {"tool_name": "bash", "tool_is_error": True}))
@example(case=("gemini-cli", "AfterTool", {"tool_name": "mcp_", "tool_response": {"error": ""}}))
@example(case=("copilot-cli", "preToolUse", {"toolName": "-", "toolArgs": '"\\ud800"'}))
@under(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_decoding_never_fails_on_json(case: tuple[str, str, dict[str, Any]]) -> None:
    name, native, raw = case
    module = CODECS[name]
    named = [raw.get(key) for key in (module.TOOL_FIELD, "tool_name")]
    assert isinstance(module.counts_as_prompt(raw), bool)
    try:
        event = module.decode(raw, native, "/project")
    except ValueError:
        assert not any(isinstance(value, str) and value for value in named[: 2 if name == "copilot-cli" else 1])
        return
    if event is not None:
        assert event["event"] in EVENTS
        assert (event["event"] in TOOL_EVENTS) == ("tool" in event)
        if "tool" in event:
            assert event["tool"]["name"] in TOOL_CLASSES


# Answers


@pytest.mark.parametrize("row", STDOUT_ROWS, ids=sample_id)
def test_every_answer_that_works_is_written_so(row: dict[str, Any]) -> None:
    expected = read(row)
    found = CODECS[row["harness"]].encode(ANSWERS[sample_id(row).replace("/stdout", "")], row["event"])
    assert found == expected
    assert json.dumps(found) == json.dumps(expected), "the order of keys"


# The keys of an answer by harness and event: at its top, and in `hookSpecificOutput`. Sources: harnesses.md sections 5.3, 7, 8, 10, 11.
_CLAUDE_TOP = {"systemMessage", "decision", "reason", "hookSpecificOutput"}
_CONTEXT = frozenset({"additionalContext"})
_CLAUDE_SPECIFIC = {
    "PreToolUse": {"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
    "PermissionRequest": {"decision"},
    "SessionStart": _CONTEXT,
    "UserPromptSubmit": _CONTEXT,
    "PostToolUse": _CONTEXT,
    "PostToolUseFailure": _CONTEXT,
    "SubagentStart": _CONTEXT,
}
_FOYA = {
    "PreToolUse": {"decision", "halt", "reason", "context", "updated_input"},
    "PermissionRequest": {"decision", "halt", "reason"},
    "PreCompact": {"decision", "halt", "reason"},
    "UserPromptSubmit": {"decision", "reason", "context"},
    "PostToolUse": {"decision", "reason", "context"},
    "SessionStart": {"context"},
    "SubagentStart": {"context"},
    "SubagentStop": {"decision", "reason"},
    "Stop": {"decision", "reason"},
}
_GEMINI_TOP = {"systemMessage", "decision", "reason", "hookSpecificOutput"}
_GEMINI = {"BeforeTool": {"tool_input"}, "SessionStart": _CONTEXT, "BeforeAgent": _CONTEXT, "AfterTool": _CONTEXT}
_COPILOT = {
    "preToolUse": {"permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext"},
    "userPromptSubmitted": {"decision", "reason", "additionalContext"},
    "permissionRequest": {"behavior", "message"},
    "sessionStart": _CONTEXT,
    "postToolUse": _CONTEXT,
    "postToolUseFailure": _CONTEXT,
    "subagentStart": _CONTEXT,
    "notification": _CONTEXT,
    "agentStop": {"decision", "reason"},
    "subagentStop": {"decision", "reason"},
}


def may_be_ours(name: str, stdout: str, native: str, exit_code: int = 0) -> bool:
    """Tell whether a hook of ours may print this: nothing, or one object of keys that the event has, at exit 0."""
    if exit_code != 0:
        return False
    if not stdout:
        return True
    try:
        wire = json.loads(stdout)
    except ValueError:
        return False
    if not isinstance(wire, dict) or not wire or has_null(wire):
        return False
    judge = {"codex": codex_takes, "openclaude": openclaude_takes, "foya": foya_takes, "gemini-cli": gemini_takes}
    return judge.get(name, copilot_takes)(wire, native)


def has_null(value: object) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(has_null, inner))


def specific_fits(wire: dict[str, Any], native: str, keys: AbstractSet[str]) -> bool:
    specific = wire.get("hookSpecificOutput")
    if specific is None:
        return True
    inner = {key: value for key, value in specific.items() if key != "hookEventName"}
    return bool(inner) and set(inner) <= keys and specific.get("hookEventName") == native


def codex_takes(wire: dict[str, Any], native: str) -> bool:
    # Interrupt, SessionEnd and the model events take nothing of ours.
    words = "".join(f"-{char.lower()}" if char.isupper() else char for char in native).lstrip("-")
    schema = SCHEMAS.get(f"{words}.command.output")
    if schema is None or not fits(wire, schema, schema.get("definitions", {})):
        return False
    specific = wire.get("hookSpecificOutput", {})
    decision = specific.get("permissionDecision")
    return (
        ("decision" in wire) == bool(wire.get("reason"))
        and (decision == "deny") == bool(specific.get("permissionDecisionReason"))
        and (decision == "allow") == ("updatedInput" in specific)
        and decision != "ask"
        and specific.get("hookEventName", native) == native
        and not {"suppressOutput", "updatedMCPToolOutput"} & {*wire, *specific}
        and (
            "continue" not in wire
            or (native == "PreCompact" and wire["continue"] is False and bool(wire["stopReason"]))
        )
    )


def fits(value: object, schema: dict[str, Any], definitions: dict[str, Any]) -> bool:
    """Tell whether a value fits a JSON Schema, as far as the schemas of Codex go."""
    if "$ref" in schema:
        return fits(value, definitions[schema["$ref"].rpartition("/")[2]], definitions)
    known = {
        "$schema",
        "title",
        "description",
        "default",
        "definitions",
        "type",
        "enum",
        "const",
        "allOf",
        "properties",
    }
    assert set(schema) <= known | {"required", "additionalProperties"}, schema
    kinds = {"object": dict, "string": str, "boolean": bool}
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return False
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return False
    if not all(fits(value, part, definitions) for part in schema.get("allOf", ())):
        return False
    if not isinstance(value, dict):
        return True
    properties = schema.get("properties", {})
    return (
        set(schema.get("required", ())) <= set(value)
        and (schema.get("additionalProperties") is not False or set(value) <= set(properties))
        and all(fits(part, properties[key], definitions) for key, part in value.items() if key in properties)
    )


def openclaude_takes(wire: dict[str, Any], native: str) -> bool:
    specific = wire.get("hookSpecificOutput", {})
    return (
        set(wire) <= _CLAUDE_TOP
        and specific_fits(wire, native, _CLAUDE_SPECIFIC.get(native, set()))
        and wire.get("decision", "block") == "block"
        and ("decision" in wire) == bool(wire.get("reason"))
        and specific.get("permissionDecision", "deny") in ("deny", "allow")
        and (specific.get("permissionDecision") == "deny") == bool(specific.get("permissionDecisionReason"))
        and native not in ("PreCompact", "PostCompact", "SessionEnd", "Notification")
    )


def foya_takes(wire: dict[str, Any], native: str) -> bool:
    return (
        set(wire) <= _FOYA.get(native, set())
        and wire.get("decision", "deny") in ("deny", "allow")
        and (wire.get("decision") == "deny") == bool(wire.get("reason"))
        and len(json.dumps(wire, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= 64 * 1024
    )


def gemini_takes(wire: dict[str, Any], native: str) -> bool:
    return (
        set(wire) <= _GEMINI_TOP
        and specific_fits(wire, native, _GEMINI.get(native, set()))
        and wire.get("decision", "deny") == "deny"
        and ("decision" in wire) == bool(wire.get("reason"))
        and not (native == "AfterTool" and {"decision", "hookSpecificOutput"} <= set(wire))
        and native not in ("PreCompress", "SessionEnd", "Notification")
    )


def copilot_takes(wire: dict[str, Any], native: str) -> bool:
    return (
        set(wire) <= _COPILOT.get(native, set())
        and wire.get("decision", "block") == "block"
        and ("decision" in wire) == bool(wire.get("reason"))
        and (wire.get("permissionDecision") == "deny") == bool(wire.get("permissionDecisionReason"))
        and (wire.get("behavior") == "deny") == bool(wire.get("message"))
    )


@pytest.mark.parametrize("row", REJECTED_ROWS, ids=sample_id)
def test_no_shape_that_a_client_drops_can_be_ours(row: dict[str, Any]) -> None:
    text = (SAMPLES / row["file"]).read_bytes().decode()
    assert not may_be_ours(row["harness"], text, row["event"], row["exit"])


@pytest.mark.parametrize("row", STDOUT_ROWS, ids=sample_id)
def test_every_answer_that_works_may_be_ours(row: dict[str, Any]) -> None:
    if not row["file"].endswith("pascal_deny.json"):
        assert may_be_ours(row["harness"], (SAMPLES / row["file"]).read_text(encoding="utf-8"), row["event"])


TEXTS = st.text(max_size=8)


@given(
    answer=st.fixed_dictionaries(
        {},
        optional={
            "block": TEXTS,
            "context": TEXTS,
            "message": TEXTS,
            "allow": st.booleans(),
            "halt": st.booleans(),
            "input": st.none() | st.dictionaries(TEXTS, TEXTS, max_size=2),
        },
    ),
    place=st.sampled_from(
        [(name, native) for name in NAMES if name != "claude-code" for native in (*CODECS[name].EVENTS, "Elsewhere")]
    ),
)
@under(max_examples=500, deadline=None)
def test_no_answer_has_a_shape_that_a_client_drops(answer: dict[str, Any], place: tuple[str, str]) -> None:
    name, native = place
    wire = CODECS[name].encode(answer, native)
    assert may_be_ours(name, json.dumps(wire) if wire else "", native), wire


def test_copilot_answers_under_the_names_of_claude_code_in_its_manner() -> None:
    encode = CODECS["copilot-cli"].encode
    assert encode({"block": "no", "context": "c"}, "UserPromptSubmit") == {
        "decision": "block",
        "reason": "no",
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "c"},
    }
    assert encode({"block": "no"}, "Stop") == {"decision": "block", "reason": "no"}
    assert encode({"block": "no"}, "PermissionRequest") == {"behavior": "deny", "message": "no"}
    assert encode({}, "PreToolUse") == {}
