"""What can be written at the cursor of a file of Foya rules: keys, triggers, globs of the project, `@` names, whole rules.

Works on the text as it is: completion is asked for exactly when the header is broken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.formats.fields import FieldDoc, fields_of
from rulewright.formats.foya import is_global
from rulewright.formats.foya.keys import FrontmatterKeys, MarkerKeys
from rulewright.ide.offers import codes, fits
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Item
from rulewright.ide.yaml_context import Place, place_at, scan_flow
from rulewright.syntax.markdown_reader import read_global
from rulewright.text.language import Text, same
from rulewright.text.lines import Lines
from rulewright.text.span import Span

_OPENING = re.compile(r"\ufeff?\s*---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?:(?<=[\r\n])|\A)---[ \t]*(?=[\r\n]|\Z)")
_MENTION = re.compile(r"@(?P<word>[^\s@`\"'()\[\]{}<>,;:!?，。；：！？、]*)$")
MAX_GLOBS = 200
MAX_FOLDER_DEPTH = 3


def complete(
    path: str, text: str, lines: Lines, offset: int, *, snippets: bool = False, project: ProjectFacts = NO_PROJECT
) -> list[Item]:
    """Return what can be written at `offset`, the likeliest first."""
    before = text[lines.starts[lines.line_at(offset)] : offset]
    if offered := list(codes(before, offset, "foya")):
        return offered
    in_global = is_global(path, text)
    header = _in_marker(text, offset) if in_global else _in_frontmatter(text, offset)
    if header is not None:
        place, as_json = header
        found = list(_header(place, as_json, snippets, project))
        return [item for item in found if fits(place.prefix, item)]
    mention = _MENTION.search(before)
    if mention is not None:
        return list(_mentions(mention["word"], offset, project))
    if snippets and _may_begin(text, before, in_global):
        word = Span(offset - len(before.strip()), offset)
        return [_whole(word, in_global)]
    return []


# --- where the cursor stands


def _in_frontmatter(text: str, offset: int) -> tuple[Place, bool] | None:
    opening = _OPENING.match(text)
    if opening is None or offset < opening.end():
        return None
    closing = _CLOSING.search(text, opening.end())
    end = len(text) if closing is None else closing.start()
    if offset > end or (closing is not None and offset == end):
        return None
    start = opening.end()
    part = text[start:end]
    place = place_at(part, Lines(part), offset - start)
    return replace(place, word=Span(place.word.start + start, place.word.end + start)), False


def _in_marker(text: str, offset: int) -> tuple[Place, bool] | None:
    for part in read_global(text).parts:
        data = part.data_span
        if data.start < offset <= data.end and text[data.start : data.start + 1] == "{":
            place = scan_flow(text, data.start, offset, ())
            return None if place is None else (place, True)
    return None


def _may_begin(text: str, before: str, in_global: bool) -> bool:
    typed = before.strip("\ufeff \t")
    if in_global:
        return typed == "" or "<!-- foya-rule:".startswith(typed)
    return not text.replace(before, "", 1).strip() and (typed == "" or "---".startswith(typed))


# --- the header


def _header(place: Place, as_json: bool, snippets: bool, project: ProjectFacts) -> Iterator[Item]:
    fields = fields_of(MarkerKeys if as_json else FrontmatterKeys)
    if place.kind == "key" and not place.path:
        for name, field in fields.items():
            if name not in place.present or name == place.prefix:
                new_text, is_snippet = _key_text(place, field, as_json, snippets)
                yield Item(name, "key", place.word, new_text, field.kind, field.doc, is_snippet)
    elif place.kind in ("key", "value", "item") and place.path:
        owner = fields.get(str(place.path[0]))
        if owner is None:
            return
        if owner.name == "globs":
            yield from _globs(place, project)
        elif len(place.path) == 1:
            for value in owner.values:
                doc = owner.value_docs.get(value)
                yield Item(
                    value, "value", place.word, _value_text(place, value, as_json), owner.kind, doc, filter=value
                )


def _key_text(place: Place, field: FieldDoc, as_json: bool, snippets: bool) -> tuple[str, bool]:
    closing = place.quote if place.quote and not place.closed else ""
    if as_json:
        if place.quote:
            return field.name + closing + ("" if place.colon or not closing else ": "), False
        return f'"{field.name}"' + ("" if place.colon else ": "), False
    lead = " " if place.space else ""
    if place.colon or place.quote:
        return f"{lead}{field.name}{closing}" + ("" if place.colon else ": "), False
    if field.is_list and snippets:
        return f'{lead}{field.name}: ["$0"]', True
    return f"{lead}{field.name}: ", False


def _value_text(place: Place, value: str, as_json: bool) -> str:
    if place.quote:
        return value if place.closed else value + place.quote
    lead = " " if place.space else ""
    return lead + (json.dumps(value, ensure_ascii=False) if as_json else value)


def _globs(place: Place, project: ProjectFacts) -> Iterator[Item]:
    in_list = len(place.path) > 1 or place.kind == "item"
    for glob, doc in _glob_words(project.files()):
        quoted = json.dumps(glob, ensure_ascii=False)
        if place.quote:
            new_text = glob if place.closed else glob + place.quote
        elif place.kind == "item":
            new_text = f"- {quoted}"
        else:
            new_text = (" " if place.space else "") + (quoted if in_list else f"[{quoted}]")
        yield Item(glob, "file", place.word, new_text, GLOB_DETAIL, doc, filter=glob)


def _glob_words(files: Sequence[str]) -> Iterator[tuple[str, Text]]:
    """Yield globs for the folders and the kinds of files of a project, those with most files first."""
    folders: dict[str, int] = {}
    endings: dict[str, int] = {}
    for path in files:
        parts = path.split("/")
        if parts[0].startswith(".") and len(parts) > 1:
            continue
        for depth in range(1, min(len(parts) - 1, MAX_FOLDER_DEPTH) + 1):
            folder = "/".join(parts[:depth])
            folders[folder] = folders.get(folder, 0) + 1
        stem, dot, ending = parts[-1].rpartition(".")
        if dot and stem and ending:
            glob = f"*.{ending}" if len(parts) == 1 else f"**/*.{ending}"
            endings[glob] = endings.get(glob, 0) + 1
    counted = [(f"{name}/**", count) for name, count in folders.items()] + list(endings.items())
    for glob, count in sorted(counted, key=lambda item: (-item[1], item[0]))[:MAX_GLOBS]:
        yield glob, (ONE_FILE if count == 1 else FILES).format(count=count)


# --- the text


def _mentions(typed: str, offset: int, project: ProjectFacts) -> Iterator[Item]:
    """Yield the names of the rules that a mention wakes, then the ids of those without a name of their own."""
    seen: set[str] = set()
    facts = [fact for summary in project.summaries for fact in summary.foya]
    for fact in sorted(facts, key=lambda fact: fact.trigger != "manual"):
        for word in (fact.name, fact.id if fact.id_place is not None else ""):
            if word and word not in seen:
                seen.add(word)
                item = Item(
                    f"@{word}", "value", Span(offset - len(typed), offset), word, same(fact.trigger), None, filter=word
                )
                if fits(typed, item):
                    yield item


# --- whole rules

_RULE = """\
---
name: ${1:name}
description: ${2:When this rule matters}
trigger: ${3|always,glob,model_decision,manual|}
---
${0:What the agent must do.}
"""
_MARKER = """\
<!-- foya-rule: {"id":"${1:id}","name":"${2:name}","trigger":"${3|always,glob,model_decision,manual|}"} -->
${0:What the agent must do.}
"""
RULE_DETAIL = Text("a whole rule", "一整条规则")
GLOB_DETAIL = Text("a glob of this project", "本项目的 glob")
FILES = Text("{count} files", "{count} 个文件")
ONE_FILE = Text("1 file", "1 个文件")


def _whole(word: Span, in_global: bool) -> Item:
    if in_global:
        return Item("foya-rule", "snippet", word, _MARKER, RULE_DETAIL, None, True, filter="<!-- foya-rule:")
    return Item("rule", "snippet", word, _RULE, RULE_DETAIL, None, True, filter="---")
