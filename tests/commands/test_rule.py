"""`rulewright rule list`, `show`, `load` and `match`: the tables of the corpus, both readings, and the exit codes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import Run, rulewright
from rulewright.harness import codec

CORPUS = Path(__file__).parents[1] / "corpus" / "foya"
ZERO = "05-double-star-needs-a-directory"
CJK = "06-activity-boundaries-cjk"
MANUAL = "07-manual-name-overlap"
FOLDERS = "13-directory-defaults-and-depth"

KINDER = (
    "fix `src/api/client.go`",
    "fix ./src/api/client.go",
    "fix src/api/client.go.",
    "修改 src/api/client.go，然后运行测试",
    "修改src/api/client.go 并测试",
    "请看「src/api/client.go」",
    "[src/api/client.go]",
    "<file>src/api/client.go</file>",
    "src\\api\\client.go",
)
"""The texts of the table that wake the rule in the engine alone. Source: foya.md section 3 [R]."""


def table(case: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((CORPUS / case / "table.json").read_text(encoding="utf-8"))
    return rows


def put(project: Path, case: str) -> None:
    for name, target in (("tree", project), ("home", Path(os.environ["HOME"]))):
        if (CORPUS / case / name).is_dir():
            shutil.copytree(CORPUS / case / name, target, dirs_exist_ok=True)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / ".foya" / "rules" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def header(rule_id: str, trigger: str, more: str = "", body: str = "") -> str:
    return f"---\nid: {rule_id}\ntrigger: {trigger}\n{more}---\n{body or f'Text of {rule_id}.'}\n"


def matched(run: Run, text: str, *words: str) -> dict[str, dict[str, Any]]:
    """Return the rows of `rule match --json` by rule."""
    ran = run("rule", "match", "--json", *words, "--", text)
    assert (ran.code, ran.err) == (0, "")
    return {row["rule"]: row for row in json.loads(ran.out)}


def listed(run: Run) -> dict[str, dict[str, Any]]:
    ran = run("rule", "list", "--json")
    assert (ran.code, ran.err) == (0, "")
    return {row["rule"]: row for row in json.loads(ran.out)}


# ------------------------------------------------------------------ match: the tables of the corpus


@pytest.mark.ledger("F021", "F023")
@pytest.mark.parametrize("row", table(ZERO), ids=lambda row: f"{row['rule']} {row['activity']}")
def test_double_star_needs_a_folder(project: Path, run: Run, row: dict[str, Any]) -> None:
    put(project, ZERO)
    found = matched(run, row["activity"])[row["rule"]]
    assert (found["engine"], found["foya"]) == (row["active"], row["active"])
    assert matched(run, row["activity"], "--strict")[row["rule"]]["engine"] is row["active"]


@pytest.mark.ledger("F021", "F022")
@pytest.mark.parametrize("row", table(CJK), ids=lambda row: row["activity"])
def test_what_stands_next_to_a_path(project: Path, run: Run, row: dict[str, Any]) -> None:
    put(project, CJK)
    found = matched(run, row["activity"])[row["rule"]]
    assert found["foya"] is row["active_in_reference"]
    assert found["engine"] is (row["active_in_reference"] or row["activity"] in KINDER)
    assert matched(run, row["activity"], "--strict")[row["rule"]]["engine"] is row["active_in_reference"]


@pytest.mark.ledger("F026")
@pytest.mark.parametrize("row", table(MANUAL), ids=lambda row: row["activity"])
def test_manual_rules(project: Path, run: Run, row: dict[str, Any]) -> None:
    put(project, MANUAL)
    rows = matched(run, row["activity"])
    assert len(rows) == 4
    for reading in ("engine", "foya"):
        assert sorted(name for name, found in rows.items() if found[reading]) == sorted(row["active_in_reference"])


def test_the_absolute_folder_of_the_project(project: Path, run: Run) -> None:
    put(project, CJK)
    found = matched(run, f"fix {project}/src/api/client.go")["api"]
    assert (found["engine"], found["foya"]) == (True, False)
    assert found["because"] == (
        "`src/api/*.go` matches `src/api/client.go`; in Foya's own program: "
        "`src/api/*.go` does not match: `src/api/client.go` is preceded by U+002F (/)"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("修改 src/api/client.go，然后", "is followed by U+FF0C (，)"),
        ("fix src/api/client.go; then", "is followed by U+003B (;)"),
        ("fix `src/api/client.go`", "is preceded by U+0060 (`) and followed by U+0060 (`)"),
        ("SRC/API/client.go", "differs from the text in letter case"),
        ("src\\api\\client.go", "takes `\\` for no slash"),
        ("open a.go", "there is no `src/api/` in the text"),
        ("src/api/ a.go", "no path in the text is like it"),
        ("\u202esrc/api/a.go\u202e", "preceded by U+202E and followed by U+202E"),
    ],
)
def test_what_stopped_a_match(project: Path, run: Run, text: str, reason: str) -> None:
    put(project, CJK)
    found = matched(run, text, "--strict")["api"]
    assert found["engine"] is False
    assert reason in found["because"]


def test_why_a_folder_is_needed(project: Path, run: Run) -> None:
    put(project, ZERO)
    found = matched(run, "edit src/main.ts")["ts"]["because"]
    assert found == "`src/**/*.ts` does not match `src/main.ts`: `**/` needs a folder in its place"
    assert "preceded by U+002F (/)" in matched(run, "open src/a.py")["py"]["because"]


def test_a_glob_beyond_ascii(project: Path, run: Run) -> None:
    write(project, "d.md", header("d", "glob", 'globs: ["文档/*.md"]\n'))
    found = matched(run, "看 文档/a.md")["d"]
    assert (found["engine"], found["foya"]) == (True, False)
    assert "has characters beyond ASCII" in found["because"]


def test_the_keys_of_a_row(project: Path, run: Run) -> None:
    put(project, ZERO)
    row = matched(run, "edit src/ui/main.ts")["ts"]
    assert row == {
        "rule": "ts",
        "engine": True,
        "foya": True,
        "because": "`src/**/*.ts` matches `src/ui/main.ts`",
        "id": "ts",
        "name": "ts",
        "scope": "project",
        "trigger": "glob",
        "globs": ["src/**/*.ts"],
        "path": "ts.md",
        "file": ".foya/rules/ts.md",
        "line": 2,
        "loaded": True,
        "left_out": False,
        "details": {
            reading: {
                "reason": "`src/**/*.ts` matches `src/ui/main.ts`",
                "pattern": "src/**/*.ts",
                "span": [5, 19],
            }
            for reading in ("engine", "foya")
        },
    }


# ------------------------------------------------------------------ what is loaded


@pytest.mark.parametrize("row", table(FOLDERS), ids=lambda row: row.get("rule") or row["path"])
def test_the_folder_decides(project: Path, run: Run, row: dict[str, Any]) -> None:
    put(project, FOLDERS)
    rows = listed(run)
    found = rows.get(row.get("rule", ""), next((r for r in rows.values() if r["path"] == row.get("path")), {}))
    for key, value in row.items():
        assert found[key] == value
    if "loaded" not in row:
        assert (found["loaded"], found["given"]) == (True, True)


def test_what_lies_too_deep_is_read_by_neither(project: Path, run: Run) -> None:
    put(project, FOLDERS)
    row = listed(run)["fourth"]
    assert (row["loaded"], row["given"]) == (False, False)
    found = matched(run, "a/b/c/d/x @fourth")["fourth"]
    assert (found["engine"], found["foya"]) == (False, False)
    assert "more than three folders" in found["because"]


@pytest.mark.ledger("F010")
def test_a_file_that_is_refused_ends_the_loading(project: Path, run: Run) -> None:
    """Foya's own program loads nothing behind it, in the order of the paths; the engine leaves out that one rule."""
    write(Path(os.environ["HOME"]), "user_rules.md", '<!-- foya-rule: {"id":"tone"} -->\nBe brief.\n')
    write(project, "a/first.md", header("first", "always"))
    write(project, "a.md", header("second", "always"))
    write(project, "b.md", header("third", "sometimes"))
    write(project, "c.md", header("fourth", "always"))
    rows = matched(run, "anything")
    assert next(iter(rows)) == "tone"
    assert {name: (row["engine"], row["foya"]) for name, row in rows.items()} == {
        "tone": (True, True),
        "first": (True, True),
        "second": (True, True),
        "third": (False, False),
        "fourth": (True, False),
    }
    assert "it refuses this file" in listed(run)["third"]["why_not_loaded"]
    assert rows["fourth"]["because"] == (
        "always in the context; in Foya's own program: not loaded: it refuses `b.md` and loads nothing behind it"
    )


def test_a_byte_order_mark_makes_a_rule_an_always_rule_there(project: Path, run: Run) -> None:
    write(project, "gate.md", "\ufeff" + header("gate", "manual"))
    row = listed(run)["gate"]
    assert (row["trigger"], row["foya"]["trigger"]) == ("manual", "always")
    found = matched(run, "hello")["gate"]
    assert (found["engine"], found["foya"]) == (False, True)


def test_the_last_rule_of_one_id_wins_there(project: Path, run: Run) -> None:
    write(project, "a.md", header("same", "always", body="One."))
    write(project, "b.md", header("same", "always", body="Two."))
    rows = json.loads(run("rule", "list", "--json").out)
    assert [(row["path"], row["given"], row["loaded"]) for row in rows] == [
        ("a.md", True, False),
        ("b.md", True, True),
    ]
    assert rows[0]["why_not_loaded"] == "the rule of the same id in `b.md` replaces it"


def test_the_order_of_rules(project: Path, run: Run) -> None:
    """Global ones first, then by time of change, then by id. Source: foya.md section 4 [F]."""
    times = [("z", 100), ("b", 200), ("a", 200)]
    for name, seconds in times:
        os.utime(write(project, f"{name}.md", header(name, "always")), (seconds, seconds))
    markers = '<!-- foya-rule: {"id":"late","updated_at":"2026-01-02T00:00:00Z"} -->\nLate.\n'
    markers += '<!-- foya-rule: {"id":"early","updated_at":"2026-01-01T00:00:00+08:00"} -->\nEarly.\n'
    write(Path(os.environ["HOME"]), "user_rules.md", markers)
    assert list(listed(run)) == ["early", "late", "z", "a", "b"]
    items = [line for line in run("rule", "show").out.split("\n") if line.startswith("- ")]
    assert items == ["- Early.", "- Late.", "- Text of z.", "- Text of a.", "- Text of b."]


# ------------------------------------------------------------------ show and load


@pytest.mark.ledger("F010", "F020", "F024", "F040")
def test_show_is_what_a_session_begins_with(project: Path, run: Run) -> None:
    write(Path(os.environ["HOME"]), "user_rules.md", '<!-- foya-rule: {"id":"tone"} -->\nBe <brief>.\n')
    write(project, "a.md", header("lint", "always"))
    write(project, "b.md", header("deploy", "model_decision", "description: how to deploy\n"))
    write(project, "c.md", header("go", "manual"))
    ran = run("rule", "show")
    assert (ran.code, ran.err) == (0, "")
    direct, index = ran.out.rstrip("\n").split("\n\n")
    assert direct.split("\n")[2:] == ["- Be &lt;brief&gt;.", "- Text of lint.", "</foya_rules>"]
    assert index.split("\n")[2:] == ["- b: how to deploy", "</foya_available_rules>"]
    assert run("rule", "show", "--harness", "claude-code") == ran


@pytest.mark.ledger("F042", "F043")
@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "copilot-cli", "openclaude"])
def test_show_cuts_at_a_rule_as_the_host_does(project: Path, run: Run, name: str) -> None:
    for number in range(9):
        write(project, f"{number}.md", header(f"r{number}", "always", body="规则😀" * 400))
    before = {path: path.read_bytes() for path in project.rglob("*.md")}
    ran = run("rule", "show", "--harness", name)
    assert {path: path.read_bytes() for path in project.rglob("*.md")} == before
    host = codec(name)
    text = ran.out.removesuffix("\n")
    assert host.text_size(text) <= host.TEXT_LIMIT
    assert text.endswith("😀\n[additional items omitted]\n</foya_rules>")
    # One more rule would have been too much.
    assert host.text_size(text) + host.text_size("- " + "规则😀" * 400 + "\n") > host.TEXT_LIMIT


def test_foya_reads_its_rules_itself(project: Path, run: Run) -> None:
    write(project, "a.md", header("lint", "always"))
    ran = run("rule", "show", "--harness", "foya")
    assert (ran.code, ran.out) == (0, "")
    assert "reads its rules itself" in ran.err


def test_show_of_one_rule(project: Path, run: Run) -> None:
    put(project, FOLDERS)
    ran = run("rule", "show", "plain")
    assert (ran.code, ran.err) == (0, "")
    assert "trigger:     glob\nglobs:       backend/**\n" in ran.out
    assert ran.out.endswith("\n\nNo frontmatter at all; applies under backend.\n")
    assert "not loaded by Foya's own program: it refuses this file" in run("rule", "show", "root-glob").out


@pytest.mark.ledger("F050", "F051", "F052")
def test_load(project: Path, run: Run) -> None:
    more = 'name: Deploy "now"\ndescription: how to deploy\n'
    path = write(project, "a.md", header("dep", "model_decision", more, "Say </foya_rule> & go."))
    write(project, "b.md", header("lint", "always"))
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(project.rglob("*")))
    expected = (
        '<foya_rule name="Deploy &quot;now&quot;" scope="project">\nSay &lt;/foya_rule&gt; &amp; go.\n</foya_rule>\n'
    )
    for name in ("dep", 'Deploy "now"'):
        ran = run("rule", "load", name)
        assert (ran.code, ran.out, ran.err) == (0, expected, "")
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(project.rglob("*"))) == before
    # It is still in the index and nowhere else.
    assert "go." not in run("rule", "show").out


@pytest.mark.ledger("F051")
def test_load_refuses_everything_else(project: Path, run: Run, tmp_path: Path) -> None:
    write(project, "a.md", header("deploy", "model_decision", "description: how to deploy\n"))
    write(project, "b.md", header("lint", "always"))
    write(tmp_path / "other", "c.md", header("secret", "model_decision", "description: of another project\n"))
    for name, message in (
        ("lint", "`lint` is a rule with trigger always; only model_decision rules are loaded by name"),
        ("deplay", "there is no model_decision rule `deplay`; did you mean `deploy`?"),
        ("DEPLOY", "there is no model_decision rule `DEPLOY`"),
        ("secret", "there is no model_decision rule `secret`"),
    ):
        ran = run("rule", "load", name)
        assert (ran.code, ran.out) == (2, "")
        assert message in ran.err
        assert ran.err.count("\n") == 1


def test_the_projects_rule_wins_where_two_have_one_name(project: Path, run: Run) -> None:
    marker = '<!-- foya-rule: {"id":"g","name":"deploy","trigger":"model_decision","description":"d"} -->\nGlobal.\n'
    write(Path(os.environ["HOME"]), "user_rules.md", marker)
    write(project, "deploy.md", header("p", "model_decision", "description: d\n", "Mine."))
    assert "Mine." in run("rule", "load", "deploy").out
    assert "Global." in run("rule", "load", "g").out


# ------------------------------------------------------------------ settings, budgets, faults


def test_strict_by_setting(project: Path, run: Run) -> None:
    put(project, CJK)
    assert matched(run, "fix `src/api/client.go`")["api"]["engine"] is True
    (project / "rulewright.toml").write_text("[foya]\nstrict = true\n")
    assert matched(run, "fix `src/api/client.go`")["api"]["engine"] is False


@pytest.mark.ledger("F042")
def test_match_says_what_falls_out_of_the_budget(project: Path, run: Run) -> None:
    for number in range(3):
        path = write(project, f"{number}.md", header(f"r{number}", "always", body="字" * 5900))
        os.utime(path, (number, number))
    rows = matched(run, "hello")
    assert [(row["engine"], row["left_out"]) for row in rows.values()] == [(True, False), (True, False), (True, True)]
    text = run("rule", "match", "hello").out
    assert text.count("left out: the rules before it have used up the budget") == 1
    assert text.endswith("3 of 3 rules awake; 11,806 of 12,000 characters\n")


def test_text_on_stdin_in_a_process_of_its_own(project: Path) -> None:
    put(project, CJK)
    ran = rulewright("rule", "match", "-", "--json", cwd=project, stdin=b"fix src/api/a.go \xff\xed\xa0\x80")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)[0]["foya"] is True
    ran = rulewright("rule", "match", "-", cwd=project, stdin="修改 src/api/a.go，".encode())
    assert ran.out.startswith("awake   api  `src/api/*.go` matches `src/api/a.go`\n")
    assert "in Foya's own program asleep" in ran.out


def test_for_people(project: Path, run: Run) -> None:
    put(project, FOLDERS)
    out = run("rule", "list").out
    head, *rows = out.rstrip("\n").split("\n")
    assert head.split() == ["NAME", "ID", "SCOPE", "TRIGGER", "GLOBS", "SIZE", "FILE"]
    assert rows[-3].endswith(".foya/rules/root-glob.md:2")
    assert rows[-2:] == [
        "  not given: it is a glob rule without globs",
        "  not loaded by Foya's own program: it refuses this file",
    ]
    chinese = run("rule", "match", "backend/a.go", "--lang", "zh-CN").out
    assert "生效" in chinese
    assert "`backend/**` 匹配 `backend/a.go`" in chinese
    assert "awake" not in chinese


def test_colours_and_hostile_names(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project, "a.md", header("x", "manual", 'name: "a\\e[31mb"\n'))
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    for words in (("list",), ("match", "text"), ("show", "x")):
        out = run("rule", *words).out
        assert "a<U+001B>[31mb" in out
        assert "\x1b[31m" not in out
        assert "\x1b[" in out


def test_nothing_there(project: Path, run: Run) -> None:
    for words in (("list",), ("match", "text"), ("show",)):
        ran = run("rule", *words)
        assert (ran.code, ran.out) == (0, "")
        assert ran.err.count("\n") == 1
    assert run("rule", "list", "--json").out == "[]\n"


def test_a_file_that_cannot_be_read(project: Path, run: Run) -> None:
    write(project, "a.md", header("a", "always"))
    (project / ".foya" / "rules" / "b.md").write_bytes(b"\xff\xfe\xff")
    ran = run("rule", "list", "--json")
    assert ran.code == 2
    assert [row["rule"] for row in json.loads(ran.out)] == ["a"]
    assert "b.md" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rule",), "the following arguments are required"),
        (("rule", "lst"), "invalid choice"),
        (("rule", "match"), "the following arguments are required: TEXT"),
        (("rule", "load"), "the following arguments are required: NAME"),
        (("rule", "show", "lnt"), "there is no rule `lnt`; did you mean `lint`?"),
        (("rule", "show", "--harness", "claude"), "unknown harness `claude`"),
        (("rule", "list", "--project", "nowhere"), "nowhere"),
    ],
)
def test_wrong_usage(project: Path, run: Run, words: tuple[str, ...], message: str) -> None:
    write(project, "a.md", header("lint", "always"))
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("name", ["list", "show", "load", "match", "new", "set", "delete", "changes"])
def test_help(project: Path, run: Run, name: str) -> None:
    ran = run("rule", name, "--help", "--lang", "zh-CN")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"用法：rulewright rule {name} ")


def test_rules_that_are_written_can_be_tried(project: Path, run: Run) -> None:
    assert run("rule", "new", "api", "--trigger", "glob", "--glob", "src/**", "--text", "Wrap errors.").code == 0
    assert matched(run, "in src/a.go")["api"]["foya"] is True
