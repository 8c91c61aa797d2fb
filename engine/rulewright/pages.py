"""The page of a code in the reader's language: the module's docstring, or its translation where there is one."""

from __future__ import annotations

import functools
import os

import rulewright
from rulewright import files
from rulewright.checking import Check
from rulewright.text.language import Lang


def page_of(check: Check, lang: Lang) -> str:
    """Return the page of a check as Markdown; in English where there is no translation."""
    translated = _translated(check.code) if lang == "zh-CN" else None
    return translated or check.page


@functools.cache
def _translated(code: str) -> str | None:
    """Return the Chinese page without its frontmatter, None where there is none.

    It stands in `docs/` of the package, or of the checkout that the package is used from.
    """
    package = os.path.dirname(os.path.abspath(rulewright.__file__))
    for docs in (os.path.join(package, "docs"), os.path.join(package, "..", "..", "docs")):
        text = files.read_text_or_none(os.path.join(docs, "zh-CN", "codes", f"{code}.md"))
        if text is not None:
            if text.startswith("---\n"):
                text = text.partition("\n---\n")[2]
            return text.lstrip("\n")
    return None
