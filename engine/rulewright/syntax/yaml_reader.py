"""YAML text to tree. The only module that imports `yaml`; takes events from it and nothing else.

It never raises on a text. What `yaml` cannot read is read again in pieces (`yaml_recovery`), so that a mistake costs
the entry that holds it and no other.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from typing import Any

import yaml

from rulewright.syntax.tree import Node, Problem, Tree
from rulewright.syntax.yaml_builder import Builder
from rulewright.text.language import Text
from rulewright.text.span import Span

# The C parser where PyYAML was built with it: about ten times faster, with the same events.
EVENT_LOADER: Callable[[str], Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Characters; the largest real rule files are below 100,000. Above this an editor would stall for seconds.
MAX_LENGTH = 4_000_000
_GC_LENGTH = 20_000


def read_yaml(text: str, start: int = 0, end: int | None = None) -> Tree:
    """Read the YAML between `start` and `end` (code points); all spans are places in the whole `text`.

    A byte order mark at `start` is skipped. The tree is that of the first document that is not empty.
    """
    stop = len(text) if end is None else end
    if text.startswith("\ufeff", start, stop):
        start += 1
    collecting = stop - start > _GC_LENGTH and gc.isenabled()
    if collecting:
        gc.disable()
    try:
        builder = Builder(text)
        tree = Tree(None, builder.problems)
        loader = EVENT_LOADER(text[start:stop])
        try:
            tree.root = builder.build(loader.get_event, start)
        except yaml.YAMLError as error:
            builder.problems.append(Problem("yaml-syntax", Span(start, start), Text(str(error), str(error))))
        return tree
    finally:
        if collecting:
            gc.enable()
