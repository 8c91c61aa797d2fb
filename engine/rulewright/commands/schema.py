"""`rulewright schema`: print a JSON Schema, for editors without the language server."""

from __future__ import annotations

import argparse
import json
import sys

from rulewright import schemas
from rulewright.text.language import Lang, Text


def add_arguments(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of `schema`."""
    parser.add_argument("name", choices=schemas.names(), metavar="NAME", help=NAME_HELP.to(lang))


def run(args: argparse.Namespace) -> int:
    """Print one schema."""
    sys.stdout.write(json.dumps(schemas.schema_of(args.name), ensure_ascii=False, indent=2) + "\n")
    return 0


NAME_HELP = Text(
    "what to describe: style, foya, hook-chains, or config (rulewright.toml)",
    "要描述的对象：style、foya、hook-chains 或 config（rulewright.toml）",
)
