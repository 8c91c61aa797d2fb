"""The real clients: which releases, where they lie, and how they are downloaded. Standard library only.

    python clients.py FOLDER      download what is missing; exit code UNAVAILABLE when that cannot be done here

No install script of a package is run. Both clients are native programs, node is needed by npm alone.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

UNAVAILABLE = 3
"""The exit code that says that the clients could not be had: nothing was tested, and nothing was found wrong."""

# npm package and the program in the package of the platform. The releases of which the tables of harness/ speak.
PACKAGES = {
    "claude-code": ("@anthropic-ai/claude-code", "2.1.332", "@anthropic-ai/claude-code-linux-{arch}/claude"),
    "codex": ("@openai/codex", "0.171.0", "@openai/codex-linux-{arch}/vendor/{triple}/bin/codex"),
}
_ARCHITECTURES = {"x86_64": ("x64", "x86_64-unknown-linux-musl"), "aarch64": ("arm64", "aarch64-unknown-linux-musl")}
_SECONDS = 240


class Unavailable(Exception):
    """The clients cannot be had here. The text says why and what to do."""


def program(folder: Path, name: str) -> Path:
    """Return where the program of a client lies."""
    arch, triple = _ARCHITECTURES.get(platform.machine(), ("", ""))
    return folder / name / "node_modules" / PACKAGES[name][2].format(arch=arch, triple=triple)


def download(folder: Path) -> None:
    """Download the clients that are not there yet in the release that is asked for.

    Raises:
        Unavailable: this is no Linux that they run on, npm or node is missing, or the registry does not answer.
    """
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        raise Unavailable(
            f"the clients are downloaded for Linux on x86_64 or aarch64 only, this is {platform.platform()}"
        )
    for name, (package, version, _) in PACKAGES.items():
        ready = folder / name / "ready"
        wanted = f"{package}@{version}"
        if ready.exists() and ready.read_text("utf-8") == wanted and program(folder, name).exists():
            continue
        for tool in ("node", "npm"):
            if shutil.which(tool) is None:
                raise Unavailable(f"`{tool}` is not on the PATH; install Node.js (with npm) and run this again")
        print(f"downloading {wanted} with npm (about 400 MB)", flush=True)
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
        (folder / name / "package.json").write_text(json.dumps({"private": True}), "utf-8")
        flags = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--save-exact", "--fetch-retries=1"]
        try:
            done = subprocess.run(
                ["npm", "install", *flags, wanted],
                cwd=folder / name,
                timeout=_SECONDS,
                check=False,
                capture_output=True,
                encoding="utf-8",
            )
        except subprocess.TimeoutExpired:
            raise Unavailable(f"npm did not finish {wanted} in {_SECONDS} s; is the registry reachable?") from None
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip()).split("\n")[0]
            raise Unavailable(f"npm could not install {wanted} ({said}); is the registry reachable?")
        if not _starts(program(folder, name)):
            raise Unavailable(f"{wanted} was downloaded, but {program(folder, name)} does not start here")
        ready.write_text(wanted, "utf-8")


def _starts(path: Path) -> bool:
    try:
        return subprocess.run([path, "--version"], capture_output=True, check=False, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def main() -> int:
    """Download into the folder of the command line."""
    try:
        download(Path(sys.argv[1]))
    except (Unavailable, OSError) as problem:
        print(f"the real clients are not available: {problem}", file=sys.stderr)
        return UNAVAILABLE
    return 0


if __name__ == "__main__":
    sys.exit(main())
