"""Starts another process of this interpreter, or of a command: the only place of event time that does.

Loaded only when something has to be read anew or run. What is executed comes from the running process (its interpreter, and the
folders that its own command line put on the path), never from a cache, an index or a file of the project.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Puts the folders on the path of a child as they were on ours: behind the standard library.
_START = "import sys;n=int(sys.argv[1])+2;sys.path+=sys.argv[2:n];del sys.argv[1:n];from {module} import main;main()"
# Characters of what a child said that are passed on.
_SAID = 300


def folders() -> "list[str]":
    """Return the folders that hold the package and its libraries: what the hook's command line put on the path.

    They come last there, the package's own first.
    """
    own = _package_folder()
    return sys.path[sys.path.index(own) :] if own in sys.path else [own]


def _package_folder() -> str:
    folder = __file__
    for _ in range(3):
        folder = folder.replace("\\", "/").rpartition("/")[0]
    given = [path for path in sys.path if path.replace("\\", "/").rstrip("/") == folder]
    return given[0] if given else folder


def run_module(module: str, words: "Sequence[str]", seconds: float, on_path: "Sequence[str] | None" = None) -> str:
    """Run `main` of a module of ours in a child and wait for its end. Returns why it failed, empty where it did not.

    Args:
        words: what it finds in `sys.argv[1:]`. seconds: after which it is killed.
        on_path: the folders to import from; None: those of this process.
    """
    import subprocess

    paths = list(folders() if on_path is None else on_path)
    command = [sys.executable, "-I", "-S", "-c", _START.format(module=module), str(len(paths)), *paths, *words]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {seconds:.1f} s"
    except (OSError, ValueError) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return said[-_SAID:] or f"it ended with {done.returncode}"
