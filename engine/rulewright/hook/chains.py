"""Hook chains at event time: which rules match, what their guards allow, and the actions, in the order of the file.

Takes a compiled configuration (formats/hook_chains) and one event, `{"eventName", "outcome", "payload"}`. The order of evaluation, the
reasons and their wording are those of hook-chains.md sections 3 and 4 [S, O].
"""

from rulewright.hook.chain_text import ABORTED, DEPTH_VARIABLE, DISABLED, ERROR, SKIPPED, TASK, first_text, stable_json
from rulewright.hook.chain_text import EXECUTED as EXECUTED
from rulewright.hook.chain_text import FAILED as FAILED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rulewright.hook.chain_settings import ChainSettings
    from rulewright.hook.chain_state import ChainState
    from rulewright.hook.telemetry import Telemetry

    Rule = Mapping[str, Any]
    Action = Mapping[str, Any]
    Event = Mapping[str, Any]

# Source: hook-chains.md section 1 [S].
SWITCH = "CLAUDE_CODE_ENABLE_HOOK_CHAINS"
PATH_VARIABLE = "CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH"
DEFAULT_PATH = ".openclaude/hook-chains.json"
_TRUTHY = ("1", "true", "yes", "on")
# What a depth that is no number counts as: the largest `maxChainDepth`, at which nothing runs any more [R].
DEEPEST = 10
# Events that are dispatched, and the outcomes they may carry. Source: hook-chains.md section 2 [O].
OUTCOMES = {"PostToolUseFailure": ("failed",), "TaskCompleted": ("success", "failed")}

# Fields of the payload behind a condition, the first that is a non-empty text counts. Source: hook-chains.md section 3 [S, O].
_TOOL = ("tool_name", "toolName")
_STATUS = ("task_status", "taskStatus", "status")
_ERROR = ("error", "reason", "message")
_MISSING = object()
# How the reason begins where the marks cannot be read or written, so that nothing may run.
STATE_FAULT = "chain state unavailable"


class Runtime:
    """What a dispatch may use of its surroundings.

    depth: of the chain so far. state: the guards' marks. scope: what they belong to. aborted: whether the user has interrupted the
    work. launcher, warm: the words of the configured commands, None where there is none. allow_remote: whether remote capacity may be
    warmed up. team: the configured team, empty: none. env: the variables of this process. config_dirs: folders that may hold
    `teams`. cwd: where actions run if the event names no folder. root: the folder against which a relative program is found.
    telemetry: None writes nothing. config_path, from_cache: where the configuration comes from, for the result.
    """

    __slots__ = (
        "aborted",
        "allow_remote",
        "config_dirs",
        "config_path",
        "cwd",
        "depth",
        "env",
        "from_cache",
        "launcher",
        "now_ms",
        "root",
        "scope",
        "state",
        "team",
        "telemetry",
        "warm",
    )

    def __init__(
        self,
        *,
        state: "ChainState",
        scope: str,
        now_ms: "Callable[[], int]",
        depth: int = 0,
        aborted: "Callable[[], bool] | None" = None,
        launcher: "Sequence[str] | None" = None,
        warm: "Sequence[str] | None" = None,
        allow_remote: bool = True,
        team: str = "",
        env: "Mapping[str, str] | None" = None,
        config_dirs: "Sequence[str]" = (),
        cwd: str = "",
        root: str = "",
        telemetry: "Telemetry | None" = None,
        config_path: str = "",
        from_cache: bool = False,
    ) -> None:
        self.state = state
        self.scope = scope
        self.now_ms = now_ms
        self.depth = depth
        self.aborted = aborted if aborted is not None else _never
        self.launcher = launcher
        self.warm = warm
        self.allow_remote = allow_remote
        self.team = team
        self.env = env if env is not None else {}
        self.config_dirs = config_dirs
        self.cwd = cwd
        self.root = root
        self.telemetry = telemetry
        self.config_path = config_path
        self.from_cache = from_cache


def _never() -> bool:
    return False


# ---- what the surroundings say


def switched_on(env: "Mapping[str, str]") -> bool:
    """Tell whether hook chains are on."""
    return env.get(SWITCH, "").strip().lower() in _TRUTHY


def config_path(env: "Mapping[str, str]", cwd: str) -> str:
    """Return the path of the configuration. `cwd`: the folder in which the session was started, absolute."""
    import os

    return os.path.normpath(os.path.join(cwd, env.get(PATH_VARIABLE) or DEFAULT_PATH))


def depth_of(env: "Mapping[str, str]") -> int:
    """Return how deep in a chain this process is."""
    word = env.get(DEPTH_VARIABLE, "").strip()
    if not word:
        return 0
    return int(word) if word.isascii() and word.isdigit() and len(word) < 4 else DEEPEST


def scope_of(payload: "Mapping[str, Any]", path: str) -> str:
    """Return what the guards' marks belong to: the session, or the configuration where the payload names no session."""
    return first_text(payload, ("session_id", "sessionId")) or f"file:{path}"


def outcome_of(event_name: str, blocked: bool = False) -> str:
    """Return the outcome with which an event is dispatched, empty where it is not. `blocked`: a hook refused the completion.

    Source: hook-chains.md section 2 [S].
    """
    outcomes = OUTCOMES.get(event_name, ("",))
    return outcomes[-1] if blocked else outcomes[0]


def runtime_of(
    settings: "ChainSettings",
    payload: "Mapping[str, Any]",
    *,
    env: "Mapping[str, str]",
    cwd: str,
    root: str,
    state_folder: str,
    path: str,
    from_cache: bool,
    depth: "int | None" = None,
) -> Runtime:
    """Return the surroundings of a dispatch in this process.

    Args:
        env: the variables of this process. cwd, root: the current folder and the project's. path: of the configuration.
        depth: None: what the environment says.
    """
    import os
    import time

    from rulewright.hook.chain_state import ChainState
    from rulewright.hook.telemetry import Telemetry

    def now_ms() -> int:
        return time.time_ns() // 1_000_000

    scope = scope_of(payload, path)
    # Source: harnesses.md section 7.2 [S].
    config_dir = env.get("OPENCLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".openclaude")
    return Runtime(
        state=ChainState(state_folder, scope, now_ms),
        scope=scope,
        now_ms=now_ms,
        depth=depth_of(env) if depth is None else depth,
        aborted=lambda: interrupted(payload),
        launcher=settings.launcher,
        warm=settings.warm,
        allow_remote=settings.allow_remote,
        team=settings.team,
        env=env,
        config_dirs=(os.path.abspath(config_dir),),
        cwd=cwd,
        root=root,
        telemetry=Telemetry(state_folder),
        config_path=path,
        from_cache=from_cache,
    )


def interrupted(payload: "Mapping[str, Any]") -> bool:
    """Tell whether the user has interrupted the call himself: there is nothing to recover from then [R]."""
    return payload.get("is_interrupt") is True


# ---- matching


def matches(rule: "Rule", event: "Event") -> bool:
    """Tell whether a rule is meant by an event."""
    return mismatch(rule, event) is None


def mismatch(rule: "Rule", event: "Event") -> "tuple[str, Any, Any] | None":
    """Return the first part of a rule that does not hold: its name, what it asks for, what is there; None where all hold."""
    if not rule.get("enabled", True):
        return "enabled", True, False
    trigger = rule["trigger"]
    if trigger["event"] != event["eventName"]:
        return "trigger.event", trigger["event"], event["eventName"]
    outcomes = trigger.get("outcomes")
    if outcomes and event["outcome"] not in outcomes:
        return "trigger.outcomes", outcomes, event["outcome"]
    condition = rule.get("condition")
    return _condition_mismatch(condition, event["payload"]) if condition else None


def _condition_mismatch(condition: "Mapping[str, Any]", payload: "Mapping[str, Any]") -> "tuple[str, Any, Any] | None":
    for part, names in (("toolNames", _TOOL), ("taskStatuses", _STATUS)):
        wanted = condition.get(part)
        found = first_text(payload, names)
        if wanted and found not in wanted:
            return f"condition.{part}", wanted, found or None
    wanted = condition.get("errorIncludes")
    if wanted:
        error = first_text(payload, _ERROR)
        if not any(part.lower() in error.lower() for part in wanted):
            return "condition.errorIncludes", wanted, error or None
    for path, expected in (condition.get("eventFieldEquals") or {}).items():
        value = field(payload, path)
        if not same(value, expected):
            return f"condition.eventFieldEquals.{path}", expected, None if value is _MISSING else value
    return None


def field(payload: "Mapping[str, Any]", path: str) -> "Any":
    """Return what a dot path leads to. Empty segments count for nothing; a number leads into a list, `length` to its length."""
    value: Any = payload
    for name in path.split("."):
        if not name:
            continue
        if isinstance(value, dict):
            value = value.get(name, _MISSING)
        elif isinstance(value, list) and name == "length":
            value = len(value)
        elif isinstance(value, list) and name.isascii() and name.isdigit() and str(int(name[:9])) == name:
            value = value[int(name)] if int(name) < len(value) else _MISSING
        else:
            return _MISSING
    return value


def same(value: object, expected: object) -> bool:
    """Compare strictly: a number is no text and no truth value; 1 and 1.0 are the same number."""
    if isinstance(value, bool) or isinstance(expected, bool):
        return value is expected
    if isinstance(value, (int, float)) and isinstance(expected, (int, float)):
        return value == expected
    return isinstance(value, str) and isinstance(expected, str) and value == expected


# ---- dispatch


def dispatch(compiled: "Mapping[str, Any]", event: "Event", runtime: Runtime) -> "dict[str, Any]":
    """Run the rules of a compiled configuration on one event.

    Returns the result as `chains run --json` prints it (cli.md). What cannot be done is a result too; nothing is raised but what a
    deadline raises.
    """
    config = compiled["config"]
    result: dict[str, Any] = {
        "enabled": bool(config["enabled"] and config["rules"]),
        "configPath": runtime.config_path,
        "fromCache": runtime.from_cache,
        "evaluatedRuleCount": 0,
        "matchedRuleIds": [],
        "actionResults": [],
    }
    if compiled.get("error"):
        result["error"] = compiled["error"]
    if not result["enabled"]:
        return result
    run = _Dispatch(config, event, runtime)
    if runtime.depth >= config["maxChainDepth"]:
        result["reason"] = depth_reason(config, runtime)
    else:
        result["evaluatedRuleCount"] = len(config["rules"])
        matched = [rule for rule in config["rules"] if matches(rule, event)]
        result["matchedRuleIds"] = [rule["id"] for rule in matched]
        for rule in matched:
            if runtime.aborted():
                result["reason"] = ABORTED
                break
            run.rule(rule)
        result["actionResults"] = run.results
    run.emit(
        "hook_chains_dispatch",
        evaluated_rules=result["evaluatedRuleCount"],
        matched_rules=len(result["matchedRuleIds"]),
        action_results=len(run.results),
    )
    return result


def depth_reason(config: "Mapping[str, Any]", runtime: Runtime) -> str:
    """Return why a chain as deep as this is not evaluated."""
    return f"max chain depth reached ({runtime.depth}/{config['maxChainDepth']})"


def cooldown_of(rule: "Rule", config: "Mapping[str, Any]") -> int:
    """Return the cooldown of a rule in ms."""
    window = rule.get("cooldownMs")
    return int(config["defaultCooldownMs"] if window is None else window)


def dedup_window_of(action: "Action", rule: "Rule", config: "Mapping[str, Any]") -> int:
    """Return the dedup window of an action in ms."""
    for window in (action.get("dedupWindowMs"), rule.get("dedupWindowMs")):
        if window is not None:
            return int(window)
    return int(config["defaultDedupWindowMs"])


def longest_window(config: "Mapping[str, Any]") -> int:
    """Return the longest window that any guard of a configuration has, in ms."""
    windows = [cooldown_of(rule, config) for rule in config["rules"]]
    windows += [dedup_window_of(action, rule, config) for rule in config["rules"] for action in rule["actions"]]
    return max(windows, default=0)


def event_identity(event: "Event") -> str:
    """Return the SHA-1 that stands for one event, payload and all. Source: hook-chains.md section 4 [S, O]."""
    from rulewright.hook.chain_state import sha1

    payload = event["payload"]
    identity = {
        "eventName": event["eventName"],
        "outcome": event["outcome"],
        "taskId": first_text(payload, TASK),
        "toolUseId": first_text(payload, ("tool_use_id", "toolUseId")),
        "sessionId": first_text(payload, ("session_id", "sessionId")),
        "error": first_text(payload, ERROR),
        "payload": payload,
    }
    return sha1(stable_json(identity))


def dedup_key(rule: "Rule", action: "Action", index: int, identity: str, scope: str) -> str:
    """Return the SHA-1 that stands for one action on one event. Source: hook-chains.md section 4 [S, O].

    Args:
        identity: of the event, worked out once for all actions: a payload may be large.
    """
    from rulewright.hook.chain_state import sha1

    action_id = action.get("id") or f"{action['type']}:{index}"
    return sha1(stable_json({"ruleId": rule["id"], "actionId": action_id, "event": identity, "scope": scope}))


def rule_guard(rule: "Rule", runtime: Runtime) -> str:
    """Return why a rule's own depth forbids it, empty where it does not."""
    limit = rule.get("maxDepth")
    if limit is not None and runtime.depth >= limit:
        return f"rule maxDepth reached ({runtime.depth}/{limit})"
    return ""


def cooldown_reason(standing: "tuple[str, int]") -> str:
    """Return why a cooldown, or a hold, forbids a rule; empty where nothing does."""
    return _hold_reason(standing) or (f"rule cooldown active for {standing[1]}ms" if standing[0] == "active" else "")


def dedup_reason(standing: "tuple[str, int]") -> str:
    """Return why a dedup mark, or a hold, forbids an action; empty where nothing does."""
    return _hold_reason(standing) or (f"dedup window active for {standing[1]}ms" if standing[0] == "active" else "")


def _hold_reason(standing: "tuple[str, int]") -> str:
    return f"chain state was damaged: no action for {standing[1]}ms" if standing[0] == "hold" else ""


class _Dispatch:
    """The rules of one event, one after the other."""

    __slots__ = ("_config", "_event", "_hold", "_identity", "_runtime", "results")

    def __init__(self, config: "Mapping[str, Any]", event: "Event", runtime: Runtime) -> None:
        self._config = config
        self._event = event
        self._runtime = runtime
        self._hold = longest_window(config)
        self._identity = ""
        self.results: list[dict[str, Any]] = []

    def rule(self, rule: "Rule") -> None:
        """Run one rule that matches."""
        from rulewright.hook.chain_state import ChainStateError

        runtime = self._runtime
        reason = rule_guard(rule, runtime)
        if not reason:
            try:
                standing = runtime.state.begin_cooldown(rule["id"], cooldown_of(rule, self._config), self._hold)
                reason = cooldown_reason(standing)
            except ChainStateError as error:
                reason = _state_reason(error)
        if reason:
            for action in rule["actions"]:
                self._note(rule, action, SKIPPED, reason)
            return
        self.emit("chain_rule_matched", rule_id=rule["id"])
        for index, action in enumerate(rule["actions"]):
            self._note(rule, action, *self._action(rule, action, index))

    def _action(self, rule: "Rule", action: "Action", index: int) -> "tuple[str, str, str]":
        """Run one action; return its status, reason and detail."""
        from rulewright.hook.chain_state import ChainStateError

        runtime = self._runtime
        if runtime.aborted():
            return SKIPPED, ABORTED, ""
        self._identity = self._identity or event_identity(self._event)
        key = dedup_key(rule, action, index, self._identity, runtime.scope)
        window = dedup_window_of(action, rule, self._config)
        try:
            # Set before the action begins, so that no failure and no kill can make it happen twice.
            reason = dedup_reason(runtime.state.mark_action(key, window, self._hold))
        except ChainStateError as error:
            reason = _state_reason(error)
        if reason:
            return SKIPPED, reason, ""
        if not action.get("enabled", True):
            return SKIPPED, DISABLED, ""
        from rulewright.hook import actions

        return actions.run(action, rule["id"], self._event, runtime)

    def _note(self, rule: "Rule", action: "Action", status: str, reason: str, detail: str = "") -> None:
        result = {"ruleId": rule["id"], "actionType": action["type"], "actionId": action.get("id"), "status": status}
        if reason:
            result["reason"] = reason
        if detail:
            result["detail"] = detail
        self.results.append(result)
        fields = {"rule_id": rule["id"], "action_type": action["type"], "action_id": action.get("id")}
        if status != EXECUTED:
            from rulewright.hook.telemetry import category

            fields["reason_category"] = category(reason)
        self.emit(f"chain_action_{status}", **fields)

    def emit(self, name: str, **fields: "Any") -> None:
        """Write one line of telemetry."""
        telemetry = self._runtime.telemetry
        if telemetry is not None:
            about = {
                "hook_event_name": self._event["eventName"],
                "outcome": self._event["outcome"],
                "chain_depth": self._runtime.depth,
            }
            telemetry.emit(name, {**fields, **about}, self._runtime.now_ms())


def _state_reason(error: Exception) -> str:
    return f"{STATE_FAULT} ({error}): no action"
