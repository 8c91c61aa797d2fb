"""The fixes for several rules of one id go together."""

from __future__ import annotations

from rulewright.analysis import analyze
from rulewright.settings import Settings
from rulewright.text.edits import apply_edits, compatible_groups
from support.engine import read


def test_all_fixes_at_once_leave_no_duplicate() -> None:
    ids = ["a", "a", "a-2", "a", "b", "b", "a"]
    rules = "".join(f"  - {{id: {name}, target: system, text: x{number}}}\n" for number, name in enumerate(ids))
    text = f"spec: style/v0.3\nname: demo\nversion: 0.1.0\ndescription: x\nrules:\n{rules}"
    findings = analyze(read("a.style.yaml", text), Settings()).findings
    assert [finding.code for finding in findings] == ["duplicate-rule-id"] * 4
    fixed = apply_edits(text, compatible_groups([finding.fixes[0].edits for finding in findings]))
    assert not analyze(read("a.style.yaml", fixed), Settings()).findings
