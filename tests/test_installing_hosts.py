"""Installing into every harness and scope: files as users have them, back to the byte, and nothing that a host would choke on."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as under
from hypothesis import strategies as st

from rulewright import harness, installing
from rulewright.errors import RulewrightError
from rulewright.installing import Plan, RulesRefused
from rulewright.installing.host_faults import host_faults
from rulewright.installing.host_file import (
    MARKER,
    Ours,
    Shape,
    command_of,
    data_of,
    edit_host_file,
    handlers_of,
    shape_of,
)
from rulewright.installing.lockfile import Before
from rulewright.settings import load_settings

PLACES = [(name, scope) for name in harness.NAMES for scope in harness.codec(name).CONFIG]

BLOCK = "target: tool\n    tool: shell\n    action: block\n    when:\n      conditions:\n        - {field: tool.input.command, op: contains, pattern: rm -rf}\n    text: Do not run rm -rf."
HELLO = "target: event\n    event: prompt.submitted\n    text: State assumptions."


def package(name: str, *rules: str) -> str:
    head = f"spec: style/v0.3\nname: {name}\nversion: 0.1.0\ndescription: d\nrules:\n"
    return head + "".join(f"  - id: r{number}\n    {rule}\n" for number, rule in enumerate(rules))


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def state() -> Path:
    return Path(os.environ["RULEWRIGHT_HOME"])


@pytest.fixture
def root(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in harness.NAMES:
        for variable, _, _ in harness.codec(name).CONFIG.values():
            if variable:
                monkeypatch.delenv(variable, raising=False)
    folder = tmp_path / "my project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    put(folder / ".style" / "guard.yaml", package("guard", BLOCK, HELLO))
    put(home / ".style" / "own.yaml", package("own", BLOCK, HELLO))
    return folder


def install(root: Path, name: str, scope: str = "project", **options: Any) -> Plan:
    plan = installing.plan_install(load_settings(str(root)), name, scope, **options)
    installing.apply(plan)
    return plan


def uninstall(root: Path, name: str, scope: str = "project") -> Plan:
    plan = installing.plan_uninstall(load_settings(str(root)), name, scope)
    installing.apply(plan)
    return plan


def host_of(root: Path, name: str, scope: str = "project") -> Path:
    return Path(installing.place_of(load_settings(str(root)), name, scope).host)


def snapshot(*folders: Path) -> dict[str, bytes | None]:
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for folder in folders
        for path in folder.rglob("*")
        if ".git" not in path.parts
    }


def ours_in(path: Path, name: str) -> dict[str, list[str]]:
    """Return our command lines by native event."""
    shape = shape_of(harness.codec(name))
    found: dict[str, list[str]] = {}
    for native, handler in handlers_of(data_of(path.read_bytes().decode("utf-8-sig"), shape, "x"), shape):
        command = command_of(handler)
        if command is not None:
            found.setdefault(native, []).append(command)
    return found


def native_of(name: str, canonical: str) -> str:
    return next(native for native, row in harness.codec(name).EVENTS.items() if row[0] == canonical)


@pytest.mark.parametrize(("name", "scope"), PLACES)
def test_from_nothing_and_back(root: Path, home: Path, state: Path, name: str, scope: str) -> None:
    before = snapshot(root, home, state)
    plan = install(root, name, scope)
    wanted = {native_of(name, "tool.pre"), native_of(name, "prompt.submitted")}
    assert wanted <= set(plan.events)
    found = ours_in(host_of(root, name, scope), name)
    assert set(found) == set(plan.events)
    assert all(len(commands) == 1 for commands in found.values())
    assert install(root, name, scope).changes == ()
    uninstall(root, name, scope)
    assert snapshot(root, home, state) == before


OTHER = {"type": "command", "command": "other.sh --x", "timeout": 5}
HOST_FILES = {
    "groups": [
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [OTHER]}], "Stop": [{"hooks": [OTHER]}]}}),
        '{\r\n\t"hooks" : {\r\n\t\t"PreToolUse": [\r\n\t\t\t{"hooks": [{"type": "command", "command": "a b"}]}\r\n\t\t]\r\n\t}\r\n}',
        '{"hooks":{}}',
        "\ufeff{}\n",
        '{\n    "hooks": {\n        "UserPromptSubmit": []\n    }\n}',
    ],
    "handlers": [
        json.dumps({"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "other.sh"}]}}, indent=4),
        '{"hooks": {"userPromptSubmitted": []}, "x": [1,2]}',
        '{ "version" : 1 }',
    ],
    "list": [
        json.dumps([{"event": "PreToolUse", "matcher": "^bash$", "command": "other.sh", "timeout": 9}], indent=2)
        + "\n",
        "[]",
        "[ ]\n",
        '[\r\n\t{"event": "Stop", "command": "z"}\r\n]',
        "[\n]\n",
    ],
}
CASES = [(name, scope, text) for name, scope in PLACES for text in HOST_FILES[harness.codec(name).CONFIG_SHAPE]]


@pytest.mark.parametrize(("name", "scope", "text"), CASES)
def test_every_other_byte_stays(root: Path, home: Path, state: Path, name: str, scope: str, text: str) -> None:
    path = put(host_of(root, name, scope), text)
    before = snapshot(root, home, state)
    install(root, name, scope)
    after = path.read_bytes().decode()
    rest = iter(after)
    assert all(char in rest for char in text), "something of the user's is gone or moved"
    shape = shape_of(harness.codec(name))
    others = [handler for _, handler in handlers_of(data_of(text.lstrip("\ufeff"), shape, "x"), shape)]
    now = [h for _, h in handlers_of(data_of(after.lstrip("\ufeff"), shape, "x"), shape) if command_of(h) is None]
    assert now == others
    assert install(root, name, scope).changes == ()
    uninstall(root, name, scope)
    assert snapshot(root, home, state) == before


GEMINI = """{
  // the theme
  "ui": {"theme": "x"}, /* more,
     of it */
  "hooks": { // none yet
  } // end
}
"""


@pytest.mark.parametrize(
    "text",
    [
        GEMINI,
        '{\n  "a": 1 // one, two\n}\n',
        "{ /* nothing */ }",
        "// head\n{\n}\n",
        '{"hooks": {"BeforeTool": [ /* a */ {"hooks": [{"type": "command", "command": "x // y"}]} /* b */ ] /* c */}}',
    ],
)
def test_comments_stay_where_the_host_takes_them(root: Path, text: str) -> None:
    path = put(root / ".gemini" / "settings.json", text)
    install(root, "gemini-cli")
    after = path.read_text()
    rest = iter(after)
    assert all(char in rest for char in text)
    assert len(ours_in(path, "gemini-cli")["BeforeTool"]) == 1
    uninstall(root, "gemini-cli")
    assert path.read_text() == text


def test_a_comment_written_since_stays(root: Path) -> None:
    path = put(root / ".gemini" / "settings.json", "{}\n")
    install(root, "gemini-cli")
    path.write_text(path.read_text().replace('"hooks": {', '"hooks": { // mine', 1))
    uninstall(root, "gemini-cli")
    assert "// mine" in path.read_text()
    assert MARKER not in path.read_text()


@pytest.mark.parametrize("name", ["claude-code", "codex", "openclaude", "copilot-cli"])
def test_comments_are_refused_where_the_host_does_not(root: Path, name: str) -> None:
    put(host_of(root, name), "{ // c\n}")
    with pytest.raises(RulewrightError, match="there is a comment"):
        install(root, name)


def test_codex_positions_stay(root: Path) -> None:
    """Trust hangs on the place of an entry: a changed one is rewritten where it is, and nothing moves."""
    path = host_of(root, "codex")
    install(root, "codex")
    data = json.loads(path.read_text())
    data["hooks"]["PreToolUse"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    path.write_text(json.dumps(data))
    data["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 9
    path.write_text(json.dumps(data, indent=1))
    install(root, "codex")
    groups = json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert groups[0]["hooks"][0]["timeout"] == 10
    assert groups[1]["hooks"][0]["command"] == "theirs"
    assert len(groups) == 2


def test_codex_other_rules_change_the_index_only(root: Path) -> None:
    install(root, "codex")
    put(root / ".style" / "guard.yaml", package("guard", BLOCK.replace("Do not", "Never"), HELLO))
    plan = install(root, "codex")
    assert sorted(os.path.basename(change.path) for change in plan.changes) == ["codex.index", "style.lock.yaml"]
    assert not any("trust" in note.en for note in plan.notes)


@pytest.mark.ledger("S092")
def test_codex_entries_declare_ten_seconds_and_others_none(root: Path) -> None:
    install(root, "codex")
    for groups in json.loads(host_of(root, "codex").read_text())["hooks"].values():
        [handler] = groups[0]["hooks"]
        assert handler["timeout"] == 10
        assert handler["command"].endswith(" 10")  # so that the deadline within is 9 s
    for name in ("claude-code", "openclaude"):
        install(root, name)
        assert "timeout" not in host_of(root, name).read_text()


@pytest.mark.parametrize("name", harness.NAMES)
def test_only_events_that_the_host_knows(root: Path, name: str) -> None:
    every = "\n".join(
        f"  - {{id: e{number}, target: event, event: {row[0]}, text: x, fallback: skip}}"
        for number, row in enumerate(harness.codec(name).EVENTS.values())
    )
    head = "spec: style/v0.3\nname: all\nversion: 0.1.0\ndescription: d\nrules:\n"
    put(root / ".style" / "guard.yaml", head + every + "\n")
    events = install(root, name).events
    codec = harness.codec(name)
    assert events
    assert set(events) <= set(codec.CONFIG_EVENTS or codec.EVENTS)
    avoided = {"WorktreeCreate", "MessageDisplay", "PostToolBatch", "BeforeModel", "AfterModel", "BeforeToolSelection"}
    assert not set(events) & (avoided | {"PreModelRequest", "PostModelRequest"})


FAULTS = [
    ("claude-code", {"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}, "hooks.PreToolUse[0].hooks[0].command"),
    ("claude-code", {"hooks": {"PreToolUse": [{"matcher": 1, "hooks": []}]}}, "hooks.PreToolUse[0].matcher"),
    ("claude-code", {"hooks": {"PermissionRequest": [{"matcher": "x"}]}}, "hooks.PermissionRequest[0].hooks"),
    ("claude-code", {"hooks": {"PreToolUse": [{"hooks": [{**OTHER, "timeout": "5"}]}]}}, "timeout"),
    ("claude-code", {"hooks": {"PreToolUse": [{"hooks": [{**OTHER, "timeout": 0}]}]}}, "timeout"),
    ("claude-code", {"hooks": {"PreToolUse": [{"hooks": [{**OTHER, "onFailure": "deny"}]}]}}, "onFailure"),
    ("claude-code", {"hooks": {"PreToolUse": [{"hooks": [{"type": "shell", "command": "x"}]}]}}, "type"),
    ("claude-code", {"hooks": {"PreToolUse": ["x"]}}, "hooks.PreToolUse[0]"),
    ("claude-code", {"hooks": {"PreToolUse": [{"hooks": [1]}]}}, "hooks.PreToolUse[0].hooks[0]"),
    ("codex", {"hooks": {}, "env": {}}, "`env`"),
    ("codex", {"hooks": {"Stop": [{"hooks": [{**OTHER, "timeout": 1.5}]}]}}, "timeout"),
    ("codex", {"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "x"}]}]}}, "type"),
    ("openclaude", {"hooks": {"PostToolBatch": []}}, "hooks.PostToolBatch"),
    ("openclaude", {"hooks": {"FileChanged": [{"hooks": [{"type": "command"}]}]}}, "command"),
    ("foya", [{"event": "Stop", "command": "x", "extra": 1}], "[0].extra"),
    ("foya", [{"event": "Later", "command": "x"}], "[0].event"),
    ("foya", [{"event": "Stop", "command": " "}], "[0].command"),
    ("foya", [{"event": "Stop", "command": "x", "matcher": "(?=x)"}], "[0].matcher"),
    ("foya", [7], "[0]"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "place"), FAULTS)
def test_a_file_that_the_host_ignores_is_refused(root: Path, name: str, data: object, place: str) -> None:
    path = put(host_of(root, name), json.dumps(data))
    before = snapshot(root)
    with pytest.raises(RulewrightError) as caught:
        install(root, name)
    assert f"{name} ignores" in caught.value.to("en")
    assert place in caught.value.to("en")
    assert caught.value.to("zh-CN") != caught.value.to("en")
    assert snapshot(root) == before
    uninstall(root, name)  # taking ours out is not held up by faults of others
    assert path.read_text() == json.dumps(data)


FINE = [
    ("claude-code", {"hooks": {"Stop": [{"hooks": [{"type": "command"}]}], "Unknown": []}}),
    ("claude-code", {"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "u", "timeout": 0.5}], "x": 1}]}}),
    ("codex", {"description": "d", "hooks": {"Unknown": [{"hooks": [{"type": "http"}]}]}}),
    ("codex", {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "", "onFailure": 3}]}]}}),
    ("openclaude", {"hooks": {"WorktreeCreate": [{"hooks": [{"type": "prompt", "prompt": "p"}]}]}, "env": {}}),
    ("gemini-cli", {"hooks": {"BeforeTool": [{"hooks": [{"type": "x"}]}]}}),
    ("copilot-cli", {"hooks": {"preToolUse": [{}]}}),
    ("foya", [{"event": "TurnComplete", "command": "x", "matcher": "^a|b$", "async": True, "enabled": False}]),
]


@pytest.mark.parametrize(("name", "data"), FINE)
def test_what_a_host_tolerates_is_no_fault(root: Path, name: str, data: object) -> None:
    assert list(host_faults(data, harness.codec(name))) == []
    put(host_of(root, name), json.dumps(data))
    assert install(root, name).changes


@pytest.mark.ledger("S050")
def test_rules_that_a_harness_cannot_do_are_refused(root: Path) -> None:
    put(
        root / ".style" / "guard.yaml", package("guard", BLOCK, "target: event\n    event: task.completed\n    text: x")
    )
    before = snapshot(root)
    with pytest.raises(RulesRefused) as caught:
        install(root, "codex")
    assert [reason.en.split(":")[0] for reason in caught.value.reasons] == ["guard/r1@task.completed"]
    assert "event-unsupported" in caught.value.reasons[0].en
    assert snapshot(root) == before
    closed = "target: tool\n    tool: shell\n    at: before\n    fail: closed\n    fallback: degrade\n    text: x"
    put(root / ".style" / "guard.yaml", package("guard", closed))
    with pytest.raises(RulesRefused) as caught:
        install(root, "gemini-cli")  # BeforeTool carries no context there, so this would be degraded
    assert "fail-closed-unsupported" in caught.value.reasons[0].en
    assert install(root, "claude-code").events


def test_a_project_that_was_moved(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(root)
    for name in harness.NAMES:
        install(root, name)
    moved = root.parent / "moved"
    root.rename(moved)
    monkeypatch.chdir(moved)
    for name in harness.NAMES:
        (moved / ".style" / "style.lock.yaml").rename(moved / "lock")
        install(moved, name)  # told by their shape alone: what they name is gone
        (moved / ".style" / "style.lock.yaml").unlink()
        (moved / "lock").rename(moved / ".style" / "style.lock.yaml")
        install(moved, name)
        for commands in ours_in(host_of(moved, name), name).values():
            assert len(commands) == 1
            assert str(moved) in commands[0]
    for name in harness.NAMES:
        uninstall(moved, name)
    assert [path.removeprefix(str(moved)) for path in snapshot(moved)] == [
        path.removeprefix(str(root)) for path in before
    ]


def test_a_cloned_project_takes_the_entries_of_its_origin_over(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root / ".claude" / "settings.json", '{"env": {}}')
    install(root, "claude-code")
    clone = tmp_path / "clone"
    subprocess.run(["cp", "-r", str(root), str(clone)], check=True)
    monkeypatch.chdir(clone)
    install(clone, "claude-code")
    for commands in ours_in(host_of(clone, "claude-code"), "claude-code").values():
        assert [str(clone) in command for command in commands] == [True]
    uninstall(clone, "claude-code")
    assert (clone / ".claude" / "settings.json").read_text() == '{"env": {}}'


def test_project_and_local_share_the_index(root: Path) -> None:
    before = snapshot(root)
    install(root, "claude-code", "project")
    install(root, "claude-code", "local")
    one, two = (ours_in(host_of(root, "claude-code", scope), "claude-code") for scope in ("project", "local"))
    assert one == two  # equal commands are run once by the client
    uninstall(root, "claude-code", "project")
    assert (root / ".style" / "claude-code.index").exists()
    assert ours_in(host_of(root, "claude-code", "local"), "claude-code") == two
    uninstall(root, "claude-code", "local")
    assert snapshot(root) == before


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_folders_go_with_the_last_installation(root: Path, order: tuple[int, ...]) -> None:
    (root / ".style" / "guard.yaml").rename(root / "guard.style.yaml")
    (root / ".style").rmdir()
    put(root / "rulewright.toml", 'packages = ["*.style.yaml"]\n')
    before = snapshot(root)
    places = [("claude-code", "project"), ("claude-code", "local"), ("copilot-cli", "project")]
    for name, scope in places:
        install(root, name, scope)
    for number in order:
        uninstall(root, *places[number])
    assert snapshot(root) == before


def test_user_scope_takes_the_packages_of_the_user(root: Path, home: Path, state: Path) -> None:
    plan = install(root, "claude-code", "user")
    assert [found.name for found in plan.packages] == ["own"]
    assert (home / ".claude" / "settings.json").exists()
    assert not (root / ".claude").exists()
    assert not (root / ".style" / "style.lock.yaml").exists()
    for path in (state / "style.lock.yaml", state / "claude-code.index"):
        assert path.stat().st_mode & 0o777 == 0o600


def test_the_variable_moves_the_users_file(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere" / "deep"))
    install(root, "claude-code", "user")
    assert (tmp_path / "elsewhere" / "deep" / "settings.json").exists()
    uninstall(root, "claude-code", "user")
    assert not (tmp_path / "elsewhere").exists()


def test_a_variable_that_names_another_folder_than_then(
    root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home / ".claude" / "settings.json", '{"env": {}}')
    install(root, "claude-code", "user")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    install(root, "claude-code", "user")
    assert (home / ".claude" / "settings.json").read_text() == '{"env": {}}'
    assert ours_in(tmp_path / "elsewhere" / "settings.json", "claude-code")
    uninstall(root, "claude-code", "user")
    assert not (tmp_path / "elsewhere").exists()


def test_copies_from_before_the_first_change(root: Path, state: Path) -> None:
    path = put(root / ".claude" / "settings.json", '{"env": {"TOKEN": "secret"}}')
    install(root, "claude-code")
    [copy] = (state / "backups").iterdir()
    assert copy.read_text() == '{"env": {"TOKEN": "secret"}}'
    assert copy.stat().st_mode & 0o777 == 0o600
    assert (state / "backups").stat().st_mode & 0o777 == 0o700
    path.write_text(path.read_text().replace("secret", "other"))
    install(root, "claude-code")
    assert copy.read_text() == '{"env": {"TOKEN": "secret"}}'
    uninstall(root, "claude-code")
    assert path.read_text() == '{"env": {"TOKEN": "other"}}'
    assert copy.exists()  # it is not what is there now, so it may be wanted
    install(root, "claude-code")
    assert copy.read_text() == '{"env": {"TOKEN": "other"}}'
    uninstall(root, "claude-code")
    assert not copy.exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_file_is_not_changed(root: Path) -> None:
    path = put(root / ".claude" / "settings.json", "{}")
    path.chmod(0o400)
    before = snapshot(root)
    with pytest.raises(RulewrightError, match="no permission"):
        install(root, "claude-code")
    assert snapshot(root) == before


def test_codex_hooks_in_both_files(root: Path) -> None:
    config = put(root / ".codex" / "config.toml", '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\n')
    assert any("has a table `hooks` of its own" in note.en for note in install(root, "codex").notes)
    config.write_text("[features]\nhooks = false\n")
    assert any("turns all hooks off" in note.en for note in install(root, "codex").notes)
    config.write_text("broken = = toml")
    assert install(root, "codex").notes == ()


# In a shell, as hosts run them


def run(command: str, payload: object, cwd: Path, shell: str = "sh") -> tuple[int, str, str]:
    done = subprocess.run(
        [shell, "-c", command],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def payload_of(name: str, canonical: str, root: Path, **more: object) -> dict[str, object]:
    """Return a payload as the harness sends it, from its recorded samples' common keys."""
    codec = harness.codec(name)
    found: dict[str, object] = {"cwd": str(root), codec.SESSION_FIELD: "s1"}
    if codec.EVENT_FIELD:
        found[codec.EVENT_FIELD] = native_of(name, canonical)
    return found | more


TOOL_CALLS: dict[str, dict[str, object]] = {
    "claude-code": {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}},
    "codex": {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}, "turn_id": "t"},
    "openclaude": {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}},
    "foya": {"tool_name": "bash", "tool_input": {"command": "rm -rf /"}},
    "gemini-cli": {"tool_name": "run_shell_command", "tool_input": {"command": "rm -rf /"}},
    "copilot-cli": {"toolName": "bash", "toolArgs": {"command": "rm -rf /"}},
}


@pytest.mark.parametrize(("name", "scope"), PLACES)
def test_the_installed_command_denies(root: Path, name: str, scope: str) -> None:
    install(root, name, scope)
    [command] = ours_in(host_of(root, name, scope), name)[native_of(name, "tool.pre")]
    code, out, err = run(command, payload_of(name, "tool.pre", root, **TOOL_CALLS[name]), root)
    assert (code, err) == (0, "")
    assert "Do not run rm -rf." in out
    assert isinstance(json.loads(out), dict)


@pytest.mark.parametrize("name", harness.NAMES)
def test_a_program_that_is_gone_denies_nothing_where_it_could(root: Path, name: str) -> None:
    install(root, name)
    [command] = ours_in(host_of(root, name), name)[native_of(name, "tool.pre")]
    payload = payload_of(name, "tool.pre", root, **TOOL_CALLS[name])
    broken = [re.sub(r"^\S+", "/gone/python3", command), re.sub(r'append\(\\?"[^"\\]*', 'append("/gone', command)]
    for line in broken:
        code, out, _ = run(line, payload, root)
        assert out == ""
        assert code != 2  # which several hosts read as a denial
        if harness.codec(name).FAILURE_DENIES:
            assert code == 0


def test_one_text_of_a_rule_that_is_installed_twice(root: Path, home: Path) -> None:
    (home / ".style" / "own.yaml").write_text((root / ".style" / "guard.yaml").read_text())
    commands = []
    for scope in ("user", "project"):
        install(root, "claude-code", scope)
        commands += ours_in(host_of(root, "claude-code", scope), "claude-code")["UserPromptSubmit"]
    assert len(set(commands)) == 2
    payload = payload_of("claude-code", "prompt.submitted", root, prompt="hi", prompt_id="p1")
    answers = [run(command, payload, root)[1] for command in commands]
    assert ["State assumptions." in answer for answer in answers] == [True, False]


# Any file of any shape, over random layouts

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
handler = st.fixed_dictionaries({"type": st.just("command"), "command": text})
group = st.fixed_dictionaries({"hooks": st.lists(handler, max_size=2)}, optional={"matcher": text})
EVENTS = ["A", "B"]
DATA = {
    "groups": st.dictionaries(st.sampled_from([*EVENTS, "C"]), st.lists(group, max_size=2), max_size=3),
    "handlers": st.dictionaries(st.sampled_from([*EVENTS, "C"]), st.lists(handler, max_size=3), max_size=3),
    "list": st.lists(st.builds(lambda h, e: {**h, "event": e}, handler, st.sampled_from([*EVENTS, "C"])), max_size=4),
}
top = st.dictionaries(text.filter(lambda key: key != "hooks"), text | st.integers() | st.none(), max_size=2)


def layout(data: object, chance: random.Random, comments: bool) -> Iterator[str]:
    def blank() -> str:
        pieces = [" ", "", "", "\n", "\r\n", "\t"] + (["/*,x*/", "// c]\n"] if comments else [])
        return "".join(chance.choice(pieces) for _ in range(chance.randrange(4)))

    yield blank()
    if isinstance(data, dict):
        yield "{"
        for number, (key, value) in enumerate(data.items()):
            yield f"{',' if number else ''}{blank()}{json.dumps(key)}{blank()}:"
            yield from layout(value, chance, comments)
        yield blank() + "}"
    elif isinstance(data, list):
        yield "["
        for number, value in enumerate(data):
            yield "," if number else ""
            yield from layout(value, chance, comments)
        yield blank() + "]"
    else:
        yield json.dumps(data, ensure_ascii=False)
    yield blank()


def of_ours(event: str, timeout: int) -> dict[str, object]:
    return {"type": "command", "command": f"p {MARKER} h /s /p/i {event}", "event": event, "timeout": timeout}


def is_subsequence(before: str, after: str) -> bool:
    rest = iter(after)
    return all(char in rest for char in before)


@pytest.mark.parametrize("comments", [False, True])
@pytest.mark.parametrize("kind", ["groups", "handlers", "list"])
@under(deadline=None, max_examples=60)
@given(st.data(), top, st.randoms(use_true_random=False), st.sets(st.sampled_from(EVENTS), min_size=1))
def test_editing_any_file_and_back(
    kind: Any, comments: bool, draw: st.DataObject, rest: dict[str, Any], chance: random.Random, events: set[str]
) -> None:
    hooks = draw.draw(DATA[kind])
    data = hooks if kind == "list" else {**rest, **({"hooks": hooks} if hooks or chance.random() < 0.5 else {})}
    original = "".join(layout(data, chance, comments))
    shape = Shape(kind, "hooks", {}, comments)
    wanted = {event: of_ours(event, 1) for event in sorted(events)}
    ours = Ours("/p/i")
    edited, before = edit_host_file(original, shape, wanted, ours, Before(), "x")
    found = list(handlers_of(data_of(edited, shape, "x"), shape))
    assert [item for item in found if not ours.owns(item[1])] == list(handlers_of(data, shape))
    assert sorted(event for event, item in found if ours.owns(item)) == sorted(events)
    assert is_subsequence(original, edited)
    assert edit_host_file(edited, shape, wanted, ours, before, "x") == (edited, before)
    # A changed handler is rewritten in its place: the others are where they were.
    changed, before = edit_host_file(edited, shape, {event: of_ours(event, 2) for event in wanted}, ours, before, "x")
    assert [event for event, item in handlers_of(data_of(changed, shape, "x"), shape)] == [event for event, _ in found]
    # One event more, one less, then none.
    every = {event: of_ours(event, 2) for event in EVENTS}
    more, before = edit_host_file(changed, shape, every, ours, before, "x")
    less, before = edit_host_file(more, shape, {"B": every["B"]}, ours, before, "x")
    back, _ = edit_host_file(less, shape, {}, ours, before, "x")
    assert back == original
