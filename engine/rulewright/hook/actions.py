"""The actions of a chain: start a fallback agent, tell a team, warm up remote capacity. Loaded only when an action runs.

Programs are started from a list of words, never through a shell: what an event or a rule says is one argument, whatever is in
it. Sources: hook-chains.md section 6 [R], harnesses.md sections 2.9, 5.4, 7.2 and 9.
"""

import os
import sys

from rulewright.hook.chain_text import ABORTED, DEPTH_VARIABLE, EXECUTED, FAILED, SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rulewright.hook.chains import Action, Event, Runtime

    Outcome = tuple[str, str, str]
    # What an action would do: the outcome if it does nothing, else what it is about and the call that does it.
    Plan = tuple[Outcome | None, str, Callable[[], Outcome]]

NO_LAUNCHER = "No fallback agent launcher is registered in runtime context"
NO_TEAM = "No team context is available for notify_team action"
NO_RECIPIENTS = "No eligible recipients for notify_team action"
BLOCKED = "Remote sessions are blocked by policy"
NO_BRIDGE = "Bridge is not active; warm_remote_capacity is a safe no-op"

# Variables of the environment. The team's is named by OpenClaude's mailbox and by Claude Code for its teammates, the sender's by the
# latter.
TEAM_VARIABLE = "CLAUDE_CODE_TEAM_NAME"
SENDER_VARIABLE = "CLAUDE_CODE_AGENT_NAME"
# Set for the warm command where an action says `createDefaultEnvironmentIfMissing: true`, else not [R].
CREATE_VARIABLE = "RULEWRIGHT_CREATE_DEFAULT_ENVIRONMENT"
# What makes a client take itself for a child of the session that called the hook. Source: harnesses.md sections 5.4 and 9.
SESSION_VARIABLES = (
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
)
# Places in the words of a command, and those that may have no value.
LAUNCH_PLACES = ("prompt", "description", "agentType", "model", "cwd")
WARM_PLACES = ("createDefaultEnvironmentIfMissing", "cwd")
OPTIONAL = ("agentType", "model", "createDefaultEnvironmentIfMissing")
_BATCH = (".bat", ".cmd")
# Bytes of one word: Linux takes no longer one (MAX_ARG_STRLEN in execve(2), with the NUL at its end).
_LONGEST_WORD = 128 * 1024 - 1


def run(action: "Action", rule_id: str, event: "Event", runtime: "Runtime") -> "Outcome":
    """Run an enabled action. Returns status, reason and detail."""
    outcome, _, perform = plan(action, rule_id, event, runtime)
    return perform() if outcome is None else outcome


def plan(action: "Action", rule_id: str, event: "Event", runtime: "Runtime") -> "Plan":
    """Work out what an action would do, without doing it."""
    if runtime.aborted():
        return (SKIPPED, ABORTED, ""), "", _nothing
    if action["type"] == "spawn_fallback_agent":
        return _plan_launch(action, rule_id, event, runtime)
    if action["type"] == "notify_team":
        return _plan_message(action, rule_id, event, runtime)
    return _plan_warm(action, event, runtime)


def _nothing() -> "Outcome":
    raise AssertionError("an action that does nothing was run")


# ---- spawn_fallback_agent


def _plan_launch(action: "Action", rule_id: str, event: "Event", runtime: "Runtime") -> "Plan":
    from rulewright.hook import chain_text

    if not runtime.launcher:
        return (FAILED, NO_LAUNCHER, ""), "", _nothing
    cwd = _folder(event, runtime)
    values = {
        "prompt": chain_text.prompt(action, rule_id, event),
        "description": chain_text.description(action, event),
        "agentType": action.get("agentType") or "",
        "model": action.get("model") or "",
        "cwd": cwd,
    }
    words = fill_words(runtime.launcher, values)

    def perform() -> "Outcome":
        number, failure = start(words, _environment(runtime), cwd, runtime.root)
        if failure:
            return FAILED, f"Fallback agent launch failed: {failure}", ""
        return EXECUTED, "", f"Fallback agent launched: process {number}"

    return None, _program(words), perform


# ---- notify_team


def _plan_message(action: "Action", rule_id: str, event: "Event", runtime: "Runtime") -> "Plan":
    from rulewright.hook import chain_text, mailbox

    team = (
        action.get("teamName")
        or runtime.team
        or chain_text.first_text(event["payload"], ("team_name", "teamName"))
        or runtime.env.get(TEAM_VARIABLE, "")
    )
    if not team:
        return (SKIPPED, NO_TEAM, ""), "", _nothing
    for folder in runtime.config_dirs:
        members = mailbox.read_members(folder, team)
        if members is not None:
            break
    else:
        return (SKIPPED, f"Team file not found for team {team}", ""), "", _nothing
    sender = runtime.env.get(SENDER_VARIABLE) or mailbox.SENDER
    chosen = mailbox.recipients(action.get("recipients"), [member["name"] for member in members], sender)
    if not chosen:
        return (SKIPPED, NO_RECIPIENTS, ""), "", _nothing
    color = next((member.get("color") for member in members if member["name"] == sender), None)

    def perform() -> "Outcome":
        message = mailbox.compose(
            sender,
            chain_text.message(action, rule_id, event),
            chain_text.summary(action, rule_id, event),
            color if isinstance(color, str) else "",
            runtime.now_ms(),
        )
        failures: list[str] = []
        for name in chosen:
            try:
                mailbox.deliver(mailbox.inbox(folder, team, name), message)
            except mailbox.MailboxError as error:
                failures.append(f"the mailbox of {name}: {error}")
        sent = len(chosen) - len(failures)
        if not sent:
            return FAILED, f"Team notification failed: {'; '.join(failures)}", ""
        detail = f"Team notification sent to {sent} recipient(s)"
        return EXECUTED, "", "; ".join([detail, *failures])

    return None, ", ".join(chosen), perform


# ---- warm_remote_capacity


def _plan_warm(action: "Action", event: "Event", runtime: "Runtime") -> "Plan":
    if not runtime.allow_remote:
        return (SKIPPED, BLOCKED, ""), "", _nothing
    if not runtime.warm:
        return (SKIPPED, NO_BRIDGE, ""), "", _nothing
    creates = action.get("createDefaultEnvironmentIfMissing") is True
    cwd = _folder(event, runtime)
    words = fill_words(runtime.warm, {"createDefaultEnvironmentIfMissing": "true" if creates else "", "cwd": cwd})

    def perform() -> "Outcome":
        env = _environment(runtime)
        env.pop(CREATE_VARIABLE, None)
        if creates:
            env[CREATE_VARIABLE] = "1"
        number, failure = start(words, env, cwd, runtime.root)
        if failure:
            return FAILED, f"Remote warm-up failed: {failure}", ""
        return EXECUTED, "", f"Remote warm-up started: process {number}"

    return None, _program(words), perform


# ---- programs


def fill_words(command: "Sequence[str]", values: "Mapping[str, str]") -> "list[str]":
    """Put values in the `{name}` places of a command's words, once; each word stays one argument. The program's name has no places.

    - A word with a place of OPTIONAL that has no value is left out; if the place is the whole word, so is the option before it
      (`--model {model}`).
    - A word that begins with a place whose value begins with `-` gets a space in front, so that no value becomes an option.
    - NUL and halves of surrogate pairs, which no argument can hold, become U+FFFD. What is too long for an argument is cut.
    """
    import re

    places = re.compile(r"\{(" + "|".join(values) + r")\}")
    words = list(command[:1])
    for word in command[1:]:
        named = places.findall(word)
        if any(name in OPTIONAL and not values[name] for name in named):
            if places.fullmatch(word) and len(words) > 1 and words[-1].startswith("-") and "=" not in words[-1]:
                words.pop()
            continue
        filled = places.sub(lambda found: values[found[1]], word)
        if filled.startswith("-") and places.match(word):
            filled = " " + filled
        words.append(_argument(filled))
    return words


def _argument(text: str) -> str:
    from rulewright.hook.chain_text import cut
    from rulewright.hook.json_text import utf8

    return cut(utf8(text.replace("\0", "\ufffd")).decode("utf-8"), _LONGEST_WORD)


def start(words: "Sequence[str]", env: "Mapping[str, str]", cwd: str, root: str = "") -> "tuple[int, str]":
    """Start a program that outlives this process: its own session, nothing inherited, nothing waited for.

    Args:
        cwd: where it runs, an existing folder. root: where its name leads from, if it is a relative path: never from `cwd`, which an
            event names.

    Returns:
        The process number, or 0 and why it could not be started.
    """
    import subprocess

    program = words[0]
    if os.path.dirname(program) and not os.path.isabs(program):
        program = os.path.normpath(os.path.join(root, program))
    if sys.platform == "win32" and program.lower().endswith(_BATCH):
        return 0, f"{words[0]} is a batch file, which Windows runs in a shell; name the program that it calls"
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        process = subprocess.Popen(
            [program, *words[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            cwd=cwd or None,
            env=dict(env),
            **apart,
        )
    except FileNotFoundError:
        if os.path.dirname(program) and os.path.isfile(program):
            return 0, f"{words[0]}: the interpreter that its first line names is not there"
        return 0, f"there is no program {words[0]}"
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return 0, f"{words[0]}: {reason or type(error).__name__}"
    process.returncode = 0  # It is on its own: nobody waits for its end.
    return process.pid, ""


def _environment(runtime: "Runtime") -> "dict[str, str]":
    """Return the variables of a started program: ours, without what ties it to the session, and one level deeper."""
    env = {name: value for name, value in runtime.env.items() if name not in SESSION_VARIABLES}
    env[DEPTH_VARIABLE] = str(runtime.depth + 1)
    return env


def _folder(event: "Event", runtime: "Runtime") -> str:
    """Return the folder that an action runs in: the event's where it exists."""
    folder = event["payload"].get("cwd")
    if isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder and os.path.isdir(folder):
        return folder
    return runtime.cwd


def _program(words: "Sequence[str]") -> str:
    return words[0] if words else ""


# ---- telemetry


def export(lines: "Sequence[str]", endpoint: str, folder: str, env: "Mapping[str, str]") -> str:
    """Start a process of ours that sends lines of telemetry to a collector. Returns why it could not, empty where it could.

    Args:
        folder: the state folder, where the lines wait for it.
    """
    import time

    from rulewright.hook.state import open_private

    path = f"{folder}/chains/export-{os.getpid()}-{time.time_ns()}"
    try:
        descriptor = open_private(path, os.O_WRONLY | os.O_EXCL)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write("\n".join(lines))
    except OSError as error:
        return error.strerror or type(error).__name__
    # The folders of this process come behind the standard library, and the folder that it runs in is not among them.
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    places = [place for place in sys.path if os.path.isabs(place)] + [package]
    code = f"import sys;sys.path+={places!r};from rulewright.telemetry_otel import main;main()"
    _, failure = start([sys.executable, "-P", "-c", code, endpoint, path], env, folder)
    if failure:
        os.unlink(path)
    return failure
