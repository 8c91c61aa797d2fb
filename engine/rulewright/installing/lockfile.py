"""`style.lock.yaml`: what is installed where, with which options, and how the files looked where we changed them.

Knows the file only. Paths of a project's lock are relative to the project, so that a moved or cloned project keeps them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import rulewright
from rulewright import files
from rulewright.errors import RulewrightError
from rulewright.syntax import tree, yaml_reader
from rulewright.text.hidden import hidden_characters
from rulewright.text.language import Text
from rulewright.text.span import Span
from rulewright.workspace import show_path

LOCK_NAME = "style.lock.yaml"
LOCK_VERSION = 1
_YAML_WORDS = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")


@dataclass(frozen=True, slots=True)
class Installed:
    """A package in the lock. `hash` is that of its file."""

    name: str
    version: str
    path: str
    hash: str


@dataclass(frozen=True, slots=True)
class Before:
    """What the host's file looked like where we changed it, so that `uninstall` can give it back to the byte.

    file: it was there. folders: those that we made, outermost first. keys: dotted places of the containers that we added.
    blanks: what stood between the brackets of containers that were empty, by dotted place.
    """

    file: bool = True
    folders: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    blanks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Block:
    """Our block in the host's instruction file. `made`: the file is ours; `lead`: what we put between the user's text and it."""

    path: str
    made: bool
    lead: str


@dataclass(frozen=True, slots=True)
class Lock:
    """One installation. `commands`: the command line of each native event's entry. `block`: None where nothing is static.

    foya, chains: the hook gives Foya's rules, dispatches hook chains.
    """

    harness: str
    scope: str
    index: str
    settings: str
    commands: Mapping[str, str]
    packages: tuple[Installed, ...]
    before: Before
    fail_closed: bool = False
    block: Block | None = None
    foya: bool = False
    chains: bool = False


def read_lock(path: str) -> list[Lock]:
    """Return the installations that a lock names; none where there is no lock.

    Raises:
        RulewrightError: it is there but cannot be read, or is not what we write.
    """
    if not os.path.lexists(path):
        return []
    found = yaml_reader.read_yaml(files.read_source(path).text)
    data = _plain(found.root) if found.root is not None and not found.problems else None
    try:
        return _locks_of(data)
    except (KeyError, TypeError, AttributeError) as error:
        raise RulewrightError(
            Text("`{path}` is damaged or of another version", "`{path}` 已损坏或属于其他版本").format(
                path=show_path(path)
            ),
            Text("restore it, or delete it and install again", "请恢复该文件，或删除后重新安装"),
        ) from error


def write_lock(locks: Iterable[Lock]) -> str:
    """Return the text of a lock; the same for the same installations."""
    data = {
        "lock": LOCK_VERSION,
        "rulewright": rulewright.__version__,
        "installs": [_data_of(lock) for lock in sorted(locks, key=lambda lock: (lock.harness, lock.scope))],
    }
    return "# Written by `rulewright install`; `sync` and `uninstall` need it.\n" + "\n".join(_yaml(data, "")) + "\n"


def _data_of(lock: Lock) -> dict[str, object]:
    found: dict[str, object] = {
        "harness": lock.harness,
        "scope": lock.scope,
        "fail_closed": lock.fail_closed,
        "index": lock.index,
        "settings": lock.settings,
        "commands": dict(lock.commands),
        "packages": [
            {"name": item.name, "version": item.version, "path": item.path, "hash": item.hash} for item in lock.packages
        ],
        "before": {
            "file": lock.before.file,
            "folders": list(lock.before.folders),
            "keys": list(lock.before.keys),
            "blanks": dict(lock.before.blanks),
        },
    }
    found |= {name: True for name in ("foya", "chains") if getattr(lock, name)}
    if lock.block is not None:
        found["block"] = {"path": lock.block.path, "made": lock.block.made, "lead": lock.block.lead}
    return found


def _locks_of(data: Any) -> list[Lock]:
    if data["lock"] != LOCK_VERSION:
        raise KeyError("lock")
    return [
        Lock(
            harness=str(item["harness"]),
            scope=str(item["scope"]),
            fail_closed=item.get("fail_closed") is True,
            index=str(item["index"]),
            settings=str(item["settings"]),
            commands={str(native): str(command) for native, command in item["commands"].items()},
            packages=tuple(
                Installed(str(one["name"]), str(one["version"]), str(one["path"]), str(one["hash"]))
                for one in item["packages"]
            ),
            before=Before(
                bool(item["before"]["file"]),
                tuple(str(folder) for folder in item["before"]["folders"]),
                tuple(str(key) for key in item["before"]["keys"]),
                {str(place): str(blank) for place, blank in item["before"]["blanks"].items()},
            ),
            block=_block_of(item.get("block")),
            foya=item.get("foya") is True,
            chains=item.get("chains") is True,
        )
        for item in data["installs"]
    ]


def _block_of(data: Any) -> Block | None:
    return None if data is None else Block(str(data["path"]), bool(data["made"]), str(data["lead"]))


def _yaml(data: object, indent: str) -> list[str]:
    """Write plain data as block YAML; strings always in double quotes, so that no reader takes them for anything else."""
    rows: list[str] = []
    if isinstance(data, dict):
        for key, value in data.items():
            plain = key.isidentifier() and key.isascii() and key.islower() and key not in _YAML_WORDS
            name = key if plain else _quoted(key)
            rows.extend(_yaml_entry(f"{indent}{name}:", value, indent))
    elif isinstance(data, list):
        for value in data:
            inner = _yaml(value, indent + "  ")
            rows.append(f"{indent}- {inner[0].lstrip(' ')}")
            rows.extend(inner[1:])
    else:
        rows.append(indent + _yaml_scalar(data))
    return rows


def _yaml_entry(head: str, value: object, indent: str) -> list[str]:
    if isinstance(value, dict | list):
        if not value:
            return [f"{head} {'{}' if isinstance(value, dict) else '[]'}"]
        return [head, *_yaml(value, indent + "  ")]
    return [f"{head} {_yaml_scalar(value)}"]


def _yaml_scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _quoted(str(value))


def _quoted(text: str) -> str:
    """Write a string in double quotes; what cannot be seen is escaped, so that reading it back is no fault."""
    hidden = {at for run in hidden_characters(text, Span(0, len(text))) for at in range(run.start, run.end)}
    parts = []
    for at, char in enumerate(text):
        code = ord(char)
        if char in '"\\':
            parts.append("\\" + char)
        elif at not in hidden and (0x20 <= code < 0x7F or (code >= 0xA0 and char.isprintable())):
            parts.append(char)
        else:
            parts.append(f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}")
    return '"' + "".join(parts) + '"'


def _plain(node: tree.Node) -> object:
    found = tree.resolve(node)
    if isinstance(found, tree.Mapping):
        return {entry.key: _plain(entry.value) for entry in found.entries}
    if isinstance(found, tree.Sequence):
        return [_plain(item) for item in found.items]
    return found.value if isinstance(found, tree.Scalar) else None
