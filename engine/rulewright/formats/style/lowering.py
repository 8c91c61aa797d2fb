"""Tree to Package: shape errors become problems with places, everything else becomes values that checks can trust.

A field with a fault of its own becomes BAD and is not looked at again; the rest of the rule lives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from rulewright.formats.fields import FieldDoc, Shape, fields_of
from rulewright.formats.style import keys
from rulewright.formats.style import vocabulary as words
from rulewright.model import BAD, Condition, Package, Rule, Value, When
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
    Tree,
    resolve,
)
from rulewright.syntax.yaml_quoting import in_same_quotes
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span
from rulewright.text.spelling import is_sure, nearest

Path = tuple[str | int, ...]

# More words than this are no choice to read in a sentence or a menu [R].
MAX_CHOICES = 12

# Fields whose names `defaults` may hold, in the order of the spec.
DEFAULTABLE = tuple(fields_of(keys.DefaultsKeys))

NOT_MAPPING = Text(
    "a mapping of `key: value` lines belongs here, but this is {found}",
    "这里应当是由 `键: 值` 组成的映射，实际是{found}",
)
NOT_LIST = Text("`{name}` takes a list, but this is {found}", "`{name}` 应当是列表，实际是{found}")
EMPTY_FILE = Text(
    "the file says nothing yet: a package begins with `spec: style/v0.3`",
    "文件还没有内容：包以 `spec: style/v0.3` 开头",
)
MISSING = Text("{names} must be here", "这里缺少 {names}")
UNKNOWN = Text("`{name}` is not a key that may stand here", "`{name}` 不是这里可用的键")
UNKNOWN_NEAR = Text(
    "`{name}` is not a key that may stand here; did you mean `{near}`?",
    "`{name}` 不是这里可用的键；是否想写 `{near}`？",
)
NOT_IN_DEFAULTS = Text(
    "`{name}` cannot have a default: write it in the rules", "`{name}` 不能写在 defaults 里：请写到各条规则中"
)
WRONG_WORD = Text("`{name}` takes {kind}, not `{found}`", "`{name}` 应当是{kind}，而不是 `{found}`")
WRONG_KIND = Text("`{name}` takes {kind}, but this is {found}", "`{name}` 应当是{kind}，实际是{found}")
NO_VALUE = Text("`{name}` has no value; it takes {kind}", "`{name}` 没有值；应当是{kind}")
ODD_NUMBER = Text(
    "`{found}` is read as different values by different YAML readers; `{name}` takes {kind}",
    "不同的 YAML 解析器会把 `{found}` 读成不同的值；`{name}` 应当是{kind}",
)
NUMBER_AS_TEXT = Text(
    "YAML reads `{found}` as a number, but `{name}` takes {kind}: put it in quotes",
    "YAML 会把 `{found}` 读成数字，但 `{name}` 应当是{kind}：请加引号",
)
NUMBER_AS_VERSION = Text(
    "YAML reads `{found}` as a number; write a whole version such as `0.1.0`",
    "YAML 会把 `{found}` 读成数字；请写完整的版本号，例如 `0.1.0`",
)
PATTERN_KIND = Text(
    "with `op: {op}`, `pattern` takes {kind}, but this is {found}",
    "`op: {op}` 的 `pattern` 应当是{kind}，实际是{found}",
)
TOO_FEW = Text("`{name}` needs at least one entry", "`{name}` 至少要有一项")
EMPTY_TEXT = Text("`{name}` must not be empty", "`{name}` 不能为空")
OUT_OF_RANGE = Text("`refresh` goes from 0 to 1000000", "`refresh` 的范围是 0 到 1000000")
SPEC_OTHER = Text(
    "`{found}` is another version of the format; this tool knows `style/v0.3`",
    "`{found}` 是另一个格式版本；本工具支持 `style/v0.3`",
)
UNKNOWN_EVENT = Text("`{found}` is not an event{hint}", "`{found}` 不是已知事件{hint}")
DID_YOU_MEAN = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_HINT = Text("", "")
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

_PATTERN_KINDS = {
    "exists": Text("`true` or `false`", " `true` 或 `false`"),
    "gt": Text("a number", "数字"),
    "lt": Text("a number", "数字"),
    "in": Text("a list of texts or numbers", "由文本或数字组成的列表"),
    "equals": Text("text, a number or `true`/`false`", "文本、数字或 `true`/`false`"),
}


def lower(tree: Tree, text: str) -> tuple[Package, list[Problem]]:
    """Turn a tree into a package and the problems of its shape. Never raises on a user's text."""
    damaged = any(problem.code == "yaml-syntax" for problem in tree.problems)
    return _Lowering(text, damaged).package(tree)


class _Lowering:
    """One pass over one tree; collects problems."""

    def __init__(self, text: str, damaged: bool) -> None:
        self.text = text
        self.damaged = damaged
        self.problems: list[Problem] = []

    # ------------------------------------------------------------------ the three levels

    def package(self, tree: Tree) -> tuple[Package, list[Problem]]:
        if tree.root is None:
            return Package.empty(), self.problems
        root = resolve(tree.root)
        if not isinstance(root, Mapping):
            if isinstance(root, Scalar) and root.value is None:
                self.problem("invalid-schema", self._short(Span(0, len(self.text))), EMPTY_FILE)
            else:
                self.problem("invalid-schema", self._short(tree.root.span), NOT_MAPPING.format(found=_found(root)))
            return Package.empty(), self.problems
        entries = root.effective()
        anchor = _first_key(root)
        bad, missing = self.validate(keys.PackageKeys, root, entries, anchor, skip=("defaults", "rules"), path=())
        defaults = self.defaults(entries.get("defaults"))
        rules, skeleton = self.rules(entries.get("rules"), defaults)
        missing += [name for name in ("rules",) if "rules" not in entries]
        if missing and root.complete() and not skeleton:
            order = [name for name in fields_of(keys.PackageKeys) if name in missing]
            self.missing(order, anchor)

        def field(name: str) -> Value:
            return self.value(name, entries.get(name), anchor, bad)

        spec = field("spec")
        if spec.known and not spec.is_(words.SPEC):
            found = str(spec.value)
            if found.startswith("style/"):
                fixes = (Fix(DO_CHANGE.format(text=words.SPEC), (Edit(spec.span, words.SPEC),), safe=False),)
                self.problem("spec-version", spec.span, SPEC_OTHER.format(found=_shown(found)), fixes)
            else:
                self.wrong_word(spec.span, spec.span, fields_of(keys.PackageKeys)["spec"], found, "invalid-schema")
        return (
            Package(root, spec, field("name"), field("version"), field("description"), defaults, tuple(rules)),
            self.problems,
        )

    def defaults(self, entry: Entry | None) -> dict[str, Value]:
        if entry is None:
            return {}
        node = self.mapping_of(entry.value, entry, fields_of(keys.PackageKeys)["defaults"])
        if node is None:
            return {}
        entries = node.effective()
        bad, _ = self.validate(keys.DefaultsKeys, node, entries, entry.key_span, skip=(), path=("defaults",))
        found: dict[str, Value] = {}
        for name in DEFAULTABLE:
            if name in entries:
                found[name] = self.value(name, entries[name], _first_key(node), bad)
        return found

    def rules(self, entry: Entry | None, defaults: dict[str, Value]) -> tuple[list[Rule], bool]:
        """Return the rules, and whether the list holds anything that is no rule (then missing keys can wait)."""
        if entry is None:
            return [], False
        node = resolve(entry.value)
        name = fields_of(keys.PackageKeys)["rules"]
        if not isinstance(node, Sequence):
            if node is not None:
                at = entry.key_span if isinstance(node, Scalar) and node.missing else self._short(entry.value.span)
                message = (
                    NO_VALUE.format(name="rules", kind=_wanted(name))
                    if isinstance(node, Scalar) and node.value is None
                    else NOT_LIST.format(name="rules", found=_found(node))
                )
                self.problem("invalid-schema", at, message)
            return [], True
        if not node.items:
            if not node.broken:
                self.problem("invalid-schema", entry.value.span, TOO_FEW.format(name="rules"))
            return [], False
        rules: list[Rule] = []
        skeleton = False
        for item in node.items:
            rule_node = self.mapping_of(item)
            if rule_node is None:
                skeleton = True
            else:
                rules.append(self.rule(rule_node, item, defaults))
        return rules, skeleton

    def rule(self, node: Mapping, item: Node, defaults: dict[str, Value]) -> Rule:
        entries = node.effective()
        first = _first_key(node)
        id_entry = entries.get("id")
        anchor = first
        if id_entry is not None and isinstance(id_entry.value, Scalar) and not id_entry.value.missing:
            anchor = self._short(id_entry.value.span)
        before = len(self.problems)
        bad, missing = self.validate(keys.RuleKeys, node, entries, anchor, skip=("when",), path=("rules", 0))
        target_entry = entries.get("target")
        target = target_entry and _scalar_value(target_entry.value)
        if target in ("tool", "event") and target not in entries:
            missing.append(str(target))
        when, when_bad = self.when(entries.get("when"), anchor)
        if node.broken:
            # What looks wrong may belong to the part that could not be read.
            del self.problems[before:]
        elif missing and node.complete():
            self.missing([name for name in fields_of(keys.RuleKeys) if name in missing], anchor)

        absent = Value(None, anchor, anchor, "default")

        def own(name: str) -> Value:
            entry = entries.get(name)
            return absent if entry is None else self.value(name, entry, anchor, bad)

        def effective(name: str, builtin: object) -> Value:
            if name in entries:
                return own(name)
            inherited = defaults.get(name)
            if inherited is not None:
                return Value(
                    inherited.value, inherited.span, anchor, "inherited", inherited.key, inherited.node, inherited.items
                )
            return Value(builtin, anchor, anchor, "default")

        target_value = own("target")
        on_call = target_value.is_("tool", "mcp", "skill")
        action = effective("action", "inject")
        block = action.is_("block")
        if "at" in entries or on_call:
            at = effective("at", BAD if action.bad else "before" if block else "after")
        else:
            at = Value(BAD if target_value.bad else None, anchor, anchor, "default")
        repeat_default = BAD if action.bad else "every" if action.is_("warn") else None if block else "session"
        event = own("event")
        if event.known and event.text() not in words.EVENTS:
            event = self.unknown_event(event)
        return Rule(
            span=item.span,
            anchor=anchor,
            node=node,
            id=own("id"),
            target=target_value,
            tool=own("tool"),
            mcp=self.with_default(own("mcp"), "*/*") if target_value.is_("mcp") else own("mcp"),
            skill=self.with_default(own("skill"), "*") if target_value.is_("skill") else own("skill"),
            event=event,
            sources=own("sources"),
            action=action,
            at=at,
            repeat=effective("repeat", repeat_default),
            fail=effective("fail", "open"),
            refresh=effective("refresh", 0),
            reinject_on_compact=effective(
                "reinject_on_compact", BAD if target_value.bad else target_value.is_("system")
            ),
            when=when,
            fallback=effective("fallback", "error"),
            mode=self.with_default(own("mode"), "append"),
            text=own("text"),
            text_file=own("text_file"),
            model_text=own("model_text"),
            reason=own("reason"),
            enabled=self.with_default(own("enabled"), True),
            broken=not node.complete(),
            when_bad=when_bad,
        )

    def when(self, entry: Entry | None, anchor: Span) -> tuple[When | None, bool]:
        if entry is None:
            return None, False
        node = self.mapping_of(entry.value, entry, fields_of(keys.RuleKeys)["when"])
        if node is None:
            return None, True
        place = entry.merged or entry.key_span
        entries = node.effective()
        bad, _ = self.validate(keys.WhenKeys, node, entries, place, skip=("conditions",), path=("rules", 0, "when"))
        faulty = bool(bad) or node.broken
        conditions: list[Condition] = []
        listed = entries.get("conditions")
        if listed is not None:
            items = resolve(listed.value)
            if isinstance(items, Sequence):
                for item in items.items:
                    condition = self.condition(item)
                    if condition is None:
                        faulty = True
                    else:
                        conditions.append(condition)
                        faulty = faulty or any(
                            value.bad for value in (condition.field, condition.op, condition.pattern, condition.negate)
                        )
            else:
                faulty = True
                if items is not None:
                    self.wrong_kind(
                        listed.value, fields_of(keys.WhenKeys)["conditions"], "invalid-schema", listed.key_span
                    )

        def field(name: str, builtin: object) -> Value:
            return self.with_default(self.value(name, entries.get(name), place, bad), builtin)

        return (
            When(
                entry.value.span, field("model", None), field("harness", None), field("match", "all"), tuple(conditions)
            ),
            faulty,
        )

    def condition(self, item: Node) -> Condition | None:
        node = self.mapping_of(item)
        if node is None:
            return None
        entries = node.effective()
        anchor = _first_key(node)
        bad, missing = self.validate(
            keys.ConditionKeys, node, entries, anchor, skip=(), path=("rules", 0, "when", "conditions", 0)
        )
        if missing and node.complete():
            self.missing([name for name in fields_of(keys.ConditionKeys) if name in missing], anchor)
        lost = BAD if missing or not node.complete() else None

        def field(name: str, builtin: object) -> Value:
            if name not in entries:
                return Value(builtin, anchor, anchor, "default")
            return self.value(name, entries[name], anchor, bad)

        return Condition(
            item.span,
            field("field", lost),
            field("op", lost),
            field("pattern", lost),
            field("negate", False),
            field("ignore_case", False),
        )

    # ------------------------------------------------------------------ values

    def value(self, name: str, entry: Entry | None, anchor: Span, bad: set[str]) -> Value:
        if entry is None:
            return Value(None, anchor, anchor, "default")
        span = entry.value.span
        node = resolve(entry.value)
        place = entry.merged or span
        origin = "merged" if entry.merged is not None else "written"
        items: tuple[Value, ...] = ()
        if isinstance(node, Sequence):
            items = tuple(
                Value(_scalar_value(item), item.span, entry.merged or item.span, origin, entry.key_span, item)  # type: ignore[arg-type]
                for item in node.items
            )
            content: object = tuple(item.value for item in items)
        else:
            content = _scalar_value(entry.value) if node is not None else BAD
            if isinstance(node, Scalar):
                items = (Value(content, span, place, origin, entry.key_span, entry.value),)  # type: ignore[arg-type]
        if name in bad or isinstance(content, OddNumber) or node is None:
            content, items = BAD, ()
        return Value(content, span, place, origin, entry.key_span, entry.value, items)  # type: ignore[arg-type]

    @staticmethod
    def with_default(value: Value, builtin: object) -> Value:
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
            self.problem("invalid-schema", node.span, NOT_MAPPING.format(found=_found(found)))
        return None

    # ------------------------------------------------------------------ shape errors

    def validate(
        self,
        model: type[Shape],
        node: Mapping,
        entries: dict[str, Entry],
        anchor: Span,
        *,
        skip: tuple[str, ...],
        path: Path,
    ) -> tuple[set[str], list[str]]:
        """Check one mapping against its model.

        Returns the names of fields with a fault, and the names of required keys that are not there.
        """
        # What could not be read has its finding already; what it would have been is not for us to guess.
        bad = {name for name, e in entries.items() if _is_broken(e.value)} if self.damaged else set()
        data = {
            name: to_data(e.value)
            for name, e in entries.items()
            if name not in skip and name not in bad and not name.startswith("x-") and _is_encodable(name)
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
            note = Related(self._short(entry.value.span), MERGED)
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
        code = "refresh-invalid" if field.name == "refresh" else "invalid-schema"
        kind = str(detail["type"])
        if found is None:
            return
        if isinstance(found, Scalar) and found.value is None and not found.raw.strip("~nulNUL"):
            at = self._place(entry, node)
            if found.missing and entry.merged is None:
                at = entry.key_span
            self.problem(code, at, NO_VALUE.format(name=field.name, kind=_wanted(field)))
            return
        if kind in ("literal_error", "string_pattern_mismatch") and isinstance(found, Scalar):
            place = self._place(entry, node)
            if isinstance(found.value, str):
                self.wrong_word(place, node.span, field, found.raw, code, editable=entry.merged is None)
                return
            if field.listed:
                source = node.span.of(self.text) if entry.merged is None else found.raw
                self.wrong_word(place, node.span, field, source, code, editable=entry.merged is None)
                return
        if kind in ("greater_than_equal", "less_than_equal"):
            self.problem(code, self._place(entry, node), OUT_OF_RANGE)
            return
        if kind == "too_short":
            self.problem(code, self._place(entry, node), TOO_FEW.format(name=field.name))
            return
        if kind == "string_too_short":
            self.problem(code, self._place(entry, node), EMPTY_TEXT.format(name=field.name))
            return
        if kind == "pattern_for_op":
            op = str(detail.get("ctx", {}).get("op"))
            wanted = _PATTERN_KINDS.get(op, Text("text", "文本"))
            message = PATTERN_KIND.format(op=op, kind=wanted, found=_found(found))
            fixes: tuple[Fix, ...] = ()
            if op not in _PATTERN_KINDS and isinstance(found, Scalar) and entry.merged is None:
                quoted = json.dumps(found.raw, ensure_ascii=False)
                fixes = (Fix(DO_QUOTE.format(text=quoted), (Edit(node.span, quoted),)),)
            self.problem(code, self._place(entry, node), message, fixes)
            return
        self.wrong_kind(node, field, code, entry.key_span, merged=entry.merged)

    def wrong_kind(self, node: Node, field: FieldDoc, code: str, key_span: Span, merged: Span | None = None) -> None:
        """Report a value of the wrong type; offer the right spelling where there is one."""
        found = resolve(node)
        place = merged or self._short(node.span)
        fixes: list[Fix] = []
        kind = _wanted(field)
        if found is None:
            return
        if isinstance(found, Scalar) and found.value is None:
            at = key_span if found.missing and merged is None else place
            self.problem(code, at, NO_VALUE.format(name=field.name, kind=kind))
            return
        message = WRONG_KIND.format(name=field.name, kind=kind, found=_found(found))
        if isinstance(found, Scalar) and merged is None:
            source = node.span.of(self.text)
            if field.values == ("true", "false"):
                truth = _truth(found)
                if truth is not None:
                    fixes.append(self.change(node.span, truth, safe=True))
                if isinstance(found.value, str):
                    message = WRONG_WORD.format(name=field.name, kind=kind, found=_shown(source))
            elif field.name == "refresh":
                number = _plain_number(found)
                if number is not None:
                    fixes.append(self.change(node.span, number, safe=not isinstance(found.value, OddNumber)))
                if isinstance(found.value, OddNumber):
                    message = ODD_NUMBER.format(name=field.name, kind=kind, found=_shown(source))
            elif field.is_list and field.model is None and found.raw in field.values:
                listed = f"[{source}]"
                fixes.append(Fix(DO_CHANGE.format(text=listed), (Edit(node.span, listed),)))
            elif not field.is_list and not isinstance(found.value, str) and not _can_be(field, found.raw):
                self.wrong_word(place, node.span, field, source, code)
                return
            elif not field.is_list and not isinstance(found.value, str):
                quoted = json.dumps(found.raw, ensure_ascii=False)
                fixes.append(
                    Fix(DO_QUOTE.format(text=quoted), (Edit(node.span, quoted),), safe=field.name != "version")
                )
                if isinstance(found.value, OddNumber):
                    message = ODD_NUMBER.format(name=field.name, kind=kind, found=_shown(source))
                elif not isinstance(found.value, bool):
                    message = NUMBER_AS_TEXT.format(name=field.name, kind=kind, found=_shown(source))
                if field.name == "version":
                    fixes = self.version_fixes(node.span, found.raw)
                    message = NUMBER_AS_VERSION.format(found=_shown(source))
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
        elif editable and field.name == "version":
            fixes = self.version_fixes(whole, found)
        elif editable and field.name in ("name", "id"):
            word = re.sub(r"[\s\x00-,/:-@\[-^`{-\x7f]+", "-", found).strip("-")
            if word:
                fixes.append(self.change(whole, word, safe=False))
        kind = _choices(words_here) if words_here else _wanted(field)
        self.problem(code, place, WRONG_WORD.format(name=field.name, kind=kind, found=_shown(found)), tuple(fixes))

    def version_fixes(self, span: Span, found: str) -> list[Fix]:
        """Offer a full version for `1`, `0.1` or `v0.1.0`."""
        match = re.fullmatch(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?", found)
        if match is None:
            return []
        text = ".".join(str(int(part[:9] or "0")) for part in (match[1], match[2] or "0", match[3] or "0"))
        return [self.change(span, text, safe=False)]

    def unknown_key(self, name: str, entry: Entry, model: type[Shape], siblings: Iterable[str]) -> None:
        """Report a key that is none of the model's; `siblings` are the keys beside it."""
        fields = fields_of(model)
        if model is keys.DefaultsKeys and name in fields_of(keys.RuleKeys):
            self.problem("unknown-field", entry.merged or entry.key_span, NOT_IN_DEFAULTS.format(name=name))
            return
        near = nearest(name, fields)
        if near is None and resolve(entry.value) is None:
            return  # The alias behind it leads nowhere and has its own finding.
        message = UNKNOWN_NEAR.format(name=_shown(name), near=near) if near else UNKNOWN.format(name=_shown(name))
        fixes: tuple[Fix, ...] = ()
        # Renaming to a key that is there already would only make it a duplicate.
        if near and entry.merged is None and near not in siblings:
            edit = Edit(entry.key_span, in_same_quotes(near, entry.key_span.of(self.text)))
            fixes = (Fix(DO_RENAME.format(text=near), (edit,), safe=is_sure(name, near, fields)),)
        self.problem("unknown-field", entry.merged or entry.key_span, message, fixes, minor=near is None)

    def unknown_event(self, event: Value) -> Value:
        near = nearest(event.text(), words.EVENTS)
        hint = DID_YOU_MEAN.format(near=near) if near else NO_HINT
        fixes = (
            (self.change(event.span, near, safe=is_sure(event.text(), near, words.EVENTS)),)
            if near and event.origin == "written"
            else ()
        )
        self.problem("unknown-event", event.place, UNKNOWN_EVENT.format(found=_shown(event.text()), hint=hint), fixes)
        return Value(BAD, event.span, event.place, event.origin, event.key, event.node)

    def missing(self, names: Iterable[str], anchor: Span) -> None:
        quoted = [f"`{name}`" for name in names]
        self.problem("invalid-schema", anchor, MISSING.format(names=Text(", ".join(quoted), "、".join(quoted))))

    # ------------------------------------------------------------------ small things

    def change(self, span: Span, text: str, *, safe: bool) -> Fix:
        """A fix that puts `text` in place of a scalar, inside its quotes if it has some and `text` is a word."""
        new = text if _must_be_plain(text) else in_same_quotes(text, span.of(self.text))
        return Fix(DO_CHANGE.format(text=text), (Edit(span, new),), safe)

    def problem(
        self, code: str, span: Span, message: Text, fixes: tuple[Fix, ...] = (), *, minor: bool = False
    ) -> None:
        self.problems.append(Problem(code, self._short(span), message, (), fixes, minor))

    def _place(self, entry: Entry, node: Node) -> Span:
        return entry.merged or self._short(node.span)

    def _short(self, span: Span) -> Span:
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
        return {name: to_data(e.value) for name, e in found.effective().items() if not name.startswith("x-")}
    return None


def _scalar_value(node: Node) -> object:
    found = resolve(node)
    return found.value if isinstance(found, Scalar) else BAD


def _found(node: Scalar | Mapping | Sequence | Alias | None) -> Text:
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


def _is_broken(node: Node) -> bool:
    """Tell whether a part of a value could not be read."""
    found = resolve(node)
    if isinstance(found, Sequence):
        return found.broken or any(_is_broken(item) for item in found.items)
    if isinstance(found, Mapping):
        return found.broken or any(_is_broken(entry.value) for entry in found.entries)
    return False


def _shown(text: str) -> str:
    """Cut a value to what fits into a sentence."""
    return text if len(text) <= 60 else text[:59] + "…"


def _wanted(field: FieldDoc) -> Text:
    """Say in a sentence what a field takes."""
    if field.listed:
        return _choices(field.values)
    return Text(field.kind.en, field.kind.zh if not field.kind.zh[0].isascii() else f" {field.kind.zh}")


def _choices(values: tuple[str, ...]) -> Text:
    """Say in a sentence that one of some words is due."""
    if len(values) == 1:
        return Text(f"`{values[0]}`", f" `{values[0]}`")
    words_en = ", ".join(f"`{value}`" for value in values[:-1])
    words_zh = "、".join(f"`{value}`" for value in values)
    return Text(f"{words_en} or `{values[-1]}`", f" {words_zh} 之一")


def _can_be(field: FieldDoc, text: str) -> bool:
    """Tell whether a text would be a good value of a field, so that putting it in quotes mends it."""
    if field.name in ("name", "id"):
        return re.fullmatch(keys.WORD, text) is not None
    if field.name == "event":
        return text in words.EVENTS
    return not (field.listed or field.name == "spec") or text in field.values


def _is_encodable(text: str) -> bool:
    """Tell whether a text is free of lone surrogates, which pydantic cannot take; the reader has reported those."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _truth(scalar: Scalar) -> str | None:
    """Return `true` or `false` for what another YAML reader, or a person, takes for one."""
    word = scalar.raw.strip().lower()
    if word in ("yes", "y", "on", "true", "1"):
        return "true"
    return "false" if word in ("no", "n", "off", "false", "0") else None


def _plain_number(scalar: Scalar) -> str | None:
    """Return the plain spelling of a whole number in another spelling, within the range of `refresh`."""
    digits = scalar.raw.strip().replace("_", "")
    if re.fullmatch(r"[+-]?[0-9]{1,9}", digits) and int(digits) in range(1_000_001):
        return str(int(digits))
    match = re.fullmatch(r"([0-9]{1,9})\.0*", digits)
    return str(int(match[1])) if match and int(match[1]) in range(1_000_001) else None


def _must_be_plain(text: str) -> bool:
    return text in ("true", "false") or text.isdigit()


def _first_key(node: Mapping) -> Span:
    return node.entries[0].key_span if node.entries else node.span
