"""`rulewright plan`: tables, JSON, what it takes for a package, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.conftest import FAULTY, GUARD, Run, rulewright
from rulewright.report.plan import width_of

DATA = Path(__file__).parents[1] / "server" / "data" / "ac-all.style.yaml"
CLAUDE = ("--harness", "claude-code")
CODEX = ("--harness", "codex")
HEAD = "spec: style/v0.3\nname: demo\nversion: 0.1.0\ndescription: a test package\nrules:\n"
REFRESH = """\
  refresh: every 10 submitted turns since last emission; first match immediately; matched points only; full per-emission budget
     prompt-count-fallback without native turn IDs
     no child cadence without child prompt callbacks
     due output waits for its original matching point
"""
"""Source: the seed's second example, printed there for Claude Code [S]."""


def package(rules: str, name: str = "demo") -> str:
    return HEAD.replace("demo", name) + "".join(f"  {line}\n" for line in rules.strip().split("\n"))


@pytest.fixture
def packages(project: Path) -> Path:
    (project / ".style").mkdir()
    (project / ".style" / "all.yaml").write_bytes(DATA.read_bytes())
    return project


@pytest.mark.ledger("S103", "S102", "S089")
def test_the_seeds_example(packages: Path, run: Run) -> None:
    ran = run("plan", "ac-all", *CLAUDE)
    assert (ran.code, ran.err) == (0, "")
    assert REFRESH in ran.out
    rows = ran.out.split("\n")
    row = next(number for number, line in enumerate(rows) if line.startswith("plan-reminder "))
    assert "session.start → SessionStart" in rows[row]
    assert "prompt.submitted → UserPromptSubmit" in rows[row + 1]
    assert rows[row + 2] == REFRESH.split("\n")[0]
    assert rows[0] == "ac-all on claude-code"
    assert "claude-code keeps 10,000 characters of one text whole" in ran.out


@pytest.mark.ledger("S103", "S102")
def test_json_is_as_the_contract_says(packages: Path, run: Run) -> None:
    ran = run("plan", "ac-all", *CLAUDE, "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert (found["package"], found["harness"]) == ("ac-all", "claude-code")
    rules = {rule["id"]: rule for rule in found["rules"]}
    assert list(rules) == ["lint-reminder", "force-push-guard", "plan-reminder", "per-turn"]
    assert rules["plan-reminder"] == {
        "id": "plan-reminder",
        "points": [
            {"event": "session.start", "native": "SessionStart", "status": "native", "reason": None},
            {"event": "prompt.submitted", "native": "UserPromptSubmit", "status": "native", "reason": None},
        ],
        "refresh": [line.strip() for line in REFRESH.strip().split("\n")],
    }
    assert rules["per-turn"]["refresh"] == []
    assert rules["lint-reminder"]["points"] == [
        {"event": "tool.post", "native": "PostToolUse", "status": "native", "reason": None}
    ]


def test_several_plans_are_a_list(packages: Path, run: Run) -> None:
    (packages / "b.style.yaml").write_text(GUARD)
    ran = run("plan", ".style", "b.style.yaml", *CLAUDE, *CODEX, *CLAUDE, "--json")
    assert [(plan["package"], plan["harness"]) for plan in json.loads(ran.out)] == [
        ("ac-all", "claude-code"),
        ("ac-all", "codex"),
        ("guard", "claude-code"),
        ("guard", "codex"),
    ]
    text = run("plan", *CLAUDE, "ac-all", "guard").out
    assert "ac-all on claude-code\n" in text
    assert "\n\nguard on claude-code\n" in text


@pytest.mark.ledger("S106", "S016")
def test_a_warning_on_codex(project: Path, run: Run) -> None:
    (project / "a.style.yaml").write_text(
        package(
            """
- {id: start, target: event, event: session.start, action: warn, text: Mind this.}
- {id: after, target: tool, tool: shell, action: warn, text: Mind this.}
"""
        )
    )
    ran = run("plan", "a.style.yaml", *CODEX, "--json")
    assert ran.code == 0
    assert [rule["points"] for rule in json.loads(ran.out)["rules"]] == [
        [
            {
                "event": "session.start",
                "native": "SessionStart",
                "status": "partial",
                "reason": "system-message-unsupported",
            }
        ],
        [{"event": "tool.post", "native": "PostToolUse", "status": "native", "reason": None}],
    ]
    text = run("plan", "a.style.yaml", *CODEX).out
    assert "system-message + add-context → add-context" in text
    assert "no message reaches the user at `session.start`, only the model gets it" in text


@pytest.mark.ledger("S022")
def test_degraded_skipped_and_what_cannot_be_installed(project: Path, run: Run) -> None:
    rule = "- {{id: {id}, target: tool, tool: shell, at: before, fallback: {fallback}, text: Mind this.}}\n"
    (project / "a.style.yaml").write_text(
        package("".join(rule.format(id=name, fallback=name) for name in ("degrade", "skip", "error")))
    )
    ran = run("plan", "a.style.yaml", "--harness", "gemini-cli", "--json")
    assert ran.code == 1
    reason = "add-context-unsupported"
    assert [rule["points"][0] for rule in json.loads(ran.out)["rules"]] == [
        {"event": "tool.post", "native": "AfterTool", "status": "degraded", "reason": reason},
        {"event": "tool.pre", "native": "BeforeTool", "status": "skipped", "reason": reason},
        {"event": "tool.pre", "native": "BeforeTool", "status": "install-error", "reason": reason},
    ]
    assert run("plan", "a.style.yaml", "--harness", "gemini-cli").code == 1
    assert run("plan", "a.style.yaml", *CLAUDE).code == 0


def test_what_the_project_is_for_does_not_keep_from_answering(project: Path, run: Run) -> None:
    """The findings about the harnesses of the project are what is asked for here, and no fault of the package."""
    (project / "rulewright.toml").write_text('harnesses = ["codex"]\n')
    (project / "a.style.yaml").write_text(package("- {id: a, target: event, event: tool.error, text: Read the error.}"))
    assert "plan-unsupported" in run("check").out
    assert run("plan", "a.style.yaml", *CLAUDE).code == 0
    ran = run("plan", "a.style.yaml", *CODEX)
    assert ran.code == 1
    assert "there is no event `tool.error`" in ran.out


def test_columns_are_even_with_wide_characters(project: Path, run: Run) -> None:
    (project / "a.style.yaml").write_text(
        package(
            """
- {id: "规则一", target: tool, tool: shell, text: 简短。}
- {id: b, target: tool, tool: shell, action: warn, text: 简短。}
- {id: "👩‍👩‍👧é", target: event, event: notification, fallback: skip, text: 简短。}
"""
        )
    )
    ran = run("plan", "a.style.yaml", "--harness", "foya", "--lang", "zh-CN")
    title, head, *rows = ran.out.rstrip("\n").split("\n")[:5]
    assert title == "demo 在 foya 上"
    column = width_of(head[: head.index("状态")])
    statuses = ("native", "partial", "skipped")
    assert [width_of(row[: row.index(status)]) for row, status in zip(rows, statuses, strict=True)] == [column] * 3
    assert "只有模型收得到" in rows[1]
    assert all(row == row.rstrip() for row in rows)


def test_a_text_that_is_cut_is_warned_of(project: Path, run: Run) -> None:
    (project / "long.md").write_text("长" * 3400)
    (project / "a.style.yaml").write_text(package("- {id: a, target: tool, tool: shell, text_file: long.md}"))
    assert "warning" not in run("plan", "a.style.yaml", *CLAUDE).out
    ran = run("plan", "a.style.yaml", *CODEX)
    assert ran.code == 0
    assert "\n  warning: the text has 10,200 bytes, codex keeps only 10,000 of one text whole\n" in ran.out


def test_static_rules_name_the_file(project: Path, run: Run) -> None:
    (project / "a.style.yaml").write_text(package("- {id: a, target: system, text: Be brief.}"))
    assert "– → CLAUDE.md" in run("plan", "a.style.yaml", *CLAUDE).out
    point = json.loads(run("plan", "a.style.yaml", *CLAUDE, "--json").out)["rules"][0]["points"][0]
    assert point == {"event": "session.start", "native": None, "status": "static", "reason": None}


def test_faulty_packages_are_refused(project: Path, run: Run) -> None:
    (project / "f.style.yaml").write_text(FAULTY)
    for more in ((), ("--json",)):
        ran = run("plan", "f.style.yaml", *CLAUDE, *more)
        assert ran.code == 1
        assert "block-after" in ran.out
        assert ran.err == "rulewright: packages with errors cannot be planned\n"
    assert "有错误的规则包" in run("plan", "faulty", *CLAUDE, "--lang", "zh-CN").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("plan", "b", "--harness", "claude"), "unknown harness `claude`"),
        (("plan", "guard"), "the following arguments are required: --harness"),
        (("plan", *CLAUDE), "the following arguments are required: PACKAGE"),
        (("plan", "gard", *CLAUDE), "did you mean `guard`?"),
        (("plan", "nothing-like-it", *CLAUDE), "no file, folder or package of the project is called `nothing-like-it`"),
        (("plan", "empty", *CLAUDE), "no rule files in `empty`"),
        (("plan", "other.yaml", *CLAUDE), "`other.yaml` is not a rule file"),
    ],
)
def test_wrong_usage(project: Path, run: Run, words: tuple[str, ...], message: str) -> None:
    (project / "b.style.yaml").write_text(GUARD)
    (project / "other.yaml").write_text("a: 1\n")
    (project / "empty").mkdir()
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") <= 2


def test_outside_a_project_and_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "a.style.yaml").write_text(GUARD)
    before = sorted(tmp_path.rglob("*"))
    ran = rulewright("plan", "a.style.yaml", *CLAUDE, cwd=tmp_path, RULEWRIGHT_HOME=str(tmp_path / "state"))
    assert (ran.code, ran.err) == (0, "")
    assert sorted(tmp_path.rglob("*")) == before
