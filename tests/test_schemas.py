"""The JSON Schemas: valid by themselves, and of one mind with the models about what may be written."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rulewright import analysis, schemas
from rulewright.checks import all_checks
from rulewright.cli import main
from rulewright.formats import FORMATS
from rulewright.formats.fields import fields_of
from rulewright.formats.shaping import to_data
from rulewright.settings import KEYS, parse_settings
from rulewright.syntax.markdown_reader import MarkdownTree
from support.cases import parse_cases, read_source
from support.pages import read_page

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


def cases(name: str) -> list[tuple[str, str, str]]:
    """Return the texts of one format in all case files of the checks: what they are, the path, the text."""
    found = []
    for path in sorted((ROOT / "tests" / "checks").glob("*.md")):
        for case in parse_cases(path.read_text("utf-8")):
            blocks = [block for block in case.blocks if block.is_source and block.words[1] == name]
            sources = [read_source(block, number) for number, block in enumerate(blocks)]
            found += [(f"{path.stem}: {case.name}", source.path, source.text) for source in sources]
    return [(label, path, text) for label, path, text in found if len(text) < 20_000]


def test_hook_chains_are_refused_where_openclaude_refuses_them() -> None:
    checker = validator("hook-chains")
    refused = passed = 0
    for label, path, text in cases("hook-chains"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            continue
        document = analysis.read(path, text)
        assert document is not None
        codes = {problem.code for problem in document.problems} - {"duplicate-key", "json-syntax"}
        assert checker.is_valid(data) == (not codes), label
        passed += not codes
        refused += bool(codes)
    assert refused > 10
    assert passed > 60


def as_foya_reads(data: object) -> object:
    """A key without a value is no key, and a number or truth value is its text (foya.md section 2)."""
    if isinstance(data, dict):
        return {name: as_foya_reads(value) for name, value in data.items() if value is not None}
    if isinstance(data, list):
        return [as_foya_reads(value) for value in data]
    return data if isinstance(data, str) else str(data)


# What a schema cannot know of a rule, or what is only said and has no consequence for the data.
FOYA_UNSEEN = {"foya-marker", "foya-text-outside", "foya-one-rule", "duplicate-key", "hidden-character"}


def test_foya_headers_without_a_problem_are_valid() -> None:
    checker = validator("foya")
    refused = passed = 0
    for label, path, text in cases("foya"):
        document = analysis.read(path, text)
        if document is None or document.tree.root is None or document.foya.too_deep:
            continue
        assert isinstance(document.tree, MarkdownTree)
        data = to_data(document.tree.root)
        headers = data if isinstance(data, list) else [data]
        codes = {problem.code for problem in document.problems} - FOYA_UNSEEN
        for header in headers:
            if not checker.is_valid(as_foya_reads(header)):
                assert codes, (label, header)
                refused += 1
            passed += not codes
    assert refused > 10
    assert passed > 100


@pytest.mark.parametrize("name", [module.NAME for module in FORMATS])
def test_the_good_examples_of_the_pages_are_valid(name: str) -> None:
    checker = validator(name)
    seen = 0
    examples = [(check, example) for check in all_checks() for example in read_page(check.page).examples]
    for check, example in examples:
        for source in example.sources if example.kind == "good" else ():
            document = analysis.read(source.path, source.text) if source.format == name else None
            if document is None or document.tree.root is None:
                continue
            data = to_data(document.tree.root)
            for one in data if isinstance(data, list) else [data]:
                assert checker.is_valid(as_foya_reads(one) if name == "foya" else one), check.code
                seen += 1
    assert seen > 10


def test_settings() -> None:
    schema = schemas.schema_of("config")
    assert set(schema["properties"]) == set(KEYS)
    text = '[severity]\nT005 = "off"\n'
    parse_settings(text, str(ROOT), str(ROOT / "rulewright.toml"))
    validator("config").validate(tomllib.loads(text))
    assert not validator("config").is_valid({"package": []})
    assert not validator("config").is_valid({"severity": {"T005": "loud"}})
