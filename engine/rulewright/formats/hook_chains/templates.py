"""The templates of hook chains: where a text names a variable (hook-chains.md section 5).

Source of the pattern: `resolveTemplate` in OpenClaude's src/utils/hookChains.ts [O]. It takes `${NAME}` and `$NAME`, of capitals,
digits and `_`, and puts nothing in the place of a name that it does not know; every other text stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rulewright.formats.hook_chains.vocabulary import VARIABLES
from rulewright.model.chains import ChainAction
from rulewright.model.values import Value
from rulewright.text.span import Span

PROMPT_VARIABLES: Final = tuple(name for name in VARIABLES if name != "TASK_ID")
MESSAGE_VARIABLES: Final = tuple(name for name in VARIABLES if name != "TASK_DESCRIPTION")
"""What OpenClaude fills in in a `promptTemplate`, and in a `summary` or `messageTemplate` [O]; the seed lists the union for both."""

_USE: Final = re.compile(r"\$\{([A-Z0-9_]+)\}|\$([A-Z0-9_]+)")
# What looks like a variable and is none: other letters, or blanks, inside the braces.
_LITERAL: Final = re.compile(r"\$\{([^{}$\r\n]{1,40})\}")


class Use(NamedTuple):
    """One variable in a template: its name, and the place of the name in the template's value, in code points."""

    name: str
    span: Span


def templates_of(action: ChainAction) -> Iterator[tuple[Value, tuple[str, ...]]]:
    """Return the templates that an action writes, each with the variables that are filled in there."""
    if action.prompt_template.written:
        yield action.prompt_template, PROMPT_VARIABLES
    for value in (action.summary, action.message_template):
        if value.written:
            yield value, MESSAGE_VARIABLES


def uses(template: str) -> Iterator[Use]:
    """Return the variables that a template names, those that nobody knows included."""
    for match in _USE.finditer(template):
        group = 1 if match[1] is not None else 2
        yield Use(match[group], Span(*match.span(group)))


def literals(template: str) -> Iterator[Use]:
    """Return what stands in `${...}` and is not replaced, for it is not written in capitals without blanks."""
    for match in _LITERAL.finditer(template):
        if _USE.fullmatch(match[0]) is None:
            yield Use(match[1], Span(*match.span(1)))
