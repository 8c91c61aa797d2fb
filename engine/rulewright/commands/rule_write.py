"""`rulewright rule new`, `set`, `delete` and `changes`: Foya rules are made, changed and removed (foya.md section 5)."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from rulewright import analysis, files, saving
from rulewright.commands.terminal import language, print_error, read_stdin
from rulewright.errors import RulewrightError
from rulewright.formats import by_name
from rulewright.formats.foya import global_file
from rulewright.saving import Fields, SavedRule
from rulewright.settings import Settings, find_project_root, home_folder
from rulewright.text.language import Lang, Text
from rulewright.workspace import did_you_mean, find_rule_files, project_settings, show_path

TEXT_LIMIT = 1_000_000
"""Bytes of a rule's text that are read: far above the 6000 characters that one may have."""

POLL_SECONDS = 0.5

NAMES = ("new", "set", "delete", "changes")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where rules are saved: the project's folder, or the home folder for the global ones."""

    root: str
    is_global: bool


def add_arguments(name: str, parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of one of NAMES."""
    if name == "changes":
        parser.add_argument("--follow", action="store_true", help=FOLLOW_HELP.to(lang))
        parser.add_argument("--json", action="store_true", help=JSON_HELP.to(lang))
        return
    parser.add_argument("name", metavar="NAME", help=(NEW_HELP if name == "new" else NAME_HELP).to(lang))
    parser.add_argument("--global", dest="is_global", action="store_true", help=GLOBAL_HELP.to(lang))
    parser.add_argument("--project", metavar="DIR", help=PROJECT_HELP.to(lang))
    if name == "delete":
        return
    parser.add_argument("--id", metavar="ID", help=ID_HELP.to(lang))
    if name == "set":
        parser.add_argument("--name", dest="new_name", metavar="NAME", help=NEW_NAME_HELP.to(lang))
    parser.add_argument("--trigger", metavar="WORD", help=TRIGGER_HELP.to(lang))
    parser.add_argument("--glob", dest="globs", action="append", metavar="GLOB", help=GLOB_HELP.to(lang))
    if name == "set":
        parser.add_argument("--no-globs", action="store_true", help=NO_GLOBS_HELP.to(lang))
    parser.add_argument("--description", metavar="TEXT", help=DESCRIPTION_HELP.to(lang))
    parser.add_argument("--path", metavar="FILE", help=PATH_HELP.to(lang))
    text = parser.add_mutually_exclusive_group(required=name == "new")
    text.add_argument("--text", metavar="TEXT", help=TEXT_HELP.to(lang))
    text.add_argument("--file", metavar="FILE", help=FILE_HELP.to(lang))


def run(name: str, args: argparse.Namespace) -> int:
    """Run one of NAMES. Returns 0.

    Raises:
        RulewrightError: the rule is refused, or something cannot be read or written.
    """
    if name == "changes":
        return _changes(args)
    place = _place(args)
    lang = language(args, project_settings(place.root))
    if name == "new":
        path = saving.create(
            place.root,
            "global" if place.is_global else "project",
            Fields(args.id, args.name, args.description, args.trigger, _globs(args), _content(args)),
            args.path,
            taken=lambda: _taken(place),
        )
        print(SAVED.format(path=show_path(path)).to(lang))
        return 0
    found = _find(place, args.name)
    if name == "delete":
        saving.delete(place.root, found)
        print(DELETED.format(name=args.name, path=show_path(found.path)).to(lang))
        return 0
    for word in (args.id, args.new_name):
        owner = _taken(place, besides=found).get(word) if word else None
        if owner is not None:
            raise RulewrightError(saving.TAKEN.format(word=word, path=owner), saving.NOTHING_CHANGED)
    globs = () if args.no_globs else _globs(args)
    fields = Fields(args.id, args.new_name, args.description, args.trigger, globs, _content(args))
    path = saving.update(place.root, found, fields, args.path)
    print(SAVED.format(path=show_path(path)).to(lang))
    return 0


def rules_of(place_root: str, is_global: bool) -> Iterator[SavedRule]:
    """Yield the rules of one scope as they stand in their files; files that cannot be read are left out.

    Args:
        place_root: the project's folder, or the home folder for the global scope.
    """
    folder = saving.rules_path(place_root)
    paths = [global_file(place_root)] if is_global else list(find_rule_files(folder, Settings(root=place_root)))
    for path in paths:
        text = files.read_text_or_none(path)
        if text is None or not path.lower().endswith(".md"):
            continue
        document = analysis.read_as(by_name("foya"), path, text)
        if document.foya.scope == ("global" if is_global else "project"):
            for rule in document.foya.rules:
                yield SavedRule(path, document, rule)


def _find(place: _Place, name: str) -> SavedRule:
    rules = list(rules_of(place.root, place.is_global))
    exact = [found for found in rules if name in (found.rule.id.text(), found.rule.name.text())]
    if len(exact) == 1:
        return exact[0]
    if exact:
        by_id = [found for found in exact if found.rule.id.text() == name]
        if len(by_id) == 1:
            return by_id[0]
        paths = ", ".join(show_path(found.path) for found in exact)
        raise RulewrightError(SEVERAL.format(name=name, paths=paths), saving.NOTHING_CHANGED)
    known = [word for found in rules for word in (found.rule.name.text(), found.rule.id.text()) if word]
    raise RulewrightError(UNKNOWN.format(name=name), did_you_mean(name, known))


def _taken(place: _Place, besides: SavedRule | None = None) -> dict[str, str]:
    found: dict[str, str] = {}
    for other in rules_of(place.root, place.is_global):
        if besides is not None and other.path == besides.path and other.rule.span == besides.rule.span:
            continue
        for word in (other.rule.id.text(), other.rule.name.text()):
            found.setdefault(word, show_path(other.path))
    return found


def _place(args: argparse.Namespace) -> _Place:
    if args.is_global:
        return _Place(home_folder(), True)
    if args.project is not None:
        if not os.path.isdir(args.project):
            raise files.file_error(args.project, FileNotFoundError())
        return _Place(os.path.abspath(args.project), False)
    return _Place(find_project_root(os.getcwd()), False)


def _globs(args: argparse.Namespace) -> tuple[str, ...] | None:
    return None if args.globs is None else tuple(args.globs)


def _content(args: argparse.Namespace) -> str | None:
    if args.text is not None:
        return str(args.text)
    if args.file is None:
        return None
    data = read_stdin(TEXT_LIMIT) if args.file == "-" else files.read_bytes(args.file, TEXT_LIMIT)
    return files.decode(data, args.file).text


# ------------------------------------------------------------------ the journal


def _changes(args: argparse.Namespace) -> int:
    """Print the journal; with `--follow` also what is added to it, until interrupted."""
    path = saving.journal_path()
    offset = 0
    while True:
        offset = _print_from(path, offset, args)
        if not args.follow:
            return 0
        sys.stdout.flush()
        time.sleep(POLL_SECONDS)


def _print_from(path: str, offset: int, args: argparse.Namespace) -> int:
    """Print the whole lines behind an offset; return the offset behind them. A shorter file is a new one."""
    try:
        with open(path, "rb") as journal:
            size = journal.seek(0, os.SEEK_END)
            journal.seek(offset if offset <= size else 0)
            data = journal.read()
            start = journal.tell() - len(data)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise files.file_error(path, error) from error
    whole, newline, _ = data.rpartition(b"\n")
    for line in whole.split(b"\n") if newline else ():
        text = line.decode("utf-8", "replace")
        if args.json:
            print(text)
            continue
        try:
            row = json.loads(text)
            print(f"{row['at']}  {row['change']:<8} {row['scope']:<8} {row['id']}  {row['path']}")
        except (ValueError, KeyError, TypeError):
            print_error(BROKEN_LINE.format(path=path).to(args.lang))
    return start + len(whole) + len(newline)


SAVED = Text("saved `{path}`", "已保存 `{path}`")
DELETED = Text("deleted `{name}` from `{path}`", "已从 `{path}` 删除 `{name}`")
UNKNOWN = Text("there is no rule `{name}`", "没有规则 `{name}`")
SEVERAL = Text("several rules are called `{name}`: {paths}", "有多条规则叫 `{name}`：{paths}")
BROKEN_LINE = Text("a line of `{path}` is damaged", "`{path}` 中有一行已损坏")
NEW_HELP = Text("the name of the new rule", "新规则的名称")
NAME_HELP = Text("the name or the id of the rule", "规则的名称或 id")
GLOBAL_HELP = Text("the global rules, not those of the project", "全局规则，而不是项目规则")
PROJECT_HELP = Text("the project's folder (default: the current project)", "项目文件夹（默认：当前项目）")
ID_HELP = Text("the id (a new rule's default: from its name)", "id（新规则默认由名称得到）")
NEW_NAME_HELP = Text("the new name", "新名称")
TRIGGER_HELP = Text("always, glob, model_decision or manual", "always、glob、model_decision 或 manual")
GLOB_HELP = Text("a pattern of a glob rule; may be given several times", "glob 规则的匹配模式；可重复给出")
NO_GLOBS_HELP = Text("take the patterns away", "去掉匹配模式")
DESCRIPTION_HELP = Text("what the rule is for: model_decision rules need it", "规则的用途；model_decision 规则必须有")
PATH_HELP = Text("the file, relative to `.foya/rules`", "文件路径，相对于 `.foya/rules`")
TEXT_HELP = Text("the text of the rule", "规则正文")
FILE_HELP = Text("a file that holds the text of the rule; - is stdin", "存放规则正文的文件；- 表示 stdin")
FOLLOW_HELP = Text("go on and print changes as they are made", "持续运行并输出新的变更")
JSON_HELP = Text("print the lines of the journal as they are, one JSON object each", "原样输出日志，每行一个 JSON 对象")
