"""Foya's rules at one event: what the turn has become, and which rules that may wake; `hook.foya_due` does what is left then.

Loaded only where the index says that Foya's rules are given. The rules come from a cache (`hook.cache`), so that a changed file counts
at the next event. Each rule is given once a session for one text, and again after a compaction; what a host has no room for stays due
and comes with the next event. Source: foya.md sections 3, 4 and 6.
"""

import sys

from rulewright.hook import cache, deadline

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rulewright.hook.event import Event
    from rulewright.hook.foya_due import Given
    from rulewright.hook.state import State

KIND = "foya"
# Events that add to the activity of a turn. Source: foya.md section 6 [R].
EXTENDS = ("prompt.submitted", "tool.pre")
# Of the event's time, what waiting for a child may take: an answer has to follow.
_SHARE = 0.7


def project_of(index: str, given: str) -> str:
    """Return the folder of the project whose rules hold.

    Args:
        index: its path: that of a project's installation lies in `<project>/.style/`. given: the folder that the harness names as
            the project, or the current one; what counts is the nearest at or above it that has rules, inside its repository.
    """
    folder, _, name = index.replace("\\", "/").rpartition("/")[0].rpartition("/")
    if name == ".style":
        return folder
    given = given.replace("\\", "/").rstrip("/")
    at, home = given, _home()
    while at:
        if at != home and _is_there(f"{at}/.foya/rules"):
            return at
        if _is_there(f"{at}/.git"):
            break
        at = at.rpartition("/")[0]
    return given


def _is_there(path: str) -> bool:
    try:
        system.stat(path)
    except (OSError, ValueError):
        return False
    return True


def _home() -> str:
    """Return the home folder with `/`, or nothing where the environment does not say it."""
    if sys.platform == "win32":
        found = str(system.environ.get("USERPROFILE", ""))
    else:
        found = system.environ.get(b"HOME", b"").decode("utf-8", "replace")
    return found.replace("\\", "/").rstrip("/")


def load(state_folder: str, root: str, on_path: "Callable[[], list[str]] | None") -> cache.Loaded:
    """Return the rules that hold in a project: `rules`, `notes` and `strict`, as `rulewright.caching` writes them."""
    path = cache.path_of(state_folder, KIND, root, _home())

    def renew(seconds: float) -> str:
        from rulewright.hook import child

        return child.run_module("rulewright.caching", [KIND, path, root], seconds, on_path() if on_path else None)

    return cache.load(path, KIND, deadline.left() * _SHARE, renew)


def extend(state: "State", event: "Event", arguments: object, strict: bool = False) -> None:
    """Add what an event tells to the activity of the turn. The arguments are those of `piece_of`.

    Raises:
        StateError: it cannot be kept.
    """
    piece = piece_of(event, arguments, strict)
    if piece:
        state.add_activity(piece)
        if event["event"] == "prompt.submitted":
            state.forget_activity()


def piece_of(event: "Event", arguments: object, strict: bool = False) -> str:
    """Return what an event adds to the activity: the prompt, or the tool's own name and its arguments as compact JSON.

    Args:
        arguments: of the tool call, as the harness sent them.
        strict: the JSON as it is written; else texts in it stand as they are, so that a path may begin a line of a command.
    """
    if event["event"] not in EXTENDS:
        return ""
    if event["event"] == "prompt.submitted":
        prompt = event.get("prompt", {}).get("text")
        return prompt if isinstance(prompt, str) else ""
    from rulewright.hook.json_text import compact

    text = arguments if isinstance(arguments, str) else compact(arguments)
    if not strict and "\\" in text:
        text = _unescaped(text)
    return f"{event['tool']['native_name']} {text}"


def _unescaped(text: str) -> str:
    parts = text.split("\\\\")
    return "\\".join(
        [part.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace('\\"', '"') for part in parts]
    )


def give(
    loaded: cache.Loaded,
    state: "State",
    root: str,
    room: int,
    size: "Callable[[str], int]",
    alone: bool,
    names: "tuple[object, ...]" = (),
) -> "Given | None":
    """Return what is due of the rules that are awake, and claim it; None where the text wakes none.

    Args:
        loaded: from `load`. room: as much the host keeps of it, measured by `size`. alone: nothing else is in the answer, so that a
            rule too long for any answer is given all the same. names: other names that the project's folder may have, see `renamed`.
    Raises:
        StateError: what was given cannot be read or kept.
    """
    text = renamed(state.activity(), root, names)
    joined = text if is_strict(loaded) or "\\" not in text else text + text.replace("\\", "/")
    if shut(loaded.gate or b"", joined) or loaded.data is None:
        return None
    from rulewright.hook.foya_due import give_rules

    rules = [
        rule
        for rule in loaded.data["rules"]
        if rule["trigger"] != "glob" or any(part in joined for part in rule["parts"])
    ]
    for rule in rules:
        rule["content"] = loaded.text(rule["text"])
    return give_rules(rules, state, text, root, room, size, strict=is_strict(loaded), alone=alone)


def renamed(text: str, root: str, names: "tuple[object, ...]") -> str:
    """Return an activity text in which paths of the project begin with `root`, also where a link leads there or it is one.

    Args:
        names: folders that may be the project's; what is no text is none. The current one counts too: its name has no links.
    """
    try:
        names = (*names, system.getcwd())
    except OSError:
        pass  # It was removed.
    for name in names:
        folder = name.replace("\\", "/").rstrip("/") if isinstance(name, str) else ""
        if folder not in ("", root) and f"{folder}/" in text and _is_same(folder, root):
            text = text.replace(f"{folder}/", f"{root}/")
    return text


def _is_same(first: str, second: str) -> bool:
    try:
        found = [system.stat(path) for path in (first, second)]
    except (OSError, ValueError):
        return False
    return (found[0].st_dev, found[0].st_ino) == (found[1].st_dev, found[1].st_ino)


def is_strict(loaded: cache.Loaded) -> bool:
    """Tell whether rules and text are read as Foya's own program does."""
    return (loaded.gate or b"")[:1] == b"s"


def shut(gate: bytes, text: str) -> bool:
    """Tell whether a text wakes no rule at all. True is certain. `rulewright.caching` describes the gate."""
    if gate[1:2] != b"-":
        return False
    if len(gate) > 2:
        for group in gate[2:].decode("utf-8", "surrogatepass").split("\n\n"):
            start, _, lines = group.partition("\n")
            if start in text and any(line in text for line in lines.split("\n")):
                return False
    return True
