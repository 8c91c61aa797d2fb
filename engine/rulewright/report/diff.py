"""A change of a text as a unified diff, the form that `patch` and `git apply` read."""

from __future__ import annotations

import difflib


def unified(before: str, after: str, name: str, *, new: bool = False, gone: bool = False) -> str:
    """Return the diff; the empty string where nothing differs.

    Args:
        name: the path with `/`, shown on both sides. new, gone: the file does not exist before, or after.
    """
    rows = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if new else f"a/{name}",
        "/dev/null" if gone else f"b/{name}",
    )
    # A row without a line end is the last line of a text that has none (POSIX diff; git reads the mark).
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _lines(text: str) -> list[str]:
    # Diffs know LF only; the CR of a CRLF stays in the line.
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
