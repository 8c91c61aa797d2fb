"""Settings: what they may say, and messages that name file and line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as under
from hypothesis import strategies as st

from rulewright.errors import RulewrightError
from rulewright.settings import find_project_root, in_project, load_settings, parse_settings


def load(folder: Path, text: str, name: str = "rulewright.toml"):  # type: ignore[no-untyped-def]
    (folder / name).write_text(text, encoding="utf-8")
    return load_settings(str(folder))


def test_all_keys(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        'packages = ["rules/*.yaml"]\nharnesses = ["claude-code"]\nexclude = ["old/"]\nlang = "zh-CN"\n'
        '[severity]\nT005 = "off"\nblock-after = "hint"\n[otel]\nendpoint = "x"\n',
    )
    assert settings.packages == ("rules/*.yaml",)
    assert settings.harnesses == ("claude-code",)
    assert settings.exclude == ("old/",)
    assert settings.lang == "zh-CN"
    assert settings.severity == {"T005": "off", "block-after": "hint"}
    assert settings.root == str(tmp_path)
    assert settings.source == str(tmp_path / "rulewright.toml")


def test_none_are_fine(tmp_path: Path) -> None:
    settings = load_settings(str(tmp_path))
    assert (settings.packages, settings.severity, settings.source) == ((), {}, None)


def test_pyproject_counts_where_there_is_no_file_of_its_own(tmp_path: Path) -> None:
    pyproject = '[project]\nname = "x"\n[project.scripts]\nrulewright = "x:y"\n[tool.rulewright]\nlang = "en"\n'
    assert load(tmp_path, pyproject, "pyproject.toml").lang == "en"
    assert load(tmp_path, 'lang = "zh-CN"\n').lang == "zh-CN"


def test_a_pyproject_that_is_not_ours_may_be_broken(tmp_path: Path) -> None:
    assert load(tmp_path, "[project\nrulewright", "pyproject.toml").source is None
    with pytest.raises(RulewrightError, match=r"pyproject\.toml:1: not TOML"):
        load(tmp_path, "[project\n[tool.rulewright]\n", "pyproject.toml")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('x = 1\n# c\nexclued = ["a"]', "rulewright.toml:1: unknown setting `x`; known are packages"),
        ('lang = "en"\n# c\nexclued = ["a"]', "rulewright.toml:3: unknown setting `exclued`; did you mean `exclude`?"),
        ("\n\npackages = 'a'", "rulewright.toml:3: `packages` must be a list of strings"),
        ("exclude = ['a', 1]", "rulewright.toml:1: `exclude` must be a list of strings"),
        ("exclude = ['a', '']", "rulewright.toml:1: `exclude` has an empty glob"),
        ("harnesses = ['claud']", "rulewright.toml:1: unknown harness `claud`; known are claude-code"),
        ("lang = 'fr'", "rulewright.toml:1: `lang` must be `en` or `zh-CN`"),
        ("lang = 3", "rulewright.toml:1: `lang` must be `en` or `zh-CN`"),
        ("severity = 'x'", "rulewright.toml:1: `severity` must be a table"),
        ("\n[severity]\n\nT005 = 'fatal'", "rulewright.toml:4: `severity.T005` must be one of error"),
        ("\n[severity]\n\n'T005' = []", "rulewright.toml:4: `severity.T005` must be one of error"),
        ("\nseverity.T005 = true", "rulewright.toml:2: `severity.T005` must be one of error"),
        ("a = \n", "rulewright.toml:1: not TOML: Invalid value"),
        ("a = '", "rulewright.toml: not TOML"),
        ("launch = 1", "rulewright.toml:1: `launch` must be a table"),
    ],
)
def test_faults_name_their_line(tmp_path: Path, text: str, wanted: str) -> None:
    with pytest.raises(RulewrightError) as caught:
        load(tmp_path, text)
    assert caught.value.to("en").startswith(wanted)
    assert caught.value.to("zh-CN") != caught.value.to("en")


def test_a_fault_in_pyproject_is_found_in_its_table(tmp_path: Path) -> None:
    text = "[tool.other]\nexclude = 1\n\n[tool.rulewright]\n\nexclude = 1\n"
    with pytest.raises(RulewrightError, match=r"pyproject\.toml:6: `exclude`"):
        load(tmp_path, text, "pyproject.toml")
    with pytest.raises(RulewrightError, match=r"pyproject\.toml:2: `tool.rulewright` must be a table"):
        load(tmp_path, "[tool]\nrulewright = 1\n", "pyproject.toml")


def test_a_settings_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "rulewright.toml").mkdir()
    with pytest.raises(RulewrightError, match="is a folder"):
        load_settings(str(tmp_path))


@under(deadline=None)
@given(st.text(alphabet=st.sampled_from("[]{}=.\"'#\n abseverity1,-"), max_size=60))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        parse_settings(text, "/", "/rulewright.toml")
    except RulewrightError:
        return


def test_the_root_of_a_project(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "sub" / "deep"
    deep.mkdir(parents=True)
    assert find_project_root(str(deep)) == str(deep)
    assert not in_project(str(deep))
    (tmp_path / "repo" / ".git").mkdir()
    assert find_project_root(str(deep)) == str(tmp_path / "repo")
    assert in_project(str(deep))
    (tmp_path / "repo" / "sub" / ".style").mkdir()
    assert find_project_root(str(deep / "not-there.yaml")) == str(tmp_path / "repo" / "sub")
    (tmp_path / "repo" / "rulewright.toml").write_text("")
    assert find_project_root(str(deep)) == str(tmp_path / "repo")
    (tmp_path / "rulewright.toml").write_text("")  # above the repository: not its settings
    assert find_project_root(str(deep)) == str(tmp_path / "repo")


def test_the_home_folder_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".style").mkdir()
    (tmp_path / "code").mkdir()
    assert find_project_root(str(tmp_path / "code")) == str(tmp_path / "code")


def test_a_ceiling_ends_the_search_as_for_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "outer" / "inner" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "outer" / ".git").mkdir()
    assert find_project_root(str(deep)) == str(tmp_path / "outer")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.pathsep.join(["relative", str(tmp_path / "outer")]))
    assert find_project_root(str(deep)) == str(deep)
    assert find_project_root(str(tmp_path / "outer")) == str(tmp_path / "outer")
