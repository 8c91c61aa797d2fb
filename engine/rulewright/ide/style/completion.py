"""What can be written at the cursor of a STYLE package: keys, values, variables, whole rules.

Works on the text as it is, never on a parse: completion is asked for exactly when the document is broken. Names no key but the
few whose values depend on another key; all others come from the format's models.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from rulewright.checks.target_field import OWNERS
from rulewright.formats.fields import FieldDoc
from rulewright.formats.style import SPEC, field_at, table_at
from rulewright.formats.style import vocabulary as words
from rulewright.ide.offers import codes, fits
from rulewright.ide.results import Item
from rulewright.ide.yaml_context import Place, place_at
from rulewright.text.language import Text, same
from rulewright.text.lines import Lines
from rulewright.text.span import Span

# Of these one excludes the other (style.md section 3).
EXCLUSIVE = ({"text", "text_file"},)

TEXT_KEYS = frozenset({"text", "model_text"})
"""The keys whose values may hold `{{ field }}` (style.md section 7)."""

_VARIABLE = re.compile(r"\{\{(?P<gap>[ \t]*)(?P<word>[\w.*-]*)$")

RULE_DETAIL = Text("a whole rule", "一整条规则")
CONDITION_DETAIL = Text("a whole condition", "一整个条件")
PACKAGE_DETAIL = Text("a whole package", "一整个包")


def complete(text: str, lines: Lines, offset: int, *, snippets: bool = False) -> list[Item]:
    """Return what can be written at `offset`, the likeliest first.

    Args:
        offset: code points. snippets: the client can insert snippets; whole rules are offered only then.
    """
    line_start = lines.starts[lines.line_at(offset)]
    place = place_at(text, lines, offset)
    if place.kind == "none":
        return []
    if place.kind == "comment":
        return list(codes(text[line_start:offset], offset, "style"))
    variable = _VARIABLE.search(text[line_start:offset])
    if variable and place.path and place.path[-1] in TEXT_KEYS:
        return list(_variables(variable, text, offset))
    if place.kind == "text":
        return []
    table = table_at(place.path) if place.kind == "key" else None
    if table is not None:
        items = [*_keys(place, table, snippets), *(_snippets(place, text) if snippets else ())]
    else:
        items = list(_list_items(place, snippets)) if _wants_dash(place) else list(_values(place))
    return [item for item in items if fits(place.prefix, item)]


# --- keys


def _keys(place: Place, table: Mapping[str, FieldDoc], snippets: bool) -> Iterator[Item]:
    typed_whole = place.prefix
    present = place.present
    target = present.get("target", "")
    for name, field in table.items():
        if name in present and name != typed_whole:
            continue
        if any(name in group and any(other in present for other in group - {name}) for group in EXCLUSIVE):
            continue
        owners = OWNERS.get(name) if "target" in table else None
        if owners and target in words.TARGETS and target not in owners:
            continue
        new_text, is_snippet = _key_text(place, field, snippets)
        yield Item(name, "key", place.word, new_text, field.kind, field.doc, is_snippet)


def _key_text(place: Place, field: FieldDoc, snippets: bool) -> tuple[str, bool]:
    lead = " " if place.space else ""
    closing = place.quote if not place.closed else ""
    if place.colon:
        return f"{lead}{field.name}{closing}", False
    if field.model is None or place.flow or place.quote:
        return f"{lead}{field.name}{closing}: ", False
    if not snippets:
        return f"{lead}{field.name}:", False
    # Lines of a snippet begin at the indentation of the line; behind `- ` a key stands two columns further in.
    inner = "    " if place.first else "  "
    if field.is_list:
        return f"{lead}{field.name}:\n{inner}- ${{0}}", True
    return f"{lead}{field.name}:\n{inner}${{0}}", True


# --- values


def _values(place: Place) -> Iterator[Item]:
    field = field_at(place.path)
    if field is None or (field.model is not None):
        return
    for value, doc in _words(place, field):
        yield Item(value, "value", place.word, _value_text(place, value), field.kind, doc, filter=value)


def _words(place: Place, field: FieldDoc) -> Iterable[tuple[str, Text | None]]:
    if field.name == "pattern":
        return _pattern_words(place.present)
    values = field.values
    if field.name == "tool" and place.path and isinstance(place.path[-1], int):
        # `*` makes sense alone, not beside names.
        values = tuple(value for value in values if value != "*")
    return [(value, field.value_docs.get(value)) for value in values]


def _pattern_words(present: Mapping[str, str]) -> Iterable[tuple[str, Text | None]]:
    """What a condition's pattern can be, as far as its other keys tell."""
    if present.get("op") == "exists":
        return [("true", None), ("false", None)]
    known: Mapping[str, Text] = {
        "event": words.EVENTS,
        "tool.name": words.TOOLS,
        "session.source": words.SOURCES,
    }.get(present.get("field", ""), {})
    return [(name, doc) for name, doc in known.items() if name != "*"]


def _value_text(place: Place, value: str) -> str:
    if place.quote:
        return value if place.closed else value + place.quote
    lead = " " if place.space else ""
    # A plain `*` would be an alias.
    return f'{lead}"{value}"' if value.startswith("*") else lead + value


# --- variables


def _variables(match: re.Match[str], text: str, offset: int) -> Iterator[Item]:
    start = offset - len(match["word"])
    end = offset
    while end < len(text) and (text[end].isalnum() or text[end] in "._-"):
        end += 1
    closed = re.match(r"[ \t]*\}\}", text[end : end + 8]) is not None
    tail = "" if closed else " }}"
    head = "" if match["gap"] else " "
    for name, doc in field_names():
        item = Item(
            name, "variable", Span(start, end), f"{head}{name}{tail}", same("{{ " + name + " }}"), doc, filter=name
        )
        if fits(match["word"], item):
            yield item


def field_names() -> Iterator[tuple[str, Text]]:
    """Yield the fields of an event that can be named, each with its doc."""
    for name, (doc, _) in words.FIELDS.items():
        if name == "tool.input.*":
            yield from words.COMMON_INPUTS.items()
        elif not name.endswith(".*"):
            yield name, doc


# --- whole parts

_RULE = """\
id: ${1:rule-name}
target: tool
tool: ${2|shell,file.read,file.write,file.edit,search,fetch,task|}
action: ${3|block,warn,inject|}
when:
  conditions:
    - field: ${4:tool.input.command}
      op: ${5|shell_regex,contains,equals,regex,glob|}
      pattern: "${6:^git push}"
text: ${0:Say why, and what to do instead.}"""

_PACKAGE = f"""\
spec: {SPEC}
name: ${{1:my-package}}
version: 0.1.0
description: ${{2:What the package is for}}
rules:
  - id: ${{3:rule-name}}
    target: tool
    tool: ${{4|shell,file.read,file.write,file.edit,search,fetch,task|}}
    action: ${{5|block,warn,inject|}}
    when:
      conditions:
        - field: ${{6:tool.input.command}}
          op: ${{7|shell_regex,contains,equals,regex,glob|}}
          pattern: "${{8:^git push}}"
    text: ${{0:Say why, and what to do instead.}}
"""

_CONDITION = """\
field: ${1:tool.input.command}
op: ${2|shell_regex,contains,equals,regex,glob,exists,in,starts_with,ends_with,gt,lt|}
pattern: "${0}\""""


def _snippets(place: Place, text: str) -> Iterator[Item]:
    if place.flow or place.quote or place.colon:
        return
    lead = " " if place.space else ""
    if not place.path and not place.present and not place.indent and _only_word(text, place):
        yield Item("package", "snippet", place.word, _PACKAGE, PACKAGE_DETAIL, None, True)
    elif place.first and _is_list_item(place.path, ("rules",)):
        yield Item("rule", "snippet", place.word, lead + _RULE.replace("\n", "\n  "), RULE_DETAIL, None, True)
    elif place.first and _is_list_item(place.path, ("conditions",)):
        yield Item(
            "condition", "snippet", place.word, lead + _CONDITION.replace("\n", "\n  "), CONDITION_DETAIL, None, True
        )


def _wants_dash(place: Place) -> bool:
    """The cursor is where an item of a list of mappings could begin, but no dash is written."""
    if place.kind == "item":
        return True
    field = field_at(place.path) if place.kind == "key" and place.path and isinstance(place.path[-1], str) else None
    return field is not None and field.is_list and field.model is not None and not place.prefix


def _list_items(place: Place, snippets: bool) -> Iterator[Item]:
    """Offer the next item of a list, dash included."""
    field = field_at(place.path)
    if field is None or not field.is_list:
        return
    if field.model is None:
        for value, doc in _words(place, field):
            yield Item(f"- {value}", "value", place.word, f"- {value}", field.kind, doc)
    elif not snippets:
        first = next(iter(table_at((*place.path, 0)) or {}), "")
        yield Item(f"- {first}", "key", place.word, f"- {first}: ", field.kind, field.doc)
    elif field.name == "rules":
        yield Item("- rule", "snippet", place.word, "- " + _RULE.replace("\n", "\n  "), RULE_DETAIL, None, True)
    else:
        yield Item(
            "- condition", "snippet", place.word, "- " + _CONDITION.replace("\n", "\n  "), CONDITION_DETAIL, None, True
        )


def _is_list_item(path: tuple[str | int, ...], names: tuple[str, ...]) -> bool:
    return len(path) > 1 and isinstance(path[-1], int) and path[-2] in names


_NO_CONTENT = re.compile(r"[ \t]*(?:#.*|(?:---|\.\.\.)[ \t]*)?")


def _only_word(text: str, place: Place) -> bool:
    """Nothing but the typed word, comments and document marks is in the text."""
    rest = text[: place.word.start] + text[place.word.end :]
    return all(map(_NO_CONTENT.fullmatch, re.split(r"[\r\n]", rest.removeprefix("\ufeff"))))
