"""Sessions of the corpus with Foya's rules: several projects in one window, and files that change behind the editor's back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.client import LspClient, running

CORPUS = Path(__file__).parents[1] / "corpus" / "lsp"
CREATED, CHANGED, DELETED = 1, 2, 3


def copied(name: str, tmp_path: Path) -> Path:
    root = tmp_path / "work"
    shutil.copytree(CORPUS / name, root)
    return root


def folder(path: Path) -> dict[str, str]:
    return {"uri": path.as_uri(), "name": path.name}


def watched(client: LspClient, *changes: tuple[Path, int]) -> None:
    found = [{"uri": path.as_uri(), "type": kind} for path, kind in changes]
    client.notify("workspace/didChangeWatchedFiles", {"changes": found})


def last(client: LspClient, path: Path) -> list[str] | None:
    """Return the codes that were published last for a file; None where nothing was."""
    published = client.published(path.as_uri())
    return [found["code"] for found in published[-1]["diagnostics"]] if published else None


def seen(client: LspClient, path: Path, *codes: str) -> None:
    client.wait(lambda: last(client, path) == list(codes), f"{codes} on {path.name}")


def others(client: LspClient, path: Path) -> list[str]:
    """Return the files that the findings published last point to."""
    found = client.published(path.as_uri())[-1]["diagnostics"]
    return [note["location"]["uri"] for finding in found for note in finding["relatedInformation"]]


def after_all_else(client: LspClient, path: Path) -> Callable[..., None]:
    """Return a wait for what is published of a file after this moment, so that nothing earlier counts."""
    before = len(client.published(path.as_uri()))

    def wait(*codes: str) -> None:
        client.wait(lambda: len(client.published(path.as_uri())) > before, f"news of {path.name}")
        seen(client, path, *codes)

    return wait


def test_equal_ids_in_different_projects_are_no_clash(tmp_path: Path) -> None:
    """corpus/lsp/06: two folders and a project inside one of them; folders come and go."""
    root = copied("06-multi-root-same-ids", tmp_path)
    rules = sorted(root.rglob("*.md"))
    assert len(rules) == 4
    with running(workspaceFolders=[folder(root / "one"), folder(root / "two")]) as client:
        for path in rules:
            client.open(path.as_uri(), path.read_text("utf-8"), language="markdown")
        for path in rules:
            assert client.diagnostics(path.as_uri()) == []
        version = 1
        for change in (
            {"added": [folder(root / "two" / "packages" / "web")], "removed": [folder(root / "one")]},
            {"added": [], "removed": [folder(root / "two")]},
        ):
            client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
            version += 1
            for path in rules:
                client.change(path.as_uri(), version, {"text": path.read_text("utf-8")})
                assert client.diagnostics(path.as_uri(), version) == []
        assert all(found["diagnostics"] == [] for path in rules for found in client.published(path.as_uri()))


def renamed(client: LspClient, old: Path, new: Path, *, closed_first: bool) -> None:
    """Rename an open file as editors do: the messages come in either order."""
    text = old.read_text("utf-8")
    old.rename(new)

    def reopen() -> None:
        client.close(old.as_uri())
        client.open(new.as_uri(), text, language="markdown")

    def tell() -> None:
        watched(client, (old, DELETED), (new, CREATED))

    for step in (reopen, tell) if closed_first else (tell, reopen):
        step()


def test_renames_and_changes_outside(tmp_path: Path) -> None:
    """corpus/lsp/07, with a rule beside that shows what counts of the others."""
    root = copied("07-renames-and-outside-changes", tmp_path) / "tree"
    rules = root / ".foya" / "rules"
    probe = rules / "probe.md"
    probe.write_text("---\nid: probe\ntrigger: always\n---\nBe brief.\n")
    a, b, deep, g = rules / "a.md", rules / "b.md", rules / "deep" / "g.md", rules / "g.md"
    with running(workspaceFolders=[folder(root)]) as client:
        for path in (a, probe):
            client.open(path.as_uri(), path.read_text("utf-8"), language="markdown")
            assert client.diagnostics(path.as_uri()) == []

        def probed(rule_id: str, *codes: str) -> None:
            """Give the probe an id, and see whether it is another rule's."""
            version = client.published(probe.as_uri())[-1]["version"] + 1
            client.change(probe.as_uri(), version, {"text": f"---\nid: {rule_id}\ntrigger: always\n---\nBe brief.\n"})
            client.wait(
                lambda: (
                    client.published(probe.as_uri())[-1]["version"] == version and last(client, probe) == list(codes)
                ),
                f"{codes} on the probe as {rule_id}",
            )

        probed("a", "foya-duplicate")
        probed("g", "foya-duplicate")
        renamed(client, a, b, closed_first=True)
        seen(client, b)
        renamed(client, b, a, closed_first=False)
        seen(client, a)
        renamed(client, a, b, closed_first=True)
        seen(client, b)
        probed("a", "foya-duplicate")
        client.wait(lambda: others(client, probe) == [b.as_uri()], "the other rule's new place")
        # A file that is moved, and one that is a rule no longer.
        deep.rename(g)
        watched(client, (g, CREATED), (deep, DELETED))
        probed("g", "foya-duplicate")
        client.wait(lambda: others(client, probe) == [g.as_uri()], "the other rule's new place")
        news = after_all_else(client, probe)
        g.rename(rules / "g.md.bak")
        watched(client, (g, DELETED))
        news()
        # The open text wins over the file until it is closed.
        b.write_text("---\nid: other\ntrigger: always\n---\nBody.\n")
        watched(client, (b, CHANGED))
        probed("a", "foya-duplicate")
        probed("other")
        news = after_all_else(client, probe)
        client.close(b.as_uri())
        news("foya-duplicate")
        # Many files at once.
        many = [rules / f"n{number:03}.md" for number in range(300)]
        for number, path in enumerate(many):
            path.write_text(f"---\nid: n{number}\ntrigger: always\n---\nBody.\n")
        watched(client, *((path, CREATED) for path in many))
        probed("n299", "foya-duplicate")
        probed("n300")


def test_a_global_file_that_comes_and_goes(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    shared = tmp_path / "home" / ".foya" / "rules" / "user_rules.md"
    shared.parent.mkdir(parents=True)
    rule = tmp_path / "project" / ".foya" / "rules" / "a.md"
    rule.parent.mkdir(parents=True)
    rule.write_text("---\nid: a\ntrigger: always\n---\nBe brief.\n")
    with running(workspaceFolders=[folder(tmp_path / "project")]) as client:
        client.open(rule.as_uri(), rule.read_text("utf-8"), language="markdown")
        assert client.diagnostics(rule.as_uri()) == []
        shared.write_text('<!-- foya-rule: {"id":"a","trigger":"always"} -->\nBe kind.\n')
        watched(client, (shared, CREATED))
        seen(client, rule, "foya-duplicate")
        shared.unlink()
        watched(client, (shared, DELETED))
        seen(client, rule)
