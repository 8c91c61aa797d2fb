"""A VS Code window that a test drives, as `drive.mjs` does it: real workbench, real extension host, real server."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from vscode import download

HERE = Path(__file__).absolute().parent
ROOT = HERE.parents[1]
CLIENT = ROOT / "build" / "vscode"
EXTENSION = ROOT / "editors" / "vscode"
VSIX = EXTENSION / "rulewright.vsix"
# Those of the documentation are written anew only where that is asked for: a run of the tests changes no file of the repository.
IMAGES = ROOT / "docs" / "images" if os.environ.get("UPDATE_IMAGES") == "1" else ROOT / "build" / "vscode-images"
RULEWRIGHT = Path(sys.executable).parent / "rulewright"


def install(extensions: Path, vsix: Path) -> None:
    """Install a packed extension into a folder, as `code --install-extension` does."""
    with contextlib.closing(_Driver()) as driver:
        driver.call("install", str(CLIENT), str(extensions), str(vsix))


class _Driver:
    """The process that drives a window."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["node", str(HERE / "bridge.mjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def call(self, method: str, *words: Any) -> Any:
        """Do one step; return what it gives."""
        self._input.write(json.dumps({"method": method, "words": words}) + "\n")
        self._input.flush()
        line = self._output.readline()
        if not line:
            raise WorkbenchError(f"{method}: the driver ended")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkbenchError(f"{method}: {answer['error']}")
        return answer.get("value")

    def close(self) -> None:
        """End the process; it leaves nothing behind."""
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Workbench:
    """One window on one folder.

    Args:
        extensions: where the extensions are installed. options: of `start` in drive.mjs.
    """

    open_ones: ClassVar[list[Workbench]] = []

    def __init__(self, extensions: Path, folder: Path, **options: Any) -> None:
        self.folder = folder
        self._driver = _Driver()
        try:
            options.setdefault("chromium", download.browser())
            options.setdefault("timeout", 20_000)
            self.home = Path(self._call("start", str(CLIENT), str(extensions), str(folder), options)["home"])
        except BaseException:
            self.close()
            raise
        self.open_ones.append(self)

    def close(self) -> None:
        """End the window and all that belongs to it."""
        if self in self.open_ones:
            self.open_ones.remove(self)
        with contextlib.suppress(WorkbenchError, BrokenPipeError):
            self._call("stop")
        self._driver.close()

    def _call(self, method: str, *words: Any) -> Any:
        return self._driver.call(method, *words)

    # ------------------------------------------------------------ files

    def write(self, name: str, text: str) -> Path:
        """Write a file of the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def open(self, name: str, line: int = 1, column: int = 1) -> None:
        """Open a file of the folder and put the cursor at a place (both from 1, columns in UTF-16 units)."""
        self._call("openFile", name, line, column)

    def go_to(self, line: int, column: int) -> None:
        """Move the cursor."""
        self._call("goTo", line, column)

    def type(self, text: str) -> None:
        """Type at the cursor."""
        self._call("type", text)

    def press(self, key: str) -> None:
        """Press a key."""
        self._call("press", key)

    def save(self) -> None:
        """Save the file of the active editor."""
        self._call("save")

    # ------------------------------------------------------------ what is on the screen

    def lines(self, wanted: str) -> list[str]:
        """Return the lines of the editor once `wanted`, a JavaScript expression of `lines`, is true."""
        found: list[str] = self._call("lines", {"js": f"(lines) => {wanted}"})
        return found

    def problems(self, wanted: str, name: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of the Problems view of one file once `wanted`, an expression of `rows`, is true."""
        path = json.dumps(str(self.folder / name)) if name else "null"
        ours = f"rows.filter((row) => {path} === null || row.file === {path})"
        rows: list[dict[str, Any]] = self._call("problems", {"js": f"(rows) => ((rows) => {wanted})({ours})"})
        return [row for row in rows if name is None or row.pop("file") == str(self.folder / name)]

    def squiggles(self, kind: str, wanted: str) -> int:
        """Return the number of squiggles of a kind once `wanted`, an expression of `count`, is true."""
        count: int = self._call("squiggles", kind, {"js": f"(count) => {wanted}"})
        return count

    def underlined(self, kind: str) -> list[str]:
        """Return the texts that are underlined on the screen."""
        found: list[str] = self._call("underlined", kind)
        return found

    def link_of(self, code: str) -> str:
        """Return the address that the code of a problem leads to."""
        address: str = self._call("linkOf", code)
        return address

    def hover(self, text: str, wanted: str) -> list[str]:
        """Point at a text; return the parts of the hover once `wanted`, an expression of `parts`, is true."""
        parts: list[str] = self._call("hover", text, {"js": f"(parts) => {wanted}"})
        return parts

    def complete(self, accept: str | None = None) -> list[dict[str, str]]:
        """Ask for completion and take one of the offers, by its label."""
        offered: list[dict[str, str]] = self._call("complete", accept)
        return offered

    def quick_fix(self, apply: str | None = None, picture: Path | None = None) -> list[str]:
        """Ask for quick fixes and apply one, by its title."""
        titles: list[str] = self._call("quickFix", apply, str(picture) if picture else None)
        return titles

    def light_bulb(self, apply: str) -> None:
        """Click on the light bulb beside the line of the cursor and apply one of its offers, by its title."""
        self._call("lightBulb", apply)

    def colors(self, *words: str, apart: tuple[str, str]) -> dict[str, str]:
        """Return the colours of words on the screen, once each is coloured as a word of its own (quotes aside).

        What the grammar knows comes first, what the server knows a moment later: it has come once the colours of the words `apart`
        differ.
        """
        color = "((word) => tokens.find(({ text }) => text === word)?.color)"
        first, second = (f"{color}({json.dumps(word)})" for word in apart)
        wanted = f"(tokens) => {json.dumps(words)}.every({color}) && {first} !== {second}"
        tokens: list[dict[str, str]] = self._call("tokens", {"js": wanted})
        return {token["text"]: token["color"] for token in reversed(tokens) if token["text"] in words}

    def lenses(self, wanted: str) -> list[dict[str, Any]]:
        """Return what stands above lines once `wanted`, an expression of `lenses`, is true: `text`, and if a click `runs` it."""
        found: list[dict[str, Any]] = self._call("lenses", {"js": f"(lenses) => {wanted}"})
        return found

    def rename(self, name: str, refused: str | None = None) -> None:
        """Give the symbol at the cursor another name; `refused` is a part of the message that says why not."""
        self._call("rename", name, refused)

    def command(self, title: str) -> None:
        """Run a command of the palette by its whole title."""
        self._call("command", title)

    def wait(self, selector: str, text: str) -> str:
        """Wait until an element of the page holds a text; return all of its text."""
        found: str = self._call("see", selector, text)
        return found

    def click(self, selector: str, text: str) -> None:
        """Click on an element of the page that holds a text."""
        self._call("click", selector, text)

    def fill(self, text: str) -> None:
        """Write a text into the box at the top, and go on."""
        self._call("fill", text)

    def pick(self, label: str, description: str = "") -> None:
        """Look for a row in the box at the top, by its label and the text beside it, and choose it."""
        self._call("pick", label, label, description)

    def choose_only(self, label: str) -> None:
        """In a list with check boxes, leave only one row checked, and go on."""
        self._call("chooseOnly", label)

    def notification(self, text: str) -> dict[str, Any]:
        """Wait for a notification with a text; return its `message` and `buttons`."""
        found: dict[str, Any] = self._call("notification", text)
        return found

    def notifications(self) -> list[str]:
        """Return the texts of the notifications on the screen."""
        texts: list[str] = self._call("notifications")
        return texts

    def output(self, channel: str = "Rulewright") -> str:
        """Return the text of an output channel."""
        text: str = self._call("output", channel)
        return text

    def picture(self, name: str) -> None:
        """Save a picture of the window; with UPDATE_IMAGES=1 it is the documentation's."""
        self.keep(IMAGES / name)

    def keep(self, path: Path) -> None:
        """Save a picture of the window."""
        with contextlib.suppress(WorkbenchError):
            self._call("screenshot", str(path))

    # ------------------------------------------------------------ the server

    def servers(self) -> list[int]:
        """Return the processes of the language server that belong to this window."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if b"lsp" in words and os.readlink(folder / "cwd").startswith(str(self.home)):
                    found.append(int(folder.name))
        return found

    def kill_server(self) -> int:
        """Kill the language server; return its process id."""
        (server,) = self.servers()
        os.kill(server, signal.SIGKILL)
        return server

    def wait_for_server(self, old: int) -> None:
        """Wait until another process of the language server is there."""
        _until("other server", lambda: self.servers() not in ([], [old]))

    def wait_for(self, what: str, done: Callable[[], bool]) -> None:
        """Wait until something is so outside the window; `what` names it where it never is."""
        _until(what, done)

    def wait_for_output(self, text: str) -> None:
        """Wait until the extension has written a text into its output channel."""
        _until(f"{text!r} in the output", lambda: text in self.output())

    def wait_for_text(self, name: str, text: str) -> None:
        """Wait until a file of the folder holds a text."""
        _until(f"{text!r} in {name}", lambda: text in (self.folder / name).read_text("utf-8"))


def _until(what: str, done: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise WorkbenchError(f"no {what} within {seconds} s")
        time.sleep(0.1)


class WorkbenchError(AssertionError):
    """A step did not come to its end; the text says which and what was seen."""
