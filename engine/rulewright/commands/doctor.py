"""`rulewright doctor`: is the hook installed, does it start, is the index fresh, how long does an event take."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from rulewright import installing
from rulewright.commands.terminal import language, print_error
from rulewright.installing.examining import Examined, Status, examine, left_behind
from rulewright.settings import find_project_root
from rulewright.text.language import Lang, Text
from rulewright.workspace import project_settings, show_path


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `doctor`."""
    parser.add_argument("--harness", nargs="+", default=[], metavar="NAME", help=HARNESS_HELP.to(lang))
    parser.add_argument("--scope", metavar="SCOPE", help=SCOPE_HELP.to(lang))
    parser.add_argument("--json", action="store_true", help=JSON_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Examine what is installed. Returns 1 where something is wrong, also where nothing is installed."""
    settings = project_settings(find_project_root(os.getcwd()))
    lang = language(args, settings)
    found = [examine(settings, lock) for lock in installing.installed(settings, args.scope, args.harness)]
    found += left_behind(settings, args.scope, args.harness)
    works = bool(found) and all(one.works for one in found)
    if args.json:
        sys.stdout.write(json.dumps(_data(found, works, lang), ensure_ascii=False, indent=2) + "\n")
    else:
        for one in found:
            _print(one, lang)
        if not found:
            print_error(f"rulewright: {NOTHING.to(lang)}")
    return 0 if works else 1


def _print(one: Examined, lang: Lang) -> None:
    verdict = WORKS if one.works else WRONG
    head = HEAD.format(harness=one.harness, scope=one.scope, verdict=verdict)
    sys.stdout.write(head.to(lang) + "\n")
    for check in one.checks:
        label = LABELS[check.status].to(lang)
        sys.stdout.write(f"  {label}{' ' * (WIDTH - _columns(label))}{check.message.to(lang)}\n")


def _columns(text: str) -> int:
    return sum(2 if ord(char) > 0x2E80 else 1 for char in text)


def _data(found: Sequence[Examined], works: bool, lang: Lang) -> dict[str, object]:
    return {
        "version": 1,
        "ok": works,
        "installs": [
            {
                "harness": one.harness,
                "scope": one.scope,
                "path": show_path(one.host),
                "ok": one.works,
                "fails": one.fails,
                "milliseconds": None if one.milliseconds is None else round(one.milliseconds, 1),
                "checks": [
                    {"check": check.name, "status": check.status, "message": check.message.to(lang)}
                    for check in one.checks
                ],
            }
            for one in found
        ],
    }


HEAD = Text("{harness} ({scope}): {verdict}", "{harness}（{scope}）：{verdict}")
WORKS = Text("works", "正常")
WRONG = Text("something is wrong", "有问题")
WIDTH = 9
LABELS: dict[Status, Text] = {
    "ok": Text("ok", "正常"),
    "info": Text("note", "说明"),
    "warning": Text("warning", "警告"),
    "error": Text("error", "错误"),
}
HARNESS_HELP = Text(
    "only these harnesses (default: all that are installed)", "只检查这些 harness（默认：所有已安装的）"
)
SCOPE_HELP = Text(
    "only this scope: project, local or user (default: all)", "只检查这个范围：project、local 或 user（默认：全部）"
)
JSON_HELP = Text("print JSON", "以 JSON 输出")
NOTHING = Text(
    "nothing is installed here; run `rulewright install --harness NAME`",
    "这里没有安装任何内容；请运行 `rulewright install --harness NAME`",
)
