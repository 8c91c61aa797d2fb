"""`rulewright install`: put the packages of the project into a harness."""

from __future__ import annotations

import argparse
import os
import sys

from rulewright import installing
from rulewright.commands.terminal import language, print_error, wants_colour
from rulewright.errors import RulewrightError
from rulewright.installing import PackagesRefused, Plan
from rulewright.report import diff, text
from rulewright.settings import INDEX_SUFFIX, find_project_root
from rulewright.text.language import Lang, Text
from rulewright.workspace import project_settings, show_path


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `install`."""
    add_target_arguments(parser, lang)
    # Named so that asking for it gets a plain answer instead of a guess at another option.
    parser.add_argument("--fail-closed", action="store_true", help=argparse.SUPPRESS)


def add_target_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options that `install` and `uninstall` share."""
    parser.add_argument("--harness", required=True, nargs="+", metavar="NAME", help=HARNESS_HELP.to(lang))
    parser.add_argument("--scope", default="project", metavar="SCOPE", help=SCOPE_HELP.to(lang))
    parser.add_argument("--dry-run", action="store_true", help=DRY_RUN_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Install, or show what would be written. Returns 1 where packages have errors; then nothing is written."""
    if args.fail_closed:
        raise RulewrightError(NO_FAIL_CLOSED, NO_FAIL_CLOSED_HINT)
    settings = project_settings(find_project_root(os.getcwd()))
    lang = language(args, settings)
    for name in args.harness:
        try:
            plan = installing.plan_install(settings, name, args.scope)
        except PackagesRefused as refused:
            sys.stdout.write(text.render(refused.outcome, lang, colour=wants_colour(sys.stdout)))
            print_error(f"rulewright: {refused.to(lang)}")
            return 1
        if args.dry_run:
            show_changes(plan, lang)
        else:
            installing.apply(plan)
            _tell(plan, name, lang)
        for note in plan.notes:
            print_error(f"rulewright: {note.to(lang)}")
    return 0


def show_changes(plan: Plan, lang: Lang) -> None:
    """Print the changes of a plan as a diff; of the index, which is no text to read, only that it changes."""
    for change in plan.changes:
        name = os.path.relpath(change.path, plan.root).replace(os.sep, "/")
        if change.path.endswith(INDEX_SUFFIX):
            label = REMOVED if change.after is None else WRITTEN
            sys.stdout.write(f"# {label.format(name=name, size=len(change.after or b'')).to(lang)}\n")
            continue
        before, after = ((data or b"").decode("utf-8-sig", "replace") for data in (change.before, change.after))
        sys.stdout.write(diff.unified(before, after, name, new=change.before is None, gone=change.after is None))
    if not plan.changes:
        print_error(UNCHANGED.to(lang))


def _tell(plan: Plan, name: str, lang: Lang) -> None:
    if not plan.changes:
        print_error(UNCHANGED.to(lang))
    rules = ", ".join(f"{package.name} {package.version}" for package in plan.packages)
    print_error(INSTALLED.format(harness=name, packages=rules, events=", ".join(plan.events) or "-").to(lang))
    for change in plan.changes:
        print_error(f"  {show_path(change.path)}")


HARNESS_HELP = Text("the harness, for example claude-code", "harness 的名称，例如 claude-code")
SCOPE_HELP = Text("where to install: project", "安装范围：project")
DRY_RUN_HELP = Text("show the changes instead of writing them", "只显示改动，不写入文件")
NO_FAIL_CLOSED = Text("`--fail-closed` is not available yet", "`--fail-closed` 尚不可用")
NO_FAIL_CLOSED_HINT = Text(
    "rules with `fail: closed` work without it; nothing was changed",
    "`fail: closed` 的规则不需要它即可生效；没有改动任何内容",
)
UNCHANGED = Text("nothing to change", "无需改动")
INSTALLED = Text(
    "{packages} installed into {harness}; events: {events}", "已把 {packages} 安装到 {harness}；事件：{events}"
)
WRITTEN = Text("{name}: written ({size} bytes)", "{name}：写入（{size} 字节）")
REMOVED = Text("{name}: removed", "{name}：删除")
