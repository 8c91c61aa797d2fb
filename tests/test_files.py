"""Files: encodings, faults that have a message, and writes that are whole or do not happen."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as under
from hypothesis import strategies as st

from rulewright import files
from rulewright.errors import RulewrightError


def message(path: Path) -> str:
    with pytest.raises(RulewrightError) as caught:
        files.read_source(str(path))
    assert caught.value.message.zh
    return caught.value.message.en


@pytest.mark.parametrize(
    ("data", "encoding", "bom"),
    [
        (b"a: \xe4\xb8\xad\r\n", "utf-8", b""),
        (b"\xef\xbb\xbfa: \xe4\xb8\xad\r\n", "utf-8", b"\xef\xbb\xbf"),
        (b"\xff\xfe" + "a: 中\r\n".encode("utf-16-le"), "utf-16-le", b"\xff\xfe"),
        (b"\xfe\xff" + "a: 中\r\n".encode("utf-16-be"), "utf-16-be", b"\xfe\xff"),
    ],
)
def test_encodings_are_read_and_written_back(tmp_path: Path, data: bytes, encoding: str, bom: bytes) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    source = files.read_source(str(path))
    assert (source.text, source.encoding, source.bom) == ("a: 中\r\n", encoding, bom)
    assert source.encode(source.text) == data


@under(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_any_text_survives(text: str, encoding: files.Encoding) -> None:
    bom = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[encoding]
    data = files.Source("", encoding, bom).encode(text)
    assert files.decode(data, "x").text == text


def test_faults_of_bytes_say_where(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"abc\xff def")
    assert "is not UTF-8: bad byte at offset 3" in message(path)
    path.write_bytes(b"\xef\xbb\xbfabc\xff")
    assert "offset 6" in message(path)
    path.write_bytes(b"abc \xed\xa0\x80")  # half of a surrogate pair
    assert "offset 4" in message(path)
    path.write_bytes(b"\xff\xfea")
    assert "is not UTF-16" in message(path)
    path.write_bytes("spec: style/v0.3".encode("utf-16-le"))
    assert "is not a text file" in message(path)
    path.write_bytes(os.urandom(64) + bytes(64) + b"\xff")
    assert "is not a text file" in message(path)


def test_one_nul_is_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"spec: style/v0.3\nname: a\0b\n")
    assert "\0" in files.read_source(str(path)).text


def test_faults_of_places_have_messages(tmp_path: Path) -> None:
    assert "there is no" in message(tmp_path / "none.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert "is a folder" in message(tmp_path / "folder.yaml")
    (tmp_path / "broken.yaml").symlink_to(tmp_path / "nowhere")
    assert "is a link to a file that is not there" in message(tmp_path / "broken.yaml")
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    assert "leads to itself" in message(tmp_path / "loop.yaml")
    (tmp_path / "file").write_text("")
    assert "cannot be read" in message(tmp_path / "file" / "below.yaml")
    assert "cannot be read" in message(Path("nul\0.yaml"))
    assert "pipe or a device" in message(Path("/dev/zero"))


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "fifo.yaml"
    os.mkfifo(path)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(message(path)), daemon=True)
    thread.start()
    thread.join(5)
    assert found
    assert "pipe or a device" in found[0]


def test_a_long_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    with path.open("wb") as file:
        file.truncate(50_000_000_000)
    assert "50000000000 bytes long, the limit is 5000000" in message(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a")
    path.chmod(0)
    assert "no permission" in message(path)


def test_writing_keeps_mode_and_link(tmp_path: Path) -> None:
    target = tmp_path / "real" / "a.yaml"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(target)
    files.write_atomically(str(link), b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(target.parent) == ["a.yaml"]


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        files.write_atomically(str(tmp_path / "a"), b"x")
        files.write_atomically(str(tmp_path / "b"), b"x", 0o600)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o600


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RulewrightError, match="No space left on device"):
        files.write_atomically(str(path), b"new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.yaml"]


def test_interrupted_writes_leave_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically(str(tmp_path / "a.yaml"), b"new")
    assert os.listdir(tmp_path) == []


def test_writing_to_odd_places_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulewrightError, match="is a folder"):
        files.write_atomically(str(tmp_path), b"x")
    with pytest.raises(RulewrightError, match="cannot be written"):
        files.write_atomically(str(tmp_path / "none" / "a"), b"x")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(RulewrightError, match="pipe or a device"):
        files.write_atomically(str(tmp_path / "fifo"), b"x")


def test_folders_are_made_and_named(tmp_path: Path) -> None:
    made = files.make_folder(str(tmp_path / "a" / "b"), 0o700)
    assert made == [str(tmp_path / "a"), str(tmp_path / "a" / "b")]
    assert files.make_folder(str(tmp_path / "a")) == []
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    (tmp_path / "f").write_text("")
    with pytest.raises(RulewrightError, match="is not a folder"):
        files.make_folder(str(tmp_path / "f"))
    assert not files.remove_empty_folder(str(tmp_path / "a"))
    assert files.remove_empty_folder(str(tmp_path / "a" / "b"))


def test_a_lone_surrogate_cannot_be_written() -> None:
    with pytest.raises(RulewrightError, match="surrogate"):
        files.Source("").encode("\ud800")
