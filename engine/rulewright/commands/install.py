"""`rulewright install`: put packages into a harness."""

from __future__ import annotations

import argparse
import os
import sys

from rulewright import installing
from rulewright.commands.terminal import language, print_error, wants_colour
from rulewright.installing import PackagesRefused, Plan, RulesRefused
from rulewright.report import diff, text
from rulewright.settings import find_project_root
from rulewright.text.language import Lang, Text
from rulewright.workspace import project_settings, show_path


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `install`."""
    add_target_arguments(parser, lang)
    closed = parser.add_mutually_exclusive_group()
    closed.add_argument(
        "--fail-closed", action="store_true", default=None, dest="fail_closed", help=FAIL_CLOSED_HELP.to(lang)
    )
    closed.add_argument(
        "--no-fail-closed", action="store_false", default=None, dest="fail_closed", help=NO_FAIL_CLOSED_HELP.to(lang)
    )
    parser.add_argument("--client-version", metavar="VERSION", help=CLIENT_VERSION_HELP.to(lang))


def add_target_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options that `install` and `uninstall` share."""
    parser.add_argument("--harness", required=True, nargs="+", metavar="NAME", help=HARNESS_HELP.to(lang))
    parser.add_argument("--scope", default="project", metavar="SCOPE", help=SCOPE_HELP.to(lang))
    parser.add_argument("--dry-run", action="store_true", help=DRY_RUN_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Install, or show what would be written. Returns 1 where packages are refused; then nothing is written."""
    settings = project_settings(find_project_root(os.getcwd()))
    lang = language(args, settings)

    def plan(name: str) -> Plan:
        return installing.plan_install(
            settings, name, args.scope, fail_closed=args.fail_closed, client_version=args.client_version
        )

    names = list(dict.fromkeys(args.harness))
    try:
        # All are planned before the first is written: a refusal of one changes nothing in the others.
        plans = [plan(name) for name in names]
    except (PackagesRefused, RulesRefused) as refused:
        tell_refusal(refused, lang)
        return 1
    for number, name in enumerate(names):
        if args.dry_run:
            show_changes(plans[number], lang)
        else:
            # The harness before may have written the same lock or instruction file.
            plans[number] = plan(name)
            installing.apply(plans[number])
            tell(plans[number], lang)
        tell_notes(plans[number], lang)
    return 0


def tell_refusal(refused: PackagesRefused | RulesRefused, lang: Lang) -> None:
    """Print why packages are not installed."""
    if isinstance(refused, PackagesRefused):
        sys.stdout.write(text.render(refused.outcome, lang, colour=wants_colour(sys.stdout)))
    else:
        sys.stdout.write("".join(f"{reason.to(lang)}\n" for reason in refused.reasons))
    print_error(f"rulewright: {refused.to(lang)}")


def show_changes(plan: Plan, lang: Lang) -> None:
    """Print the changes of a plan as a diff; of an index, which is no text to read, and of copies only that they change."""
    for change in plan.changes:
        name = _name_in(plan, change.path)
        if change.kind != "text":
            label = REMOVED if change.after is None else WRITTEN
            sys.stdout.write(f"# {label.format(name=name, size=len(change.after or b'')).to(lang)}\n")
            continue
        before, after = ((data or b"").decode("utf-8-sig", "replace") for data in (change.before, change.after))
        sys.stdout.write(diff.unified(before, after, name, new=change.before is None, gone=change.after is None))
    if not plan.changes:
        print_error(UNCHANGED.to(lang))


def tell(plan: Plan, lang: Lang) -> None:
    """Say on stderr what was installed and which files were written."""
    if not plan.changes:
        print_error(UNCHANGED.to(lang))
    what = [f"{package.name} {package.version}" for package in plan.packages]
    what += [name.to(lang) for name, on in ((FOYA, plan.foya), (CHAINS, plan.chains)) if on]
    events = ", ".join(plan.events) or "-"
    message = INSTALLED.format(harness=plan.harness, scope=plan.scope, packages=", ".join(what), events=events)
    print_error(message.to(lang))
    tell_files(plan)


def tell_files(plan: Plan) -> None:
    """Name the files of a plan on stderr."""
    for change in plan.changes:
        print_error(f"  {show_path(change.path)}")


def tell_notes(plan: Plan, lang: Lang) -> None:
    """Say on stderr what else the user should know."""
    for note in plan.notes:
        print_error(f"rulewright: {note.to(lang)}")


def _name_in(plan: Plan, path: str) -> str:
    relative = os.path.relpath(path, plan.root)
    return (path if relative.startswith("..") else relative).replace(os.sep, "/").lstrip("/")


HARNESS_HELP = Text("the harness, for example claude-code", "harness 的名称，例如 claude-code")
SCOPE_HELP = Text(
    "where to install: project (default), local (this project, only you), user (all your projects, packages of ~/.style/)",
    "安装范围：project（默认）、local（本项目，仅自己）、user（自己的所有项目，规则包取自 ~/.style/）",
)
DRY_RUN_HELP = Text("show the changes instead of writing them", "只显示改动，不写入文件")
FAIL_CLOSED_HELP = Text(
    "deny tool calls when the hook itself fails (claude-code 2.1.295 or newer); remembered for later install and sync",
    "hook 自身失败时拒绝工具调用（claude-code 2.1.295 及以上）；之后的 install 和 sync 沿用",
)
NO_FAIL_CLOSED_HELP = Text("take an earlier `--fail-closed` back", "取消之前的 `--fail-closed`")
CLIENT_VERSION_HELP = Text(
    "the version of the client, where it cannot be asked for it", "客户端的版本（无法自动得知时使用）"
)
UNCHANGED = Text("nothing to change", "无需改动")
INSTALLED = Text(
    "{packages} installed into {harness} ({scope}); events: {events}",
    "已把 {packages} 安装到 {harness}（{scope}）；事件：{events}",
)
FOYA = Text("Foya's rules", "Foya 规则")
CHAINS = Text("hook chains", "hook 链")
WRITTEN = Text("{name}: written ({size} bytes)", "{name}：写入（{size} 字节）")
REMOVED = Text("{name}: removed", "{name}：删除")
