"""The canonical event: the names of events and fields that all harnesses are translated to, and how a field is looked up.

An event is a plain dict, nested as the dotted field names say: `{"event": "tool.pre", "tool": {"name": "shell", ...}}`.
Pure functions; nothing here reads the world.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Event = dict[str, Any]

# style.md section 3: the vocabulary of speakeasy-api/agenthooks [A], and task.completed [R].
EVENTS = (
    "session.start",
    "session.end",
    "prompt.submitted",
    "tool.pre",
    "tool.post",
    "tool.error",
    "permission.request",
    "agent.stop",
    "subagent.start",
    "subagent.stop",
    "compact.pre",
    "compact.post",
    "notification",
    "file.edited",
    "model.request",
    "model.response",
    "task.completed",
)

# Events that carry a tool call. The index keeps one section for each class of tool there.
TOOL_EVENTS = ("tool.pre", "tool.post", "tool.error", "permission.request")

# style.md section 3 [A]. `mcp` and `skill` are the classes of calls that rules name by `mcp` and `skill`, not by `tool`.
TOOLS = ("shell", "file.read", "file.write", "file.edit", "search", "fetch", "task", "other")
TOOL_CLASSES = (*TOOLS, "mcp", "skill")


class _Missing:
    """The type of MISSING."""

    __slots__ = ()


MISSING = _Missing()


def lookup(event: "Event", field: str) -> object:
    """Return the value of a dotted field, or MISSING. Numbers select from lists; a key may itself hold dots."""
    value: object = event
    rest = field
    while True:
        if isinstance(value, dict):
            if rest in value:
                found: object = value[rest]
                return found
            head, dot, tail = rest.partition(".")
            while dot and head not in value:
                more, dot, tail = tail.partition(".")
                head = f"{head}.{more}"
            if not dot:
                return MISSING
            value, rest = value[head], tail
        elif isinstance(value, list):
            head, dot, tail = rest.partition(".")
            if not (head.isascii() and head.isdigit() and len(head) < 10 and int(head) < len(value)):
                return MISSING
            value = value[int(head)]
            if not dot:
                return value
            rest = tail
        else:
            return MISSING


def put(target: "Event", name: str, raw: "dict[str, Any]", key: str) -> None:
    """Take over a value of a payload as it is; what is not in it is left out."""
    if key in raw:
        target[name] = raw[key]


def text(raw: "dict[str, Any]", key: str) -> str:
    """Return a text of a payload, empty where it is missing or no text."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def with_path(given: object, keys: tuple[str, ...], project: str, cwd: str) -> object:
    """Return a tool's input with `path`, the first of `keys` that is in it, relative to the project."""
    if not isinstance(given, dict):
        return given
    for key in keys:
        if key in given:
            path = given[key]
            return {**given, "path": project_path(path, project, cwd) if isinstance(path, str) and path else path}
    return given


# Lines of an `apply_patch` patch that name a file. Source: harnesses.md section 4.3 [O, D].
_ADD = "*** Add File: "
_FILE_LINES = (_ADD, "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def patched_paths(patch: str, project: str, cwd: str) -> tuple[list[str], bool]:
    """Return the files that an `apply_patch` patch names, relative to the project, in its order, each once; and whether it only
    adds files.

    Indented headers count, also among the context lines of an update: the newer parser of Codex takes them there, and a file
    named too many is the safer mistake. Source: openai/codex@15d5409c codex-rs/apply-patch/src/streaming_parser.rs [S].
    """
    paths: list[str] = []
    only_adds = True
    for line in patch.split("\n"):
        bare = line.strip()
        for mark in _FILE_LINES:
            if bare.startswith(mark):
                only_adds = only_adds and mark == _ADD
                path = project_path(bare[len(mark) :], project, cwd)
                if path not in paths:
                    paths.append(path)
    return paths, only_adds and bool(paths)


def utf16_size(text: str) -> int:
    """Return the length of a text in UTF-16 code units, which is what JavaScript calls its length."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def utf8_size(text: str) -> int:
    """Return the length of a text in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def project_path(path: str, project: str, cwd: str) -> str:
    """Return a path relative to the project where it lies inside, else absolute; `/`-separated, without `.` and `..`.

    A relative path is taken from `cwd`. Windows paths are recognised by a drive letter or a UNC start (of the path, or of
    `cwd` for a relative one); only there is a backslash a separator, and letter case is ignored when comparing.
    Links are not followed: nothing is read from the disk. Source: style.md section 5 [R].
    """
    windows = _is_windows(path) or (not path.startswith("/") and _is_windows(cwd))
    if windows:
        path, project, cwd = (text.replace("\\", "/") for text in (path, project, cwd))
    root, parts = _split(path, windows)
    if not root and cwd:
        root, base = _split(cwd, windows)
        parts = base + parts
    steps = _collapse(parts, bool(root))
    for folder in (project, cwd):
        if folder and root:
            folder_root, folder_parts = _split(folder, windows)
            inside = _collapse(folder_parts, True)
            head = steps[: len(inside)]
            same = (folder_root, inside) == (root, head)
            if windows:
                same = [folder_root.lower(), *map(str.lower, inside)] == [root.lower(), *map(str.lower, head)]
            if same and folder_root:
                return "/".join(steps[len(inside) :]) or "."
    return root + "/".join(steps) or "."


def _is_windows(path: str) -> bool:
    return path.startswith("\\\\") or (
        len(path) > 2 and path[1] == ":" and path[2] in "\\/" and path[0].isalpha() and path[0].isascii()
    )


def _split(path: str, windows: bool) -> tuple[str, list[str]]:
    """Return the root (`/`, `C:/`, `//`, or empty) and the parts after it."""
    root = ""
    if windows and path[1:3] == ":/":
        root, path = path[:3], path[3:]
    elif windows and path.startswith("//"):
        root, path = "//", path[2:]
    elif path.startswith("/"):
        root, path = "/", path[1:]
    return root, path.split("/")


def _collapse(parts: list[str], rooted: bool) -> list[str]:
    steps: list[str] = []
    for part in parts:
        if part in ("", "."):
            continue
        if part == ".." and steps and steps[-1] != "..":
            steps.pop()
        elif part != ".." or not rooted:
            steps.append(part)
    return steps
