"""The words of a package: canonical events and tools, condition fields, `{{ variables }}`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.formats.style import vocabulary as words
from rulewright.ide.results import Token
from rulewright.model import Rule, Value
from rulewright.text.span import Span

_VARIABLE = re.compile(r"\{\{[ \t]*([^{}\r\n]*?)[ \t]*\}\}")


def semantic_tokens(analysis: Analysis) -> Iterator[Token]:
    """Yield the words of every rule that can be read."""
    for rule in analysis.document.package.rules:
        yield from _names(rule)
        for condition in rule.when.conditions if rule.when is not None else ():
            if condition.field.written and condition.field.known:
                yield Token(condition.field.span, "property", words.field_entry(condition.field.text()) is None)
        for value in (rule.text, rule.model_text):
            if value.known and value.origin == "written":
                for match in _VARIABLE.finditer(analysis.document.text, value.span.start, value.span.end):
                    yield Token(Span(*match.span(1)), "variable", words.field_entry(match[1]) is None)


def _names(rule: Rule) -> Iterator[Token]:
    if _is_written(rule.event):
        yield Token(rule.event.span, "event")
    for tool in rule.tool.items:
        if _is_written(tool):
            yield Token(tool.span, "function", tool.text() not in words.TOOLS)


def _is_written(value: Value) -> bool:
    return value.known and value.origin == "written"
