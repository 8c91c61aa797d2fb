"""The extension sends the server what the server takes for ours: both tell it by the same rules."""

from __future__ import annotations

import json
import subprocess

import pytest

from rulewright.formats import detect
from vscode.workbench import EXTENSION

pytestmark = pytest.mark.vscode

PATHS = [
    f"/p/{folder}{name}"
    for folder in ("", ".style/", ".STYLE/", "x/.style/y/", ".foya/rules/", ".foya/rules/a/b/", ".foya/", "rules/", ".openclaude/")
    for name in (
        "a.yaml", "a.YML", "style.yaml", "style.yml", "a.style.yaml", "A.Style.yml", "lifestyle.yaml", "style.lock.yaml",
        "a.md", "user_rules.MD", "hook-chains.json", "x.hook-chains.json", "hook-chains.jsonc", "a.json", "a.txt", "style",
    )
]  # fmt: skip
TEXTS = [
    "",
    "spec: style/v0.3\n",
    "\ufeff# note\r\n\r\n---\nspec: 'style/v0.3'\n",
    "--- # x\nspec: style/v0.3",
    '%YAML 1.2\n--- "spec": style/v9',
    "  spec: style/v0.3",
    "name: x\nspec: style/v0.3\n",
    "spec:style/v0.3",
    '{"hookChains": {"rules": []}}',
    '{"maxChainDepth" : 2}',
    '{"rules": []}',
]


def test_the_extension_and_the_server_agree_on_what_is_ours() -> None:
    cases = [(path, text) for path in PATHS for text in TEXTS]
    code = (
        "const { formatOf } = require('./dist/test/files.js');"
        "const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(cases.map(([path, text]) => formatOf(path, () => text) ?? null)))"
    )
    output = subprocess.run(
        ["node", "-e", code], cwd=EXTENSION, input=json.dumps(cases), capture_output=True, encoding="utf-8", check=True
    ).stdout
    ours = [found.NAME if (found := detect(path, text)) else None for path, text in cases]
    different = [
        (case, there, here) for case, there, here in zip(cases, json.loads(output), ours, strict=True) if there != here
    ]
    assert different == []
    assert set(ours) == {"style", "foya", "hook-chains", None}
