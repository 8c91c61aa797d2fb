"""The JSON Schemas: valid by themselves, and of one mind with the models about what may be written."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.cases import parse_cases, read_source

from rulewright import analysis, schemas
from rulewright.cli import main
from rulewright.formats import FORMATS
from rulewright.formats.fields import fields_of
from rulewright.formats.shaping import to_data
from rulewright.settings import KEYS, parse_settings

ROOT = Path(__file__).parents[1]
SHAPE_CODES = ("invalid-schema", "unknown-event")


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schemas.schema_of(name))


@pytest.mark.parametrize("name", schemas.names())
def test_it_is_a_schema(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    printed = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(printed)
    assert printed["$schema"] == schemas.DIALECT
    assert printed == schemas.schema_of(name)


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "styles"]) == 2
    assert "style" in capsys.readouterr().err


@pytest.mark.parametrize("name", [module.NAME for module in FORMATS])
def test_every_key_of_the_models_is_in_it(name: str) -> None:
    """And nothing else: the keys of each mapping are the same in both."""
    import importlib

    keys = importlib.import_module(f"rulewright.formats.{name.replace('-', '_')}.keys")
    schema = schemas.schema_of(name)
    definitions = {**schema.get("$defs", {})}
    waiting = list(keys.ROOTS)
    seen = set()
    while waiting:
        model = waiting.pop()
        if model in seen:
            continue
        seen.add(model)
        table = fields_of(model)
        found = definitions.get(model.__name__, schema)
        assert list(found["properties"]) == list(table)
        assert set(found.get("required", ())) == {key for key, field in table.items() if field.required}
        waiting += [inner for field in table.values() for inner in field.models]
    assert len(seen) >= len(definitions)


def test_it_refuses_what_the_linter_finds_in_the_shape_and_nothing_else() -> None:
    """Over the examples and the cases of the shape checks, as far as a schema can tell."""
    checker = validator("style")
    texts = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "examples").rglob("*.style.yaml"))}
    assert texts
    for code in SHAPE_CODES:
        for case in parse_cases((ROOT / "tests" / "checks" / f"{code}.md").read_text("utf-8")):
            sources = [read_source(block, number) for number, block in enumerate(case.blocks) if block.is_source]
            texts |= {f"{code}: {case.name} {number}": source.text for number, source in enumerate(sources)}
    refused = passed = 0
    for name, text in texts.items():
        document = analysis.read("x.style.yaml", text)
        if document is None or document.damaged or not document.tree.whole or len(text) > 20_000:
            continue
        codes = {problem.code for problem in document.problems}
        data: Any = to_data(document.tree.root) if document.tree.root is not None else None
        if checker.is_valid(data):
            assert not codes & {*SHAPE_CODES}, name
            passed += 1
        elif not codes & {"unknown-field", "duplicate-key"}:
            assert codes & {*SHAPE_CODES, "spec-version", "refresh-invalid", "yaml-trap"}, name
            refused += 1
    assert refused > 20
    assert passed > 3


def test_settings() -> None:
    schema = schemas.schema_of("config")
    assert set(schema["properties"]) == set(KEYS)
    text = '[severity]\nT005 = "off"\n'
    parse_settings(text, str(ROOT), str(ROOT / "rulewright.toml"))
    validator("config").validate(tomllib.loads(text))
    assert not validator("config").is_valid({"package": []})
    assert not validator("config").is_valid({"severity": {"T005": "loud"}})
