"""`rulewright fix`: apply the fixes that checks offer, until nothing more can be fixed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from rulewright import files
from rulewright.analysis import Analysis
from rulewright.checking import Finding, Summary
from rulewright.commands.check import add_stdin_arguments, exit_code, outcome_of, print_failures
from rulewright.commands.terminal import language, print_error, wants_colour
from rulewright.errors import RulewrightError
from rulewright.report import diff, text
from rulewright.settings import Settings
from rulewright.syntax.tree import SYNTAX_CODES
from rulewright.text.edits import Edit, apply_edits, compatible_groups
from rulewright.text.language import Lang, Text
from rulewright.workspace import (
    EVERYTHING,
    CheckedFile,
    Outcome,
    analyze_among,
    analyze_text,
    check_paths,
    project_settings,
)

COMMENT = "rulewright:"
"""What stands in every comment that silences a finding."""

ROUNDS = 50
"""A fix may make room for another one; each round mends at least one finding. Far more than any file needs [R]."""


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `fix`."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help=PATHS_HELP.to(lang))
    parser.add_argument("--unsafe", action="store_true", help=UNSAFE_HELP.to(lang))
    parser.add_argument("--diff", action="store_true", help=DIFF_HELP.to(lang))
    add_stdin_arguments(parser, lang)


def run(args: argparse.Namespace) -> int:
    """Fix and report what is left. The exit code is that of `check` on the files as they are afterwards."""
    outcome = outcome_of(args, EVERYTHING)
    lang = language(args, project_settings(os.getcwd()))
    from_stdin = bool(args.stdin or args.stdin_filename)
    by_root: dict[str, list[Summary]] = {}
    fixed = {file.path: _fix_file(file, outcome, args.unsafe, by_root) for file in outcome.files}
    failed = False
    if args.diff:
        for file in outcome.files:
            sys.stdout.write(diff.unified(file.source.text, fixed[file.path], file.shown.lstrip("/")))
    elif from_stdin:
        for file in outcome.files:
            sys.stdout.flush()
            sys.stdout.buffer.write(file.source.encode(fixed[file.path]))
    else:
        failed = not _write(outcome, fixed, lang)
    print_failures(outcome, lang)
    changed = sum(fixed[file.path] != file.source.text for file in outcome.files)
    if args.diff:
        print_error(WOULD_CHANGE.format(count=changed).to(lang))
        return exit_code(outcome, strict=False)
    left = _left(outcome, fixed, from_stdin)
    # stdout carries the fixed text when it came from stdin, so there the report goes to stderr.
    stream = sys.stderr if from_stdin else sys.stdout
    stream.write(text.render(left, lang, colour=wants_colour(stream)))
    if not from_stdin:
        print_error(CHANGED.format(count=changed).to(lang))
    print_error(text.summary(left, lang))
    return 2 if failed else exit_code(left, strict=False)


def fix_text(path: str, content: str, settings: Settings, unsafe: bool, others: Sequence[Summary] = ()) -> str:
    """Return a text with every fix applied that may be applied unasked (with `unsafe`: every fix).

    Of several fixes for one finding the first counts. Fixes that overlap wait for the next round. A fix that would leave
    the text less readable than it was is not applied.

    Args:
        others: of the other files of the project. A comment that silences a finding over several files is of use only
            where these are known; for a text without such a comment they are not looked at, as no finding over several
            files has a fix.
    """
    seen = {content}
    for _ in range(ROUNDS):
        among = others if COMMENT in content else ()
        result = analyze_among(path, content, settings, among) if among else analyze_text(path, content, settings)
        if result is None:
            break
        groups = [edits for finding in result.findings if (edits := _edits_of(finding, unsafe))]
        after = _apply(path, result, groups, settings)
        if after in seen:  # nothing to do, or two fixes that undo each other
            break
        seen.add(after)
        content = after
    return content


def _apply(path: str, before: Analysis, groups: Sequence[Sequence[Edit]], settings: Settings) -> str:
    content = before.document.text
    if not groups:
        return content
    after = apply_edits(content, compatible_groups(groups))
    if not _is_worse(path, before, after, settings):
        return after
    for group in groups:  # one of them is to blame: go one by one
        after = apply_edits(content, group)
        if after != content and not _is_worse(path, before, after, settings):
            return after
    return content


def _is_worse(path: str, before: Analysis, after: str, settings: Settings) -> bool:
    result = analyze_text(path, after, settings)
    return result is None or _unreadable(result) > _unreadable(before)


def _unreadable(result: Analysis) -> tuple[bool, int]:
    return not result.document.tree.whole, sum(
        problem.code in SYNTAX_CODES for problem in result.document.tree.problems
    )


def _edits_of(finding: Finding, unsafe: bool) -> tuple[Edit, ...]:
    for fix in finding.fixes:
        if (fix.safe or unsafe) and fix.edits:
            return fix.edits
    return ()


def _fix_file(file: CheckedFile, outcome: Outcome, unsafe: bool, by_root: dict[str, list[Summary]]) -> str:
    """Fix one file. by_root: what is known of the files of each project, filled as it is asked for."""
    if not any(_edits_of(finding, unsafe) for finding in file.findings):
        return file.source.text
    settings = project_settings(os.path.dirname(file.path))
    if settings.root not in by_root:
        by_root[settings.root] = outcome.summaries(settings)
    return fix_text(file.path, file.source.text, settings, unsafe, by_root[settings.root])


def _write(outcome: Outcome, fixed: dict[str, str], lang: Lang) -> bool:
    """Write the changed files; tell whether all could be written. One that cannot does not hold up the others."""
    good = True
    for file in outcome.files:
        if fixed[file.path] != file.source.text:
            try:
                files.write_atomically(file.path, file.source.encode(fixed[file.path]))
            except RulewrightError as error:
                print_error(f"rulewright: {error.to(lang)}")
                good = False
                fixed[file.path] = file.source.text
    return good


def _left(outcome: Outcome, fixed: dict[str, str], from_stdin: bool) -> Outcome:
    if not from_stdin:
        return replace(check_paths([file.path for file in outcome.files]), failures=outcome.failures)
    kept: list[CheckedFile] = []
    for file in outcome.files:
        settings = project_settings(os.path.dirname(file.path))
        result = analyze_among(file.path, fixed[file.path], settings, outcome.summaries(settings))
        if result is not None:
            document = replace(file.document, lines=result.document.lines)
            kept.append(replace(file, document=document, findings=result.findings))
    return replace(outcome, files=tuple(kept))


PATHS_HELP = Text("files and folders (default: the project)", "文件或文件夹（默认是整个项目）")
UNSAFE_HELP = Text("apply also fixes that may change what a rule means", "也应用可能改变规则含义的修复")
DIFF_HELP = Text("show the changes instead of writing them", "只显示改动，不写入文件")
CHANGED = Text("{count} file(s) changed", "改动了 {count} 个文件")
WOULD_CHANGE = Text("{count} file(s) would change", "将改动 {count} 个文件")
