"""`rulewright hook`: answer one event of a harness, for people and for hand-written hooks.

What `install` writes calls `rulewright.hook_entry` instead, which starts faster; both run the same `hook.run`. The exit
code is never 2: several harnesses read that as a denial (style.md section 7 [R]).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

from rulewright import harness
from rulewright.commands.terminal import print_error
from rulewright.hook.chains import PATH_VARIABLE
from rulewright.hook.run import Call
from rulewright.hook.run import run as answer
from rulewright.settings import (
    CHAINS_FILE,
    FOYA_RULES,
    Settings,
    find_project_root,
    home_folder,
    index_path,
    state_folder,
)
from rulewright.text.language import Lang, Text


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `hook`."""
    parser.add_argument("--harness", required=True, metavar="NAME", help=HARNESS_HELP.to(lang))
    parser.add_argument("--event", default="", metavar="NAME", help=EVENT_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Answer the event on stdin with what is installed in the project, or with its Foya rules and hook chains alone.

    Returns 0, or 1 for an unknown harness.
    """
    if args.harness not in harness.NAMES:
        message = UNKNOWN.format(name=args.harness, names=", ".join(harness.NAMES))
        print_error(f"rulewright: {message.to(args.lang)}")
        return 1
    codec = harness.codec(args.harness)
    folder = os.environ.get(codec.PROJECT_VARIABLE) or os.getcwd()
    root = find_project_root(folder)
    index = index_path(root, args.harness)
    call = Call(codec, state_folder(), index, args.event)
    call.on_path = _import_folders
    call.trusted = True
    if not os.path.exists(index):
        # Foya's rules and hook chains hold in a project without being installed; what runs them is called by hand then.
        call.source = _index_without_packages(root, args.harness)
        if call.source is None:
            print_error(f"rulewright: {NOTHING.format(name=args.harness).to(args.lang)}")
            return 0
    reply = answer(call)
    for note in reply.notes:
        print_error(f"rulewright: {note}")
    delivered = True
    try:
        sys.stdout.buffer.write(reply.stdout)
        sys.stdout.flush()
    except OSError:
        delivered = False  # what nobody could read was not output
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if reply.settle is not None:
        reply.settle(delivered)
    if reply.later is not None:
        for note in reply.later():
            print_error(f"rulewright: {note}")
    return reply.exit


def _index_without_packages(root: str, name: str) -> bytes | None:
    """Return the index of a harness where no package is installed, None where there is nothing else either."""
    places = [os.path.join(root, FOYA_RULES), os.path.join(home_folder(), FOYA_RULES)]
    places.append(os.path.join(root, CHAINS_FILE))
    if not os.environ.get(PATH_VARIABLE) and not any(map(os.path.exists, places)):
        return None
    from rulewright.compiler import compile_index
    from rulewright.installing import beside_packages

    beside = beside_packages(Settings(root=root), name)
    return compile_index([], name, foya=beside.foya, chains=beside.chains) if beside else None


def _import_folders() -> list[str]:
    # Only where something has to be read anew: what it imports takes longer than an event.
    from rulewright.compiler import import_folders

    return import_folders()


NOTHING = Text(
    "nothing is installed for this project, so the event passes; run `rulewright install --harness {name}`",
    "这个项目没有安装规则，事件放行；请运行 `rulewright install --harness {name}`",
)
UNKNOWN = Text(
    "unknown harness `{name}`, so the event passes; known are {names}",
    "未知的 harness `{name}`，事件放行；可用的有 {names}",
)
HARNESS_HELP = Text("the harness that calls, for example claude-code", "调用者，例如 claude-code")
EVENT_HELP = Text(
    "its own name of the event, where the payload does not say it", "该 harness 的事件名（事件内容没有写明时需要）"
)
