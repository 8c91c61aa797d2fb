"""Finding rule files, their settings, and the checks over several of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rulewright import workspace
from rulewright.errors import RulewrightError
from rulewright.files import Source
from rulewright.settings import Settings, load_settings
from rulewright.workspace import Outcome, Selection, check_paths, check_text

PACKAGE = "spec: style/v0.3\nname: {name}\nversion: 0.1.0\ndescription: d\nrules:\n  - id: r\n    target: system\n    {text}\n"


def package(name: str, text: str = "text: Be brief.") -> str:
    return PACKAGE.format(name=name, text=text)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(outcome: Outcome) -> list[str]:
    return [file.shown for file in outcome.files]


def codes(outcome: Outcome) -> list[tuple[str, str]]:
    return [(file.shown, finding.code) for file in outcome.files for finding in file.findings]


def test_files_are_recognised_by_name_place_and_content(root: Path) -> None:
    put(root / "style.yaml", package("a"))
    put(root / "x.style.yaml", package("b"))
    put(root / "sub" / "y.style.yml", package("c"))
    put(root / ".style" / "z.yml", package("d"))
    put(root / ".style" / "style.lock.yaml", "lock: 1\n")
    put(root / "by-content.yaml", "# comment\n\n" + package("e"))
    put(root / "other.yaml", "name: x\nspec: style/v0.3\n")
    put(root / "style.txt", package("f"))
    put(root / "utf16.yaml", "").write_bytes(b"\xff\xfe" + package("g").encode("utf-16-le"))
    for folder in (".git", "node_modules", ".venv"):
        put(root / folder / "q.style.yaml", package("h"))
    outcome = check_paths([str(root)])
    assert names(outcome) == [
        ".style/z.yml", "by-content.yaml", "style.yaml", "sub/y.style.yml", "utf16.yaml", "x.style.yaml",
    ]  # fmt: skip
    assert codes(outcome) == []
    assert outcome.failures == ()


def test_exclude_and_packages(root: Path) -> None:
    put(
        root / "rulewright.toml",
        'packages = ["team/*.yaml", "more"]\nexclude = ["old", "a/**/skip.*", "*.tmp.style.yaml"]\n',
    )
    put(root / "team" / "broken.yaml", "name: broken\n")
    put(root / "team" / "deep" / "not.yaml", "name: not\n")
    put(root / "more" / "deep" / "m.yaml", package("m"))
    put(root / "old" / "o.style.yaml", package("o"))
    put(root / "sub" / "old" / "o.style.yaml", package("o"))
    put(root / "a" / "b" / "skip.style.yaml", package("s"))
    put(root / "t.tmp.style.yaml", package("t"))
    outcome = check_paths([str(root)])
    assert names(outcome) == ["more/deep/m.yaml", "team/broken.yaml"]
    assert {code for _, code in codes(outcome)} >= {"invalid-schema"}
    # A file that is named is checked all the same.
    assert names(check_paths(["old/o.style.yaml"])) == ["old/o.style.yaml"]
    settings = load_settings(str(root))
    found = [os.path.relpath(path, root) for path in workspace.find_packages(settings)]
    assert found == ["more/deep/m.yaml", "team/broken.yaml"]


def test_links_round_in_circles(root: Path) -> None:
    put(root / "real" / "p.style.yaml", package("p"))
    (root / "real" / "loop").symlink_to(root / "real")
    (root / "again").symlink_to(root / "real")
    (root / "same.style.yaml").symlink_to(root / "real" / "p.style.yaml")
    outcome = check_paths([str(root)])
    assert len(outcome.files) == 1  # one file, whatever leads to it; so its name clashes with nothing
    assert codes(outcome) == []


def test_a_linked_style_folder_is_followed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    shared = tmp_path_factory.mktemp("shared")
    put(shared / "p.yaml", package("p"))
    (root / ".style").symlink_to(shared)
    assert names(check_paths([str(root)])) == [".style/p.yaml"]
    (root / "sub").mkdir()
    (root / "sub" / ".style").symlink_to(root)
    assert names(check_paths([str(root)])) == [".style/p.yaml"]


def test_duplicate_packages_see_files_that_are_not_asked_for(root: Path) -> None:
    put(root / "a.style.yaml", package("same"))
    put(root / "b.style.yaml", package("same"))
    put(root / "c.style.yaml", package("other"))
    everything = codes(check_paths([str(root)]))
    assert everything == [("a.style.yaml", "duplicate-package"), ("b.style.yaml", "duplicate-package")]
    assert codes(check_paths(["b.style.yaml"])) == [("b.style.yaml", "duplicate-package")]
    outcome = check_text("b.style.yaml", Source(package("same")))
    assert codes(outcome) == [("b.style.yaml", "duplicate-package")]
    assert "`a.style.yaml`" in outcome.files[0].findings[0].message.en
    assert codes(check_text("b.style.yaml", Source(package("new")))) == []


def test_a_comment_silences_a_finding_over_files(root: Path) -> None:
    put(root / "a.style.yaml", package("same"))
    text = package("same").replace("name: same", "name: same # rulewright: ignore[duplicate-package]")
    put(root / "b.style.yaml", text)
    assert codes(check_paths([str(root)])) == [("a.style.yaml", "duplicate-package")]
    assert codes(check_paths(["b.style.yaml"])) == []


def test_equal_names_in_different_projects_are_no_clash(root: Path) -> None:
    put(root / "one" / ".style" / "p.yaml", package("same"))
    put(root / "two" / ".style" / "p.yaml", package("same"))
    outcome = check_paths([str(root)])
    assert names(outcome) == ["one/.style/p.yaml", "two/.style/p.yaml"]
    assert codes(outcome) == []


def test_settings_of_the_own_project_count(root: Path) -> None:
    long = "text: " + "word " * 100
    rule = "action: block\n    " + long
    put(root / "one" / "rulewright.toml", '[severity]\nT005 = "off"\n')
    tool = package("x", rule).replace("target: system", "target: tool\n    tool: shell")
    put(root / "one" / "p.style.yaml", tool)
    put(root / "two" / "p.style.yaml", tool)
    put(root / "two" / "rulewright.toml", "")
    assert codes(check_paths([str(root)])) == [("two/p.style.yaml", "T005")]


def test_unknown_codes_in_settings_are_refused(root: Path) -> None:
    put(root / "rulewright.toml", '[severity]\n\nblock-aftr = "off"\n')
    with pytest.raises(RulewrightError) as caught:
        check_paths([str(root)])
    assert caught.value.to("en") == "rulewright.toml:3: there is no code `block-aftr`; did you mean `block-after`?"


def test_text_files_stay_inside_the_folder(root: Path) -> None:
    put(root / "secret.txt", "s")
    put(root / "p" / "note.md", "Be brief.")
    (root / "p" / "leak.md").symlink_to(root / "secret.txt")
    folder = str(root / "p")
    assert workspace.read_text_file(folder, "note.md") == "Be brief."
    assert workspace.read_text_file(folder, "./x/../note.md") == "Be brief."
    for outside in ("../secret.txt", "leak.md", str(root / "secret.txt"), "none.md", "nul\0", ".", ""):
        assert workspace.read_text_file(folder, outside) is None
    put(root / "p" / "a.style.yaml", package("a", "text_file: note.md"))
    put(root / "p" / "b.style.yaml", package("b", "text_file: nope.md"))
    assert codes(check_paths([str(root)])) == [("p/b.style.yaml", "text-file-missing")]


def test_selection(root: Path) -> None:
    put(root / "a.style.yaml", package("a", "text: hi\n    repeat: every").replace("version: 0.1.0", "version: x"))
    assert {code for _, code in codes(check_paths([str(root)]))} == {"T007", "invalid-schema"}
    assert [c for _, c in codes(check_paths([str(root)], Selection(frozenset(["T007"]))))] == ["T007"]
    assert [c for _, c in codes(check_paths([str(root)], Selection(ignore=frozenset(["T007"]))))] == ["invalid-schema"]


def test_paths_that_are_nothing(root: Path) -> None:
    with pytest.raises(RulewrightError, match=r"there is no `nope\.yaml`"):
        check_paths(["nope.yaml"])
    put(root / "notes.yaml", "a: 1\n")
    outcome = check_paths(["notes.yaml"])
    assert [failure.error.message.en for failure in outcome.failures] == ["`notes.yaml` is not a rule file"]
    assert check_paths([str(root)]) == Outcome((), (), {})


def test_one_unreadable_file_does_not_hold_up_the_others(root: Path) -> None:
    put(root / "a.style.yaml", package("a"))
    (root / "b.style.yaml").write_bytes(b"\xff\xff\xff")
    outcome = check_paths([str(root)])
    assert names(outcome) == ["a.style.yaml"]
    assert [failure.shown for failure in outcome.failures] == ["b.style.yaml"]


def test_processes_find_the_same(root: Path) -> None:
    for number in range(12):
        put(root / f"p{number}.style.yaml", package("same" if number < 2 else f"p{number}", "txt: x"))
    (root / "z.style.yaml").write_bytes(b"\xff\xff")
    alone, together = check_paths([str(root)], jobs=1), check_paths([str(root)], jobs=3)
    assert codes(alone) == codes(together) != []
    assert [f.shown for f in alone.failures] == [f.shown for f in together.failures] == ["z.style.yaml"]


def test_analyze_text_and_path_agree(root: Path) -> None:
    path = put(root / "a.style.yaml", package("a", "txt: x"))
    settings = load_settings(str(root))
    one = workspace.analyze_path(str(path), settings)
    two = workspace.analyze_text(str(path), path.read_text(), settings)
    assert one is not None
    assert two is not None
    assert one.findings == two.findings != ()
    assert workspace.analyze_text(str(root / "a.txt"), "x", settings) is None
    assert workspace.summarize_path(str(root / "none.style.yaml"), settings) is None


@pytest.mark.parametrize(
    ("glob", "path", "found"),
    [
        ("a", "a", True),
        ("a", "b/a/c.yaml", True),
        ("a", "ab", False),
        ("a/", "a/b.yaml", True),
        ("/a", "a/b.yaml", True),
        ("/a", "b/a/c.yaml", False),
        ("./a/*.yaml", "a/b.yaml", True),
        ("a/*.yaml", "a/b/c.yaml", False),
        ("a/**", "a/b/c.yaml", True),
        ("**/c.yaml", "c.yaml", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].yaml", "b.yaml", True),
    ],
)
def test_globs_of_settings(root: Path, glob: str, path: str, found: bool) -> None:
    settings = Settings(root=str(root), exclude=(glob,))
    assert workspace.is_excluded(str(root / path), settings) is found
