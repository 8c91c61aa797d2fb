"""Putting packages into a harness, and taking them out again.

An installation is the compiled index and the lock, one hook entry for each native event in the host's own file, and a
managed block in the host's instruction file where there are static rules. The host's files belong to the user: they are
edited as text, every byte that is not ours stays, and a copy from before the first change is kept in the state folder.
Everything is planned first as a list of changes and then written; if one write fails, the others are undone.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright import files
from rulewright.compiler import events_of, hook_command, library_folders
from rulewright.errors import RulewrightError
from rulewright.files import Source
from rulewright.installing.beside import (
    Beside,
    approval,
    approved_commands,
    beside_packages,
    due,
    faulty_rules,
)
from rulewright.installing.changes import (
    PRIVATE_FILE,
    Change,
    Plan,
    apply,
    bytes_or_none,
    source_or_none,
)
from rulewright.installing.clients import refuse_fail_closed
from rulewright.installing.host_faults import host_faults
from rulewright.installing.host_file import (
    MARKER,
    Ours,
    arguments_of,
    command_of,
    data_of,
    edit_host_file,
    handlers_of,
    shape_of,
)
from rulewright.installing.instructions import block_of, put_block, take_block
from rulewright.installing.lockfile import LOCK_NAME, Before, Block, Installed, Lock, read_lock, write_lock
from rulewright.installing.packages import (
    PackagesRefused,
    RulesRefused,
    compile_packages,
    read_documents,
    read_packages,
    refuse_unplannable,
    static_texts,
)
from rulewright.installing.places import (
    SCOPES,
    USER,
    Place,
    backup_folder,
    backup_path,
    lock_paths,
    place_of,
    refuse_unknown,
)
from rulewright.model import Document
from rulewright.settings import STYLE_FOLDER, Settings, state_folder
from rulewright.text.language import Text
from rulewright.workspace import show_path

__all__ = [
    "LOCK_NAME",
    "MARKER",
    "SCOPES",
    "Beside",
    "Block",
    "Change",
    "Installed",
    "Lock",
    "PackagesRefused",
    "Place",
    "Plan",
    "RulesRefused",
    "apply",
    "beside_packages",
    "compile_packages",
    "installed",
    "place_of",
    "plan_install",
    "plan_sync",
    "plan_uninstall",
    "read_documents",
    "read_lock",
    "refuse_unknown",
]


def plan_install(
    settings: Settings,
    name: str,
    scope: str = "project",
    *,
    fail_closed: bool | None = None,
    client_version: str | None = None,
) -> Plan:
    """Return what it takes to install the packages of a place; no changes where all is as it should be.

    Args:
        settings: of the project; for the scope `user` the packages are those of `~/.style/`.
        fail_closed: None keeps what an earlier installation was told. client_version: as the user states it, None asks.
    Raises:
        PackagesRefused: a package has an error, also one that settings or a comment silence.
        RulesRefused: the harness cannot do what a rule asks of it.
        RulewrightError: there are no packages, a file cannot be read, or a host's file is not one to edit safely.
    """
    place = place_of(settings, name, scope)
    codec = place.codec
    locks = read_lock(place.lock)
    old = _lock_of(locks, name, scope)
    closed = fail_closed if fail_closed is not None else old is not None and old.fail_closed
    if closed:
        refuse_fail_closed(codec, client_version, vouched=fail_closed is None)
    beside = due(place, settings, old)
    documents = read_packages(place.settings, may_be_none=bool(beside))
    packages = [document for document, _ in documents]
    refuse_unplannable(packages, name)
    index = compile_packages(packages, name, foya=beside.foya, chains=beside.chains)
    wanted = handlers(place, events_of(index), beside, fail_closed=closed)

    # A variable of the harness may name another folder than it did then.
    moved = old is not None and place.absolute(old.settings) != os.path.normpath(place.host)
    host = _host_change(place, wanted, old)
    block = _block_change(place, packages, locks, old)
    commands = {native: str(handler[codec.COMMAND_KEY]) for native, handler in wanted.items()}
    installed_packages = tuple(_installed(place, document, data) for document, data in documents)
    before = replace(host.before, folders=tuple(dict.fromkeys((*host.before.folders, *block.folders))))
    lock = Lock(
        harness=name,
        scope=scope,
        index=place.relative(place.index),
        settings=place.relative(place.host),
        commands=commands,
        packages=installed_packages,
        before=before,
        fail_closed=closed,
        block=block.block,
        foya=beside.foya,
        chains=beside.chains,
    )
    # Others that share the index have these packages now.
    kept = [
        replace(other, packages=installed_packages, foya=beside.foya, chains=beside.chains)
        if other.index == lock.index
        else other
        for other in locks
        if other is not old
    ]
    # The host's file comes last: an entry must never name an index that is not there yet.
    mode = PRIVATE_FILE if scope == USER else None
    approvals = approval(settings, given=True) if beside.chains else []
    changes = [
        *host.copies,
        *block.copies,
        *approvals,
        Change(place.index, bytes_or_none(place.index), index, "data", mode),
        Change(place.lock, bytes_or_none(place.lock), write_lock([*kept, lock]).encode(), mode=mode),
        *block.changes,
        *host.changes,
        *(_host_removal(place, place.absolute(old.settings), old) if old is not None and moved else []),
    ]
    folders = [os.path.dirname(change.path) for change in changes if change.kind != "copy"]
    private = [backup_folder()] if any(change.kind == "copy" for change in changes) else []
    states = (state_folder(), *private, *(os.path.dirname(change.path) for change in approvals))
    return Plan(
        name,
        scope,
        place.root,
        tuple(change for change in changes if change.before != change.after),
        events=tuple(wanted),
        packages=installed_packages,
        make_folders=tuple(dict.fromkeys(folder for folder in folders if folder not in states)),
        private_folders=states,
        notes=(
            *_notes(place, host.data, wanted, closed=closed, changed=bool(host.changes)),
            *(faulty_rules(settings) if beside.foya else ()),
            *(approved_commands(settings) if approvals else ()),
        ),
        foya=beside.foya,
        chains=beside.chains,
    )


def plan_uninstall(settings: Settings, name: str, scope: str = "project") -> Plan:
    """Return what it takes to take an installation out; no changes where there is none.

    Our entries are also found without the lock; then what we added around them cannot be told from the user's own and stays.
    The entries go first: some hosts deny every call once a hook that they still name is gone.

    Raises:
        RulewrightError: a file cannot be read, or a host's file is not one to edit safely.
    """
    place = place_of(settings, name, scope)
    locks = read_lock(place.lock)
    old = _lock_of(locks, name, scope)
    before = old.before if old else Before()
    host = place.absolute(old.settings) if old else place.host
    changes = _host_removal(place, host, old)
    copies: list[Change] = []
    kept = _heirs([lock for lock in locks if lock is not old], before.folders)
    changes.extend(_block_removal(place, kept, old))
    for change in list(changes):
        copy = backup_path(change.path)
        saved = bytes_or_none(copy)
        if saved is not None and saved == change.after:
            copies.append(Change(copy, saved, None, "copy"))
    index_bytes = bytes_or_none(place.index)
    if index_bytes is not None and not any(lock.index == place.relative(place.index) for lock in kept):
        changes.append(Change(place.index, index_bytes, None, "data"))
    if old is not None and old.chains and not any(lock.chains for lock in kept):
        changes.extend(approval(settings, given=False))
    lock_bytes = bytes_or_none(place.lock)
    if lock_bytes is not None and old is not None:
        changes.append(Change(place.lock, lock_bytes, write_lock(kept).encode() if kept else None))
    changes = [change for change in (*changes, *copies) if change.before != change.after]
    return Plan(
        name,
        scope,
        place.root,
        tuple(changes) if any(change.kind != "copy" for change in changes) else (),
        events=tuple(old.commands) if old else (),
        packages=old.packages if old else (),
        remove_folders=(*(place.absolute(folder) for folder in reversed(before.folders)), backup_folder()),
    )


def _host_removal(place: Place, host: str, old: Lock | None) -> list[Change]:
    """Return the change that takes our entries out of a host's file; none where the file is not there."""
    source = source_or_none(host)
    if source is None:
        return []
    before = old.before if old else Before()
    shape, shown = shape_of(place.codec), show_path(host)
    data = data_of(source.text, shape, shown)
    text, _ = edit_host_file(source.text, shape, {}, ours_of(place, data, old), before, shown)
    gone = not before.file and shape.is_bare(data_of(text, shape, shown))
    return [Change(host, source.encode(source.text), None if gone else source.encode(text))]


def _heirs(kept: list[Lock], folders: Sequence[str]) -> list[Lock]:
    """Return the installations that stay; one of them takes over which folders are to go once they are empty."""
    if not kept or not folders:
        return kept
    first = kept[0]
    both = tuple(dict.fromkeys((*folders, *first.before.folders)))
    return [replace(first, before=replace(first.before, folders=both)), *kept[1:]]


def plan_sync(settings: Settings, lock: Lock) -> Plan:
    """Return what it takes to bring an installation up to date with its packages, with the options that the lock remembers.

    Raises:
        RulewrightError: as `plan_install`.
    """
    return plan_install(settings, lock.harness, lock.scope)


def installed(settings: Settings, scope: str | None = None, names: Sequence[str] = ()) -> list[Lock]:
    """Return what is installed: in the project, then for the user.

    Args:
        scope: only this one. names: only these harnesses; all where empty.
    Raises:
        RulewrightError: a lock cannot be read.
    """
    found = [lock for path in lock_paths(settings).values() for lock in read_lock(path)]
    return [lock for lock in found if scope in (None, lock.scope) and (not names or lock.harness in names)]


def handlers(place: Place, events: Sequence[str], beside: Beside, *, fail_closed: bool) -> dict[str, dict[str, Any]]:
    """Return the handlers that an installation has in the host's file, by native event."""
    codec = place.codec
    libraries = library_folders() if beside else ()
    found: dict[str, dict[str, Any]] = {}
    for native in events:
        closed = fail_closed and native in codec.FAIL_CLOSED_EVENTS
        command = hook_command(
            place.harness,
            state_folder(),
            place.index,
            native,
            timeout=codec.HOOK_TIMEOUT,
            fail_closed=closed,
            libraries=libraries,
        )
        found[native] = codec.handler(command, codec.HOOK_TIMEOUT, native) | (codec.FAIL_CLOSED if closed else {})
    return found


def ours_of(place: Place, data: object, lock: Lock | None) -> Ours:
    """Return how to tell our entries in a host's file: of this place, or of this place before it was moved.

    Entries of other projects that are still there are not ours, even in this file.
    """
    gone = set()
    for _, handler in handlers_of(data, shape_of(place.codec)):
        command = command_of(handler)
        words = None if command is None else arguments_of(command)
        if words is not None and words[0] == place.harness and _is_gone(words[2], place):
            gone.add(words[2])
    return Ours(place.index, frozenset(lock.commands.values()) if lock else frozenset(), frozenset(gone))


def _is_gone(index: str, place: Place) -> bool:
    # Only one that lay as ours does: a project's in `.style/`, a user's elsewhere.
    in_project = index.split("/")[-2:] == [STYLE_FOLDER, os.path.basename(place.index)]
    same_kind = in_project if place.scope != USER else os.path.basename(index) == os.path.basename(place.index)
    return same_kind and not os.path.exists(index)


class _HostChange:
    """What becomes of the host's file of hooks. `data`: its plain value afterwards."""

    __slots__ = ("before", "changes", "copies", "data")

    def __init__(self, before: Before, changes: list[Change], copies: list[Change], data: object) -> None:
        self.before = before
        self.changes = changes
        self.copies = copies
        self.data = data


def _host_change(place: Place, wanted: Mapping[str, Mapping[str, object]], old: Lock | None) -> _HostChange:
    shape, shown = shape_of(place.codec), show_path(place.host)
    source = source_or_none(place.host)
    text = source.text if source is not None else shape.new_text()
    data = data_of(text, shape, shown)
    faults = list(host_faults(data, place.codec))
    if faults:
        raise RulewrightError(
            Text("{name} ignores `{path}` as it is: {why}", "{name} 会忽略现在的 `{path}`：{why}").format(
                name=place.harness, path=shown, why=faults[0]
            ),
            Text("mend it first; nothing was changed", "请先修正；没有改动任何内容"),
        )
    ours = ours_of(place, data, old)
    present = any(ours.owns(handler) for _, handler in handlers_of(data, shape))
    before = _before(place, source, old if present else None, old)
    after, before = edit_host_file(text, shape, wanted, ours, before, shown)
    copies = []
    changes = []
    if wanted or source is not None:
        was = None if source is None else source.encode(text)
        change = Change(place.host, was, (source or Source("")).encode(after))
        if change.before != change.after:
            changes.append(change)
            if was is not None and not present:
                copies.append(_copy(place.host, was))
    return _HostChange(before, changes, copies, data_of(after, shape, shown))


def _copy(path: str, data: bytes) -> Change:
    copy = backup_path(path)
    return Change(copy, bytes_or_none(copy), data, "copy", PRIVATE_FILE)


def _before(place: Place, source: Source | None, known: Lock | None, old: Lock | None) -> Before:
    """Return how the host's file looks before we change it; what the lock says, if our entries are in the file already."""
    if known is not None and source is not None:
        return known.before
    missing = _missing_folders(place, os.path.dirname(place.host), os.path.dirname(place.lock))
    if old is not None:
        missing = list(dict.fromkeys((*old.before.folders, *missing)))
    return Before(file=source is not None, folders=tuple(missing))


def _missing_folders(place: Place, *folders: str) -> list[str]:
    """Return the folders that will have to be made, outermost first; not the folder of per-user state, which stays."""
    found: list[str] = []
    for folder in folders:
        chain = []
        at = folder
        while not os.path.isdir(at) and at not in (place.root, state_folder()):
            chain.append(place.relative(at))
            at = os.path.dirname(at)
        found.extend(name for name in reversed(chain) if name not in found)
    return found


class _BlockChange:
    """What becomes of the host's instruction file."""

    __slots__ = ("block", "changes", "copies", "folders")

    def __init__(
        self, block: Block | None, changes: list[Change], copies: list[Change], folders: Sequence[str] = ()
    ) -> None:
        self.block = block
        self.changes = changes
        self.copies = copies
        self.folders = tuple(folders)


def _block_change(place: Place, documents: Sequence[Document], locks: Sequence[Lock], old: Lock | None) -> _BlockChange:
    texts = static_texts(documents, place.harness)
    if not texts:
        others = [lock for lock in locks if lock is not old]
        return _BlockChange(None, _block_removal(place, others, old), [])
    if place.instructions is None:
        raise RulewrightError(
            Text(
                "{name} has no instruction file for the scope `{scope}`, where static rules would go",
                "{name} 在作用域 `{scope}` 没有指令文件，静态规则无处可写",
            ).format(name=place.harness, scope=place.scope),
            Text("install with another scope; nothing was changed", "请换一个作用域安装；没有改动任何内容"),
        )
    path = place.instructions
    moved: list[Change] = []
    if old is not None and old.block is not None and not _same_file(place.absolute(old.block.path), path):
        # The host reads another file now: one that takes precedence has come or gone.
        moved = _block_removal(place, [lock for lock in locks if lock is not old], old)
    shown = show_path(path)
    source = source_or_none(path)
    written = block_of(texts)
    text, lead = put_block("" if source is None else source.text, written, shown)
    known = _block_of(place, path, locks)
    copies: list[Change] = []
    was = None if source is None else source.encode(source.text)
    if lead is not None:
        block = Block(place.relative(path), source is None, lead)
        if was is not None:
            copies.append(_copy(path, was))
    else:
        block = Block(place.relative(path), known.made if known else False, known.lead if known else "")
    change = Change(path, was, (source or Source("")).encode(text))
    changes = [*moved, change] if change.before != change.after else moved
    return _BlockChange(block, changes, copies, _missing_folders(place, os.path.dirname(path)))


def _block_removal(place: Place, others: Sequence[Lock], old: Lock | None) -> list[Change]:
    """Return the change that takes our block out, none where there is none or another installation keeps it."""
    block = old.block if old is not None else None
    path = place.absolute(block.path) if block is not None else place.instructions
    if path is None or _block_of(place, path, others) is not None:
        return []
    if block is None and old is not None:
        return []  # The lock says that there is none of ours.
    source = source_or_none(path)
    if source is None:
        return []
    text = take_block(source.text, block.lead if block else "", show_path(path))
    gone = block is not None and block.made and not text.strip()
    change = Change(path, source.encode(source.text), None if gone else source.encode(text))
    return [change] if change.before != change.after else []


def _block_of(place: Place, path: str, locks: Sequence[Lock]) -> Block | None:
    """Return what the lock knows of the block in a file, by whatever name the file goes."""
    return next(
        (lock.block for lock in locks if lock.block is not None and _same_file(place.absolute(lock.block.path), path)),
        None,
    )


def _same_file(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _installed(place: Place, document: Document, data: bytes) -> Installed:
    package = document.package
    return Installed(package.name.text(), package.version.text(), place.relative(document.path), files.digest(data))


def _lock_of(locks: Sequence[Lock], name: str, scope: str) -> Lock | None:
    return next((lock for lock in locks if (lock.harness, lock.scope) == (name, scope)), None)


# What the user should know


def _notes(
    place: Place, data: object, wanted: Mapping[str, Mapping[str, object]], *, closed: bool, changed: bool
) -> list[Text]:
    codec = place.codec
    found = [*switched_off(place, data), *kept_twice(place)]
    if closed and not set(wanted) & set(codec.FAIL_CLOSED_EVENTS):
        found.append(NOTHING_CLOSED.format(events=", ".join(codec.FAIL_CLOSED_EVENTS)))
    if changed and codec.TRUST == "handler":
        found.append(TRUST_HANDLERS.format(name=place.harness))
    if changed and codec.TAKES_EFFECT == "start":
        found.append(RESTART.format(name=place.harness))
    return found


def switched_off(place: Place, data: object) -> list[Text]:
    """Return what keeps all hooks of a host's file from running."""
    found: list[Text] = []
    settings = data if isinstance(data, dict) else {}
    hooks_config = settings.get("hooksConfig")
    if settings.get("disableAllHooks") is True:
        found.append(ALL_OFF.format(key="disableAllHooks", path=show_path(place.host)))
    if isinstance(hooks_config, dict) and hooks_config.get("enabled") is False:
        found.append(ALL_OFF.format(key="hooksConfig.enabled", path=show_path(place.host)))
    features = _table_beside(place).get("features")
    if isinstance(features, dict) and features.get("hooks") is False:
        found.append(ALL_OFF.format(key="features.hooks", path=show_path(_beside(place))))
    return found


def kept_twice(place: Place) -> list[Text]:
    """Return whether the host finds hooks in a second file of the same layer."""
    if not _table_beside(place).get("hooks"):
        return []
    return [TWO_FILES.format(path=show_path(_beside(place)), other=show_path(place.host), name=place.harness)]


def _beside(place: Place) -> str:
    return os.path.join(os.path.dirname(place.host), place.codec.CONFIG_BESIDE)


def _table_beside(place: Place) -> Mapping[str, object]:
    text = files.read_text_or_none(_beside(place)) if place.codec.CONFIG_BESIDE else None
    if text is None:
        return {}
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}  # The host says so itself, and it is not our file.


ALL_OFF = Text(
    "`{key}` in `{path}` turns all hooks off: none runs until it is removed",
    "`{path}` 中的 `{key}` 关闭了所有 hook：删除之前任何 hook 都不会运行",
)
TWO_FILES = Text(
    "`{path}` has a table `hooks` of its own: {name} joins it with `{other}` and warns; better keep all hooks in one of them",
    "`{path}` 中也有 `hooks` 表：{name} 会把它和 `{other}` 合并并给出警告；最好只保留一处",
)
NOTHING_CLOSED = Text(
    "no rule acts at {events}, so `--fail-closed` protects nothing yet",
    "没有规则作用于 {events}，所以 `--fail-closed` 暂时不起作用",
)
TRUST_HANDLERS = Text(
    "{name} runs new or changed hooks only once you trust them: start it and use `/hooks`",
    "{name} 只有在你信任之后才会运行新的或改动过的 hook：请启动它并使用 `/hooks`",
)
RESTART = Text("{name} reads its hooks when it starts: restart it", "{name} 在启动时读取 hook：请重新启动")
