"""`rulewright rule`: Foya rules listed, shown, loaded and tried on a text. Making and changing them is in `rule_write`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rulewright import files, harness
from rulewright.commands.terminal import language, print_error, read_stdin, wants_colour
from rulewright.errors import RulewrightError
from rulewright.foya_set import RuleEntry, RuleSet, explain_match, read_rules, settings_strict
from rulewright.hook import activity
from rulewright.report import rules as report
from rulewright.settings import Settings, find_project_root, state_folder
from rulewright.text.language import LANGUAGES, Lang, Text
from rulewright.workspace import did_you_mean, project_settings

ACTIVITY_LIMIT = 50_000_000
"""Bytes of an activity text on stdin. Our own limit [R]: far above what a turn carries."""


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the sub-commands of `rule` and their options."""
    from rulewright.commands import rule_write

    commands = parser.add_subparsers(
        dest="what", metavar=Text("COMMAND", "命令").to(lang), title=Text("commands", "命令").to(lang), required=True
    )
    for name, text in (*HELP.items(), *((name, WRITE_HELP[name]) for name in rule_write.NAMES)):
        sub = commands.add_parser(
            name, help=text.to(lang), description=text.to(lang), add_help=False, allow_abbrev=False
        )
        sub.add_argument("-h", "--help", action="help", help=HELP_HELP.to(lang))
        sub.add_argument(
            "--lang", choices=LANGUAGES, metavar="LANG", default=argparse.SUPPRESS, help=LANG_HELP.to(lang)
        )
        if name not in _RUN:
            rule_write.add_arguments(name, sub, lang)
            continue
        sub.add_argument("--project", metavar="DIR", help=PROJECT_HELP.to(lang))
        if name == "show":
            sub.add_argument("name", nargs="?", metavar="NAME", help=NAME_HELP.to(lang))
            sub.add_argument("--harness", metavar="NAME", help=HARNESS_HELP.to(lang))
        elif name == "load":
            sub.add_argument("name", metavar="NAME", help=NAME_HELP.to(lang))
        elif name == "match":
            sub.add_argument("text", metavar="TEXT", help=TEXT_HELP.to(lang))
            sub.add_argument("--strict", action="store_true", help=STRICT_HELP.to(lang))
        if name in ("list", "match"):
            sub.add_argument("--json", action="store_true", help=JSON_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Run a sub-command. Returns 0; 2 where a file of rules cannot be read, after all else was printed."""
    if args.what not in _RUN:
        from rulewright.commands import rule_write

        return rule_write.run(args.what, args)
    project = _project(args)
    _RUN[args.what](args, project)
    for failure in project.rules.failures:
        print_error(f"rulewright: {failure.to(project.lang)}")
    return 2 if project.rules.failures else 0


@dataclass(frozen=True, slots=True)
class _Project:
    """The project that is asked about. strict: its settings ask for the reading of Foya's own program."""

    root: str
    settings: Settings
    lang: Lang
    rules: RuleSet
    strict: bool

    def compiled(self, strict: bool | None = None) -> list[dict[str, Any]]:
        """Return the rules that count, in order."""
        return self.rules.program if (self.strict if strict is None else strict) else self.rules.rules


def _project(args: argparse.Namespace) -> _Project:
    if args.project is None:
        root = find_project_root(os.getcwd())
    elif os.path.isdir(args.project):
        root = os.path.abspath(args.project)
    else:
        raise files.file_error(args.project, FileNotFoundError())
    settings = project_settings(root)
    return _Project(root, settings, language(args, settings), read_rules(root), settings_strict(settings))


def _list(args: argparse.Namespace, project: _Project) -> None:
    entries = project.rules.entries
    if args.json:
        _print_json([report.list_row(entry) for entry in entries])
    elif entries:
        sys.stdout.write(report.render_list(entries, project.lang, colour=wants_colour(sys.stdout)))
    else:
        print_error(f"rulewright: {NONE.format(path=project.root).to(project.lang)}")


def _show(args: argparse.Namespace, project: _Project) -> None:
    if args.name is not None:
        _show_rules(args.name, project)
    elif args.harness is not None:
        _show_at(args.harness, project)
    else:
        rules = project.compiled()
        always = [rule for rule, _ in activity.select(rules, "", project.strict)]
        blocks = [activity.direct_block(always)[0], activity.index_block(activity.index(rules))[0]]
        _print_blocks("\n\n".join(block for block in blocks if block), project.lang)


def _show_rules(name: str, project: _Project) -> None:
    found = [entry for entry in project.rules.entries if name in _names(entry)]
    if not found:
        raise RulewrightError(UNKNOWN.format(name=name), did_you_mean(name, _all_names(project.rules.entries)))
    colour = wants_colour(sys.stdout)
    sys.stdout.write("\n".join(report.render_rule(entry, project.lang, colour=colour) for entry in found))


def _show_at(name: str, project: _Project) -> None:
    """Print what a new session of a harness gets at its beginning, as the hook puts it together."""
    from rulewright.hook.foya_due import give_rules
    from rulewright.hook.state import State

    if name not in harness.NAMES:
        raise RulewrightError(
            UNKNOWN_HARNESS.format(name=name),
            did_you_mean(name, harness.NAMES) or KNOWN.format(names=", ".join(harness.NAMES)),
        )
    codec = harness.codec(name)
    if codec.LOADS_FOYA_RULES:
        print_error(f"rulewright: {LOADS_ITSELF.format(name=name).to(project.lang)}")
        return
    # A session of which nothing is known, and of which nothing is kept.
    state = State(os.path.join(state_folder(), "none"), name, "new", looks=True)
    rules, room, size = project.compiled(), codec.TEXT_LIMIT, codec.text_size
    given = give_rules(rules, state, "", project.root, room, size, strict=project.strict, alone=True)
    _print_blocks(given.text, project.lang)
    for note in given.notes:
        print_error(f"rulewright: {note}")


def _print_blocks(text: str, lang: Lang) -> None:
    if text:
        sys.stdout.write(f"{text}\n")
    else:
        print_error(f"rulewright: {NOTHING_AT_START.to(lang)}")


def _load(args: argparse.Namespace, project: _Project) -> None:
    rules = project.compiled()
    # Project rules win where two have one name.
    rule = activity.find_loadable(sorted(rules, key=lambda rule: rule["scope"] != "project"), args.name)
    if rule is not None:
        sys.stdout.write(activity.load_block(rule) + "\n")
        return
    loadable = [word for rule in activity.index(rules) for word in (rule["name"], rule["id"])]
    other = next((rule for rule in rules if args.name in (rule["name"], rule["id"])), None)
    if other is not None:
        raise RulewrightError(NOT_LOADABLE.format(name=args.name, trigger=other["trigger"]))
    raise RulewrightError(NO_LOADABLE.format(name=args.name), did_you_mean(args.name, loadable))


def _match(args: argparse.Namespace, project: _Project) -> None:
    text = read_stdin(ACTIVITY_LIMIT).decode("utf-8", "replace") if args.text == "-" else args.text
    strict = args.strict or project.strict
    matches = [explain_match(entry, text, strict=strict, project=project.root) for entry in project.rules.entries]
    rules = project.compiled(strict)
    awake = [rule for rule, _ in activity.select(rules, text, strict, project.root)]
    _, given, over = activity.direct_block(awake)
    over = [*over, *activity.index_block(activity.index(rules))[2]]
    dropped = {id(rule) for rule in over}
    rows = [
        report.Matched(match, id(match.entry.program if strict else match.entry.rule) in dropped) for match in matches
    ]
    if args.json:
        _print_json([report.match_row(row, project.lang) for row in rows])
        return
    if not rows:
        print_error(f"rulewright: {NONE.format(path=project.root).to(project.lang)}")
        return
    used = activity.direct_size(given), activity.DIRECT_LIMIT
    sys.stdout.write(report.render_match(rows, used, project.lang, colour=wants_colour(sys.stdout)))


def _names(entry: RuleEntry) -> tuple[str, str]:
    return entry.shown.get("name", ""), entry.shown.get("id", "")


def _all_names(entries: Sequence[RuleEntry]) -> list[str]:
    return [name for entry in entries for name in _names(entry) if name]


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


_RUN: dict[str, Callable[[argparse.Namespace, _Project], None]] = {
    "list": _list,
    "show": _show,
    "load": _load,
    "match": _match,
}

HELP = {
    "list": Text("list the global rules and those of the project", "列出全局规则和项目规则"),
    "show": Text(
        "print what a new session is given, or one rule with its effective fields",
        "显示新会话得到的内容，或一条规则的正文和有效字段",
    ),
    "load": Text("print the text of a model_decision rule", "输出一条 model_decision 规则的正文"),
    "match": Text("say which rules a text wakes, and why", "说明一段文本会使哪些规则生效，以及原因"),
}
WRITE_HELP = {
    "new": Text("make a rule", "新建一条规则"),
    "set": Text("change a rule", "修改一条规则"),
    "delete": Text("remove a rule", "删除一条规则"),
    "changes": Text("print the journal of changes", "输出变更日志"),
}
HELP_HELP = Text("show this help and leave", "显示帮助并退出")
LANG_HELP = Text(
    "language of messages: en or zh-CN (default: from the locale)", "消息的语言：en 或 zh-CN（默认取自系统区域设置）"
)
PROJECT_HELP = Text("the project's folder (default: the current project)", "项目文件夹（默认：当前项目）")
NAME_HELP = Text("the exact name or id of a rule", "规则的准确名称或 id")
HARNESS_HELP = Text("exactly what a new session of this harness is given", "这个 harness 的新会话实际得到的内容")
TEXT_HELP = Text("a request, or names and arguments of tools; - is stdin", "用户请求，或工具名称和参数；- 表示 stdin")
STRICT_HELP = Text("read rules and text as Foya's own program does", "按 Foya 自己的程序读取规则和文本")
JSON_HELP = Text("print JSON", "输出 JSON")
NONE = Text("no Foya rules for `{path}`", "`{path}` 没有 Foya 规则")
NOTHING_AT_START = Text("a new session is given nothing", "新会话不会得到任何内容")
UNKNOWN = Text("there is no rule `{name}`", "没有规则 `{name}`")
UNKNOWN_HARNESS = Text("unknown harness `{name}`", "未知的 harness `{name}`")
KNOWN = Text("known are {names}", "可用的有 {names}")
LOADS_ITSELF = Text(
    "{name} reads its rules itself; the hook gives none there", "{name} 自己读取规则；hook 在那里不给出规则"
)
NOT_LOADABLE = Text(
    "`{name}` is a rule with trigger {trigger}; only model_decision rules are loaded by name",
    "`{name}` 的 trigger 是 {trigger}；只有 model_decision 规则按名称读取",
)
NO_LOADABLE = Text("there is no model_decision rule `{name}`", "没有 model_decision 规则 `{name}`")
