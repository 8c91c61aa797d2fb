"""Long runs of one thing, as a key held down, a licence in front or a pasted table: every format is read and checked to the end.

A pattern that tries all ways to read such a run takes minutes for it, or for ever; then the time limit of the tests ends this one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rulewright import analysis
from rulewright.settings import Settings

RUNS = (
    *("\r\n", "# Licence\r\n", " \r\n", "--- # a\r\n", "\n", "\r", "\t", " ", "---\r\n"),
    *("{{ ", "{{", "{{ \t", "${", "{", "[", '{"a":', '"a",', "a,", "- ", "a: ", "? ", "!a ", "&a ", "*a "),
    *(
        '"',
        "'",
        '"\\',
        '\\"',
        "`",
        "|",
        ">\n",
        "@",
        "@a",
        "*",
        "// ",
        "/*",
        "#",
        "# ",
        "<!-- ",
        "<!-- foya-rule: {",
        "中",
        "\x00",
    ),
)
PACKAGE = "spec: style/v0.3\nname: a\nrules:\n  - id: a\n    target: system\n    text: X\n"
RULE = "---\nid: a\ntrigger: glob\nglobs: X\n---\nX\n"
CHAINS = '{"version": 1, "rules": [{"id": "X", "trigger": {"event": "PostToolUseFailure"}, "actions": []}]}'
FILES = {"a.style.yaml": PACKAGE, "a.yaml": PACKAGE, ".foya/rules/a.md": RULE, "hook-chains.json": CHAINS}


def texts(body: str, run: str) -> list[str]:
    flat = run.replace("\r", " ").replace("\n", " ")
    return [
        run + body,
        body + run,
        body.replace("X", flat),
        body.replace("X", f'"{flat}'),
        body.replace("X", f'"{{{{{flat}"'),
        run,
    ]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("run", RUNS)
def test_long_runs(name: str, run: str, tmp_path: Path) -> None:
    settings = Settings(root=str(tmp_path))
    for text in texts(FILES[name], run * (12_000 // len(run))):
        document = analysis.read(str(tmp_path / name), text)
        if document is None:
            assert name == "a.yaml"
            continue
        found = analysis.analyze(document, settings)
        assert found.document.text == text
        assert all(0 <= finding.span.start <= finding.span.end <= len(text) for finding in found.findings)
