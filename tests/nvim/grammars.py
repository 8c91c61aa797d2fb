"""The tree-sitter grammars of the tests: which releases, how they are downloaded and built. Standard library only.

    python grammars.py FOLDER      download and build what is missing

Neovim brings Markdown alone. npm packages bring the C sources of the others, and `cc` builds them; no script of a package is run.
The exit code is UNAVAILABLE when that cannot be done here.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

UNAVAILABLE = 3
"""The exit code that says that the grammars could not be had: nothing was tested, and nothing was found wrong."""

PACKAGES = {
    "yaml": ("@tree-sitter-grammars/tree-sitter-yaml", "0.7.1"),
    "json": ("tree-sitter-json", "0.24.8"),
    "regex": ("tree-sitter-regex", "0.25.0"),
    "bash": ("tree-sitter-bash", "0.25.1"),
}
STAMP = " ".join(f"{name}@{version}" for name, version in PACKAGES.values()) + f" {platform.machine()} recipe 1"
_FLAGS = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--legacy-peer-deps", "--fetch-retries=1"]
_SECONDS = 300


class Unavailable(Exception):
    """The grammars cannot be had here. The text says why and what to do."""


def build(folder: Path) -> None:
    """Leave a runtime folder for Neovim: `parser/NAME.so`, and the queries that come with the grammars.

    Raises:
        Unavailable: a tool is missing, the registry does not answer, or a source does not compile.
    """
    for tool in ("npm", "cc"):
        if shutil.which(tool) is None:
            raise Unavailable(f"`{tool}` is not on the PATH")
    ready = folder / ".ready"
    if ready.exists() and ready.read_text("utf-8") == STAMP:
        return
    print("downloading four tree-sitter grammars with npm (about 3 MB), building them with cc", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "parser").mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"private": True}), "utf-8")
    _run(["npm", "install", *_FLAGS, *(f"{name}@{version}" for name, version in PACKAGES.values())], folder)
    for language, (name, _) in PACKAGES.items():
        package = folder / "node_modules" / name
        sources = [path for path in (package / "src" / "parser.c", package / "src" / "scanner.c") if path.exists()]
        library = folder / "parser" / f"{language}.so"
        _run(["cc", "-O1", "-shared", "-fPIC", f"-I{package / 'src'}", *map(str, sources), "-o", str(library)], folder)
        shutil.copytree(package / "queries", folder / "queries" / language)
    shutil.rmtree(folder / "node_modules")
    ready.write_text(STAMP, "utf-8")


def _run(words: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(words, cwd=folder, timeout=_SECONDS, check=False, capture_output=True, encoding="utf-8")
    except subprocess.TimeoutExpired:
        raise Unavailable(f"`{' '.join(words[:2])}` did not finish in {_SECONDS} s") from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).split("\n")[0]
        raise Unavailable(f"`{' '.join(words[:2])}` failed ({said})")


def main() -> int:
    """Build into the folder of the command line."""
    try:
        build(Path(sys.argv[1]).absolute())
    except (Unavailable, OSError) as problem:
        print(f"the grammars are not available: {problem}", file=sys.stderr)
        return UNAVAILABLE
    return 0


if __name__ == "__main__":
    sys.exit(main())
