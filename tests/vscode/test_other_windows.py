"""A window in Chinese, and one on a folder without trust."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from vscode.conftest import Open
from vscode.test_editing import PACKAGE
from vscode.workbench import RULEWRIGHT, Workbench

pytestmark = [pytest.mark.vscode, pytest.mark.timeout(300)]

NAME = ".style/guard.style.yaml"
FOYA = ".foya/rules/go.md"
CHAINS = ".openclaude/hook-chains.json"
FILES = {
    NAME: PACKAGE,
    "src/main.go": "package main\n",
    FOYA: '---\nid: go\nname: go\ndescription: Go 代码\ntrigger: glob\nglobs: ["src/**"]\n---\n提交前运行测试。\n',
    ".foya/rules/wrong.md": "---\nid: wrong\nname: wrong\ntrigger: always_on\n---\n始终简洁。\n",
    CHAINS: """\
{
  "version": 1,
  "rules": [
    {
      "id": "retry",
      "trigger": { "event": "PostToolUse", "outcome": "failed" },
      "actions": [{ "type": "notify_team", "id": "tell", "summary": "😀 ${RULE_ID}" }]
    }
  ]
}
""",
}


@pytest.fixture(scope="module")
def chinese(open_shared: Open) -> Workbench:
    return open_shared(FILES, locale="zh-cn")


def test_a_package_in_chinese(chinese: Workbench) -> None:
    chinese.open(NAME, 10, 9)
    rows = chinese.problems("rows.length > 0", NAME)
    (row,) = [row for row in rows if row["code"] == "block-after"]
    assert "调用" in row["message"]
    parts = chinese.hover("target", "parts.length > 0")
    assert any("规则" in part for part in parts), parts
    chinese.picture("vscode-hover-zh.png")


def test_a_foya_rule_in_chinese(chinese: Workbench) -> None:
    chinese.open(".foya/rules/wrong.md", 4, 10)
    (row,) = chinese.problems("rows.length > 0", ".foya/rules/wrong.md")
    assert (row["code"], row["line"], row["column"]) == ("foya-trigger", 4, 10)
    assert "`always_on`" in row["message"]
    assert "Foya" in row["message"]
    assert "规则" in row["message"]
    chinese.quick_fix(next(title for title in chinese.quick_fix() if "改为 `always`" in title))
    chinese.lines("lines[3] === 'trigger: always'")
    chinese.save()
    chinese.open(FOYA, 1, 1)
    lenses = chinese.lenses("lenses.length > 1 && lenses.every((lens) => lens.runs)")
    assert [lens["text"] for lens in lenses] == ["遇到 src/** 时激活（1 个文件）", "试一段活动文本"]
    chinese.click(".codelens-decoration a", "试一段活动文本")
    chinese.wait(".quick-input-widget:visible", "规则 go 会被激活吗？")
    chinese.type("src/main.go")
    chinese.press("Enter")
    chinese.wait(".editor-group-container .view-lines", "src/main.go")


def test_hook_chains_in_chinese(chinese: Workbench) -> None:
    chinese.open(CHAINS, 6, 1)
    rows = chinese.problems("rows.length > 0", CHAINS)
    (row,) = [row for row in rows if row["code"] == "chain-event-unwired"]
    assert "`PostToolUse`" in row["message"]
    assert "永远不会触发" in row["message"]
    (lens,) = chinese.lenses("lenses.length > 0")
    assert lens["text"].startswith("永远不会触发：")
    assert not lens["runs"]


def test_a_killed_server_in_chinese(chinese: Workbench) -> None:
    chinese.open(NAME, 10, 9)
    chinese.problems("rows.length > 0", NAME)
    chinese.kill_server()
    assert "已重新启动" in chinese.notification("Rulewright 服务器意外退出")["message"]


def test_a_folder_without_trust_is_only_read(open_window: Open, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    good = tmp_path / "bin"
    good.mkdir()
    (good / "rulewright").symlink_to(RULEWRIGHT)
    evil = f"#!/bin/sh\n: > '{touched}'\nexec '{RULEWRIGHT}' \"$@\"\n"
    window = open_window(
        {NAME: PACKAGE, "evil.sh": evil, ".venv/bin/rulewright": evil},
        path=None,
        restricted=True,
        env={"PATH": f"{good}:/usr/bin:/bin"},
    )
    for name in ("evil.sh", ".venv/bin/rulewright"):
        os.chmod(window.folder / name, 0o755)
    window.write(".vscode/settings.json", json.dumps({"rulewright.path": str(window.folder / "evil.sh")}))
    window.open(NAME, 10, 9)
    window.problems("rows.some((row) => row.code === 'block-after')", NAME)
    assert len(window.servers()) == 1
    assert not touched.exists()
    # The user's own setting, which fits each folder that is trusted, starts nothing of this one.
    (settings,) = window.home.glob("**/Machine/settings.json")
    settings.write_text(json.dumps({"rulewright.path": "${workspaceFolder}/.venv/bin/rulewright"}), "utf-8")
    assert "not trusted, so it is not started" in window.notification("names")["message"]
    assert window.servers() == []
    assert not touched.exists()
