#!/usr/bin/env python3
"""The developer commands of Rulewright: `python3 dev.py COMMAND`. Needs Python 3.11 or newer and pip, nothing else.

Everything runs in the folder `.venv` beside this file. It is made at the first command and filled with the versions of
`requirements-dev.lock`; later commands touch it only when that file or `pyproject.toml` changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
LOCK = ROOT / "requirements-dev.lock"
STAMP = VENV / "rulewright-setup.json"
PIP_FLAGS = ["--disable-pip-version-check", "--no-input", "--quiet"]

COMMANDS = {
    "setup": "make .venv and install what the lock names (about 30 s the first time, nothing later)",
    "demo": "lint the examples through the language server, then deny a real hook event (a few seconds)",
    "ci": "everything that must pass: format, lint, types, ledger, tests (about 10 minutes on 2 cores)",
    "fmt": "format the Python files",
    "lint": "ruff and the import contracts (a few seconds)",
    "types": "mypy, strict, over engine and server (about 20 s, less the second time)",
    "test": "the tests, or those of PATH: a folder of tests/, a file, or checks/CODE for one check",
    "real": "the hook in real Claude Code and Codex, downloaded with npm (minutes; exit 3: they could not be had)",
    "vscode": "the extension: packed, tested, driven in a real VS Code, downloaded with npm (minutes; exit 3: it could not be had)",
    "vsix": "pack the extension of VS Code, to install it (a minute the first time; exit 3: npm could not download its tools)",
    "grammars": "colours in Neovim, with tree-sitter grammars downloaded with npm (a minute; exit 3: they could not be had)",
    "ledger": "which statements of the specification have a test (under a second)",
    "schemas": "write the JSON Schemas of editors/schemas (a second)",
    "docs": "write the generated pages to build/docs",
    "bench": "measure the hook and the server against their targets",
}
# The exit code of tests/real/clients.py when the clients cannot be had.
UNAVAILABLE = 3
COLOR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


class Failed(Exception):
    """A command cannot go on; the text says why and what to do."""


def main() -> int:
    """Run one command; the exit code is 0 when all is well, 1 when something failed, 2 for a wrong call.

    `real`, `vscode`, `vsix` and `grammars` have a 3 as well: what they run could not be had, so that nothing was tested.
    """
    args, rest = arguments()
    began = time.monotonic()
    try:
        say(f"{args.command}: {COMMANDS[args.command]}")
        set_up()
        code, closing = run_command(args, rest)
    except Failed as problem:
        say(f"failed: {problem}", "31")
        return 1
    except KeyboardInterrupt:
        return 130
    if args.command not in ("ledger", "setup"):
        say(f"{args.command} {'done' if code == 0 else 'failed'} in {took(began)}", "32" if code == 0 else "31")
    if closing:
        print(closing, flush=True)
    return code


def arguments() -> tuple[argparse.Namespace, list[str]]:
    """Read the command line; what stands behind `--` goes to pytest."""
    argv = sys.argv[1:]
    rest: list[str] = []
    if "--" in argv:
        cut = argv.index("--")
        argv, rest = argv[:cut], argv[cut + 1 :]
    parser = argparse.ArgumentParser(prog="dev.py", description="The developer commands of Rulewright.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name == "test":
            command.add_argument(
                "path", nargs="*", help="below tests/; UPDATE_CASES=1 rewrites the marks of case files"
            )
        elif name in ("real", "vscode"):
            command.add_argument("path", nargs="*", help=f"below tests/{name}/; nothing: all")
        elif name == "bench":
            command.add_argument("--quick", action="store_true", help="fewer rounds")
        elif name == "ledger":
            command.add_argument("--require", default="", help="ids, with commas between: fail when one has no test")
            command.add_argument("--missing", action="store_true", help="print the statements that no test proves")
        elif name == "fmt":
            command.add_argument("--check", action="store_true", help="change nothing, fail when something would")
    return parser.parse_args(argv), rest


def run_command(args: argparse.Namespace, rest: list[str]) -> tuple[int, str]:
    """Run the command that was asked for; return its exit code, and the line to print last."""
    if args.command == "fmt":
        return run_all(format_steps(args.check)), ""
    if args.command == "lint":
        return run_all(lint_steps()), ""
    if args.command == "types":
        return run_all([("types", [PYTHON, "-m", "mypy"])]), ""
    if args.command == "test":
        return test(args.path, rest)
    if args.command == "ci":
        code = run_all([*format_steps(True), *lint_steps(), ("types", [PYTHON, "-m", "mypy"]), ("ledger", ledger())])
        test_code, closing = test([], [])
        return max(code, test_code), closing
    if args.command == "real":
        return real(args.path, rest)
    if args.command == "vscode":
        return vscode(args.path, rest)
    if args.command == "vsix":
        return vsix()
    if args.command == "ledger":
        flags = (["--require", args.require] if args.require else []) + (["--missing"] if args.missing else [])
        return call([*ledger(), *flags]), ""
    if args.command == "grammars":
        return grammars()
    if args.command == "schemas":
        return call([PYTHON, ROOT / "editors" / "schemas" / "write.py"]), ""
    if args.command == "docs":
        return call([PYTHON, ROOT / "docs" / "build.py", ROOT / "build" / "docs"]), ""
    if args.command == "bench":
        return bench(args.quick), ""
    if args.command == "demo":
        return call([PYTHON, ROOT / "examples" / "demo.py"]), ""
    return 0, ""


def format_steps(check: bool) -> list[tuple[str, list[object]]]:
    """Return the step that formats, or that only looks whether all is formatted."""
    return [("format", [PYTHON, "-m", "ruff", "format", *(["--check"] if check else []), "."])]


def lint_steps() -> list[tuple[str, list[object]]]:
    """Return the steps of `lint`."""
    return [("lint", [PYTHON, "-m", "ruff", "check", "."]), ("imports", [BIN / "lint-imports"])]


def ledger() -> list[object]:
    """Return the command that reports which statements are proven."""
    return [PYTHON, ROOT / "tests" / "support" / "ledger.py"]


def test(paths: list[str], rest: list[str]) -> tuple[int, str]:
    """Run pytest; return its exit code and its closing line, which is held back to be printed last."""
    updating = os.environ.get("UPDATE_CASES") == "1"
    command: list[object] = [PYTHON, "-m", "pytest", *map(test_path, paths), *rest]
    if not paths and not updating and not any(word.startswith(("-n", "-s", "--pdb")) for word in rest):
        command += ["-n", str(min(2, os.cpu_count() or 1)), "--dist", "worksteal"]
    if COLOR:
        command.append("--color=yes")
    if any(word in ("-s", "--pdb") for word in rest):
        return call(command), ""
    say("tests")
    process = subprocess.Popen(words(command), cwd=ROOT, env=environment(), stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    held = ""
    for line in process.stdout:
        if line.strip():
            if held:
                print(held, flush=True)
            held = line.rstrip("\n")
    return min(process.wait(), 1), held


def real(paths: list[str], rest: list[str]) -> tuple[int, str]:
    """Download the real clients and run the tests in them; 3 when they cannot be had here."""
    code = call([PYTHON, ROOT / "tests" / "real" / "clients.py", ROOT / "build" / "real-clients"])
    if code == UNAVAILABLE:
        return code, "NOT TESTED: no real client was run. Everything else is as it was."
    if code:
        return 1, ""
    return test_outside("real", "real clients", paths, rest or ["-n", "2", "--dist", "worksteal"])


def test_outside(marker: str, where: str, paths: list[str], rest: list[str]) -> tuple[int, str]:
    """Run the tests of a folder of the same name as their marker.

    The programs have time limits of their own, which a busy machine can miss: what failed gets a second try, and says so.
    """
    chosen = [f"{marker}/{path}" for path in paths] or [marker]
    code, closing = test(chosen, ["-m", marker, *rest])
    if code:
        say(f"some tests in {where} failed; those alone once more, one at a time", "33")
        code, closing = test(chosen, ["-m", marker, "--last-failed", "--last-failed-no-failures", "none"])
        if not code:
            say("WARNING: they passed at the second try", "33")
    return code, closing


def vscode(paths: list[str], rest: list[str]) -> tuple[int, str]:
    """Pack the extension, run its own tests, then those in a real VS Code; 3 when that cannot be had here."""
    folder = ROOT / "editors" / "vscode"
    code = call([PYTHON, ROOT / "tests" / "vscode" / "download.py", ROOT / "build" / "vscode", folder])
    if code == UNAVAILABLE:
        return code, "NOT TESTED: VS Code was not run, for the reason above. Everything else is as it was."
    if code:
        return 1, ""
    for script in ("test", "package"):
        say(f"extension: {script}")
        if call(["npm", "--prefix", folder, "run", "--silent", script]):
            return 1, ""
    say("extension: what is known against its packages")
    if call([PYTHON, ROOT / "tests" / "vscode" / "dependencies.py", folder]):
        return 1, ""
    return test_outside("vscode", "VS Code", paths, rest or ["-n", "2", "--dist", "loadfile"])


def vsix() -> tuple[int, str]:
    """Pack the extension of VS Code; 3 when what it is built with cannot be had here."""
    folder = ROOT / "editors" / "vscode"
    code = call([PYTHON, ROOT / "tests" / "vscode" / "download.py", folder])
    if code:
        return (code, "NOT PACKED, for the reason above.") if code == UNAVAILABLE else (1, "")
    if call(["npm", "--prefix", folder, "run", "--silent", "package"]):
        return 1, ""
    return 0, f"code --install-extension {(folder / 'rulewright.vsix').relative_to(ROOT)}"


def grammars() -> tuple[int, str]:
    """Build the tree-sitter grammars, then run the tests of colours in Neovim; 3 when they cannot be had here."""
    code = call([PYTHON, ROOT / "tests" / "nvim" / "grammars.py", ROOT / "build" / "grammars"])
    if code:
        return (
            (code, "NOT TESTED: colours in Neovim. Everything else is as it was.") if code == UNAVAILABLE else (1, "")
        )
    return test(["nvim/test_colors.py"], ["-m", "grammars"])


def test_path(path: str) -> str:
    """Return the file or folder that a PATH of `test` means.

    `checks/block-after` is the case file of that check; other paths are taken below tests/, then as they are.
    """
    base, colons, name = path.partition("::")
    folder, _, stem = base.rpartition("/")
    for start in (ROOT / "tests", Path.cwd()):
        for found in (start / base, start / f"{base}.md", start / f"{base}.py", start / folder / f"test_{stem}.py"):
            if found.exists():
                return str(found) + colons + name
    raise Failed(f"there is no test called {path!r}. Try a folder of tests/, a file of it, or checks/CODE.")


def bench(quick: bool) -> int:
    """Run the benchmarks that exist, print one table, and write build/bench.json."""
    results: dict[str, object] = {}
    for name in ("hook", "server"):
        if not (ROOT / "tests" / f"bench_{name}.py").exists():
            continue
        code = f"import json, sys; import bench_{name} as b; json.dump(b.main({quick}), sys.stdout)"
        output = subprocess.run(
            words([PYTHON, "-c", code]),
            cwd=ROOT / "tests",
            env=environment() | {"PYTHONPATH": str(ROOT / "tests")},
            stdout=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        if output.returncode:
            raise Failed(f"the benchmark of the {name} stopped; its message is above")
        results[name] = json.loads(output.stdout.strip().split("\n")[-1])
    if not results:
        raise Failed("there is no benchmark to run (tests/bench_hook.py, tests/bench_server.py)")
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    missed = print_bench(results)
    print(f"\nwritten to {folder / 'bench.json'}")
    return 1 if missed else 0


def print_bench(results: dict[str, object]) -> int:
    """Print the rows of all benchmarks; return how many missed their target.

    A row is `name: value` or `name: {"value", "unit", "target"}`; a value over its target misses it.
    """
    missed = 0
    for group, rows in results.items():
        print(f"\n{group}")
        for name, row in rows.items() if isinstance(rows, dict) else ():
            if not isinstance(row, dict) or "value" not in row:
                told = ", ".join(f"{key} {value}" for key, value in row.items()) if isinstance(row, dict) else row
                print(f"  {name:<52} {told}")
                continue
            value, target, unit = row["value"], row.get("target"), row.get("unit", "")
            met = row.get("ok", target is None or value <= target)
            missed += not met
            verdict = "" if target is None else f"   target {target:g} {unit}   {'ok' if met else 'MISSED'}"
            print(f"  {name:<52} {value:>10.4g} {unit:<4}{verdict}")
    return missed


def run_all(steps: list[tuple[str, list[object]]]) -> int:
    """Run steps one after the other, all of them also when one fails; return 1 when one did."""
    failed = []
    for name, command in steps:
        began = time.monotonic()
        say(name)
        if call(command):
            failed.append(name)
            say(f"{name} failed ({took(began)})", "31")
        else:
            print(f"   ok ({took(began)})", flush=True)
    return 1 if failed else 0


def call(command: list[object]) -> int:
    """Run a program in the project's folder and return its exit code."""
    return subprocess.run(words(command), cwd=ROOT, env=environment(), check=False).returncode


def words(command: list[object]) -> list[str]:
    """Return a command as the strings that subprocess wants."""
    return [str(word) for word in command]


def environment() -> dict[str, str]:
    """Return the environment of the programs we start: this one's, without what would lead them to other packages."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    env["PATH"] = f"{BIN}{os.pathsep}{env.get('PATH', '')}"
    env["VIRTUAL_ENV"] = str(VENV)
    env.setdefault("PYTHONUTF8", "1")
    return env


def set_up() -> None:
    """Make .venv and install into it, unless it already holds what the lock and pyproject.toml ask for.

    Raises:
        Failed: there is no way to make the folder here, or pip could not install.
    """
    if sys.version_info < (3, 11):  # noqa: UP036  # this file must say it itself
        raise Failed(f"this needs Python 3.11 or newer, but {sys.executable} is {sys.version.split()[0]}")
    wanted = {
        "lock": hashlib.sha256(LOCK.read_bytes()).hexdigest(),
        "project": hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest(),
        "folder": str(ROOT),
    }
    try:
        installed = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        installed = None
    if installed == wanted and works(PYTHON):
        return
    began = time.monotonic()
    if not works(PYTHON):
        make_venv()
    if not installed or installed["lock"] != wanted["lock"]:
        say("setup: installing the versions of requirements-dev.lock (about 30 s)")
        pip("install", "-r", str(LOCK))
    pip("install", "--no-build-isolation", "--no-deps", "--editable", str(ROOT))
    STAMP.write_text(json.dumps(wanted), encoding="utf-8")
    say(f"setup done in {took(began)}")


def works(python: Path) -> bool:
    """Tell whether an interpreter starts and is new enough (a folder copied from elsewhere may hold a dead one)."""
    try:
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        return subprocess.run([str(python), "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def make_venv() -> None:
    """Make .venv with the real interpreter behind this one.

    `sys._base_executable` is it, both for a version manager's shim (which has already chosen) and inside another venv.
    Where `ensurepip` is missing (Debian packs it apart) the pip of the interpreter itself fills the folder.
    """
    base = getattr(sys, "_base_executable", None) or sys.executable
    say(f"setup: making .venv with {base}")
    shutil.rmtree(VENV, ignore_errors=True)
    made = subprocess.run([base, "-m", "venv", str(VENV)], capture_output=True, encoding="utf-8", check=False)
    if made.returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    bare = subprocess.run([base, "-m", "venv", "--without-pip", str(VENV)], capture_output=True, check=False)
    if bare.returncode == 0 and outside_pip(base):
        return
    shutil.rmtree(VENV, ignore_errors=True)
    reason = (made.stderr.strip() or made.stdout.strip()).split("\n")[-1]
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    raise Failed(
        f"`{base} -m venv` does not work here ({reason}).\n"
        f"On Debian and Ubuntu: apt install python{version}-venv. Elsewhere: a Python that has ensurepip or pip."
    )


def outside_pip(base: str) -> bool:
    """Tell whether the interpreter has a pip that can fill another folder (23.0 is Debian 12's)."""
    probe = [base, "-m", "pip", "--python", str(PYTHON), "--version"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def pip(*arguments: str) -> None:
    """Run pip for .venv.

    Raises:
        Failed: pip did not succeed; what it said stands above.
    """
    base = getattr(sys, "_base_executable", None) or sys.executable
    inside = [str(PYTHON), "-m", "pip"]
    if subprocess.run([*inside, "--version"], capture_output=True, check=False).returncode:
        inside = [base, "-m", "pip", "--python", str(PYTHON)]
    verb, *rest = arguments
    if subprocess.run([*inside, verb, *PIP_FLAGS, *rest], cwd=ROOT, env=environment(), check=False).returncode:
        raise Failed("pip could not install; its message is above. Is the package index reachable?")


def say(text: str, color: str = "1") -> None:
    """Print one line about what happens."""
    line = f"== {text}"
    print(f"\033[{color}m{line}\033[0m" if COLOR else line, flush=True)


def took(began: float) -> str:
    """Return how long it has been since `began`."""
    return f"{time.monotonic() - began:.1f} s"


if __name__ == "__main__":
    sys.exit(main())
