"""The installed client: which version it is. The only place of `installing` that runs another program, but for `examining`."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

from rulewright.errors import RulewrightError
from rulewright.text.language import Text

VERSION_TIMEOUT = 10.0
"""Seconds for `--version`. Our own limit [R]: a Node program takes one or two on a slow machine."""

_NUMBERS = re.compile(r"\d+\.\d+\.\d+")


def client_version(codec: Any) -> str | None:
    """Return the version of the client that is on the PATH, as `1.2.3`; None where it cannot be found out."""
    command = codec.VERSION_COMMAND
    program = shutil.which(command[0]) if command else None
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = _NUMBERS.search(done.stdout.decode("utf-8", "replace"))
    return match[0] if match else None


def is_version(text: str) -> bool:
    """Tell whether a text is a version such as `2.1.295`."""
    return _NUMBERS.fullmatch(text) is not None


def at_least(version: str, since: str) -> bool:
    """Tell whether a version is another or newer, by its numbers."""
    return _numbers(version) >= _numbers(since)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def refuse_fail_closed(codec: Any, version: str | None, *, vouched: bool) -> None:
    """Refuse `--fail-closed` where the client has no such thing, or is too old for it.

    Args:
        version: as the user states it; None asks the client. vouched: an earlier installation was sure of it: then a client
            that is not there is no reason to refuse.
    Raises:
        RulewrightError: with what is needed. Source: the seed, `fail` [S].
    """
    if not codec.FAIL_CLOSED:
        raise RulewrightError(UNSUPPORTED.format(name=codec.NAME), RULE_LEVEL)
    if version is not None and not is_version(version):
        raise RulewrightError(
            Text("`{version}` is not a version such as {since}", "`{version}` 不是 {since} 这样的版本号").format(
                version=version, since=codec.FAIL_CLOSED_SINCE
            )
        )
    found = version or client_version(codec)
    if found is None:
        if vouched:
            return
        raise RulewrightError(
            UNKNOWN.format(command=" ".join(codec.VERSION_COMMAND), name=codec.NAME, since=codec.FAIL_CLOSED_SINCE),
            STATE_IT,
        )
    if not at_least(found, codec.FAIL_CLOSED_SINCE):
        raise RulewrightError(
            TOO_OLD.format(name=codec.NAME, since=codec.FAIL_CLOSED_SINCE, version=found),
            TURN_OFF if vouched else UPDATE,
        )


UNSUPPORTED = Text(
    "`--fail-closed` is not possible in `{name}`: only claude-code denies a call when its hook fails",
    "`{name}` 不支持 `--fail-closed`：只有 claude-code 能在 hook 失败时拒绝调用",
)
RULE_LEVEL = Text(
    "`fail: closed` in a rule works without it; nothing was changed",
    "规则里的 `fail: closed` 不需要它即可生效；没有改动任何内容",
)
UNKNOWN = Text(
    "`--fail-closed` needs {name} {since} or newer, and `{command}` does not say which version is here",
    "`--fail-closed` 需要 {name} {since} 或更高版本，而 `{command}` 没有给出版本",
)
STATE_IT = Text(
    "state it with `--client-version`; nothing was changed", "请用 `--client-version` 指明版本；没有改动任何内容"
)
TOO_OLD = Text(
    "`--fail-closed` needs {name} {since} or newer, here is {version}",
    "`--fail-closed` 需要 {name} {since} 或更高版本，当前是 {version}",
)
UPDATE = Text("update the client first; nothing was changed", "请先升级；没有改动任何内容")
TURN_OFF = Text(
    "update the client, or install with `--no-fail-closed`; nothing was changed",
    "请升级，或用 `--no-fail-closed` 安装；没有改动任何内容",
)
