"""The main job of Rulewright, for watching: lint rule files as an editor does, then deny a call as a harness does.

Run it with `python3 dev.py demo`. Standard library only: it talks to the installed `rulewright` as any client would. It
leaves with 1 as soon as a step does not give what it should. Nothing outside temporary folders is written.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent
RULEWRIGHT = Path(sys.executable).parent / ("rulewright.exe" if os.name == "nt" else "rulewright")
PATIENCE = 30.0
"""Seconds to wait for an answer before the demo gives up; an answer takes milliseconds."""

CLEAN = ("ac-overview", "ac-min", "ac-all", "ac-block", "zh-guard")
BROKEN_CODES = {"block-after", "unknown-field", "T005"}
DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Do not run rm -rf.\nDo not touch the filesystem root.",
    }
}
SEVERITIES = {1: ("error", "31"), 2: ("warning", "33"), 3: ("info", "36"), 4: ("hint", "2")}
COLOR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


class Unexpected(Exception):
    """A step gave something else than it should."""


def main() -> int:
    """Run both parts; 0 when all went as it should."""
    began = time.monotonic()
    scratch = Path(tempfile.mkdtemp(prefix="rulewright-demo-"))
    environment = dict(os.environ, HOME=str(scratch), USERPROFILE=str(scratch), RULEWRIGHT_HOME=str(scratch / "state"))
    for name in ("CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "RULEWRIGHT_RAISE"):
        environment.pop(name, None)
    environment.update(LC_ALL="C.UTF-8", PYTHONUTF8="1")
    environment.pop("LANGUAGE", None)
    try:
        title("1. The editor's side: the language server over stdio")
        lint_examples(environment)
        title("2. The harness's side: install the hook, then send it two events")
        deny_an_event(scratch / "project", environment)
        title("3. Foya rules and hook chains, in the same hook")
        wake_rules(scratch / "rules", environment)
    except Unexpected as fault:
        print(f"\n{paint('The demo failed:', '31')} {fault}", flush=True)
        return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"\n{paint('All as it should be', '32')}, in {time.monotonic() - began:.1f} s.")
    return 0


def lint_examples(environment: dict[str, str]) -> None:
    """Open every example in the server, print what it finds, ask for a hover and a fix on one finding."""
    with server(environment) as client:
        print(f"   {paint('$ rulewright lsp', '2')}   {client.name} {client.version}")
        texts = {}
        for name in (*CLEAN, "broken"):
            path = EXAMPLES / f"{name}.style.yaml"
            texts[path.as_uri()] = text = path.read_text(encoding="utf-8")
            item = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
            client.notify("textDocument/didOpen", {"textDocument": item})
        found = {}
        for name in CLEAN:
            uri = (EXAMPLES / f"{name}.style.yaml").as_uri()
            found[name] = client.diagnostics(uri, 1)
            noise = [item for item in found[name] if item["severity"] <= 2]
            expect(not noise, f"{name} should be clean, but the server says {noise}")
            print(f"   examples/{name}.style.yaml  {paint('clean', '32')}")
        uri = (EXAMPLES / "broken.style.yaml").as_uri()
        text = texts[uri]
        diagnostics = client.diagnostics(uri, 1)
        print("   examples/broken.style.yaml")
        for diagnostic in diagnostics:
            print_diagnostic(diagnostic, text)
        codes = {item["code"] for item in diagnostics if item["severity"] <= 2}
        expect(codes == BROKEN_CODES, f"expected {sorted(BROKEN_CODES)}, the server says {sorted(codes)}")
        target = next(item for item in diagnostics if item["code"] == "block-after")
        hover(client, uri, target)
        fix(client, uri, text, target)


def hover(client: Client, uri: str, diagnostic: dict[str, Any]) -> None:
    """Ask what the editor shows for the value under the cursor."""
    start = diagnostic["range"]["start"]
    answer = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": start})
    expect(answer, "there should be a hover on `after`")
    contents = answer["contents"]
    shown = contents["value"] if isinstance(contents, dict) else str(contents)
    print(f"\n   {paint('hover', '1')} at {place(start)}")
    lines = [line for line in shown.split("\n") if line.strip()]
    for line in lines[:6]:
        print(f"   {paint('|', '2')} {line[:110]}")
    expect(any("**at**" in line for line in lines), "the hover should be about `at`")


def fix(client: Client, uri: str, text: str, diagnostic: dict[str, Any]) -> None:
    """Take the first quick fix of a finding, apply it, and see that the finding goes away."""
    params = {
        "textDocument": {"uri": uri},
        "range": diagnostic["range"],
        "context": {"diagnostics": [diagnostic], "only": ["quickfix"]},
    }
    actions = client.request("textDocument/codeAction", params) or []
    mine = [action for action in actions if any(d["code"] == diagnostic["code"] for d in action.get("diagnostics", []))]
    expect(mine, "there should be a quick fix for `at: after`")
    action = mine[0]
    if "edit" not in action:
        action = client.request("codeAction/resolve", action)
    edits = edits_of(action["edit"], uri)
    after = apply(text, edits)
    print(f"\n   {paint('quick fix', '1')} {action['title']}")
    for old, new in zip(text.split("\n"), after.split("\n"), strict=False):
        if old != new:
            print(f"   {paint('- ' + old, '31')}\n   {paint('+ ' + new, '32')}")
    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": after}]}
    client.notify("textDocument/didChange", change)
    left = {item["code"] for item in client.diagnostics(uri, 2) if item["severity"] <= 2}
    expect(left == BROKEN_CODES - {"block-after"}, f"after the fix the server says {sorted(left)}")
    print(f"   after it, `block-after` is gone; left: {', '.join(sorted(left))}")


def deny_an_event(project: Path, environment: dict[str, str]) -> None:
    """Install the package `ac-block` into a project for Claude Code, and send two events through the installed command."""
    (project / ".style").mkdir(parents=True)
    shutil.copy(EXAMPLES / "ac-block.style.yaml", project / ".style")
    command = [str(RULEWRIGHT), "install", "--harness", "claude-code"]
    print(f"   {paint('$ rulewright install --harness claude-code', '2')}   in a temporary project with ac-block")
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, encoding="utf-8", check=False)
    for line in (done.stdout + done.stderr).strip().split("\n"):
        print(f"   {line.replace(str(project), '.')}")
    expect(done.returncode == 0, f"install left with {done.returncode}")
    settings = json.loads((project / ".claude" / "settings.json").read_text(encoding="utf-8"))
    hook = next(iter(hooks_for(settings, "PreToolUse", "Bash")), None)
    expect(hook is not None, "settings.json should have a PreToolUse hook for Bash")
    assert hook is not None
    print(f"   .claude/settings.json, PreToolUse: {paint(hook['command'][:100] + ' ...', '2')}")
    # The first call may write bytecode; what a user waits for is the second. Another session, so nothing is said twice.
    send(hook["command"], "true", project, environment, session="0")
    output = send(hook["command"], "rm -rf /", project, environment)
    expect(output and json.loads(output) == DENY, f"expected a deny, the hook says {output!r}")
    print("   -> deny: Claude Code does not run the command, and the model reads both reasons. The third rule, which")
    print("      would add a tip, is silenced: a block says everything that is said at this event.")
    output = send(hook["command"], "ls", project, environment)
    answer = json.loads(output or "{}").get("hookSpecificOutput", {})
    expect("permissionDecision" not in answer, f"`ls` should not be denied, the hook says {output!r}")
    expect(answer.get("additionalContext") == "Prefer trash over rm.", f"expected the tip, the hook says {output!r}")
    print("   -> no decision: the command runs, and the model is given the tip as context.")


def wake_rules(project: Path, environment: dict[str, str]) -> None:
    """Ask which Foya rules a text wakes, install them, and see a tool call bring a rule along; then try a hook chain."""
    shutil.copytree(EXAMPLES / "project", project)
    text = "修改 src/api/client.go，然后 @review"
    shown = call(["rule", "match", text], project, environment)
    expect("awake   go-tests" in shown, f"`go-tests` should be awake, but: {shown}")
    expect("followed by U+FF0C" in shown, f"it should say what stops Foya's own program, but: {shown}")
    call(["install", "--harness", "claude-code"], project, environment, shown=False)
    settings = json.loads((project / ".claude" / "settings.json").read_text(encoding="utf-8"))
    hook = next(iter(hooks_for(settings, "PreToolUse", "Bash")), None)
    expect(hook is not None, "settings.json should have a PreToolUse hook for Foya's rules")
    assert hook is not None
    send(hook["command"], "true", project, environment, session="0")
    output = send(hook["command"], "go vet src/api/client.go", project, environment)
    context = json.loads(output or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")
    expect(
        "run the tests of their package" in context, f"the rule `go-tests` should be given, the hook says {output!r}"
    )
    print("   -> the path in the command wakes the rule `go-tests`, and the model is given it, once a session.")
    payload = project / "failure.json"
    payload.write_text(json.dumps({"tool_name": "Bash", "error": "Command timed out", "session_id": "1"}), "utf-8")
    words = ["chains", "run", "--event", "PostToolUseFailure", "--outcome", "failed", "--payload", str(payload)]
    shown = call([*words, "--dry-run"], project, dict(environment, CLAUDE_CODE_ENABLE_HOOK_CHAINS="1"))
    expect("1 of 1 rules match" in shown, f"the chain should match, but: {shown}")


def call(words: list[str], project: Path, environment: dict[str, str], shown: bool = True) -> str:
    """Run a command of `rulewright`, print what it prints, and return that."""
    command = [str(RULEWRIGHT), *words]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, encoding="utf-8", check=False)
    said = (done.stdout + done.stderr).replace(str(project), ".")
    expect(done.returncode == 0, f"`rulewright {words[0]}` left with {done.returncode}: {said}")
    if shown:
        line = " ".join(f'"{word}"' if " " in word else word for word in words).replace(str(project), ".")
        print(f"   {paint(f'$ rulewright {line}', '2')}")
        print("".join(f"   {row}\n" for row in said.strip().split("\n")))
    return said


def send(command: str, shell_command: str, project: Path, environment: dict[str, str], session: str = "1") -> str:
    """Send one PreToolUse event, in the form that Claude Code 2.1.332 writes, as it does: through a shell, on stdin."""
    event = {
        "session_id": f"5f0c7c1e-8d5f-4f9e-9a51-3b6f6a1e000{session}",
        "transcript_path": str(project / "transcript.jsonl"),
        "cwd": str(project),
        "prompt_id": "5f0c7c1e-8d5f-4f9e-9a51-3b6f6a1e0002",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": shell_command, "description": "demo"},
        "tool_use_id": "toolu_demo",
    }
    began = time.monotonic()
    done = subprocess.run(
        command if os.name == "nt" else ["sh", "-c", command],
        shell=os.name == "nt",
        input=json.dumps(event) + "\n",
        cwd=project,
        env=dict(environment, CLAUDE_PROJECT_DIR=str(project)),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    took = (time.monotonic() - began) * 1000
    expect(done.returncode == 0, f"the hook left with {done.returncode}: {done.stderr.strip()}")
    if session == "1":
        print(f"\n   {paint('event', '1')} PreToolUse Bash {paint(shell_command, '36')}   answered in {took:.0f} ms")
        print(f"   {done.stdout.strip() or '(no output)'}")
    return done.stdout.strip()


def hooks_for(settings: dict[str, Any], event: str, tool: str) -> Iterator[dict[str, Any]]:
    """Yield the hooks that Claude Code would call for a tool: no matcher, or one that names it."""
    for group in settings.get("hooks", {}).get(event, []):
        matcher = group.get("matcher", "")
        if matcher in ("", "*") or tool in [name.strip() for name in matcher.replace(",", "|").split("|")]:
            yield from group["hooks"]


class Client:
    """A small LSP client: requests, notifications, and the last published diagnostics of each version."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.published: dict[tuple[str, int | None], list[dict[str, Any]]] = {}
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {
                "publishDiagnostics": {
                    "versionSupport": True,
                    "relatedInformation": True,
                    "codeDescriptionSupport": True,
                },
                "hover": {"contentFormat": ["markdown", "plaintext"]},
                "codeAction": {
                    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
                    "resolveSupport": {"properties": ["edit"]},
                    "dataSupport": True,
                },
            },
            "workspace": {"workspaceEdit": {"documentChanges": True}},
        }
        folder = {"uri": EXAMPLES.as_uri(), "name": "examples"}
        answer = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": capabilities,
            },
        )
        info = answer.get("serverInfo", {})
        self.name, self.version = info.get("name", ""), info.get("version", "")
        self.notify("initialized", {})

    def request(self, method: str, params: Any) -> Any:
        """Send a request and return its result."""
        self.next_id += 1
        self._send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        while True:
            message = self._next(f"an answer to {method}")
            if message.get("id") == self.next_id and "method" not in message:
                expect("error" not in message, f"{method}: {message.get('error')}")
                return message.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def diagnostics(self, uri: str, version: int) -> list[dict[str, Any]]:
        """Wait for the findings of one version of a file."""
        while (uri, version) not in self.published:
            self._next(f"the findings of {uri}")
        return self.published[uri, version]

    def _next(self, wanted: str) -> dict[str, Any]:
        try:
            message = self.messages.get(timeout=PATIENCE)
        except queue.Empty:
            raise Unexpected(f"the server did not send {wanted} within {PATIENCE:.0f} s") from None
        if message is None:
            raise Unexpected(f"the server ended while we waited for {wanted}")
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published[params["uri"], params.get("version")] = params["diagnostics"]
        elif "method" in message and "id" in message:
            settings = [None for _ in message.get("params", {}).get("items", [])]
            result = settings if message["method"] == "workspace/configuration" else None
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return message

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps(message).encode()
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()
        except OSError as error:
            raise Unexpected(f"the server is gone: {error}") from error

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while line := stream.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                # The end of the stream, or no message of the protocol: either way nothing more will come.
                self.messages.put(None)
                return
            self.messages.put(json.loads(stream.read(length)))


@contextlib.contextmanager
def server(environment: dict[str, str]) -> Iterator[Client]:
    """Start the language server as an editor does, and end it as the protocol asks."""
    with tempfile.TemporaryFile() as log:
        try:
            command = [str(RULEWRIGHT), "lsp"]
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=log)
        except OSError as error:
            raise Unexpected(f"cannot start {RULEWRIGHT}: {error}") from error
        try:
            client = Client(process)
            yield client
            client.request("shutdown", None)
            client.notify("exit", None)
            code = process.wait(timeout=PATIENCE)
            expect(code == 0, f"the server left with {code}")
        except Unexpected as fault:
            log.seek(0)
            said = log.read().decode(errors="replace").strip()
            raise Unexpected(f"{fault}\n{said[-2000:]}" if said else str(fault)) from None
        finally:
            process.kill()
            process.wait()


def edits_of(edit: dict[str, Any], uri: str) -> list[dict[str, Any]]:
    """Return the text edits of a workspace edit for one file."""
    for change in edit.get("documentChanges", []):
        if change.get("textDocument", {}).get("uri") == uri:
            return list(change["edits"])
    return list(edit.get("changes", {}).get(uri, []))


def apply(text: str, edits: list[dict[str, Any]]) -> str:
    """Return the text with LSP edits applied; the examples that are edited hold no character beyond UTF-16's first plane."""
    starts = [0]
    for index, char in enumerate(text):
        if char == "\n":
            starts.append(index + 1)
    for edit in sorted(edits, key=lambda e: -(starts[e["range"]["start"]["line"]] + e["range"]["start"]["character"])):
        start, end = (
            starts[edit["range"][side]["line"]] + edit["range"][side]["character"] for side in ("start", "end")
        )
        text = text[:start] + edit["newText"] + text[end:]
    return text


def print_diagnostic(diagnostic: dict[str, Any], text: str) -> None:
    """Print place, severity, code and message of a finding, and its line with marks below."""
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    word, color = SEVERITIES[diagnostic["severity"]]
    line = text.split("\n")[start["line"]]
    width = (end["character"] if end["line"] == start["line"] else len(line)) - start["character"]
    print(
        f"     {place(start)}-{place(end)} {paint(word, color)} {paint(diagnostic['code'], '1')}: {diagnostic['message']}"
    )
    print(f"       {paint(line, '2')}")
    print(f"       {' ' * start['character']}{paint('^' * max(1, width), color)}")


def place(position: dict[str, int]) -> str:
    """Write an LSP position as people count: from one."""
    return f"{position['line'] + 1}:{position['character'] + 1}"


def title(text: str) -> None:
    """Print the heading of a part."""
    print(f"\n{paint(text, '1;36')}", flush=True)


def paint(text: str, color: str) -> str:
    """Color a text where the terminal shows colors."""
    return f"\033[{color}m{text}\033[0m" if COLOR else text


def expect(condition: object, otherwise: str) -> None:
    """Go on if the condition holds.

    Raises:
        Unexpected: it does not.
    """
    if not condition:
        raise Unexpected(otherwise)


if __name__ == "__main__":
    sys.exit(main())
