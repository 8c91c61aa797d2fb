"""Putting the packages of a project into a harness, and taking them out again.

An installation is three files: the compiled index and the lock in `<project>/.style/`, and one hook entry for each native
event in the harness's own settings. The settings belong to the user: they are edited as text, and every byte that is not
ours stays. Everything is planned first as a list of changes and then written; if one write fails, the others are undone.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import rulewright
from rulewright import analysis, files, harness
from rulewright.checking import Severity
from rulewright.compiler import compile_index, events_of, hook_command
from rulewright.errors import RulewrightError
from rulewright.files import Source
from rulewright.model import Document
from rulewright.settings import STYLE_FOLDER, Settings, index_path, state_folder
from rulewright.syntax import json_edit, tree, yaml_reader
from rulewright.syntax.json_edit import JsonArray, JsonFault, JsonObject
from rulewright.text.edits import Edit, apply_edits
from rulewright.text.language import Text, same
from rulewright.workspace import (
    CheckedFile,
    DocumentFacts,
    Outcome,
    facts_of,
    find_packages,
    not_a_rule_file,
    read_document,
    read_text_file,
    show_path,
    workspace_findings,
)

LOCK_NAME = "style.lock.yaml"
LOCK_VERSION = 1
MARKER = "rulewright.hook_entry"
"""What every command line of ours holds; together with the path of the index it tells our entries from all others."""

SCOPES = ("project",)
# The harnesses whose files can be edited; the tables of the others wait for it.
INSTALLABLE = ("claude-code",)


@dataclass(frozen=True, slots=True)
class Change:
    """One file to write: its bytes before and after; None means that there is no file."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Installed:
    """A package in the lock. `path` is relative to the project, `hash` that of the file."""

    name: str
    version: str
    path: str
    hash: str


@dataclass(frozen=True, slots=True)
class Before:
    """What the settings looked like where we changed them, so that `uninstall` can give them back to the byte.

    file: the settings file was there. folders: those that we made, outermost first, relative to the project.
    keys: dotted places of the containers that we added. blanks: what stood between the brackets of containers that
    were empty, by dotted place.
    """

    file: bool = True
    folders: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    blanks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lock:
    """One installation as `style.lock.yaml` remembers it. Paths are relative to the project."""

    harness: str
    scope: str
    index: str
    settings: str
    commands: Mapping[str, str]
    packages: tuple[Installed, ...]
    before: Before


@dataclass(frozen=True, slots=True)
class Plan:
    """What an installation or its removal will do. `remove_folders` are removed at the end if they are empty.

    state: the folder of per-user state, made with mode 0700.
    """

    root: str
    changes: tuple[Change, ...]
    events: tuple[str, ...] = ()
    packages: tuple[Installed, ...] = ()
    make_folders: tuple[str, ...] = ()
    remove_folders: tuple[str, ...] = ()
    state: str | None = None
    notes: tuple[Text, ...] = ()


class PackagesRefused(RulewrightError):
    """Packages have errors: those of `outcome`."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(
            Text("packages with errors are not installed", "有错误的规则包不能安装"),
            Text("nothing was changed", "没有改动任何内容"),
        )
        self.outcome = outcome


# Plans


def plan_install(settings: Settings, name: str, scope: str = "project") -> Plan:
    """Return what it takes to install the packages of a project; no changes where all is as it should be.

    Raises:
        PackagesRefused: a package has an error, also one that settings or a comment silence.
        RulewrightError: there are no packages, a file cannot be read, or the settings file is not one to edit safely.
    """
    refuse_unknown(name, scope)
    documents = read_packages(settings)
    index_file = index_path(settings.root, name)
    lock_path = os.path.join(settings.root, STYLE_FOLDER, LOCK_NAME)
    index = compile_packages([document for document, _ in documents], name)
    wanted = {
        native: harness.codec(name).handler(hook_command(name, state_folder(), index_file, native))
        for native in events_of(index)
    }
    locks = read_lock(lock_path)
    old = next((lock for lock in locks if (lock.harness, lock.scope) == (name, scope)), None)
    settings_path = settings_file(settings.root, name, scope)
    source = _read_or_none(settings_path)
    before = _before(settings.root, settings_path, source, old)
    text = source.text if source is not None else "{}\n"
    ours = Ours(index_file, frozenset(old.commands.values()) if old else frozenset())
    after, before = edit_settings(text, harness.codec(name).CONFIG_KEY, wanted, ours, before, show_path(settings_path))
    packages = tuple(
        Installed(
            document.package.name.text(),
            document.package.version.text(),
            _relative(document.path, settings.root),
            files.digest(data),
        )
        for document, data in documents
    )
    lock = Lock(
        harness=name,
        scope=scope,
        index=_relative(index_file, settings.root),
        settings=_relative(settings_path, settings.root),
        commands={native: handler["command"] for native, handler in wanted.items()},
        packages=packages,
        before=before,
    )
    kept = [other for other in locks if other is not old]
    changes = [
        Change(index_file, _bytes_or_none(index_file), index),
        Change(lock_path, _bytes_or_none(lock_path), write_lock([*kept, lock]).encode()),
    ]
    if wanted or source is not None:
        form = source or Source("")
        changes.append(Change(settings_path, None if source is None else form.encode(text), form.encode(after)))
    folders = [os.path.dirname(change.path) for change in changes]
    return Plan(
        settings.root,
        tuple(change for change in changes if change.before != change.after),
        events=tuple(wanted),
        packages=packages,
        make_folders=tuple(dict.fromkeys(folders)),
        state=state_folder(),
        notes=_notes(after),
    )


def plan_uninstall(settings: Settings, name: str, scope: str = "project") -> Plan:
    """Return what it takes to take an installation out; no changes where there is none.

    Our entries are also found without the lock; then what we added around them cannot be told from the user's own and
    stays.

    Raises:
        RulewrightError: a file cannot be read, or the settings file is not one to edit safely.
    """
    refuse_unknown(name, scope)
    root = settings.root
    index_file = index_path(root, name)
    lock_path = os.path.join(root, STYLE_FOLDER, LOCK_NAME)
    locks = read_lock(lock_path)
    old = next((lock for lock in locks if (lock.harness, lock.scope) == (name, scope)), None)
    settings_path = os.path.join(root, old.settings) if old else settings_file(root, name, scope)
    before = old.before if old else Before()
    changes: list[Change] = []
    source = _read_or_none(settings_path)
    if source is not None:
        key = harness.codec(name).CONFIG_KEY
        ours = Ours(index_file, frozenset(old.commands.values()) if old else frozenset())
        after, _ = edit_settings(source.text, key, {}, ours, before, show_path(settings_path))
        empty = not before.file and json_edit.data_of(json_edit.parse(after)) == {}
        changes.append(Change(settings_path, source.encode(source.text), None if empty else source.encode(after)))
    kept = [lock for lock in locks if lock is not old]
    lock_bytes = _bytes_or_none(lock_path)
    if lock_bytes is not None:
        changes.append(Change(lock_path, lock_bytes, write_lock(kept).encode() if kept else None))
    index_bytes = _bytes_or_none(index_file)
    if index_bytes is not None:
        changes.append(Change(index_file, index_bytes, None))
    return Plan(
        root,
        tuple(change for change in changes if change.before != change.after),
        events=tuple(old.commands) if old else (),
        packages=old.packages if old else (),
        remove_folders=tuple(os.path.join(root, folder) for folder in reversed(before.folders)),
    )


def apply(plan: Plan) -> None:
    """Write the changes of a plan, in its order. If one fails, those before it are undone.

    Raises:
        RulewrightError: a file cannot be written, or has changed since the plan was made.
    """
    made: list[str] = []
    done: list[Change] = []
    finished = False
    try:
        if plan.state is not None:
            files.make_folder(plan.state, 0o700)
        for folder in plan.make_folders:
            made.extend(files.make_folder(folder))
        for change in plan.changes:
            if _bytes_or_none(change.path) != change.before:
                raise RulewrightError(
                    Text("`{path}` has changed in the meantime", "`{path}` 在此期间被改动过").format(path=change.path),
                    Text("run the command again", "请重新运行该命令"),
                )
            done.append(change)
            _put(change.path, change.after)
        finished = True
    finally:
        if not finished:
            _undo(done, made)
    for folder in plan.remove_folders:
        files.remove_empty_folder(folder)


def _undo(done: Sequence[Change], made: Sequence[str]) -> None:
    # Each file gets its chance, whatever the one before it did; the first error is the one to tell of.
    for change in reversed(done):
        try:
            if _bytes_or_none(change.path) != change.before:
                _put(change.path, change.before)
        except RulewrightError:
            continue
    for folder in reversed(made):
        files.remove_empty_folder(folder)


def _put(path: str, data: bytes | None) -> None:
    if data is None:
        files.remove_file(path)
    else:
        files.write_atomically(path, data)


# Packages


def read_packages(settings: Settings) -> list[tuple[Document, bytes]]:
    """Read and check the packages of a project; each with the bytes of its file.

    Raises:
        PackagesRefused: one has an error; severities of the settings do not count here.
        RulewrightError: there is none, or one cannot be read.
    """
    paths = find_packages(settings)
    if not paths:
        raise RulewrightError(
            Text("there are no packages in `{folder}`", "`{folder}` 中没有规则包").format(
                folder=show_path(os.path.join(settings.root, STYLE_FOLDER))
            ),
            Text(
                "put one there, or name it under `packages` in rulewright.toml",
                "请把规则包放到那里，或写进 rulewright.toml 的 `packages`",
            ),
        )
    return read_documents(paths, settings)


def read_documents(paths: Sequence[str], settings: Settings) -> list[tuple[Document, bytes]]:
    """Read and check the packages at absolute paths, as `read_packages`, in the given order.

    Raises:
        PackagesRefused: one has an error.
        RulewrightError: one cannot be read or is no rule file.
    """
    strict = replace(settings, severity={})
    found: list[tuple[Document, bytes]] = []
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        data = files.read_bytes(path)
        document = read_document(path, files.decode(data, show_path(path)).text, strict)
        if document is None:
            raise not_a_rule_file(show_path(path))
        found.append((document, data))
    extras = workspace_findings([analysis.summarize(document) for document, _ in found], strict)
    faulty: list[CheckedFile] = []
    for document, data in found:
        # A comment can silence a message, but not make a faulty rule run: so here none counts.
        bare = replace(document, tree=replace(document.tree, comments=[]))
        result = analysis.analyze(bare, strict, facts_of(document))
        # Two packages of one name cannot both be installed: here that warning is an error.
        clashes = [replace(finding, severity=Severity.ERROR) for finding in extras.get(document.path, ())]
        findings = analysis.in_order([*(f for f in result.findings if f.severity == Severity.ERROR), *clashes])
        if findings:
            shown = show_path(document.path)
            facts = DocumentFacts(document.format, document.lines)
            summary = analysis.summarize(document)
            faulty.append(CheckedFile(document.path, shown, files.decode(data, shown), facts, findings, summary))
    if faulty:
        raise PackagesRefused(Outcome(tuple(faulty), (), {file.path: file for file in faulty}))
    return found


def compile_packages(documents: Sequence[Document], name: str) -> bytes:
    """Return the index of packages that have no errors, with the text files they name.

    Raises:
        RulewrightError: a rule cannot be compiled.
    """
    try:
        return compile_index(documents, name, _text_file)
    except ValueError as error:
        raise RulewrightError(
            Text("the packages cannot be compiled: {why}", "无法编译规则包：{why}").format(why=same(str(error))),
            Text("nothing was changed", "没有改动任何内容"),
        ) from error


def _text_file(document: Document, value: str) -> str | None:
    return read_text_file(os.path.dirname(document.path), value)


# The settings of the harness


def settings_file(root: str, name: str, scope: str) -> str:
    """Return the absolute path of the settings that hold the hooks. Source: harnesses.md section 3."""
    _, folder, file = harness.codec(name).CONFIG[scope]
    return os.path.join(root, folder, file)


@dataclass(frozen=True, slots=True)
class Ours:
    """How to tell our hook entries from all others: by the index in their command line, or by the lock.

    commands: command lines as an earlier installation wrote them, perhaps before the project was moved.
    """

    index: str
    commands: frozenset[str] = frozenset()

    def owns(self, handler: object) -> bool:
        """Tell whether an installation of this project wrote a handler of the settings."""
        command = handler.get("command") if isinstance(handler, dict) else None
        if not isinstance(command, str) or MARKER not in command:
            return False
        if command in self.commands:
            return True
        try:
            words = shlex.split(command)
        except ValueError:
            return False
        return any(word.replace("\\", "/") == self.index.replace("\\", "/") for word in words)


def edit_settings(
    text: str, key: str, wanted: Mapping[str, Mapping[str, object]], ours: Ours, before: Before, shown: str
) -> tuple[str, Before]:
    """Return the text with exactly the wanted entries of ours, and what was there before.

    An entry that is right already stays where it is. New ones go to the end of their event's list (harnesses.md section
    3: never above others). What is not ours is not touched.

    Args:
        key: the key of the hooks in the settings. wanted: handlers by native event; empty takes all of ours out.
        shown: the file's name for messages.
    Raises:
        RulewrightError: the text is not JSON that can be edited safely.
    """
    root = _parse_settings(text, key, shown)
    hooks = root.members.get(key)
    for native in [] if hooks is None else list(cast("JsonObject", hooks).members):
        text, before = _edit_event(text, key, native, wanted.get(native), ours, before, shown)
    for native, handler in wanted.items():
        text, before = _add_event(text, key, native, handler, ours, before, shown)
    return text, before


def _edit_event(
    text: str, key: str, native: str, wanted: Mapping[str, object] | None, ours: Ours, before: Before, shown: str
) -> tuple[str, Before]:
    """Take the entries of ours at one event out, but for one that is as it should be."""
    kept = False
    group_number = 0
    removed = False
    while True:
        groups = cast("JsonArray", _at(_parse_settings(text, key, shown), (key, native)))
        if group_number >= len(groups.items):
            break
        group = groups.items[group_number]
        handlers = group.members.get("hooks") if isinstance(group, JsonObject) else None
        if not isinstance(group, JsonObject) or not isinstance(handlers, JsonArray):
            group_number += 1
            continue
        data = [json_edit.data_of(item) for item in handlers.items]
        mine = [number for number, handler in enumerate(data) if ours.owns(handler)]
        if wanted is not None and not kept and len(mine) == 1 == len(data) == len(group.members) and data[0] == wanted:
            kept = True
            group_number += 1
        elif not mine:
            group_number += 1
        elif len(mine) == len(data):
            text = _checked(text, json_edit.remove_item(text, groups, group_number), shown)
            removed = True
        else:
            text = _checked(text, json_edit.remove_item(text, handlers, mine[-1]), shown)
            removed = True
    if removed and not kept and wanted is None:
        text, before = _drop_if_empty(text, key, (key, native), before, shown)
        text, before = _drop_if_empty(text, key, (key,), before, shown)
        root = _parse_settings(text, key, shown)
        if not root.members and "" in before.blanks:
            text = _fill_blank(text, root, before.blanks[""])
    return text, before


def _add_event(
    text: str, key: str, native: str, handler: Mapping[str, object], ours: Ours, before: Before, shown: str
) -> tuple[str, Before]:
    root = _parse_settings(text, key, shown)
    hooks = root.members.get(key)
    if isinstance(hooks, JsonObject) and native in hooks.members:
        groups = json_edit.data_of(hooks.members[native])
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks") if isinstance(group, dict) else None
            if isinstance(handlers, list) and any(ours.owns(item) for item in handlers):
                return text, before
    group = {"hooks": [dict(handler)]}
    if hooks is None:
        before = _remember(before, text, root, "", f"{key}", f"{key}.{native}")
        edit = json_edit.add_member(text, root, key, {native: [group]})
    elif native not in cast("JsonObject", hooks).members:
        before = _remember(before, text, cast("JsonObject", hooks), key, f"{key}.{native}")
        edit = json_edit.add_member(text, cast("JsonObject", hooks), native, [group])
    else:
        groups_node = cast("JsonArray", cast("JsonObject", hooks).members[native])
        before = _remember(before, text, groups_node, f"{key}.{native}")
        edit = json_edit.add_item(text, groups_node, group)
    return _checked(text, edit, shown), before


def _remember(before: Before, text: str, container: JsonObject | JsonArray, place: str, *added: str) -> Before:
    """Note the containers that we add, and the white space inside one that was empty."""
    empty = not (container.members if isinstance(container, JsonObject) else container.items)
    blanks = dict(before.blanks)
    if empty and place not in before.keys and place not in blanks:
        blanks[place] = text[container.span.start + 1 : container.span.end - 1]
    return replace(before, keys=tuple(dict.fromkeys((*before.keys, *added))), blanks=blanks)


def _drop_if_empty(text: str, key: str, place: tuple[str, ...], before: Before, shown: str) -> tuple[str, Before]:
    """Remove a container that is empty now and that we had added; give one that was empty before its blanks back."""
    root = _parse_settings(text, key, shown)
    parent = root if len(place) == 1 else root.members.get(key)
    if not isinstance(parent, JsonObject) or place[-1] not in parent.members:
        return text, before
    container = parent.members[place[-1]]
    name = ".".join(place)
    full = (
        container.members
        if isinstance(container, JsonObject)
        else container.items
        if isinstance(container, JsonArray)
        else [1]
    )
    if full:
        return text, before
    if name in before.keys:
        text = _checked(text, json_edit.remove_member(text, parent, place[-1]), shown)
        return text, replace(before, keys=tuple(other for other in before.keys if other != name))
    if name in before.blanks:
        return _fill_blank(text, cast("JsonObject", container), before.blanks[name]), before
    return text, before


def _fill_blank(text: str, container: JsonObject | JsonArray, blank: str) -> str:
    return text[: container.span.start + 1] + blank + text[container.span.end - 1 :]


def _checked(text: str, edit: Edit, shown: str) -> str:
    """Apply an edit and make sure that what comes out is JSON."""
    after = apply_edits(text, [edit])
    try:
        json_edit.parse(after)
    except JsonFault as fault:
        raise RulewrightError(
            Text("`{path}` cannot be edited safely: {why}", "无法安全地编辑 `{path}`：{why}").format(
                path=shown, why=fault.message
            ),
            Text("nothing was changed", "没有改动任何内容"),
        ) from fault
    return after


def _parse_settings(text: str, key: str, shown: str) -> JsonObject:
    try:
        root = json_edit.parse(text)
    except JsonFault as fault:
        raise RulewrightError(
            Text(
                "`{path}:{line}` is not JSON that can be edited safely: {why}",
                "`{path}:{line}` 不是能安全编辑的 JSON：{why}",
            ).format(path=shown, line=fault.line, why=fault.message),
            Text("mend it first; nothing was changed", "请先修正；没有改动任何内容"),
        ) from fault
    place = "the settings"
    if isinstance(root, JsonObject):
        hooks = root.members.get(key)
        if hooks is None:
            return root
        place = f"`{key}`"
        if isinstance(hooks, JsonObject):
            wrong = [name for name, groups in hooks.members.items() if not isinstance(groups, JsonArray)]
            if not wrong:
                return root
            place = f"`{key}.{wrong[0]}`"
            raise _wrong_shape(shown, place, Text("a list", "列表"))
    raise _wrong_shape(shown, place, Text("an object", "对象"))


def _wrong_shape(shown: str, place: str, wanted: Text) -> RulewrightError:
    return RulewrightError(
        Text("`{path}`: {place} must be {wanted}", "`{path}`：{place} 必须是{wanted}").format(
            path=shown, place=same(place), wanted=wanted
        ),
        Text("mend it first; nothing was changed", "请先修正；没有改动任何内容"),
    )


def _at(root: JsonObject, place: tuple[str, ...]) -> json_edit.JsonNode:
    node: json_edit.JsonNode = root
    for name in place:
        node = cast("JsonObject", node).members[name]
    return node


def _before(root: str, path: str, source: Source | None, old: Lock | None) -> Before:
    if old is not None and source is not None:
        return old.before
    folder = os.path.dirname(path)
    missing = [] if os.path.isdir(folder) else [_relative(folder, root)]
    style = os.path.join(root, STYLE_FOLDER)
    if not os.path.isdir(style):
        missing.append(STYLE_FOLDER)
    if old is not None:
        missing = list(dict.fromkeys((*old.before.folders, *missing)))
    return Before(file=source is not None, folders=tuple(missing))


def _notes(text: str) -> tuple[Text, ...]:
    data = json_edit.data_of(json_edit.parse(text))
    if isinstance(data, dict) and data.get("disableAllHooks") is True:
        return (
            Text(
                "`disableAllHooks` is set in the settings: no hook runs until it is removed",
                "设置中有 `disableAllHooks`：删除之前任何 hook 都不会运行",
            ),
        )
    return ()


# The lock


def read_lock(path: str) -> list[Lock]:
    """Return the installations that a lock names; none where there is no lock.

    Raises:
        RulewrightError: it is there but cannot be read, or is not what we write.
    """
    source = _read_or_none(path)
    if source is None:
        return []
    found = yaml_reader.read_yaml(source.text)
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
        "installs": [
            {
                "harness": lock.harness,
                "scope": lock.scope,
                "index": lock.index,
                "settings": lock.settings,
                "commands": dict(lock.commands),
                "packages": [
                    {"name": item.name, "version": item.version, "path": item.path, "hash": item.hash}
                    for item in lock.packages
                ],
                "before": {
                    "file": lock.before.file,
                    "folders": list(lock.before.folders),
                    "keys": list(lock.before.keys),
                    "blanks": dict(lock.before.blanks),
                },
            }
            for lock in sorted(locks, key=lambda lock: (lock.harness, lock.scope))
        ],
    }
    return "# Written by `rulewright install`; `rulewright uninstall` needs it.\n" + "\n".join(_yaml(data, "")) + "\n"


def _locks_of(data: Any) -> list[Lock]:
    if data["lock"] != LOCK_VERSION:
        raise KeyError("lock")
    return [
        Lock(
            harness=str(item["harness"]),
            scope=str(item["scope"]),
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
        )
        for item in data["installs"]
    ]


def _yaml(data: object, indent: str) -> list[str]:
    """Write plain data as block YAML; strings always in double quotes, so that no reader takes them for anything else."""
    rows: list[str] = []
    if isinstance(data, dict):
        for key, value in data.items():
            name = key if key.isidentifier() and key.isascii() else _quoted(key)
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
    parts = []
    for char in text:
        code = ord(char)
        if char in '"\\':
            parts.append("\\" + char)
        elif 0x20 <= code < 0x7F or (code >= 0xA0 and char.isprintable()):
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


# Small things


def refuse_unknown(name: str, scope: str) -> None:
    """Refuse a harness or scope that there is no code for.

    Raises:
        RulewrightError: with what is supported.
    """
    if name not in INSTALLABLE:
        raise RulewrightError(
            Text("installing into `{name}` is not supported", "不支持安装到 `{name}`").format(name=name),
            Text("supported: {names}", "支持的有：{names}").format(names=", ".join(INSTALLABLE)),
        )
    if scope not in SCOPES:
        raise RulewrightError(
            Text("the scope `{scope}` is not supported", "不支持作用域 `{scope}`").format(scope=scope),
            Text("supported: {names}", "支持的有：{names}").format(names=", ".join(SCOPES)),
        )


def _read_or_none(path: str) -> Source | None:
    return files.read_source(path) if os.path.lexists(path) else None


def _bytes_or_none(path: str) -> bytes | None:
    return files.read_bytes(path) if os.path.lexists(path) else None


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")
