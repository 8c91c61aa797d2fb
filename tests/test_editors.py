"""What is shipped for editors agrees with the engine: schemas, the names of files, what the documentation shows."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path, PurePosixPath
from types import ModuleType

import pytest

from rulewright import schemas
from rulewright.analysis import read

EDITORS = Path(__file__).parents[1] / "editors"


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
            path = "/a/" + re.sub(r"^\*\*/", "", glob).replace("**", "deep").replace("*", "x")
            document = read(path, "")
            assert document is not None, glob
            assert document.format == name, glob


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.style.yaml", "style"),
        ("a.style.yml", "style"),
        ("style.yaml", "style"),
        (".style/b.yaml", "style"),
        (".openclaude/hook-chains.json", "hook-chains"),
        ("my.hook-chains.json", "hook-chains"),
        ("rulewright.toml", "config"),
        ("package.json", None),
        ("other.yaml", None),
    ],
)
def test_files_find_their_schema(path: str, name: str | None) -> None:
    """A pattern with a slash is matched against the path from the right, another against the name alone."""
    hits = set()
    for schema, globs in WRITE.FILES.items():
        for glob in globs:
            simple = glob.replace("**/.style/**/", ".style/")
            if PurePosixPath(path).match(simple):
                hits.add(schema)
    assert hits == ({name} if name else set())
