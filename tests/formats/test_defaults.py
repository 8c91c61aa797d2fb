"""How the defaults of keys read to users: in words of the format, or in both languages."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

import pytest

from rulewright.formats import FORMATS
from rulewright.formats.fields import Shape, fields_of
from rulewright.ide.field_docs import default_of, field_doc
from rulewright.text.language import Text


def _all_below(shape: type[Shape]) -> Iterator[type[Shape]]:
    for one in shape.__subclasses__():
        yield one
        yield from _all_below(one)


for _format in FORMATS:
    importlib.import_module(f"rulewright.formats.{_format.NAME.replace('-', '_')}.keys")
DEFAULTS = [
    pytest.param(field.default, id=f"{shape.__name__}.{name}")
    for shape in _all_below(Shape)
    for name, field in fields_of(shape).items()
    if field.default is not None
]


@pytest.mark.parametrize("default", DEFAULTS)
def test_a_default_in_words_stands_in_both_languages(default: Text) -> None:
    """What is in back quotes is said alike in both; a single word without any is a word of the format."""
    quoted = re.compile("`[^`]*`")
    words = quoted.sub("", default.en).strip()
    if default.en == default.zh:
        assert not words or " " not in words
        assert words not in ("none", "nothing")
    else:
        assert re.search("[\u4e00-\u9fff]", default.zh)
        assert not re.search("[\u4e00-\u9fff]", default.en)
        assert sorted(quoted.findall(default.en)) == sorted(quoted.findall(default.zh))


def test_a_hover_in_chinese_has_no_english_default() -> None:
    keys = importlib.import_module("rulewright.formats.hook_chains.keys")
    field = fields_of(keys.ConditionKeys)["toolNames"]
    assert (default_of(field, "en"), default_of(field, "zh-CN")) == ("any tool", "任何工具")
    assert "默认值：任何工具" in field_doc(field, "zh-CN", sources={field.source: Text("", "")})
    enabled = fields_of(keys.RuleKeys)["enabled"]
    assert default_of(enabled, "zh-CN") == "`true`"
