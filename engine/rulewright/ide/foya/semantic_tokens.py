"""The words of a file of Foya rules: mentions of rules that are there."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.ide.foya.rename import mentions
from rulewright.ide.results import Token


def semantic_tokens(analysis: Analysis) -> Iterator[Token]:
    """Yield the triggers, and every `@name` in a text that names a rule of the file."""
    document = analysis.document
    names: set[str] = set()
    for rule in document.foya.rules:
        if rule.trigger.known and rule.trigger.origin == "written":
            yield Token(rule.trigger.span, "enumMember")
        names |= {value.text() for value in (rule.name, rule.id) if value.text()}
    if "@" in document.text:
        for name in sorted(names, key=len, reverse=True):
            for span in mentions(document.text, name):
                yield Token(span, "function")
