"""Tree to Package: shape errors become problems with places, everything else becomes values that checks can trust.

A field with a fault of its own becomes BAD and is not looked at again; the rest of the rule lives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from pydantic_core import ErrorDetails

from rulewright.formats.fields import FieldDoc, Shape, fields_of
from rulewright.formats.shaping import (
    DO_CHANGE,
    DO_QUOTE,
    NO_VALUE,
    NOT_LIST,
    NOT_MAPPING,
    TOO_FEW,
    Shaper,
    first_key,
    found_words,
    scalar_value,
    shown,
    wanted,
)
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
    Scalar,
    Sequence,
    Tree,
    resolve,
)
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span
from rulewright.text.spelling import is_sure, nearest

# Fields whose names `defaults` may hold, in the order of the spec.
DEFAULTABLE = tuple(fields_of(keys.DefaultsKeys))

NUMBER_AS_TEXT = Text(
    "YAML reads `{found}` as a number, but `{name}` takes {kind}: put it in quotes",
    "YAML 会把 `{found}` 读成数字，但 `{name}` 应当是{kind}：请加引号",
)
NOT_IN_DEFAULTS = Text(
    "`{name}` cannot have a default: write it in the rules", "`{name}` 不能写在 defaults 里：请写到各条规则中"
)
ODD_NUMBER = Text(
    "`{found}` is read as different values by different YAML readers; `{name}` takes {kind}",
    "不同的 YAML 解析器会把 `{found}` 读成不同的值；`{name}` 应当是{kind}",
)
NUMBER_AS_VERSION = Text(
    "YAML reads `{found}` as a number; write a whole version such as `0.1.0`",
    "YAML 会把 `{found}` 读成数字；请写完整的版本号，例如 `0.1.0`",
)
PATTERN_KIND = Text(
    "with `op: {op}`, `pattern` takes {kind}, but this is {found}",
    "`op: {op}` 的 `pattern` 应当是{kind}，实际是{found}",
)
SPEC_OTHER = Text(
    "`{found}` is another version of the format; this tool knows `style/v0.3`",
    "`{found}` 是另一个格式版本；本工具支持 `style/v0.3`",
)
UNKNOWN_EVENT = Text("`{found}` is not an event{hint}", "`{found}` 不是已知事件{hint}")
DID_YOU_MEAN = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_HINT = Text("", "")
EMPTY_FILE = Text(
    "the file says nothing yet: a package begins with `spec: style/v0.3`",
    "文件还没有内容：包以 `spec: style/v0.3` 开头",
)
OUT_OF_RANGE = Text("`refresh` goes from 0 to 1000000", "`refresh` 的范围是 0 到 1000000")

_PATTERN_KINDS = {
    "exists": Text("`true` or `false`", " `true` 或 `false`"),
    "gt": Text("a number", "数字"),
    "lt": Text("a number", "数字"),
    "in": Text("a list of texts or numbers", "由文本或数字组成的列表"),
    "equals": Text("text, a number or `true`/`false`", "文本、数字或 `true`/`false`"),
}


def lower(path: str, text: str, tree: Tree) -> tuple[Package, list[Problem]]:
    """Turn a tree into a package and the problems of its shape. Never raises on a user's text."""
    damaged = any(problem.code == "yaml-syntax" for problem in tree.problems)
    return _Lowering(text, damaged).package(tree)


class _Lowering(Shaper):
    """One pass over one tree; collects problems."""

    # ------------------------------------------------------------------ the three levels

    def package(self, tree: Tree) -> tuple[Package, list[Problem]]:
        if tree.root is None:
            return Package.empty(), self.problems
        root = resolve(tree.root)
        if not isinstance(root, Mapping):
            if isinstance(root, Scalar) and root.value is None:
                self.problem("invalid-schema", self.short(Span(0, len(self.text))), EMPTY_FILE)
            else:
                self.problem("invalid-schema", self.short(tree.root.span), NOT_MAPPING.format(found=found_words(root)))
            return Package.empty(), self.problems
        entries = root.effective()
        anchor = first_key(root)
        bad, missing = self.validate(keys.PackageKeys, root, entries, skip=("defaults", "rules"))
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
                self.problem("spec-version", spec.span, SPEC_OTHER.format(found=shown(found)), fixes)
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
        bad, _ = self.validate(keys.DefaultsKeys, node, entries)
        found: dict[str, Value] = {}
        for name in DEFAULTABLE:
            if name in entries:
                found[name] = self.value(name, entries[name], first_key(node), bad)
        return found

    def rules(self, entry: Entry | None, defaults: dict[str, Value]) -> tuple[list[Rule], bool]:
        """Return the rules, and whether the list holds anything that is no rule (then missing keys can wait)."""
        if entry is None:
            return [], False
        node = resolve(entry.value)
        name = fields_of(keys.PackageKeys)["rules"]
        if not isinstance(node, Sequence):
            if node is not None:
                at = entry.key_span if isinstance(node, Scalar) and node.missing else self.short(entry.value.span)
                message = (
                    NO_VALUE.format(name="rules", kind=wanted(name))
                    if isinstance(node, Scalar) and node.value is None
                    else NOT_LIST.format(name="rules", found=found_words(node))
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
        first = first_key(node)
        id_entry = entries.get("id")
        anchor = first
        if id_entry is not None and isinstance(id_entry.value, Scalar) and not id_entry.value.missing:
            anchor = self.short(id_entry.value.span)
        before = len(self.problems)
        bad, missing = self.validate(keys.RuleKeys, node, entries, skip=("when",))
        target_entry = entries.get("target")
        target = target_entry and scalar_value(target_entry.value)
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
        bad, _ = self.validate(keys.WhenKeys, node, entries, skip=("conditions",))
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
        anchor = first_key(node)
        bad, missing = self.validate(keys.ConditionKeys, node, entries)
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

    # ------------------------------------------------------------------ what STYLE says differently

    def code_of(self, field: FieldDoc) -> str:
        return "refresh-invalid" if field.name == "refresh" else "invalid-schema"

    def range_message(self, detail: ErrorDetails, field: FieldDoc) -> Text:
        return OUT_OF_RANGE

    def special_fault(
        self, detail: ErrorDetails, entry: Entry, node: Node, found: Scalar | Mapping | Sequence | Alias, code: str
    ) -> bool:
        if detail["type"] != "pattern_for_op":
            return False
        op = str(detail.get("ctx", {}).get("op"))
        wanted = _PATTERN_KINDS.get(op, Text("text", "文本"))
        message = PATTERN_KIND.format(op=op, kind=wanted, found=found_words(found))
        fixes: tuple[Fix, ...] = ()
        if op not in _PATTERN_KINDS and isinstance(found, Scalar) and entry.merged is None:
            quoted = json.dumps(found.raw, ensure_ascii=False)
            fixes = (Fix(DO_QUOTE.format(text=quoted), (Edit(node.span, quoted),)),)
        self.problem(code, self.place_of(entry, node), message, fixes)
        return True

    def mend_kind(
        self, found: Scalar, field: FieldDoc, source: str, span: Span, place: Span, code: str
    ) -> tuple[Text | None, list[Fix]] | None:
        kind = wanted(field)
        fixes: list[Fix] = []
        message: Text | None = None
        if field.name == "refresh":
            number = _plain_number(found)
            if number is not None:
                fixes.append(self.change(span, number, safe=not isinstance(found.value, OddNumber)))
            if isinstance(found.value, OddNumber):
                message = ODD_NUMBER.format(name=field.name, kind=kind, found=shown(source))
        elif not field.is_list and not isinstance(found.value, str) and not _can_be(field, found.raw):
            self.wrong_word(place, span, field, source, code)
            return None
        elif not field.is_list and not isinstance(found.value, str):
            quoted = json.dumps(found.raw, ensure_ascii=False)
            fixes.append(Fix(DO_QUOTE.format(text=quoted), (Edit(span, quoted),), safe=field.name != "version"))
            if isinstance(found.value, OddNumber):
                message = ODD_NUMBER.format(name=field.name, kind=kind, found=shown(source))
            elif not isinstance(found.value, bool):
                message = NUMBER_AS_TEXT.format(name=field.name, kind=kind, found=shown(source))
            if field.name == "version":
                fixes = self.version_fixes(span, found.raw)
                message = NUMBER_AS_VERSION.format(found=shown(source))
        return message, fixes

    def word_fixes(self, whole: Span, field: FieldDoc, found: str) -> list[Fix]:
        if field.name == "version":
            return self.version_fixes(whole, found)
        if field.name not in ("name", "id"):
            return []
        word = re.sub(r"[\s\x00-,/:-@\[-^`{-\x7f]+", "-", found).strip("-")
        return [self.change(whole, word, safe=False)] if word else []

    def unknown_key(self, name: str, entry: Entry, model: type[Shape], siblings: Iterable[str]) -> None:
        if model is keys.DefaultsKeys and name in fields_of(keys.RuleKeys):
            self.problem("unknown-field", entry.merged or entry.key_span, NOT_IN_DEFAULTS.format(name=name))
        else:
            super().unknown_key(name, entry, model, siblings)

    def version_fixes(self, span: Span, found: str) -> list[Fix]:
        """Offer a full version for `1`, `0.1` or `v0.1.0`."""
        match = re.fullmatch(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?", found)
        if match is None:
            return []
        text = ".".join(str(int(part[:9] or "0")) for part in (match[1], match[2] or "0", match[3] or "0"))
        return [self.change(span, text, safe=False)]

    def unknown_event(self, event: Value) -> Value:
        near = nearest(event.text(), words.EVENTS)
        hint = DID_YOU_MEAN.format(near=near) if near else NO_HINT
        fixes = (
            (self.change(event.span, near, safe=is_sure(event.text(), near, words.EVENTS)),)
            if near and event.origin == "written"
            else ()
        )
        self.problem("unknown-event", event.place, UNKNOWN_EVENT.format(found=shown(event.text()), hint=hint), fixes)
        return Value(BAD, event.span, event.place, event.origin, event.key, event.node)


def _can_be(field: FieldDoc, text: str) -> bool:
    """Tell whether a text would be a good value of a field, so that putting it in quotes mends it."""
    if field.name in ("name", "id"):
        return re.fullmatch(keys.WORD, text) is not None
    if field.name == "event":
        return text in words.EVENTS
    return not (field.listed or field.name == "spec") or text in field.values


def _plain_number(scalar: Scalar) -> str | None:
    """Return the plain spelling of a whole number in another spelling, within the range of `refresh`."""
    digits = scalar.raw.strip().replace("_", "")
    if re.fullmatch(r"[+-]?[0-9]{1,9}", digits) and int(digits) in range(1_000_001):
        return str(int(digits))
    match = re.fullmatch(r"([0-9]{1,9})\.0*", digits)
    return str(int(match[1])) if match and int(match[1]) in range(1_000_001) else None
