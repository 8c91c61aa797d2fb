"""The hook as the tests call it: packages as YAML in, answers out; in this process, or through the installed command line."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulewright import analysis
from rulewright.compiler import compile_index, hook_command
from rulewright.harness import codec
from rulewright.hook.run import Call, run
from rulewright.model import Document

HARNESS = "claude-code"
HEAD = "spec: style/v0.3\nname: {name}\nversion: 0.1.0\ndescription: test package\nrules:\n"


@dataclass(frozen=True)
class Answer:
    """What a hook printed and left with."""

    stdout: bytes
    stderr: str
    exit: int

    @property
    def wire(self) -> dict[str, Any]:
        """The answer as JSON; empty where nothing was printed."""
        found: dict[str, Any] = json.loads(self.stdout) if self.stdout else {}
        return found

    @property
    def deny(self) -> str | None:
        """The reason of a denied call or prompt."""
        specific = self.wire.get("hookSpecificOutput", {})
        if specific.get("permissionDecision") == "deny":
            reason: str = specific["permissionDecisionReason"]
            return reason
        return self.wire.get("reason") if self.wire.get("decision") == "block" else None

    @property
    def context(self) -> str | None:
        """The text for the model."""
        text: str | None = self.wire.get("hookSpecificOutput", {}).get("additionalContext")
        return text

    @property
    def message(self) -> str | None:
        """The text for the user."""
        return self.wire.get("systemMessage")


def document(text: str) -> Document:
    """Read a package that must be one."""
    found = analysis.read("test.style.yaml", text)
    assert found is not None
    assert found.package is not None
    return found


def package(rules: str, name: str = "p") -> str:
    """Return the text of a package with the given rules (list items, not indented)."""
    return HEAD.format(name=name) + "".join(f"  {line}\n" for line in rules.strip("\n").split("\n"))


def payload(event: str = "PreToolUse", **fields: Any) -> dict[str, Any]:
    """Return an event of a session `s-1` in `/project`."""
    return {"session_id": "s-1", "cwd": "/project", "hook_event_name": event, **fields}


def shell(command: Any, event: str = "PreToolUse", **fields: Any) -> dict[str, Any]:
    """Return a call of Bash."""
    return payload(event, tool_name="Bash", tool_input={"command": command}, **fields)


class Hook:
    """Packages, compiled into a folder, with a state folder beside the index."""

    def __init__(
        self,
        folder: Path,
        *packages: str,
        timeout: float | None = None,
        harness: str = HARNESS,
        fail_closed: bool = False,
    ) -> None:
        self.index = folder / "test.index"
        self.state = folder / "state"
        self.timeout = timeout
        self.harness = harness
        self.fail_closed = fail_closed
        self.index.write_bytes(compile_index([document(text) for text in packages], harness))

    def call(self, event: str) -> Call:
        """Return the call that the command line makes."""
        return Call(codec(self.harness), str(self.state), str(self.index), event, self.timeout, self.fail_closed)

    def command(self, event: str) -> str:
        """Return the command line that `install` writes."""
        return hook_command(
            self.harness, str(self.state), str(self.index), event, timeout=self.timeout, fail_closed=self.fail_closed
        )

    def answer(self, event: dict[str, Any] | bytes, called_for: str | None = None) -> Answer:
        """Answer an event in this process."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        name = called_for or (event["hook_event_name"] if isinstance(event, dict) else "PreToolUse")
        readable, writable = os.pipe()
        writer = threading.Thread(target=_write, args=(writable, data))
        writer.start()
        try:
            reply = run(self.call(name), readable)
        finally:
            os.close(readable)
            writer.join()
        if reply.settle is not None:
            reply.settle(True)
        return Answer(reply.stdout, "".join(f"rulewright: {note}\n" for note in reply.notes), reply.exit)

    def send(self, event: dict[str, Any] | bytes, called_for: str | None = None) -> Answer:
        """Answer an event through a shell, as the harness does."""
        data = (
            event
            if isinstance(event, bytes)
            else json.dumps(event, ensure_ascii=False).encode("utf-8", "surrogatepass")
        )
        name = called_for or (event["hook_event_name"] if isinstance(event, dict) else "PreToolUse")
        done = subprocess.run(
            ["sh", "-c", self.command(name)], input=data, capture_output=True, check=False, timeout=60
        )
        return Answer(done.stdout, done.stderr.decode(), done.returncode)


def _write(descriptor: int, data: bytes) -> None:
    with open(descriptor, "wb") as pipe:
        try:
            pipe.write(data)
        except BrokenPipeError:
            return
