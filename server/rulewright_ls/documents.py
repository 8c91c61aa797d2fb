"""The texts that are open in the editor, by normalised URI: our own store, changed in place, with one analysis a version.

A text is kept as a list of lines, so that a change costs what it changes (a whole-text splice took 14 ms at 2.8 MB).
Lines end at LF, CRLF and CR only (LSP 3.17). Nothing here knows a handler or reads a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from rulewright.text.lines import Lines, Unit

if TYPE_CHECKING:
    import asyncio

    from rulewright.analysis import Analysis
    from rulewright.checking import Finding

_DRIVE = re.compile(r"^/?[A-Za-z]:(?=[/\\]|$)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")

Change = tuple[tuple[int, int] | None, tuple[int, int] | None, str]
"""One change: start and end as (line, column) in the negotiated unit, and the new text; both None for the whole text."""


def uri_to_path(uri: str, *, windows: bool) -> str:
    """Return the path that a `file:` URI names, in the style of the system; any other URI as it is.

    Args:
        windows: drive letters become lower case, `/` becomes a backslash, and a host becomes a UNC share.
    Source: RFC 8089 and the table of editors' spellings in microsoft/language-server-protocol#1786.
    """
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    # Cut at `#` and `?` before decoding: behind it they are ordinary characters of a name.
    path = unquote(parts.path)
    if not windows:
        return path
    host = unquote(parts.netloc)
    if host and host.lower() != "localhost":
        return "\\\\" + host + path.replace("/", "\\")
    if _DRIVE.match(path):
        path = path.lstrip("/")
        path = path[0].lower() + path[1:]
    return path.replace("/", "\\")


def uri_to_key(uri: str, *, windows: bool) -> str:
    """Return what all spellings of one file have in common: the key of the store."""
    return uri_to_path(uri, windows=windows) if uri[:5].lower() == "file:" else unquote(uri)


def split_lines(text: str) -> list[str]:
    """Split a text into lines with their line ends; the last one has none and may be empty."""
    if "\r" not in text:
        parts = text.split("\n")
        last = parts.pop()
        lines = [part + "\n" for part in parts]
        lines.append(last)
        return lines
    lines = _LINE.findall(text)
    if not lines or lines[-1][-1] in "\r\n":
        lines.append("")
    return lines


def _content_length(line: str) -> int:
    if line.endswith("\r\n"):
        return len(line) - 2
    return len(line) - 1 if line.endswith(("\n", "\r")) else len(line)


class OpenDocument:
    """One open text.

    uri: as the client spells it; published under exactly this spelling.
    version: the client's; only ever compared for equality with what an answer was made from.
    revision: raised with every change of the text here, so that a client that repeats a version does no harm.
    stamp: raised with every change of what an analysis depends on: the text, settings, other files.
    analysis: that of the present revision; None while there is none, and for a text that is no rule file.
    analysed: the present revision was looked at, whatever came of it.
    failure: what a fault of ours left to say about it, instead of an analysis.
    seconds: what the last analysis took; None before the first.
    running: the second thread is at it, or is to be. timer: the pause before that.
    """

    __slots__ = (
        "_lines", "_map", "_text", "analysed", "analysis", "closed", "failure", "path", "published", "revision", "running", "seconds",
        "stamp", "timer", "uri", "version", "waiters",
    )  # fmt: skip

    def __init__(self, uri: str, path: str, version: int, text: str) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.revision = 0
        self.stamp = 0
        self.analysis: Analysis | None = None
        self.analysed = False
        self.failure: tuple[Finding, ...] = ()
        self.seconds: float | None = None
        self.closed = False
        self.published = False
        self.running = False
        self.timer: asyncio.TimerHandle | None = None
        self.waiters: list[asyncio.Future[None]] = []
        self._lines = split_lines(text)
        self._text: str | None = text
        self._map: Lines | None = None

    @property
    def text(self) -> str:
        """The whole text as it is now."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def lines(self) -> Lines:
        """The line map of the present text."""
        if self._map is None:
            self._map = self.analysis.document.lines if self.analysis is not None else Lines(self.text)
        return self._map

    def change(self, version: int, changes: Sequence[Change], unit: Unit) -> None:
        """Apply changes one after the other, each to the outcome of the one before (LSP 3.17, didChange)."""
        for start, end, new_text in changes:
            if start is None or end is None:
                self._lines = split_lines(new_text)
            else:
                self._splice(start, end, new_text, unit)
        self.version = version
        self.revision += 1
        self._text = None
        self._map = None
        self.outdate()

    def outdate(self) -> None:
        """Say that the analysis no longer holds: the text, the settings or other files have changed."""
        self.stamp += 1
        self.analysis = None
        self.analysed = False
        self.failure = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is to be reported of the analysed text."""
        return self.analysis.findings if self.analysis is not None else self.failure

    @property
    def size(self) -> int:
        """The number of lines, which is known without joining the text."""
        return len(self._lines)

    def _splice(self, start: tuple[int, int], end: tuple[int, int], new_text: str, unit: Unit) -> None:
        if end < start:
            start, end = end, start
        lines = self._lines
        first, first_at = self._place(start, unit)
        last, last_at = self._place(end, unit)
        joined = lines[first][:first_at] + new_text + lines[last][last_at:]
        if first > 0 and joined.startswith("\n") and lines[first - 1].endswith("\r"):
            # A CR that stood alone becomes half of a CRLF.
            first -= 1
            joined = lines[first] + joined
        replaced = split_lines(joined)
        if last + 1 < len(lines) and replaced[-1] == "":
            replaced.pop()
        lines[first : last + 1] = replaced

    def _place(self, position: tuple[int, int], unit: Unit) -> tuple[int, int]:
        """Return line index and code-point index in it; beyond a line or the text means its end."""
        line, column = position
        if line < 0 or column < 0:
            raise ValueError("a position cannot be negative")
        if line >= len(self._lines):
            line = len(self._lines) - 1
            return line, len(self._lines[line])
        content = self._lines[line]
        length = _content_length(content)
        if unit == "utf-32" or content.isascii():
            return line, min(column, length)
        return line, Lines(content[:length]).offset_at(0, column, unit)


class Documents:
    """The open documents by key. `windows` says how URIs are read."""

    def __init__(self, *, windows: bool) -> None:
        self.windows = windows
        self._open: dict[str, OpenDocument] = {}

    def open(self, uri: str, version: int, text: str) -> OpenDocument:
        """Keep a text under its URI; an earlier one under any spelling of it is dropped."""
        document = OpenDocument(uri, uri_to_path(uri, windows=self.windows), version, text)
        self._open[uri_to_key(uri, windows=self.windows)] = document
        return document

    def get(self, uri: str) -> OpenDocument | None:
        """Return the open document of a URI in any spelling."""
        return self._open.get(uri_to_key(uri, windows=self.windows))

    def close(self, uri: str) -> OpenDocument | None:
        """Forget a document and return it."""
        return self._open.pop(uri_to_key(uri, windows=self.windows), None)

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(list(self._open.values()))
