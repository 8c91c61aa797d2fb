"""WebSocket, as much of it as a language client needs (RFC 6455): no extensions, one message of the protocol a message.

Without a dependency: the server side is a handshake and four kinds of frames.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
from urllib.parse import urlsplit

from rulewright_ls.transport import MESSAGE_LIMIT, Inbox

log = logging.getLogger(__name__)

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answer the handshake; false if it was none, or came from a web page of another host.

    A browser lets any page connect to this machine and names the page in `Origin`: only local pages may.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
        return False
    headers: dict[bytes, bytes] = {}
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
    origin = headers.get(b"origin", b"").decode("ascii", "replace")
    key = headers.get(b"sec-websocket-key")
    if not head.startswith(b"GET ") or key is None or headers.get(b"upgrade", b"").lower() != b"websocket":
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        return False
    if (
        origin
        and origin != "null"
        and urlsplit(origin).scheme in ("http", "https")
        and urlsplit(origin).hostname not in _LOCAL_HOSTS
    ):
        log.warning("refused a connection from %s", origin)
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        return False
    digest = base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest())
    writer.write(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + digest
        + b"\r\n\r\n"
    )
    return True


async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, inbox: Inbox) -> None:
    """Read messages into the inbox until the client closes."""
    parts: list[bytes] = []
    try:
        while True:
            final, kind, data = await _frame(reader)
            if kind == _PING:
                writer.write(_header(_PONG, len(data)) + data)
            elif kind == _CLOSE:
                writer.write(_header(_CLOSE, len(data[:2])) + data[:2])
                break
            elif kind in (_CONTINUATION, _TEXT, _BINARY):
                parts.append(data)
                if sum(map(len, parts)) > MESSAGE_LIMIT:
                    break
                if final:
                    inbox.put(b"".join(parts))
                    parts.clear()
    except (asyncio.IncompleteReadError, OSError):
        pass
    inbox.end()


async def _frame(reader: asyncio.StreamReader) -> tuple[bool, int, bytes]:
    first, second = await reader.readexactly(2)
    length = second & 0x7F
    if length == 126:
        length = int.from_bytes(await reader.readexactly(2), "big")
    elif length == 127:
        length = int.from_bytes(await reader.readexactly(8), "big")
    if length > MESSAGE_LIMIT:
        raise OSError("a frame is too long")
    mask = await reader.readexactly(4) if second & 0x80 else b""
    data = await reader.readexactly(length)
    if mask and data:
        # One big number is far quicker than a loop over bytes.
        key = (mask * (len(data) // 4 + 1))[: len(data)]
        data = (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(len(data), "big")
    return bool(first & 0x80), first & 0x0F, data


def _header(kind: int, length: int) -> bytes:
    head = bytes((0x80 | kind,))
    if length < 126:
        return head + bytes((length,))
    if length < 1 << 16:
        return head + bytes((126,)) + length.to_bytes(2, "big")
    return head + bytes((127,)) + length.to_bytes(8, "big")


class Output:
    """Sends each message as one frame."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> None:
        """Send one message."""
        self._writer.write(_header(_TEXT, len(data)) + data)

    def close(self) -> None:
        """End the connection."""
        self._writer.close()
