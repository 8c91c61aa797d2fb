"""A package typed one character at a time, as a person does: the second example of the action page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from server.client import LspClient, running
from server.test_protocol import ENV

TEXT = (Path(__file__).parent / "data" / "ac-all.style.yaml").read_text("utf-8")
# Keys whose values are free.
FREE = {"name", "version", "description", "id", "text", "model_text", "reason", "pattern", "refresh", "model"}


def labels(client: LspClient, uri: str, line: int, character: int) -> list[str]:
    return [item["label"] for item in client.at("completion", uri, line, character)["items"]]


def test_typed_one_character_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "ac-all.style.yaml"
    uri = path.as_uri()
    asked = 0
    with running() as client:
        client.open(uri, "", 0)
        line = character = version = 0
        key = ""
        for char in TEXT:
            version += 1
            place = {"line": line, "character": character}
            client.change(uri, version, {"range": {"start": place, "end": place}, "text": char})
            line, character = (line + 1, 0) if char == "\n" else (line, character + 1)
            typed = TEXT.split("\n")[line][:character]
            word = typed.lstrip(" -{")
            whole = TEXT.split("\n")[line]
            rest = whole.lstrip(" -{")
            if len(word) == 1 and rest.partition(":")[0].replace("_", "").isalpha():
                key = rest.partition(":")[0]
                assert key in labels(client, uri, line, character), f"{key!r} at {line}:{character}"
                asked += 1
            elif word == f"{key}: " and key not in FREE and rest != f"{key}: " and rest[len(word)] != '"':
                value = rest[len(word) :]
                assert value in labels(client, uri, line, character), f"{value!r} at {line}:{character}"
                asked += 1
        found = client.diagnostics(uri, version)
        assert asked > 40
        path.write_text(TEXT, "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "rulewright", "check", "--format", "json", str(path)],
            capture_output=True,
            env=ENV,
            check=False,
        )
        expected = json.loads(done.stdout)["diagnostics"]
        assert [(d["code"], d["range"], d["message"]) for d in found] == [
            (d["code"], d["range"], d["message"]) for d in expected
        ]
        assert found == []
