"""YAML events to tree, in one pass. Says what is wrong inside well-formed YAML; knows no recovery.

`yaml_reader` hands the events in, so that this module does not import `yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rulewright.syntax.tree import Alias, Entry, Fix, Mapping, Node, Problem, Related, Scalar, Sequence, Style
from rulewright.syntax.yaml_quoting import quote_single
from rulewright.syntax.yaml_scalars import NOT_ONLY_TEXT, resolve_plain, resolve_tagged
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span

# Rule files nest about six levels; everything that walks a tree may recurse safely below Python's limit of 1000.
MAX_DEPTH = 100
# Nodes after alias expansion: 100,000, or ten times what the text itself holds. Stricter than go-yaml v3, which allows
# 400,000 decode operations of which 99% come from aliases (decode.go, alias_ratio_range_low): every keystroke walks them.
MAX_EXPANDED = 100_000
MAX_EXPANSION_RATIO = 10

_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_COLON = re.compile(r"(?:[ \t\r\n]+|(?<=[ \t\r\n])#[^\r\n]*)*:")
_PROPERTY = re.compile(r"(?P<anchor>&[0-9A-Za-z_-]*)|!(?:<[^>\r\n]*>|[^ \t\r\n]*)")
_GAP = re.compile(r"(?:[ \t\r\n]+|(?<=[ \t\r\n])#[^\r\n]*)*")
_LINE_END = re.compile(r"[\r\n]")
_BLANKS = " \t\r\n"


class TooDeep(Exception):
    """The nesting limit is passed at `index`, an offset in the source that was being built."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class _NoKey:
    """Stands for a key that is no plain text."""


_NO_KEY = _NoKey()
# A plain text that begins with a variable, to the end of its line or to a comment.
_TEMPLATE = re.compile(r"(?P<name>\{\{[^{}\r\n]*\}\})(?:[^\r\n#]|(?<=\S)#)*(?<=\S)")
_NO_SPAN = Span(0, 0)


@dataclass(slots=True, eq=False)
class Anchor:
    """What an anchor's name stands for. `size` and `height` count the expanded nodes below; `open` while being read."""

    name: str
    span: Span
    node: Node | None
    size: int = 1
    height: int = 0
    open: bool = False


@dataclass(slots=True, eq=False)
class _Frame:
    """One open collection."""

    node: Mapping | Sequence
    seen: dict[str, Span]
    count: int
    anchor: Anchor | None
    key: str | _NoKey | None = None
    key_span: Span = _NO_SPAN
    end: int = 0
    height: int = 0


@dataclass(slots=True)
class Builder:
    """Builds trees out of events, piece after piece of one text; anchors and limits hold for all pieces together.

    text: the whole text in which spans are counted, with odd characters replaced one for one.
    restore: puts the replaced characters back, or None where none were replaced.
    scalars: the scalars that stand in the text, in the order in which they were read; `tags` those with a tag, and where.
    """

    text: str
    restore: Callable[[str], str] | None = None
    problems: list[Problem] = field(default_factory=list)
    anchors: dict[str, Anchor] = field(default_factory=dict)
    all_anchors: list[Anchor] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    tags: list[tuple[Scalar, Span]] = field(default_factory=list)
    count: int = 0
    own: int = 0
    bomb: bool = False

    def build(self, next_event: Callable[[], Any], base: int) -> Node | None:
        """Return the first document's root, or None where there is no document.

        Args:
            next_event: returns the next event (with `yaml`'s attributes) until the first document ends.
            base: the offset in the whole text of the events' index 0; may be negative for a padded piece.

        Raises:
            TooDeep: beyond MAX_DEPTH levels. Whatever `next_event` raises passes through.
        """
        stack: list[_Frame] = []
        root: list[Node] = []
        try:
            self._read(next_event, base, stack, root)
        finally:
            # What was begun and not ended can still be referred to, and costs what it holds.
            height = 0
            for frame in reversed(stack):
                height = max(height, frame.height)
                if frame.anchor is not None:
                    frame.anchor.open = False
                    frame.anchor.size = self.count - frame.count
                    frame.anchor.height = height
                height += 1
        return root[0] if root else None

    def _read(self, next_event: Callable[[], Any], base: int, stack: list[_Frame], root: list[Node]) -> None:
        text, scalars, restore = self.text, self.scalars, self.restore
        frame: _Frame | None = None
        while True:
            event = next_event()
            kind = type(event).__name__
            anchor: Anchor | None = None
            if kind == "ScalarEvent":
                raw: str = event.value
                start, end = event.start_mark.index + base, event.end_mark.index + base
                style = _STYLES.get(event.style, "plain")
                props: Span | None = None
                tag_span: Span | None = None
                tag: str | None = event.tag
                start_of_props = start
                if event.anchor is not None or tag is not None:
                    props, tag_span, start = self._properties(start)
                    start = min(start, end)
                missing = style == "plain" and not raw and start >= end
                if missing:
                    start, end = self._missing(frame, start_of_props, end, props is not None or tag is not None)
                elif style == "literal" or style == "folded":
                    end = _content_end(text, start, end)
                if restore is not None:
                    raw = restore(raw)
                value: object
                if tag is not None:
                    value = resolve_tagged(raw, tag) if tag != "!" else raw
                elif style == "plain":
                    value = resolve_plain(raw) if not raw or raw[0] in NOT_ONLY_TEXT else raw
                else:
                    value = raw
                scalar = Scalar(Span(start, end), value, raw, style, missing, tag, props)
                if not missing:
                    scalars.append(scalar)
                if tag_span is not None:
                    self.tags.append((scalar, tag_span))
                node: Node = scalar
                self.count += 1
                self.own += 1
                if event.anchor is not None:
                    self._name_anchor(event.anchor, props or scalar.span, node)
            elif kind == "MappingStartEvent" or kind == "SequenceStartEvent":
                start = event.start_mark.index + base
                props = None
                node = Mapping(Span(start, start)) if kind == "MappingStartEvent" else Sequence(Span(start, start))
                node.flow = bool(event.flow_style)
                node.tag = event.tag
                if event.anchor is not None or event.tag is not None:
                    props, _, start = self._properties(start)
                    node.anchor = props
                    node.span = Span(start, start)
                if len(stack) >= MAX_DEPTH:
                    raise TooDeep(start - base)
                if event.anchor is not None:
                    anchor = self._name_anchor(event.anchor, props or node.span, node)
                    anchor.open = True
                frame = _Frame(node, {}, self.count, anchor, end=start)
                self.count += 1
                self.own += 1
                stack.append(frame)
                continue
            elif kind == "MappingEndEvent" or kind == "SequenceEndEvent":
                assert frame is not None
                node = frame.node
                # A flow mapping without brackets, the `a: b` in `[a: b]`, ends like a block mapping.
                end = frame.end
                if node.flow and event.end_mark.index > event.start_mark.index:
                    end = event.end_mark.index + base
                node.span = Span(node.span.start, max(end, node.span.start))
                height = frame.height
                if frame.anchor is not None:
                    frame.anchor.open = False
                    frame.anchor.size = self.count - frame.count
                    frame.anchor.height = height
                stack.pop()
                frame = stack[-1] if stack else None
                if frame is not None and height >= frame.height:
                    frame.height = height + 1
            elif kind == "AliasEvent":
                span = Span(event.start_mark.index + base, event.end_mark.index + base)
                node = self._alias(event.anchor, span, stack)
            elif kind == "DocumentEndEvent" or kind == "StreamEndEvent":
                return
            else:
                continue

            if frame is None:
                root.append(node)
                continue
            end = node.span.end
            if end > frame.end:
                frame.end = end
            parent = frame.node
            if type(parent) is Sequence:
                parent.items.append(node)
            elif frame.key is None:
                assert isinstance(parent, Mapping)
                frame.key_span = node.span
                if kind == "ScalarEvent" and scalar.value is not None:
                    frame.key = raw
                else:
                    frame.key = self._key(node, parent)
            else:
                assert isinstance(parent, Mapping)
                key = frame.key
                frame.key = None
                if not isinstance(key, _NoKey):
                    first = frame.seen.setdefault(key, frame.key_span)
                    if first is not frame.key_span:
                        self._duplicate(key, frame.key_span, first)
                    entry = Entry(key, frame.key_span, node)
                    parent.entries.append(entry)
                    if key == "<<":
                        self._check_merge(entry)

    def _properties(self, start: int) -> tuple[Span | None, Span | None, int]:
        """Return the spans of the `&anchor` and the `!tag` at `start`, and where the node itself begins."""
        anchor = tag = None
        at = end = start
        while (match := _PROPERTY.match(self.text, at)) and match.end() > at:
            if match["anchor"] is not None:
                anchor = Span(match.start(), match.end())
            else:
                tag = Span(match.start(), match.end())
            end = match.end()
            gap = _GAP.match(self.text, end)
            at = gap.end() if gap else end
        return anchor, tag, at if at > start else end

    def _missing(self, frame: _Frame | None, start: int, end: int, properties: bool) -> tuple[int, int]:
        """Return the span of a value that is not there (see `tree.Scalar`); behind its properties if it has some."""
        if properties or frame is None:
            return end, end
        if isinstance(frame.node, Sequence):
            at = self.text.rfind("-", frame.node.span.start, end) if not frame.node.flow else -1
            return (at, at + 1) if at >= 0 else (end, end)
        if frame.key is None:
            return start, start
        match = _COLON.match(self.text, frame.key_span.end)
        at = match.end() if match else frame.key_span.end
        return at, at

    def _key(self, node: Node, parent: Mapping) -> str | _NoKey:
        target = node.target if isinstance(node, Alias) else node
        if isinstance(target, Scalar) and not target.missing and target.value is not None:
            return target.raw
        parent.broken = True
        if not (isinstance(node, Alias) and node.target is None):
            self.problems.append(self._key_not_text(node.span))
        return _NO_KEY

    def _key_not_text(self, span: Span) -> Problem:
        """The key is a list or mapping: mostly a text that begins with `{{ … }}` and lacks its quotes."""
        template = _TEMPLATE.match(self.text, span.start - 1) if span.start else None
        if template is None:
            return Problem("yaml-syntax", self.one_line(span), KEY_NOT_TEXT)
        line_start = max(self.text.rfind("\n", 0, template.start()), self.text.rfind("\r", 0, template.start())) + 1
        before = self.text[line_start : template.start()]
        in_brackets = before.count("[") > before.count("]") or before.count("{") > before.count("}")
        whole = Span(template.start(), template.end("name") if in_brackets else template.end())
        fix = Fix(QUOTE_WHOLE, (Edit(whole, quote_single(whole.of(self.text))),), safe=True)
        return Problem("yaml-syntax", whole, TEMPLATE_UNQUOTED, fixes=(fix,))

    def _name_anchor(self, name: str, span: Span, node: Node) -> Anchor:
        anchor = Anchor(name, span, node)
        self.anchors[name] = anchor
        self.all_anchors.append(anchor)
        return anchor

    def _alias(self, name: str, span: Span, stack: list[_Frame]) -> Alias:
        self.count += 1
        self.own += 1
        anchor = self.anchors.get(name)
        if anchor is None:
            self.problems.append(Problem("yaml-syntax", span, UNKNOWN_ANCHOR.format(name=name)))
            return Alias(span, name, None)
        if anchor.open:
            related = (Related(anchor.span, ANCHOR_HERE),)
            self.problems.append(Problem("yaml-alias-limit", span, ALIAS_CYCLE.format(name=name), related))
            return Alias(span, name, None)
        total = self.count + anchor.size
        if (total > MAX_EXPANDED and total > MAX_EXPANSION_RATIO * self.own) or len(stack) + anchor.height >= MAX_DEPTH:
            if not self.bomb:
                self.bomb = True
                self.problems.append(Problem("yaml-alias-limit", span, ALIAS_LIMIT.format(limit=MAX_EXPANDED)))
            return Alias(span, name, None)
        self.count = total
        if stack and anchor.height >= stack[-1].height:
            stack[-1].height = anchor.height + 1
        return Alias(span, name, anchor.node)

    def _duplicate(self, key: str, span: Span, first: Span) -> None:
        self.problems.append(
            Problem("duplicate-key", span, DUPLICATE_KEY.format(key=_short(key)), (Related(first, FIRST_KEY),))
        )

    def _check_merge(self, entry: Entry) -> None:
        for node in _merge_parts(entry.value):
            if not isinstance(node, Mapping):
                self.problems.append(Problem("yaml-syntax", self.one_line(node.span), MERGE_VALUE))

    def mark(self) -> tuple[int, int, int, int, bool]:
        """Return a mark to which `rewind` takes back problems and places when an attempt is given up."""
        return len(self.problems), len(self.scalars), len(self.tags), len(self.all_anchors), self.bomb

    def rewind(self, mark: tuple[int, int, int, int, bool]) -> None:
        """Forget what was found since `mark`; anchors stay known by name, as a later piece may refer to them."""
        problems, scalars, tags, anchors, self.bomb = mark
        del self.problems[problems:]
        del self.scalars[scalars:]
        del self.tags[tags:]
        del self.all_anchors[anchors:]

    def one_line(self, span: Span) -> Span:
        """Return the part of `span` that is on its first line."""
        match = _LINE_END.search(self.text, span.start, span.end)
        return Span(span.start, match.start()) if match else span


def _merge_parts(node: Node) -> Iterator[Node]:
    """Yield what a `<<` merges, aliases followed; those without a target have their own problem."""
    target = node.target if isinstance(node, Alias) else node
    if isinstance(target, Sequence):
        for item in target.items:
            found = item.target if isinstance(item, Alias) else item
            if found is not None:
                yield found if isinstance(found, Mapping) or target is not node else item
    elif target is not None:
        yield target if isinstance(target, Mapping) else node


def _content_end(text: str, start: int, end: int) -> int:
    """Return the end of a block scalar's last line that is not blank."""
    last = end
    while last > start and text[last - 1] in _BLANKS:
        last -= 1
    match = _LINE_END.search(text, last, end)
    return match.start() if match else end


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


TEMPLATE_UNQUOTED = Text(
    "YAML reads `{{` as a mapping; put the whole text in quotes", "YAML 会把 `{{` 读成映射；请给整段文本加引号"
)
QUOTE_WHOLE = Text("Put the whole text in quotes", "给整段文本加引号")
KEY_NOT_TEXT = Text(
    "a key must be plain text; write `name: value`",
    "键必须是普通文本；请写成 `name: value`",
)
UNKNOWN_ANCHOR = Text(
    "unknown anchor `{name}`; define it with `&{name}` above this line",
    "未知的锚点 `{name}`；请先在上文用 `&{name}` 定义它",
)
ANCHOR_HERE = Text("the anchor is here", "锚点在这里")
ALIAS_CYCLE = Text(
    "`*{name}` stands inside the very value it refers to; remove it or move it out",
    "`*{name}` 位于它所引用的值内部，形成了循环；请删除它或移到外面",
)
ALIAS_LIMIT = Text(
    "aliases would expand to more than {limit} values or too many levels; write the values out or use fewer aliases",
    "别名展开后会超过 {limit} 个值或嵌套过深；请直接写出这些值，或减少别名",
)
DUPLICATE_KEY = Text(
    "`{key}` is already set in this mapping; keep one of the two",
    "`{key}` 在同一个映射中重复出现；请只保留一个",
)
FIRST_KEY = Text("first set here", "第一次出现在这里")
MERGE_VALUE = Text(
    "`<<` merges mappings; give it an alias of a mapping or a list of them",
    "`<<` 只能合并映射；请写某个映射的别名，或这类别名的列表",
)
