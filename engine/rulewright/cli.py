"""The command line: the tree of commands, the language, the exit codes.

A command's module is imported only when the command is called, so that `rulewright --help` and `rulewright hook` start
quickly. Exit codes: 0 fine, 1 findings, 2 a fault of usage, input or environment (cli.md), 130 interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from rulewright import __version__
from rulewright.commands.terminal import print_error
from rulewright.text.language import LANGUAGES, Lang, Text, language_of

# name, module in rulewright.commands, one line of help. The order is that of `rulewright --help`.
COMMANDS: tuple[tuple[str, str, Text], ...] = (
    ("check", "check", Text("check rule files", "检查规则文件")),
    ("fix", "fix", Text("apply the safe fixes to rule files", "对规则文件应用安全的修复")),
    ("code", "code", Text("print the page of a diagnostic code", "显示诊断码的说明")),
    ("plan", "plan", Text("show where each rule lands on a harness, and how", "显示每条规则在 harness 上的落点和效果")),
    ("explain", "explain", Text("replay one event and show what each rule does", "重放一个事件，显示每条规则的结果")),
    ("install", "install", Text("install the packages of a project into a harness", "把项目的规则包装进 harness")),
    ("sync", "sync", Text("bring what is installed up to date with its packages", "按规则包更新已安装的内容")),
    ("uninstall", "uninstall", Text("take the installation out again", "撤销安装")),
    (
        "doctor",
        "doctor",
        Text("examine what is installed: is it complete, does it start", "检查已安装的内容：是否完整、能否启动"),
    ),
    (
        "hook",
        "hook",
        Text("answer one event of a harness (stdin to stdout)", "应答 harness 的一个事件（stdin 到 stdout）"),
    ),
    ("schema", "schema", Text("print a JSON Schema of a format", "输出某个格式的 JSON Schema")),
    ("rule", "rule", Text("list, load, try and change Foya rules", "列出、读取、试用和修改 Foya 规则")),
    ("chains", "chains", Text("dispatch hook chains once", "执行一次 hook chains")),
    ("lsp", "lsp", Text("run the language server", "运行语言服务器")),
)

ABOUT = Text(
    "Language server and hook engine for the rule files that steer coding agents",
    "编程助手规则文件的语言服务器与 hook 引擎",
)
EPILOG = Text(
    "Exit codes: 0 fine, 1 findings, 2 wrong usage or an unreadable input.",
    "退出码：0 正常，1 有诊断，2 用法错误或输入无法读取。",
)
LANG_HELP = Text(
    "language of messages: en or zh-CN (default: from the locale)", "消息的语言：en 或 zh-CN（默认取自系统区域设置）"
)
HELP_HELP = Text("show this help and leave", "显示帮助并退出")
VERSION_HELP = Text("show the version and leave", "显示版本并退出")


class Parser(argparse.ArgumentParser):
    """An argument parser whose fixed words and errors are in the user's language.

    Faults are one line on stderr and exit code 2, or `usage_exit` for the commands that a harness calls: there 2 would
    deny the user's action (style.md section 7 [R]).
    """

    lang: Lang = "en"
    usage_exit: int = 2

    def error(self, message: str) -> NoReturn:
        """Print one line and leave."""
        hint = Text("see `{prog} --help`", "用法见 `{prog} --help`").format(prog=self.prog).to(self.lang)
        print_error(f"{self.prog}: {_in_language(message, self.lang)} ({hint})")
        raise SystemExit(self.usage_exit)

    def format_help(self) -> str:
        """Return the help with its headings in the user's language."""
        text = super().format_help()
        if self.lang == "zh-CN":
            for english, chinese in _HEADINGS:
                text = text.replace(english, chinese)
        return text


# The words of argparse (CPython 3.11 to 3.13) that reach the user.
_HEADINGS = (
    ("usage: ", "用法："),
    ("positional arguments:", "参数："),
    ("options:", "选项："),
)
_ERRORS = (
    ("the following arguments are required: ", "缺少参数："),
    ("unrecognized arguments: ", "无法识别的参数："),
    ("invalid choice: ", "无效的值："),
    ("choose from ", "可选："),
    ("expected one argument", "需要一个值"),
    ("expected at least one argument", "至少需要一个值"),
    ("one of the arguments ", "必须给出以下参数之一："),
    (" is required", ""),
    ("not allowed with argument ", "不能同时使用："),
    ("ambiguous option: ", "有歧义的选项："),
    ("could match ", "可能是 "),
    ("invalid int value: ", "不是整数："),
    ("argument ", "参数 "),
)


def _in_language(message: str, lang: Lang) -> str:
    if lang == "zh-CN":
        for english, chinese in _ERRORS:
            message = message.replace(english, chinese)
    return message


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Never raises, but for `SystemExit` of no other code than these."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _use_utf8()
    lang = chosen_language(arguments)
    try:
        code = _run(arguments, lang)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read us has enough (`| head`). Python would complain again when it closes stdout.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        # Files are read and written by `files`, which has its own errors; what is left is our output.
        print_error(
            Text("the output cannot be written: {reason}", "无法写出结果：{reason}").format(reason=error).to(lang)
        )
        return 2


def hook() -> int:
    """Run `rulewright hook`: the console script `rulewright-hook`. Returns its exit code."""
    return main(["hook", *sys.argv[1:]])


def _run(arguments: list[str], lang: Lang) -> int:
    called = _called_command(arguments)
    names = {name: module for name, module, _ in COMMANDS}
    if called == "hook" and called in names:
        # The event path: no other command's words, no errors that end in 2.
        Parser.usage_exit = 1
    parser = build_parser(lang, called if called in names else None)
    try:
        args, rest = parser.parse_known_args(arguments)
        _take_rest(parser, args, rest)
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 2
    finally:
        Parser.usage_exit = 2
    if args.command is None:
        sys.stdout.write(parser.format_help())
        return 0
    from rulewright.errors import RulewrightError

    if args.command != "hook" and not _has_folder():
        print_error(Text("rulewright: the current folder is gone", "rulewright：当前文件夹已不存在").to(lang))
        return 2
    args.lang_given = hasattr(args, "lang")
    args.lang = lang
    run: Callable[[argparse.Namespace], int] = importlib.import_module(f"rulewright.commands.{names[args.command]}").run
    try:
        return run(args)
    except RulewrightError as error:
        print_error(f"rulewright: {error.to(lang)}")
        return 1 if args.command == "hook" else 2


def _called_command(arguments: Sequence[str]) -> str | None:
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word == "--lang":
            skip = True
        elif not word.startswith("-"):
            return word
    return None


def _has_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _take_rest(parser: Parser, args: argparse.Namespace, rest: list[str]) -> None:
    """Take paths that stand behind an option: argparse fills a list of words only once."""
    words = [word for word in rest if word != "--"]
    if not words:
        return
    if not hasattr(args, "paths") or any(word.startswith("-") for word in words):
        parser.error("unrecognized arguments: " + " ".join(words))
    args.paths = [*args.paths, *words]


def build_parser(lang: Lang, called: str | None = None) -> Parser:
    """Build the tree of commands. Only the options of `called` are added; all where it is None and somebody asks."""
    Parser.lang = lang
    common = Parser(add_help=False)
    common.add_argument("--lang", choices=LANGUAGES, metavar="LANG", default=argparse.SUPPRESS, help=LANG_HELP.to(lang))
    parser = Parser(
        prog="rulewright",
        description=ABOUT.to(lang),
        epilog=EPILOG.to(lang),
        add_help=False,
        parents=[common],
        allow_abbrev=False,
    )
    parser.add_argument("-h", "--help", action="help", help=HELP_HELP.to(lang))
    parser.add_argument("--version", action="version", version=f"rulewright {__version__}", help=VERSION_HELP.to(lang))
    commands = parser.add_subparsers(
        dest="command", metavar=Text("COMMAND", "命令").to(lang), title=Text("commands", "命令").to(lang)
    )
    for name, module, help_text in COMMANDS:
        sub = commands.add_parser(
            name,
            help=help_text.to(lang),
            description=help_text.to(lang),
            add_help=False,
            parents=[common],
            allow_abbrev=False,
        )
        sub.add_argument("-h", "--help", action="help", help=HELP_HELP.to(lang))
        if name == called:
            importlib.import_module(f"rulewright.commands.{module}").add_arguments(sub, lang)
    return parser


def chosen_language(arguments: Sequence[str]) -> Lang:
    """Return the language: `--lang`, else the locale's (LC_ALL, LC_MESSAGES, LANG: the first that is set)."""
    for index, word in enumerate(arguments):
        if word == "--":
            break
        name, equals, value = word.partition("=")
        if name == "--lang":
            value = value if equals else arguments[index + 1] if index + 1 < len(arguments) else ""
            if value in LANGUAGES:
                return value
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(variable):
            return language_of(os.environ[variable])
    return "en"


def _use_utf8() -> None:
    """Write UTF-8 whatever the locale says; what it cannot hold (lone surrogates) comes out as an escape."""
    if sys.stdout is None:  # closed by the caller (`>&-`)
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
