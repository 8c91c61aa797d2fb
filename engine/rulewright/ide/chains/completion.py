"""What can be written at the cursor of a file of hook chains: keys, words, tools, dot paths, template variables, whole rules.

Where the cursor stands is told from the text as it is; what the rule around it says, from a reading that goes on behind faults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from rulewright.formats.fields import FieldDoc
from rulewright.formats.hook_chains.keys import ACTIONS, field_at, table_at
from rulewright.formats.hook_chains.payloads import DISPATCHED, OWN_TOOLS, VARIABLE_FIELDS, carries, paths_of
from rulewright.formats.hook_chains.payloads import field_at as payload_field
from rulewright.formats.hook_chains.templates import MESSAGE_VARIABLES, PROMPT_VARIABLES
from rulewright.formats.hook_chains.vocabulary import VARIABLES
from rulewright.ide.offers import fits
from rulewright.ide.places import Path
from rulewright.ide.results import Item
from rulewright.ide.yaml_context import Place, flow_tokens, scan_flow
from rulewright.syntax import tree
from rulewright.syntax.json_reader import read_json
from rulewright.syntax.tree import Scalar, Sequence, resolve
from rulewright.text.language import Text, same
from rulewright.text.lines import Lines
from rulewright.text.span import Span

_VARIABLE = re.compile(r"\$(?P<brace>\{?)(?P<word>[A-Z0-9_]*)$")
_TEMPLATES = {"promptTemplate": PROMPT_VARIABLES, "summary": MESSAGE_VARIABLES, "messageTemplate": MESSAGE_VARIABLES}
# Keys of one mapping of which one excludes the other (hook-chains.md section 2).
_EXCLUSIVE = {"outcome": "outcomes", "outcomes": "outcome"}
_EMPTY = re.compile(r"\s*\Z")


def complete(text: str, lines: Lines, offset: int, *, snippets: bool = False) -> list[Item]:
    """Return what can be written at `offset`, the likeliest first."""
    start = next((at for at, char in enumerate(text) if not char.isspace() and char != "\ufeff"), len(text))
    if start >= len(text):
        return [_whole_file(Span(offset, offset))] if snippets and offset >= len(text.removesuffix("\n")) else []
    if text[start] not in "{[" or offset <= start:
        return []
    place = scan_flow(text, start, offset, ())
    if place is None or place.kind == "comment":
        return []
    around = _Around(text, start, offset, place.path)
    name = str(place.path[-1]) if place.path else ""
    if place.kind == "value" and name in _TEMPLATES and place.quote:
        return list(_variables(place, offset, text, _TEMPLATES[name], around.event))
    found = list(_keys(place, around, snippets) if place.kind == "key" else _values(place, around, snippets, lines))
    return [item for item in found if fits(place.prefix, item)]


class _Around:
    """What the text says of the rule and the action that a path leads into. Of a long file only that rule is read.

    event: that of the rule. type: that of the action. Both are empty where there is none.
    """

    def __init__(self, text: str, start: int, offset: int, path: Path) -> None:
        rule = self._position(path, "rules")
        self._root = read_json(_bracket_at(text, start, offset, rule)).root if rule else None
        self.event = self._word(("trigger", "event"))
        action = self._position(path, "actions")
        self.type = self._word((*path[rule:action], "type")) if action else ""

    @staticmethod
    def _position(path: Path, name: str) -> int:
        """Return how many steps lead to the item of a list, 0 where the path leads into none."""
        for at, step in enumerate(path[:-1]):
            if step == name and isinstance(path[at + 1], int):
                return at + 2
        return 0

    def _word(self, path: Path) -> str:
        node: tree.Node | None = self._root
        for step in path:
            found = None if node is None else resolve(node)
            if isinstance(found, tree.Mapping) and isinstance(step, str):
                entry = found.get(step)
                node = None if entry is None else entry.value
            elif isinstance(found, Sequence) and isinstance(step, int) and step < len(found.items):
                node = found.items[step]
            else:
                return ""
        found = None if node is None else resolve(node)
        return found.raw if isinstance(found, Scalar) else ""


def _bracket_at(text: str, start: int, offset: int, depth: int) -> str:
    """Return the text of the collection around a place that lies `depth` brackets inside of the outermost one.

    Args:
        start: of the outermost. offset: the place.
    """
    opened: list[int] = []
    for kind, begin, _ in flow_tokens(text, start, offset):
        if kind in "{[":
            opened.append(begin)
        elif kind in "}]" and opened:
            opened.pop()
    if depth >= len(opened):
        return ""
    inside = 0
    for kind, _, end in flow_tokens(text, opened[depth], len(text)):
        inside += 1 if kind in "{[" else -1 if kind in "}]" else 0
        if not inside:
            return text[opened[depth] : end]
    return text[opened[depth] :]


# --- keys


def _keys(place: Place, around: _Around, snippets: bool) -> Iterator[Item]:
    path = tuple(place.path)
    if path and path[-1] == "eventFieldEquals":
        yield from _dot_paths(place, around.event)
        return
    table = table_at(path, around.type)
    if table is None:
        return
    inside = "hookChains" in place.present
    for name, field in table.items():
        other = _EXCLUSIVE.get(name)
        if (name in place.present and name != place.prefix) or (other in place.present and name in _EXCLUSIVE):
            continue
        # Beside `hookChains` nothing counts, and beside the keys of a bare file it would hide them.
        if not path and ((inside and name != "hookChains") or (name == "hookChains" and place.present and not inside)):
            continue
        new_text, is_snippet = _key_text(place, field, snippets)
        yield Item(name, "key", place.word, new_text, field.kind, field.doc, is_snippet)


def _key_text(place: Place, field: FieldDoc, snippets: bool) -> tuple[str, bool]:
    if place.quote:
        return field.name + ("" if place.closed else place.quote + ("" if place.colon else ": ")), False
    lead = f'"{field.name}"'
    if place.colon:
        return lead, False
    if not snippets:
        return f"{lead}: ", False
    if field.is_list:
        return f"{lead}: [$0]", True
    if field.models or field.name == "eventFieldEquals":
        return f"{lead}: {{$0}}", True
    if field.values == ("true", "false"):
        return f"{lead}: ${{0|true,false|}}", True
    return (f'{lead}: "$0"', True) if _is_text(field) else (f"{lead}: ", False)


def _is_text(field: FieldDoc) -> bool:
    return not field.name.endswith(("Ms", "Depth")) and field.name != "version"


def _dot_paths(place: Place, event: str) -> Iterator[Item]:
    for path in paths_of(event):
        found = payload_field(event, path)
        if found is not None and path not in place.present and not found.inside:
            yield Item(path, "key", place.word, _quoted_key(place, path), same(found.kind), found.doc, filter=path)


def _quoted_key(place: Place, name: str) -> str:
    if place.quote:
        return name + ("" if place.closed else place.quote + ("" if place.colon else ": "))
    return json.dumps(name) + ("" if place.colon else ": ")


# --- values


def _values(place: Place, around: _Around, snippets: bool, lines: Lines) -> Iterator[Item]:
    path = tuple(place.path)
    field = field_at(path, around.type)
    if field is None:
        return
    in_list = bool(path) and isinstance(path[-1], int)
    if field.models:
        if snippets and in_list and not place.quote and not place.prefix:
            yield from _snippets(field.name, place)
        return
    if field.is_list and not in_list:
        return
    for word, doc in _words(field, around):
        yield Item(word, "value", place.word, _value_text(place, word, field), field.kind, doc, filter=word)


def _words(field: FieldDoc, around: _Around) -> Iterator[tuple[str, Text | None]]:
    if field.name == "event":
        yield from ((name, field.value_docs.get(name)) for name in DISPATCHED)
        yield from ((name, field.value_docs.get(name)) for name in field.values if name not in DISPATCHED)
    elif field.name in ("outcome", "outcomes"):
        yield from ((name, field.value_docs.get(name)) for name in DISPATCHED.get(around.event, field.values))
    elif field.name == "toolNames":
        yield from ((name, TOOL.format(name=canonical)) for name, canonical in OWN_TOOLS.items())
    elif field.name == "recipients":
        yield "*", EVERYONE
    elif field.name == "taskStatuses":
        yield from ((name, None) for name in ("completed", "failed"))
    else:
        yield from ((name, field.value_docs.get(name)) for name in field.values)


def _value_text(place: Place, word: str, field: FieldDoc) -> str:
    if place.quote:
        return word if place.closed else word + place.quote
    plain = word in ("true", "false") or word.isdigit()
    return (" " if place.space else "") + (word if plain else json.dumps(word))


# --- variables of templates


def _variables(place: Place, offset: int, text: str, filled: tuple[str, ...], event: str) -> Iterator[Item]:
    match = _VARIABLE.search(text[place.word.start : offset])
    if match is None:
        return
    end = offset
    while end < len(text) and (text[end].isupper() or text[end].isdigit() or text[end] == "_"):
        end += 1
    closing = "}" if match["brace"] and text[end : end + 1] != "}" else ""
    word = Span(offset - len(match["word"]), end)
    for name in sorted(filled, key=lambda name: _is_empty(name, event)):
        doc = VARIABLES[name]
        if _is_empty(name, event):
            doc = Text(f"{doc.en} {EMPTY.en}", f"{doc.zh}{EMPTY.zh}")
        new_text = name + closing if match["brace"] else f"{{{name}}}"
        item = Item(name, "variable", word, new_text, same("${" + name + "}"), doc, filter=name)
        if fits(match["word"], item):
            yield item


def _is_empty(name: str, event: str) -> bool:
    return bool(event) and name in VARIABLE_FIELDS and not carries(event, VARIABLE_FIELDS[name])


# --- whole parts

_ACTION_TEXTS: Mapping[str, str] = {
    "spawn_fallback_agent": """\
{
  "type": "spawn_fallback_agent",
  "id": "${1:retry}",
  "description": "${2:Recover from the failure}",
  "promptTemplate": "${3:Recover safely. Error: \\${ERROR\\}}"
}""",
    "notify_team": """\
{
  "type": "notify_team",
  "id": "${1:tell}",
  "recipients": ["${2:*}"],
  "summary": "${3:\\${EVENT_NAME\\} \\${OUTCOME\\}}"
}""",
    "warm_remote_capacity": """\
{
  "type": "warm_remote_capacity",
  "id": "${1:warm}"
}""",
}
_RULE = """\
{
  "id": "${1:recover}",
  "trigger": { "event": "${2|PostToolUseFailure,TaskCompleted|}", "outcome": "failed" },
  "condition": { "toolNames": ["${3:Bash}"] },
  "cooldownMs": ${4:60000},
  "actions": [
    {
      "type": "${5|spawn_fallback_agent,notify_team,warm_remote_capacity|}",
      "id": "${6:act}"
    }
  ]
}"""
_FILE = """\
{
  "version": 1,
  "enabled": true,
  "rules": [
    $0
  ]
}
"""


def _snippets(name: str, place: Place) -> Iterator[Item]:
    if name == "rules":
        yield Item("rule", "snippet", place.word, _RULE, RULE_DETAIL, None, True)
    elif name == "actions":
        for kind in ACTIONS:
            yield Item(kind, "snippet", place.word, _ACTION_TEXTS[kind], ACTION_DETAIL, None, True)


def _whole_file(word: Span) -> Item:
    return Item("hook chains", "snippet", word, _FILE, FILE_DETAIL, None, True)


TOOL = Text("rules of packages call it `{name}`", "规则包中称为 `{name}`")
EVERYONE = Text("all members but the sender", "除发送者外的全部成员")
EMPTY = Text("The payload of this event does not carry it.", "该事件的载荷没有它。")
RULE_DETAIL = Text("a whole rule", "一整条规则")
ACTION_DETAIL = Text("a whole action", "一整个动作")
FILE_DETAIL = Text("a whole file", "一整个文件")
