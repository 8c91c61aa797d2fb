"""What completion offers in every format: which items fit what is typed, and the codes of an ignoring comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulewright.checks import checks_by_code
from rulewright.ide.results import Item
from rulewright.text.language import same
from rulewright.text.span import Span

_IGNORE = re.compile(r"(?:#|<!--)[ \t]*rulewright:[ \t]*ignore[ \t]*\[(?:[^\]]*,)?[ \t]*(?P<word>[\w-]*)$")
_PARTS = re.compile(r"[\s._/-]")


def fits(prefix: str, item: Item) -> bool:
    """Tell whether what is typed can become the item: it begins the word, or one of the word's parts."""
    typed = prefix.lower()
    word = (item.filter or item.label).lower()
    return word.startswith(typed) or any(part.startswith(typed) for part in _PARTS.split(word)[1:])


def codes(before: str, offset: int, format_name: str) -> Iterator[Item]:
    """Yield the codes for an ignoring comment that the cursor stands in.

    Args:
        before: the line up to the cursor. format_name: only codes of checks on this format are offered.
    """
    match = _IGNORE.search(before)
    if match is None:
        return
    for code, check in checks_by_code().items():
        if format_name in check.formats:
            title = check.page.split("\n", 1)[0]
            item = Item(code, "code", Span(offset - len(match["word"]), offset), code, same(title), None)
            if fits(match["word"], item):
                yield item
