"""The settings of a project: `rulewright.toml`, or `[tool.rulewright]` in `pyproject.toml`, as frozen data.

Knows no check and no format. Whoever has the list of codes (workspace) says which codes under `[severity]` are unknown.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rulewright import files, harness
from rulewright.errors import RulewrightError
from rulewright.text.language import LANGUAGES, Lang, Text, same
from rulewright.text.spelling import nearest

SeverityName = Literal["error", "warning", "info", "hint", "off"]
SEVERITY_NAMES: tuple[SeverityName, ...] = ("error", "warning", "info", "hint", "off")

FILE_NAME = "rulewright.toml"
PYPROJECT = "pyproject.toml"
TABLE = "tool.rulewright"
STYLE_FOLDER = ".style"
INDEX_SUFFIX = ".index"
FOYA_RULES = os.path.join(".foya", "rules")
CHAINS_FILE = os.path.join(".openclaude", "hook-chains.json")

_LISTS = ("packages", "harnesses", "exclude")
# Read by the parts of hook chains and telemetry that they belong to (cli.md, Files); here only their type counts.
TABLES = ("launch", "warm", "otel", "chains", "foya")
KEYS = (*_LISTS, "lang", "severity", *TABLES)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project has set. Paths and globs are relative to `root`, with `/`.

    root: the absolute folder of the project. source: the file they were read from, None where there is none.
    packages: globs of rule files or folders besides `.style/`. exclude: globs of what is never read.
    lang: None follows the locale. severity: by code, what replaces the check's own severity.
    tables: the settings that belong to other parts, by table name, as read.
    """

    root: str = "."
    source: str | None = None
    packages: tuple[str, ...] = ()
    harnesses: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    lang: Lang | None = None
    severity: Mapping[str, SeverityName] = field(default_factory=dict)
    severity_lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


def home_folder() -> str:
    """Return the absolute path of the user's home folder."""
    return os.path.abspath(os.path.expanduser("~"))


def index_path(root: str, name: str) -> str:
    """Return the absolute path of the index that an installation into a harness writes, beside the lock (cli.md, Files)."""
    return os.path.join(root, STYLE_FOLDER, index_name(name))


def index_name(name: str) -> str:
    """Return the file name of the index for a harness."""
    return name + INDEX_SUFFIX


def state_folder() -> str:
    """Return the absolute folder of per-user state: `$RULEWRIGHT_HOME`, else the platform's. It need not exist."""
    chosen = os.environ.get("RULEWRIGHT_HOME")
    if not chosen:
        import platformdirs

        chosen = platformdirs.user_state_dir("rulewright", appauthor=False)
    return os.path.abspath(chosen)


def find_project_root(path: str) -> str:
    """Return the absolute folder of the project that a file or folder belongs to.

    It is the nearest folder at or above it with settings, looked for up to the folder with `.git`; else the nearest
    one with a `.style` or `.foya/rules` folder or hook chains; else the one with `.git`; else the folder itself. Those of the
    home folder are the user's own and make no project. Like git, the search does not climb into a folder that
    `GIT_CEILING_DIRECTORIES` lists (git's manual, environment variables).
    """
    return _find_root(path)[0]


def in_project(path: str) -> bool:
    """Tell whether a file or folder lies in a project: whether anything marks a root at or above it."""
    return _find_root(path)[1]


def _find_root(path: str) -> tuple[str, bool]:
    start = os.path.abspath(path)
    if not os.path.isdir(start):
        start = os.path.dirname(start)
    home = home_folder()
    listed = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {os.path.abspath(path) for path in listed if os.path.isabs(path)}
    with_packages: str | None = None
    folder = start
    while True:
        if os.path.isfile(os.path.join(folder, FILE_NAME)) or _pyproject_has_table(os.path.join(folder, PYPROJECT)):
            return folder, True
        if with_packages is None and folder != home and _has_rules(folder):
            with_packages = folder
        is_repository = os.path.exists(os.path.join(folder, ".git"))
        parent = os.path.dirname(folder)
        if is_repository or parent == folder or parent in ceilings:
            break
        folder = parent
    if with_packages is not None:
        return with_packages, True
    return (folder, True) if is_repository else (start, False)


def _has_rules(folder: str) -> bool:
    return any(os.path.isdir(os.path.join(folder, name)) for name in (STYLE_FOLDER, FOYA_RULES)) or os.path.isfile(
        os.path.join(folder, CHAINS_FILE)
    )


def load_settings(root: str) -> Settings:
    """Read the settings of the project at `root`; defaults where there are none. `rulewright.toml` wins over pyproject.

    Raises:
        RulewrightError: a file that cannot be read, is no TOML, or has an unknown key or a value of a wrong type. The
            message begins with file and line.
    """
    path = os.path.join(root, FILE_NAME)
    if os.path.lexists(path):
        return parse_settings(files.read_source(path).text, root, path)
    path = os.path.join(root, PYPROJECT)
    if _pyproject_has_table(path):
        return parse_settings(files.read_source(path).text, root, path)
    return Settings(root=os.path.abspath(root))


def parse_settings(text: str, root: str, path: str) -> Settings:
    """Read settings from the text of `path`; a file named `pyproject.toml` is read below `[tool.rulewright]`.

    Raises:
        RulewrightError: as `load_settings`.
    """
    shown = os.path.relpath(path, root)
    try:
        data: dict[str, object] = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise _toml_error(shown, str(error)) from error
    except RecursionError as error:
        raise RulewrightError(_at(shown, 1, Text("nested too deep", "嵌套太深"))) from error
    prefix = ""
    if os.path.basename(path) == PYPROJECT:
        tool = data.get("tool")
        table = tool.get("rulewright", {}) if isinstance(tool, dict) else {}
        if not isinstance(table, dict):
            raise RulewrightError(
                _at(
                    shown,
                    _line_of(text, TABLE.split(".")),
                    Text("`tool.rulewright` must be a table", "`tool.rulewright` 必须是一个表"),
                )
            )
        data = table
        prefix = TABLE
    reader = _Reader(text, shown, prefix)
    for key in data:
        if key not in KEYS:
            raise reader.unknown_key(key)
    return Settings(
        root=os.path.abspath(root),
        source=path,
        packages=reader.globs(data, "packages"),
        harnesses=reader.harnesses(data),
        exclude=reader.globs(data, "exclude"),
        lang=reader.language(data),
        severity=reader.severity(data),
        severity_lines={code: reader.line("severity", code) for code in _table_keys(data.get("severity"))},
        tables={name: reader.table(data, name) for name in TABLES if name in data},
    )


class _Reader:
    """Takes typed values out of the parsed table and names the line of what is wrong."""

    def __init__(self, text: str, shown: str, prefix: str) -> None:
        self.text = text
        self.shown = shown
        self.prefix = prefix

    def line(self, *path: str) -> int:
        """Return the one-based line of a key; that of its table, or 1, where it is written in a way not looked for."""
        parts = ([*self.prefix.split(".")] if self.prefix else []) + list(path)
        return _line_of(self.text, parts)

    def error(self, message: Text, *path: str, hint: Text | None = None) -> RulewrightError:
        return RulewrightError(_at(self.shown, self.line(*path), message), hint)

    def unknown_key(self, key: str) -> RulewrightError:
        guess = nearest(key, KEYS)
        hint = (
            Text("did you mean `{guess}`?", "是不是 `{guess}`？").format(guess=guess)
            if guess
            else Text("known are {keys}", "可用的有 {keys}").format(keys=", ".join(KEYS))
        )
        return self.error(Text("unknown setting `{key}`", "未知的设置 `{key}`").format(key=key), key, hint=hint)

    def wrong_type(self, key: str, wanted: Text, *path: str) -> RulewrightError:
        message = Text("`{key}` must be {wanted}", "`{key}` 必须是{wanted}").format(key=key, wanted=wanted)
        return self.error(message, *(path or (key,)))

    def strings(self, data: dict[str, object], key: str) -> tuple[str, ...]:
        value = data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong_type(key, Text("a list of strings", "字符串列表"))
        return tuple(value)

    def globs(self, data: dict[str, object], key: str) -> tuple[str, ...]:
        found = self.strings(data, key)
        for glob in found:
            if not glob.strip() or "\0" in glob:
                raise self.error(Text("`{key}` has an empty glob", "`{key}` 中有空的通配").format(key=key), key)
        return found

    def harnesses(self, data: dict[str, object]) -> tuple[str, ...]:
        known = harness.NAMES
        names = self.strings(data, "harnesses")
        for name in names:
            if name not in known:
                raise self.error(
                    Text("unknown harness `{name}`", "未知的 harness `{name}`").format(name=name),
                    "harnesses",
                    hint=Text("known are {names}", "可用的有 {names}").format(names=", ".join(known)),
                )
        return names

    def language(self, data: dict[str, object]) -> Lang | None:
        value = data.get("lang")
        if value is None:
            return None
        if value not in LANGUAGES:
            choices = Text("`en` or `zh-CN`", " `en` 或 `zh-CN`")
            raise self.wrong_type("lang", choices)
        return value

    def table(self, data: dict[str, object], key: str) -> dict[str, object]:
        value = data.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong_type(key, Text("a table", "一个表"))
        return value

    def severity(self, data: dict[str, object]) -> dict[str, SeverityName]:
        found: dict[str, SeverityName] = {}
        for code, value in self.table(data, "severity").items():
            if value not in SEVERITY_NAMES:
                choices = Text("one of {names}", " {names} 之一").format(names=", ".join(SEVERITY_NAMES))
                raise self.wrong_type(f"severity.{code}", choices, "severity", code)
            found[code] = value
        return found


def _at(shown: str, line: int, message: Text) -> Text:
    return Text("{shown}:{line}: {message}", "{shown}:{line}: {message}").format(
        shown=shown, line=line, message=message
    )


def _toml_error(shown: str, reason: str) -> RulewrightError:
    # tomllib writes `What (at line 3, column 5)` or `What (at end of document)`.
    match = re.search(r"^(.*?) \(at (?:line (\d+), column \d+|end of document)\)$", reason, re.DOTALL)
    what = match[1] if match else reason
    place = f"{shown}:{match[2]}" if match and match[2] else shown
    return RulewrightError(
        Text("{place}: not TOML: {what}", "{place}: 不是有效的 TOML：{what}").format(place=place, what=same(what))
    )


def _table_keys(value: object) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _pyproject_has_table(path: str) -> bool:
    text = files.read_text_or_none(path) if os.path.isfile(path) else None
    if text is None or "rulewright" not in text:
        return False
    try:
        tool = tomllib.loads(text).get("tool")
    except (tomllib.TOMLDecodeError, RecursionError):
        # Broken, but meant for us: then reading it says what is wrong. Any other broken pyproject is not our concern.
        return re.search(r"(?m)^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*rulewright\b", text) is not None
    return isinstance(tool, dict) and "rulewright" in tool


_HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?")
_KEY_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.|=|$)""")


def _line_of(text: str, path: list[str]) -> int:
    """Return the one-based line where the key `path` is written; the best approximation for unusual spellings."""
    table: list[str] = []
    best, best_length = 1, 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        header = _HEADER.fullmatch(line)
        if header:
            table = _key_parts(header[1])
            here = table
        else:
            parts = _key_parts(line)
            if not parts:
                # An inline table: `severity = { block-after = "x" }` is found by its own key above.
                continue
            here = table + parts
        shared = len(here) if path[: len(here)] == here else 0
        if shared > best_length:
            best, best_length = number, shared
            if shared == len(path):
                break
    return best


def _key_parts(text: str) -> list[str]:
    parts: list[str] = []
    at = 0
    while match := _KEY_PART.match(text, at):
        parts.append(next(group for group in match.groups()[:3] if group is not None))
        at = match.end()
        if match[4] != ".":
            return parts
    return []
