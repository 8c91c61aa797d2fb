"""Foya rules are saved whole or not at all: `rulewright rule new`, `set`, `delete`, `changes`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rulewright import files, saving
from rulewright.commands import rule_write
from rulewright.errors import RulewrightError
from rulewright.saving import Fields

ENGINE = Path(__file__).parents[2] / "engine"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("RULEWRIGHT_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(root)
    return root


def call(*words: str) -> int:
    parser = argparse.ArgumentParser()
    rule_write.add_arguments(words[0], parser, "en")
    args = parser.parse_args(words[1:])
    args.lang, args.lang_given = "en", True
    return rule_write.run(words[0], args)


def refused(*words: str) -> str:
    with pytest.raises(RulewrightError) as error:
        call(*words)
    return error.value.to("en")


def journal() -> list[dict[str, Any]]:
    path = Path(saving.journal_path())
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]] if path.exists() else []


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.ledger("F001", "F060", "F070")
def test_a_new_rule_has_its_own_file(project: Path) -> None:
    call("new", "Go Testing", "--trigger", "glob", "--glob", "**/*.go", "--text", "Run the package tests.\n")
    assert (project / ".foya/rules/go-testing.md").read_text("utf-8") == (
        '---\nid: go-testing\nname: Go Testing\ntrigger: glob\nglobs: ["**/*.go"]\n---\nRun the package tests.\n'
    )
    (row,) = journal()
    assert {key: row[key] for key in ("change", "scope", "id", "name", "trigger", "path")} == {
        "change": "created",
        "scope": "project",
        "id": "go-testing",
        "name": "Go Testing",
        "trigger": "glob",
        "path": ".foya/rules/go-testing.md",
    }


@pytest.mark.ledger("F060")
def test_global_rules_stand_in_one_file(project: Path) -> None:
    call("new", "Tone", "--global", "--trigger", "always", "--text", "Be brief. 简短。😀")
    call("new", "Checks", "--global", "--trigger", "manual", "--text", "Run all checks.")
    path = Path(os.environ["HOME"]) / ".foya/rules/user_rules.md"
    lines = path.read_text("utf-8").split("\n")
    assert lines[0] == "# Foya User Rules"
    markers = [json.loads(line[len("<!-- foya-rule: ") : -len(" -->")]) for line in lines if "foya-rule" in line]
    assert [(row["id"], row["name"], row["trigger"], row["scope"]) for row in markers] == [
        ("tone", "Tone", "always", "global"),
        ("checks", "Checks", "manual", "global"),
    ]
    call("set", "tone", "--global", "--text", "Be very brief.", "--description", "how to write")
    call("delete", "Checks", "--global")
    text = path.read_text("utf-8")
    assert "Be very brief." in text
    assert "how to write" in text
    assert "checks" not in text
    assert [row["change"] for row in journal()] == ["created", "created", "updated", "deleted"]


@pytest.mark.ledger("F003", "F025", "F002")
@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["Long", "--text", "字" * 6001], "6001"),
        (["Empty", "--text", " \u3000\n"], "foya-content-empty"),
        (["Choice", "--trigger", "model_decision", "--text", "x"], "foya-description-required"),
        (["Files", "--trigger", "glob", "--text", "x"], "foya-globs-required"),
        (["Odd", "--trigger", "sometimes", "--text", "x"], "foya-trigger"),
        (["Away", "--path", "../../away.md", "--text", "x"], "does not lie in"),
        (["Deep", "--path", "a/b/c/d/deep.md", "--text", "x"], "foya-depth"),
        (["Yaml", "--path", "rule.yaml", "--text", "x"], ".md"),
        (["Taken", "--text", "x"], "already"),
        (["Two", "--global", "--text", 'a\n<!-- foya-rule: {"id":"b"} -->\nc'], "read back"),
    ],
)
def test_what_is_not_valid_is_refused_and_nothing_is_lost(project: Path, words: list[str], part: str) -> None:
    call("new", "Taken", "--text", "first")
    before, noted = tree(project.parent / "project"), journal()
    message = refused("new", *words)
    assert part in message
    assert "nothing was changed" in message
    assert tree(project) == before
    assert journal() == noted


@pytest.mark.ledger("F003")
def test_a_refused_change_leaves_the_rule_as_it_was(project: Path) -> None:
    call("new", "Go", "--trigger", "glob", "--glob", "*.go", "--text", "Test.")
    before = tree(project)
    assert "foya-globs-required" in refused("set", "Go", "--no-globs")
    assert "foya-content-length" in refused("set", "Go", "--text", "x" * 6001)
    assert "did you mean" in refused("set", "Goo", "--text", "x")
    assert tree(project) == before


def test_what_is_not_changed_stays_as_it_is_written(project: Path) -> None:
    path = project / ".foya/rules/hand.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(
        b'---\r\n# by hand\r\nname: "Hand"   # kept\r\nglobs:\r\n  - a/*.py\r\n  - b/*.py\r\ntrigger: glob\r\nid: hand\r\n---\r\n\r\nText.\r\n\r\nMore.\r\n'
    )
    call("set", "hand", "--glob", "c/**", "--description", "why: not")
    text = path.read_bytes().decode()
    assert text == (
        '---\r\n# by hand\r\nname: "Hand"   # kept\r\nglobs: ["c/**"]\r\ntrigger: glob\r\nid: hand\r\n'
        "description: 'why: not'\r\n---\r\n\r\nText.\r\n\r\nMore.\r\n"
    )


@pytest.mark.ledger("F070")
def test_a_moved_rule_s_old_file_goes_last(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("new", "Move", "--text", "Stay whole.")
    steps: list[str] = []
    write, remove, note = files.write_atomically, files.remove_file, saving._note

    def writes(path: str, *more: Any) -> None:
        steps.append(f"write {os.path.basename(path)}")
        write(path, *more)

    def notes(*more: Any) -> None:
        steps.append("note")
        note(*more)

    def removes(path: str) -> None:
        steps.append(f"remove {os.path.basename(path)}")
        remove(path)

    monkeypatch.setattr(files, "write_atomically", writes)
    monkeypatch.setattr(files, "remove_file", removes)
    monkeypatch.setattr(saving, "_note", notes)
    call("set", "move", "--path", "sub/moved.md", "--trigger", "always")
    assert steps == ["write moved.md", "note", "remove move.md"]
    assert not (project / ".foya/rules/move.md").exists()
    assert "Stay whole." in (project / ".foya/rules/sub/moved.md").read_text("utf-8")


def test_a_move_that_cannot_be_written_keeps_the_old_file(project: Path) -> None:
    call("new", "Move", "--text", "Stay whole.")
    (project / ".foya/rules/sub").write_text("a file", "utf-8")
    refused("set", "move", "--path", "sub/moved.md")
    assert "Stay whole." in (project / ".foya/rules/move.md").read_text("utf-8")


@pytest.mark.ledger("F071")
def test_the_journal_holds_no_text_of_a_rule(project: Path) -> None:
    secret = "correct horse battery staple"
    call("new", "Secret", "--text", secret, "--description", f"about {secret}")
    call("set", "Secret", "--text", f"{secret} again")
    call("delete", "Secret")
    assert [row["change"] for row in journal()] == ["created", "updated", "deleted"]
    assert secret not in Path(saving.journal_path()).read_text("utf-8")
    assert os.stat(saving.journal_path()).st_mode & 0o077 == 0
    assert os.stat(saving.state_folder()).st_mode & 0o077 == 0, "the first save makes the state folder too"


@pytest.mark.ledger("F003", "F070")
def test_nothing_is_changed_that_the_journal_could_not_note(project: Path) -> None:
    call("new", "Move", "--text", "Stay whole.")
    os.unlink(saving.journal_path())
    os.mkdir(saving.journal_path())
    before = tree(project)
    for words in (("new", "b", "--text", "x"), ("set", "Move", "--path", "to/here.md"), ("delete", "Move")):
        message = refused(*words)
        assert "changes.jsonl" in message
        assert "nothing was changed" in message
        assert tree(project) == before


@pytest.mark.ledger("F003", "F070")
def test_a_moved_rule_stands_in_one_file_though_it_was_not_noted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("new", "Move", "--text", "Stay whole.")

    def full(*_: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving.json, "dumps", full)
    message = refused("set", "Move", "--path", "to/here.md")
    assert "the change of `.foya/rules/to/here.md` is made, but it cannot be noted" in message
    assert [name for name in tree(project) if name.endswith(".md")] == [".foya/rules/to/here.md"]


@pytest.mark.ledger("F070")
def test_who_follows_the_journal_learns_of_a_change(project: Path) -> None:
    call("new", "One", "--text", "x")
    code = (
        "import argparse, sys; from rulewright.commands import rule_write\n"
        "parser = argparse.ArgumentParser(); rule_write.add_arguments('changes', parser, 'en')\n"
        "args = parser.parse_args(['--follow', '--json']); args.lang = 'en'; rule_write.run('changes', args)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ENGINE)}
    follower = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
    try:
        assert follower.stdout is not None
        assert json.loads(follower.stdout.readline())["name"] == "One"
        call("new", "Two", "--text", "x")
        assert json.loads(follower.stdout.readline())["name"] == "Two"
    finally:
        follower.kill()
        follower.wait()


def test_a_file_that_changed_meanwhile_is_not_written_over(project: Path) -> None:
    call("new", "Go", "--text", "Test.")
    (found,) = rule_write.rules_of(str(project), False)
    Path(found.path).write_text(found.document.text + "by somebody else\n", "utf-8")
    with pytest.raises(RulewrightError) as error:
        saving.update(str(project), found, Fields(content="mine"))
    assert "changed meanwhile" in error.value.to("en")
    with pytest.raises(RulewrightError):
        saving.delete(str(project), found)
    assert Path(found.path).read_text("utf-8").endswith("by somebody else\n")


def test_processes_that_save_at_once_lose_nothing(project: Path) -> None:
    code = (
        "import sys; from rulewright import saving; from rulewright.saving import Fields; from rulewright.settings import home_folder\n"
        "saving.create(home_folder(), 'global', Fields(id=sys.argv[1], content='text ' + sys.argv[1]), taken=dict)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ENGINE)}
    running = [subprocess.Popen([sys.executable, "-c", code, f"r{n}"], env=environment) for n in range(8)]
    assert [process.wait() for process in running] == [0] * 8
    found = {saved.rule.id.text(): saved.rule.content for saved in rule_write.rules_of(os.environ["HOME"], True)}
    assert found == {f"r{n}": f"text r{n}" for n in range(8)}


@pytest.mark.parametrize("more", [[], ["--global"]])
def test_of_processes_that_make_one_rule_at_once_one_does(project: Path, more: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ENGINE)}
    words = [sys.executable, "-m", "rulewright", "rule", "new", "Same", "--text", "x", *more]
    running = [
        subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(6)
    ]
    assert sorted(process.wait() for process in running) == [0, 2, 2, 2, 2, 2]
    assert len(list(rule_write.rules_of(os.environ["HOME"] if more else str(project), bool(more)))) == 1
    assert [row["id"] for row in journal()] == ["same"]


def global_file(text: str) -> Path:
    path = Path(os.environ["HOME"]) / ".foya/rules/user_rules.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")
    return path


def global_rules() -> dict[str, tuple[str, str, str]]:
    found = (saved.rule for saved in rule_write.rules_of(os.environ["HOME"], True))
    return {rule.id.text(): (rule.name.text(), rule.trigger.text(), rule.content) for rule in found}


@pytest.mark.ledger("F003")
@pytest.mark.parametrize("text", ["Answer in verse.\n", "# Foya User Rules\n\nAnswer in verse.\n\nAlways.", "你好😀"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_rule_without_a_marker_stays_a_rule_beside_a_new_one(project: Path, text: str, end: str) -> None:
    path = global_file(text.replace("\n", end))
    before = global_rules()
    assert len(before) == 1
    call("new", "More", "--global", "--text", "One more.")
    assert global_rules() == {**before, "more": ("More", "always", "One more.")}
    program = next(saved.document.foya.program for saved in rule_write.rules_of(os.environ["HOME"], True))
    assert program is not None
    assert [rule.id for rule in program] == [*before, "more"]
    assert path.read_text("utf-8").startswith(("# Foya User Rules", "<!-- foya-rule: "))


@pytest.mark.ledger("F003")
@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            '<!-- foya-rule: {bad} -->\nOne.\n\n<!-- foya-rule: {"id":"b"} -->\nTwo.\n',
            "the key `bad` must stand in double quotes",
        ),
        ('---\nname: x\n---\n<!-- foya-rule: {"id":"b"} -->\nTwo.\n', "the global file has no frontmatter"),
        ("---\nname: x\n---\nAnswer in verse.\n", "the global file has no frontmatter"),
    ],
)
def test_nothing_is_saved_where_foya_would_not_load_it(project: Path, text: str, part: str) -> None:
    path = global_file(text)
    message = refused("new", "More", "--global", "--text", "One more.")
    assert "Foya would not load the rule" in message
    assert part in message
    if '"b"' in text:
        assert "Foya would not load the rule" in refused("set", "b", "--global", "--text", "zwo")
    assert path.read_text("utf-8") == text
    assert journal() == []


@pytest.mark.ledger("F003")
@pytest.mark.parametrize("words", [("--name", ""), ("--name", " \t"), ("--id", ""), ("--id", "\u3000")])
def test_a_rule_keeps_a_name_and_an_id(project: Path, words: tuple[str, str]) -> None:
    call("new", "Go", "--text", "Test.")
    before = tree(project)
    assert f"`{words[0][2:]}` must not be empty" in refused("set", "Go", *words)
    assert tree(project) == before
    assert "`name` must not be empty" in refused("new", " ", "--text", "x")
    assert "`name` would not be read back" in refused("new", " x", "--text", "x")


def test_a_file_keeps_its_line_ends(project: Path) -> None:
    path = global_file('<!-- foya-rule: {"id":"a"} -->\r\nOne.\r\n\r\n<!-- foya-rule: {"id":"b"} -->\r\nTwo.\r\n')
    call("new", "C", "--global", "--text", "three\rfour\n\r\nfive")
    call("set", "b", "--global", "--text", "zwo\ndrei")
    call("delete", "a", "--global")
    data = path.read_bytes().decode()
    assert "\n" not in data.replace("\r\n", "")
    assert "\r" not in data.replace("\r\n", "")
    assert {key: rule[2] for key, rule in global_rules().items()} == {"b": "zwo\ndrei", "c": "three\nfour\n\nfive"}


@pytest.mark.ledger("F001")
@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        ("plain.md", "web/other.md", "Just text.\n"),
        ("plain.md", "other.md", "Just text.\n"),
        ("hand.md", "web/hand.md", "---\nname: hand\n---\nText.\n"),
        ("web/hand.md", "hand.md", "---\r\ndescription: d\r\n---\r\nText.\r\n"),
        ("web/hand.md", "后端/接口.md", "---\ntrigger: glob\n---\nText.\n"),
    ],
)
def test_a_move_changes_nothing_of_a_rule(project: Path, source: str, target: str, text: str) -> None:
    path = project / ".foya/rules" / source
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8", newline="")
    (before,) = rule_write.rules_of(str(project), False)
    call("set", before.rule.name.text(), "--path", target)
    (after,) = rule_write.rules_of(str(project), False)
    assert after.path.replace(os.sep, "/").endswith(f".foya/rules/{target}")
    for key in ("id", "name", "description", "trigger"):
        assert getattr(after.rule, key).text() == getattr(before.rule, key).text()
    assert after.rule.patterns == before.rule.patterns
    assert after.rule.content == before.rule.content


NAMES = st.text(min_size=1, max_size=20)


@pytest.mark.ledger("F003")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(name=NAMES, description=st.text(max_size=30), content=st.text(max_size=60), glob=NAMES, scope=st.booleans())
def test_whatever_is_saved_is_read_back_and_what_is_not_is_refused(
    project: Path, name: str, description: str, content: str, glob: str, scope: bool
) -> None:
    root = os.environ["HOME"] if scope else str(project)
    before = tree(Path(root))
    fields = Fields(None, name, description, "glob", (glob,), content)
    try:
        path = saving.create(root, "global" if scope else "project", fields, taken=dict)
    except RulewrightError:
        assert tree(Path(root)) == before
        return
    found = [saved.rule for saved in rule_write.rules_of(root, scope) if saved.path == path][-1]
    assert found.name.text() == name
    assert (found.description.text() or "") == description
    assert found.patterns == (glob,)
    assert found.content == content.strip().replace("\r\n", "\n").replace("\r", "\n")
    Path(path).unlink()
