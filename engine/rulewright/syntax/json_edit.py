"""Small edits of a JSON text that leave every other byte alone: add a member or an item, take one away.

Strict JSON only (RFC 8259): whoever edits another program's settings must not guess what a half-readable text means. Where
a host allows comments, the caller parses `without_comments(text)`: its offsets are those of the text, and every edit keeps
the comments. Knows nothing of hooks or harnesses.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

DEPTH_LIMIT = 200
"""Levels of nesting. Our own limit [R]: no settings file comes near, and Python's own reader stops at about 1000."""

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_ATOM = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class JsonFault(Exception):
    """The text is not the JSON that can be edited safely. `offset` is in code points, `line` is one-based."""

    def __init__(self, text: str, offset: int, message: Text) -> None:
        super().__init__(message.en)
        self.offset = offset
        self.line = Lines(text).line_at(min(offset, len(text))) + 1
        self.message = message


@dataclass(slots=True, eq=False)
class JsonValue:
    """A string, number or literal."""

    span: Span
    data: object


@dataclass(slots=True, eq=False)
class JsonArray:
    """A list; `span` includes the brackets."""

    span: Span
    items: list[JsonNode] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class JsonObject:
    """An object; `span` includes the braces, `keys` holds the spans of the keys with their quotes."""

    span: Span
    members: dict[str, JsonNode] = field(default_factory=dict)
    keys: dict[str, Span] = field(default_factory=dict)


JsonNode = JsonValue | JsonArray | JsonObject


def parse(text: str) -> JsonNode:
    """Read a whole text as one JSON value.

    Raises:
        JsonFault: it is not JSON, holds a comment or a duplicate key, or nests deeper than `DEPTH_LIMIT`.
    """
    parser = _Parser(text)
    node, at = parser.value(parser.skip(0), 0)
    at = parser.skip(at)
    if at != len(text):
        raise parser.fault(at, Text("something follows the end of the value", "值结束之后还有内容"))
    return node


def data_of(node: JsonNode) -> object:
    """Return the plain Python value of a node."""
    if isinstance(node, JsonObject):
        return {key: data_of(value) for key, value in node.members.items()}
    if isinstance(node, JsonArray):
        return [data_of(item) for item in node.items]
    return node.data


def string(value: str) -> str:
    """Return a string as JSON writes it, on one line; half a surrogate pair, which no file can hold, as its escape."""
    return json.dumps(value, ensure_ascii=any("\ud800" <= char <= "\udfff" for char in value))


_COMMENTS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(text: str) -> str:
    """Return the text with `//` and `/* */` comments blanked out; line breaks and all offsets stay."""
    return _COMMENTS.sub(lambda match: match[0] if match[0][0] == '"' else _blanked(match[0]), text)


def _blanked(comment: str) -> str:
    return "".join(char if char in "\r\n" else " " for char in comment)


def add_member(text: str, parent: JsonObject, key: str, value: object) -> Edit:
    """Return the edit that writes `key: value` behind the last member, in the way the text is laid out."""
    nodes = list(parent.members.values())
    starts = list(parent.keys.values())
    return _add(
        text, parent.span, [Span(key.start, node.span.end) for key, node in zip(starts, nodes, strict=True)], value, key
    )


def add_item(text: str, parent: JsonArray, value: object) -> Edit:
    """Return the edit that writes `value` behind the last item, in the way the text is laid out."""
    return _add(text, parent.span, [item.span for item in parent.items], value, None)


def replace_value(text: str, node: JsonNode, value: object) -> Edit:
    """Return the edit that writes another value in the place of a node, in the way the text is laid out."""
    spread = any(char in text[node.span.start : node.span.end] for char in "\r\n")
    return Edit(node.span, _render(text, value, None, _indent_of_line(text, node.span.start) if spread else None))


def remove_member(text: str, parent: JsonObject, key: str) -> Edit:
    """Return the edit that takes a member away, with its comma and the white space that came with it; comments stay."""
    spans = [Span(parent.keys[name].start, node.span.end) for name, node in parent.members.items()]
    return _remove(text, parent.span, spans, list(parent.members).index(key))


def remove_item(text: str, parent: JsonArray, index: int) -> Edit:
    """Return the edit that takes an item away, with its comma and the white space that came with it; comments stay."""
    return _remove(text, parent.span, [item.span for item in parent.items], index)


def _add(text: str, container: Span, parts: list[Span], value: object, key: str | None) -> Edit:
    if parts:
        last = parts[-1]
        before = container.start + 1 if len(parts) == 1 else parts[-2].end
        gap = without_comments(text[before : last.start])
        gap = gap.lstrip(" \t") if len(parts) == 1 else gap.split(",", 1)[1]
        if "\n" in gap or "\r" in gap:
            indent = gap[max(gap.rfind("\n"), gap.rfind("\r")) + 1 :]
            lead = "," + _line_end(text) + indent
            return Edit(Span(last.end, last.end), lead + _render(text, value, key, indent))
        return Edit(Span(last.end, last.end), ", " + _render(text, value, key, None))
    at = container.start + 1
    if not _is_laid_out(text):
        return Edit(Span(at, at), _render(text, value, key, None))
    outer = _indent_of_line(text, container.start)
    indent = outer + _indent_unit(text)
    inserted = _line_end(text) + indent + _render(text, value, key, indent)
    inner = text[at : container.end - 1]
    if "\n" not in inner and "\r" not in inner:
        inserted += _line_end(text) + outer
    return Edit(Span(at, at), inserted)


def _remove(text: str, container: Span, parts: list[Span], index: int) -> Edit:
    if len(parts) == 1:
        front = _comments_of(text[container.start + 1 : parts[0].start])
        behind = text[parts[0].end : container.end - 1]
        return Edit(Span(container.start + 1, container.end - 1), front + (behind if _comments_of(behind) else ""))
    if index:
        return Edit(
            Span(parts[index - 1].end, parts[index].end), _comments_of(text[parts[index - 1].end : parts[index].start])
        )
    return Edit(Span(parts[0].start, parts[1].start), _comments_of(text[parts[0].end : parts[1].start]))


def _comments_of(gap: str) -> str:
    """Return what stands between two parts without their comma, if comments are among it; else nothing."""
    plain = without_comments(gap)
    if plain == gap:
        return ""
    comma = plain.find(",")
    return gap if comma < 0 else gap[:comma] + gap[comma + 1 :]


def _render(text: str, value: object, key: str | None, indent: str | None) -> str:
    """Write a value for its place; `indent` None means on one line."""
    if indent is None:
        body = json.dumps(value, ensure_ascii=False)
    else:
        body = json.dumps(value, ensure_ascii=False, indent=_indent_unit(text))
        body = body.replace("\n", _line_end(text) + indent)
    return body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"


def _line_end(text: str) -> str:
    return Lines(text).line_end()


def _is_laid_out(text: str) -> bool:
    """Tell whether the text is written over several lines; a nearly empty one counts as such."""
    stripped = text.strip(" \t\r\n")
    return "\n" in stripped or "\r" in stripped or len(stripped) <= 2


def _indent_of_line(text: str, offset: int) -> str:
    lines = Lines(text)
    line = lines.line_text(lines.line_at(offset))
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indent_unit(text: str) -> str:
    """Return the white space of the first indented line; two spaces where there is none."""
    match = re.search(r"[\r\n]([ \t]+)[^ \t\r\n]", text)
    return match[1] if match else "  "


class _Parser:
    """Recursive descent with spans; `value` gets the offset of the first character and gives the one behind the last."""

    def __init__(self, text: str) -> None:
        self.text = text

    def fault(self, offset: int, message: Text) -> JsonFault:
        return JsonFault(self.text, offset, message)

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> tuple[JsonNode, int]:
        if depth > DEPTH_LIMIT:
            raise self.fault(at, Text("nested too deep", "嵌套太深"))
        char = self.text[at : at + 1]
        if char == "{":
            return self.object(at, depth)
        if char == "[":
            return self.array(at, depth)
        if char == '"':
            end = self.string_end(at)
            return JsonValue(Span(at, end), json.loads(self.text[at:end])), end
        match = _ATOM.match(self.text, at)
        if match is None:
            raise self.unexpected(at)
        try:
            return JsonValue(Span(at, match.end()), json.loads(match[0])), match.end()
        except ValueError as error:  # more digits than Python converts
            raise self.fault(at, Text("a number is too long", "数字太长")) from error

    def string_end(self, at: int) -> int:
        match = _STRING.match(self.text, at)
        if match is None:
            raise self.fault(at, Text("a string has no end or a bad escape", "字符串没有结束，或有无效的转义"))
        return match.end()

    def object(self, start: int, depth: int) -> tuple[JsonNode, int]:
        node = JsonObject(Span(start, start))
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "}" or node.members:
            if self.text[at : at + 1] != '"':
                raise self.unexpected(at)
            end = self.string_end(at)
            key = json.loads(self.text[at:end])
            if key in node.members:
                raise self.fault(
                    at, Text("the key `{key}` is there twice", "键 `{key}` 出现了两次").format(key=str(key)[:60])
                )
            colon = self.skip(end)
            if self.text[colon : colon + 1] != ":":
                raise self.unexpected(colon)
            node.keys[key] = Span(at, end)
            node.members[key], at = self.value(self.skip(colon + 1), depth + 1)
            at = self.skip(at)
            if self.text[at : at + 1] == "}":
                break
            if self.text[at : at + 1] != ",":
                raise self.unexpected(at)
            at = self.skip(at + 1)
        node.span = Span(start, at + 1)
        return node, at + 1

    def array(self, start: int, depth: int) -> tuple[JsonNode, int]:
        node = JsonArray(Span(start, start))
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]" or node.items:
            item, at = self.value(at, depth + 1)
            node.items.append(item)
            at = self.skip(at)
            if self.text[at : at + 1] == "]":
                break
            if self.text[at : at + 1] != ",":
                raise self.unexpected(at)
            at = self.skip(at + 1)
        node.span = Span(start, at + 1)
        return node, at + 1

    def unexpected(self, at: int) -> JsonFault:
        if at >= len(self.text):
            return self.fault(at, Text("the text ends too early", "文本提前结束"))
        if self.text.startswith(("//", "/*"), at) or self.text[at] == "#":
            return self.fault(at, Text("there is a comment, which JSON does not have", "有注释，而 JSON 不支持注释"))
        if self.text[at] in "}]":
            return self.fault(at, Text("a comma stands before the closing bracket", "右括号前多了逗号"))
        return self.fault(at, Text("`{char}` does not belong here", "此处不应有 `{char}`").format(char=self.text[at]))
