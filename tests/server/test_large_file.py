"""A file of 30,000 lines, typed into quickly: corpus/lsp/08. Its times are held as processor time of the server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server.client import WAIT_SECONDS, Json, LspClient, running
from support.waiting import processor_time_of, until

CORPUS = Path(__file__).parents[1] / "corpus" / "lsp" / "08-large-files-and-fast-typing"
BROKEN_LINE = 5 + 10 * 2990 + 3
TITLE_LINE = 3  # `description: test package`


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("big")
    subprocess.run([sys.executable, str(CORPUS / "make_input.py"), str(folder)], check=True)
    return (folder / "big.yaml").rename(folder / "big.style.yaml")


def resident_bytes(client: LspClient) -> int:
    pages = Path(f"/proc/{client.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")


def insert(line: int, character: int, text: str) -> Json:
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "text": text}


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_plan(big: Path) -> None:
    uri, text = big.as_uri(), big.read_text("utf-8")
    with running() as client:
        before = processor_time_of(client.process.pid)
        client.open(uri, text)
        (finding,) = client.diagnostics(uri)
        assert (finding["code"], finding["range"]["start"]["line"]) == ("invalid-schema", BROKEN_LINE)
        assert processor_time_of(client.process.pid) - before < 5

        memory = resident_bytes(client)
        hovers: list[int] = []
        for number in range(200):
            client.change(uri, 2 + number, insert(TITLE_LINE, 13, "x"))
            if number % 20 == 0:
                place = {"textDocument": {"uri": uri}, "position": {"line": 5 + 10 * number + 3, "character": 6}}
                hovers.append(client.start("textDocument/hover", place))
            time.sleep(0.01)
        changed = processor_time_of(client.process.pid)
        assert [d["code"] for d in client.diagnostics(uri, 201)] == ["invalid-schema"]
        assert processor_time_of(client.process.pid) - changed < 5
        analysed = next(m["at"] for m in client.notifications if m["params"].get("version") == 201)
        for request in hovers:
            assert "action" in client.answer(request)["contents"]["value"]
            answered = client.answered_at(request)
            assert answered is not None
            assert answered < analysed, "no hover waits for an analysis"
        assert len(client.published(uri)) < 20, "not one analysis for every key"
        assert resident_bytes(client) - memory < 200e6

        request = client.start("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        client.notify("$/cancelRequest", {"id": request})
        found = client.answer_or_code(request)
        assert found == -32800 or len(found[0]["children"]) == 3000

        client.change(uri, 300, insert(TITLE_LINE, 13, '"'))
        broken = client.diagnostics(uri, 300)
        assert 1 <= len(broken) <= 20
        assert all(d["range"]["start"]["line"] == d["range"]["end"]["line"] for d in broken)
        client.change(
            uri,
            301,
            {
                "range": {"start": {"line": TITLE_LINE, "character": 13}, "end": {"line": TITLE_LINE, "character": 14}},
                "text": "",
            },
        )
        assert [d["code"] for d in client.diagnostics(uri, 301)] == ["invalid-schema"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processor time is read from /proc")
def test_shutdown_while_busy(big: Path) -> None:
    client = LspClient()
    try:
        client.initialize()
        before = processor_time_of(client.process.pid)
        client.open(big.as_uri(), big.read_text("utf-8"))
        until(lambda: processor_time_of(client.process.pid) - before > 0.4, "the analysis to be under way")
        client.request("shutdown")
        client.notify("exit")
        assert client.process.wait(WAIT_SECONDS) == 0
        assert not client.published(big.as_uri()), "the analysis was still running"
    finally:
        client.kill()
