"""`rulewright check`: what it prints, its exit codes, and the same list as the analysis."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from commands.conftest import FAULTY, GUARD, Run, rulewright
from rulewright.workspace import analyze_path, project_settings


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_clean_files(project: Path, run: Run) -> None:
    put(project / "a.style.yaml", GUARD)
    ran = run("check")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "1 file checked: no problems\n"


def test_findings(project: Path, run: Run) -> None:
    put(project / "rules" / "a.style.yaml", FAULTY)
    ran = run("check", "rules")
    assert ran.code == 1
    assert "rules/a.style.yaml:10:9: error[block-after]: " in ran.out
    assert "   10 |     at: after\n      |         ^^^^^\n" in ran.out
    assert "rules/a.style.yaml:11:13: warning[block-repeat]: " in ran.out
    assert ran.err == "1 file checked: 1 error, 1 warning (2 can be fixed with `rulewright fix`)\n"


def test_exit_codes(project: Path, run: Run) -> None:
    put(project / "warn.style.yaml", FAULTY.replace("    at: after\n", ""))
    assert run("check").code == 0
    assert run("check", "--strict").code == 1
    put(project / "error.style.yaml", FAULTY)
    assert run("check").code == 1
    put(project / "unreadable.style.yaml", b"\xff\xff\xff")
    ran = run("check")
    assert ran.code == 2
    assert "unreadable.style.yaml` is not UTF-8" in ran.err
    assert "error.style.yaml" in ran.out  # the others are reported all the same


def test_json_is_the_analysis(project: Path, run: Run) -> None:
    path = put(project / "a.style.yaml", FAULTY.replace("description: a", "description: 😀"))
    ran = run("check", "--format", "json", "a.style.yaml")
    report = json.loads(ran.out)
    found = analyze_path(str(path), project_settings(str(path)))
    assert found is not None
    lines = found.document.lines
    assert [
        (
            one["code"],
            one["severity"],
            one["message"],
            one["range"]["start"]["line"],
            one["range"]["start"]["character"],
        )
        for one in report["diagnostics"]
    ] == [(f.code, f.severity.label, f.message.en, *lines.position_at(f.span.start, "utf-16")) for f in found.findings]
    assert report["files"] == 1
    assert ran.err == ""


def test_machine_formats(project: Path, run: Run) -> None:
    put(project / "a.style.yaml", FAULTY)
    assert json.loads(run("check", "--format", "sarif").out)["version"] == "2.1.0"
    assert ET.fromstring(run("check", "--format", "junit").out).attrib["failures"] == "1"
    assert ET.fromstring(run("check", "--format", "junit", "--strict").out).attrib["failures"] == "2"
    assert run("check", "--format", "github").out.startswith("::error file=a.style.yaml,line=10,")


def test_select_and_ignore(project: Path, run: Run) -> None:
    put(project / "a.style.yaml", FAULTY)

    def codes(*words: str) -> list[str]:
        return [one["code"] for one in json.loads(run("check", "--format", "json", *words).out)["diagnostics"]]

    assert codes() == ["block-after", "block-repeat"]
    assert codes("--select", "block-repeat") == ["block-repeat"]
    assert codes("--select", "block-repeat", "T005", "a.style.yaml") == ["block-repeat"]
    assert codes("--select", "block-repeat,block-after", "--ignore", "block-after") == ["block-repeat"]
    assert codes("--ignore=block-after", "a.style.yaml") == ["block-repeat"]
    assert codes("a.style.yaml", "--ignore", "block-repeat", "--ignore", "block-after") == []


def test_unknown_codes(project: Path, run: Run) -> None:
    ran = run("check", "--select", "block-aftr")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "rulewright: there is no code `block-aftr`; did you mean `block-after`?\n"
    assert run("check", "--ignore", "T05", "--lang", "zh-CN").err == "rulewright: 没有诊断码 `T05`；是不是 `T005`？\n"


def test_stdin(project: Path) -> None:
    put(project / "rulewright.toml", '[severity]\nblock-repeat = "off"\n')
    ran = rulewright("check", "--stdin", "--stdin-filename", "x/y.style.yaml", cwd=project, stdin=FAULTY.encode())
    assert ran.code == 1
    assert "x/y.style.yaml:10:9: error[block-after]" in ran.out
    assert "block-repeat" not in ran.out
    ran = rulewright("check", "--stdin", cwd=project, stdin=GUARD.encode())
    assert (ran.code, ran.out) == (0, "")
    ran = rulewright("check", "--stdin", "--stdin-filename", "notes.txt", cwd=project, stdin=b"x")
    assert ran.code == 2
    assert "`notes.txt` is not a rule file" in ran.err
    ran = rulewright("check", "--stdin", "a.yaml", cwd=project)
    assert (ran.code, ran.err) == (2, "rulewright: give either `--stdin` or paths\n")


def test_stdin_equals_the_file(project: Path) -> None:
    path = put(project / "a.style.yaml", FAULTY)
    words = ("check", "--format", "json")
    on_disk = rulewright(*words, "a.style.yaml", cwd=project)
    piped = rulewright(*words, "--stdin", "--stdin-filename", "a.style.yaml", cwd=project, stdin=path.read_bytes())
    assert on_disk.out == piped.out
    assert on_disk.code == piped.code == 1


def test_nothing_to_check(project: Path, run: Run) -> None:
    assert run("check").err == "no rule files found\n"
    assert run("check").code == 0
    ran = run("check", "gone.yaml")
    assert (ran.code, ran.err) == (2, "rulewright: there is no `gone.yaml`\n")


def test_outside_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.style.yaml", FAULTY)
    assert run("check").code == 1


def test_bad_settings_are_one_line(project: Path, run: Run) -> None:
    put(project / "rulewright.toml", "x = 1\n")
    ran = run("check")
    assert ran.code == 2
    assert ran.err.startswith("rulewright: rulewright.toml:1: unknown setting `x`")
    assert ran.err.count("\n") == 1


def test_chinese(project: Path, run: Run) -> None:
    put(project / "a.style.yaml", FAULTY)
    ran = run("check", "--lang", "zh-CN")
    assert "a.style.yaml:10:9: 错误[block-after]: " in ran.out
    assert ran.err.startswith("检查了 1 个文件：1 个错误，1 个警告")
    put(project / "rulewright.toml", 'lang = "zh-CN"\n')
    assert "错误[block-after]" in run("check").out
    assert "error[block-after]" in run("check", "--lang", "en").out


def test_jobs(project: Path, run: Run) -> None:
    for number in range(6):
        put(project / f"{number}.style.yaml", FAULTY.replace("faulty", f"faulty{number}"))
    assert run("check", "--jobs", "2", "--format", "json").out == run("check", "--format", "json").out
    assert run("check", "--jobs", "-1").code == 2


HOSTILE = {
    "not-utf8": (b"spec: style/v0.3\nname: \xff\xfe\n", 2, "is not UTF-8: bad byte at offset 23"),
    "binary": (bytes(range(256)) * 40, 2, "is not UTF-8|is not a text file"),
    "zeros": (bytes(4096), 2, "is not a text file"),
    "ten-megabytes": (b"# x\n" * 2_500_000, 2, "10000000 bytes long"),
    "surrogate-bytes": (b'name: "\xed\xa0\x80"\n', 2, "is not UTF-8"),
    "surrogate-escapes": (GUARD.replace("name: guard", 'name: "\\ud800"').encode(), 1, r"style\.yaml:2:"),
    "nul": (GUARD.replace("name: guard", "name: gu\0ard").encode(), 1, r"style\.yaml:2:"),
    "tabs": (GUARD.replace("    target", "\ttarget").encode(), 1, r"style\.yaml:7:"),
    "empty": (b"", 0, "no problems"),  # every new file is empty for a moment
    "one-brace": (b"{", 1, r"style\.yaml:1:"),
    "deep-list": (b"[" * 10_000, 1, r"style\.yaml:1:"),
    "deep-map": (b"spec: style/v0.3\nx: " + b"{a: " * 10_000, 1, r"style\.yaml:2:"),
    "deep-block": (b"\n".join(b" " * level + b"a:" for level in range(1_500)), 1, r"style\.yaml:"),
    "bomb": (
        GUARD.encode()
        + b"x-0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        + b"".join(b"x-%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 12)),
        None,
        "",
    ),
    "long-line": (GUARD.encode() + b"x-a: " + b"y" * 2_000_000 + b"\n", 0, ""),
    "only-cr": (GUARD.replace("\n", "\r").encode(), 0, ""),
    "bom": (b"\xef\xbb\xbf" + GUARD.encode(), 0, ""),
    "utf16": (b"\xff\xfe" + GUARD.encode("utf-16-le"), 0, ""),
    "paragraph-separators": (GUARD.replace("a test", "a\u2028test\u2029\u0085").encode(), None, ""),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_inputs_get_one_clear_answer(project: Path, name: str) -> None:
    data, code, wanted = HOSTILE[name]
    put(project / "style.yaml", data)
    ran = rulewright("check", "style.yaml", cwd=project, memory=600 << 20, RULEWRIGHT_RAISE="1")
    output = ran.out + ran.err
    assert "Traceback" not in output
    assert ran.code in ((0, 1) if code is None else (code,)), output[:2000]
    assert re.search(wanted, output)
    assert len(output) < 20_000


def test_hostile_places(project: Path, run: Run) -> None:
    (project / "folder.style.yaml").mkdir()
    (project / "broken.style.yaml").symlink_to("nowhere")
    os.mkfifo(project / "fifo.style.yaml")
    for name, wanted in (
        ("folder.style.yaml", "`folder.style.yaml` is a folder, not a file"),
        ("broken.style.yaml", "`broken.style.yaml` is a link to a file that is not there"),
        ("fifo.style.yaml", "`fifo.style.yaml` is a pipe or a device, not a file"),
    ):
        ran = run("check", name)
        assert ran.code == 2
        assert wanted in ran.err.replace(f"{project}/", "")
    ran = run("check")
    assert ran.code == 2
    assert "broken.style.yaml" in ran.err
    assert "fifo.style.yaml" in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(project: Path, run: Run) -> None:
    put(project / "a.style.yaml", GUARD).chmod(0)
    ran = run("check", "a.style.yaml")
    assert ran.code == 2
    assert "no permission" in ran.err
