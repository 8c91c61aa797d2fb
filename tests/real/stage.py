"""Runs one client against the scripted model, and nothing else: the process that stands between a test and a client.

    python stage.py PLAN.json

It is started in a network namespace of its own where that can be made, so that the client reaches this process and nothing
more. PLAN.json: {"script", "requests": folder, "command": words, "environment", "cwd", "stdout", "stderr": files,
"prompts": texts, "driver": "plain" | "stream" | "app", "steps", "seconds": time limit}. `{base}` in a word or a variable
becomes the address of the model.

Drivers: `plain` runs the command to its end. `stream` writes each prompt to stdin as stream-json once the result of the one
before is there (Claude Code). `app` plays `steps` to `codex app-server`, see `App`.
"""

from __future__ import annotations

import json
import queue
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from stub_model import Model

TIMED_OUT = 124


def main() -> int:
    """Play the plan; the exit code is the client's, TIMED_OUT when it took too long."""
    plan = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    raise_loopback()
    model = Model(plan["script"], Path(plan["requests"]))
    threading.Thread(target=model.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{model.server_port}"
    plan["command"] = [word.replace("{base}", base) for word in plan["command"]]
    plan["environment"] = {name: value.replace("{base}", base) for name, value in plan["environment"].items()}
    with open(plan["stdout"], "w", encoding="utf-8") as stdout, open(plan["stderr"], "w", encoding="utf-8") as stderr:
        client = subprocess.Popen(
            plan["command"],
            cwd=plan["cwd"],
            env=plan["environment"],
            stdin=subprocess.DEVNULL if plan["driver"] == "plain" else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            encoding="utf-8",
        )
        expired = threading.Event()
        limit = threading.Timer(plan["seconds"], lambda: (expired.set(), client.kill()))
        limit.start()
        lines = Lines(client, stdout)
        try:
            if plan["driver"] == "stream":
                stream(client, lines, plan["prompts"])
            elif plan["driver"] == "app":
                App(client, lines, plan["cwd"]).play(plan["steps"])
            if client.stdin:
                client.stdin.close()
            lines.to_the_end()
            code = client.wait()
        except BrokenPipeError:
            code = client.wait()
        finally:
            limit.cancel()
            client.kill()
    return TIMED_OUT if expired.is_set() else code


def raise_loopback() -> None:
    """Bring the loopback device up, which is down in a new namespace. Source: netdevice(7), SIOCGIFFLAGS and SIOCSIFFLAGS."""
    if sys.platform != "linux":
        return
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = fcntl.ioctl(any_socket, 0x8913, struct.pack("16sh14x", b"lo", 0))
        flags = struct.unpack("16sh14x", request)[1]
        if not flags & 1:
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", flags | 1))


class Lines:
    """The client's stdout, line by line, kept in a file as it comes."""

    def __init__(self, client: subprocess.Popen[str], copy: Any) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._ended = False
        threading.Thread(target=self._read, args=(client.stdout, copy), daemon=True).start()

    def _read(self, stdout: Any, copy: Any) -> None:
        for line in stdout:
            copy.write(line)
            copy.flush()
            self._queue.put(line)
        self._queue.put(None)

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read JSON lines until one is wanted. Raises BrokenPipeError at the end of the stream."""
        while not self._ended:
            line = self._queue.get()
            if line is None:
                self._ended = True
                break
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict) and wanted(message):
                return message
        raise BrokenPipeError("the client ended")

    def to_the_end(self) -> None:
        """Read until the client ends."""
        try:
            self.wait_for(lambda message: False)
        except BrokenPipeError:
            return


def stream(client: subprocess.Popen[str], lines: Lines, prompts: list[str]) -> None:
    """Give Claude Code one prompt after the other."""
    for prompt in prompts:
        _write(client, {"type": "user", "message": {"role": "user", "content": prompt}})
        lines.wait_for(lambda message: message.get("type") == "result")


class App:
    """A session of `codex app-server`, which has what `codex exec` lacks: several turns, clear, compaction, trust.

    Steps: {"trust": true} trusts all hooks as the screen /hooks does; {"thread": {...}} starts a thread with more parameters
    of thread/start; {"turn": "text"}; {"compact": true}.
    """

    def __init__(self, client: subprocess.Popen[str], lines: Lines, cwd: str) -> None:
        self._client = client
        self._lines = lines
        self._cwd = cwd
        self._number = 0
        self._thread = ""

    def play(self, steps: list[dict[str, Any]]) -> None:
        """Do the steps in order."""
        self._call("initialize", {"clientInfo": {"name": "rulewright-tests", "version": "1"}})
        _write(self._client, {"method": "initialized"})
        for step in steps:
            if "trust" in step:
                self._trust()
            elif "thread" in step:
                answer = self._call("thread/start", {"cwd": self._cwd, **step["thread"]})
                self._thread = answer["thread"]["id"]
            elif "turn" in step:
                text = [{"type": "text", "text": step["turn"]}]
                self._call("turn/start", {"threadId": self._thread, "input": text})
                self._lines.wait_for(lambda message: message.get("method") == "turn/completed")
            elif "compact" in step:
                self._call("thread/compact/start", {"threadId": self._thread})
                self._lines.wait_for(lambda message: message.get("method") == "turn/completed")

    def _trust(self) -> None:
        hooks = self._call("hooks/list", {"cwds": [self._cwd]})["data"][0]["hooks"]
        state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
        self._call("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})

    def _call(self, method: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        number = self._number
        _write(self._client, {"id": number, "method": method, "params": parameters})
        answer = self._lines.wait_for(lambda message: message.get("id") == number and "method" not in message)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]


def _write(client: subprocess.Popen[str], message: dict[str, Any]) -> None:
    assert client.stdin is not None
    client.stdin.write(json.dumps(message) + "\n")
    client.stdin.flush()


if __name__ == "__main__":
    began = time.monotonic()
    code = main()
    Path(sys.argv[1]).with_name("seconds.txt").write_text(f"{time.monotonic() - began:.2f}\n", "utf-8")
    sys.exit(code)
