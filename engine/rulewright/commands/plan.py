"""`rulewright plan`: what each rule of a package will do on a harness, before it is installed there. Changes nothing."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import replace

from rulewright import harness
from rulewright.commands.terminal import language, print_error, wants_colour
from rulewright.errors import RulewrightError
from rulewright.installing import PackagesRefused, read_documents
from rulewright.model import Document, Rule
from rulewright.planning import plan_rule, unit_of
from rulewright.report import plan as report
from rulewright.report import text
from rulewright.settings import Settings, find_project_root
from rulewright.text.language import Lang, Text
from rulewright.workspace import (
    did_you_mean,
    find_project_files,
    find_rule_files,
    project_settings,
    read_text_file,
    summarize_path,
)


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `plan`."""
    parser.add_argument("paths", nargs="+", metavar=Text("PACKAGE", "规则包").to(lang), help=PACKAGE_HELP.to(lang))
    parser.add_argument("--harness", required=True, action="append", metavar="NAME", help=HARNESS_HELP.to(lang))
    parser.add_argument("--json", action="store_true", help=JSON_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Plan packages. Returns 1 where a rule cannot be installed, or a package has errors."""
    names: list[str] = list(dict.fromkeys(args.harness))
    for name in names:
        if name not in harness.NAMES:
            raise RulewrightError(
                UNKNOWN.format(name=name),
                did_you_mean(name, harness.NAMES) or KNOWN.format(names=", ".join(harness.NAMES)),
            )
    settings = project_settings(find_project_root(os.getcwd()))
    lang = language(args, settings)
    paths = list(dict.fromkeys(path for word in args.paths for path in find(word, settings)))
    # Whether a rule fits the harnesses of the project is what is asked here, so it is no reason not to answer.
    checked_with = replace(project_settings(os.path.dirname(paths[0])), harnesses=())
    try:
        documents = [document for document, _ in read_documents(paths, checked_with)]
    except PackagesRefused as refused:
        sys.stdout.write(text.render(refused.outcome, lang, colour=wants_colour(sys.stdout)))
        print_error(f"rulewright: {REFUSED.to(lang)}")
        return 1
    plans = [planned(document, name) for document in documents for name in names]
    if args.json:
        shown = [report.to_json(plan) for plan in plans]
        sys.stdout.write(json.dumps(shown[0] if len(shown) == 1 else shown, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write(report.render(plans, lang))
    return 0 if all(plan.installable for plan in plans) else 1


def planned(document: Document, name: str) -> report.PackagePlan:
    """Return the plan of a package without errors on a harness."""
    module = harness.codec(name)
    rules = tuple(plan_rule(rule, module, _text_of(document, rule)) for rule in document.package.rules)
    return report.PackagePlan(document.package.name.text(), name, module.TEXT_LIMIT, unit_of(module), rules)


def find(word: str, settings: Settings) -> list[str]:
    """Return the absolute paths of the packages that a word means: a file, a folder, or the name of one of the project's.

    Raises:
        RulewrightError: there is none.
    """
    if os.path.isdir(word):
        inside = list(find_rule_files(word, project_settings(word)))
        if inside:
            return inside
    elif os.path.lexists(word):
        return [os.path.abspath(word)]
    by_name = _by_name(find_project_files(settings), settings)
    if word in by_name:
        return by_name[word]
    if os.path.isdir(word):
        raise RulewrightError(NO_FILES.format(path=word))
    raise RulewrightError(NO_PACKAGE.format(name=word), did_you_mean(word, by_name) or NAME_ONE)


def _by_name(paths: Iterable[str], settings: Settings) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        summary = summarize_path(path, settings)
        for name, _ in () if summary is None else summary.names:
            found.setdefault(name, []).append(path)
    return found


def _text_of(document: Document, rule: Rule) -> str | None:
    if not rule.text_file.known:
        return None
    return read_text_file(os.path.dirname(os.path.abspath(document.path)), rule.text_file.text())


UNKNOWN = Text("unknown harness `{name}`", "未知的 harness `{name}`")
KNOWN = Text("known are {names}", "可用的有 {names}")
NO_FILES = Text("no rule files in `{path}`", "`{path}` 中没有规则文件")
NO_PACKAGE = Text(
    "no file, folder or package of the project is called `{name}`", "没有叫 `{name}` 的文件、文件夹或项目规则包"
)
NAME_ONE = Text("name a file, a folder, or a package by its `name`", "请指定文件、文件夹，或规则包的 `name`")
REFUSED = Text("packages with errors cannot be planned", "有错误的规则包无法生成计划")
PACKAGE_HELP = Text(
    "rule files, folders, or names of packages of the project", "规则文件、文件夹，或项目中规则包的名字"
)
HARNESS_HELP = Text(
    "a harness, for example claude-code; may be given several times", "harness，例如 claude-code；可以给出多次"
)
JSON_HELP = Text("print JSON; a list where there are several plans", "以 JSON 输出；有多个计划时输出列表")
