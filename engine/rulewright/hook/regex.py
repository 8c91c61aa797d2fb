"""Compiles patterns at event time without the module `re`, whose import alone doubles the time of a hook.

`re` is a package; its compiler needs neither `enum` nor `functools`, only the code around it does. So the compiler is loaded
under a package name of our own, from the files of `re`. Measured (40 runs in turns, CPU time, Python 3.11.7, bare
interpreter 1.0): `import re` and one pattern 1.9, this and one pattern 1.2. Where it does not work, `re` itself is used.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NAME = "_rulewright_re"


def search_with(pattern: str) -> "Callable[[str], object | None]":
    """Return the search function of a pattern in Python's syntax (the compiler of the index has translated it).

    Raises:
        ValueError: it is no pattern, or one too large for this interpreter.
    """
    compiler = _compiler()
    try:
        search: Callable[[str], object | None] = compiler.compile(pattern).search
    except (compiler.error, RecursionError, OverflowError):
        raise ValueError("no pattern") from None
    return search


def _compiler() -> "Any":
    """Return the compiler of `re`, or `re`: both have `compile` and `error`."""
    loaded: Any = sys.modules.get("re") or sys.modules.get(f"{_NAME}._compiler")
    if loaded is not None:
        return loaded
    try:
        package: Any = type(sys)(_NAME)
        package.__path__ = next(
            filter(None, (finder.find_spec("re", None) for finder in sys.meta_path))
        ).submodule_search_locations
        sys.modules[_NAME] = package
        found: Any = __import__(f"{_NAME}._compiler", fromlist=("compile",))
        if found.compile("a+(?s:.)").search("xaab").span() == (1, 4) and found.error:
            return found
    except (ImportError, AttributeError, StopIteration, TypeError):
        pass
    import re

    return re
