"""`rulewright explain`: replay one event and show what becomes of each rule. No state is changed."""

from __future__ import annotations

import argparse
import json
import os
import sys

from rulewright import explaining, files, harness
from rulewright.commands.terminal import language, print_error, read_stdin, wants_colour
from rulewright.errors import RulewrightError
from rulewright.installing import PackagesRefused, beside_packages, compile_packages, read_documents
from rulewright.report import text
from rulewright.settings import Settings, find_project_root, index_path, state_folder
from rulewright.text.language import Lang, Text
from rulewright.workspace import find_rule_files, project_settings

PAYLOAD_LIMIT = 50_000_000
"""Bytes of an event. Our own limit [R]: far above what a tool call carries."""


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `explain`."""
    parser.add_argument("--harness", required=True, metavar="NAME", help=HARNESS_HELP.to(lang))
    parser.add_argument("--payload", required=True, metavar="FILE", help=PAYLOAD_HELP.to(lang))
    parser.add_argument("--package", nargs="+", metavar="PATH", help=PACKAGE_HELP.to(lang))
    parser.add_argument("--json", action="store_true", help=JSON_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Explain one event. Returns 1 where the given packages have errors."""
    if args.harness not in harness.NAMES:
        raise RulewrightError(UNKNOWN.format(name=args.harness), KNOWN.format(names=", ".join(harness.NAMES)))
    root = find_project_root(os.getcwd())
    lang = language(args, project_settings(root))
    payload = _payload(args.payload)
    try:
        index = _index(args, root)
    except PackagesRefused as refused:
        sys.stdout.write(text.render(refused.outcome, lang, colour=wants_colour(sys.stdout)))
        print_error(f"rulewright: {refused.to(lang)}")
        return 1
    # Packages that are only tried out have output nothing in any session; what is installed may have.
    state = "" if args.package else state_folder()
    found = explaining.explain(index, args.harness, payload, state)
    if args.json:
        report = {
            "harness": found.harness,
            "event": found.event,
            "entries": [
                {
                    "entry": entry.entry,
                    "match": entry.match,
                    "block": entry.block,
                    "repeat": entry.repeat,
                    "output": entry.output,
                    "because": list(entry.because),
                    "refresh": _refresh(entry.refresh),
                }
                for entry in found.entries
            ],
            "wire": {"stdout": found.stdout, "stderr": found.stderr, "exit": found.exit},
        }
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in explaining.lines(found)))
    return 0


def _refresh(refresh: explaining.Refresh | None) -> dict[str, int | None] | None:
    """Return the prompts from one output to the next, since the last one (null: there was none), and until it is due."""
    return None if refresh is None else {"every": refresh.every, "since": refresh.since, "left": refresh.left}


def _payload(path: str) -> bytes:
    return read_stdin(PAYLOAD_LIMIT) if path == "-" else files.read_bytes(path, PAYLOAD_LIMIT)


def _index(args: argparse.Namespace, root: str) -> str | bytes:
    if args.package is None:
        path = index_path(root, args.harness)
        if not os.path.exists(path):
            beside = beside_packages(Settings(root=root), args.harness)
            if beside:
                return compile_packages([], args.harness, foya=beside.foya, chains=beside.chains)
            raise RulewrightError(
                Text("nothing is installed for this project", "这个项目没有安装规则"),
                Text("name packages with `--package`, or install them", "请用 `--package` 指定规则包，或先安装"),
            )
        return path
    paths: list[str] = []
    for path in args.package:
        if os.path.isdir(path):
            paths.extend(find_rule_files(path, project_settings(path)))
        else:
            paths.append(os.path.abspath(path))
    if not paths:
        raise RulewrightError(Text("no rule files found", "没有找到规则文件"))
    documents = read_documents(paths, project_settings(os.path.dirname(paths[0])))
    return compile_packages([document for document, _ in documents], args.harness)


UNKNOWN = Text("unknown harness `{name}`", "未知的 harness `{name}`")
KNOWN = Text("known are {names}", "可用的有 {names}")
HARNESS_HELP = Text(
    "the harness that the event comes from, for example claude-code", "事件来自哪个 harness，例如 claude-code"
)
PAYLOAD_HELP = Text(
    "the event as the harness sends it, a JSON file; - is stdin", "harness 发来的事件（JSON 文件）；- 表示 stdin"
)
PACKAGE_HELP = Text("packages to try instead of what is installed", "要试用的规则包（代替已安装的）")
JSON_HELP = Text("print JSON", "以 JSON 输出")
