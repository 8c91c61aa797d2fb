"""`rulewright chains run`: dispatch hook chains once, as the hook does at an event, or say what would happen."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rulewright import analysis, caching, files, formats, telemetry_otel
from rulewright.commands.terminal import language, print_error, read_stdin
from rulewright.errors import RulewrightError
from rulewright.formats.hook_chains.vocabulary import EVENTS, OUTCOMES
from rulewright.hook import actions, cache, chain_settings, chain_text, chains
from rulewright.hook.chain_state import ChainStateError
from rulewright.hook.json_text import parse
from rulewright.report.text import one_line
from rulewright.settings import Settings, find_project_root, state_folder
from rulewright.text.language import Lang, Text
from rulewright.text.spelling import nearest
from rulewright.workspace import project_settings

PAYLOAD_LIMIT = 50_000_000
"""Bytes of a payload. Our own limit [R]: far above what a tool call carries."""


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `chains`."""
    parser.add_argument("what", choices=("run",), metavar="run", help=RUN_HELP.to(lang))
    parser.add_argument("--event", required=True, metavar="NAME", help=EVENT_HELP.to(lang))
    parser.add_argument("--outcome", required=True, choices=tuple(OUTCOMES), metavar="NAME", help=OUTCOME_HELP.to(lang))
    parser.add_argument("--payload", required=True, metavar="FILE", help=PAYLOAD_HELP.to(lang))
    parser.add_argument("--config", metavar="FILE", help=CONFIG_HELP.to(lang))
    parser.add_argument("--depth", type=int, metavar="N", help=DEPTH_HELP.to(lang))
    parser.add_argument("--dry-run", action="store_true", help=DRY_HELP.to(lang))
    parser.add_argument("--reload", action="store_true", help=RELOAD_HELP.to(lang))
    parser.add_argument("--json", action="store_true", help=JSON_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Dispatch once. Returns 1 where the configuration cannot be used, else 0, whatever became of the actions."""
    root = find_project_root(os.getcwd())
    project = project_settings(root)
    lang = language(args, project)
    if args.event not in EVENTS:
        raise _unknown_event(args.event)
    if args.depth is not None and args.depth < 0:
        raise RulewrightError(Text("--depth must not be negative", "--depth 不能是负数"))
    event = {"eventName": args.event, "outcome": args.outcome, "payload": _payload(args.payload)}
    settings = read_settings(project)
    env = dict(os.environ)
    path = os.path.abspath(args.config) if args.config else chains.config_path(env, os.getcwd())
    off = _why_off(env, settings, args.dry_run)
    if off is None:
        # A dry run writes nothing, so it does not use the cache.
        compiled, from_cache = (read_config(path), False) if args.dry_run else load_config(path, args.reload, root)
    else:
        compiled, from_cache = DISABLED, False
    runtime = chains.runtime_of(
        settings,
        event["payload"],
        env=env,
        cwd=os.getcwd(),
        root=root,
        state_folder=state_folder(),
        path=path,
        from_cache=from_cache,
        depth=args.depth,
    )
    call = Call(event, compiled, runtime, path)
    if args.dry_run:
        result = dry_run(call)
    else:
        result = chains.dispatch(compiled, event, runtime)
        _export(settings, runtime, lang)
    if args.json:
        sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{one_line(line)}\n" for line in lines_of(call, result, lang)))
    if off is not None:
        print_error(f"rulewright: {off.to(lang)}")
    elif args.outcome not in chains.OUTCOMES.get(args.event, ()):
        print_error(f"rulewright: {NEVER.format(event=args.event, outcome=args.outcome).to(lang)}")
    if result.get("error"):
        said = UNUSABLE.format(path=_shown(path), reason=_why_unusable(path, result["error"])).to(lang)
        print_error(f"rulewright: {one_line(said)}")
        # Without a file there is nothing to dispatch, which is no fault, unless somebody names it.
        named = args.config or env.get(chains.PATH_VARIABLE)
        return 1 if named or os.path.lexists(path) else 0
    return 0


@dataclass(frozen=True)
class Call:
    """One call: the event, the compiled configuration, its path, and the surroundings."""

    event: dict[str, Any]
    compiled: Mapping[str, Any]
    runtime: chains.Runtime
    path: str

    @cached_property
    def identity(self) -> str:
        """The SHA-1 that stands for the event."""
        return chains.event_identity(self.event)


KIND = "chains"
TRUSTED = "1"
"""The cache of calls by hand: who calls `chains run` himself may run what the settings name."""

LONGEST_CACHED = 300.0
"""Seconds after which a cached configuration is read anew. Source: hook-chains.md section 1 [S]."""

DISABLED: Mapping[str, Any] = {
    "error": None,
    "config": {"version": 1, "enabled": False, "maxChainDepth": 2, "rules": []},
}
"""What stands for a configuration where none is read."""


def load_config(path: str, force: bool, root: str) -> tuple[Mapping[str, Any], bool]:
    """Read and compile a configuration, or take it from the cache; also tell which. Never raises because of what is in it.

    Args:
        force: read it anew even if the cache has it. root: the project, whose settings are in the cache too.
    """
    try:
        files.read_source(path)
    except RulewrightError as error:
        return {**DISABLED, "error": error.to("en")}, False  # Not to be answered from the cache.
    state = state_folder()
    file = cache.path_of(state, KIND, path, root, TRUSTED)
    if force or _is_old(file):
        with contextlib.suppress(OSError):
            os.unlink(file)

    renewed = False

    def renew(_: float) -> str:
        nonlocal renewed
        renewed = True
        try:
            caching.write_chains(file, root, path, state, TRUSTED)
        except RulewrightError as error:
            return error.to("en")
        return ""

    loaded = cache.load(file, KIND, cache.LONGEST, renew)
    if loaded.note or not loaded.data or not loaded.data["compiled"]:
        return read_config(path), False
    return loaded.data["compiled"], not renewed


def _is_old(file: str) -> bool:
    try:
        return not 0 <= time.time() - os.stat(file).st_mtime <= LONGEST_CACHED
    except OSError:
        return False


def read_config(path: str) -> Mapping[str, Any]:
    """Read and compile a configuration, without the cache."""
    from rulewright.formats.hook_chains.config import compiled

    try:
        text = files.read_source(path).text
    except RulewrightError as error:
        return {**DISABLED, "error": error.to("en")}
    return compiled(analysis.read_as(formats.by_name("hook-chains"), path, text))


def _why_unusable(path: str, english: str) -> Text:
    """Return why a configuration cannot be used, in both languages; the compiled one has it in English only."""
    from rulewright.formats.hook_chains.config import why_off

    try:
        text = files.read_source(path).text
    except RulewrightError as error:
        return Text(english, error.to("zh-CN"))
    why = why_off(analysis.read_as(formats.by_name("hook-chains"), path, text))
    return Text(english, english if why is None else why.zh)


def read_settings(project: Settings) -> chain_settings.ChainSettings:
    """Return what the project's settings say of chains.

    Raises:
        RulewrightError: a setting is of a wrong type, or unknown.
    """
    found, faults = chain_settings.read(project.tables)
    for name, english, chinese in faults:
        shown = os.path.relpath(project.source or "", project.root)
        raise RulewrightError(
            Text("{shown}: `{name}` {fault}", "{shown}：`{name}` {fault}").format(
                shown=shown, name=name, fault=Text(english, chinese)
            )
        )
    return found


def _why_off(env: Mapping[str, str], settings: chain_settings.ChainSettings, looks: bool) -> Text | None:
    if not chains.switched_on(env):
        return OFF.format(name=chains.SWITCH)
    return HOST if settings.dispatch == chain_settings.HOST and not looks else None


def _unknown_event(name: str) -> RulewrightError:
    guess = nearest(name, EVENTS, 3)
    hint = DID_YOU_MEAN.format(guess=guess) if guess else KNOWN.format(names=", ".join(EVENTS))
    return RulewrightError(UNKNOWN_EVENT.format(name=name), hint)


def _payload(path: str) -> dict[str, Any]:
    shown = "stdin" if path == "-" else path
    try:
        data = read_stdin(PAYLOAD_LIMIT) if path == "-" else files.read_bytes(path, PAYLOAD_LIMIT)
    except RulewrightError as error:
        raise RulewrightError(error.message) from error  # What is said of rule files, to split them, is of no use here.
    try:
        found = parse(data)
    except ValueError as error:
        raise RulewrightError(_why_no_json(data).format(path=shown)) from error
    if not isinstance(found, dict):
        raise RulewrightError(NO_OBJECT.format(path=shown))
    return found


def _why_no_json(data: bytes) -> Text:
    """Return what to say of bytes that are not one JSON value, with a place for their `path`."""
    if not data.strip():
        return EMPTY
    try:
        json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return NOT_UTF8
    except json.JSONDecodeError as error:
        return NO_JSON.format(line=error.lineno, column=error.colno, path="{path}")
    except RecursionError:
        return TOO_DEEP
    except ValueError:
        return LONG_NUMBER
    return NOT_UTF8


def _export(settings: chain_settings.ChainSettings, runtime: chains.Runtime, lang: Lang) -> None:
    telemetry = runtime.telemetry
    if telemetry is None:
        return
    failure = telemetry.failure
    if failure:
        print_error(f"rulewright: {NO_TELEMETRY.format(reason=failure).to(lang)}")
    if settings.endpoint and telemetry.lines:
        if not telemetry_otel.installed():
            print_error(f"rulewright: {NO_EXTRA.to(lang)}")
            return
        failure = actions.export(telemetry.lines, settings.endpoint, state_folder(), runtime.env)
        if failure:
            print_error(f"rulewright: {NO_TELEMETRY.format(reason=failure).to(lang)}")


# ---- --dry-run


def dry_run(call: Call) -> dict[str, Any]:
    """Return what a dispatch would do, changing nothing: the result, with `dryRun` and a list `rules`.

    Each rule has `ruleId`, `matched`, and `because` where it does not match: the first part that does not hold, what it asks for and
    what is there; else `guard` (why the whole rule is skipped, null) and `actions`, each with `would` (`run`, `skip` or `fail`), the
    `reason`, and what it is `about`: the program or the recipients.
    """
    config, runtime = call.compiled["config"], call.runtime
    enabled = bool(config["enabled"] and config["rules"])
    result: dict[str, Any] = {
        "enabled": enabled,
        "configPath": call.path,
        "fromCache": runtime.from_cache,
        "evaluatedRuleCount": 0,
        "matchedRuleIds": [],
        "actionResults": [],
        "dryRun": True,
        "rules": [],
    }
    if call.compiled["error"]:
        result["error"] = call.compiled["error"]
    if not enabled:
        return result
    if runtime.depth >= config["maxChainDepth"]:
        return {**result, "reason": chains.depth_reason(config, runtime)}
    result["evaluatedRuleCount"] = len(config["rules"])
    # What rules before a rule would have marked in this very dispatch: rules may share an id, and actions too.
    marked: set[str] = set()
    for rule in config["rules"]:
        told = _explain(rule, call, marked)
        result["rules"].append(told)
        if told["matched"]:
            result["matchedRuleIds"].append(rule["id"])
    if runtime.aborted() and result["matchedRuleIds"]:
        result["reason"] = chain_text.ABORTED
    return result


def _explain(rule: Mapping[str, Any], call: Call, marked: set[str]) -> dict[str, Any]:
    found = chains.mismatch(rule, call.event)
    if found is not None:
        part, wanted, there = found
        return {
            "ruleId": rule["id"],
            "matched": False,
            "because": {"part": part, "wanted": wanted, "found": there},
            "guard": None,
            "actions": [],
        }
    told: dict[str, Any] = {"ruleId": rule["id"], "matched": True, "because": None, "guard": None, "actions": []}
    config, runtime = call.compiled["config"], call.runtime
    hold = chains.longest_window(config)
    guard = chain_text.ABORTED if runtime.aborted() else chains.rule_guard(rule, runtime)
    if not guard:
        try:
            guard = chains.cooldown_reason(runtime.state.cooldown_left(rule["id"], hold))
        except ChainStateError as error:
            guard = str(error)
    window = chains.cooldown_of(rule, config)
    if not guard and f"c {rule['id']}" in marked:
        guard = f"rule cooldown active for {window}ms"
    told["guard"] = guard or None
    if not guard and window:
        marked.add(f"c {rule['id']}")
    for index, action in enumerate(rule["actions"]):
        would, reason, about = ("skip", guard, "") if guard else _would(rule, action, index, call, hold, marked)
        told["actions"].append(
            {
                "actionType": action["type"],
                "actionId": action.get("id"),
                "would": would,
                "reason": reason or None,
                "about": about or None,
            }
        )
    return told


def _would(
    rule: Mapping[str, Any], action: Mapping[str, Any], index: int, call: Call, hold: int, marked: set[str]
) -> tuple[str, str, str]:
    """Return what would become of an action that its rule lets through, why, and what it is about."""
    runtime = call.runtime
    if runtime.aborted():
        return "skip", chain_text.ABORTED, ""
    key = chains.dedup_key(rule, action, index, call.identity, runtime.scope)
    window = chains.dedup_window_of(action, rule, call.compiled["config"])
    try:
        reason = chains.dedup_reason(runtime.state.action_left(key, hold))
    except ChainStateError as error:
        reason = str(error)
    if not reason and f"d {key}" in marked:
        reason = f"dedup window active for {window}ms"
    if reason:
        return "skip", reason, ""
    if window:
        marked.add(f"d {key}")
    if not action.get("enabled", True):
        return "skip", chain_text.DISABLED, ""
    outcome, about, _ = actions.plan(action, rule["id"], call.event, runtime)
    if outcome is None:
        return "run", "", about
    return ("fail" if outcome[0] == chains.FAILED else "skip"), outcome[1], ""


# ---- for people


def lines_of(call: Call, result: Mapping[str, Any], lang: Lang) -> list[str]:
    """Return the result as people read it. Reasons and details are OpenClaude's own words in either language."""
    event = call.event
    head = HEAD.format(
        path=_shown(call.path), event=event["eventName"], outcome=event["outcome"], depth=call.runtime.depth
    )
    lines = [head.to(lang)]
    if not result["enabled"]:
        runs = call.compiled is not DISABLED and not result.get("error")
        return [*lines, f"  {(FILE_OFF if runs else NOTHING_RUNS).to(lang)}"]
    interrupted = result.get("reason") == chain_text.ABORTED
    if result.get("reason") and not interrupted:
        return [*lines, f"  {result['reason']}"]
    lines.append(
        "  " + COUNTS.format(evaluated=result["evaluatedRuleCount"], matched=len(result["matchedRuleIds"])).to(lang)
    )
    if interrupted:
        lines.append(f"  {INTERRUPTED.to(lang)}")
    if result.get("dryRun"):
        for told in result["rules"]:
            lines += _dry_lines(told, lang)
        return [*lines, DRY_END.to(lang)]
    for item in result["actionResults"]:
        said = item.get("reason") or item.get("detail")
        lines.append(f"  {item['ruleId']}  {_name(item)}  {STATUS[item['status']].to(lang)}{_said(said, lang)}")
    return lines


def _dry_lines(told: Mapping[str, Any], lang: Lang) -> list[str]:
    if not told["matched"]:
        because = told["because"]
        part = because["part"]
        if part == "enabled":
            return [f"  {told['ruleId']}  {RULE_OFF.to(lang)}"]
        text = MISMATCH.format(part=part, wanted=_json(because["wanted"]), found=_json(because["found"]))
        return [f"  {told['ruleId']}  {text.to(lang)}"]
    lines = [f"  {told['ruleId']}  {MATCHED.to(lang)}"]
    for item in told["actions"]:
        said = item["reason"] or item["about"]
        lines.append(f"    {_name(item)}  {WOULD[item['would']].to(lang)}{_said(said, lang)}")
    return lines


def _name(item: Mapping[str, Any]) -> str:
    return f"{item['actionType']} {item['actionId']}" if item["actionId"] else str(item["actionType"])


def _said(text: str | None, lang: Lang) -> str:
    """Return a reason or a detail behind a colon, with what to do about it where that is known."""
    if not text:
        return ""
    hint = TO_DO.get(text)
    return SAID.format(text=text).to(lang) + (IN_BRACKETS.format(text=hint).to(lang) if hint else "")


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:99] + "…"


def _shown(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


HEAD = Text("{path}: {event} ({outcome}), depth {depth}", "{path}：{event}（{outcome}），深度 {depth}")
COUNTS = Text("{matched} of {evaluated} rules match", "{evaluated} 条规则中有 {matched} 条匹配")
NOTHING_RUNS = Text("nothing runs", "不会执行任何动作")
FILE_OFF = Text(
    "nothing runs: the file has `enabled: false`, or no rules",
    "不会执行任何动作：文件中有 `enabled: false`，或没有规则",
)
MATCHED = Text("matches", "匹配")
MISMATCH = Text(
    "does not match: `{part}` asks for {wanted}, the event has {found}",
    "不匹配：`{part}` 要求 {wanted}，事件中是 {found}",
)
RULE_OFF = Text("does not match: the rule is switched off (`enabled: false`)", "不匹配：规则已关闭（`enabled: false`）")
STATUS = {
    chains.EXECUTED: Text("executed", "已执行"),
    chain_text.SKIPPED: Text("skipped", "已跳过"),
    chains.FAILED: Text("failed", "失败"),
}
WOULD = {
    "run": Text("would run", "将会执行"),
    "skip": Text("would be skipped", "将会跳过"),
    "fail": Text("would fail", "将会失败"),
}
INTERRUPTED = Text(
    "nothing runs: the user interrupted the call himself (`is_interrupt`)",
    "不会执行任何动作：这次调用是用户自己中断的（`is_interrupt`）",
)
SAID = Text(": {text}", "：{text}")
IN_BRACKETS = Text(" ({text})", "（{text}）")
TO_DO = {
    actions.NO_LAUNCHER: Text(
        "set `launch.command` in rulewright.toml", "请在 rulewright.toml 中设置 `launch.command`"
    ),
    actions.NO_TEAM: Text(
        "name one in `teamName`, or set `chains.team` in rulewright.toml",
        "请在 `teamName` 中写明，或在 rulewright.toml 中设置 `chains.team`",
    ),
    actions.NO_BRIDGE: Text("set `warm.command` in rulewright.toml", "请在 rulewright.toml 中设置 `warm.command`"),
    actions.BLOCKED: Text("`chains.allow_remote` in rulewright.toml", "rulewright.toml 中的 `chains.allow_remote`"),
}
"""What to do about a reason that stands in OpenClaude's own words."""
DRY_END = Text("nothing was changed, nothing was started", "没有改变任何状态，也没有启动任何程序")
OFF = Text("hook chains are off; switch them on with {name}=1", "hook chains 已关闭；用 {name}=1 打开")
HOST = Text(
    "`chains.dispatch` leaves hook chains to OpenClaude itself; `--dry-run` still shows what would happen",
    "`chains.dispatch` 把 hook chains 交给 OpenClaude 自己处理；`--dry-run` 仍可查看会发生什么",
)
NEVER = Text(
    "{event} with outcome {outcome} is never dispatched by itself; it was dispatched because you asked for it",
    "{event} 不会以结果 {outcome} 自动触发；这次触发是因为你的要求",
)
UNUSABLE = Text("`{path}` cannot be used: {reason}", "`{path}` 无法使用：{reason}")
UNKNOWN_EVENT = Text("there is no hook event `{name}`", "没有 hook 事件 `{name}`")
DID_YOU_MEAN = Text("did you mean `{guess}`?", "是不是 `{guess}`？")
KNOWN = Text("known are {names}", "可用的有 {names}")
NO_JSON = Text(
    "`{path}` is not JSON: see line {line}, column {column}", "`{path}` 不是 JSON：请看第 {line} 行第 {column} 列"
)
EMPTY = Text("`{path}` is empty; a payload is a JSON object", "`{path}` 是空的；payload 应当是 JSON 对象")
NOT_UTF8 = Text("`{path}` is not UTF-8; save it as UTF-8", "`{path}` 不是 UTF-8；请另存为 UTF-8")
TOO_DEEP = Text("`{path}` nests too deep to be read", "`{path}` 嵌套过深，无法读取")
LONG_NUMBER = Text("`{path}` has a number of too many digits to be read", "`{path}` 中有一个数字位数过多，无法读取")
NO_OBJECT = Text("`{path}` is not a JSON object", "`{path}` 不是 JSON 对象")
NO_TELEMETRY = Text("telemetry cannot be written: {reason}", "无法写入遥测数据：{reason}")
NO_EXTRA = Text(
    "`otel.endpoint` is set, but the extra is missing: install `rulewright[otel]`",
    "已设置 `otel.endpoint`，但缺少可选依赖：请安装 `rulewright[otel]`",
)
RUN_HELP = Text("dispatch once", "执行一次")
EVENT_HELP = Text("the hook event, for example PostToolUseFailure", "hook 事件，例如 PostToolUseFailure")
OUTCOME_HELP = Text("success, failed, timeout or unknown", "success、failed、timeout 或 unknown")
PAYLOAD_HELP = Text("the event's payload, a JSON file; - is stdin", "事件的 payload（JSON 文件）；- 表示 stdin")
CONFIG_HELP = Text(
    "the chains (default: .openclaude/hook-chains.json, or what the environment says)",
    "hook chains 文件（默认 .openclaude/hook-chains.json，或环境变量指定的文件）",
)
DEPTH_HELP = Text("how deep in a chain this is (default: from the environment)", "链的深度（默认取自环境变量）")
DRY_HELP = Text("explain every rule; change and start nothing", "解释每条规则；不改变任何状态，也不启动任何程序")
RELOAD_HELP = Text("read the file anew, whatever the cache has", "忽略缓存，重新读取文件")
JSON_HELP = Text("print JSON", "以 JSON 输出")
