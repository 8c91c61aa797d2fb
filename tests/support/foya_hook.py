"""The hook in a project with Foya's rules and hook chains: files in, answers of real processes out."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

from rulewright.compiler import compile_index, hook_command, library_folders
from rulewright.hook import cache
from support.hook import HARNESS, Answer, document, payload

ALWAYS = "---\nid: {name}\nname: {name}\ntrigger: always\n---\n{text}\n"
GLOB = "---\nid: {name}\nname: {name}\ntrigger: glob\nglobs: ['{glob}']\n---\n{text}\n"
MANUAL = "---\nid: {name}\nname: {name}\ntrigger: manual\n---\n{text}\n"
DECISION = "---\nid: {name}\nname: {name}\ndescription: {description}\ntrigger: model_decision\n---\n{text}\n"


class Project:
    """A project whose installed hook gives Foya's rules and dispatches hook chains, with a home folder of its own."""

    def __init__(
        self, folder: Path, *packages: str, harness: str = HARNESS, foya: bool = True, chains: bool = True
    ) -> None:
        self.root = folder / "project"
        self.home = folder / "home"
        self.state = folder / "state"
        self.harness = harness
        self.environment: dict[str, str] = {}
        self.index = self.root / ".style" / f"{harness}.index"
        self.index.parent.mkdir(parents=True)
        self.home.mkdir()
        documents = [document(text) for text in packages]
        self.index.write_bytes(compile_index(documents, harness, foya=foya, chains=chains))

    def rule(self, name: str, template: str, **values: str) -> Path:
        """Write a rule of the project."""
        path = self.root / ".foya" / "rules" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.format(name=name, **values), encoding="utf-8")
        return path

    def globals(self, text: str) -> Path:
        """Write the file of the global rules."""
        path = self.home / ".foya" / "rules" / "user_rules.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def chains(self, *rules: dict[str, Any], **top: Any) -> Path:
        """Write the project's hook chains."""
        path = self.root / ".openclaude" / "hook-chains.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"version": 1, **top, "rules": list(rules)}), encoding="utf-8")
        return path

    def command(self, event: str) -> list[str]:
        """Return the words of the command line that `install` writes."""
        line = hook_command(self.harness, str(self.state), str(self.index), event, libraries=library_folders())
        return shlex.split(line)

    def environ(self) -> dict[str, str]:
        """Return the variables that a harness starts a hook with."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
        return {**kept, "HOME": str(self.home), "USERPROFILE": str(self.home), **self.environment}

    def start(self, event: dict[str, Any]) -> subprocess.Popen[bytes]:
        """Start a hook that waits for its event."""
        words = self.command(event["hook_event_name"])
        pipe = subprocess.PIPE
        return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=self.environ(), cwd=self.root)

    def send(self, event: dict[str, Any]) -> Answer:
        """Answer an event in a process of its own."""
        process = self.start(event)
        out, err = process.communicate(json.dumps(event).encode(), timeout=60)
        return Answer(out, err.decode(), process.returncode)

    def begin(self, **fields: Any) -> Answer:
        """Start the session."""
        return self.send(payload("SessionStart", **{"source": "startup", **fields}))

    def prompt(self, text: str, **fields: Any) -> Answer:
        """Send a prompt."""
        return self.send(payload("UserPromptSubmit", prompt=text, **fields))

    def tool(self, name: str, arguments: dict[str, Any], **fields: Any) -> Answer:
        """Ask before a tool call."""
        return self.send(payload("PreToolUse", tool_name=name, tool_input=arguments, **fields))

    def cache(self) -> Path:
        """Return the one cache that was written."""
        [path] = [path for path in (self.state / "caches").iterdir() if "." not in path.name]
        assert cache.read(str(path), path.name.split("-")[0]).data is not None
        return path


def texts_in(context: str | None) -> list[str]:
    """Return the items of the blocks in a context, and the omission mark."""
    lines = (context or "").split("\n")
    return [line.removeprefix("- ") for line in lines if line.startswith(("- ", "[additional"))]
