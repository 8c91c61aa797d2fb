"""Files on disk: read them as text with their encoding, write them in one step. The only `open` of the engine outside hook/.

Knows nothing of rules. Every fault of the file system becomes a `RulewrightError` that names the file.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from typing import Literal

from rulewright.errors import RulewrightError
from rulewright.text.language import Text, same

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be"]

SIZE_LIMIT = 5_000_000
"""Bytes. Our own limit [R]: 5000 rules take 2.8 MB (performance.md), so real packages stay far below it."""

_BOMS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file and what is needed to write a changed text back in the same form.

    text: without the byte-order mark, line ends as they are. bom: the bytes of the mark, empty where there is none.
    """

    text: str
    encoding: Encoding = "utf-8"
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """Return the bytes of `text` with this file's mark and encoding.

        Raises:
            RulewrightError: the text holds a lone surrogate, which no encoding can carry.
        """
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise RulewrightError(
                Text(
                    "the text holds half of a surrogate pair and cannot be written", "文本中有不成对的代理项，无法写入"
                )
            ) from error


def read_source(path: str, limit: int = SIZE_LIMIT) -> Source:
    """Read a text file: UTF-8, UTF-8 with a mark, or UTF-16 with a mark.

    Raises:
        RulewrightError: there is no such file, it is a folder or a device, it cannot be read, it is longer than `limit`
            bytes, it is binary, or its bytes are not in the encoding (the message gives the byte offset).
    """
    return decode(read_bytes(path, limit), path)


def decode(data: bytes, name: str) -> Source:
    """Decode the bytes of a text; `name` is for messages only.

    Raises:
        RulewrightError: binary, or not in the encoding.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return Source(_decode(data[len(bom) :], encoding, len(bom), name), encoding, bom)
    # A few NULs in a text are a fault that the reader reports at its place; many mean that this is no text at all.
    if data[:8192].count(0) * 10 > len(data[:8192]):
        if data[1:2] == b"\0" or data[:1] == b"\0":
            hint = Text("if it is UTF-16, save it as UTF-8", "如果是 UTF-16，请另存为 UTF-8")
            raise RulewrightError(BINARY.format(path=name), hint)
        raise RulewrightError(BINARY.format(path=name))
    return Source(_decode(data, "utf-8", 0, name))


def _decode(data: bytes, encoding: Encoding, offset: int, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-8" and b"\0" in data[:8192]:
            raise RulewrightError(BINARY.format(path=name)) from error
        label = "UTF-8" if encoding == "utf-8" else "UTF-16"
        raise RulewrightError(
            NOT_ENCODED.format(path=name, label=label, offset=error.start + offset), SAVE_AS_UTF8
        ) from error


def read_bytes(path: str, limit: int = SIZE_LIMIT) -> bytes:
    """Read a regular file whole. Never waits on a FIFO or a device.

    Raises:
        RulewrightError: as `read_source`, but for the encoding.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _not_a_file(path)
        handle = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise file_error(path, error) from error
    try:
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):  # swapped since `stat`
                raise _not_a_file(path)
            data = b"" if status.st_size > limit else file.read(limit + 1)
            if status.st_size > limit or len(data) > limit:
                size = max(status.st_size, len(data))
                raise RulewrightError(TOO_LONG.format(path=path, size=size, limit=limit), SPLIT)
            return data
    except OSError as error:
        raise file_error(path, error) from error


def read_head(path: str, size: int) -> bytes:
    """Read the first `size` bytes of a regular file.

    Raises:
        RulewrightError: as `read_bytes`, but for the length.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _not_a_file(path)
        with open(os.open(path, flags), "rb") as file:
            return file.read(size)
    except (OSError, ValueError) as error:
        raise file_error(path, error) from error


def read_text_or_none(path: str) -> str | None:
    """Return the text of a file, or None where there is none that can be read."""
    try:
        return read_source(path).text
    except RulewrightError:
        return None


def write_atomically(path: str, data: bytes, mode: int | None = None) -> None:
    """Put `data` in the place of a file in one step: readers see the old bytes or the new ones, never a part.

    A symbolic link stays and its target is written. The mode of an existing file is kept; a new one gets `mode`, or what
    the umask leaves.

    Raises:
        RulewrightError: the folder or the file cannot be written, or the disk is full; the old file is untouched.
    """
    try:
        target = os.path.realpath(path, strict=False)
        before = _stat_or_none(target)
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise _not_a_file(path)
        if before is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        temporary = os.path.join(
            os.path.dirname(target), f".{os.path.basename(target)[:100]}.{os.urandom(6).hex()}.tmp"
        )
        new_mode = 0o666 if mode is None else mode
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags, new_mode)
    except (OSError, ValueError) as error:
        raise write_error(path, error) from error
    placed = False
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        if before is not None:
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
            _keep_owner(temporary, before)
        os.replace(temporary, target)
        placed = True
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        if not placed:  # also at Ctrl-C: leave no litter
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    _sync_folder(os.path.dirname(target))


def make_folder(path: str, mode: int = 0o777) -> list[str]:
    """Make a folder and the missing ones above it; return those that were made, the outermost first.

    Raises:
        RulewrightError: it cannot be made, or a file stands in its place.
    """
    missing = []
    at = os.path.abspath(path)
    while not os.path.lexists(at):
        missing.append(at)
        at = os.path.dirname(at)
    made = []
    for folder in reversed(missing):
        try:
            os.mkdir(folder, mode)
            made.append(folder)
        except FileExistsError:
            continue
        except OSError as error:
            raise write_error(folder, error) from error
    if not os.path.isdir(path):
        raise RulewrightError(Text("`{path}` is not a folder", "`{path}` 不是文件夹").format(path=path))
    return made


def remove_file(path: str) -> None:
    """Remove a file (of a symbolic link: the link); it is fine when it is gone already.

    Raises:
        RulewrightError: it cannot be removed.
    """
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise write_error(path, error) from error


def remove_empty_folder(path: str) -> bool:
    """Remove a folder if it is empty; tell whether it was removed."""
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True


def leads_above(path: str) -> bool:
    """Tell whether a path leads to a folder that it lies in: looking through that would find everything again."""
    target = os.path.realpath(path)
    try:
        return os.path.commonpath((target, os.path.realpath(os.path.dirname(path)))) == target
    except ValueError:  # another drive
        return False


def digest(data: bytes) -> str:
    """Return the hash by which locks name contents: `sha256:` and 64 hex digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def file_error(path: str, error: OSError | ValueError) -> RulewrightError:
    """Return the message for a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        if os.path.islink(path):
            return RulewrightError(
                Text("`{path}` is a link to a file that is not there", "`{path}` 是符号链接，指向的文件不存在").format(
                    path=path
                )
            )
        return RulewrightError(Text("there is no `{path}`", "`{path}` 不存在").format(path=path))
    if isinstance(error, PermissionError):
        return RulewrightError(
            Text("`{path}` cannot be read: no permission", "无法读取 `{path}`：没有权限").format(path=path)
        )
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return RulewrightError(
            Text("`{path}` is a link that leads to itself", "`{path}` 是指向自身的符号链接").format(path=path)
        )
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return RulewrightError(
        Text("`{path}` cannot be read: {reason}", "无法读取 `{path}`：{reason}").format(path=path, reason=same(reason))
    )


def write_error(path: str, error: OSError | ValueError) -> RulewrightError:
    """Return the message for a file that cannot be written."""
    if isinstance(error, PermissionError) or (isinstance(error, OSError) and error.errno == errno.EROFS):
        return RulewrightError(
            Text("`{path}` cannot be written: no permission", "无法写入 `{path}`：没有权限").format(path=path),
            Text("nothing was changed", "没有改动任何内容"),
        )
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return RulewrightError(
        Text("`{path}` cannot be written: {reason}", "无法写入 `{path}`：{reason}").format(
            path=path, reason=same(reason)
        ),
        Text("nothing was changed", "没有改动任何内容"),
    )


def _not_a_file(path: str) -> RulewrightError:
    if os.path.isdir(path):
        return RulewrightError(
            Text("`{path}` is a folder, not a file", "`{path}` 是文件夹，不是文件").format(path=path)
        )
    return RulewrightError(
        Text("`{path}` is a pipe or a device, not a file", "`{path}` 是管道或设备，不是普通文件").format(path=path)
    )


def _stat_or_none(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _keep_owner(path: str, before: os.stat_result) -> None:
    now = os.stat(path)
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with contextlib.suppress(OSError):
            os.chown(path, before.st_uid, before.st_gid)


def _sync_folder(path: str) -> None:
    # After the rename the data is safe; syncing the folder makes the rename itself survive a power cut, where it can.
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


BINARY = Text("`{path}` is not a text file", "`{path}` 不是文本文件")
NOT_ENCODED = Text(
    "`{path}` is not {label}: bad byte at offset {offset}", "`{path}` 不是 {label}：偏移 {offset} 处的字节无效"
)
SAVE_AS_UTF8 = Text("save it as UTF-8", "请另存为 UTF-8")
TOO_LONG = Text("`{path}` is {size} bytes long, the limit is {limit}", "`{path}` 有 {size} 字节，上限是 {limit}")
SPLIT = Text("split it into several files", "请拆成几个文件")
