"""Features with their own part of the protocol, over real stdio: code lenses, renames, semantic tokens, changes of a whole file."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulewright_ls.handlers.semantic_tokens import TOKEN_TYPES
from server.client import PUSH, Json, ServerError, running
from support.waiting import until

CHAINS = '{"rules": [{"id": "😀", "trigger": {"event": "Stop"}, "actions": [{"type": "notify_team"}]}]}'


def uri(path: Path) -> str:
    return path.as_uri()


def at(line: int, character: int) -> Json:
    return {"line": line, "character": character}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    (root / ".foya" / "rules").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "src").mkdir()
    (root / "src" / "a.go").write_text("", "utf-8")
    (root / ".foya/rules/go.md").write_text("---\nid: r-go\nname: go\ntrigger: manual\n---\nRun gofmt.\n", "utf-8")
    (root / ".foya/rules/other.md").write_text("---\nid: o\n---\n😀 See @go and @go-test.\n", "utf-8")
    return root


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_rename_reaches_open_and_closed_files_in_every_encoding(project: Path, encoding: str) -> None:
    capabilities = {**PUSH, "general": {"positionEncodings": [encoding]}}
    with running(capabilities, rootUri=uri(project)) as client:
        path = project / ".foya/rules/go.md"
        client.open(uri(path), path.read_text("utf-8"))
        place = {"textDocument": {"uri": uri(path)}, "position": at(2, 7)}
        assert client.request("textDocument/prepareRename", place) == {"start": at(2, 6), "end": at(2, 8)}

        # The project's other files are read beside the loop: until then there is only the open one.
        def changes_of_two_files() -> Json | None:
            changes: Json = client.request("textDocument/rename", {**place, "newName": "golang"})["changes"]
            return changes if len(changes) == 2 else None

        changes = until(changes_of_two_files, "the other file to be read")
        assert changes is not None
        assert [edit["newText"] for edit in changes[uri(path)]] == ["golang"]
        (edit,) = changes[uri(project / ".foya/rules/other.md")]
        before = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]
        assert edit["range"] == {"start": at(3, before + 6), "end": at(3, before + 8)}
        with pytest.raises(ServerError) as refused:
            client.request("textDocument/rename", {**place, "newName": "two words"})
        assert refused.value.code == -32602
        assert client.request("textDocument/prepareRename", {**place, "position": at(5, 1)}) is None


def test_lenses_tokens_and_links(project: Path) -> None:
    with running(rootUri=uri(project)) as client:
        path = project / ".foya/rules/web.md"
        client.open(uri(path), '---\nid: web\ntrigger: glob\nglobs: ["src/**"]\n---\nText.\n')
        document = {"textDocument": {"uri": uri(path)}}
        lenses = client.request("textDocument/codeLens", document)
        assert lenses[0]["command"]["title"] == "wakes on src/** (1 file)"
        assert lenses[0]["range"] == {"start": at(0, 0), "end": at(0, 0)}
        (link,) = client.request("textDocument/documentLink", document)
        assert link["target"] == uri(project / "src/a.go")

        chains = project / ".openclaude/hook-chains.json"
        client.open(uri(chains), CHAINS)
        document = {"textDocument": {"uri": uri(chains)}}
        (lens,) = client.request("textDocument/codeLens", document)
        assert lens["command"]["title"] == "never fires: chains are not dispatched at Stop"
        data = client.request("textDocument/semanticTokens/full", document)["data"]
        column = len(CHAINS[: CHAINS.index("Stop")].encode("utf-16-le")) // 2
        assert data == [0, column, 4, TOKEN_TYPES.index("event"), 1]
        part = {**document, "range": {"start": at(0, 0), "end": at(0, 10)}}
        assert client.request("textDocument/semanticTokens/range", part) == {"data": []}


def test_a_whole_file_is_changed_where_it_is_asked_for(project: Path) -> None:
    with running(rootUri=uri(project)) as client:
        path = project / ".openclaude/hook-chains.json"
        client.open(uri(path), CHAINS)
        params = {
            "textDocument": {"uri": uri(path)},
            "range": {"start": at(0, 0), "end": at(0, 0)},
            "context": {"diagnostics": [], "only": ["refactor"]},
        }
        titles = [action["title"] for action in client.request("textDocument/codeAction", params)]
        assert titles == ["Wrap in `hookChains`", "Write the defaults down"]
        params["context"] = {"diagnostics": [], "only": ["quickfix"]}
        assert not any("Wrap" in action["title"] for action in client.request("textDocument/codeAction", params))


def test_files_of_no_format_have_no_features(project: Path) -> None:
    with running(rootUri=uri(project)) as client:
        path = project / "README.md"
        client.open(uri(path), "# See @go\n")
        document = {"textDocument": {"uri": uri(path)}}
        assert client.request("textDocument/codeLens", document) == []
        assert client.request("textDocument/semanticTokens/full", document) is None
        assert client.request("textDocument/prepareRename", {**document, "position": at(0, 8)}) is None
