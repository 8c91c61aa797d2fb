"""What the codecs of `harness/` share: a payload is read, and an answer written, by the tables of a harness.

Loaded only where a payload is decoded or an answer written. Pure functions: nothing here reads the world, or knows a harness.
"""

from rulewright.hook.event import MISSING, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rulewright.hook.event import Event

    Fields = Mapping[str, tuple[str, ...]]
    Answers = tuple[tuple[str, tuple[str, ...], tuple[tuple[str, Any], ...]], ...]

# Fields that one event alone has: what the payloads of others hold under the same key is something else.
_ONLY_AT = {"session.source": "session.start", "prompt.text": "prompt.submitted"}
# The object of an answer that must name its event. Source: harnesses.md section 5.3 [O].
_NAMES_ITS_EVENT = "hookSpecificOutput"


def event_of(
    raw: "dict[str, Any]", harness: str, canonical: str, fields: "Fields", sources: "Mapping[str, str]"
) -> "Event":
    """Return the canonical event of a payload, without its tool call.

    Args:
        raw: the payload. Values are taken over as they are; what is not in it is left out.
        fields, sources: FIELDS and SOURCES of the harness.
    """
    event: Event = {"event": canonical, "harness": harness}
    for field, places in fields.items():
        group, dot, name = field.partition(".")
        if group in ("tool", "skill") or _ONLY_AT.get(field, canonical) != canonical:
            continue
        value = first(raw, places)
        if value is MISSING:
            continue
        if field == "session.source" and isinstance(value, str):
            value = sources.get(value, value)
        if dot:
            event.setdefault(group, {})[name] = value
        else:
            event[field] = value
    return event


def add_tool(
    event: "Event", raw: "dict[str, Any]", native: str, name: str, fields: "Fields", project: str
) -> "dict[str, Any]":
    """Add the tool call of a payload to its event, and the skill if it calls one; return the `tool` of the event.

    Args:
        native, name: the tool's own name and its canonical one.
        fields: FIELDS of the harness. The path becomes one relative to the project.
    Raises:
        ValueError: `native` is empty.
    """
    if not native:
        raise ValueError("the event names no tool")
    tool: dict[str, Any] = {"name": name, "native_name": native}
    event["tool"] = tool
    for part in ("input", "output", "error"):
        value = first(raw, fields.get(f"tool.{part}", ()))
        if value is not MISSING:
            tool[part] = value
    path = first(raw, fields.get("tool.input.path", ()))
    if path is not MISSING:
        known = isinstance(path, str) and path
        tool["input"] = {**tool["input"], "path": project_path(path, project, text(raw, "cwd")) if known else path}
    if name == "skill":
        skill = first(raw, fields.get("skill.name", ()))
        if skill is not MISSING:
            event["skill"] = {"name": skill}
    return tool


def first(raw: "dict[str, Any]", places: "tuple[str, ...]") -> "Any":
    """Return the value at the first place that a payload has, else MISSING. `key.inner` is a key of an object in it."""
    for place in places:
        key, dot, inner = place.partition(".")
        value = raw.get(key, MISSING)
        if dot:
            value = value.get(inner, MISSING) if isinstance(value, dict) else MISSING
        if value is not MISSING:
            return value
    return MISSING


def split_mcp(native: str, prefix: str) -> "Event":
    """Split the native name of an MCP server's tool at the first separator. `prefix`: `mcp` and the separator."""
    server, _, tool = native[len(prefix) :].partition(prefix.removeprefix("mcp"))
    return {"server": server, "tool": tool}


def add_patch(tool: "dict[str, Any]", patch: str, project: str, cwd: str) -> None:
    """Read an `apply_patch` patch: its files become the call's path, and one that only adds files is a file.write."""
    paths, only_adds = patched_paths(patch, project, cwd)
    if only_adds:
        tool["name"] = "file.write"
    if paths:
        given = tool["input"]
        known = given if isinstance(given, dict) else {"command": given}
        tool["input"] = {**known, "path": paths[0] if len(paths) == 1 else paths}


def wire_of(answer: "dict[str, Any]", native: str, answers: "Answers") -> "dict[str, Any]":
    """Return the object to print for an answer at a native event; empty where nothing is to be printed.

    Args:
        answer: any of `block` (the reason), `halt` (counts only beside it), `context`, `message`, `allow` and `input` (both only
            without it). An empty part is none, but for an `input`.
        answers: ANSWERS of the harness.
    """
    wire: dict[str, Any] = {}
    blocks = bool(answer.get("block"))
    for part, natives, pairs in answers:
        value = answer.get(part)
        if native not in natives or value is None or not (value or part == "input"):
            continue
        if (part in ("allow", "input") and blocks) or (part == "halt" and not blocks):
            continue
        for place, fixed in pairs:
            *outer, key = place.split(".")
            target = wire
            for name in outer:
                target = target.setdefault(name, {"hookEventName": native} if name == _NAMES_ITS_EVENT else {})
            target[key] = value if fixed is None else fixed
    return wire


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
