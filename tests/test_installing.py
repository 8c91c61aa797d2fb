"""Installing into Claude Code: the user's settings stay as they are to the byte, and failures leave no half."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as under
from hypothesis import strategies as st

from rulewright import files, installing
from rulewright.errors import RulewrightError
from rulewright.installing import Block, Installed, Lock, PackagesRefused, Plan
from rulewright.installing.host_file import MARKER, Ours, Shape, edit_host_file
from rulewright.installing.lockfile import Before, read_lock, write_lock
from rulewright.settings import load_settings
from rulewright.syntax import json_edit
from rulewright.text.edits import apply_edits
from rulewright.text.language import same

RULES = {
    "tool.pre": "target: tool\n    tool: shell\n    action: block\n    text: No.",
    "prompt": "target: event\n    event: prompt.submitted\n    repeat: every\n    reason: r\n    text: Hi.",
    "stop": "target: event\n    event: session.end\n    action: inject\n    text: Hi.",
}


def package(name: str, *rules: str) -> str:
    head = f"spec: style/v0.3\nname: {name}\nversion: 0.1.0\ndescription: d\nrules:\n"
    return head + "".join(f"  - id: r{number}\n    {rule}\n" for number, rule in enumerate(rules))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "my project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    put(folder / ".style" / "guard.yaml", package("guard", RULES["tool.pre"]))
    return folder


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def install(root: Path) -> Plan:
    plan = installing.plan_install(load_settings(str(root)), "claude-code")
    installing.apply(plan)
    return plan


def uninstall(root: Path) -> Plan:
    plan = installing.plan_uninstall(load_settings(str(root)), "claude-code")
    installing.apply(plan)
    return plan


def snapshot(root: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None
        for path in root.rglob("*")
        if ".git" not in path.parts
    }


def settings_of(root: Path) -> Any:
    return json.loads((root / ".claude" / "settings.json").read_text("utf-8-sig"))


def commands(data: Any) -> dict[str, list[str]]:
    return {
        native: [handler["command"] for group in groups for handler in group["hooks"]]
        for native, groups in data.get("hooks", {}).items()
    }


def test_from_nothing_and_back(root: Path) -> None:
    before = snapshot(root)
    plan = install(root)
    assert plan.events == ("PreToolUse",)
    assert [package.name for package in plan.packages] == ["guard"]
    data = settings_of(root)
    [handler] = data["hooks"]["PreToolUse"][0]["hooks"]
    assert handler["type"] == "command"
    assert list(handler) == ["type", "command"]
    assert MARKER in handler["command"]
    lock = (root / ".style" / "style.lock.yaml").read_text()
    assert 'name: "guard"' in lock
    assert files.digest((root / ".style" / "guard.yaml").read_bytes()) in lock
    uninstall(root)
    assert snapshot(root) == before


@pytest.mark.ledger("S092")
def test_claude_code_entries_declare_no_timeout(root: Path) -> None:
    install(root)
    assert "timeout" not in json.dumps(settings_of(root))


def test_the_installed_command_denies(root: Path) -> None:
    install(root)
    [command] = commands(settings_of(root))["PreToolUse"]
    event = {
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(root), "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }  # fmt: skip
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps(event).encode(), capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert done.stderr == b""


def test_the_state_folder_is_private(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULEWRIGHT_HOME", str(tmp_path / "state" / "deep"))
    plan = installing.plan_install(load_settings(str(root)), "claude-code")
    assert not (tmp_path / "state").exists()  # a plan changes nothing
    installing.apply(plan)
    assert (tmp_path / "state" / "deep").stat().st_mode & 0o777 == 0o700


def test_a_second_install_changes_nothing(root: Path) -> None:
    put(root / ".claude" / "settings.json", '{"env": {}}')
    install(root)
    before = snapshot(root)
    assert install(root).changes == ()
    assert snapshot(root) == before


ODD_SETTINGS = [
    "{}",
    "{ }",
    "{\n}",
    "\ufeff{}\r\n",
    '{"a":1}',
    '{"a" : [ 1,2 ] ,"b":{}}',
    '{\n    "a": 1\n}\n',
    '{\r\n\t"a": 1,\r\n\t"hooks": {}\r\n}',
    '{"hooks": {\n}}',
    '{"hooks": { }, "z": "中文 \\ud83d\\ude00 😀"}\n\n',
    '{"hooks":{"PreToolUse":[]}}',
    '{"hooks":{"PreToolUse":[ ]}}',
    '{\n  "hooks": {\n    "PreToolUse": [\n    ]\n  }\n}\n',
    '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}',
    '{\n "hooks": {\n  "PreToolUse": [\n   {"hooks": [{"type": "command", "command": "x", "timeout": 5}]}\n  ],\n'
    '  "Stop": [{"hooks": []}]\n },\n "unknown": null\n}',
    '{\r  "a": 1\r}\r',
]


@pytest.mark.parametrize("text", ODD_SETTINGS)
def test_every_other_byte_stays(root: Path, text: str) -> None:
    path = put(root / ".claude" / "settings.json", text)
    path.chmod(0o600)
    original = path.read_bytes()
    before = snapshot(root)
    install(root)
    after = path.read_bytes()
    assert after != original
    assert path.stat().st_mode & 0o777 == 0o600
    assert is_insertion(original.decode("utf-8"), after.decode("utf-8"))
    was, now = json.loads(original.decode("utf-8-sig")), settings_of(root)
    assert {key: value for key, value in now.items() if key != "hooks"} == {
        k: v for k, v in was.items() if k != "hooks"
    }
    old = was.get("hooks", {})
    assert {name: groups for name, groups in now["hooks"].items() if name != "PreToolUse"} == {
        name: groups for name, groups in old.items() if name != "PreToolUse"
    }
    assert now["hooks"]["PreToolUse"][:-1] == old.get("PreToolUse", [])
    assert install(root).changes == ()
    uninstall(root)
    assert path.read_bytes() == original
    assert snapshot(root) == before


def is_insertion(before: str, after: str) -> bool:
    """Tell whether `after` is `before` with text put in at one place."""
    start = 0
    while start < len(before) and before[start] == after[start]:
        start += 1
    tail = len(before) - start
    return tail == 0 or after.endswith(before[start:])


BROKEN_SETTINGS = [
    ("", "the text ends too early"),
    ("{", "the text ends too early"),
    ('{"a": 1,}', "a comma stands before the closing bracket"),
    ('{\n// c\n"a": 1}', ":2` is not JSON that can be edited safely: there is a comment"),
    ('{"a": 1, "a": 2}', "the key `a` is there twice"),
    ('{"a": NaN}', "`N` does not belong here"),
    ('{"a": 01}', "`1` does not belong here"),
    ("{'a': 1}", "`'` does not belong here"),
    ('{"a": "x\ny"}', "a string has no end or a bad escape"),
    ('{"a": "\\x"}', "a string has no end or a bad escape"),
    ("[]", "the settings must be an object"),
    ('{"hooks": []}', "`hooks` must be an object"),
    ('{"hooks": {"Stop": {}}}', "`hooks.Stop` must be a list"),
    ('{"a": 1} x', "something follows the end"),
    ("[" * 300, "nested too deep"),
    ('{"a": ' + "1" * 5000 + "}", "a number is too long"),
]


@pytest.mark.parametrize(("text", "why"), BROKEN_SETTINGS)
def test_settings_that_cannot_be_edited_safely_are_left_alone(root: Path, text: str, why: str) -> None:
    put(root / ".claude" / "settings.json", text)
    before = snapshot(root)
    with pytest.raises(RulewrightError) as caught:
        install(root)
    assert why in caught.value.to("en")
    assert ".claude/settings.json" in caught.value.to("en")
    assert snapshot(root) == before


def test_settings_behind_a_link(root: Path, tmp_path: Path) -> None:
    target = put(tmp_path / "dotfiles" / "settings.json", '{"a": 1}\n')
    (root / ".claude").mkdir()
    (root / ".claude" / "settings.json").symlink_to(target)
    install(root)
    assert (root / ".claude" / "settings.json").is_symlink()
    assert "hooks" in json.loads(target.read_text())
    uninstall(root)
    assert target.read_text() == '{"a": 1}\n'


def test_changed_rules_change_only_our_events(root: Path) -> None:
    other = {"hooks": [{"type": "command", "command": "mine"}]}
    path = put(root / ".claude" / "settings.json", json.dumps({"hooks": {"Stop": [other]}}, indent=2))
    original = path.read_bytes()
    install(root)
    first = path.read_bytes()
    put(root / ".style" / "more.yaml", package("more", RULES["prompt"]))
    assert install(root).events == ("PreToolUse", "UserPromptSubmit")
    assert set(settings_of(root)["hooks"]) == {"Stop", "PreToolUse", "UserPromptSubmit"}
    (root / ".style" / "more.yaml").unlink()
    install(root)
    assert path.read_bytes() == first
    put(root / ".style" / "guard.yaml", package("guard", RULES["prompt"]))
    install(root)
    assert set(settings_of(root)["hooks"]) == {"Stop", "UserPromptSubmit"}
    uninstall(root)
    assert path.read_bytes() == original


def test_disabled_rules_are_left_out(root: Path) -> None:
    put(root / ".style" / "guard.yaml", package("guard", RULES["tool.pre"] + "\n    enabled: false", RULES["prompt"]))
    assert install(root).events == ("UserPromptSubmit",)


def test_what_the_user_changed_afterwards_stays(root: Path) -> None:
    install(root)
    path = root / ".claude" / "settings.json"
    data = settings_of(root)
    data["hooks"]["PreToolUse"].insert(0, {"matcher": "Edit", "hooks": [{"type": "command", "command": "theirs"}]})
    data["hooks"]["PreToolUse"][1]["hooks"].append({"type": "command", "command": "joined ours"})
    data["hooks"]["Stop"] = []
    data["model"] = "x"
    path.write_text(json.dumps(data))
    uninstall(root)
    assert settings_of(root) == {
        "hooks": {
            "PreToolUse": [
                {"matcher": "Edit", "hooks": [{"type": "command", "command": "theirs"}]},
                {"hooks": [{"type": "command", "command": "joined ours"}]},
            ],
            "Stop": [],
        },
        "model": "x",
    }


def test_entries_of_another_project_are_not_ours(root: Path) -> None:
    install(root)
    [mine] = commands(settings_of(root))["PreToolUse"]
    theirs = mine.replace("my project", "my project 2")
    put(root.parent / "my project 2" / ".style" / "claude-code.index", "")
    entry = {"type": "command", "command": theirs}
    put(root / ".claude" / "settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    install(root)
    assert commands(settings_of(root))["PreToolUse"] == [theirs, mine]
    uninstall(root)
    assert commands(settings_of(root))["PreToolUse"] == [theirs]


def test_a_project_that_was_moved(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(root)
    moved = root.parent / "moved"
    root.rename(moved)
    monkeypatch.chdir(moved)
    install(moved)
    [command] = commands(settings_of(moved))["PreToolUse"]
    assert str(moved) in command
    uninstall(moved)
    assert not (moved / ".claude").exists()


def test_uninstall_without_install_changes_nothing(root: Path) -> None:
    put(root / ".claude" / "settings.json", '{"hooks": {"Stop": []}}')
    before = snapshot(root)
    assert uninstall(root).changes == ()
    assert snapshot(root) == before


def test_uninstall_without_the_lock_takes_our_entries(root: Path) -> None:
    put(root / ".claude" / "settings.json", '{"a": 1}')
    install(root)
    (root / ".style" / "style.lock.yaml").unlink()
    uninstall(root)
    assert settings_of(root) == {"a": 1, "hooks": {"PreToolUse": []}}
    assert not (root / ".style" / "claude-code.index").exists()


def test_a_damaged_lock_is_not_guessed_at(root: Path) -> None:
    for text in ("", "lock: 2\n", "lock: 1\n", "[", "lock: 1\ninstalls:\n  - harness: x\n"):
        put(root / ".style" / "style.lock.yaml", text)
        before = snapshot(root)
        with pytest.raises(RulewrightError, match="is damaged or of another version"):
            install(root)
        assert snapshot(root) == before


def test_packages_with_errors_are_refused(root: Path) -> None:
    put(root / "rulewright.toml", '[severity]\nblock-after = "off"\n')
    put(root / ".style" / "bad.yaml", package("bad", RULES["tool.pre"] + "\n    at: after"))
    before = snapshot(root)
    with pytest.raises(PackagesRefused) as caught:
        install(root)
    assert [(file.shown, f.code) for file in caught.value.outcome.files for f in file.findings] == [
        (".style/bad.yaml", "block-after")
    ]
    assert snapshot(root) == before


def test_two_packages_of_one_name_are_refused(root: Path) -> None:
    put(root / ".style" / "guard2.yaml", package("guard", RULES["prompt"]))
    with pytest.raises(PackagesRefused) as caught:
        install(root)
    assert {f.code for file in caught.value.outcome.files for f in file.findings} == {"duplicate-package"}


def test_no_packages(root: Path) -> None:
    (root / ".style" / "guard.yaml").unlink()
    with pytest.raises(RulewrightError, match="there are no packages"):
        install(root)


def test_packages_from_elsewhere_and_text_files(root: Path) -> None:
    (root / ".style" / "guard.yaml").unlink()
    (root / ".style").rmdir()
    put(root / "rulewright.toml", 'packages = ["rules/*.yaml"]\n')
    put(
        root / "rules" / "a.yaml",
        package("a", "target: tool\n    tool: shell\n    action: block\n    text_file: why.md"),
    )
    put(root / "rules" / "why.md", "Because of the file.")
    before = snapshot(root)
    install(root)
    assert b"Because of the file." in (root / ".style" / "claude-code.index").read_bytes()
    uninstall(root)
    assert snapshot(root) == before


@pytest.mark.parametrize("failing", ["claude-code.index", "style.lock.yaml", "settings.json"])
@pytest.mark.parametrize("update", [False, True])
def test_a_failed_write_undoes_the_others(
    root: Path, monkeypatch: pytest.MonkeyPatch, failing: str, update: bool
) -> None:
    put(root / ".claude" / "settings.json", '{ "a": 1 }')
    if update:
        install(root)
        put(root / ".style" / "more.yaml", package("more", RULES["prompt"]))
    before = snapshot(root)
    real = files.write_atomically
    failed: list[str] = []

    def write(path: str, data: bytes, mode: int | None = None) -> None:
        if path.endswith(failing) and not failed:
            failed.append(path)
            raise RulewrightError(same("disk full"))
        real(path, data, mode)

    monkeypatch.setattr(files, "write_atomically", write)
    with pytest.raises(RulewrightError, match="disk full"):
        install(root)
    assert failed
    assert snapshot(root) == before


def test_made_folders_go_again_when_the_write_fails(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(root)

    def write(path: str, data: bytes, mode: int | None = None) -> None:
        raise RulewrightError(same("disk full"))

    monkeypatch.setattr(files, "write_atomically", write)
    with pytest.raises(RulewrightError, match="disk full"):
        install(root)
    assert snapshot(root) == before


def test_a_file_that_changed_in_the_meantime_is_not_overwritten(root: Path) -> None:
    path = put(root / ".claude" / "settings.json", "{}")
    plan = installing.plan_install(load_settings(str(root)), "claude-code")
    path.write_text('{"new": 1}')
    with pytest.raises(RulewrightError, match="has changed in the meantime"):
        installing.apply(plan)
    assert path.read_text() == '{"new": 1}'
    assert not (root / ".style" / "style.lock.yaml").exists()


def test_unknown_harnesses_and_scopes(root: Path) -> None:
    settings = load_settings(str(root))
    with pytest.raises(RulewrightError, match="`nobody` is not supported"):
        installing.plan_install(settings, "nobody")
    with pytest.raises(RulewrightError, match="`codex` has no scope `local`"):
        installing.plan_uninstall(settings, "codex", "local")


def test_all_hooks_off_is_said(root: Path) -> None:
    put(root / ".claude" / "settings.json", '{"disableAllHooks": true}')
    assert "disableAllHooks" in install(root).notes[0].en


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@under(deadline=None)
@example("a\ufe0fb", "\u200b", ["\u180b"], {"\u115f": "\U000e0100"})
@given(text, text, st.lists(text, max_size=3), st.dictionaries(text, text, max_size=3))
def test_locks_are_read_as_they_were_written(one: str, two: str, many: list[str], blanks: dict[str, str]) -> None:
    lock = Lock(
        "claude-code", "project", one, two, blanks, tuple(Installed(one, two, name, "h") for name in many),
        Before(False, tuple(many), tuple(many), blanks), bool(many), Block(one, not many, two) if blanks else None,
    )  # fmt: skip
    written = write_lock([lock])
    path = Path(os.environ["RULEWRIGHT_HOME"]) / "style.lock.yaml"
    path.write_bytes(written.encode())
    assert read_lock(str(path)) == [lock]
    assert write_lock([lock]) == written


# The editor of JSON texts, over random settings in random layouts

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
groups = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.fixed_dictionaries({"type": st.just("command"), "command": text}), max_size=2)}
    ),
    max_size=2,
)
hooks = st.dictionaries(st.sampled_from(["PreToolUse", "Stop", "Other"]), groups, max_size=3)
settings_data = st.dictionaries(st.text(max_size=5).filter(lambda key: key != "hooks"), values, max_size=3).flatmap(
    lambda data: st.just(data) | hooks.map(lambda found: {**data, "hooks": found})
)


def layout(data: object, chance: random.Random) -> Iterator[str]:
    """Write JSON with random white space between all its parts."""

    def blank() -> str:
        return "".join(chance.choice([" ", "", "", "", "\n", "\r\n", "\t", "  "]) for _ in range(chance.randrange(4)))

    yield blank()
    if isinstance(data, dict):
        yield "{"
        for number, (key, value) in enumerate(data.items()):
            yield f"{',' if number else ''}{blank()}{json.dumps(key, ensure_ascii=chance.random() < 0.5)}{blank()}:"
            yield from layout(value, chance)
        yield blank() + "}"
    elif isinstance(data, list):
        yield "["
        for number, value in enumerate(data):
            yield "," if number else ""
            yield from layout(value, chance)
        yield blank() + "]"
    else:
        yield json.dumps(data, ensure_ascii=chance.random() < 0.5)
    yield blank()


SHAPE = Shape("groups", "hooks", {})
WANTED = {
    "PreToolUse": {"type": "command", "command": "p rulewright.hook_entry h /s /p/i PreToolUse"},
    "Stop": {"type": "command", "command": "p rulewright.hook_entry h /s /p/i Stop"},
}


@under(deadline=None, max_examples=50)
@given(settings_data, st.randoms(use_true_random=False), st.sets(st.sampled_from(sorted(WANTED)), min_size=1))
def test_editing_any_settings_and_back(data: dict[str, Any], chance: random.Random, events: set[str]) -> None:
    original = "".join(layout(data, chance))
    wanted = {name: WANTED[name] for name in sorted(events)}
    ours = Ours("/p/i")
    edited, before = edit_host_file(original, SHAPE, wanted, ours, Before(), "x")
    expected = json.loads(json.dumps(data))
    for name, handler in wanted.items():
        expected.setdefault("hooks", {}).setdefault(name, []).append({"hooks": [handler]})
    assert json.loads(edited) == expected
    assert is_subsequence(original, edited)
    again, same_before = edit_host_file(edited, SHAPE, wanted, ours, before, "x")
    assert (again, same_before) == (edited, before)
    back, _ = edit_host_file(edited, SHAPE, {}, ours, before, "x")
    assert back == original
    # Step by step, first one event and then the other, leads back too.
    for name, handler in WANTED.items():
        edited, before = edit_host_file(edited, SHAPE, {**wanted, name: handler}, ours, before, "x")
    edited, before = edit_host_file(edited, SHAPE, {"Stop": WANTED["Stop"]}, ours, before, "x")
    back, _ = edit_host_file(edited, SHAPE, {}, ours, before, "x")
    assert json.loads(back) == data
    assert back == original


def is_subsequence(before: str, after: str) -> bool:
    rest = iter(after)
    return all(char in rest for char in before)


@under(deadline=None)
@given(values, st.randoms(use_true_random=False))
def test_the_parser_reads_what_json_reads(data: Any, chance: random.Random) -> None:
    written = "".join(layout(data, chance))
    node = json_edit.parse(written)
    assert json_edit.data_of(node) == data
    assert json.loads(node.span.of(written)) == data


@under(deadline=None)
@given(st.text(alphabet=st.sampled_from('{}[],:"\\ \n0123eE+-.truefalsn/#\x00é'), max_size=30))
def test_the_parser_takes_nothing_that_json_refuses(written: str) -> None:
    try:
        node = json_edit.parse(written)
    except json_edit.JsonFault:
        return
    assert json_edit.data_of(node) == json.loads(written)


@under(deadline=None)
@given(st.lists(values, min_size=1, max_size=4), st.randoms(use_true_random=False), st.data())
def test_removing_an_item(items: list[Any], chance: random.Random, draw: st.DataObject) -> None:
    written = "".join(layout(items, chance))
    node = json_edit.parse(written)
    assert isinstance(node, json_edit.JsonArray)
    index = draw.draw(st.integers(0, len(items) - 1))
    after = apply_edits(written, [json_edit.remove_item(written, node, index)])
    assert json.loads(after) == items[:index] + items[index + 1 :]
