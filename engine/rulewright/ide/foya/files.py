"""Which files of a project a glob of a Foya rule means: those whose path, named in a request, wakes the rule."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from rulewright.hook.activity_globs import Reader, longest_literal


def matching(glob: str, files: Sequence[str], strict: bool = False) -> tuple[str, ...]:
    """Return the files that a glob matches as a whole, in their order.

    Args:
        files: paths relative to the project, with `/`. strict: read the glob as Foya's own program does.
    """
    return _matching(glob, tuple(files), strict)


@functools.lru_cache(maxsize=256)
def _matching(glob: str, files: tuple[str, ...], strict: bool) -> tuple[str, ...]:
    literal = longest_literal(glob.replace("\\", "/"))
    return tuple(path for path in files if literal in path and Reader(path, not strict).find(glob) == (0, len(path)))


def any_matching(globs: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    """Return the files that at least one glob matches, sorted."""
    if len(globs) == 1:
        return matching(globs[0], files)
    return tuple(sorted({path for glob in globs for path in matching(glob, files)}))
