"""Tree to model, the part that every format shares: values with places, and shape errors as problems with places and fixes.

A format's own pass is a subclass of `Shaper`: it walks its keys, and overrides what it says differently. Names no key of any
format.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from rulewright.formats.fields import FieldDoc, Shape, fields_of
from rulewright.model import BAD, Value
from rulewright.syntax.tree import (
    Alias,
    Entry,
    Fix,
    Mapping,
    Node,
    OddNumber,
    Problem,
    Related,
    Scalar,
    Sequence,
    resolve,
)
from rulewright.syntax.yaml_quoting import in_same_quotes
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span
from rulewright.text.spelling import is_sure, nearest

# More words than this are no choice to read in a sentence or a menu [R].
MAX_CHOICES = 12
# Keys that begin so are the author's own, in formats that have such keys.
FREE_PREFIX = "x-"

NOT_MAPPING = Text(
    "a mapping of `key: value` lines belongs here, but this is {found}",
    "这里应当是由 `键: 值` 组成的映射，实际是{found}",
)
NOT_LIST = Text("`{name}` takes a list, but this is {found}", "`{name}` 应当是列表，实际是{found}")

MISSING = Text("{names} must be here", "这里缺少 {names}")
UNKNOWN = Text("`{name}` is not a key that may stand here", "`{name}` 不是这里可用的键")
UNKNOWN_NEAR = Text(
    "`{name}` is not a key that may stand here; did you mean `{near}`?",
    "`{name}` 不是这里可用的键；是否想写 `{near}`？",
)

WRONG_WORD = Text("`{name}` takes {kind}, not `{found}`", "`{name}` 应当是{kind}，而不是 `{found}`")
WRONG_KIND = Text("`{name}` takes {kind}, but this is {found}", "`{name}` 应当是{kind}，实际是{found}")
NO_VALUE = Text("`{name}` has no value; it takes {kind}", "`{name}` 没有值；应当是{kind}")


TOO_FEW = Text("`{name}` needs at least one entry", "`{name}` 至少要有一项")
EMPTY_TEXT = Text("`{name}` must not be empty", "`{name}` 不能为空")

MERGED = Text("merged from here", "从这里合并而来")
DO_CHANGE = Text("Change to `{text}`", "改为 `{text}`")
DO_QUOTE = Text("Put it in quotes: `{text}`", "加上引号：`{text}`")
DO_RENAME = Text("Rename the key to `{text}`", "把键改名为 `{text}`")

_FOUND = {
    "text": Text("text", "文本"),
    "number": Text("a number", "数字"),
    "bool": Text("true/false", "布尔值"),
    "list": Text("a list", "列表"),
    "mapping": Text("a mapping", "映射"),
    "nothing": Text("nothing", "空值"),
}
OUT_OF_RANGE = Text("`{name}` takes {kind}; this is out of its range", "`{name}` 应当是{kind}，这个值超出了范围")


class Shaper:
    """One pass over one tree; collects problems."""

    free_keys = True
    """Keys that begin with FREE_PREFIX are nobody's business."""

    def __init__(self, text: str, damaged: bool) -> None:
        """Make a pass.

        Args:
            damaged: a part of the text could not be read.
        """
        self.text = text
        self.damaged = damaged
        self.problems: list[Problem] = []

    # ------------------------------------------------------------------ what a format may say differently

    def code_of(self, field: FieldDoc) -> str:
        """Return the code of a fault in the shape of a key's value."""
        return "invalid-schema"

    def range_message(self, detail: ErrorDetails, field: FieldDoc) -> Text:
        """Say that a number is out of its range."""
        return OUT_OF_RANGE.format(name=field.name, kind=wanted(field))

    def special_fault(
        self, detail: ErrorDetails, entry: Entry, node: Node, found: Scalar | Mapping | Sequence | Alias, code: str
    ) -> bool:
        """Report a fault that only this format has; tell whether it was one."""
        return False

    def mend_kind(
        self, found: Scalar, field: FieldDoc, source: str, span: Span, place: Span, code: str
    ) -> tuple[Text | None, list[Fix]] | None:
        """Return a message of its own and fixes for a scalar of the wrong type; None: it was reported here."""
        return None, []

    def word_fixes(self, whole: Span, field: FieldDoc, found: str) -> list[Fix]:
        """Return fixes for a word of a key without a list of words."""
        return []

    def is_free(self, name: str) -> bool:
        """Tell whether a key is the author's own."""
        return self.free_keys and name.startswith(FREE_PREFIX)

    def data_of(self, node: Node) -> Any:
        """Return what the model is to see of a value."""
        return to_data(node)

    # ------------------------------------------------------------------ values

    def value(self, name: str, entry: Entry | None, anchor: Span, bad: set[str]) -> Value:
        """Return the value of a key; BAD for a name in `bad`, unset (at the anchor) where there is no entry."""
        if entry is None:
            return Value(None, anchor, anchor, "default")
        span = entry.value.span
        node = resolve(entry.value)
        place = entry.merged or span
        origin = "merged" if entry.merged is not None else "written"
        items: tuple[Value, ...] = ()
        if isinstance(node, Sequence):
            items = tuple(
                Value(scalar_value(item), item.span, entry.merged or item.span, origin, entry.key_span, item)  # type: ignore[arg-type]
                for item in node.items
            )
            content: object = tuple(item.value for item in items)
        else:
            content = scalar_value(entry.value) if node is not None else BAD
            if isinstance(node, Scalar):
                items = (Value(content, span, place, origin, entry.key_span, entry.value),)  # type: ignore[arg-type]
        if name in bad or isinstance(content, OddNumber) or node is None:
            content, items = BAD, ()
        return Value(content, span, place, origin, entry.key_span, entry.value, items)  # type: ignore[arg-type]

    @staticmethod
    def with_default(value: Value, builtin: object) -> Value:
        """Return a value, or what is built in where it is not set."""
        if value.origin != "default":
            return value
        items = (Value(builtin, value.span, value.place, "default"),) if isinstance(builtin, str) else ()
        return Value(builtin, value.span, value.place, "default", items=items)

    def mapping_of(self, node: Node, entry: Entry | None = None, field: FieldDoc | None = None) -> Mapping | None:
        """Return the mapping, or report that something else stands there.

        Args:
            entry, field: the key that it is the value of, where it is one.
        """
        found = resolve(node)
        if isinstance(found, Mapping):
            return found
        if entry is not None and field is not None:
            self.wrong_kind(node, field, "invalid-schema", entry.key_span, merged=entry.merged)
        elif found is not None:
            self.problem("invalid-schema", node.span, NOT_MAPPING.format(found=found_words(found)))
        return None

    # ------------------------------------------------------------------ shape errors

    def validate(
        self,
        model: type[Shape],
        node: Mapping,
        entries: dict[str, Entry],
        *,
        skip: tuple[str, ...] = (),
    ) -> tuple[set[str], list[str]]:
        """Check one mapping against its model.

        Returns the names of fields with a fault, and the names of required keys that are not there.
        """
        # What could not be read has its finding already; what it would have been is not for us to guess.
        bad = {name for name, e in entries.items() if is_broken(e.value)} if self.damaged else set()
        data = {
            name: self.data_of(e.value)
            for name, e in entries.items()
            if name not in skip and name not in bad and not self.is_free(name) and is_encodable(name)
        }
        missing: list[str] = []
        try:
            model.__pydantic_validator__.validate_python(data)
        except ValidationError as error:
            fields = fields_of(model)
            for detail in error.errors(include_url=False, include_input=False):
                name = str(detail["loc"][0])
                if detail["type"] == "missing":
                    if name not in skip and name not in bad:
                        missing.append(name)
                    continue
                if name in bad and name not in fields:
                    continue
                bad.add(name)
                entry = entries[name]
                if detail["type"] == "extra_forbidden" and node.broken and nearest(name, fields) is None:
                    continue  # It may belong to what could not be read.
                if detail["type"] == "extra_forbidden":
                    self.unknown_key(name, entry, model, entries)
                    continue
                self.shape_error(detail, entry, fields[name])
        return bad, missing

    def shape_error(self, detail: ErrorDetails, entry: Entry, field: FieldDoc) -> None:
        """Report one error of pydantic at its place; for a merged value on the `<<`, pointing at the value."""
        before = len(self.problems)
        self._shape_fault(detail, entry, field)
        if entry.merged is not None:
            note = Related(self.short(entry.value.span), MERGED)
            self.problems[before:] = [replace(p, related=(*p.related, note)) for p in self.problems[before:]]

    def _shape_fault(self, detail: ErrorDetails, entry: Entry, field: FieldDoc) -> None:
        node: Node = entry.value
        for step in detail["loc"][1:]:
            inner = resolve(node)
            if isinstance(inner, Sequence) and isinstance(step, int) and step < len(inner.items):
                node = inner.items[step]
            elif isinstance(inner, Mapping) and isinstance(step, str):
                below = inner.get(step)
                node = below.value if below is not None else node
        found = resolve(node)
        code = self.code_of(field)
        kind = str(detail["type"])
        if found is None:
            return
        if isinstance(found, Scalar) and found.value is None and not found.raw.strip("~nulNUL"):
            at = self.place_of(entry, node)
            if found.missing and entry.merged is None:
                at = entry.key_span
            self.problem(code, at, NO_VALUE.format(name=field.name, kind=wanted(field)))
            return
        if kind in ("literal_error", "string_pattern_mismatch") and isinstance(found, Scalar):
            place = self.place_of(entry, node)
            if isinstance(found.value, str):
                self.wrong_word(place, node.span, field, found.raw, code, editable=entry.merged is None)
                return
            if field.listed:
                source = node.span.of(self.text) if entry.merged is None else found.raw
                self.wrong_word(place, node.span, field, source, code, editable=entry.merged is None)
                return
        if kind in ("greater_than_equal", "less_than_equal"):
            self.problem(code, self.place_of(entry, node), self.range_message(detail, field))
            return
        if kind == "too_short":
            self.problem(code, self.place_of(entry, node), TOO_FEW.format(name=field.name))
            return
        if kind == "string_too_short":
            self.problem(code, self.place_of(entry, node), EMPTY_TEXT.format(name=field.name))
            return
        if self.special_fault(detail, entry, node, found, code):
            return
        self.wrong_kind(node, field, code, entry.key_span, merged=entry.merged)

    def wrong_kind(self, node: Node, field: FieldDoc, code: str, key_span: Span, merged: Span | None = None) -> None:
        """Report a value of the wrong type; offer the right spelling where there is one."""
        found = resolve(node)
        place = merged or self.short(node.span)
        fixes: list[Fix] = []
        kind = wanted(field)
        if found is None:
            return
        if isinstance(found, Scalar) and found.value is None:
            at = key_span if found.missing and merged is None else place
            self.problem(code, at, NO_VALUE.format(name=field.name, kind=kind))
            return
        message = WRONG_KIND.format(name=field.name, kind=kind, found=found_words(found))
        if isinstance(found, Scalar) and merged is None:
            source = node.span.of(self.text)
            if field.values == ("true", "false"):
                word = truth(found)
                if word is not None:
                    fixes.append(self.change(node.span, word, safe=True))
                if isinstance(found.value, str):
                    message = WRONG_WORD.format(name=field.name, kind=kind, found=shown(source))
            elif field.is_list and field.model is None and found.raw in field.values:
                listed = f"[{source}]"
                fixes.append(Fix(DO_CHANGE.format(text=listed), (Edit(node.span, listed),)))
            else:
                mended = self.mend_kind(found, field, source, node.span, place, code)
                if mended is None:
                    return
                message, fixes = mended[0] or message, mended[1]
        self.problem(code, place, message, tuple(fixes))

    def wrong_word(
        self, place: Span, whole: Span, field: FieldDoc, found: str, code: str, *, editable: bool = True
    ) -> None:
        """Report a word that is none of the allowed ones; offer the allowed ones, the nearest first.

        Args:
            place: where it is reported. whole: what a fix replaces.
        """
        if not found.strip():
            self.problem(code, place, EMPTY_TEXT.format(name=field.name))
            return
        words_here = field.values if len(field.values) <= MAX_CHOICES else ()
        fixes: list[Fix] = []
        if editable and words_here:
            near = nearest(found, words_here)
            if near is not None:
                fixes.append(self.change(whole, near, safe=is_sure(found, near, words_here)))
            fixes += [self.change(whole, word, safe=False) for word in words_here if word != near]
        elif editable:
            fixes = self.word_fixes(whole, field, found)
        kind = choices(words_here) if words_here else wanted(field)
        self.problem(code, place, WRONG_WORD.format(name=field.name, kind=kind, found=shown(found)), tuple(fixes))

    def unknown_key(self, name: str, entry: Entry, model: type[Shape], siblings: Iterable[str]) -> None:
        """Report a key that is none of the model's; `siblings` are the keys beside it."""
        fields = fields_of(model)
        near = nearest(name, fields)
        if near is None and resolve(entry.value) is None:
            return  # The alias behind it leads nowhere and has its own finding.
        message = UNKNOWN_NEAR.format(name=shown(name), near=near) if near else UNKNOWN.format(name=shown(name))
        fixes: tuple[Fix, ...] = ()
        # Renaming to a key that is there already would only make it a duplicate.
        if near and entry.merged is None and near not in siblings:
            edit = Edit(entry.key_span, in_same_quotes(near, entry.key_span.of(self.text)))
            fixes = (Fix(DO_RENAME.format(text=near), (edit,), safe=is_sure(name, near, fields)),)
        self.problem("unknown-field", entry.merged or entry.key_span, message, fixes, minor=near is None)

    def missing(self, names: Iterable[str], anchor: Span) -> None:
        """Report required keys that are not there."""
        quoted = [f"`{name}`" for name in names]
        self.problem("invalid-schema", anchor, MISSING.format(names=Text(", ".join(quoted), "、".join(quoted))))

    # ------------------------------------------------------------------ small things

    def change(self, span: Span, text: str, *, safe: bool) -> Fix:
        """A fix that puts `text` in place of a scalar, inside its quotes if it has some and `text` is a word."""
        new = text if must_be_plain(text) else in_same_quotes(text, span.of(self.text))
        return Fix(DO_CHANGE.format(text=text), (Edit(span, new),), safe)

    def problem(
        self, code: str, span: Span, message: Text, fixes: tuple[Fix, ...] = (), *, minor: bool = False
    ) -> None:
        """Take note of a problem, cut to its first line."""
        self.problems.append(Problem(code, self.short(span), message, (), fixes, minor))

    def place_of(self, entry: Entry, node: Node) -> Span:
        """Return where a fault of a value belongs: on it, or on the `<<` that brought it."""
        return entry.merged or self.short(node.span)

    def short(self, span: Span) -> Span:
        """Cut a span to its first line, so that a fault never paints half a file."""
        for at in range(span.start, span.end):
            if self.text[at] in "\r\n":
                return Span(span.start, at)
        return span


def to_data(node: Node) -> object:
    """Return the plain Python value of a node, aliases and merges resolved; None for an alias that leads nowhere."""
    found = resolve(node)
    if isinstance(found, Scalar):
        return found.value
    if isinstance(found, Sequence):
        return [to_data(item) for item in found.items]
    if isinstance(found, Mapping):
        return {name: to_data(e.value) for name, e in found.effective().items() if not name.startswith(FREE_PREFIX)}
    return None


def scalar_value(node: Node) -> object:
    """Return the value of a scalar, BAD for anything else."""
    found = resolve(node)
    return found.value if isinstance(found, Scalar) else BAD


def found_words(node: Scalar | Mapping | Sequence | Alias | None) -> Text:
    """Say what kind of value a node is."""
    if isinstance(node, Mapping):
        return _FOUND["mapping"]
    if isinstance(node, Sequence):
        return _FOUND["list"]
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool):
        return _FOUND["bool"]
    if isinstance(value, str):
        return _FOUND["text"]
    return _FOUND["nothing"] if value is None else _FOUND["number"]


def is_broken(node: Node) -> bool:
    """Tell whether a part of a value could not be read."""
    found = resolve(node)
    if isinstance(found, Scalar):
        return found.broken
    if isinstance(found, Sequence):
        return found.broken or any(is_broken(item) for item in found.items)
    if isinstance(found, Mapping):
        return found.broken or any(is_broken(entry.value) for entry in found.entries)
    return False


def shown(text: str) -> str:
    """Cut a value to what fits into a sentence."""
    return text if len(text) <= 60 else text[:59] + "…"


def wanted(field: FieldDoc) -> Text:
    """Say in a sentence what a field takes."""
    if field.listed:
        return choices(field.values)
    return Text(field.kind.en, field.kind.zh if not field.kind.zh[0].isascii() else f" {field.kind.zh}")


def choices(values: tuple[str, ...]) -> Text:
    """Say in a sentence that one of some words is due."""
    if len(values) == 1:
        return Text(f"`{values[0]}`", f" `{values[0]}`")
    words_en = ", ".join(f"`{value}`" for value in values[:-1])
    words_zh = "、".join(f"`{value}`" for value in values)
    return Text(f"{words_en} or `{values[-1]}`", f" {words_zh} 之一")


def is_encodable(text: str) -> bool:
    """Tell whether a text is free of lone surrogates, which pydantic cannot take; the reader has reported those."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def truth(scalar: Scalar) -> str | None:
    """Return `true` or `false` for what another YAML reader, or a person, takes for one."""
    word = scalar.raw.strip().lower()
    if word in ("yes", "y", "on", "true", "1"):
        return "true"
    return "false" if word in ("no", "n", "off", "false", "0") else None


def must_be_plain(text: str) -> bool:
    """Tell whether quotes would make something else of a word."""
    return text in ("true", "false") or text.isdigit()


def first_key(node: Mapping) -> Span:
    """Return the place of a mapping's first key: where what is missing in it is reported."""
    return node.entries[0].key_span if node.entries else node.span
