"""Which seed statements have a test: the ids in tests/data/ledger.tsv against the marks in tests and case files.

Reads files only; no test is run or imported. Run it through `dev.py ledger`.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parent.parent
LINE = re.compile(r"ledger:\s*([A-Z]\d{3}(?:[,\s]+[A-Z]\d{3})*)\s*$")
GROUPS = {"S": "STYLE packages", "F": "Foya rules", "H": "hook chains"}


class Statement(NamedTuple):
    """One statement: where it must hold (lint, run, plan ...) and what it says."""

    id: str
    part: str
    text: str


class Proof(NamedTuple):
    """One place that says it proves a statement. `line` is one-based."""

    id: str
    path: Path
    line: int


def statements(table: Path = TESTS / "data" / "ledger.tsv") -> list[Statement]:
    """Return the statements in the order of the table."""
    rows = table.read_text(encoding="utf-8").split("\n")[1:]
    return [Statement(*row.rstrip("\r").split("\t")[:3]) for row in rows if row.strip()]


def proofs(folder: Path = TESTS) -> list[Proof]:
    """Return every mark below a folder of tests."""
    found: list[Proof] = []
    for path in sorted(folder.rglob("*.py")):
        found += [Proof(id_, path, line) for id_, line in _marks_in_python(path.read_text(encoding="utf-8"))]
    for case_folder in ("checks", "ide", "formats"):
        for path in sorted((folder / case_folder).glob("*.md")):
            found += [Proof(id_, path, line) for id_, line in _marks_in_cases(path.read_text(encoding="utf-8"))]
    return found


def _marks_in_python(text: str) -> Iterator[tuple[str, int]]:
    if "ledger" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.mark.ledger", "mark.ledger"):
            for argument in node.args:
                if isinstance(argument, ast.Constant):
                    yield str(argument.value), node.lineno


def _marks_in_cases(text: str) -> Iterator[tuple[str, int]]:
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        marker = re.match(r"`{3,}", line)
        if marker and not fence:
            fence = marker[0]
        elif fence:
            if line.startswith(fence) and not line.strip("` "):
                fence = ""
        elif match := LINE.match(line.strip()):
            for id_ in re.split(r"[,\s]+", match[1]):
                yield id_, number


def main(argv: list[str] | None = None) -> int:
    """Print the report; 1 when a required or a marked id is not as it should be."""
    parser = argparse.ArgumentParser(prog="dev.py ledger")
    parser.add_argument("--require", default="")
    parser.add_argument("--missing", action="store_true")
    args = parser.parse_args(argv)
    known = statements()
    ids = {statement.id for statement in known}
    found = proofs()
    proven = {proof.id for proof in found}
    for letter, title in GROUPS.items():
        group = [statement for statement in known if statement.id.startswith(letter)]
        parts = sorted({statement.part for statement in group})
        done = sum(statement.id in proven for statement in group)
        print(f"{title}: {done} of {len(group)} statements have a test")
        for part in parts if done or args.missing else ():
            mine = [statement for statement in group if statement.part == part]
            without = [statement for statement in mine if statement.id not in proven]
            print(f"  {part:<8} {len(mine) - len(without):>3} of {len(mine):>3}", end="")
            print(f"   without: {' '.join(s.id for s in without)}" if without and not args.missing else "")
            if args.missing:
                for statement in without:
                    print(f"    {statement.id}  {statement.text}")
    faults = [f"{p.path}:{p.line}: {p.id} is no statement of tests/data/ledger.tsv" for p in found if p.id not in ids]
    required = [word for word in re.split(r"[,\s]+", args.require) if word]
    faults += [f"{word} is no statement of tests/data/ledger.tsv" for word in required if word not in ids]
    faults += [f"{word} has no test" for word in required if word in ids and word not in proven]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
