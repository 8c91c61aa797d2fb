"""A desk at which a real client works: a home, a project with packages, what Rulewright installed there, and the client's runs.

The client gets a bare environment and, where the system allows it, a network namespace with nothing but loopback in it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from real import clients
from support.hook import package

HERE = Path(__file__).absolute().parent
ROOT = HERE.parents[1]
CLIENTS = ROOT / "build" / "real-clients"
Json = dict[str, Any]


class Run:
    """What a run of a client left: its requests to the model, its output, how it ended.

    requests: the bodies of the conversation in the order of arrival, without titles and summaries. side: those.
    """

    def __init__(self, folder: Path, first: int, exit_code: int) -> None:
        saved = [json.loads(path.read_text("utf-8")) for path in sorted((folder / "requests").iterdir())[first:]]
        self.requests: list[Json] = [record["body"] for record in saved if record["turn"] not in ("side", None)]
        self.side: list[Json] = [record["body"] for record in saved if record["turn"] == "side"]
        self.stdout = (folder / "stdout.txt").read_text("utf-8")
        self.stderr = (folder / "stderr.txt").read_text("utf-8")
        self.seconds = float((folder / "seconds.txt").read_text("utf-8"))
        self.exit = exit_code

    @property
    def stream(self) -> list[Json]:
        """The JSON lines that the client printed."""
        found = []
        for line in self.stdout.split("\n"):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return [line for line in found if isinstance(line, dict)]

    @property
    def last(self) -> Json:
        """The last request of the conversation."""
        return self.requests[-1]


class Desk:
    """A fresh home and project for one client."""

    def __init__(self, folder: Path, client: Client, engine: Path | None = None) -> None:
        self.folder = folder
        self.client = client
        self.engine = engine
        self.home = folder / "home"
        self.state = folder / "state"
        self.project = folder / "project"
        for path in (self.home, self.project / ".style", folder / "tmp", folder / "requests"):
            path.mkdir(parents=True)
        subprocess.run(["git", "-c", "init.defaultBranch=main", "init", "-q", str(self.project)], check=True)

    # ------------------------------------------------------------ Rulewright

    def write(self, rules: str, name: str = "p", scope: str = "project") -> None:
        """Write a package with the given rules into the project, or into the home for the scope `user`."""
        folder = (self.home if scope == "user" else self.project) / ".style"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.style.yaml").write_text(package(rules, name), "utf-8")

    def rulewright(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command `rulewright` in the project."""
        folder = self.engine or ROOT / "engine"
        env = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
        env |= {"HOME": str(self.home), "RULEWRIGHT_HOME": str(self.state), "PYTHONPATH": str(folder)}
        return subprocess.run(
            [sys.executable, "-m", "rulewright", *words],
            cwd=self.project,
            env=env | self.client.installing_environment(self),
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )

    def install(self, rules: str, *flags: str, scope: str = "project") -> None:
        """Write a package and install it into the client."""
        self.write(rules, scope=scope)
        done = self.rulewright("install", "--harness", self.client.name, "--scope", scope, *flags)
        assert done.returncode == 0, done.stdout + done.stderr

    def commands(self) -> Iterator[tuple[str, Json]]:
        """Yield the installed handlers of the project with their native events."""
        data = json.loads(self.client.hooks_file(self).read_text("utf-8"))
        for native, groups in data["hooks"].items():
            for group in groups:
                for handler in group["hooks"]:
                    yield native, handler

    def change_commands(self, old: str, new: str) -> None:
        """Replace a text in the installed file of hooks."""
        path = self.client.hooks_file(self)
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    def watch(self) -> None:
        """Put the observer (see observe.py) in front of every installed command."""
        path = self.client.hooks_file(self)
        data = json.loads(path.read_text("utf-8"))
        for native, groups in data["hooks"].items():
            for group in groups:
                for handler in group["hooks"]:
                    words = [sys.executable, HERE / "observe.py", self.folder / "seen", native, self.state]
                    handler["command"] = shlex.join([*map(str, words), handler["command"]])
        path.write_text(json.dumps(data), "utf-8")

    def seen(self) -> list[Json]:
        """Return what the observer saw, in order: event, payload, stdout, stderr, exit, and the `folder` where it lies."""
        folders = sorted((self.folder / "seen").iterdir())
        return [json.loads((path / "record.json").read_text("utf-8")) | {"folder": path} for path in folders]

    # ------------------------------------------------------------ the client

    def run(
        self,
        turns: Sequence[Json],
        *,
        prompts: Sequence[str] = ("Please do the scripted work.",),
        steps: Sequence[Json] = (),
        flags: Sequence[str] = (),
        side: str = "ok",
        folder: str = "",
        seconds: float = 60,
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        """Run the client once.

        Args:
            turns: of the model, see stub_model.py. prompts: one after the other in one session; or `steps` for Codex's
                app-server. flags: more words of the command line. side: the model's answer to titles and summaries.
            folder: where in the project the client is started. environment: more variables.
        """
        env = {
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(self.folder / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
        }
        driver, command, more = self.client.invocation(self, list(prompts), list(steps), list(flags))
        plan = {
            "script": {"turns": list(turns), "side": side},
            "requests": str(self.folder / "requests"),
            "command": command,
            "environment": env | more | dict(environment or {}),
            "cwd": str(self.project / folder),
            "stdout": str(self.folder / "stdout.txt"),
            "stderr": str(self.folder / "stderr.txt"),
            "prompts": list(prompts),
            "driver": driver,
            "steps": list(steps),
            "seconds": seconds,
        }
        first = len(list((self.folder / "requests").iterdir()))
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan), "utf-8")
        done = subprocess.run(
            [*alone(), sys.executable, str(HERE / "stage.py"), str(path)],
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=seconds + 30,
        )
        assert (self.folder / "seconds.txt").exists(), done.stderr
        run = Run(self.folder, first, done.returncode)
        assert done.returncode != 124, (
            f"{self.client.name} did not end in {seconds} s: {run.stdout[-2000:]}\n{run.stderr}"
        )
        assert not done.stderr, done.stderr
        return run


def alone() -> list[str]:
    """Return the words that run a command without any network but loopback; none where the system does not let us."""
    if not _ALONE:
        flags = ["unshare", "-n"] if os.getuid() == 0 else ["unshare", "-rn"]
        possible = (
            shutil.which("unshare")
            and not subprocess.run([*flags, "true"], capture_output=True, check=False).returncode
        )
        _ALONE.append(flags if possible else [])
    return _ALONE[0]


_ALONE: list[list[str]] = []


def texts(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)


class Client:
    """What a test must know of a client."""

    name = ""
    shell_tool = ""

    def shell(self, command: str) -> Json:
        """Return a call of the shell, as the model makes it."""
        raise NotImplementedError

    def hooks_file(self, desk: Desk) -> Path:
        """Return the project's file of hooks."""
        raise NotImplementedError

    def installing_environment(self, desk: Desk) -> dict[str, str]:
        """Return variables for the command `rulewright`."""
        return {}

    def invocation(
        self, desk: Desk, prompts: list[str], steps: list[Json], flags: list[str]
    ) -> tuple[str, list[str], dict[str, str]]:
        """Return driver, command and environment of a run."""
        raise NotImplementedError

    def conversation(self, body: Json) -> list[Json]:
        """Return the items of a request's conversation."""
        raise NotImplementedError

    def results(self, body: Json) -> list[str]:
        """Return the results of tool calls in a request, in order."""
        raise NotImplementedError

    def holds_context(self, body: Json, native: str, text: str, tool: str = "") -> bool:
        """Tell whether a request holds exactly this text as the context of a hook at this event."""
        raise NotImplementedError

    def denied(self, reason: str, command: str) -> str:
        """Return the result of a shell call that a hook denied."""
        raise NotImplementedError

    def serve(self, desk: Desk, server: str, script: Path) -> list[str]:
        """Give the client an MCP server; return flags for its runs."""
        raise NotImplementedError

    def heard(self, body: Json) -> list[str]:
        """Return the marks (`CTX-word`) in a request's conversation, in order: tests put them into the texts of rules."""
        return [mark for text in texts(self.conversation(body)) for mark in re.findall(r"CTX-[a-z0-9-]+", text)]


class ClaudeCode(Client):
    """Claude Code, headless."""

    name = "claude-code"
    shell_tool = "Bash"

    def shell(self, command: str) -> Json:
        return {"name": "Bash", "input": {"command": command, "description": "d"}}

    def hooks_file(self, desk: Desk) -> Path:
        return desk.project / ".claude" / "settings.json"

    def installing_environment(self, desk: Desk) -> dict[str, str]:
        folder = clients.program(CLIENTS, self.name).parent
        return {"PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}

    def invocation(
        self, desk: Desk, prompts: list[str], steps: list[Json], flags: list[str]
    ) -> tuple[str, list[str], dict[str, str]]:
        env = {
            "ANTHROPIC_BASE_URL": "{base}",
            "ANTHROPIC_API_KEY": "test-key",
            # As root it bypasses permissions only where it believes to be in a sandbox.
            "IS_SANDBOX": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        words = [str(clients.program(CLIENTS, self.name)), "-p"]
        several = len(prompts) > 1
        words += ["--input-format", "stream-json"] if several else [prompts[0]]
        words += ["--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions", *flags]
        return "stream" if several else "plain", words, env

    def conversation(self, body: Json) -> list[Json]:
        found: list[Json] = body["messages"]
        return found

    def results(self, body: Json) -> list[str]:
        found = []
        for message in self.conversation(body):
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_result":
                    content = block["content"]
                    found.append(
                        content if isinstance(content, str) else "".join(texts([part["text"] for part in content]))
                    )
        return found

    def holds_context(self, body: Json, native: str, text: str, tool: str = "") -> bool:
        # A system message in the conversation holds the contexts of one step, with an empty line between them.
        context = f"{native}:{tool}" if tool else native
        wanted = f"\n\n{context} hook additional context: {text}\n\n"
        messages = [message["content"] for message in self.conversation(body) if message["role"] == "system"]
        return any(wanted in f"\n\n{found}\n\n" for found in texts(messages))

    def denied(self, reason: str, command: str) -> str:
        return f"PreToolUse:Bash hook error: {reason}"

    def serve(self, desk: Desk, server: str, script: Path) -> list[str]:
        servers = {server: {"command": sys.executable, "args": [str(script)]}}
        return ["--strict-mcp-config", "--mcp-config", json.dumps({"mcpServers": servers})]


class Codex(Client):
    """Codex CLI: `codex exec`, or its app-server where a test has steps."""

    name = "codex"
    shell_tool = "exec_command"

    def shell(self, command: str) -> Json:
        return {"name": "exec_command", "input": {"cmd": command}}

    def hooks_file(self, desk: Desk) -> Path:
        return desk.project / ".codex" / "hooks.json"

    def invocation(
        self, desk: Desk, prompts: list[str], steps: list[Json], flags: list[str]
    ) -> tuple[str, list[str], dict[str, str]]:
        folder = desk.home / ".codex"
        folder.mkdir(exist_ok=True)
        config = folder / "config.toml"
        if not config.exists():
            # gpt-5.5 calls the shell itself; newer models write JavaScript that does.
            config.write_text(
                'model = "gpt-5.5"\nmodel_provider = "stub"\ncheck_for_update_on_startup = false\n'
                "[analytics]\nenabled = false\n"
                '[model_providers.stub]\nname = "stub"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
                "request_max_retries = 0\nstream_max_retries = 0\n"
                f'[projects."{desk.project}"]\ntrust_level = "trusted"\n',
                "utf-8",
            )
        program = str(clients.program(CLIENTS, self.name))
        base = ["-c", 'model_providers.stub.base_url="{base}/v1"']
        env = {"CODEX_HOME": str(folder), "STUB_KEY": "test-key"}
        if steps:
            return "app", [program, *base, "app-server"], env
        words = [
            program,
            "exec",
            *base,
            "--skip-git-repo-check",
            "--json",
            "--dangerously-bypass-approvals-and-sandbox",
        ]
        words += ["--dangerously-bypass-hook-trust"]
        return "plain", [*words, *flags, prompts[0]], env

    def conversation(self, body: Json) -> list[Json]:
        found: list[Json] = body["input"]
        return found

    def results(self, body: Json) -> list[str]:
        return [
            "".join(texts(item["output"]))
            for item in self.conversation(body)
            if item.get("type") in ("function_call_output", "custom_tool_call_output")
        ]

    def holds_context(self, body: Json, native: str, text: str, tool: str = "") -> bool:
        # A message of the developer holds the bare text.
        messages = [item["content"] for item in self.conversation(body) if item.get("role") == "developer"]
        return any(part["text"] == text for content in messages for part in content)

    def denied(self, reason: str, command: str) -> str:
        return f"Command blocked by PreToolUse hook: {reason}. Command: {command}"

    def serve(self, desk: Desk, server: str, script: Path) -> list[str]:
        values = {"command": json.dumps(sys.executable), "args": json.dumps([str(script)])}
        return [word for key, value in values.items() for word in ("-c", f"mcp_servers.{server}.{key}={value}")]
