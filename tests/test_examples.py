"""The examples and the code in the hand-written pages are what they say: clean, or broken in the ways they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulewright.checking import Finding, Severity
from rulewright.cli import COMMANDS
from support.engine import analyze_workspace

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.style.yaml"))
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]


def findings(path: str, text: str) -> list[Finding]:
    return analyze_workspace([(path, text)], text_files={}).findings[path]


@pytest.mark.ledger("S001", "S100")
@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.name != "broken.style.yaml"], ids=lambda p: p.name)
def test_examples_have_no_finding_at_all(path: Path) -> None:
    assert [
        f.code for f in findings(path.name, path.read_text(encoding="utf-8")) if f.severity <= Severity.WARNING
    ] == []


def test_the_seed_s_examples_are_all_there() -> None:
    assert {path.name.split(".")[0] for path in EXAMPLES} >= {"ac-min", "ac-all", "ac-block"}


def test_the_broken_example_is_broken_as_its_comments_say() -> None:
    text = (ROOT / "examples" / "broken.style.yaml").read_text(encoding="utf-8")
    named = re.findall(r"# ([\w-]+):", text)
    assert sorted(finding.code for finding in findings("broken.style.yaml", text)) == sorted(named)


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for number, text in enumerate(re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)):
            found.append((f"{page.relative_to(ROOT).as_posix()} {number}", text))
    return found


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in blocks("yaml")])
def test_packages_in_the_pages_are_clean(text: str) -> None:
    assert text.startswith("spec: style/")
    assert findings("page.style.yaml", text) == []


def test_the_pages_name_only_commands_that_exist() -> None:
    known = {name for name, _, _ in COMMANDS}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        code = re.findall(r"`([^`\n]+)`", text) + [line for _, block in blocks("sh") for line in block.split("\n")]
        for command in re.findall(r"(?:^|\s)rulewright ([a-z]\w*)", "\n".join(code)):
            assert command in known, f"{page.name}: rulewright {command}"


def test_the_pages_name_only_developer_commands_that_exist() -> None:
    source = (ROOT / "dev.py").read_text(encoding="utf-8")
    known = set(re.findall(r'^    "(\w+)": "', source, re.M))
    for page in PAGES:
        for command in re.findall(r"dev\.py (\w+)", page.read_text(encoding="utf-8")):
            assert command in known, f"{page.name}: dev.py {command}"
