"""The host's own file of hooks, edited as text: our entries in, our entries out, every other byte as it was.

Knows the three shapes in which hosts keep handlers, not the hosts. What is ours is told by `Ours`, never by its place.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from rulewright.errors import RulewrightError
from rulewright.installing.lockfile import Before
from rulewright.syntax import json_edit
from rulewright.syntax.json_edit import JsonArray, JsonFault, JsonNode, JsonObject
from rulewright.text.edits import Edit, apply_edits
from rulewright.text.language import Text, same

MARKER = "rulewright.hook_entry"
"""What every command line of ours holds; together with the path of the index it tells our entries from all others."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the handlers lie in a host's file: the CONFIG tables of a harness.

    kind: `groups` {key: {event: [{"hooks": [handler]}]}}, `handlers` {key: {event: [handler]}}, `list` [handler with its event].
    head: what else a file that we make holds. comments: the host reads JSON with comments.
    """

    kind: Literal["groups", "handlers", "list"]
    key: str
    head: Mapping[str, object]
    comments: bool = False

    def new_text(self) -> str:
        """Return the text of a file without hooks."""
        if self.kind == "list":
            return "[]\n"
        if not self.head:
            return "{}\n"
        rows = [f'  "{key}": {value}' for key, value in self.head.items()]
        return "{\n" + ",\n".join(rows) + "\n}\n"

    def is_bare(self, data: object) -> bool:
        """Tell whether a file holds nothing but what `new_text` writes."""
        return data == ([] if self.kind == "list" else dict(self.head))


def shape_of(codec: Any) -> Shape:
    """Return the shape that a harness's tables (its module) state."""
    return Shape(codec.CONFIG_SHAPE, codec.CONFIG_KEY, codec.CONFIG_HEAD, codec.CONFIG_COMMENTS)


@dataclass(frozen=True, slots=True)
class Ours:
    """How to tell our hook entries from all others: by the index that they read, or because the lock has them.

    index: absolute. commands: command lines as an earlier installation wrote them. gone: indexes that other entries of this
    harness name and that are not there: the project was moved.
    """

    index: str
    commands: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    def owns(self, handler: object) -> bool:
        """Tell whether an installation of this place wrote a handler of the host's file."""
        command = command_of(handler)
        if command is None:
            return False
        if command in self.commands:
            return True
        named = index_of(command)
        return named is not None and (named == self.index.replace("\\", "/") or named in self.gone)


def command_of(handler: object) -> str | None:
    """Return the command line of a handler that Rulewright wrote, here or elsewhere; None for any other handler."""
    if isinstance(handler, dict):
        for value in handler.values():
            if isinstance(value, str) and MARKER in value:
                return value
    return None


def arguments_of(command: str) -> list[str] | None:
    """Return what a command line of ours hands to the hook: harness, state folder, index, event, options. None: not ours."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    for number, word in enumerate(words):
        if MARKER in word:
            found = words[number + 1 :]
            return [word.replace("\\", "/") for word in found] if len(found) >= 4 else None
    return None


def index_of(command: str) -> str | None:
    """Return the index that a command line of ours reads, with `/`; None where it is not one of ours."""
    words = arguments_of(command)
    return None if words is None else words[2]


def handlers_of(data: object, shape: Shape) -> Iterator[tuple[str, object]]:
    """Return each handler of a host's file with its native event, whatever else is wrong with the file."""
    if shape.kind == "list":
        for item in data if isinstance(data, list) else ():
            yield str(item.get("event", "")) if isinstance(item, dict) else "", item
        return
    hooks = data.get(shape.key) if isinstance(data, dict) else None
    for native, items in hooks.items() if isinstance(hooks, dict) else ():
        for item in items if isinstance(items, list) else ():
            if shape.kind == "handlers":
                yield native, item
            elif isinstance(item, dict):
                for handler in handlers if isinstance(handlers := item.get("hooks"), list) else ():
                    yield native, handler


def data_of(text: str, shape: Shape, shown: str) -> object:
    """Return the plain value of a host's file.

    Raises:
        RulewrightError: it is not JSON that can be edited safely, or the containers of the hooks are of another kind.
    """
    return json_edit.data_of(_Text(text, shape, shown).root)


def edit_host_file(
    text: str, shape: Shape, wanted: Mapping[str, Mapping[str, object]], ours: Ours, before: Before, shown: str
) -> tuple[str, Before]:
    """Return the text with exactly the wanted entries of ours, and what was there before.

    An entry that is right already stays as it is, one that is not is rewritten in its place: places of entries count where a
    host asks for trust in each (harnesses.md section 3 [S]). New ones go to the end. What is not ours is not touched.

    Args:
        wanted: handlers by native event; empty takes all of ours out. shown: the file's name for messages.
    Raises:
        RulewrightError: the text is not JSON that can be edited safely.
    """
    editor = _Editor(text, shape, wanted, ours, before, shown)
    editor.settle()
    editor.add_missing()
    return editor.text, editor.before


class _Text:
    """A host's text, parsed, with its containers as the shape wants them."""

    __slots__ = ("plain", "root", "shape")

    def __init__(self, text: str, shape: Shape, shown: str) -> None:
        self.shape = shape
        self.plain = json_edit.without_comments(text) if shape.comments else text
        try:
            self.root = json_edit.parse(self.plain)
        except JsonFault as fault:
            raise RulewrightError(
                Text(
                    "`{path}:{line}` is not JSON that can be edited safely: {why}",
                    "`{path}:{line}` 不是能安全编辑的 JSON：{why}",
                ).format(path=shown, line=fault.line, why=fault.message),
                MEND,
            ) from fault
        if shape.kind == "list":
            if not isinstance(self.root, JsonArray):
                raise _wrong_shape(shown, SETTINGS, LIST)
            return
        if not isinstance(self.root, JsonObject):
            raise _wrong_shape(shown, SETTINGS, OBJECT)
        hooks = self.root.members.get(shape.key)
        if hooks is not None and not isinstance(hooks, JsonObject):
            raise _wrong_shape(shown, same(f"`{shape.key}`"), OBJECT)
        for native, items in hooks.members.items() if hooks is not None else ():
            if not isinstance(items, JsonArray):
                raise _wrong_shape(shown, same(f"`{shape.key}.{native}`"), LIST)

    def hooks(self) -> JsonObject | None:
        """Return the object of events, None where there is none; not for the shape `list`."""
        return cast("JsonObject | None", cast("JsonObject", self.root).members.get(self.shape.key))

    def items(self, native: str | None) -> JsonArray | None:
        """Return the list of an event; of all of them, for the shape `list`."""
        if native is None:
            return cast("JsonArray", self.root)
        hooks = self.hooks()
        return None if hooks is None else cast("JsonArray | None", hooks.members.get(native))


class _Editor:
    """One pass over a text. Every step parses again: files of settings are small, and offsets are never stale."""

    def __init__(
        self,
        text: str,
        shape: Shape,
        wanted: Mapping[str, Mapping[str, object]],
        ours: Ours,
        before: Before,
        shown: str,
    ) -> None:
        self.text = text
        self.shape = shape
        self.wanted = wanted
        self.ours = ours
        self.before = before
        self.shown = shown
        self.placed: set[str] = set()

    def parsed(self) -> _Text:
        return _Text(self.text, self.shape, self.shown)

    def settle(self) -> None:
        """Set what there is of ours right, or take it out."""
        if self.shape.kind == "list":
            if self._settle_list(None) and not cast("JsonArray", self.parsed().root).items:
                self._restore_blank("", self.parsed().root)
            return
        hooks = self.parsed().hooks()
        for native in [] if hooks is None else list(hooks.members):
            if self._settle_list(native) and native not in self.wanted:
                self._drop_if_empty((self.shape.key, native))
                self._drop_if_empty((self.shape.key,))
                root = cast("JsonObject", self.parsed().root)
                if not root.members:
                    self._restore_blank("", root)

    def _settle_list(self, native: str | None) -> bool:
        """Go over one list; tell whether anything was taken out of it."""
        removed = False
        at = 0
        while True:
            parsed = self.parsed()
            items = parsed.items(native)
            if items is None or at >= len(items.items):
                return removed
            edit = self._edit_of(items, at, native)
            if edit is None:
                at += 1
            else:
                removed = True
                self._apply(edit)

    def _edit_of(self, items: JsonArray, at: int, native: str | None) -> Edit | None:
        """Return the next edit that an item needs, None where it is as it should be (and its event is then placed)."""
        item = items.items[at]
        data = json_edit.data_of(item)
        handlers = item.members.get("hooks") if isinstance(item, JsonObject) and self.shape.kind == "groups" else None
        if self.shape.kind == "groups":
            if not isinstance(handlers, JsonArray):
                return None
            found = [json_edit.data_of(handler) for handler in handlers.items]
        else:
            found = [data]
        mine = [number for number, handler in enumerate(found) if self.ours.owns(handler)]
        if not mine:
            return None
        event = native if native is not None else str(data.get("event", "")) if isinstance(data, dict) else ""
        handler = self.wanted.get(event) if event not in self.placed else None
        alone = len(mine) == len(found)
        # In a group with handlers of others ours would be narrowed by their matcher.
        if handler is None or (not alone and isinstance(data, dict) and set(data) != {"hooks"}):
            if alone or not isinstance(handlers, JsonArray):
                return json_edit.remove_item(self.text, items, at)
            return json_edit.remove_item(self.text, handlers, mine[-1])
        if not alone and len(mine) > 1 and isinstance(handlers, JsonArray):
            return json_edit.remove_item(self.text, handlers, mine[-1])
        node, is_now = item, data
        if not alone and isinstance(handlers, JsonArray):
            node, is_now = handlers.items[mine[0]], found[mine[0]]
        due = self._item(handler) if node is item else dict(handler)
        if is_now != due:
            return json_edit.replace_value(self.text, node, due)
        self.placed.add(event)
        return None

    def _item(self, handler: Mapping[str, object]) -> dict[str, object]:
        return {"hooks": [dict(handler)]} if self.shape.kind == "groups" else dict(handler)

    def add_missing(self) -> None:
        """Write the entries that are not there, each behind all others."""
        for native, handler in self.wanted.items():
            if native not in self.placed:
                self._add(native, self._item(handler))

    def _add(self, native: str, item: dict[str, object]) -> None:
        parsed = self.parsed()
        key = self.shape.key
        if self.shape.kind == "list":
            self._remember(cast("JsonArray", parsed.root), "")
            self._apply(json_edit.add_item(self.text, cast("JsonArray", parsed.root), item))
            return
        hooks, items = parsed.hooks(), parsed.items(native)
        if hooks is None:
            root = cast("JsonObject", parsed.root)
            self._remember(root, "", key, f"{key}.{native}")
            edit = json_edit.add_member(self.text, root, key, {native: [item]})
        elif items is None:
            self._remember(hooks, key, f"{key}.{native}")
            edit = json_edit.add_member(self.text, hooks, native, [item])
        else:
            self._remember(items, f"{key}.{native}")
            edit = json_edit.add_item(self.text, items, item)
        self._apply(edit)

    def _remember(self, container: JsonObject | JsonArray, place: str, *added: str) -> None:
        """Note the containers that we add, and what stands inside one that was empty."""
        empty = not (container.members if isinstance(container, JsonObject) else container.items)
        blanks = dict(self.before.blanks)
        if empty and place not in self.before.keys and place not in blanks:
            blanks[place] = self.text[container.span.start + 1 : container.span.end - 1]
        self.before = replace(self.before, keys=tuple(dict.fromkeys((*self.before.keys, *added))), blanks=blanks)

    def _drop_if_empty(self, place: tuple[str, ...]) -> None:
        """Remove a container that is empty now and that we had added; give one that was empty before its blanks back."""
        parsed = self.parsed()
        parent = parsed.root if len(place) == 1 else parsed.hooks()
        if not isinstance(parent, JsonObject) or place[-1] not in parent.members:
            return
        container = cast("JsonObject | JsonArray", parent.members[place[-1]])
        name = ".".join(place)
        if container.members if isinstance(container, JsonObject) else container.items:
            return
        inside = self.text[container.span.start + 1 : container.span.end - 1]
        if name in self.before.keys and not inside.strip(" \t\r\n"):
            self._apply(json_edit.remove_member(self.text, parent, place[-1]))
            self.before = replace(self.before, keys=tuple(other for other in self.before.keys if other != name))
        else:
            self._restore_blank(name, container)

    def _restore_blank(self, place: str, container: JsonNode) -> None:
        """Write back what stood in an empty container, unless somebody has put a comment there since."""
        blank = self.before.blanks.get(place)
        start, end = container.span.start + 1, container.span.end - 1
        if blank is not None and "".join(self.text[start:end].split()) == "".join(blank.split()):
            self.text = self.text[:start] + blank + self.text[end:]

    def _apply(self, edit: Edit) -> None:
        """Apply an edit and make sure that what comes out is JSON still."""
        self.text = apply_edits(self.text, [edit])
        self.parsed()


def _wrong_shape(shown: str, place: Text, wanted: Text) -> RulewrightError:
    return RulewrightError(
        Text("`{path}`: {place} must be {wanted}", "`{path}`：{place} 必须是{wanted}").format(
            path=shown, place=place, wanted=wanted
        ),
        MEND,
    )


SETTINGS = Text("the settings", "整个文件")
OBJECT = Text("an object", "对象")
LIST = Text("a list", "列表")
MEND = Text("mend it first; nothing was changed", "请先修正；没有改动任何内容")
