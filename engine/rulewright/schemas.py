"""JSON Schemas of the formats and of the settings, for editors without the language server. Made from the models, never by hand.

The dialect is JSON Schema 2020-12 (json-schema.org/draft/2020-12/schema).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from rulewright import harness
from rulewright.checks import all_checks
from rulewright.formats import FORMATS, by_name
from rulewright.formats.fields import Shape
from rulewright.settings import SEVERITY_NAMES, TABLES
from rulewright.text.language import LANGUAGES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
IDENTIFIERS = "https://rulewright.github.io/schemas/"
CONFIG = "config"

Schema = dict[str, Any]


def names() -> tuple[str, ...]:
    """Return the names of what there is a schema of."""
    return (*(module.NAME for module in FORMATS), CONFIG)


def schema_of(name: str) -> Schema:
    """Return one schema.

    Raises:
        KeyError: there is none of this name.
    """
    body = _config() if name == CONFIG else _format(name)
    return {"$schema": DIALECT, "$id": f"{IDENTIFIERS}{name}.json", **body}


def _format(name: str) -> Schema:
    module = importlib.import_module(f"rulewright.formats.{by_name(name).NAME.replace('-', '_')}.keys")
    roots: tuple[type[Shape], ...] = module.ROOTS
    title, free = module.TITLE, module.FREE_KEYS
    if len(roots) == 1:
        return {"title": title, **_cleaned(roots[0].model_json_schema(), free)}
    definitions: Schema = {}
    choices = []
    for root in roots:
        found = _cleaned(root.model_json_schema(), free)
        definitions.update(found.pop("$defs", {}))
        definitions[root.__name__] = found
        choices.append({"$ref": f"#/$defs/{root.__name__}"})
    return {"title": title, "anyOf": choices, "$defs": definitions}


def _cleaned(schema: Schema, free: bool) -> Schema:
    """Take out what only our models need, and let the author's own keys in where the format has such."""
    found: Schema = {}
    for key, value in schema.items():
        if key == "default" and value is None:
            continue  # Not a value that may be written: nothing is set.
        if key == "discriminator" or (key == "title" and isinstance(value, str)):
            continue  # `discriminator` is a word of OpenAPI.
        found[key] = _cleaned_value(key, value, free)
    if free and found.get("additionalProperties") is False:
        found["patternProperties"] = {"^x-": {}}
    return found


def _cleaned_value(key: str, value: object, free: bool) -> object:
    if key in ("properties", "$defs") and isinstance(value, Mapping):
        return {name: _cleaned(dict(item), free) for name, item in value.items()}
    if isinstance(value, Mapping):
        return _cleaned(dict(value), free)
    if isinstance(value, list):
        return [_cleaned(dict(item), free) if isinstance(item, Mapping) else item for item in value]
    return value


def _config() -> Schema:
    """Return the schema of `rulewright.toml` (cli.md, Files)."""
    globs = {"type": "array", "items": {"type": "string", "minLength": 1}}
    codes = {check.code: {"enum": list(SEVERITY_NAMES)} for check in all_checks()}
    return {
        "title": "Rulewright",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "packages": {**globs, "description": "Globs of rule files or folders besides `.style/`."},
            "harnesses": {
                "type": "array",
                "items": {"enum": list(harness.NAMES)},
                "description": "The coding agents that the rules are written for.",
            },
            "exclude": {**globs, "description": "Globs of what is never read."},
            "lang": {"enum": list(LANGUAGES), "description": "The language of messages."},
            "severity": {
                "type": "object",
                "additionalProperties": False,
                "properties": codes,
                "description": "What replaces a code's own severity.",
            },
            **{name: {"type": "object"} for name in TABLES},
        },
    }
