"""What is said of the keys of all formats."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rulewright.formats.fields import Shape, fields_of
from rulewright.formats.foya import keys as foya
from rulewright.formats.hook_chains import keys as chains
from rulewright.formats.style import keys as style

ENGLISH = re.compile(r"[a-z]{2,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"`[^`]*`")


def _mappings(base: type[Shape] = Shape) -> Iterator[type[Shape]]:
    for model in base.__subclasses__():
        yield model
        yield from _mappings(model)


@pytest.mark.parametrize("model", sorted(set(_mappings()), key=lambda model: (model.__module__, model.__qualname__)))
def test_what_is_said_of_a_key_is_said_in_both_languages(model: type[Shape]) -> None:
    """F080: hover shows the default too, and whoever reads Chinese reads it in Chinese."""
    for name, field in fields_of(model).items():
        for text in (field.doc, field.kind, field.default, *field.value_docs.values()):
            if text is not None and ENGLISH.search(CODE.sub("", text.en)):
                assert CHINESE.search(text.zh), (name, text.en)
                assert not CHINESE.search(text.en), (name, text.zh)


def test_the_formats_are_among_them() -> None:
    assert {foya.FrontmatterKeys, chains.RuleKeys, style.RuleKeys} <= set(_mappings())
