"""Tree to rules: the effective value of every field, and shape errors as problems with places and fixes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rulewright.formats.fields import FieldDoc, Shape, fields_of
from rulewright.formats.foya.dialects import TRIGGER_WORDS, mapped_key, split_globs
from rulewright.formats.foya.keys import FREE_KEYS, FrontmatterKeys, MarkerKeys
from rulewright.formats.foya.places import Place, place_of
from rulewright.formats.foya.program import ZERO_TIME, program_rules, stem
from rulewright.formats.shaping import (
    MAX_CHOICES,
    WRONG_WORD,
    Shaper,
    choices,
    is_broken,
    shown,
)
from rulewright.model import BAD, FoyaFile, FoyaRule, Value
from rulewright.syntax.markdown_reader import STOPS, WHITE_SPACE, MarkdownTree, Part
from rulewright.syntax.tree import Alias, Entry, Fix, Mapping, Node, Problem, Related, Scalar, Sequence, Tree, resolve
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

__all__ = ["lower", "with_glob_lists"]

_REFUSED = frozenset({"foya-trigger", "foya-globs-type", "invalid-schema", "foya-glob-empty"})


def lower(path: str, text: str, tree: Tree) -> tuple[FoyaFile, list[Problem]]:
    """Turn the tree into rules, with the problems of their shape; never raises on a user's text.

    Args:
        path: says scope, folder, and the defaults that follow from them.
    """
    assert isinstance(tree, MarkdownTree)
    place = place_of(path, text)
    program = () if place.too_deep else program_rules(text, place.scope, place.rule_path, place.default_id, tree)
    rules: list[FoyaRule] = []
    problems: list[Problem] = []
    lines = Lines(text)
    for part in tree.parts:
        shaper = _Shaper(text, place, part, lines, markers=tree.markers)
        rules.append(shaper.rule())
        if not part.doubtful:
            problems += shaper.problems
    if place.too_deep:
        problems = []
    return FoyaFile(place.scope, place.folder, place.too_deep, tuple(rules), program), problems


def with_glob_lists(text: str, problems: list[Problem]) -> list[Problem]:
    """Where YAML does not read bare globs, offer the whole list rather than quotes around one text."""
    found: list[Problem] = []
    for problem in problems:
        fixes = _list_fix(text, problem) if problem.code == "foya-frontmatter" else None
        message = Text(BARE_GLOBS.en + STOPS.en, BARE_GLOBS.zh + STOPS.zh)
        found.append(replace(problem, message=message, fixes=fixes) if fixes else problem)
    return found


_GLOBS_KEY = re.compile(r"[ \t]*globs[ \t]*:[ \t]+(?P<globs>[^\r\n]*)")
_COMMENT = re.compile(r"[ \t]#.*")
# A quote that nothing closes goes to the end, so that no part is looked at twice.
_QUOTED = re.compile(r"""\"(?:[^"\\]|\\.)*(?:"|\\?\Z)|'[^']*(?:'|\Z)""")
_BARE_ITEM = re.compile(r"[\[,][ \t]*[*!]|\A[*!]")


def _list_fix(text: str, problem: Problem) -> tuple[Fix, ...] | None:
    """Return the fix for `globs: *.ts` and `globs: [*.ts, *.js]`, which YAML does not read."""
    start = max(text.rfind("\n", 0, problem.span.start), text.rfind("\r", 0, problem.span.start)) + 1
    key = _GLOBS_KEY.match(text, start)
    if key is None:
        return None
    source = _bare_globs(key["globs"])
    span = Span(key.start("globs"), key.start("globs") + len(source))
    if not source or not span.start <= problem.span.start < span.end:
        return None
    if not _BARE_ITEM.search(_QUOTED.sub("", source)):
        return None
    bare = source[1:-1] if source.startswith("[") else source
    listed = _as_list(split_globs(bare))
    return (Fix(MAKE_LIST.format(text=shown(listed)), (Edit(span, listed),), safe=False),)


def _bare_globs(line: str) -> str:
    """Return what of the rest of a line are globs, in brackets or not; empty: none are."""
    if line.startswith("["):
        source = line[: line.find("]") + 1]
        rest = line[len(source) :].strip(" \t")
        return source if not rest or (rest.startswith("#") and line[len(source)] in " \t") else ""
    return _COMMENT.sub("", line, count=1).rstrip(" \t") if line.startswith(("*", "!")) else ""


class _Shaper(Shaper):
    """One pass over one header."""

    free_keys = FREE_KEYS

    def __init__(self, text: str, place: Place, part: Part, lines: Lines, *, markers: bool) -> None:
        super().__init__(text, damaged=not part.sound)
        self.lines = lines
        self.place = place
        self.part = part
        self.markers = markers
        self.model: type[Shape] = MarkerKeys if markers else FrontmatterKeys
        self.entries: dict[str, Entry] = {}

    def rule(self) -> FoyaRule:
        """Return the rule, with effective values."""
        part = self.part
        first = Span(part.header_span.start, self.short(part.header_span).end)
        bad = self.shape(first)
        anchor = next((self.entries[name].value.span for name in ("id", "name") if name in self.entries), first)
        anchor = self.short(anchor)
        path = "" if not self.markers else self.text_of("path", bad)
        folder = path.rpartition("/")[0] if path else self.place.folder
        rule_id = self.own("id", anchor, bad)
        if not self.markers:
            rule_id = self.with_default(rule_id, self.place.default_id)
        name = self.with_default(self.own("name", anchor, bad), self.default_name(path, rule_id))
        trigger = self.with_default(
            self.own("trigger", anchor, bad), "glob" if self.place.scope == "project" and folder else "always"
        )
        globs = self.own_globs(anchor, bad)
        if trigger.is_("glob") and folder and not globs.bad and not globs.items:
            pattern = Value(f"{folder}/**", anchor, anchor, "default")
            globs = Value((pattern.value,), anchor, anchor, "default", items=(pattern,))
        return FoyaRule(
            scope=self.place.scope,
            span=part.span,
            anchor=anchor,
            header=part.header,
            header_span=part.header_span,
            id=rule_id,
            name=name,
            description=self.own("description", anchor, bad),
            trigger=trigger,
            globs=globs,
            body=part.body,
            content=part.body.of(self.text).replace("\r\n", "\n").replace("\r", "\n"),
            # Without an id nothing can name it.
            broken=not part.sound or part.doubtful or (self.markers and not rule_id.known),
            updated=self.updated(bad),
        )

    def shape(self, first: Span) -> set[str]:
        """Check the header against its keys; return the keys with a fault."""
        header = self.part.header
        if header is None:
            return set()
        entries = self.folded(header) if self.markers else header.effective()
        # A key without a value is one that is not there, as Go decodes it.
        self.entries = {name: entry for name, entry in entries.items() if not _is_null(entry.value)}
        bad, _ = self.validate(self.model, header, self.entries)
        named = {name for name, entry in entries.items() if _is_null(entry.value)} - set(fields_of(self.model))
        for name in named:
            if not header.broken:
                self.unknown_key(name, entries[name], self.model, entries)
        if "globs" in self.entries and "globs" not in bad:
            self.empty_globs(self.entries["globs"])
        if self.markers and self.part.sound and "id" not in bad and not self.text_of("id", bad):
            consequence = self.consequence()
            message = Text(NO_ID.en + consequence.en, NO_ID.zh + consequence.zh)
            self.problem("foya-marker", header.span, message, self.id_fixes(header))
        return bad

    def folded(self, header: Mapping) -> dict[str, Entry]:
        """Return the entries of a marker by the names that Go takes them for: in any letter case, the last one wins."""
        known = {name.casefold(): name for name in fields_of(self.model)}
        found: dict[str, Entry] = {}
        for entry in header.entries:
            name = known.get(entry.key.casefold(), entry.key)
            earlier = found.get(name)
            if earlier is not None and earlier.key != entry.key:
                message = SAME_KEY.format(key=shown(entry.key), first=shown(earlier.key))
                related = (Related(earlier.key_span, FIRST_KEY),)
                self.problems.append(Problem("duplicate-key", entry.key_span, message, related))
            if earlier is None or not _is_null(entry.value):
                found[name] = entry
        return found

    # ------------------------------------------------------------------ values

    def updated(self, bad: set[str]) -> str:
        """Return when the marker says that the rule was changed; empty where the time of the file counts."""
        written = self.text_of("updated_at", bad) if self.markers else ""
        return "" if written == ZERO_TIME else written

    def own(self, name: str, anchor: Span, bad: set[str]) -> Value:
        """Return a text as it is written; unset where there is none, or nothing but white space."""
        entry = self.entries.get(name)
        if entry is None:
            return Value(None, anchor, anchor, "default")
        place = entry.merged or entry.value.span
        origin = "merged" if entry.merged is not None else "written"
        node = resolve(entry.value)
        span = entry.value.span
        if name in bad or not isinstance(node, Scalar) or node.broken:
            return Value(BAD, span, place, origin, entry.key_span, entry.value)  # type: ignore[arg-type]
        content = node.raw if name == "trigger" else node.raw.strip(WHITE_SPACE)
        if not content:
            return Value(None, anchor, anchor, "default")
        return Value(content, span, place, origin, entry.key_span, entry.value)  # type: ignore[arg-type]

    def text_of(self, name: str, bad: set[str]) -> str:
        """Return a text, empty where there is none."""
        return self.own(name, self.part.span, bad).text()

    def own_globs(self, anchor: Span, bad: set[str]) -> Value:
        """Return the globs that are written, without those that are empty."""
        entry = self.entries.get("globs")
        if entry is None:
            return Value(None, anchor, anchor, "default")
        place = entry.merged or entry.value.span
        origin = "merged" if entry.merged is not None else "written"
        node = resolve(entry.value)
        if "globs" in bad or not isinstance(node, Sequence) or is_broken(node):
            return Value(BAD, entry.value.span, place, origin, entry.key_span, entry.value)  # type: ignore[arg-type]
        items = []
        for item in node.items:
            found = resolve(item)
            if isinstance(found, Scalar) and found.value is not None and found.raw.strip(WHITE_SPACE):
                items.append(Value(found.raw, item.span, entry.merged or item.span, origin, entry.key_span, item))  # type: ignore[arg-type]
        patterns = tuple(item.value for item in items)
        return Value(patterns, entry.value.span, place, origin, entry.key_span, entry.value, tuple(items))  # type: ignore[arg-type]

    def default_name(self, path: str, rule_id: Value) -> str:
        """Return the name of a rule that has none: after its file, or after its id in a file of several."""
        file_name = (path or ("" if self.place.scope == "global" else self.place.rule_path)).rpartition("/")[2]
        return stem(file_name) or f"rule-{rule_id.text()[:8]}"

    # ------------------------------------------------------------------ what Foya says differently

    def data_of(self, node: Node) -> Any:
        return _data(node, typed=self.markers)

    def code_of(self, field: FieldDoc) -> str:
        return {"trigger": "foya-trigger", "globs": "foya-globs-type"}.get(field.name, "invalid-schema")

    def problem(
        self, code: str, span: Span, message: Text, fixes: tuple[Fix, ...] = (), *, minor: bool = False
    ) -> None:
        if code in _REFUSED:
            message = Text(message.en + self.consequence().en, message.zh + self.consequence().zh)
        super().problem(code, span, message, fixes, minor=minor)

    def consequence(self) -> Text:
        """Say what the program does with a file of this kind that it cannot decode."""
        return REFUSED_PROJECT if self.place.scope == "project" else REFUSED_GLOBAL

    def wrong_word(
        self, place: Span, whole: Span, field: FieldDoc, found: str, code: str, *, editable: bool = True
    ) -> None:
        word = found.strip("\"'")
        meant = (
            TRIGGER_WORDS.get(word.casefold().replace("-", "_").replace(" ", "_"), ()) if code == "foya-trigger" else ()
        )
        if not meant or len(field.values) > MAX_CHOICES:
            super().wrong_word(place, whole, field, found, code, editable=editable)
            return
        fixes: list[Fix] = []
        if editable:
            fixes = [self.change(whole, value, safe=len(meant) == 1) for value in meant]
            fixes += [self.change(whole, value, safe=False) for value in field.values if value not in meant]
        message = WRONG_WORD.format(name=field.name, kind=choices(field.values), found=shown(word))
        self.problem(code, place, message, tuple(fixes))

    def mend_kind(
        self, found: Scalar, field: FieldDoc, source: str, span: Span, place: Span, code: str
    ) -> tuple[Text | None, list[Fix]] | None:
        if field.name == "globs" and field.is_list and span == self.entries["globs"].value.span:
            listed = split_globs(found.raw)
            if not listed:
                return None, []
            text = _as_list(listed)
            return GLOBS_TEXT.format(text=shown(text)), [Fix(MAKE_LIST.format(text=shown(text)), (Edit(span, text),))]
        if self.markers and not isinstance(found.value, str):
            quoted = json.dumps(source, ensure_ascii=False)
            return None, [Fix(MAKE_LIST.format(text=quoted), (Edit(span, quoted),))]
        return None, []

    def unknown_key(self, name: str, entry: Entry, model: type[Shape], siblings: Iterable[str]) -> None:
        if self.markers and self.damaged:
            return  # A quote too many or too few makes keys of what stands between them.
        meant = None if self.markers else mapped_key(name, entry, self.entries)
        if meant is None:
            before = len(self.problems)
            super().unknown_key(name, entry, model, siblings)
            # The program reads the file all the same.
            self.problems[before:] = [replace(problem, minor=True) for problem in self.problems[before:]]
            return
        fixes = self.rewritten(entry, meant.lines)
        message = OTHER_TOOL.format(name=name, tool=meant.tool, wanted=meant.wanted)
        self.problem("unknown-field", entry.merged or entry.key_span, message, fixes, minor=True)

    def rewritten(self, entry: Entry, new: tuple[str, ...]) -> tuple[Fix, ...]:
        """A fix that puts other lines in the place of an entry that stands on lines of its own; a block list stays as it is."""
        lines = self.lines
        first, last = lines.line_at(entry.key_span.start), lines.line_at(max(entry.span.end, entry.key_span.end))
        if entry.merged is not None or self.text[lines.starts[first] : entry.key_span.start].strip():
            return ()
        rest = self.text[entry.span.end : lines.ends[last]].strip()
        if rest and not rest.startswith("#"):
            return ()
        if not new:
            whole = Span(lines.starts[first], lines.full_span(last).end)
            return (Fix(REMOVE.format(name=entry.key), (Edit(whole, ""),), safe=False),)
        title = REPLACE.format(text=shown("; ".join(new)))
        indent = self.text[lines.starts[first] : entry.key_span.start]
        place = entry.span
        written = list(new)
        if isinstance(entry.value, Sequence) and new[-1].startswith("globs:"):
            place = entry.key_span
            written[-1] = "globs"
        return (Fix(title, (Edit(place, f"{lines.line_end()}{indent}".join(written)),), safe=False),)

    # ------------------------------------------------------------------ faults of values

    def empty_globs(self, entry: Entry) -> None:
        """Report globs without a text."""
        node = resolve(entry.value)
        if not isinstance(node, Sequence):
            return
        for number, item in enumerate(node.items):
            found = resolve(item)
            if (
                not isinstance(found, Scalar)
                or found.broken
                or (found.value is not None and found.raw.strip(WHITE_SPACE))
            ):
                continue
            fixes = () if entry.merged is not None else tuple(self.without_item(node, number))
            place = entry.merged or self.short(item.span)
            # A bare null is left out in YAML, in JSON it is an empty text [F].
            if found.value is None and not self.markers:
                super().problem("foya-glob-empty", place, EMPTY_GLOB, fixes)
            else:
                self.problem("foya-glob-empty", place, EMPTY_GLOB, fixes)

    def without_item(self, node: Sequence, number: int) -> Iterator[Fix]:
        """Yield the fix that takes an item out of its list, if it can go alone."""
        items = node.items
        span = items[number].span
        if isinstance(items[number], Alias):
            return
        if node.flow:
            if len(items) == 1:
                yield Fix(REMOVE_GLOB, (Edit(Span(node.span.start + 1, node.span.end - 1), ""),))
            elif number + 1 < len(items):
                yield Fix(REMOVE_GLOB, (Edit(Span(span.start, items[number + 1].span.start), ""),))
            else:
                yield Fix(REMOVE_GLOB, (Edit(Span(items[number - 1].span.end, span.end), ""),))
            return
        lines = self.lines
        line = lines.line_at(span.start)
        before = self.text[lines.starts[line] : span.start]
        after = self.text[span.end : lines.ends[line]].strip()
        if (
            len(items) > 1
            and before.strip(" \t-") == ""
            and before.count("-") <= 1
            and (not after or after.startswith("#"))
        ):
            yield Fix(REMOVE_GLOB, (Edit(lines.full_span(line), ""),))

    def id_fixes(self, header: Mapping) -> tuple[Fix, ...]:
        """Offer an id that is made from the name."""
        name = next((e.value.raw for e in header.entries if e.key == "name" and isinstance(e.value, Scalar)), "")
        word = re.sub(r"[^\w.-]+", "-", name.casefold()).strip("-._") or "rule"
        given = next((e for e in header.entries if e.key.casefold() == "id"), None)
        if given is not None:
            if not isinstance(given.value, Scalar) or given.value.missing:
                return ()
            return (
                Fix(
                    ADD_ID.format(id=word), (Edit(given.value.span, json.dumps(word, ensure_ascii=False)),), safe=False
                ),
            )
        at = header.span.start + 1
        text = f'"id":{json.dumps(word, ensure_ascii=False)}' + ("," if header.entries else "")
        return (Fix(ADD_ID.format(id=word), (Edit(Span(at, at), text),), safe=False),)


def _is_null(node: Node) -> bool:
    found = resolve(node)
    return isinstance(found, Scalar) and found.value is None and not found.broken


def _data(node: Node, *, typed: bool) -> object:
    """Return what Go decodes: every scalar of YAML is its source as text, in JSON only a text is one."""
    found = resolve(node)
    if isinstance(found, Scalar):
        if found.value is None:
            return None
        value = found.value if typed else found.raw
        # What no encoding carries is no fault of the shape.
        return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
    if isinstance(found, Sequence):
        return [item for item in (_data(item, typed=typed) for item in found.items) if item is not None]
    return {} if isinstance(found, Mapping) else None


def _as_list(globs: Iterable[str]) -> str:
    return "[" + ", ".join(json.dumps(glob, ensure_ascii=False) for glob in globs) + "]"


BARE_GLOBS = Text(
    "YAML does not read globs without quotes when they begin with `*` or `!`, where a reference or a tag begins; put each in quotes",
    "以 `*` 或 `!` 开头的 glob 没有引号时 YAML 无法读取（它们是引用和标签的写法）；请给每个 glob 加上引号",
)
REFUSED_PROJECT = Text(
    "; Foya then loads neither this rule nor the project's rules after it",
    "；这样 Foya 既不加载这条规则，也不加载排在它后面的项目规则",
)
REFUSED_GLOBAL = Text("; Foya then loads no global rule", "；这样 Foya 不会加载任何全局规则")
GLOBS_TEXT = Text(
    "`globs` takes a list, not one text: write `{text}`", "`globs` 应当是列表，不能是一段文本：请写成 `{text}`"
)
MAKE_LIST = Text("Change to `{text}`", "改为 `{text}`")
EMPTY_GLOB = Text("a glob must not be empty", "glob 不能为空")
REMOVE_GLOB = Text("Remove the empty glob", "删除空的 glob")
NO_ID = Text("a marker needs an `id`, as nothing else names its rule", "标记必须有 `id`，否则无法指称这条规则")
ADD_ID = Text("Add the id `{id}`", "添加 id `{id}`")
SAME_KEY = Text(
    "`{key}` and `{first}` are the same key to Foya, which takes the last one; keep one of the two",
    "对 Foya 来说 `{key}` 和 `{first}` 是同一个键，以最后一个为准；请只保留一个",
)
FIRST_KEY = Text("first set here", "第一次出现在这里")
OTHER_TOOL = Text(
    "`{name}` is a key of {tool}, which Foya ignores; {wanted}",
    "`{name}` 是 {tool} 的键，Foya 会忽略它；{wanted}",
)
REPLACE = Text("Replace by `{text}`", "替换为 `{text}`")
REMOVE = Text("Remove `{name}`", "删除 `{name}`")
