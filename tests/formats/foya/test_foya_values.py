"""The effective values of Foya's rules: what is written, as it is written, and what stands for the rest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from rulewright.analysis import read_as
from rulewright.checking import Severity
from rulewright.formats import by_name, foya
from rulewright.formats.fields import fields_of
from rulewright.formats.foya.dialects import split_globs
from rulewright.formats.foya.keys import FrontmatterKeys, MarkerKeys
from rulewright.model import Document, FoyaRule
from rulewright.text.span import Span
from support.engine import analyze_workspace

CORPUS = Path(__file__).parents[2] / "corpus"
GLOBAL = ".foya/rules/user_rules.md"


def document(text: str, path: str = ".foya/rules/a.md") -> Document:
    return read_as(by_name("foya"), path, text)


def only_rule(text: str, path: str = ".foya/rules/a.md") -> FoyaRule:
    (rule,) = document(text, path).foya.rules
    return rule


@pytest.mark.ledger("F001")
def test_a_rule_has_all_its_fields() -> None:
    text = "---\nid: r1\nname: Go\ndescription: How to Go.\ntrigger: glob\nglobs: [a, b/**]\n---\nRun gofmt.\n"
    file = document(text).foya
    (rule,) = file.rules
    assert (rule.id.value, rule.name.value, rule.description.value) == ("r1", "Go", "How to Go.")
    assert (rule.scope, rule.trigger.value, rule.patterns, rule.content) == (
        "project",
        "glob",
        ("a", "b/**"),
        "Run gofmt.",
    )
    assert [item.span.of(text) for item in rule.globs.items] == ["a", "b/**"]
    assert all(value.written for value in (rule.id, rule.name, rule.description, rule.trigger, rule.globs))
    assert rule.anchor.of(text) == "r1"
    assert rule.body.of(text) == "Run gofmt."
    assert rule.span == Span(0, len(text) - 1)
    assert list(fields_of(FrontmatterKeys)) == ["id", "name", "description", "trigger", "globs"]
    assert {"path", "scope"} < set(fields_of(MarkerKeys))


def test_defaults_come_from_the_file() -> None:
    rule = only_rule("Be brief.\n", "/p/.foya/rules/web/Style.MD")
    assert rule.id.value == hashlib.sha256(b".foya/rules/web/Style.MD").hexdigest()[:24]
    assert rule.name.value == "Style"
    assert rule.description.value is None
    assert (rule.trigger.value, rule.patterns) == ("glob", ("web/**",))
    assert {rule.id.origin, rule.name.origin, rule.trigger.origin, rule.globs.origin} == {"default"}
    assert only_rule("Be brief.\n", "C:\\p\\.foya\\rules\\web\\Style.MD").id.value == rule.id.value


def test_a_global_rule_has_no_folder() -> None:
    rule = only_rule('<!-- foya-rule: {"id":"0123456789","updated_at":"2026-11-30T12:00:00Z"} -->\nBe brief.\n', GLOBAL)
    assert (rule.scope, rule.name.value, rule.trigger.value, rule.patterns) == ("global", "rule-01234567", "always", ())
    assert rule.updated == "2026-11-30T12:00:00Z"
    moved = only_rule('<!-- foya-rule: {"id":"a","trigger":"glob","path":"web/ui/b.md"} -->\nText.\n', GLOBAL)
    assert (moved.name.value, moved.patterns) == ("b", ("web/ui/**",))


@pytest.mark.ledger("F061")
def test_the_table_of_the_corpus() -> None:
    folder = CORPUS / "foya" / "13-directory-defaults-and-depth"
    rules = {}
    for path in folder.rglob("*"):
        if path.suffix.lower() == ".md":
            file = document(path.read_bytes().decode(), path.relative_to(folder).as_posix()).foya
            (rule,) = file.rules
            rules[rule.id.text()] = rules[path.relative_to(folder / "tree" / ".foya" / "rules").as_posix()] = (
                file,
                rule,
            )
    rows = json.loads((folder / "table.json").read_text())
    assert len(rows) == 5
    for row in rows:
        file, rule = rules[row.get("rule") or row["path"]]
        assert file.too_deep is not row.get("loaded", True)
        assert bool(file.sound_rules()) is row.get("loaded", True)
        if "trigger" in row:
            assert rule.trigger.value == row["trigger"]
            assert list(rule.patterns) == row["globs"]
            (loaded,) = file.program or ()
            assert (loaded.trigger, list(loaded.globs)) == (row["trigger"], row["globs"])
        if "name" in row:
            assert rule.name.value == row["name"]


def test_scalars_are_what_is_written() -> None:
    found = {}
    for path in sorted((CORPUS / "foya" / "11-scalar-lookalikes-are-clean").rglob("*.md")):
        rule = only_rule(path.read_bytes().decode(), f".foya/rules/{path.name}")
        found[path.stem] = (rule.id.value, rule.name.value, rule.description.value, rule.trigger.value)
    assert found == {
        "a": ("007", "no", "12:30", "model_decision"),
        "b": ("2026-11-30", "on", None, "manual"),
        "c": ("1e3", "3.10", None, "manual"),
        "d": ("0x1F", "d", None, "always"),
        "e": ("yes", "yes", "Folded text: with a colon, and a # that is not a comment.", "manual"),
    }


def test_a_header_behind_a_byte_order_mark_is_understood_and_the_program_reads_text() -> None:
    path = CORPUS / "foya" / "01-bom-before-frontmatter" / "tree" / ".foya" / "rules" / "review.md"
    file = document(path.read_bytes().decode()).foya
    (rule,) = file.sound_rules()
    assert (rule.id.value, rule.name.value, rule.trigger.value) == ("review-gate", "review", "manual")
    (loaded,) = file.program or ()
    assert (loaded.name, loaded.trigger) == ("a", "always")
    assert loaded.content.startswith("\ufeff---\nid: review-gate")


def test_keys_of_a_marker_are_read_in_any_case_and_the_last_one_counts() -> None:
    file = document(
        '<!-- foya-rule: {"ID":"a","id":"b","trigger":"manual","Trigger":"always","NAME":null} -->\nX.\n', GLOBAL
    ).foya
    (rule,) = file.rules
    assert (rule.id.value, rule.name.value, rule.trigger.value) == ("b", "rule-b", "always")
    (loaded,) = file.program or ()
    assert (loaded.id, loaded.name, loaded.trigger) == ("b", "rule-b", "always")


def test_keys_of_a_frontmatter_are_read_in_their_case_only() -> None:
    file = document("---\nTrigger: glob\nId: x\n---\nX.\n").foya
    assert file.rules[0].trigger.value == "always"
    assert file.program is not None
    assert file.program[0].trigger == "always"


def test_values_with_a_fault_are_bad_and_nothing_builds_on_them() -> None:
    rule = only_rule("---\ntrigger: bogus\nglobs: a\nname: [x]\n---\nX.\n")
    assert (rule.trigger.bad, rule.globs.bad, rule.name.bad, rule.patterns) == (True, True, True, ())


def test_a_merged_value_counts() -> None:
    rule = only_rule("---\nbase: &base\n  trigger: manual\n<<: *base\n---\nX.\n")
    assert (rule.trigger.value, rule.trigger.origin) == ("manual", "merged")


def test_the_text_has_one_kind_of_line_end() -> None:
    assert only_rule("---\r\nid: a\r\n---\r\n\r\nA.\r\nB.\rC.\r\n").content == "A.\nB.\nC."


@pytest.mark.ledger("F002")
@pytest.mark.parametrize("length", [1, 6000])
def test_a_text_is_counted_in_characters_without_the_white_space_around(length: int) -> None:
    text = "---\nid: a\n---\n\n \u3000" + "🙂" * length + "\n\n"
    assert len(only_rule(text).content) == length
    findings = analyze_workspace([(".foya/rules/a.md", text)]).findings[".foya/rules/a.md"]
    assert [finding.code for finding in findings if finding.severity == Severity.ERROR] == []


@pytest.mark.parametrize(
    ("text", "globs"),
    [
        ("a", ["a"]),
        (" a ,b， c,", ["a", "b", "c"]),
        ("src/*.{ts,tsx}, b", ["src/*.{ts,tsx}", "b"]),
        ("\"a\", 'b c'", ["a", "b c"]),
        ("- a\n- b\r\nc", ["a", "b", "c"]),
        ("", []),
        ("}{,", ["}{,"]),
    ],
)
def test_one_text_is_taken_for_the_globs_that_it_lists(text: str, globs: list[str]) -> None:
    assert split_globs(text) == globs


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (".foya/rules/a.md", "", True),
        ("/p/.foya/rules/a/b/c/d/e.MD", "", True),
        ("C:\\p\\.foya\\rules\\a.md", "", True),
        (".foya/rules/a.mdc", "", False),
        (".foya/a.md", "", False),
        ("foya/rules/a.md", "", False),
        (".Foya/rules/a.md", "", False),
        ("rules/a.md", "", False),
    ],
)
def test_which_files_are_rules(path: str, text: str, expected: bool) -> None:
    assert foya.detect(path, text) is expected


@pytest.mark.ledger("F060")
def test_which_file_is_the_global_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("USERPROFILE", "/home/me")
    assert foya.is_global("/home/me/.foya/rules/user_rules.md", "---\nid: a\n---\nX.\n")
    assert foya.is_global("/p/.foya/rules/user_rules.md", '<!-- foya-rule: {"id":"a"} -->\nX.\n')
    assert not foya.is_global("/p/.foya/rules/user_rules.md", "---\nid: a\n---\nX.\n")
    assert not foya.is_global("/p/.foya/rules/web/user_rules.md", '<!-- foya-rule: {"id":"a"} -->\nX.\n')
    assert not foya.is_global("/p/user_rules.md", '<!-- foya-rule: {"id":"a"} -->\nX.\n')


@pytest.mark.parametrize("name", sorted(path.name for path in (CORPUS / "lsp").glob("04-*/tree/.foya/rules/*.md")))
def test_skeletal_files(name: str) -> None:
    """A file that is just being begun: one finding at most, and never a crash."""
    (path,) = (CORPUS / "lsp").glob(f"04-*/tree/.foya/rules/{name}")
    where = f".foya/rules/{name}"
    found = analyze_workspace([(where, path.read_bytes().decode())]).findings[where]
    expected = {"fence.md": 1, "fence2.md": 1, "list.md": 1}
    assert [finding.code for finding in found] == ["foya-frontmatter"] * expected.get(name, 0)
