"""A person edits rule files in VS Code: what is reported, explained, offered and written."""

from __future__ import annotations

import pytest

from vscode.conftest import Open
from vscode.workbench import IMAGES, Workbench

pytestmark = [pytest.mark.vscode, pytest.mark.timeout(300)]

PACKAGE = """\
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
    text: Refused {{ tool.input.command }} here.
"""
FILES = {
    "rulewright.toml": 'harnesses = ["claude-code", "codex"]\n',
    "plain.yaml": "name: 'somebody else''s'\n",
    "README.md": "# Nothing of ours\n",
    ".style/guard.style.yaml": PACKAGE,
    ".style/wide.style.yaml": PACKAGE.replace("description: no", "description: 😀😀 {no").replace("push\nrules", "push}\nrules"),
    ".style/fixed.style.yaml": PACKAGE.replace("guard", "fixed"),
    ".style/all.style.yaml": PACKAGE.replace("guard", "all").replace("after", "after # first") + "    enabeld: true\n",
    ".style/typed.style.yaml": PACKAGE.replace("guard", "typed").replace("    at: after\n", ""),
}


@pytest.fixture(scope="module")
def window(open_window: Open) -> Workbench:
    return open_window(FILES)


def test_nothing_starts_for_files_that_are_not_ours(window: Workbench) -> None:
    window.open("README.md")
    window.open("plain.yaml")
    assert window.servers() == []
    # A text can become ours while it is written.
    window.go_to(1, 1)
    window.type("spec: style/v0.3\n")
    rows = window.problems("rows.length > 0", "plain.yaml")
    assert {row["source"] for row in rows} == {"rulewright"}
    assert len(window.servers()) == 1
    window.press("Control+Z")


