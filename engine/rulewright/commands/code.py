"""`rulewright code`: print the page of a diagnostic code."""

from __future__ import annotations

import argparse
import os
import sys

import rulewright
from rulewright import files
from rulewright.checking import code_url
from rulewright.checks import checks_by_code
from rulewright.commands.check import unknown_code
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
    page = translated_page(check.code) if args.lang == "zh-CN" else None
    head = f"{check.code} ({check.severity.label})\n{code_url(check.code)}\n\n"
    sys.stdout.write(head + (page or check.page).rstrip() + "\n")
    return 0


def translated_page(code: str) -> str | None:
    """Return the Chinese page without its frontmatter, None where there is none.

    It stands in `docs/` of the package, or of the checkout that the package is used from.
    """
    package = os.path.dirname(os.path.abspath(rulewright.__file__))
    for docs in (os.path.join(package, "docs"), os.path.join(package, "..", "..", "docs")):
        text = files.read_text_or_none(os.path.join(docs, "zh-CN", "codes", f"{code}.md"))
        if text is not None:
            if text.startswith("---\n"):
                text = text.partition("\n---\n")[2]
            return text.lstrip("\n")
    return None


CODE_HELP = Text("a code, such as block-after", "诊断码，例如 block-after")
