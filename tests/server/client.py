"""A small language client for tests: a real server process, real stdio, every message kept."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]
WAIT_SECONDS = 30

PUSH: Json = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
PULL: Json = {
    "textDocument": {"diagnostic": {"dynamicRegistration": False}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


class ServerError(Exception):
    """An error answer."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]


class LspClient:
    """Talks to a server. `notifications` are all that came, `requests` those that the server made."""

    def __init__(
        self, command: Sequence[str] | None = None, env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}",
            "LC_ALL": "C.UTF-8",
            **(env or {}),
        }
        self.process = subprocess.Popen(
            list(command or (sys.executable, "-m", "rulewright", "lsp")),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=cwd,
        )  # fmt: skip
        self.notifications: list[Json] = []
        self.requests: list[Json] = []
        self.unknown: list[Json] = []
        self.stderr = b""
        self._answers: dict[int, Json] = {}
        self._events: queue.Queue[str] = queue.Queue()
        self._number = 0
        self._changed = threading.Condition()
        self.ended = False
        self.answer_requests: Callable[[Json], Any] = lambda message: None
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    # --- the wire

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                break
            message = json.loads(stream.read(length))
            with self._changed:
                if "method" in message and "id" in message:
                    self.requests.append(message)
                    self.send({"jsonrpc": "2.0", "id": message["id"], "result": self.answer_requests(message)})
                elif "method" in message:
                    self.notifications.append({**message, "at": time.monotonic()})
                elif isinstance(message.get("id"), int):
                    self._answers[message["id"]] = {**message, "at": time.monotonic()}
                else:
                    self.unknown.append(message)
                self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        while chunk := self.process.stderr.read1(4096):
            self.stderr += chunk

    def send(self, message: Json) -> None:
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.send_raw(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params if params is not None else {}})

    def start(self, method: str, params: Any = None) -> int:
        """Send a request without waiting for its answer."""
        self._number += 1
        self.send(
            {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params if params is not None else {}}
        )
        return self._number

    def answer(self, number: int, seconds: float = WAIT_SECONDS) -> Any:
        """Wait for the answer to a request."""
        message = self.wait(lambda: self._answers.get(number), f"the answer to {number}", seconds)
        if "error" in message:
            raise ServerError(message["error"])
        return message["result"]

    def answer_or_code(self, number: int) -> Any:
        """Return the answer to a request, or the code of its error."""
        try:
            return self.answer(number)
        except ServerError as error:
            return error.code

    def answered_at(self, number: int) -> float | None:
        """When the answer came, on the monotonic clock; None if it has not."""
        message = self._answers.get(number)
        return None if message is None else message["at"]

    def request(self, method: str, params: Any = None, seconds: float = WAIT_SECONDS) -> Any:
        return self.answer(self.start(method, params), seconds)

    def wait(self, found: Callable[[], Any], what: str, seconds: float = WAIT_SECONDS) -> Any:
        """Wait until `found` returns something."""
        end = time.monotonic() + seconds
        with self._changed:
            while True:
                value = found()
                if value:
                    return value
                left = end - time.monotonic()
                if left <= 0 or (self.ended and not found()):
                    raise AssertionError(
                        f"waited in vain for {what}; the server said: {self.stderr.decode(errors='replace')[-2000:]}"
                    )
                self._changed.wait(min(left, 0.5))

    # --- what editors do

    def initialize(self, capabilities: Json | None = None, **params: Any) -> Json:
        result: Json = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": PUSH if capabilities is None else capabilities,
                **params,
            },
        )
        self.notify("initialized")
        return result

    def open(self, uri: str, text: str, version: int = 1, language: str = "yaml") -> None:
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}},
        )

    def change(self, uri: str, version: int, *changes: Json) -> None:
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def published(self, uri: str) -> list[Json]:
        return [
            m["params"]
            for m in self.notifications
            if m["method"] == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
        ]

    def diagnostics(self, uri: str, version: int = 1, seconds: float = WAIT_SECONDS) -> list[Json]:
        """Wait for the diagnostics of a version and return them."""

        def found() -> Json | None:
            all_ = self.published(uri)
            return all_[-1] if all_ and all_[-1].get("version") == version else None

        return list(self.wait(found, f"diagnostics of version {version}", seconds)["diagnostics"])

    def pull(self, uri: str, previous: str | None = None) -> Json:
        params: Json = {"textDocument": {"uri": uri}}
        if previous is not None:
            params["previousResultId"] = previous
        result: Json = self.request("textDocument/diagnostic", params)
        return result

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}
        return self.request(f"textDocument/{method}", params)

    def shut_down(self) -> int:
        """Leave politely and return the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(WAIT_SECONDS)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(2)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@contextmanager
def running(capabilities: Json | None = None, **params: Any) -> Iterator[LspClient]:
    """A server that is initialised; at the end it must leave with 0 and must not have logged a fault."""
    client = LspClient()
    try:
        client.initialize(capabilities, **params)
        yield client
        assert client.shut_down() == 0
        client._threads[1].join(5)
        assert b"Traceback" not in client.stderr, client.stderr.decode()
    finally:
        client.kill()
