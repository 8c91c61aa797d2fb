"""The VS Code of the tests in this folder: which releases, where they lie, how they are downloaded. Standard library only.

    python download.py FOLDER EXTENSION      download what is missing, and what the extension is built with
    python download.py EXTENSION             only the latter: enough to pack it

The exit code is UNAVAILABLE when that cannot be done here, 1 when the extension's lock does not fit its package.json.

code-server serves VS Code's own workbench and extension host; Chromium shows it; playwright-core drives Chromium. No install
script of a package is run: code-server's would compile native modules. Two of these have no binary in their package, and get
stand-ins: without the first every output channel stays empty, without the second an error is logged at each start.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

UNAVAILABLE = 3
"""The exit code that says that VS Code could not be had: nothing was tested, and nothing was found wrong."""

# code-server 4.139.1 holds VS Code 1.139.1; it does not load on Node 20.
NODE, CODE_SERVER, PLAYWRIGHT = "24.21.0", "4.139.1", "1.65.1"
STAMP = f"node {NODE} code-server {CODE_SERVER} playwright-core {PLAYWRIGHT} recipe 1"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_ARCHITECTURES = {"x86_64": "x64", "aarch64": "arm64"}
_SECONDS = 400

_SPDLOG = """\
const fs = require('fs'), path = require('path');
const NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
class Logger {
  constructor(_type, _name, file) {
    this.file = file; this.level = 2; this.raw = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
  }
  write(level, message) {
    if (level < this.level) return;
    const at = new Date().toISOString().replace('T', ' ').replace('Z', '');
    fs.appendFileSync(this.file, this.raw ? message : `${at} [${NAMES[level]}] ${message}\\n`);
  }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() { this.raw = false; }
  clearFormatters() { this.raw = true; }
  flush() {}
  drop() {}
}
['trace', 'debug', 'info', 'warn', 'error', 'critical'].forEach((name, level) => {
  Logger.prototype[name] = function (message) { this.write(level, message); };
});
exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger('rotating', name, file);
exports.createAsyncRotatingLogger = exports.createRotatingLogger;
"""
_WATCHDOG = """\
exports.start = (pid) => setInterval(() => {
  try { process.kill(pid, 0); } catch { process.exit(87); }
}, 1000).unref();
exports.exit = (code) => process.exit(code || 0);
"""


_FLAGS = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--fetch-retries=1"]
# What npm ci says of a lock that does not fit.
_UNFIT = "EUSAGE"


class Unavailable(Exception):
    """VS Code cannot be had here. The text says why and what to do."""


class Unfit(Exception):
    """The lock of the extension does not fit its package.json."""


def browser() -> str | None:
    """Return the path of a Chromium."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def node(folder: Path) -> Path:
    """Return the Node.js that was downloaded."""
    return folder / "node_modules" / ".bin" / "node"


def download(folder: Path) -> None:
    """Download what is not there yet in the release that is asked for.

    Raises:
        Unavailable: this is no Linux that it runs on, a tool is missing, or a registry does not answer.
    """
    arch = _ARCHITECTURES.get(platform.machine())
    if sys.platform != "linux" or arch is None:
        raise Unavailable(f"it is downloaded for Linux on x86_64 or aarch64 only, this is {platform.platform()}")
    if browser() is None:
        _install_browser()
    _try_browser()
    ready = folder / ".ready"
    if ready.exists() and ready.read_text("utf-8").strip() == STAMP:
        _run([str(node(folder)), "--version"], folder)
        return
    print("downloading VS Code with npm (about 250 MB)", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"private": True}), "utf-8")
    packages = [f"node-linux-{arch}@{NODE}", f"code-server@{CODE_SERVER}", f"playwright-core@{PLAYWRIGHT}"]
    _run(["npm", "install", *_FLAGS, "--save-exact", *packages], folder)
    inner = folder / "node_modules" / "code-server" / "lib" / "vscode"
    _run(["npm", "install", *_FLAGS, "--omit=dev"], inner)
    (inner / "node_modules" / "@vscode" / "spdlog" / "index.js").write_text(_SPDLOG, "utf-8")
    (inner / "node_modules" / "@vscode" / "native-watchdog" / "index.js").write_text(_WATCHDOG, "utf-8")
    ready.write_text(STAMP, "utf-8")


def install_tools(extension: Path) -> None:
    """Install what the extension is built with, as its lock says.

    Raises:
        Unavailable: the registry does not answer. Unfit: the lock is not that of package.json.
    """
    lock = extension / "package-lock.json"
    stamp = extension / "node_modules" / ".lock"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return
    _run(["npm", "ci", *_FLAGS], extension)
    stamp.write_bytes(lock.read_bytes())


def _install_browser() -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise Unavailable(
            "there is no Chromium; install it (on Debian and Ubuntu: apt-get install chromium) and run this again"
        )
    print("installing Chromium with apt-get (about 130 MB)", flush=True)
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    words = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-wqy-microhei"]
    _run(["apt-get", "update", "-qq"], Path("/"), env)
    _run(words, Path("/"), env)


def _try_browser() -> None:
    """See that Chromium starts: on Ubuntu a program of that name only says that it is to be had from elsewhere."""
    found = browser()
    if found is None:
        raise Unavailable("there is no Chromium on the PATH, though its package was installed")
    with tempfile.TemporaryDirectory() as folder:
        words = [
            found,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}",
            "--dump-dom",
            "about:blank",
        ]
        _run(words, Path(folder))


def _run(words: list[str], folder: Path, env: dict[str, str] | None = None) -> None:
    what = " ".join(words[:2])
    try:
        done = subprocess.run(
            words, cwd=folder, env=env, timeout=_SECONDS, check=False, capture_output=True, encoding="utf-8"
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"`{what}` did not finish in {_SECONDS} s; is the registry reachable?") from None
    except OSError as problem:
        raise Unavailable(f"`{what}` does not start ({problem.strerror})") from None
    if done.returncode:
        if _UNFIT in done.stderr:
            raise Unfit(done.stderr.strip())
        said = (done.stderr.strip() or done.stdout.strip()).split("\n")[0] or f"exit code {done.returncode}"
        raise Unavailable(f"`{what}` failed ({said})" + ("; is the registry reachable?" if words[0] == "npm" else ""))


def main() -> int:
    """Download into the folders of the command line."""
    *clients, extension = (Path(word).absolute() for word in sys.argv[1:])
    try:
        if shutil.which("npm") is None:
            raise Unavailable("`npm` is not on the PATH; install Node.js 20 or newer and run this again")
        for folder in clients:
            download(folder)
        install_tools(extension)
    except (Unavailable, OSError) as problem:
        print(f"not available here: {problem}", file=sys.stderr)
        return UNAVAILABLE
    except Unfit as problem:
        print(f"`npm ci` refuses the lock of the extension: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
