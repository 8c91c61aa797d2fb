"""Bytes to messages: one inbox for stdio, TCP and WebSocket, handled one message a turn of the loop.

pygls reads stdin through a thread pool, three changes of thread a message, each of which waits for a busy interpreter. Here
one thread reads, cuts out the messages and hands them over. The inbox says when it is empty: then there is time to analyse.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol

log = logging.getLogger(__name__)

_LENGTH = re.compile(rb"^content-length:[ \t]*(\d+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
HEADER_LIMIT = 64 * 1024
"""Bytes without the end of a header after which a stream is no language client. LSP's headers have two lines."""
MESSAGE_LIMIT = 256 * 1024 * 1024
"""Bytes of one message that are accepted; a rule file has 5 MB at most (files.SIZE_LIMIT), escaped six times that."""


class BrokenStreamError(Exception):
    """What arrives is not the base protocol."""


class RawInput(Protocol):
    """A stream that is read without buffering."""

    def read(self, size: int, /) -> bytes | None:
        """Return what is there, at most `size` bytes; nothing at the end."""


class Frames:
    """Cuts a stream of bytes into the bodies of messages (LSP 3.17, base protocol)."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take what has arrived and yield the messages that are complete.

        Raises:
            BrokenStreamError: there is no length in a header, or it is absurd.
        """
        self._data += data
        while True:
            if self._length is None:
                end = self._data.find(b"\r\n\r\n")
                if end < 0:
                    if len(self._data) > HEADER_LIMIT:
                        raise BrokenStreamError("no header")
                    return
                found = _LENGTH.search(self._data[:end])
                if found is None or len(found[1]) > 12 or int(found[1]) > MESSAGE_LIMIT:
                    raise BrokenStreamError(f"no usable length in the header {bytes(self._data[: min(end, 200)])!r}")
                self._length = int(found[1])
                del self._data[: end + 4]
            if len(self._data) < self._length:
                return
            body = bytes(self._data[: self._length])
            del self._data[: self._length]
            self._length = None
            yield body


class Inbox:
    """The messages that have arrived and are not handled yet.

    Args:
        receive: handles one message. idle: called when none is left.
    """

    def __init__(self, receive: Callable[[bytes], None], idle: Callable[[], None]) -> None:
        self._receive = receive
        self._idle = idle
        self._waiting: deque[bytes] = deque()
        self._running = False
        self._ended = False
        self._done = asyncio.Event()

    def put(self, body: bytes) -> None:
        """Add a message. Only from within the loop."""
        self._waiting.append(body)
        if not self._running:
            self._running = True
            asyncio.get_running_loop().call_soon(self._step)

    def end(self) -> None:
        """Say that nothing more will come: what has come is still handled."""
        self._ended = True
        if not self._running:
            self._done.set()

    async def done(self) -> None:
        """Wait until the stream has ended and everything that came is handled."""
        await self._done.wait()

    def _step(self) -> None:
        # One message a turn: a task that it starts takes its first step before the next message changes the texts.
        loop = asyncio.get_running_loop()
        if self._waiting:
            self._receive(self._waiting.popleft())
            loop.call_soon(self._step)
        else:
            self._running = False
            if self._ended:
                self._done.set()
            else:
                self._idle()


def read_in_thread(stream: RawInput, inbox: Inbox) -> None:
    """Start a thread that reads messages from an unbuffered stream into the inbox until the stream ends."""
    loop = asyncio.get_running_loop()

    def deliver(bodies: list[bytes]) -> None:
        for body in bodies:
            inbox.put(body)

    def run() -> None:
        frames = Frames()
        try:
            while data := stream.read(1 << 16):
                bodies = list(frames.feed(data))
                if bodies:
                    loop.call_soon_threadsafe(deliver, bodies)
        except (BrokenStreamError, OSError) as error:
            log.error("the input cannot be read: %s", error)
        if not loop.is_closed():
            loop.call_soon_threadsafe(inbox.end)

    threading.Thread(target=run, name="input", daemon=True).start()


async def read_stream(reader: asyncio.StreamReader, inbox: Inbox) -> None:
    """Read messages from a connection into the inbox until it ends."""
    frames = Frames()
    try:
        while data := await reader.read(1 << 16):
            for body in frames.feed(data):
                inbox.put(body)
    except (BrokenStreamError, OSError) as error:
        log.error("the connection cannot be read: %s", error)
    inbox.end()
