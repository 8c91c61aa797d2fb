"""The server as an editor meets it: a real process, real stdio."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rulewright.text.edits import Edit, apply_edits
from rulewright.text.lines import Lines
from rulewright.text.span import Span
from server.client import PULL, PUSH, ROOT, WAIT_SECONDS, Json, LspClient, ServerError, running

CORPUS = Path(__file__).parents[1] / "corpus" / "lsp"
HEAD = "spec: style/v0.3\nname: lsp\nversion: 0.1.0\ndescription: test package\nrules:\n"
GOOD = HEAD + "  - id: a\n    target: system\n    text: Be brief.\n"
BAD = HEAD + "  - id: a\n    target: tool\n    tool: shell\n    action: block\n    at: after\n    text: No.\n"
URI = "file:///project/a.style.yaml"


def changed(text: str, edits: list[Json]) -> str:
    """Apply the protocol's edits in UTF-16."""
    lines = Lines(text)

    def offset(place: Json) -> int:
        return lines.offset_at(place["line"], place["character"], "utf-16")

    spans = [Span(offset(edit["range"]["start"]), offset(edit["range"]["end"])) for edit in edits]
    return apply_edits(text, [Edit(span, edit["newText"]) for span, edit in zip(spans, edits, strict=True)])


def actions(client: LspClient, uri: str, line: int, character: int, **context: Any) -> list[Json]:
    place = {"line": line, "character": character}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": [], **context},
    }
    result: list[Json] = client.request("textDocument/codeAction", params)
    return result


def codes(diagnostics: list[Json]) -> list[str]:
    return [d["code"] for d in diagnostics]


# --- life cycle


def test_life_cycle() -> None:
    client = LspClient()
    try:
        with pytest.raises(ServerError) as early:
            client.request(
                "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
            )
        assert early.value.code == -32002
        capabilities = client.initialize()["capabilities"]
        assert capabilities["hoverProvider"]
        assert capabilities["textDocumentSync"]["change"] == 2
        assert set(capabilities["codeActionProvider"]["codeActionKinds"]) == {
            "quickfix",
            "source.fixAll.rulewright",
            "refactor.rewrite",
        }
        with pytest.raises(ServerError) as twice:
            client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert twice.value.code == -32600
        with pytest.raises(ServerError) as unknown:
            client.request("textDocument/nothing", {})
        assert unknown.value.code == -32601
        client.notify("$/nothing", {})
        client.open(URI, GOOD)
        assert client.diagnostics(URI) == []
        client.close(URI)
        client.wait(lambda: client.published(URI)[-1].get("version", None) is None, "the findings to be taken back")
        assert client.published(URI)[-1]["diagnostics"] == []
        client.request("shutdown")
        with pytest.raises(ServerError) as late:
            client.request(
                "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
            )
        assert late.value.code == -32600
        client.notify("exit")
        assert client.process.wait(WAIT_SECONDS) == 0
    finally:
        client.kill()


@pytest.mark.parametrize("how", ["exit", "end of input"])
def test_leaving_without_shutdown(how: str) -> None:
    client = LspClient()
    try:
        client.initialize()
        if how == "exit":
            client.notify("exit")
        else:
            assert client.process.stdin is not None
            client.process.stdin.close()
        assert client.process.wait(WAIT_SECONDS) == 1
    finally:
        client.kill()


def test_what_cannot_be_read_is_answered_and_survived() -> None:
    with running() as client:
        client.send_raw(b"Content-Length: 3\r\n\r\n{x}")
        client.send_raw(b"Content-Length: 2\r\n\r\n[]")
        client.send({"jsonrpc": "2.0", "id": 900, "method": "textDocument/hover", "params": {"textDocument": 3}})
        with pytest.raises(ServerError):
            client.answer(900)
        assert sorted(m["error"]["code"] for m in client.unknown) == [-32700, -32600]
        client.change("file:///not/open.style.yaml", 2, {"text": "x"})
        assert client.at("hover", "file:///not/open.style.yaml", 0, 0) is None
        client.open(URI, BAD)
        assert codes(client.diagnostics(URI)) == ["block-after"]


def test_stray_output_does_not_break_the_protocol() -> None:
    code = (
        "import sys, rulewright_ls.server as s; real = s.RulewrightServer.initialized\n"
        "def loud(self, params): print('stray'); real(self, params)\n"
        "s.RulewrightServer.initialized = loud; sys.exit(s.serve_stdio())"
    )
    client = LspClient([sys.executable, "-c", code])
    try:
        client.initialize()
        client.open(URI, BAD)
        assert codes(client.diagnostics(URI)) == ["block-after"]
        assert client.shut_down() == 0
        client._threads[1].join(5)
        assert b"stray" in client.stderr
    finally:
        client.kill()


def test_a_fault_of_ours_is_answered_logged_and_survived() -> None:
    code = (
        "import sys, rulewright.ide.symbols as m, rulewright.workspace as w, rulewright_ls.server as s\n"
        "def broken(*args): raise ZeroDivisionError\n"
        "m.symbols = broken; real = w.read_document\n"
        "w.read_document = lambda path, *args: broken() if 'broken' in path else real(path, *args)\n"
        "sys.exit(s.serve_stdio())"
    )
    client = LspClient([sys.executable, "-c", code])
    try:
        client.initialize()
        client.open(URI, BAD)
        assert codes(client.diagnostics(URI)) == ["block-after"]
        with pytest.raises(ServerError) as error:
            client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        assert error.value.code == -32603
        client.open("file:///project/broken.style.yaml", BAD)
        assert codes(client.diagnostics("file:///project/broken.style.yaml")) == ["internal-error"]
        assert client.at("hover", URI, 8, 12)["contents"]["value"]
        assert client.shut_down() == 0
        client._threads[1].join(5)
        assert b"ZeroDivisionError" in client.stderr
    finally:
        client.kill()


def test_cancel() -> None:
    with running() as client:
        client.open(URI, BAD)
        request = client.start("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        client.notify("$/cancelRequest", {"id": request})
        found = client.answer_or_code(request)
        assert found == -32800 or found[0]["name"] == "lsp"
        client.notify("$/cancelRequest", {"id": 12345})
        assert codes(client.diagnostics(URI)) == ["block-after"]


# --- positions


POSITIONS = json.loads((CORPUS / "01-position-encodings" / "positions.json").read_text("utf-8"))


@pytest.mark.parametrize("encoding", sorted(POSITIONS["encodings"]))
def test_encodings(encoding: str) -> None:
    start, end = POSITIONS["encodings"][encoding]
    line = POSITIONS["line"]
    with running({**PUSH, "general": {"positionEncodings": [encoding, "utf-16"]}}) as client:
        text = (CORPUS / "01-position-encodings" / "input.yaml").read_text("utf-8")
        client.open(URI, text)
        (finding,) = client.diagnostics(URI)
        assert finding["code"] == "invalid-schema"
        assert finding["range"] == {
            "start": {"line": line, "character": start},
            "end": {"line": line, "character": end},
        }
        assert "**action**" in client.at("hover", URI, line, start)["contents"]["value"]
        assert "**action**" not in str(client.at("hover", URI, line, start - 1))
        span = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        client.change(URI, 2, {"range": span, "text": "warn"})
        assert "invalid-schema" not in codes(client.diagnostics(URI, 2))


@pytest.mark.parametrize("offer", POSITIONS["offers"], ids=lambda offer: str(offer["client"]))
def test_the_answer_names_the_encoding(offer: Json) -> None:
    client = LspClient()
    try:
        general = {} if offer["client"] is None else {"general": {"positionEncodings": offer["client"]}}
        answer = client.initialize({**PUSH, **general})["capabilities"].get("positionEncoding", "utf-16")
        assert answer in (offer["client"] or ["utf-16"])
    finally:
        client.kill()


def test_odd_line_separators() -> None:
    text = (
        HEAD.replace("test package", '"a\u2028b\u2029c\u0085d"')
        + "  - id: a\r    target: system\r    action: blok\r\n    text: x\n"
    )
    with running() as client:
        client.open(URI, text)
        (finding,) = client.diagnostics(URI)
        assert finding["range"] == {"start": {"line": 7, "character": 12}, "end": {"line": 7, "character": 16}}
        client.change(
            URI,
            2,
            {"range": finding["range"], "text": "warn"},
            {
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
                "text": "# one\r# two\n",
            },
        )
        assert client.diagnostics(URI, 2) == []
        client.change(
            URI,
            3,
            {"range": {"start": {"line": 9, "character": 12}, "end": {"line": 9, "character": 16}}, "text": "wrn"},
        )
        (finding,) = client.diagnostics(URI, 3)
        assert finding["range"] == {"start": {"line": 9, "character": 12}, "end": {"line": 9, "character": 15}}


@pytest.mark.parametrize("name", ["input.yaml", "cr.yaml", "mixed.yaml", "vt.yaml"])
def test_corpus_line_separators(name: str) -> None:
    case = json.loads((CORPUS / "02-line-separator-characters" / "case.json").read_text("utf-8"))
    expected = next(d for d in case["expected"]["diagnostics"] if d["file"] == name)
    text = (CORPUS / "02-line-separator-characters" / name).read_bytes().decode()
    with running() as client:
        client.open(URI, text)
        (finding,) = client.diagnostics(URI)
    assert finding["code"] == expected["kind"]
    if expected["match"] == "exact":
        assert finding["range"] == expected["range"]
    else:
        assert finding["range"]["start"]["line"] == expected["range"]["start"]["line"]


# --- diagnostics


def test_a_diagnostic_is_complete() -> None:
    with running() as client:
        client.open(URI, BAD)
        (finding,) = client.diagnostics(URI)
        assert finding["severity"] == 1
        assert finding["source"] == "rulewright"
        assert finding["codeDescription"]["href"].endswith("/block-after")
        assert finding["relatedInformation"][0]["location"]["uri"] == URI
        assert "data" not in finding
        client.change(URI, 2, {"text": HEAD + "  - id: a\n    target: system\n    tool: shell\n    text: x\n"})
        unused = next(d for d in client.diagnostics(URI, 2) if d["code"] == "target-field")
        assert unused["tags"] == [1]


def test_only_the_last_version_counts() -> None:
    with running() as client:
        client.open(URI, GOOD)
        for number in range(40):
            client.change(URI, 2 + 3 * number, {"text": BAD if number % 2 else GOOD})
        client.change(URI, 1000, {"text": BAD})
        assert codes(client.diagnostics(URI, 1000)) == ["block-after"]
        versions = [p["version"] for p in client.published(URI)]
        assert versions == sorted(versions)


def test_a_broken_text_publishes_its_fault_and_recovers() -> None:
    with running() as client:
        client.open(URI, BAD)
        assert codes(client.diagnostics(URI)) == ["block-after"]
        client.change(URI, 2, {"text": BAD.replace("at: after", 'at: "after')})
        broken = client.diagnostics(URI, 2)
        assert "yaml-syntax" in codes(broken)
        assert all(d["range"]["start"]["line"] == d["range"]["end"]["line"] for d in broken)
        client.change(URI, 3, {"text": BAD})
        assert codes(client.diagnostics(URI, 3)) == ["block-after"]


def test_pull_never_pushes() -> None:
    with running(PULL) as client:
        client.open(URI, BAD)
        report = client.pull(URI)
        assert (report["kind"], codes(report["items"])) == ("full", ["block-after"])
        assert client.pull(URI, report["resultId"]) == {"kind": "unchanged", "resultId": report["resultId"]}
        client.change(URI, 2, {"text": GOOD})
        after = client.pull(URI, report["resultId"])
        assert (after["kind"], after["items"]) == ("full", [])
        assert after["resultId"] != report["resultId"]
        assert client.pull("file:///not/open.style.yaml")["items"] == []
        assert client.published(URI) == []


def test_push_does_not_offer_pull() -> None:
    client = LspClient()
    try:
        assert "diagnosticProvider" not in client.initialize()["capabilities"]
    finally:
        client.kill()


def test_other_yaml_is_left_alone() -> None:
    with running() as client:
        client.open("file:///project/other.yaml", "a: [\n")
        client.open(URI, BAD)
        client.diagnostics(URI)
        assert client.published("file:///project/other.yaml") == []
        assert client.at("completion", "file:///project/other.yaml", 0, 0) is None
        assert client.at("hover", "file:///project/other.yaml", 0, 0) is None
        client.change("file:///project/other.yaml", 2, {"text": "spec: style/v0.3\n"})
        assert codes(client.diagnostics("file:///project/other.yaml", 2)) == ["invalid-schema"]
        client.change("file:///project/other.yaml", 3, {"text": "a: 1\n"})
        assert client.diagnostics("file:///project/other.yaml", 3) == []


# --- languages and settings


@pytest.mark.parametrize(
    ("params", "word"),
    [({"locale": "zh-cn"}, "不能"), ({"locale": "de"}, "cannot"), ({"locale": "de", "initializationOptions": {"lang": "zh-CN"}}, "不能"), ({}, "cannot")],
    ids=["locale", "other-locale", "option-wins", "process"],
)  # fmt: skip
def test_languages(params: Json, word: str) -> None:
    with running(**params) as client:
        client.open(URI, BAD)
        (finding,) = client.diagnostics(URI)
        chinese = re.search("[\u4e00-\u9fff]", finding["message"]) is not None
        assert chinese == (word == "不能")
        titles = [a["title"] for a in actions(client, URI, 9, 8)]
        assert all((re.search("[\u4e00-\u9fff]", title) is not None) == chinese for title in titles)
        hover = client.at("hover", URI, 8, 12)["contents"]["value"]
        assert ("默认值" in hover) == chinese


def test_settings_come_from_the_project_and_from_the_editor(tmp_path: Path) -> None:
    settings = tmp_path / "rulewright.toml"
    settings.write_text('[severity]\nblock-after = "hint"\n')
    uri = (tmp_path / "a.style.yaml").as_uri()
    with running() as client:
        client.open(uri, BAD)
        assert [d["severity"] for d in client.diagnostics(uri)] == [4]
        client.notify(
            "workspace/didChangeConfiguration", {"settings": {"rulewright": {"severity": {"block-after": "warning"}}}}
        )
        client.wait(
            lambda: [d["severity"] for d in client.published(uri)[-1]["diagnostics"]] == [2], "the new severity"
        )
        client.notify(
            "workspace/didChangeConfiguration", {"settings": {"rulewright": {"severity": {"block-after": "off"}}}}
        )
        client.wait(lambda: client.published(uri)[-1]["diagnostics"] == [], "the code to be off")
        client.notify("workspace/didChangeConfiguration", {"settings": {"rulewright": {"lang": "en"}}})
        settings.write_text('[severity]\nblock-after = "info"\n')
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 2}]})
        client.wait(
            lambda: [d["severity"] for d in client.published(uri)[-1]["diagnostics"]] == [3], "the changed file"
        )


@pytest.mark.ledger("S106")
def test_inlay_hints_for_the_harnesses_of_the_project(tmp_path: Path) -> None:
    settings = tmp_path / "rulewright.toml"
    settings.write_text('harnesses = ["claude-code", "codex"]\n')
    uri = (tmp_path / "a.style.yaml").as_uri()
    rule = '  - {id: "🚀规则", target: event, event: session.start, action: warn, text: "😀"}\n'
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}

    def hints(client: LspClient) -> list[Json]:
        params = {"textDocument": {"uri": uri}, "range": everything}
        result: list[Json] = client.request("textDocument/inlayHint", params)
        return result

    with running({"workspace": {"inlayHint": {"refreshSupport": True}}}) as client:
        client.open(uri, HEAD + rule)
        finding, *_ = client.diagnostics(uri)
        (hint,) = hints(client)
        assert hint["position"] == {"line": 5, "character": 15}, "in UTF-16, behind the id"
        assert (hint["label"], hint["paddingLeft"]) == ("claude-code native · codex partial", True)
        assert hint["tooltip"]["kind"] == "markdown"
        assert "only the model gets it" in hint["tooltip"]["value"]
        assert (finding["code"], finding["severity"]) == ("plan-partial", 3)
        client.notify("workspace/didChangeConfiguration", {"settings": {"rulewright": {"harnesses": ["claude-code"]}}})
        client.wait(lambda: "workspace/inlayHint/refresh" in [r["method"] for r in client.requests], "a refresh")
        assert [hint["label"] for hint in hints(client)] == ["claude-code native"]
        client.wait(lambda: client.published(uri)[-1]["diagnostics"] == [], "findings for that harness")
        client.notify("workspace/didChangeConfiguration", {"settings": {"rulewright": {"harnesses": ["unknown"]}}})
        assert [hint["label"] for hint in hints(client)] == ["claude-code native · codex partial"]
        settings.unlink()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 3}]})
        assert hints(client) == []
        client.change(uri, 2, {"text": "a: [\n"})
        assert hints(client) == []


def test_settings_that_cannot_be_read_are_said_once(tmp_path: Path) -> None:
    (tmp_path / "rulewright.toml").write_text("packags = []\n")
    with running() as client:
        for name in ("a", "b"):
            client.open((tmp_path / f"{name}.style.yaml").as_uri(), BAD)
            client.diagnostics((tmp_path / f"{name}.style.yaml").as_uri())
        shown = [m["params"]["message"] for m in client.notifications if m["method"] == "window/showMessage"]
        assert len(shown) == 1
        assert "packags" in shown[0]


def test_settings_are_asked_for_where_the_client_has_them() -> None:
    client = LspClient()
    client.answer_requests = lambda m: (
        [{"severity": {"block-after": "info"}}] if m["method"] == "workspace/configuration" else None
    )
    try:
        client.initialize(
            {**PUSH, "workspace": {"configuration": True, "didChangeWatchedFiles": {"dynamicRegistration": True}}}
        )
        client.open(URI, BAD)
        client.wait(
            lambda: client.published(URI) and client.published(URI)[-1]["diagnostics"][0]["severity"] == 3,
            "the setting",
        )
        registered = [m for m in client.requests if m["method"] == "client/registerCapability"]
        assert registered[0]["params"]["registrations"][0]["method"] == "workspace/didChangeWatchedFiles"
        assert client.shut_down() == 0
    finally:
        client.kill()


def test_excluded_files_are_silent(tmp_path: Path) -> None:
    (tmp_path / "rulewright.toml").write_text('exclude = ["old"]\n')
    (tmp_path / "old").mkdir()
    uri, other = (tmp_path / "old" / "a.style.yaml").as_uri(), (tmp_path / "b.style.yaml").as_uri()
    with running() as client:
        client.open(uri, BAD)
        client.open(other, BAD)
        assert codes(client.diagnostics(other)) == ["block-after"]
        assert client.published(uri) == []


def test_two_packages_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "rulewright.toml").write_text("")
    (tmp_path / ".style").mkdir()
    first, second = tmp_path / ".style" / "a.yaml", tmp_path / ".style" / "b.yaml"
    first.write_text(GOOD)
    second.write_text(GOOD.replace("name: lsp", "name: other"))
    with running(rootUri=tmp_path.as_uri()) as client:
        client.open(second.as_uri(), second.read_text())
        assert client.diagnostics(second.as_uri()) == []
        client.change(second.as_uri(), 2, {"text": GOOD})
        client.wait(
            lambda: codes(client.published(second.as_uri())[-1]["diagnostics"]) == ["duplicate-package"], "the clash"
        )
        (finding,) = client.published(second.as_uri())[-1]["diagnostics"]
        assert ".style/a.yaml" in finding["message"]
        client.change(second.as_uri(), 3, {"text": GOOD.replace("name: lsp", "name: another")})
        client.wait(lambda: client.published(second.as_uri())[-1]["diagnostics"] == [], "the clash to be gone")
        client.change(second.as_uri(), 4, {"text": GOOD})
        client.wait(lambda: client.published(second.as_uri())[-1]["diagnostics"], "the clash again")
        first.write_text(GOOD.replace("name: lsp", "name: third"))
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": first.as_uri(), "type": 2}]})
        client.wait(lambda: client.published(second.as_uri())[-1]["diagnostics"] == [], "the other file to count")


def test_text_files_are_read_again(tmp_path: Path) -> None:
    uri = (tmp_path / "a.style.yaml").as_uri()
    text = HEAD + "  - id: a\n    target: system\n    text_file: note.md\n"
    with running() as client:
        client.open(uri, text)
        assert codes(client.diagnostics(uri)) == ["text-file-missing"]
        (tmp_path / "note.md").write_text("Be brief.\n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        client.wait(lambda: client.published(uri)[-1]["diagnostics"] == [], "the file to be seen")
        (link,) = client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
        assert link["target"] == (tmp_path / "note.md").as_uri()


# --- changes offered


def test_quick_fix_applied_leaves_nothing() -> None:
    with running() as client:
        client.open(URI, BAD)
        client.diagnostics(URI)
        offered = actions(client, URI, 9, 9)
        fix = next(a for a in offered if a.get("isPreferred"))
        text = changed(BAD, fix["edit"]["changes"][URI])
        assert text == BAD.replace("after", "before")
        client.change(URI, 2, {"text": text})
        assert client.diagnostics(URI, 2) == []


def test_ignore_comment_applied_silences() -> None:
    with running() as client:
        client.open(URI, BAD)
        client.diagnostics(URI)
        ignore = next(a for a in actions(client, URI, 9, 9) if "gnore" in a["title"])
        text = changed(BAD, ignore["edit"]["changes"][URI])
        assert "    # rulewright: ignore[block-after]\n    at: after\n" in text
        client.change(URI, 2, {"text": text})
        assert client.diagnostics(URI, 2) == []


def test_fix_all_keeps_crlf() -> None:
    text = (CORPUS / "09-ranges-and-quick-fixes" / "crlf.yaml").read_bytes().decode()
    with running({**PUSH, "workspace": {"workspaceEdit": {"documentChanges": True}}}) as client:
        client.open(URI, text)
        found = client.diagnostics(URI)
        assert [
            (d["range"]["start"]["line"], d["range"]["start"]["character"], d["range"]["end"]["character"])
            for d in found
        ] == [(7, 12, 16), (11, 4, 10)]
        titles = [a["title"] for a in actions(client, URI, 7, 13)]
        assert all(any(word in title for title in titles) for word in ("inject", "warn", "block"))
        (action,) = actions(client, URI, 0, 0, only=["source.fixAll"])
        assert action["kind"] == "source.fixAll.rulewright"
        (edit,) = action["edit"]["documentChanges"]
        assert edit["textDocument"] == {"uri": URI, "version": 1}
        after = changed(text, edit["edits"])
        assert after == text.replace("blok", "block").replace("actoin", "action")
        assert actions(client, URI, 0, 0, only=["refactor"]) == []


def test_fix_all_is_answered_while_other_files_change(tmp_path: Path) -> None:
    """Opening a package of the same name outdates what is known of this one, but not its text."""
    (tmp_path / "rulewright.toml").write_text("", "utf-8")
    big = tmp_path / "big.style.yaml"
    rules = "".join(f"  - id: r{at}\n    target: system\n    text: Be brief.\n" for at in range(1500))
    big.write_text(HEAD + "  - id: a\n    target: system\n    actoin: inject\n    text: Be brief.\n" + rules, "utf-8")
    with running(rootUri=tmp_path.as_uri()) as client:
        client.open(big.as_uri(), big.read_text("utf-8"))
        client.diagnostics(big.as_uri())
        params = {
            "textDocument": {"uri": big.as_uri()},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
            "context": {"diagnostics": [], "only": ["source.fixAll"]},
        }
        asked = client.start("textDocument/codeAction", params)
        client.open((tmp_path / "other.style.yaml").as_uri(), GOOD)
        (action,) = client.answer(asked)
        assert "duplicate-package" in codes(client.diagnostics(big.as_uri()))
        assert changed(big.read_text("utf-8"), action["edit"]["changes"][big.as_uri()]).count("action: inject") == 1


@pytest.mark.parametrize("name", ["open-quote.yaml", "conflict.yaml", "noeol.yaml"])
def test_corpus_ranges(name: str) -> None:
    case = json.loads((CORPUS / "09-ranges-and-quick-fixes" / "case.json").read_text("utf-8"))
    expected = next(d for d in case["expected"]["diagnostics"] if d["file"] == name)
    with running() as client:
        client.open(URI, (CORPUS / "09-ranges-and-quick-fixes" / name).read_bytes().decode())
        found = client.diagnostics(URI)
    assert 1 <= len(found) <= 3
    assert found[0]["code"] == expected["kind"]
    assert found[0]["range"]["start"]["line"] == expected["range"]["start"]["line"]
    assert all(d["range"]["start"]["line"] == d["range"]["end"]["line"] for d in found)
    if expected["match"] == "exact":
        assert found[0]["range"] == expected["range"]


# --- files of a few bytes


@pytest.mark.parametrize("number", range(11))
def test_skeletal_files(number: int) -> None:
    text = (CORPUS / "04-empty-and-skeletal-files" / f"e{number}.yaml").read_bytes().decode()
    uri = f"file:///project/e{number}.style.yaml"
    end = Lines(text).position_at(len(text), "utf-16")
    with running() as client:
        client.open(uri, text)
        found = client.diagnostics(uri)
        assert len(found) <= 4
        if number in (0, 1, 2, 5):
            assert [d for d in found if d["severity"] < 3] == []
        for line, character in ((0, 0), end):
            client.at("hover", uri, line, character)
            items = client.at("completion", uri, line, character)["items"]
            if number == 0:
                assert "spec" in [item["label"] for item in items]
            actions(client, uri, line, character)
        for method in ("documentSymbol", "foldingRange", "documentLink"):
            client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}})


# --- URIs


def test_corpus_windows_uris() -> None:
    """The session of corpus/lsp/05 with a package: one file under four spellings, read as on Windows."""
    uris = json.loads((CORPUS / "05-windows-and-escaped-uris" / "uris.json").read_text("utf-8"))["same_file_on_windows"]
    uris = [uri.replace(".foya/rules", ".style").replace(".md", ".yaml") for uri in uris]
    code = (
        "import sys, rulewright_ls.server as s; from rulewright_ls.documents import Documents; real = s.Session.__init__\n"
        "def init(self, *args, **more): real(self, *args, **{**more, 'windows': True})\n"
        "s.Session.__init__ = init; sys.exit(s.serve_stdio())"
    )
    client = LspClient([sys.executable, "-c", code])
    try:
        client.initialize()
        client.open(uris[0], BAD)
        assert codes(client.diagnostics(uris[0])) == ["block-after"]
        assert "**action**" in client.at("hover", uris[1], 8, 12)["contents"]["value"]
        client.change(uris[2], 2, {"text": GOOD})
        assert client.diagnostics(uris[0], 2) == []
        client.close(uris[3])
        client.wait(lambda: "version" not in client.published(uris[0])[-1], "the end")
        assert {m["params"]["uri"] for m in client.notifications if "uri" in m["params"]} == {uris[0]}
        assert client.shut_down() == 0
    finally:
        client.kill()


def test_a_text_without_a_file() -> None:
    with running() as client:
        client.open("untitled:Untitled-1", BAD)
        assert codes(client.diagnostics("untitled:Untitled-1")) == ["block-after"]


# --- the same as the command line


def test_definition_of_an_alias() -> None:
    text = (
        HEAD.replace("rules:", "x-shared:\n  at: &late\n    at: after\nrules:")
        + "  - id: a\n    <<: *late\n    target: system\n    text: x\n"
    )
    with running() as client:
        client.open(URI, text)
        place = client.at("definition", URI, 9, 9)
        assert place["range"]["start"] == {"line": 5, "character": 6}
        assert client.at("definition", URI, 10, 9) is None


REQUEST = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"processId": None, "rootUri": None, "capabilities": {}},
    }
).encode()
ENV = {**os.environ, "PYTHONPATH": f"{ROOT / 'engine'}{os.pathsep}{ROOT / 'server'}"}


@contextmanager
def listening(flag: str) -> Iterator[tuple[str, int]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "rulewright", "lsp", flag, "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=ENV
    )
    assert process.stderr is not None
    try:
        host, _, port = process.stderr.readline().strip().rpartition(" ")[2].rpartition(":")
        yield host, int(port)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_tcp_serves_one_client_after_the_other() -> None:
    with listening("--tcp") as address:
        for _ in range(2):
            with socket.create_connection(address, 20) as sock, sock.makefile("rb") as stream:
                sock.sendall(b"Content-Length: %d\r\n\r\n" % len(REQUEST) + REQUEST)
                length = 0
                while (line := stream.readline()) != b"\r\n":
                    if line.startswith(b"Content-Length"):
                        length = int(line.split(b":")[1])
                assert json.loads(stream.read(length))["result"]["serverInfo"]["name"] == "rulewright"


def masked(kind: int, data: bytes, *, final: bool = True) -> bytes:
    mask = bytes((1, 2, 3, 4))
    length = bytes((0x80 | len(data),)) if len(data) < 126 else bytes((0xFE,)) + len(data).to_bytes(2, "big")
    return bytes(((0x80 if final else 0) | kind,)) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data))


@pytest.mark.parametrize(
    ("origin", "status"),
    [("", b"101"), ("Origin: http://localhost:3000\r\n", b"101"), ("Origin: https://evil.example\r\n", b"403")],
    ids=["no-origin", "local-page", "foreign-page"],
)
def test_websocket(origin: str, status: bytes) -> None:
    with listening("--ws") as address, socket.create_connection(address, 20) as sock, sock.makefile("rb") as stream:
        # The key and its answer are the example of RFC 6455, section 1.3.
        sock.sendall(
            b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + origin.encode() + b"\r\n"
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += stream.readline()
        assert head.split(b" ")[1] == status
        if status != b"101":
            return
        assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head
        sock.sendall(masked(9, b"are you there") + masked(1, REQUEST[:50], final=False) + masked(0, REQUEST[50:]))
        assert stream.read(2 + 13) == b"\x8a\x0dare you there"
        assert stream.read(1) == b"\x81"
        length = stream.read(1)[0]
        size = int.from_bytes(stream.read(2), "big") if length == 126 else length
        assert json.loads(stream.read(size))["result"]["serverInfo"]["name"] == "rulewright"
        sock.sendall(masked(8, b"\x03\xe8"))
        assert stream.read(4) == b"\x88\x02\x03\xe8"


@pytest.mark.parametrize("address", ["0.0.0.0:0", "nonsense", "127.0.0.1:x", "example.org:1"])
@pytest.mark.parametrize("flag", ["--tcp", "--ws"])
def test_addresses_that_are_refused(flag: str, address: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rulewright", "lsp", flag, address], capture_output=True, text=True, timeout=30,
        env=ENV,
    )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.strip().split("\n")) == 1
