"""Editor features of Foya rules in a project: hover, completion, links, lenses, names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright import analysis, workspace
from rulewright.analysis import Analysis
from rulewright.checking import FileFacts
from rulewright.errors import RulewrightError
from rulewright.ide import code_lens, completion, hover, links, rename, semantic_tokens, symbols
from rulewright.ide.project import ProjectFacts
from rulewright.ide.results import Item
from rulewright.settings import Settings
from rulewright.text.edits import Edit, apply_edits
from rulewright.text.language import Lang
from rulewright.text.lines import Lines

HEAD = "---\nid: web\nname: web rules\ntrigger: glob\nglobs: "
FILES = ("src/api/a.go", "src/b.go", "main.go", "web/x.ts", "web/y.ts", "docs/文档.md")


class Desk:
    """A project on disk, and a rule file in it that is being written."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        monkeypatch.setenv("HOME", str(root / "home"))
        self.settings = Settings(root=str(root))
        for name in FILES:
            self.write(name, "")
        self.write(
            ".foya/rules/go.md", "---\nid: r-go\nname: go\ntrigger: manual\n---\nRun gofmt. See @go and @go-test.\n"
        )
        self.write(".foya/rules/go-test.md", "---\nid: r-go-test\nname: go-test\ntrigger: manual\n---\nTest.\n")

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
        return path

    def facts(self) -> ProjectFacts:
        paths = workspace.find_project_files(self.settings)
        found = (workspace.summarize_path(path, self.settings) for path in paths)
        return ProjectFacts(
            self.settings, tuple(item for item in found if item), lambda: workspace.list_files(self.settings)
        )

    def open(self, marked: str, name: str = ".foya/rules/mine.md") -> tuple[Analysis, int]:
        offset = marked.find("|")
        text = marked.replace("|", "", 1)
        path = self.write(name, text)
        found = workspace.analyze_text(str(path), text, self.settings)
        assert found is not None
        return found, offset

    def hover(self, marked: str, name: str = ".foya/rules/mine.md", lang: Lang = "en") -> str:
        found, offset = self.open(marked, name)
        said = hover.hover(found, offset, lang, self.facts())
        return "" if said is None else said.markdown

    def items(self, marked: str, name: str = ".foya/rules/mine.md", snippets: bool = False) -> dict[str, Item]:
        offset = marked.index("|")
        text = marked.replace("|", "", 1)
        path = self.write(name, text)
        found = completion.complete(
            "foya", str(path), text, Lines(text), offset, snippets=snippets, project=self.facts()
        )
        return {item.label: item for item in found}

    def accepted(self, marked: str, label: str, name: str = ".foya/rules/mine.md") -> str:
        item = self.items(marked, name)[label]
        return apply_edits(marked.replace("|", "", 1), [Edit(item.span, item.new_text)])


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


# --- hover


@pytest.mark.ledger("F080")
@pytest.mark.parametrize(
    ("trigger", "advice"),
    [
        ("always", "short rules that every task must follow"),
        ("glob", "a folder or a kind of file"),
        ("model_decision", "long or rarely needed rules"),
        ("manual", "asks for by name"),
    ],
)
def test_a_trigger_says_when_to_choose_it(desk: Desk, trigger: str, advice: str) -> None:
    assert advice in desk.hover(f"---\ntrigger: {trigger[0]}|{trigger[1:]}\ndescription: d\nglobs: [a]\n---\nText.\n")


def test_hover_speaks_chinese(desk: Desk) -> None:
    assert "适合每次任务都必须遵守的短规则" in desk.hover("---\ntrigger: al|ways\n---\nText.\n", lang="zh-CN")


@pytest.mark.ledger("F001")
def test_a_folder_s_defaults_are_shown_as_what_counts(desk: Desk) -> None:
    said = desk.hover("---\nid: a|pi\n---\nWrap errors.\n", ".foya/rules/backend/api.md")
    assert "In effect: `glob`, built in" in said
    assert "`[backend/**]`, built in" in said
    assert "12 of 6000 characters (1 %)" in said


def test_the_shares_of_the_budgets_are_shown(desk: Desk) -> None:
    desk.write(".foya/rules/long.md", "---\ntrigger: always\n---\n" + "x" * 5000 + "\n")
    said = desk.hover("|---\ntrigger: always\n---\n" + "字" * 600 + "\n")
    assert "Text: 600 of 6000 characters (10 %)" in said
    assert "All `always` rules together: 5606 of 12000 characters (47 %)" in said
    assert "The whole index:" in desk.hover("|---\ntrigger: model_decision\ndescription: d\n---\nx\n")


def test_a_glob_shows_the_files_it_means_in_both_readings(desk: Desk) -> None:
    said = desk.hover(f'{HEAD}["w|eb/*.ts"]\n---\nText.\n')
    assert "2 files of the project match" in said
    assert "- `web/x.ts`" in said
    assert "narrowly" not in said
    assert "there 0 match" in desk.hover(f'{HEAD}["docs/文|*.md"]\n---\nText.\n')


def test_names_are_shown_as_they_are_written(desk: Desk) -> None:
    assert "`007`" in desk.hover("---\nid: 0|07\nname: no\n---\nText.\n")


# --- completion


def test_keys(desk: Desk) -> None:
    assert list(desk.items("---\nid: x\n|\n---\nText.\n")) == ["name", "description", "trigger", "globs"]
    assert list(desk.items("---\ntr|")) == ["trigger"]
    assert desk.accepted("---\ntr|\n---\nText.\n", "trigger") == "---\ntrigger: \n---\nText.\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_triggers(desk: Desk, line_end: str) -> None:
    marked = "---\ntrigger: |\n---\nText.\n".replace("\n", line_end)
    assert list(desk.items(marked)) == ["always", "glob", "model_decision", "manual"]
    assert desk.accepted(marked, "manual") == marked.replace("|", "manual")


@pytest.mark.parametrize(
    ("marked", "wanted"),
    [
        ("globs: |", 'globs: ["src/**"]'),
        ("globs: [|]", 'globs: ["src/**"]'),
        ('globs: ["|"]', 'globs: ["src/**"]'),
        ('globs: ["s|', 'globs: ["src/**"'),
        ("globs:\n  - |", 'globs:\n  - "src/**"'),
        ('globs:\n  - "a"\n  - "sr|"', 'globs:\n  - "a"\n  - "src/**"'),
    ],
)
def test_globs_of_the_project_s_folders(desk: Desk, marked: str, wanted: str) -> None:
    assert desk.accepted(f"---\ntrigger: glob\n{marked}\n---\nText.\n", "src/**").startswith(
        f"---\ntrigger: glob\n{wanted}\n"
    )
    assert "**/*.ts" in desk.items("---\ntrigger: glob\nglobs: [|]\n---\nText.\n")


def test_names_behind_an_at_sign(desk: Desk) -> None:
    items = desk.items("---\nid: x\n---\nThen 😀 use @go|.\n")
    assert set(items) >= {"@go", "@go-test", "@r-go"}
    assert desk.accepted("---\nid: x\n---\nThen 😀 use @go|.\n", "@go-test").endswith("Then 😀 use @go-test.\n")


def test_markers_of_the_global_file(desk: Desk) -> None:
    name = "home/.foya/rules/user_rules.md"
    head = "# Foya User Rules\n\n"
    assert list(desk.items(head + '<!-- foya-rule: {"id":"a","tr|"} -->\nText.\n', name)) == ["trigger"]
    assert (
        desk.accepted(head + '<!-- foya-rule: {"id":"a",|} -->\nText.\n', "name", name)
        == head + '<!-- foya-rule: {"id":"a","name": } -->\nText.\n'
    )
    assert (
        desk.accepted(head + '<!-- foya-rule: {"id":"a","trigger":"|"} -->\nText.\n', "manual", name)
        == head + '<!-- foya-rule: {"id":"a","trigger":"manual"} -->\nText.\n'
    )
    assert list(desk.items(head + "|", name, snippets=True)) == ["foya-rule"]


def test_whole_rules_and_codes(desk: Desk) -> None:
    assert list(desk.items("|", snippets=True)) == ["rule"]
    assert not desk.items("|")
    assert "foya-glob-root" in desk.items("---\nid: x\n---\n<!-- rulewright: ignore[foya-|] -->\n")


# --- outline, links, lenses


def test_the_outline_has_names_as_written(desk: Desk) -> None:
    found, _ = desk.open("---\nid: 007\nname: 3.10\n---\nText.\n")
    assert [(entry.name, entry.detail) for entry in symbols.symbols(found)] == [("3.10", "always")]
    text = '# Foya User Rules\n\n<!-- foya-rule: {"id":"a","trigger":"manual"} -->\nA.\n\n<!-- foya-rule: {"id":"b"} -->\nB.\n'
    found, _ = desk.open(text, "home/.foya/rules/user_rules.md")
    assert [(entry.name, entry.detail) for entry in symbols.symbols(found)] == [("a", "manual"), ("b", "always")]


def test_globs_lead_to_files(desk: Desk) -> None:
    found, _ = desk.open(f'{HEAD}["src/**", "nothing/**"]\n---\nText.\n')
    (link,) = links.links(found, desk.facts())
    assert Path(link.path).read_text("utf-8") == ""
    assert Path(link.path).is_relative_to(desk.root / "src")
    assert link.span.of(found.document.text) == '"src/**"'


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Only text.\n", "wakes always"),
        (f'{HEAD}["src/**"]\n---\nText.\n', "wakes on src/** (2 files)"),
        ("---\nname: tests\nid: t\ntrigger: manual\n---\nText.\n", "wakes on @tests or @t"),
        (
            "---\nname: deep\ntrigger: model_decision\ndescription: d\n---\nText.\n",
            "loaded by the model: rulewright rule load deep",
        ),
    ],
)
def test_a_lens_says_when_a_rule_wakes(desk: Desk, text: str, title: str) -> None:
    found, _ = desk.open(text)
    lenses = code_lens.code_lenses(found, "en", desk.facts())
    assert [lens.title for lens in lenses] == [title, "try an activity text"]
    assert lenses[1].command == "rulewright.tryActivity"
    assert lenses[1].arguments[0] == found.document.path


@pytest.mark.ledger("F061")
def test_a_file_too_deep_says_so(desk: Desk) -> None:
    found, _ = desk.open("---\nid: x\n---\nText.\n", ".foya/rules/a/b/c/d/deep.md")
    (lens,) = code_lens.code_lenses(found, "en", desk.facts())
    assert "not read" in lens.title


# --- names


def apply(desk: Desk, renames: list[rename.Rename]) -> dict[str, str]:
    found = {}
    for file in renames:
        path = Path(file.path)
        found[path.name] = apply_edits(path.read_bytes().decode(), list(file.edits))
    return found


def test_a_new_name_reaches_every_mention_and_no_longer_name(desk: Desk) -> None:
    desk.write(".foya/rules/other.md", "---\nid: o\n---\n😀 @go, @go-test, (@go) a@go.com\n")
    found, offset = desk.open(
        (desk.root / ".foya/rules/go.md").read_text().replace("name: go", "name: g|o"), ".foya/rules/go.md"
    )
    assert rename.name_at(found, offset, desk.facts()) is not None
    after = apply(
        desk, rename.rename(found, offset, "golang", lambda path: Path(path).read_text("utf-8"), desk.facts())
    )
    assert after == {
        "go.md": "---\nid: r-go\nname: golang\ntrigger: manual\n---\nRun gofmt. See @golang and @go-test.\n",
        "other.md": "---\nid: o\n---\n😀 @golang, @go-test, (@golang) a@golang.com\n",
    }


def test_a_mention_can_be_renamed_where_it_stands(desk: Desk) -> None:
    found, offset = desk.open("---\nid: o\n---\nSee @go-te|st.\n")
    span = rename.name_at(found, offset, desk.facts())
    assert span is not None
    assert span.of(found.document.text) == "go-test"
    after = apply(desk, rename.rename(found, offset, "007", lambda path: Path(path).read_text("utf-8"), desk.facts()))
    assert "name: '007'" in after["go-test.md"]
    assert after["mine.md"].endswith("See @007.\n")
    assert "@go and @007." in after["go.md"]


@pytest.mark.parametrize("name", ["", "two words", "go-test", "r-go-test"])
def test_a_name_that_cannot_be_is_refused(desk: Desk, name: str) -> None:
    found, offset = desk.open(
        (desk.root / ".foya/rules/go.md").read_text().replace("name: go", "name: g|o"), ".foya/rules/go.md"
    )
    with pytest.raises(RulewrightError):
        rename.rename(found, offset, name, lambda path: Path(path).read_text("utf-8"), desk.facts())


def test_words_of_a_rule(desk: Desk) -> None:
    found, _ = desk.open("---\nname: go\ntrigger: manual\n---\nSee 😀 @go and @nobody.\n")
    words = [(token.span.of(found.document.text), token.kind) for token in semantic_tokens.semantic_tokens(found)]
    assert words == [("manual", "enumMember"), ("go", "function")]


# --- any text


@settings(max_examples=150, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from(
            ["---\n", "id: x\n", "name: ", "globs: [", '"a/**"', "]", "\n", "😀", "@x", "\r\n", "trigger: glob\n", "<!-- foya-rule: ",
             '{"id":"a"', "}", " -->", "- ", "text\n", '"', ": "]
        ),
        max_size=14,
    ),
    where=st.integers(0, 200),
    name=st.sampled_from([".foya/rules/a.md", ".foya/rules/user_rules.md"]),
)  # fmt: skip
def test_nothing_raises_on_any_text(pieces: list[str], where: int, name: str) -> None:
    text = "".join(pieces)
    offset = min(where, len(text))
    lines = Lines(text)
    document = analysis.read(f"/project/{name}", text)
    assert document is not None
    found = analysis.analyze(document, Settings(), FileFacts({}))
    project = ProjectFacts(files=lambda: FILES)
    for item in completion.complete("foya", f"/project/{name}", text, lines, offset, snippets=True, project=project):
        assert 0 <= item.span.start <= item.span.end <= len(text)
        assert lines.line_at(item.span.start) == lines.line_at(item.span.end)
    said = hover.hover(found, offset, "en", project)
    assert said is None or 0 <= said.span.start <= said.span.end <= len(text)
    for entry in symbols.symbols(found):
        assert entry.span.start <= entry.selection.start <= entry.selection.end <= entry.span.end
    for lens in code_lens.code_lenses(found, "zh-CN", project):
        assert lens.span.end <= len(text)
    links.links(found, project)
    span = rename.name_at(found, offset)
    if span is not None and span.start < span.end:
        rename.rename(found, offset, "new", lambda _: text, project)
