"""Words that an editor shows inside the text: by its format."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.ide.results import InlayHint
from rulewright.ide.style import inlay_hints as style
from rulewright.text.language import Lang
from rulewright.text.span import Span


def inlay_hints(analysis: Analysis, span: Span, lang: Lang) -> Iterator[InlayHint]:
    """Yield the hints in a part of the text, in order."""
    if analysis.document.format == "style":
        yield from style.inlay_hints(analysis, span, lang)
