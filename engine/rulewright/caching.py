"""What an event needs of Foya's rules and of hook chains, read with the whole engine and written as a cache.

The hook runs `main` in a child when a file has changed (`hook.cache`); the path of the cache and the folders come from there. What
is written is data. Commands that a project's settings name are in it only where the user has approved of them: by an installation,
or because he calls `rulewright` himself.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from rulewright import analysis, files, formats
from rulewright.errors import RulewrightError
from rulewright.formats.foya import MAX_FOLDERS, global_file
from rulewright.hook import cache
from rulewright.hook.activity_globs import longest_literal
from rulewright.hook.state import digest
from rulewright.settings import FILE_NAME, FOYA_RULES, PYPROJECT, Settings, load_settings, state_folder

_GRAIN = 20_000_000
"""Nanoseconds in which a file may change twice without another time of change: the clocks of file systems tick that slowly [R]."""

_ALIKE = 2
"""Characters at the beginning that make literals of the gate a group [R]: few enough for names, enough to be rare in a text."""

_COMMANDS = ("launch", "warm", "otel")
"""The tables of the settings that name what is run, and where telemetry is sent. Source: cli.md, Files."""


def foya_files(root: str) -> list[str]:
    """Return the absolute paths of a project's rule files, sorted."""
    return [path for path in _named_as_rules(root) if os.path.isfile(path)]


def _named_as_rules(root: str) -> list[str]:
    """Return what is named as a rule file, also where it cannot be read: a pipe, or a link that leads nowhere."""
    return [path for path in _walk(root) if path.lower().endswith(".md") and not os.path.isdir(path)]


def _walk(root: str) -> list[str]:
    """Return the folder of a project's rules and all below it, as far as Foya looks, sorted."""
    top = os.path.join(os.path.abspath(root), FOYA_RULES)
    found = [top]
    if files.leads_above(top):
        return found
    for at, folders, names in os.walk(top):
        folders.sort()
        found += [os.path.join(at, name) for name in (*folders, *names)]
        below = os.path.relpath(at, top)
        if below != os.curdir and below.count(os.sep) + 1 >= MAX_FOLDERS:
            folders.clear()
    return sorted(found)


# ------------------------------------------------------------------ commands of a project's settings


def approval_path(root: str, state: str | None = None) -> str:
    """Return where the hash of the approved commands of a project lies, in the folder of per-user state."""
    mark = hashlib.sha256(os.path.realpath(root).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return os.path.join(state or state_folder(), "approved", mark)


def commands_hash(settings: Settings) -> str:
    """Return the hash of what a project's settings name to be run; empty where they name nothing."""
    tables = {name: settings.tables[name] for name in _COMMANDS if settings.tables.get(name)}
    if not tables:
        return ""
    return hashlib.sha256(json.dumps(tables, sort_keys=True, default=str).encode()).hexdigest()


def commands_of(settings: Settings) -> list[str]:
    """Return what a project's settings name to be run, and where telemetry is sent, as texts."""
    found = []
    for name in _COMMANDS:
        for key, value in settings.tables.get(name, {}).items():
            if key == "command" and isinstance(value, list):
                found.append(" ".join(map(str, value)))
            else:
                found.append(f"{name}.{key} = {value}")
    return found


def is_approved(settings: Settings, state: str | None = None) -> bool:
    """Tell whether hooks may run what the settings name: nothing, or what was there at the last `install` or `sync`."""
    mark = commands_hash(settings)
    return not mark or files.read_text_or_none(approval_path(settings.root, state)) == mark


# ------------------------------------------------------------------ writing a cache


def main() -> None:
    """Write one cache: `foya PATH ROOT`, or `chains PATH ROOT CONFIG STATE TRUSTED`; leaves with 1 and a line where it cannot."""
    kind, path, *words = sys.argv[1:]
    try:
        if kind == "foya":
            write_foya(path, *words)
        else:
            write_chains(path, *words)
    except RulewrightError as error:
        sys.stderr.write(f"{error.to('en')}\n")
        raise SystemExit(1) from error


def write_foya(path: str, root: str) -> None:
    """Write the cache of the rules that hold in a project: the global ones and its own.

    A file that cannot be read now keeps the rules that were read from it last.

    Raises:
        RulewrightError: the cache cannot be written.
    """
    from rulewright.foya_set import compile_set, settings_strict
    from rulewright.workspace import as_rule_source

    looked_at = [global_file(), os.path.dirname(os.path.join(root, FOYA_RULES)), *_walk(root), *_settings_files(root)]
    manifest = _manifest(looked_at)
    notes: list[str] = []
    settings = _settings(root, notes)
    documents = []
    unreadable = set()
    shared = global_file()
    for file in dict.fromkeys([shared, *_named_as_rules(root)]):
        if file == shared and not os.path.lexists(file):
            continue
        try:
            text = as_rule_source(file, files.read_source(file)).text
        except RulewrightError as error:
            notes.append(error.to("en"))
            unreadable.add(file)
            continue
        document = analysis.read_as(formats.by_name("foya"), file, text)
        documents.append(document)
        if any(rule.broken for rule in document.foya.rules):
            unreadable.add(file)
    data: dict[str, Any] = dict(compile_set(documents))
    last = cache.read(path, "foya") if unreadable else cache.Loaded(path, None)
    strict = settings_strict(settings)
    if last.data is not None and not (strict or last.data["strict"]):
        before = [{**rule, "content": last.text(rule["text"])} for rule in last.data["rules"]]
        kept = [rule for rule in before if rule["path"] in unreadable]
        data["rules"] = _with_kept(data["rules"], kept, before)
        notes += [f"{file}: what was read last counts" for file in dict.fromkeys(rule["path"] for rule in kept)]
    texts: list[bytes] = []
    rules = [packed_rule(rule, texts, strict) for rule in data["program" if strict else "rules"]]
    packed = {"rules": rules, "strict": strict, "notes": [*data["notes"], *notes]}
    _write(path, "foya", manifest, packed, gate_of(rules, strict), b"".join(texts))


def gate_of(rules: Iterable[Mapping[str, Any]], strict: bool) -> bytes:
    """Return what lets an event know that no rule is awake; `hook.foya_rules.shut` reads it.

    `s` or `w` for the strict or the wide reading, `*` where a rule may be given whatever the activity text is, else `-`, and what
    must stand in the text for any of the others, one a line. What begins alike is a group, ended by an empty line and headed by
    what all of it begins with: a long activity is searched for that alone, however many rules there are.
    """
    lines: list[str] = []
    for rule in rules:
        if rule["trigger"] == "glob":
            lines += rule["parts"]
        elif rule["trigger"] == "manual":
            lines += [f"@{name}" for name in (rule["name"], rule["id"]) if name]
        else:
            lines.append("")
    free = any(not line or "\n" in line for line in lines)
    groups: dict[str, list[str]] = {}
    for line in () if free else sorted(set(lines)):
        groups.setdefault(line[:_ALIKE], []).append(line)
    rows = [
        os.path.commonprefix(group) + "\n" + "\n".join(group)  # noqa: RUF071 (texts, not paths)
        for group in groups.values()
    ]
    text = ("s" if strict else "w") + ("*" if free else "-") + "\n\n".join(rows)
    return text.encode("utf-8", "surrogatepass")


def packed_rule(rule: Mapping[str, Any], texts: list[bytes], strict: bool) -> dict[str, Any]:
    """Return a rule as the cache holds it, its text among the texts.

    text: its place. hash: of the text. parts: what must stand in an activity text for one of the globs to match.
    """
    content = rule["content"].encode("utf-8", "replace")
    found = {key: value for key, value in rule.items() if key != "content"}
    found |= {"text": [sum(map(len, texts)), len(content)], "hash": digest(rule["content"])}
    texts.append(content)
    if rule["trigger"] == "glob":
        globs = rule["globs"] if strict else [*rule["globs"], *(glob.replace("\\", "/") for glob in rule["globs"])]
        found["parts"] = list(dict.fromkeys(longest_literal(glob) for glob in globs))
    return found


def _with_kept(
    rules: list[dict[str, Any]], kept: list[dict[str, Any]], before: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return rules with those that are kept from before, each behind the one that it followed."""
    found = list(rules)
    names = [(rule["path"], rule["id"]) for rule in found]
    for rule in kept:
        name = (rule["path"], rule["id"])
        if name in names:
            continue
        at = before.index(rule)
        front = [names.index(one) for other in before[:at] if (one := (other["path"], other["id"])) in names]
        place = max(front, default=-1) + 1
        found.insert(place, rule)
        names.insert(place, name)
    return found


def write_chains(path: str, root: str, config: str, state: str, trusted: str) -> None:
    """Write the cache of a file of hook chains, with what the project's settings say of how they run.

    Args:
        root: the project's folder. config: the absolute path of the chains.
        state: the folder of per-user state. trusted: `1` where the commands of the settings may be run whoever wrote them.
    Raises:
        RulewrightError: the cache cannot be written.
    """
    from rulewright.formats.hook_chains.config import compiled

    manifest = _manifest([config, approval_path(root, state), *_settings_files(root)])
    notes: list[str] = []
    settings = _settings(root, notes)
    approved = trusted == "1" or is_approved(settings, state)
    data: dict[str, Any] = {"compiled": None, "tables": {}, "refused": not approved, "notes": notes}
    if os.path.lexists(config):
        try:
            text = files.read_source(config).text
        except RulewrightError as error:
            # Source: hook-chains.md section 1: an unreadable file is a disabled configuration.
            data["compiled"] = {"error": error.to("en"), "config": {"enabled": False, "rules": []}}
        else:
            data["compiled"] = compiled(analysis.read_as(formats.by_name("hook-chains"), config, text))
    data["tables"] = {name: table for name, table in settings.tables.items() if approved or name not in _COMMANDS}
    _write(path, "chains", manifest, data)


def _settings(root: str, notes: list[str]) -> Settings:
    try:
        return load_settings(root)
    except RulewrightError as error:
        notes.append(error.to("en"))
        return Settings(root=os.path.abspath(root))


def _settings_files(root: str) -> list[str]:
    return [os.path.join(root, FILE_NAME), os.path.join(root, PYPROJECT)]


def _manifest(paths: Iterable[str]) -> bytes:
    """Return the manifest of files and folders, taken before they are read: what changes later then differs from it.

    A file that was written just now is waited for, because a second change in the same tick would look like none.
    """
    names = [os.fsencode(os.path.abspath(path)) for path in dict.fromkeys(paths)]
    youngest = max((found for name in names if (found := _changed(name)) is not None), default=0)
    rest = _GRAIN - (time.time_ns() - youngest)
    if 0 < rest <= _GRAIN:
        time.sleep(rest / 1e9)
    return cache.manifest_of(names)


def _changed(name: bytes) -> int | None:
    try:
        return os.stat(name).st_mtime_ns
    except (OSError, ValueError):
        return None


def _write(
    path: str, kind: str, manifest: bytes, data: Mapping[str, Any], gate: bytes = b"", texts: bytes = b""
) -> None:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    files.make_folder(os.path.dirname(path), 0o700)
    files.write_atomically(path, cache.pack(kind, manifest, text.encode("utf-8", "replace"), gate, texts), 0o600)
