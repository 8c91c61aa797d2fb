"""`rulewright fix`: applies what is safe, changes nothing else, and is done after one run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from commands.conftest import FAULTY, GUARD, Run, rulewright
from rulewright import workspace
from rulewright.commands.fix import fix_text
from rulewright.settings import Settings

FIXED = FAULTY.replace("at: after", "at: before").replace("    repeat: turn\n", "")


def test_safe_fixes_are_written(project: Path, run: Run) -> None:
    path = project / "a.style.yaml"
    path.write_text(FAULTY)
    ran = run("fix")
    assert ran.code == 0
    assert path.read_text() == FIXED
    assert ran.err == "1 file(s) changed\n1 file checked: no problems\n"
    stamp = path.stat().st_mtime_ns
    assert run("fix").err.startswith("0 file(s) changed\n")
    assert path.stat().st_mtime_ns == stamp


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_everything_else_stays(project: Path, run: Run, bom: bytes, end: str, last: bool) -> None:
    encoding = "utf-16-le" if bom == b"\xff\xfe" else "utf-8"

    def data(text: str) -> bytes:
        text = f"# 注释 😀  {end}" + text.replace("\n", end) + "x-odd:   [ 1,2 ]  # kept" + (end if last else "")
        return bom + text.encode(encoding)

    path = project / "a.style.yaml"
    path.write_bytes(data(FAULTY))
    path.chmod(0o604)
    assert run("fix", "a.style.yaml").code == 0
    assert path.read_bytes() == data(FIXED)
    assert path.stat().st_mode & 0o777 == 0o604


def test_unsafe_fixes_only_when_asked(project: Path, run: Run) -> None:
    path = project / "a.style.yaml"
    path.write_text(GUARD.replace("version: 0.1.0", "version: 0.1"))
    ran = run("fix")
    assert ran.code == 1
    assert "version: 0.1\n" in path.read_text()
    assert "error[invalid-schema]" in ran.out
    assert run("fix", "--unsafe").code == 0
    assert "version: 0.1.0\n" in path.read_text()


def test_diff_writes_nothing(project: Path, run: Run) -> None:
    path = project / "a.style.yaml"
    path.write_text(FAULTY)
    ran = run("fix", "--diff")
    assert ran.code == 1  # the error is still there
    assert path.read_text() == FAULTY
    assert ran.out.startswith("--- a/a.style.yaml\n+++ b/a.style.yaml\n")
    assert "-    at: after\n" in ran.out
    assert "+    at: before\n" in ran.out


def test_stdin_to_stdout(project: Path) -> None:
    data = b"\xef\xbb\xbf" + FAULTY.replace("\n", "\r\n").encode()
    ran = rulewright("fix", "--stdin", "--stdin-filename", "a.style.yaml", cwd=project, stdin=data)
    assert ran.code == 0
    assert ran.out.encode() == b"\xef\xbb\xbf" + FIXED.replace("\n", "\r\n").encode()
    ran = rulewright("fix", "--stdin", "--diff", cwd=project, stdin=FAULTY.encode())
    assert ran.out.startswith("--- a/stdin.style.yaml\n")


def test_a_link_is_followed(project: Path, run: Run, tmp_path: Path) -> None:
    target = tmp_path / "shared.style.yaml"
    target.write_text(FAULTY)
    (project / "a.style.yaml").symlink_to(target)
    assert run("fix", "a.style.yaml").code == 0
    assert target.read_text() == FIXED
    assert (project / "a.style.yaml").is_symlink()


def test_one_file_that_cannot_be_written(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "a.style.yaml").write_text(FAULTY)
    (project / "b.style.yaml").write_text(FAULTY.replace("faulty", "other"))
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("a.style.yaml") and real(path, mode))
    ran = run("fix")
    assert ran.code == 2
    assert "a.style.yaml` cannot be written: no permission" in ran.err
    assert (project / "a.style.yaml").read_text() == FAULTY
    assert "at: before" in (project / "b.style.yaml").read_text()


def test_unreadable_files_are_told(project: Path, run: Run) -> None:
    (project / "a.style.yaml").write_bytes(b"\xff\xff\xff")
    ran = run("fix")
    assert ran.code == 2
    assert "is not UTF-8" in ran.err


def test_fixing_is_stable_on_many_faults() -> None:
    rules = "".join(
        f"  - id: r{number}\n    target: tool\n    tool: Bash\n    action: block\n    at: after\n    repeat: turn\n    text: a\n"
        for number in range(40)
    )
    head = "spec: style/v0.3\nname: n\nversion: 0.1.0\ndescription: d\nrules:\n"
    settings = Settings()
    for unsafe in (False, True):
        once = fix_text("/a.style.yaml", head + rules, settings, unsafe)
        assert "after" not in once
        assert "Bash" not in once
        assert fix_text("/a.style.yaml", once, settings, unsafe) == once


def test_a_comment_that_silences_a_clash_is_of_use(project: Path, run: Run) -> None:
    (project / "a.style.yaml").write_text(GUARD)
    text = GUARD.replace("name: guard", "name: guard  # rulewright: ignore[duplicate-package]")
    (project / "b.style.yaml").write_text(text)
    assert run("fix").code == 0
    assert (project / "b.style.yaml").read_text() == text
    (project / "a.style.yaml").unlink()
    run("fix")
    assert (project / "b.style.yaml").read_text() == GUARD


def test_other_files_are_looked_at_where_a_comment_needs_it_only(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What files say together costs as much as there are files: once for each of them would be the square."""
    passes: list[str] = []
    findings = workspace.workspace_findings

    def counted(*args: Any) -> Any:
        passes.append("pass")
        return findings(*args)

    monkeypatch.setattr(workspace, "workspace_findings", counted)
    rules = project / ".foya" / "rules"
    rules.mkdir(parents=True)
    for number in range(40):
        (rules / f"r{number}.md").write_text(f"---\nid: r{number}\ntrigger: always_on\n---\nText.\n", newline="")
    (rules / "quiet.md").write_text(
        "---\nid: r1 # rulewright: ignore[foya-duplicate]\ntrigger: always_on\n---\nText.\n"
    )
    assert run("fix").code == 0
    assert "always_on" not in "".join(path.read_text() for path in rules.iterdir())
    assert "ignore[foya-duplicate]" in (rules / "quiet.md").read_text()
    assert len(passes) < 8
