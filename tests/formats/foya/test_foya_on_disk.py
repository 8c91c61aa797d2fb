"""What only the bytes of a file show: a byte order mark, another encoding. As `check` and `fix` see it."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from rulewright.cli import main
from rulewright.workspace import check_paths

TEXT = "---\nid: review\ntrigger: manual\n---\nGo through the checklist.\n"


@pytest.fixture
def rule(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    path = tmp_path / ".foya" / "rules" / "review.md"
    path.parent.mkdir(parents=True)
    return path


def codes(path: Path) -> list[str]:
    outcome = check_paths([str(path)])
    assert outcome.failures == ()
    return [finding.code for file in outcome.files for finding in file.findings]


def test_a_byte_order_mark_is_found_and_removed(rule: Path) -> None:
    rule.write_bytes(codecs.BOM_UTF8 + TEXT.encode())
    assert codes(rule) == ["foya-frontmatter"]
    assert main(["fix", str(rule)]) == 0
    assert rule.read_bytes() == TEXT.encode()
    assert codes(rule) == []


def test_a_byte_order_mark_before_a_text_alone_is_kept(rule: Path) -> None:
    data = codecs.BOM_UTF8 + b"Be\xe2\x80\x8b brief.\n"
    rule.write_bytes(data)
    assert codes(rule) == ["hidden-character"]
    assert main(["fix", str(rule)]) == 0
    assert rule.read_bytes() == codecs.BOM_UTF8 + b"Be brief.\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_another_encoding_is_found(rule: Path, encoding: str) -> None:
    mark = codecs.BOM_UTF16_LE if encoding == "utf-16-le" else codecs.BOM_UTF16_BE
    rule.write_bytes(mark + TEXT.encode(encoding))
    assert codes(rule) == ["foya-encoding"]


def test_bytes_that_are_no_text_are_named_with_their_place(rule: Path) -> None:
    rule.write_bytes(TEXT.encode() + "修改".encode("gbk"))
    (failure,) = check_paths([str(rule)]).failures
    assert "UTF-8" in failure.error.message.en
    assert str(len(TEXT)) in failure.error.message.en
