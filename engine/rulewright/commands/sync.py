"""`rulewright sync`: bring what is installed up to date with its packages, with the options that the lock remembers."""

from __future__ import annotations

import argparse
import os

from rulewright import installing
from rulewright.commands.install import show_changes, tell, tell_notes, tell_refusal
from rulewright.commands.terminal import language, print_error
from rulewright.installing import PackagesRefused, RulesRefused
from rulewright.settings import find_project_root
from rulewright.text.language import Lang, Text
from rulewright.workspace import project_settings


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `sync`."""
    parser.add_argument("--harness", nargs="+", default=[], metavar="NAME", help=HARNESS_HELP.to(lang))
    parser.add_argument("--scope", metavar="SCOPE", help=SCOPE_HELP.to(lang))
    parser.add_argument("--dry-run", action="store_true", help=DRY_RUN_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Sync, or show what would be written. Returns 1 where packages are refused; then nothing is written."""
    settings = project_settings(find_project_root(os.getcwd()))
    lang = language(args, settings)
    found = installing.installed(settings, args.scope, args.harness)
    if not found:
        print_error(NOTHING.to(lang))
        return 0
    try:
        plans = [installing.plan_sync(settings, lock) for lock in found]
    except (PackagesRefused, RulesRefused) as refused:
        tell_refusal(refused, lang)
        return 1
    for number, lock in enumerate(found):
        if args.dry_run:
            show_changes(plans[number], lang)
        else:
            plans[number] = installing.plan_sync(settings, lock)
            installing.apply(plans[number])
            tell(plans[number], lang)
        tell_notes(plans[number], lang)
    return 0


HARNESS_HELP = Text(
    "only these harnesses (default: all that are installed)", "只处理这些 harness（默认：所有已安装的）"
)
SCOPE_HELP = Text(
    "only this scope: project, local or user (default: all)", "只处理这个范围：project、local 或 user（默认：全部）"
)
DRY_RUN_HELP = Text("show the changes instead of writing them", "只显示改动，不写入文件")
NOTHING = Text(
    "nothing is installed here; run `rulewright install --harness NAME`",
    "这里没有安装任何内容；请运行 `rulewright install --harness NAME`",
)
