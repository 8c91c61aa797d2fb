"""`check --format json` and the language server report the same list for every file of the corpus, in the same order."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from commands.conftest import ROOT, rulewright
from rulewright.errors import RulewrightError
from rulewright.files import read_source
from rulewright.workspace import as_rule_source

Row = tuple[object, ...]

CORPUS = ROOT / "tests" / "corpus"
CHAINS = ROOT / "tests" / "data" / "chains"
QUIET_SECONDS = 30.0


def send(stream: IO[bytes], **message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stream.flush()


def receive(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    while header := stream.readline():
        length = 0
        while header.strip():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            header = stream.readline()
        yield json.loads(stream.read(length))


def published(
    texts: dict[str, str], folder: Path, complete: Callable[[dict[str, list[dict[str, Any]]]], bool]
) -> dict[str, list[dict[str, Any]]]:
    """Open all texts in a server and return what it published last for each URI.

    What other files mean for one comes when its project has been read, at a time of the server's own: the server is told to leave
    as soon as `complete` says so, at the latest when it has said nothing more for QUIET_SECONDS.
    """
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}"}
    process = subprocess.Popen(
        [sys.executable, "-m", "rulewright", "lsp"], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    output = process.stdout
    incoming: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    reader = threading.Thread(target=lambda: [incoming.put(message) for message in receive(output)])
    reader.start()
    send(
        process.stdin,
        id=1,
        method="initialize",
        params={"processId": None, "rootUri": folder.as_uri(), "capabilities": {}},
    )
    while incoming.get(timeout=QUIET_SECONDS).get("id") != 1:
        pass
    send(process.stdin, method="initialized", params={})
    found: dict[str, list[dict[str, Any]]] = {}
    for uri, text in texts.items():
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        send(process.stdin, method="textDocument/didOpen", params={"textDocument": item})
    message: dict[str, Any] = {}
    while not complete(found):
        try:
            message = incoming.get(timeout=QUIET_SECONDS)
        except queue.Empty:
            break
        _note(message, found)
    send(process.stdin, id=2, method="shutdown")
    while message.get("id") != 2:
        message = incoming.get(timeout=QUIET_SECONDS)
        _note(message, found)
    send(process.stdin, method="exit")
    process.stdin.close()
    assert process.wait(30) == 0
    reader.join(30)
    output.close()
    return found


def _note(message: dict[str, Any], found: dict[str, list[dict[str, Any]]]) -> None:
    if message.get("method") == "textDocument/publishDiagnostics":
        found[message["params"]["uri"]] = message["params"]["diagnostics"]


STYLE = (".style/input.yaml", sorted((CORPUS / "style").rglob("*.yaml")))
HOOK_CHAINS = (
    ".openclaude/hook-chains.json",
    [
        path
        for folder in (CORPUS / "hookchains", CORPUS / "lsp" / "04-empty-and-skeletal-files", CHAINS)
        for path in sorted(folder.rglob("*.json"))
        if path.name not in ("case.json", "table.json")
    ],
)


@pytest.mark.parametrize(("name", "paths"), [STYLE, HOOK_CHAINS], ids=["style", "hook-chains"])
def test_check_and_server_say_the_same(project: Path, name: str, paths: list[Path]) -> None:
    texts: dict[str, str] = {}
    for number, path in enumerate(paths):
        try:
            text = read_source(str(path)).text
        except RulewrightError:
            continue
        # Each file is a project of its own: corpus packages share names.
        copy = project / str(number) / name
        copy.parent.mkdir(parents=True)
        copy.write_bytes(path.read_bytes())
        texts[copy.as_uri()] = text
    assert len(texts) > 20
    served, checked = both(texts, project)
    assert served == checked
    assert sum(map(len, checked.values())) > 20


FOYA = sorted(path for path in (ROOT / "tests" / "corpus" / "foya").iterdir() if path.is_dir())
SHARED = sorted((ROOT / "tests" / "corpus" / "lsp").glob("0[2467]-*"))


def test_check_and_server_say_the_same_of_foya_rules(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each folder of rules is a project of its own; the user's global file of one case holds in all of them."""
    home = project.parent / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    texts: dict[str, str] = {}
    for case in (*FOYA, *SHARED):
        for path in sorted(case.rglob(".foya/rules/**/*.md")):
            if not path.is_file():
                continue
            copy = project / case.name / path.relative_to(case)
            if case.name.startswith("08-") and path.is_relative_to(case / "home"):
                copy = home / path.relative_to(case / "home")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            try:
                texts[copy.as_uri()] = as_rule_source(str(copy), read_source(str(copy))).text
            except RulewrightError:
                copy.unlink()
    assert len(texts) > 60
    served, checked = both(texts, project, str(project), str(home))
    assert served == checked
    assert {row[0] for rows in checked.values() for row in rows} >= {
        "foya-duplicate",
        "foya-frontmatter",
        "foya-marker",
    }


def both(texts: dict[str, str], folder: Path, *paths: str) -> tuple[dict[str, list[Row]], dict[str, list[Row]]]:
    """Return what the server and what `check` reports for each URI, in its order."""
    report = json.loads(rulewright("check", "--format", "json", *paths, cwd=folder).out)
    assert report["files"] == len(texts)
    checked: dict[str, list[Row]] = {uri: [] for uri in texts}
    for one in report["diagnostics"]:
        row = (one["code"], one["severity"], one["message"], one["range"], one["url"])
        checked[(folder / one["path"]).as_uri()].append(row)
    severity = {1: "error", 2: "warning", 3: "info", 4: "hint"}

    def rows_of(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[Row]]:
        return {
            uri: [
                (one["code"], severity[one["severity"]], one["message"], one["range"], one["codeDescription"]["href"])
                for one in rows
            ]
            for uri, rows in found.items()
        }

    served = published(texts, folder, lambda found: len(found) == len(texts) and rows_of(found) == checked)
    return rows_of(served), checked
