"""Hook chains at an event of a harness: its configuration from a cache, the event in OpenClaude's words, and what failed.

Loaded only where the index says that chains are dispatched and the environment switches them on, and run once the answer is printed,
so that nothing waits for it. Source: hook-chains.md sections 1, 2 and 6.
"""

import sys
import time

from rulewright.hook import cache, chain_settings, chains, deadline

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event
    from rulewright.hook.run import Call

KIND = "chains"
# canonical event: OpenClaude's name of it. Source: hook-chains.md section 2 [O].
NAMES = {"tool.error": "PostToolUseFailure", "task.completed": "TaskCompleted"}
_SHARE = 0.7
REFUSED = "the commands of the settings were changed since they were agreed to: run `rulewright sync`"


class Prepared:
    """Hook chains at one event, ready to be dispatched. refused: commands of the settings are left out, see `rulewright.caching`."""

    __slots__ = ("compiled", "event", "refused", "runtime", "settings")

    def __init__(
        self,
        compiled: "dict[str, Any]",
        event: "dict[str, Any]",
        runtime: chains.Runtime,
        settings: chain_settings.ChainSettings,
        refused: bool,
    ) -> None:
        self.compiled = compiled
        self.event = event
        self.runtime = runtime
        self.settings = settings
        self.refused = refused


def dispatch(call: "Call", event: "Event", folder: str, blocked: bool) -> "list[str]":
    """Dispatch the chains of an event and return what the user should know: only what failed.

    Args:
        folder: in which the session was started. blocked: our own answer refuses the event.
    """
    prepared, notes = prepare(call, event, folder, blocked)
    if prepared is None:
        return notes
    result = chains.dispatch(prepared.compiled, prepared.event, prepared.runtime)
    for item in result["actionResults"]:
        if item["status"] == chains.FAILED:
            notes += failure_notes(prepared, item["ruleId"], item["actionType"], item["reason"])
        elif item.get("reason", "").startswith(chains.STATE_FAULT):
            notes.append(f"the hook chain {item['ruleId']}: {item['actionType']} was not run: {item['reason']}")
    telemetry = prepared.runtime.telemetry
    if telemetry is not None and telemetry.failure:
        notes.append(f"the lines of the hook chains cannot be written: {telemetry.failure}")
    if prepared.settings.endpoint and telemetry is not None and telemetry.lines:
        from rulewright.hook import actions

        failure = actions.export(telemetry.lines, prepared.settings.endpoint, call.state, prepared.runtime.env)
        if failure:
            notes.append(f"the lines of the hook chains cannot be sent: {failure}")
    return notes


def failure_notes(prepared: Prepared, rule_id: str, action_type: str, reason: str) -> "list[str]":
    """Return what the user should know of an action that failed."""
    note = f"the hook chain {rule_id}: {action_type} failed: {reason}"
    return [note, REFUSED] if prepared.refused else [note]


def prepare(call: "Call", event: "Event", folder: str, blocked: bool) -> "tuple[Prepared | None, list[str]]":
    """Return what is to be dispatched at an event, None for nothing, and notes. The arguments are those of `dispatch`."""
    name = NAMES.get(event["event"])
    if name is None:
        return None, []
    env = environment()
    path = chains.config_path(env, folder or ".")
    root = root_of(call.index, folder)
    loaded = load(call, path, root)
    notes = [loaded.note] if loaded.note else []
    data = loaded.data
    if data is None:
        return None, notes
    settings, faults = chain_settings.read(data["tables"])
    if loaded.renewed:
        notes += [f"the hook chains: {note}" for note in data["notes"]]
        notes += [f"the settings of hook chains: `{key}` {english}" for key, english, _ in faults]
    compiled = data["compiled"]
    if compiled is None or settings.dispatch == chain_settings.HOST:
        return None, notes
    if compiled["error"]:
        return None, [*notes, f"the hook chains cannot be used: {compiled['error']}"]
    payload = payload_of(call.payload, event)
    runtime = chains.runtime_of(
        settings,
        payload,
        env=env,
        cwd=folder,
        root=root,
        state_folder=call.state,
        path=path,
        from_cache=not loaded.renewed,
    )
    outcome = chains.outcome_of(name, blocked or failed(payload))
    called = {"eventName": name, "outcome": outcome, "payload": payload}
    return Prepared(compiled, called, runtime, settings, data["refused"]), notes


def load(call: "Call", path: str, root: str) -> cache.Loaded:
    """Return the configuration: `compiled` (None: there is no file), `tables` of the settings, `refused` and `notes`."""
    trusted = "1" if call.trusted else "0"
    file = cache.path_of(call.state, KIND, path, root, trusted)

    def renew(seconds: float) -> str:
        from rulewright.hook import child

        words = [KIND, file, root, path, call.state, trusted]
        return child.run_module("rulewright.caching", words, seconds, call.on_path() if call.on_path else None)

    # A failure comes once: without the rules, or with old ones, its actions would be lost. The answer is out, so nobody waits.
    return cache.load(file, KIND, deadline.left() * _SHARE, renew, time.sleep)


def root_of(index: str, folder: str) -> str:
    """Return the folder with the settings: that of a project's installation, else where the session was started."""
    found, _, name = index.replace("\\", "/").rpartition("/")[0].rpartition("/")
    return found if name == ".style" else folder or "."


def payload_of(raw: "dict[str, Any]", event: "Event") -> "dict[str, Any]":
    """Return a payload with the names that conditions ask for, where the harness has others for them."""
    tool, session = event.get("tool", {}), event.get("session", {})
    known = {
        "tool_name": tool.get("native_name"),
        "error": tool.get("error"),
        "session_id": session.get("id") if isinstance(session, dict) else None,
    }
    return {**raw, **{name: value for name, value in known.items() if isinstance(value, str) and name not in raw}}


def failed(payload: "dict[str, Any]") -> bool:
    """Tell whether the payload of a completed task says that it failed."""
    from rulewright.hook.chain_text import first_text

    return first_text(payload, ("task_status", "taskStatus", "status")).lower() == "failed"


def environment() -> "dict[str, str]":
    """Return the variables of this process; what is not UTF-8 goes on to a started program as it is."""
    if sys.platform == "win32":
        return dict(system.environ)
    return {
        name.decode("utf-8", "surrogateescape"): value.decode("utf-8", "surrogateescape")
        for name, value in system.environ.items()
    }
