"""How long the language server takes: start, a change to its diagnostics, memory. Run by hand, by `dev.py` and in reports.

Figures are medians in milliseconds of wall time, and the ratio to a do-nothing pygls server that runs in turns with ours, so
that a loaded machine slows both.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from server.client import LspClient

URI = "file:///bench/bench.style.yaml"
HEAD = "spec: style/v0.3\nname: bench\nversion: 0.1.0\ndescription: A package to measure with\nrules:\n"
RULE = """\
  - id: rule-{0:05}
    target: tool
    tool: shell
    action: block
    at: before
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^command-{0} (--force|-f)"
    text: Do not run command {0}; ask the team for another way.
"""
NOTHING = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer
server = LanguageServer("nothing", "1")
@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(ls, params):
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(
        uri=params.text_document.uri, version=params.text_document.version, diagnostics=[]))
server.start_io()
"""


def package(rules: int) -> str:
    """Return a clean package of so many rules."""
    return HEAD + "".join(RULE.format(number) for number in range(rules))


def start_ms(command: list[str] | None) -> float:
    """Measure a start up to the answer of `initialize`."""
    before = time.perf_counter()
    client = LspClient(command)
    try:
        client.initialize()
        return (time.perf_counter() - before) * 1000
    finally:
        client.kill()


def change_ms(command: list[str] | None, rules: int, times: int) -> tuple[float, float]:
    """Measure one character typed in the middle, to its diagnostics; and what the process holds in memory, in MB."""
    client = LspClient(command)
    try:
        client.initialize()
        client.open(URI, package(rules))
        taken: list[float] = []
        for number in range(times + 2):
            place = {"line": 3, "character": 13}
            before = time.perf_counter()
            client.change(URI, 2 + number, {"range": {"start": place, "end": place}, "text": "x"})
            client.diagnostics(URI, 2 + number)
            taken.append((time.perf_counter() - before) * 1000)
        return statistics.median(taken[2:]), resident_mb(client.process.pid)
    finally:
        client.kill()


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def main(quick: bool = False) -> dict[str, Any]:
    """Measure and return the figures. `quick` takes a third of the samples and leaves the largest file out."""
    nothing = [sys.executable, "-c", NOTHING]
    starts: dict[str, list[float]] = {"ours": [], "nothing": []}
    for _ in range(3 if quick else 9):
        starts["nothing"].append(start_ms(nothing))
        starts["ours"].append(start_ms(None))
    ours, base = statistics.median(starts["ours"]), statistics.median(starts["nothing"])
    result: dict[str, Any] = {
        "initialize": {"ms": round(ours), "nothing_ms": round(base), "ratio": round(ours / base, 2)}
    }
    for rules in (10, 100) if quick else (10, 100, 1000):
        times = 5 if quick or rules == 1000 else 15
        mine, memory = change_ms(None, rules, times)
        other, other_memory = change_ms(nothing, rules, times)
        result[f"change_{rules}_rules"] = {
            "ms": round(mine, 1), "nothing_ms": round(other, 1), "ratio": round(mine / other, 2),
            "mb": round(memory), "nothing_mb": round(other_memory),
        }  # fmt: skip
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    print(json.dumps(main(parser.parse_args().quick), indent=2))
