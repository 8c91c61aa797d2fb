"""`rulewright code`: print the page of a diagnostic code."""

from __future__ import annotations

import argparse
import sys

from rulewright.checking import code_url
from rulewright.checks import checks_by_code
from rulewright.commands.check import unknown_code
from rulewright.pages import page_of
from rulewright.text.language import Lang, Text


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the argument of `code`."""
    parser.add_argument("code", metavar="CODE", help=CODE_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Print the page."""
    checks = checks_by_code()
    check = checks.get(args.code) or next((c for c in checks.values() if c.code.lower() == args.code.lower()), None)
    if check is None:
        raise unknown_code(args.code)
    head = f"{check.code} ({check.severity.label})\n{code_url(check.code)}\n\n"
    sys.stdout.write(head + page_of(check, args.lang).rstrip() + "\n")
    return 0


CODE_HELP = Text("a code, such as block-after", "诊断码，例如 block-after")
