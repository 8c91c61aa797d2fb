"""`rulewright uninstall`: take an installation out again and leave everything else as it was."""

from __future__ import annotations

import argparse
import os

from rulewright import installing
from rulewright.commands.install import add_target_arguments, show_changes, tell_files
from rulewright.commands.terminal import language, print_error
from rulewright.settings import find_project_root
from rulewright.text.language import Lang, Text
from rulewright.workspace import project_settings


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `uninstall`."""
    add_target_arguments(parser, lang)


def run(args: argparse.Namespace) -> int:
    """Uninstall, or show what would be written. Nothing installed is fine: there is nothing to do."""
    settings = project_settings(find_project_root(os.getcwd()))
    lang = language(args, settings)
    for name in dict.fromkeys(args.harness):
        plan = installing.plan_uninstall(settings, name, args.scope)
        if not plan.changes:
            print_error(NOTHING.format(harness=name, scope=args.scope).to(lang))
        elif args.dry_run:
            show_changes(plan, lang)
        else:
            installing.apply(plan)
            print_error(GONE.format(harness=name, scope=args.scope).to(lang))
            tell_files(plan)
    return 0


NOTHING = Text("nothing is installed in {harness} ({scope})", "{harness}（{scope}）中没有安装任何内容")
GONE = Text("taken out of {harness} ({scope})", "已从 {harness}（{scope}）中移除")
