"""Words that rules bring along from other tools, and what Foya calls the same.

Sources: docs.windsurf.com (Rules: `trigger`), docs.cursor.com (Rules: `alwaysApply`, `globs`, the four rule types),
code.claude.com (Memory: `paths`), docs.github.com (custom instructions: `applyTo`), kiro.dev (Steering: `inclusion`,
`fileMatchPattern`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rulewright.syntax.tree import Entry, Node, Scalar, Sequence, resolve
from rulewright.text.language import Text

TRIGGER_WORDS: Mapping[str, tuple[str, ...]] = {
    "always_on": ("always",),
    "always_apply": ("always",),
    "alwaysapply": ("always",),
    "alwayson": ("always",),
    "auto": ("glob", "model_decision"),
    "auto_attached": ("glob",),
    "filematch": ("glob",),
    "file_match": ("glob",),
    "agent_requested": ("model_decision",),
    "apply_intelligently": ("model_decision",),
    "model": ("model_decision",),
    "agent": ("model_decision",),
    "on_demand": ("model_decision", "manual"),
    "manually": ("manual",),
}
"""Another tool's word, in lower case with `_`, -> the triggers that it may mean, the likeliest first."""

_EVERYTHING = frozenset({"**", "**/*", "*", "**/**"})


@dataclass(frozen=True, slots=True)
class Meant:
    """What a key of another tool means: whose it is, what to do, and the lines that say it (none: it can go)."""

    tool: str
    wanted: Text
    lines: tuple[str, ...]


def mapped_key(name: str, entry: Entry, siblings: Mapping[str, Entry]) -> Meant | None:
    """Return what a key of another tool means beside its siblings; None for any other key."""
    folded = name.casefold()
    if folded == "alwaysapply":
        return _meant("Cursor", _always_apply(entry, siblings), siblings)
    if folded in ("paths", "applyto", "filematchpattern"):
        tool = {"paths": "Claude Code", "applyto": "GitHub Copilot", "filematchpattern": "Kiro"}[folded]
        lines = _paths(entry)
        # Kiro says in another key when the rule is given.
        return _meant(tool, lines[-1:] if "inclusion" in siblings else lines, siblings)
    if folded == "inclusion":
        word = _text(entry.value).casefold()
        triggers = {"auto": ("model_decision",)}.get(word) or TRIGGER_WORDS.get(word, (word,))
        return _meant("Kiro", (f"trigger: {triggers[0]}",) if triggers[0] in _TRIGGERS else (), siblings)
    return None


_TRIGGERS = ("always", "glob", "model_decision", "manual")


def _meant(tool: str, lines: tuple[str, ...], siblings: Mapping[str, Entry]) -> Meant:
    """Leave out what the rule says already."""
    left = tuple(line for line in lines if line.partition(":")[0] not in siblings)
    wanted = WRITE.format(text="; ".join(left)) if left else SAID if lines else REMOVE_IT
    return Meant(tool, wanted, left)


def _always_apply(entry: Entry, siblings: Mapping[str, Entry]) -> tuple[str, ...]:
    if _text(entry.value).casefold() not in ("false", "no", "off"):
        return ("trigger: always",)
    if "globs" in siblings:
        return ("trigger: glob",)
    return ("trigger: model_decision",) if "description" in siblings else ("trigger: manual",)


def _paths(entry: Entry) -> tuple[str, ...]:
    node = resolve(entry.value)
    if isinstance(node, Sequence):
        globs = [text for item in node.items if (text := _text(item))]
    else:
        globs = split_globs(_text(entry.value))
    if not globs:
        return ()
    if _EVERYTHING.intersection(globs):
        return ("trigger: always",)
    return ("trigger: glob", "globs: [" + ", ".join(json.dumps(glob, ensure_ascii=False) for glob in globs) + "]")


def _text(node: Node) -> str:
    found = resolve(node)
    return found.raw.strip() if isinstance(found, Scalar) and found.value is not None else ""


def split_globs(text: str) -> list[str]:
    """Return the globs of a list in one text: between commas that stand in no braces, or on lines; quotes taken off."""
    found: list[str] = []
    depth = 0
    piece = ""
    for char in text:
        depth = max(0, depth + (char == "{") - (char == "}"))
        if char in "\r\n" or (char in ",，" and depth == 0):
            found.append(piece)
            piece = ""
        else:
            piece += char
    return list(_cleaned([*found, piece]))


def _cleaned(pieces: Iterable[str]) -> Iterable[str]:
    for piece in pieces:
        glob = piece.strip().removeprefix("- ").strip()
        if len(glob) > 1 and glob[0] == glob[-1] and glob[0] in "\"'":
            glob = glob[1:-1].strip()
        if glob:
            yield glob


WRITE = Text("write `{text}` instead", "请改写成 `{text}`")
SAID = Text("the rule says the same already, so remove it", "规则已经写明了同样的内容，请删除它")
REMOVE_IT = Text("remove it", "请删除它")
