"""What the sub-commands need of the terminal: language, colour, stdin, messages on stderr. Knows nothing of rules."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import IO, TYPE_CHECKING

from rulewright.errors import RulewrightError
from rulewright.text.language import Lang, Text

if TYPE_CHECKING:
    from rulewright.settings import Settings


def language(args: argparse.Namespace, settings: Settings) -> Lang:
    """Return the language of a run: `--lang`, else the project's setting, else the locale's."""
    chosen: Lang = args.lang
    return chosen if args.lang_given else settings.lang or chosen


def wants_colour(stream: IO[str]) -> bool:
    """Tell whether to colour what goes to `stream`.

    Source: no-color.org and force-color.org: a variable that is set and not empty counts, NO_COLOR first.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def read_stdin(limit: int) -> bytes:
    """Read stdin whole.

    Raises:
        RulewrightError: more than `limit` bytes, or stdin is closed.
    """
    if sys.stdin is None:
        raise RulewrightError(Text("there is nothing to read on stdin", "stdin 没有可读的内容"))
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise RulewrightError(Text("stdin is longer than {limit} bytes", "stdin 超过 {limit} 字节").format(limit=limit))
    return data


def print_error(line: str) -> None:
    """Write one line to stderr; a closed stderr is no reason to fail."""
    write_error(line + "\n")


def write_error(text: str) -> None:
    """Write to stderr as it stands; a closed stderr is no reason to fail."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()
