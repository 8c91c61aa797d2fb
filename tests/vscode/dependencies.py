"""What is known against the packages of the extension: vulnerabilities, deprecations, newer versions. Standard library only.

    python dependencies.py EXTENSION      after `npm run package`, which lists what is bundled

The exit code is 1 when something is known against a package that is bundled, so that users get it. All else is said: the other packages
only build and test. A registry that does not answer is said loudly and fails nothing. `npm audit signatures` is not asked: it fetches keys
from a host of its own, and `npm ci` compares each package with the hash in the lock anyway.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

HELD = {
    "@types/vscode": "the oldest VS Code that the extension runs in",
    "@types/node": "the Node.js of that VS Code",
    "typescript": "another major version: its checks are to be looked at first",
}
"""Packages that stay behind the newest version, and why."""
_SECONDS = 120
_FLAGS = ["--json", "--fetch-retries=0"]
_BUNDLED = re.compile(r"^(\S+) \d\S* \([^)]+\)$", re.MULTILINE)


def main() -> int:
    """Look at the extension of the command line and print what is known."""
    extension = Path(sys.argv[1]).absolute()
    # The names stand where build.mjs writes the licences of what it bundles.
    bundled = set(_BUNDLED.findall((extension / "dist" / "NOTICES.txt").read_text("utf-8")))
    lock = json.loads((extension / "package-lock.json").read_text("utf-8"))
    against = [*vulnerable(extension), *deprecated(lock)]
    for name, what in against:
        print(f"{'ERROR' if name in bundled else 'note'}: {name} {what}", flush=True)
    for line in outdated(extension):
        print(f"note: {line}", flush=True)
    return int(any(name in bundled for name, _ in against))


def vulnerable(extension: Path) -> list[tuple[str, str]]:
    """Return the packages with known vulnerabilities, as `npm audit` tells them."""
    answer, said = _npm(extension, "audit")
    if "auditReportVersion" not in answer:
        print(
            f"WARNING: NOT AUDITED. `npm audit` got no answer ({answer.get('message') or said}); vulnerabilities would go unseen. "
            "Run it where the registry answers.",
            file=sys.stderr,
            flush=True,
        )
        return []
    return [
        (name, f"has a vulnerability ({found['severity']}): `npm audit` says more")
        for name, found in answer["vulnerabilities"].items()
    ]


def deprecated(lock: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the packages that their authors gave up, as far as the registry told when the lock was written."""
    return [
        (path.rpartition("node_modules/")[2], f"is deprecated: {entry['deprecated']}")
        for path, entry in lock["packages"].items()
        if "deprecated" in entry
    ]


def outdated(extension: Path) -> list[str]:
    """Return a line for each package of package.json that has a newer version."""
    answer, said = _npm(extension, "outdated")
    if said and not answer:
        return [f"`npm outdated` got no answer ({said})"]
    return [
        f"{name} {found['current']}, newest {found['latest']}" + (f": held, {HELD[name]}" if name in HELD else "")
        for name, found in answer.items()
        if isinstance(found, dict) and "latest" in found
    ]


def _npm(extension: Path, command: str) -> tuple[dict[str, Any], str]:
    """Return what npm printed as JSON, and what it said besides, in one line."""
    try:
        done = subprocess.run(
            ["npm", command, *_FLAGS],
            cwd=extension,
            timeout=_SECONDS,
            check=False,
            capture_output=True,
            encoding="utf-8",
        )
    except subprocess.TimeoutExpired:
        return {}, f"not within {_SECONDS} s"
    said = " ".join(done.stderr.split("\n")[0].split())
    try:
        answer = json.loads(done.stdout or "{}")
    except ValueError:
        return {}, said or done.stdout[:200]
    return answer if isinstance(answer, dict) else {}, said


if __name__ == "__main__":
    sys.exit(main())
