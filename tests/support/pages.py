"""The page of a check, taken apart: title, sections, and the examples that a test runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from support.cases import FLAGS, FORMATS, Block, Source, read_source

SETTINGS = r"^```toml settings\n(.*?)^```$"


@dataclass(slots=True)
class Page:
    """A page: its first line, the text of each `## ` section, and the examples in order.

    settings: the project's, from a block `toml settings`; they count for all examples.
    """

    title: str
    sections: dict[str, str]
    source: str | None
    settings: str | None = None
    examples: list[Example] = field(default_factory=list)


@dataclass(slots=True)
class Example:
    """Files that belong together, and whether they are `bad` or `good`."""

    kind: str
    sources: list[Source]


def read_page(page: str) -> Page:
    """Take a page apart. Blocks with `path=` of one kind are one workspace, every other block stands alone.

    Raises:
        ValueError: an example is neither `bad` nor `good`, or of no format.
    """
    outside = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    pieces = re.split(r"^## +(.+)$", outside, flags=re.MULTILINE)
    sections = dict(zip(pieces[1::2], (text.strip() for text in pieces[2::2]), strict=True))
    source = re.search(r"^Source: (.+)$", outside, re.MULTILINE)
    settings = re.search(SETTINGS, page, re.DOTALL | re.MULTILINE)
    result = Page(page.split("\n")[0], sections, source[1] if source else None, settings[1] if settings else None)
    together: dict[str, Example] = {}
    for kind, block in _blocks(page):
        if "path" not in block.options:
            result.examples.append(Example(kind, [read_source(block, 0)]))
        elif kind in together:
            together[kind].sources.append(read_source(block, 0))
        else:
            together[kind] = Example(kind, [read_source(block, 0)])
            result.examples.append(together[kind])
    return result


def _blocks(page: str) -> Iterator[tuple[str, Block]]:
    without = re.sub(SETTINGS, "", page, flags=re.DOTALL | re.MULTILINE)
    for match in re.finditer(r"^```([^\n`]+)\n(.*?)^```$", without, re.DOTALL | re.MULTILINE):
        language, format_name, kind, *rest = match[1].split()
        options = dict(word.partition("=")[::2] for word in rest)
        if kind not in ("bad", "good") or format_name not in FORMATS or set(options) - FLAGS - {"path"}:
            raise ValueError(f"what is {match[1]!r}?")
        yield kind, Block([language, format_name], options, match[2].split("\n")[:-1], 0, 0)
