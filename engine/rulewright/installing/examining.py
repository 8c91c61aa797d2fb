"""Whether an installation works: what `doctor` finds out. Changes nothing, and what it runs touches no state.

Each entry is run exactly as the host would: its own command line, through the host's shell, in the project's folder. The event
it is given names a tool that nobody has and no session, so that the hook can remember nothing of it.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rulewright import analysis, caching, files, formats, harness
from rulewright.compiler import chain_events, events_of, remembers
from rulewright.errors import RulewrightError
from rulewright.formats.foya import global_file
from rulewright.formats.hook_chains.config import why_off
from rulewright.hook import chain_settings
from rulewright.hook.chains import SWITCH, config_path, switched_on
from rulewright.installing import Lock, Place, handlers, installed, kept_twice, ours_of, place_of, switched_off
from rulewright.installing.beside import Beside, due_of_files, faulty_rules
from rulewright.installing.changes import bytes_or_none, source_or_none
from rulewright.installing.host_faults import host_faults
from rulewright.installing.host_file import data_of, handlers_of, shape_of
from rulewright.installing.instructions import block_of, find_block
from rulewright.installing.packages import compile_packages, read_packages, refuse_unplannable, static_texts
from rulewright.installing.places import USER
from rulewright.model import Document
from rulewright.settings import Settings, state_folder
from rulewright.text.language import Text, same
from rulewright.workspace import show_path

Status = Literal["ok", "info", "warning", "error"]

RUNS = 5
"""Events that are timed; the median of five is steady where single ones swing (performance.md)."""
SLOW = 500.0
"""Milliseconds from which an event is called slow. Our own limit [R]: it is 20 times what an event takes on a small machine."""
LONGEST_RUN = 30.0
"""Seconds that an entry is waited for where the host would wait longer."""
ROOM = 1 << 16
"""Bytes that must be free where events remember what was said [R]: what a session takes."""
CANARY_TOOL = "RulewrightDoctor"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `name` is for programs."""

    name: str
    status: Status
    message: Text


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found out about one installation.

    milliseconds: the median of `RUNS` events; None where the hook does not start. fails: what becomes of a tool call if the hook
    process itself fails.
    """

    harness: str
    scope: str
    host: str
    checks: tuple[Check, ...]
    milliseconds: float | None
    fails: Literal["open", "closed"]

    @property
    def works(self) -> bool:
        """Nothing is wrong."""
        return all(check.status != "error" for check in self.checks)


def examine(settings: Settings, lock: Lock) -> Examined:
    """Look at one installation and run each of its entries.

    Raises:
        RulewrightError: the lock names a harness or scope that there is no table for.
    """
    place = place_of(settings, lock.harness, lock.scope)
    checks: list[Check] = []
    documents = _documents(place, lock, checks)
    index = bytes_or_none(place.index)
    checks.append(_index_check(place, lock, documents, index))
    entries = _entries(place, lock, index, checks)
    if lock.block is not None or documents is not None:
        checks.extend(_block_checks(place, lock, documents))
    milliseconds = _runs(place, entries, checks)
    checks.extend(_state(lock, index))
    checks.extend(_besides(place, settings, lock))
    checks.extend(_trust(place))
    fails: Literal["open", "closed"] = "closed" if lock.fail_closed else "open"
    checks.append(_failure(place, lock))
    return Examined(lock.harness, lock.scope, place.host, tuple(checks), milliseconds, fails)


def left_behind(settings: Settings, scope: str | None, names: Sequence[str]) -> list[Examined]:
    """Return the host's files that have entries of ours although no lock knows of an installation there.

    Args:
        scope: only this one. names: only these harnesses; all where empty.
    Raises:
        RulewrightError: a lock cannot be read.
    """
    known = {(lock.harness, lock.scope) for lock in installed(settings)}
    found = []
    for name in names or harness.NAMES:
        for one in harness.codec(name).CONFIG:
            if (name, one) in known or scope not in (None, one):
                continue
            place = place_of(settings, name, one)
            shape = shape_of(place.codec)
            try:
                source = source_or_none(place.host)
                data = None if source is None else data_of(source.text, shape, show_path(place.host))
            except RulewrightError:
                continue  # Where nothing is installed nobody has asked about this file.
            ours = ours_of(place, data, None)
            if any(ours.owns(handler) for _, handler in handlers_of(data, shape)):
                message = NO_LOCK.format(path=show_path(place.host), lock=show_path(place.lock))
                found.append(Examined(name, one, place.host, (Check("lock", "error", message),), None, "open"))
    return found


def _documents(place: Place, lock: Lock, checks: list[Check]) -> list[Document] | None:
    try:
        read = read_packages(place.settings, may_be_none=lock.foya or lock.chains)
        found = [document for document, _ in read]
        refuse_unplannable(found, place.harness)
    except RulewrightError as error:
        checks.append(Check("packages", "error", Text(error.to("en"), error.to("zh-CN"))))
        return None
    names = ", ".join(f"{document.package.name.text()} {document.package.version.text()}" for document in found) or "-"
    checks.append(Check("packages", "ok", PACKAGES.format(names=names)))
    return found


def _index_check(place: Place, lock: Lock, documents: list[Document] | None, index: bytes | None) -> Check:
    path = show_path(place.index)
    if index is None:
        return Check("index", "error", NO_INDEX.format(path=path))
    if documents is None:
        return Check("index", "warning", INDEX_UNKNOWN.format(path=path))
    try:
        due = compile_packages(documents, place.harness, foya=lock.foya, chains=lock.chains)
    except RulewrightError as error:
        return Check("index", "error", Text(error.to("en"), error.to("zh-CN")))
    if due != index:
        known = {place.absolute(package.path) for package in lock.packages}
        fresh = {document.path for document in documents}
        differ = sorted(show_path(path) for path in known ^ fresh)
        return Check("index", "error", STALE.format(path=path, more=f" ({', '.join(differ)})" if differ else ""))
    return Check("index", "ok", FRESH.format(path=path))


def _entries(place: Place, lock: Lock, index: bytes | None, checks: list[Check]) -> dict[str, str]:
    """Check the entries in the host's file; return the command line of each native event that has one."""
    shown = show_path(place.host)
    codec = place.codec
    try:
        source = source_or_none(place.host)
        if source is None:
            status: Status = "error" if lock.commands else "ok"
            checks.append(Check("entries", status, NO_FILE.format(path=shown) if lock.commands else NO_EVENTS))
            return {}
        shape = shape_of(codec)
        data = data_of(source.text, shape, shown)
    except RulewrightError as error:
        checks.append(Check("host", "error", Text(error.to("en"), error.to("zh-CN"))))
        return {}
    checks.extend(
        Check("host", "error", IGNORED.format(name=place.harness, path=shown, why=fault))
        for fault in host_faults(data, codec)
    )
    checks.extend(Check("host", "error", note) for note in switched_off(place, data))
    checks.extend(Check("host", "warning", note) for note in kept_twice(place))
    ours = ours_of(place, data, lock)
    mine: dict[str, list[dict[str, Any]]] = {}
    others: dict[str, int] = {}
    for native, handler in handlers_of(data, shape):
        if ours.owns(handler) and isinstance(handler, dict):
            mine.setdefault(native, []).append(handler)
        else:
            others[native] = others.get(native, 0) + 1
    events = events_of(index) if index is not None else tuple(lock.commands)
    due = handlers(place, events, Beside(lock.foya, lock.chains), fail_closed=lock.fail_closed)
    wrong = list(_wrong_entries(due, mine))
    checks.extend(Check("entries", "error", problem.format(path=shown)) for problem in wrong)
    if not wrong:
        checks.append(Check("entries", "ok", ENTRIES.format(path=shown, events=", ".join(due) or "-")))
    beside = {native: count for native, count in others.items() if native in due}
    if beside:
        listed = ", ".join(f"{native} {count}" for native, count in sorted(beside.items()))
        checks.append(Check("others", "info", OTHERS.format(path=shown, events=listed)))
    return {native: str(found[0][codec.COMMAND_KEY]) for native, found in mine.items() if codec.COMMAND_KEY in found[0]}


def _wrong_entries(
    due: Mapping[str, Mapping[str, Any]], mine: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[Text]:
    for native, handler in due.items():
        found = mine.get(native, [])
        if not found:
            yield MISSING.format(event=native, path="{path}")
        elif len(found) > 1:
            yield DOUBLE.format(event=native, count=len(found), path="{path}")
        elif dict(found[0]) != dict(handler):
            yield CHANGED.format(event=native, path="{path}")
    for native in mine:
        if native not in due:
            yield TOO_MANY.format(event=native, path="{path}")


def _block_checks(place: Place, lock: Lock, documents: list[Document] | None) -> Iterator[Check]:
    texts = static_texts(documents, place.harness) if documents is not None else []
    if lock.block is None:
        if texts:
            yield Check("instructions", "error", BLOCK_MISSING.format(path=show_path(place.instructions or "")))
        return
    path = place.absolute(lock.block.path)
    if texts and place.instructions and os.path.realpath(place.instructions) != os.path.realpath(path):
        path = place.instructions  # The host reads another file now.
    shown = show_path(path)
    try:
        source = source_or_none(path)
        found = None if source is None else find_block(source.text, shown)
    except RulewrightError as error:
        yield Check("instructions", "error", Text(error.to("en"), error.to("zh-CN")))
        return
    if source is None or found is None:
        yield Check("instructions", "error", BLOCK_MISSING.format(path=shown))
        return
    written = source.text[found.start : found.end].replace("\r\n", "\n").replace("\r", "\n")
    if documents is not None and written != block_of(texts):
        yield Check("instructions", "error", BLOCK_CHANGED.format(path=shown))
    else:
        yield Check("instructions", "ok", BLOCK.format(path=shown, count=len(texts)))


# Running the entries


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of an entry. `fault`: None where it answered as a hook should. `said`: its stderr. Milliseconds."""

    milliseconds: float
    fault: Text | None
    said: str


def _runs(place: Place, entries: Mapping[str, str], checks: list[Check]) -> float | None:
    """Run each entry once and one of them `RUNS` times; return the median in milliseconds, None where it does not start."""
    good = True
    for native, command in entries.items():
        ran = run_as_host(place, native, command)
        if ran.fault is not None:
            good = False
            checks.append(Check("starts", "error", ran.fault))
        elif ran.said:
            checks.append(Check("starts", "warning", SAID.format(event=native, text=same(ran.said))))
    if not entries or not good:
        return None
    native = _busiest(place, entries)
    times = [run_as_host(place, native, entries[native]).milliseconds for _ in range(RUNS)]
    median = statistics.median(times)
    checks.append(Check("starts", "ok", STARTS.format(events=", ".join(entries))))
    message = (TOO_SLOW if median > SLOW else QUICK).format(milliseconds=f"{median:.0f}", event=native, runs=RUNS)
    checks.append(Check("time", "warning" if median > SLOW else "ok", message))
    return median


def _busiest(place: Place, entries: Mapping[str, str]) -> str:
    """Return the native event that comes most often: that before a tool call."""
    rows = place.codec.EVENTS
    return next((native for native in entries if native in rows and rows[native][0] == "tool.pre"), next(iter(entries)))


def run_as_host(place: Place, native: str, command: str) -> Ran:
    """Run an entry as the host would, with an event that no state can come of."""
    codec = place.codec
    payload: dict[str, object] = {"cwd": place.root}
    if codec.EVENT_FIELD:
        payload[codec.EVENT_FIELD] = native
    if codec.TOOL_FIELD:
        payload[codec.TOOL_FIELD] = CANARY_TOOL
    # Chains would take the event for one that happened.
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    if codec.PROJECT_VARIABLE:
        environment[codec.PROJECT_VARIABLE] = place.root
    limit = min(LONGEST_RUN, codec.HOOK_TIMEOUT or codec.EVENT_TIMEOUTS.get(native, codec.TIMEOUT))
    started = time.perf_counter()
    try:
        done = subprocess.run(
            command if os.name == "nt" else [*_shell(codec), command],
            shell=os.name == "nt",
            input=json.dumps(payload).encode(),
            capture_output=True,
            cwd=place.root,
            env=environment,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ran(limit * 1000, TIMED_OUT.format(event=native, seconds=f"{limit:g}"), "")
    except OSError as error:
        return Ran(0.0, NO_SHELL.format(event=native, why=same(error.strerror or str(error))), "")
    milliseconds = (time.perf_counter() - started) * 1000
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        return Ran(milliseconds, EXIT.format(event=native, code=done.returncode, said=same(said or "-")), said)
    if done.stdout.strip() and not _is_answer(done.stdout):
        return Ran(milliseconds, NO_ANSWER.format(event=native), said)
    if "not found" in said or "No such file" in said or "No module named" in said:
        # A command line that turns its own failures into success, because the host would deny the call.
        return Ran(milliseconds, EXIT.format(event=native, code=0, said=same(said)), said)
    return Ran(milliseconds, None, said)


def _shell(codec: Any) -> list[str]:
    shell, *flags = codec.SHELL
    return [(os.environ.get("SHELL") or "/bin/sh") if shell == "$SHELL" else shell, *flags]


def _is_answer(stdout: bytes) -> bool:
    try:
        return isinstance(json.loads(stdout), dict)
    except ValueError:
        return False


# What events remember


def _state(lock: Lock, index: bytes | None) -> Iterator[Check]:
    """Say where the folder of per-user state cannot be written: the events of `run_as_host` do not need it, others do."""
    if not (lock.foya or lock.chains or (index is not None and remembers(index))):
        return
    below = ["sessions", *(["caches"] if lock.foya or lock.chains else []), *(["chains"] if lock.chains else [])]
    for folder in (os.path.join(state_folder(), name) for name in below):
        why = _unwritable(folder)
        if why is not None:
            yield Check("state", "error", NO_STATE.format(path=show_path(folder), why=why))
            return


def _unwritable(folder: str) -> Text | None:
    """Return why nothing can be written into a folder, which need not exist yet; None where it can."""
    at = folder
    while not os.path.lexists(at) and os.path.dirname(at) != at:
        at = os.path.dirname(at)
    if not os.path.isdir(at):
        return NOT_A_FOLDER.format(path=show_path(at))
    if not os.access(at, os.W_OK | os.X_OK):
        return NO_PERMISSION
    try:
        free = shutil.disk_usage(at).free
    except OSError as error:
        return same(error.strerror or str(error))
    return DISK_FULL if free < ROOM else None


# Foya's rules and hook chains


def _besides(place: Place, settings: Settings, lock: Lock) -> Iterator[Check]:
    """Say whether Foya's rules are given and hook chains dispatched, and what keeps them from it."""
    files_say = due_of_files(place, settings)
    if files_say.foya and not lock.foya:
        yield Check("foya", "error", FOYA_NEW)
    elif lock.foya:
        count = len(caching.foya_files(settings.root))
        shared = os.path.isfile(global_file())
        yield Check("foya", "ok", (FOYA_BOTH if shared else FOYA_ON).format(count=count))
        yield from (Check("foya", "warning", note) for note in faulty_rules(settings))
    if files_say.chains and not lock.chains:
        yield Check("chains", "error", CHAINS_NEW)
    elif lock.chains:
        yield from _chains(place, settings)


def _chains(place: Place, settings: Settings) -> Iterator[Check]:
    events = chain_events(place.codec)
    if not events:
        yield Check("chains", "warning", CHAINS_NO_EVENT.format(name=place.harness))
        return
    if settings.tables.get("chains", {}).get("dispatch") == "host":
        yield Check("chains", "info", CHAINS_HOST)
        return
    if not switched_on(os.environ):
        yield Check("chains", "warning", CHAINS_OFF.format(variable=SWITCH))
    else:
        yield Check("chains", "ok", CHAINS_ON.format(events=", ".join(events)))
    yield from _chain_faults(settings)
    if place.codec.MAY_DISPATCH_CHAINS:
        yield Check("chains", "info", CHAINS_TWICE.format(name=place.harness))
    if not caching.is_approved(settings):
        commands = ", ".join(f"`{command}`" for command in caching.commands_of(settings))
        yield Check("chains", "error", UNAPPROVED.format(commands=commands))


def _chain_faults(settings: Settings) -> Iterator[Check]:
    """Say what keeps the chains from running as they are written: in their file, and in the settings."""
    path = config_path(os.environ, settings.root)
    if os.path.lexists(path):
        try:
            text = files.read_source(path).text
        except RulewrightError as error:
            yield Check("chains", "error", Text(error.to("en"), error.to("zh-CN")))
        else:
            why = why_off(analysis.read_as(formats.by_name("hook-chains"), path, text))
            if why is not None:
                yield Check("chains", "error", CHAINS_BROKEN.format(path=show_path(path), why=why))
    for key, english, chinese in chain_settings.read(settings.tables)[1]:
        yield Check("chains", "error", SETTING.format(key=key, why=Text(english, chinese)))


# What no program can see


def _trust(place: Place) -> Iterator[Check]:
    if place.codec.STARTS_IN_PROJECT and place.scope != USER:
        yield Check("folder", "info", ONLY_HERE.format(name=place.harness, path=show_path(place.root)))
    trust = place.codec.TRUST
    if trust == "handler":
        yield Check("trusted", "info", TRUST_HANDLER.format(name=place.harness))
    elif trust == "folder":
        yield Check("trusted", "info", TRUST_FOLDER.format(name=place.harness))
    else:
        yield Check("trusted", "ok", NO_TRUST.format(name=place.harness))


def _failure(place: Place, lock: Lock) -> Check:
    codec = place.codec
    if lock.fail_closed:
        events = ", ".join(codec.FAIL_CLOSED_EVENTS)
        return Check("fails", "info", FAILS_CLOSED.format(events=events, name=place.harness))
    hint = FAILS_OPEN_REMEDY if codec.FAIL_CLOSED else FAILS_OPEN
    return Check("fails", "info", hint.format(name=place.harness))


NO_LOCK = Text(
    "`{path}` has entries of the hook, but `{lock}` knows of none: `rulewright install` puts that right, `uninstall` takes them out",
    "`{path}` 中有 hook 的条目，但 `{lock}` 没有记录：运行 `rulewright install` 修正，或用 `uninstall` 移除",
)
PACKAGES = Text("packages: {names}", "规则包：{names}")
NO_INDEX = Text("there is no index `{path}`: run `rulewright sync`", "索引 `{path}` 不存在：请运行 `rulewright sync`")
INDEX_UNKNOWN = Text(
    "whether `{path}` is up to date cannot be told while the packages have errors",
    "规则包有错误，无法判断 `{path}` 是否最新",
)
STALE = Text(
    "`{path}` is not what the packages say now{more}: run `rulewright sync`",
    "`{path}` 与现在的规则包不一致{more}：请运行 `rulewright sync`",
)
FRESH = Text("`{path}` is up to date", "`{path}` 是最新的")
NO_FILE = Text("there is no `{path}`: run `rulewright sync`", "`{path}` 不存在：请运行 `rulewright sync`")
NO_EVENTS = Text("no event needs an entry", "没有事件需要条目")
IGNORED = Text("{name} ignores `{path}` as it is: {why}", "{name} 会忽略现在的 `{path}`：{why}")
ENTRIES = Text("`{path}` has all entries: {events}", "`{path}` 中的条目齐全：{events}")
MISSING = Text(
    "`{path}` has no entry for {event}: run `rulewright sync`", "`{path}` 缺少 {event} 的条目：请运行 `rulewright sync`"
)
DOUBLE = Text(
    "`{path}` has {count} entries for {event}: run `rulewright sync`",
    "`{path}` 中 {event} 有 {count} 个条目：请运行 `rulewright sync`",
)
CHANGED = Text(
    "the entry for {event} in `{path}` was changed: run `rulewright sync`",
    "`{path}` 中 {event} 的条目被改动过：请运行 `rulewright sync`",
)
TOO_MANY = Text(
    "`{path}` has an entry for {event}, which no rule needs: run `rulewright sync`",
    "`{path}` 中有 {event} 的条目，但没有规则需要它：请运行 `rulewright sync`",
)
OTHERS = Text(
    "`{path}` has hooks of others at the same events: {events}", "`{path}` 中同一事件上还有其他 hook：{events}"
)
BLOCK = Text("`{path}` has the block of static rules ({count})", "`{path}` 中有静态规则的区块（{count} 条）")
BLOCK_MISSING = Text(
    "`{path}` has no block of static rules: run `rulewright sync`",
    "`{path}` 中没有静态规则的区块：请运行 `rulewright sync`",
)
BLOCK_CHANGED = Text(
    "the block of static rules in `{path}` is not what the packages say now: run `rulewright sync`",
    "`{path}` 中静态规则的区块与现在的规则包不一致：请运行 `rulewright sync`",
)
FOYA_ON = Text("Foya's rules are given; files in the project: {count}", "会提供 Foya 规则：项目中有 {count} 个文件")
FOYA_BOTH = Text(
    "Foya's rules are given: the global ones too; files in the project: {count}",
    "会提供 Foya 规则：全局规则，以及项目中的 {count} 个文件",
)
FOYA_NEW = Text(
    "there are Foya rules, but the hook does not give them yet: run `rulewright sync`",
    "有 Foya 规则，但 hook 尚未提供它们：请运行 `rulewright sync`",
)
CHAINS_NEW = Text(
    "there are hook chains, but the hook does not dispatch them yet: run `rulewright sync`",
    "有 hook 链，但 hook 尚未触发它们：请运行 `rulewright sync`",
)
CHAINS_ON = Text("hook chains are dispatched at {events}", "hook 链在 {events} 触发")
CHAINS_OFF = Text(
    "hook chains are off here: they run only where `{variable}` is `1`, `true`, `yes` or `on`",
    "hook 链在这里是关闭的：只有 `{variable}` 为 `1`、`true`、`yes` 或 `on` 时才会运行",
)
CHAINS_HOST = Text(
    "hook chains are left to the host, as `dispatch` under `[chains]` says",
    "按 `[chains]` 中 `dispatch` 的设置，hook 链由宿主处理",
)
CHAINS_TWICE = Text(
    '{name} may dispatch hook chains by itself, if its build can; then set `dispatch = "host"` under `[chains]`',
    '{name} 的某些版本会自己触发 hook 链；如果是这样，请在 `[chains]` 中设置 `dispatch = "host"`',
)
CHAINS_BROKEN = Text("no hook chain of `{path}` runs: {why}", "`{path}` 中的 hook 链都不会运行：{why}")
SETTING = Text("the settings: `{key}` {why}", "设置：`{key}` {why}")
NO_STATE = Text(
    "nothing can be written into `{path}`, so that the hook cannot remember what was said: {why}",
    "无法写入 `{path}`，hook 记不住说过的内容：{why}",
)
NOT_A_FOLDER = Text("`{path}` is not a folder", "`{path}` 不是文件夹")
NO_PERMISSION = Text("no permission", "没有权限")
DISK_FULL = Text("the disk is full", "磁盘已满")
CHAINS_NO_EVENT = Text("{name} has no event at which hook chains are dispatched", "{name} 没有会触发 hook 链的事件")
UNAPPROVED = Text(
    "hooks do not run the commands of the settings ({commands}) until you agree to them: run `rulewright sync`",
    "在你同意之前，hook 不会运行设置中的命令（{commands}）：请运行 `rulewright sync`",
)
SAID = Text("the hook of {event} said on stderr: {text}", "{event} 的 hook 在 stderr 上输出：{text}")
STARTS = Text("every entry starts and answers: {events}", "每个条目都能启动并应答：{events}")
QUICK = Text(
    "an event takes {milliseconds} ms ({event}, median of {runs})",
    "一次事件耗时 {milliseconds} 毫秒（{event}，{runs} 次的中位数）",
)
TOO_SLOW = Text(
    "an event takes {milliseconds} ms ({event}, median of {runs}): is the machine busy, or does the shell read a long profile?",
    "一次事件耗时 {milliseconds} 毫秒（{event}，{runs} 次的中位数）：是机器繁忙，还是 shell 的启动文件太长？",
)
TIMED_OUT = Text("the hook of {event} did not answer within {seconds} s", "{event} 的 hook 在 {seconds} 秒内没有应答")
NO_SHELL = Text("the hook of {event} cannot be run: {why}", "无法运行 {event} 的 hook：{why}")
EXIT = Text(
    "the hook of {event} does not start (exit code {code}): {said}", "{event} 的 hook 无法启动（退出码 {code}）：{said}"
)
NO_ANSWER = Text(
    "what the hook of {event} prints is no JSON object: does a profile of the shell print something?",
    "{event} 的 hook 输出的不是 JSON 对象：是不是 shell 的启动文件输出了内容？",
)
ONLY_HERE = Text(
    "{name} finds these hooks only where it is started in `{path}` itself, not in a folder below it",
    "只有在 `{path}` 本身启动时，{name} 才会找到这些 hook；在它下面的文件夹中启动则不会",
)
TRUST_HANDLER = Text(
    "whether {name} trusts the entries is not visible from outside: look at `/hooks` there",
    "从外部看不出 {name} 是否信任这些条目：请在其中查看 `/hooks`",
)
TRUST_FOLDER = Text(
    "{name} runs hooks once the folder is trusted, which it asks for when it starts here",
    "{name} 在文件夹受信任后才运行 hook；在这里启动时会询问",
)
NO_TRUST = Text("{name} runs hooks without asking", "{name} 运行 hook 时不会询问")
FAILS_CLOSED = Text(
    "if the hook itself fails, {name} denies the call ({events})", "hook 自身失败时，{name} 会拒绝调用（{events}）"
)
FAILS_OPEN = Text(
    "if the hook itself fails, the call goes on as {name} sees fit",
    "hook 自身失败时，是否继续由 {name} 决定，通常会放行",
)
FAILS_OPEN_REMEDY = Text(
    "if the hook itself fails, the call goes on as {name} sees fit; `install --fail-closed` changes that",
    "hook 自身失败时，是否继续由 {name} 决定，通常会放行；`install --fail-closed` 可以改变这一点",
)
