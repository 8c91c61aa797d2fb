"""`rulewright check`: report what is wrong in rule files."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator

from rulewright import files
from rulewright.checking import Severity
from rulewright.checks import checks_by_code
from rulewright.commands.terminal import language, print_error, read_stdin, wants_colour, write_error
from rulewright.errors import RulewrightError
from rulewright.report import github, json, junit, sarif, text
from rulewright.settings import find_project_root
from rulewright.text.language import Lang, Text
from rulewright.workspace import Outcome, Progress, Selection, check_paths, check_text, did_you_mean, project_settings

FORMATS = ("text", "json", "sarif", "github", "junit")
STDIN_NAME = "stdin.style.yaml"
PATIENCE = 0.5
"""Seconds without a word: a shorter run needs none."""
PROGRESS_PAUSE = 0.1
"""Seconds between two words on the progress: as fast as a person can read."""
CLEAR_LINE = "\r\x1b[K"


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `check`."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help=PATHS_HELP.to(lang))
    parser.add_argument("--format", choices=FORMATS, default="text", help=FORMAT_HELP.to(lang))
    add_stdin_arguments(parser, lang)
    parser.add_argument("--select", nargs="+", action="extend", default=[], metavar="CODE", help=SELECT_HELP.to(lang))
    parser.add_argument("--ignore", nargs="+", action="extend", default=[], metavar="CODE", help=IGNORE_HELP.to(lang))
    parser.add_argument("--strict", action="store_true", help=STRICT_HELP.to(lang))
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help=JOBS_HELP.to(lang))


def add_stdin_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add `--stdin` and `--stdin-filename`."""
    parser.add_argument("--stdin", action="store_true", help=STDIN_HELP.to(lang))
    parser.add_argument("--stdin-filename", metavar="NAME", help=STDIN_NAME_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Check and report. Returns 0, 1 with findings that count, 2 with a file that cannot be read."""
    select = take_codes(args.select, args)
    ignore = take_codes(args.ignore, args)
    if args.jobs < 0:
        raise RulewrightError(Text("`--jobs` must not be negative", "`--jobs` 不能是负数"))
    selection = Selection(frozenset(select), frozenset(ignore))
    lang = language(args, project_settings(os.getcwd()))
    with progress_line(lang) as progress:
        outcome = outcome_of(args, selection, progress)
    sys.stdout.write(_render(outcome, args, lang))
    print_failures(outcome, lang)
    if args.format == "text":
        print_error(text.summary(outcome, lang) if outcome.files or outcome.failures else NO_FILES.to(lang))
    return exit_code(outcome, args.strict)


def outcome_of(args: argparse.Namespace, selection: Selection, progress: Progress | None = None) -> Outcome:
    """Check what the arguments name: stdin, the paths, or the project of the current folder."""
    if args.stdin or args.stdin_filename:
        if args.paths:
            raise RulewrightError(Text("give either `--stdin` or paths", "`--stdin` 和路径只能给一个"))
        name = args.stdin_filename or STDIN_NAME
        return check_text(name, files.decode(read_stdin(files.SIZE_LIMIT), name), selection)
    return check_paths(args.paths or [find_project_root(os.getcwd())], selection, getattr(args, "jobs", 1), progress)


@contextlib.contextmanager
def progress_line(lang: Lang) -> Iterator[Progress | None]:
    """Say on the last line of a terminal how far a long run is; the line is gone at the end. None where stderr is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    shown_at = time.monotonic() + PATIENCE - PROGRESS_PAUSE
    shown = False

    def show(done: int, of: int) -> None:
        nonlocal shown_at, shown
        now = time.monotonic()
        if now - shown_at >= PROGRESS_PAUSE:
            shown_at, shown = now, True
            write_error(CLEAR_LINE + PROGRESS.format(done=done, of=of).to(lang))

    try:
        yield show
    finally:
        if shown:
            write_error(CLEAR_LINE)


def take_codes(words: list[str], args: argparse.Namespace) -> list[str]:
    """Return the codes among the words behind an option; what is no code but a path goes to the paths.

    Raises:
        RulewrightError: a word is neither.
    """
    known = checks_by_code()
    codes: list[str] = []
    for position, word in enumerate(words):
        parts = [part for part in word.split(",") if part]
        unknown = next((part for part in parts if part not in known), None)
        if unknown is None:
            codes.extend(parts)
        elif codes and os.path.lexists(word):
            args.paths = [*args.paths, *words[position:]]
            break
        else:
            raise unknown_code(unknown)
    return codes


def unknown_code(code: str) -> RulewrightError:
    """Return the error for a code that does not exist."""
    return RulewrightError(
        Text("there is no code `{code}`", "没有诊断码 `{code}`").format(code=code), did_you_mean(code, checks_by_code())
    )


def print_failures(outcome: Outcome, lang: Lang) -> None:
    """Print one line for each file that could not be read."""
    for failure in outcome.failures:
        print_error(f"rulewright: {failure.error.to(lang)}")


def exit_code(outcome: Outcome, strict: bool) -> int:
    """Return 2 where a file could not be read, else 1 where there is an error (with `strict` also a warning), else 0."""
    if outcome.failures:
        return 2
    worst = Severity.WARNING if strict else Severity.ERROR
    return int(any(finding.severity <= worst for file in outcome.files for finding in file.findings))


def _render(outcome: Outcome, args: argparse.Namespace, lang: Lang) -> str:
    if args.format == "json":
        return json.render(outcome, lang)
    if args.format == "sarif":
        return sarif.render(outcome, lang)
    if args.format == "github":
        return github.render(outcome, lang)
    if args.format == "junit":
        return junit.render(outcome, lang, strict=args.strict)
    return text.render(outcome, lang, colour=wants_colour(sys.stdout))


PATHS_HELP = Text("files and folders (default: the project)", "文件或文件夹（默认是整个项目）")
FORMAT_HELP = Text("how to report (default: text)", "输出格式（默认 text）")
STDIN_HELP = Text("check what comes on stdin", "处理从 stdin 读入的内容")
STDIN_NAME_HELP = Text(
    "the path that stdin stands for: it decides format, settings and text files",
    "stdin 对应的路径：决定格式、设置和文本文件",
)
SELECT_HELP = Text("report only these codes", "只报告这些诊断码")
IGNORE_HELP = Text("do not report these codes", "不报告这些诊断码")
STRICT_HELP = Text("warnings count too: exit code 1", "警告也算：退出码为 1")
JOBS_HELP = Text(
    "processes to use; 0 chooses by the amount of work (default)", "使用的进程数；0 表示按工作量决定（默认）"
)
PROGRESS = Text("{done} of {of} files checked", "已检查 {done}/{of} 个文件")
NO_FILES = Text("no rule files found", "没有找到规则文件")
