"""Tree to hook chains: faults of the shape become problems with places, everything else values that checks can trust.

OpenClaude refuses a file as a whole: one fault turns all its rules off. So faults say that, and the first is the file's `refusal`.
A key that OpenClaude does not know it drops without a word; what that means for the rule is said too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from pydantic_core import ErrorDetails

from rulewright.formats.fields import FieldDoc, Shape, fields_of
from rulewright.formats.hook_chains import keys
from rulewright.formats.hook_chains import vocabulary as words
from rulewright.formats.shaping import (
    DO_CHANGE,
    DO_QUOTE,
    DO_RENAME,
    EMPTY_TEXT,
    MAX_CHOICES,
    NO_VALUE,
    NOT_LIST,
    OUT_OF_RANGE,
    TOO_FEW,
    UNKNOWN,
    UNKNOWN_NEAR,
    WRONG_KIND,
    WRONG_WORD,
    Shaper,
    choices,
    first_key,
    found_words,
    is_broken,
    shown,
    wanted,
)
from rulewright.model import BAD, ChainAction, ChainCondition, ChainFile, ChainRule, Value
from rulewright.syntax.json_reader import MAX_OF_A_KIND, capped, removal, value_of
from rulewright.syntax.tree import (
    Alias,
    Entry,
    Fix,
    Mapping,
    Node,
    Problem,
    Related,
    Scalar,
    Sequence,
    Tree,
)
from rulewright.text.edits import Edit
from rulewright.text.language import Text
from rulewright.text.span import Span
from rulewright.text.spelling import is_sure, nearest

SYNTAX = "json-syntax"
SHAPE = "invalid-schema"
CONFLICT = "chain-outcome-conflict"
FATAL = (SYNTAX, "json-too-deep", SHAPE, CONFLICT)
"""Codes of faults for which the whole file is refused."""

WRAPPER = "hookChains"
SCHEMA_KEY = "$schema"
"""Names the schema for editors; OpenClaude drops it, and nothing is lost."""


def lower(path: str, text: str, tree: Tree) -> tuple[ChainFile, list[Problem]]:
    """Turn a tree into chains and the problems of their shape. Never raises on a user's text."""
    damaged = any(problem.code in (SYNTAX, "json-too-deep") and not problem.minor for problem in tree.problems)
    lowering = _Lowering(text, damaged)
    chains = lowering.file(tree)
    fatal = [p for p in (*tree.problems, *lowering.problems) if p.code in FATAL and not p.minor]
    if fatal:
        first = min(fatal, key=lambda problem: problem.span)
        message = first.message
        english, chinese = message.en.removesuffix(ALL_OFF.en), message.zh.removesuffix(ALL_OFF.zh)
        chains.refused_at = first.span
        chains.refusal = Text(english.rstrip("; "), chinese.rstrip("；"))
    return chains, capped(lowering.problems)


class _Lowering(Shaper):
    """One pass over one tree; collects problems."""

    free_keys = False
    wrapped = False
    """The configuration stands in the wrapper."""
    dropped = 0
    """Keys so far that OpenClaude drops."""
    strange = 0
    """Words so far that are none of those that may stand there."""
    event = ""
    """The event of the rule whose condition is looked at."""

    # ------------------------------------------------------------------ the levels

    def file(self, tree: Tree) -> ChainFile:
        if tree.root is None:
            return ChainFile.empty()
        root = self.object_of(tree.root)
        if root is None:
            return ChainFile.empty()
        entries = root.effective()
        wrapper = entries.get(WRAPPER)
        if wrapper is None:
            return self.config(root, entries)
        self.validate(keys.WrappedKeys, root, entries, skip=(WRAPPER,))
        inner = self.object_of(wrapper.value, wrapper, fields_of(keys.WrappedKeys)[WRAPPER])
        if inner is None:
            return ChainFile.empty()
        self.wrapped = True
        return self.config(inner, inner.effective())

    def config(self, node: Mapping, entries: dict[str, Entry]) -> ChainFile:
        anchor = first_key(node)
        bad, _ = self.validate(keys.ConfigKeys, node, entries, skip=("rules",))

        def field(name: str, builtin: object) -> Value:
            return self.with_default(self.value(name, entries.get(name), anchor, bad), builtin)

        cooldown = field("defaultCooldownMs", words.DEFAULT_WINDOW_MS)
        window = field("defaultDedupWindowMs", words.DEFAULT_WINDOW_MS)
        rules: list[ChainRule] = []
        for item in self.list_of(entries.get("rules"), fields_of(keys.ConfigKeys)["rules"]):
            rule = self.object_of(item)
            if rule is not None:
                rules.append(self.rule(rule, cooldown, window))
        return ChainFile(
            root=node,
            wrapped=self.wrapped,
            version=field("version", 1),
            enabled=field("enabled", True),
            max_chain_depth=field("maxChainDepth", words.DEFAULT_DEPTH),
            default_cooldown_ms=cooldown,
            default_dedup_window_ms=window,
            rules=tuple(rules),
        )

    def rule(self, node: Mapping, cooldown: Value, window: Value) -> ChainRule:
        entries = node.effective()
        anchor = _anchor(node, entries, "id")
        bad, missing = self.validate(keys.RuleKeys, node, entries, skip=("trigger", "condition", "actions"))
        missing += [name for name in ("trigger", "actions") if name not in entries]
        if missing and node.complete():
            self.missing([name for name in fields_of(keys.RuleKeys) if name in missing], anchor)

        def own(name: str) -> Value:
            return self.value(name, entries.get(name), anchor, bad)

        event, outcomes, trigger_whole = self.trigger(entries.get("trigger"), anchor)
        condition, condition_bad = self.condition(entries.get("condition"), event)
        own_window = own("dedupWindowMs")
        effective_window = own_window if own_window.written else inherited(window, anchor)
        listed = entries.get("actions")
        actions: list[ChainAction] = []
        for index, item in enumerate(self.list_of(listed, fields_of(keys.RuleKeys)["actions"], least=1)):
            action = self.object_of(item)
            if action is not None:
                actions.append(self.action(action, index, own_window if own_window.written else window))
        actions_whole = listed is None or not is_broken(listed.value)
        own_cooldown = own("cooldownMs")
        return ChainRule(
            span=node.span,
            anchor=anchor,
            node=node,
            id=own("id"),
            enabled=self.with_default(own("enabled"), True),
            event=event,
            outcomes=outcomes,
            condition=condition,
            condition_bad=condition_bad,
            cooldown_ms=own_cooldown if own_cooldown.written else inherited(cooldown, anchor),
            dedup_window_ms=effective_window,
            max_depth=own("maxDepth"),
            actions=tuple(actions),
            broken=not (node.complete() and trigger_whole and actions_whole),
        )

    def trigger(self, entry: Entry | None, anchor: Span) -> tuple[Value, Value, bool]:
        """Return the event, the outcomes, and whether all of it could be read."""
        lost = Value(BAD, anchor, anchor, "default")
        if entry is None:
            return lost, lost, True
        if is_broken(entry.value) and not isinstance(entry.value, Mapping):
            return lost, lost, False
        node = self.object_of(entry.value, entry, fields_of(keys.RuleKeys)["trigger"])
        if node is None:
            return lost, lost, True
        entries = node.effective()
        place = entry.key_span if not node.entries else first_key(node)
        bad, missing = self.validate(keys.TriggerKeys, node, entries)
        if missing and node.complete():
            self.missing(missing, place)
        event = self.value("event", entries.get("event"), place, bad)
        if event.origin == "default":
            event = replace(event, value=BAD)
        one, several = entries.get("outcome"), entries.get("outcomes")
        if one is not None and several is not None:
            if not bad & {"outcome", "outcomes"}:
                self.conflict(node, one, several)
            return event, Value(BAD, several.value.span, several.value.span), node.complete()
        name = "outcome" if one is not None else "outcomes"
        outcomes = self.value(name, one or several, place, bad)
        return event, outcomes, node.complete()

    def conflict(self, node: Mapping, one: Entry, several: Entry) -> None:
        """Report `outcome` and `outcomes` together; offer to keep one of them, or both in one."""
        first, others = value_of(one.value), value_of(several.value)
        fixes = []
        if isinstance(others, list) and first not in others:
            merged = json.dumps([first, *others], ensure_ascii=False)
            edits = (removal(node, one), Edit(several.value.span, merged))
            fixes.append(Fix(MERGE_OUTCOMES.format(text=merged), edits, safe=False))
        fixes.append(Fix(KEEP.format(name="outcomes"), (removal(node, one),), safe=others == [first]))
        fixes.append(Fix(KEEP.format(name="outcome"), (removal(node, several),), safe=False))
        self.problem(CONFLICT, several.key_span, BOTH_OUTCOMES, tuple(fixes))
        note = Related(one.key_span, FIRST_OUTCOME)
        self.problems[-1] = replace(self.problems[-1], related=(note,))

    def condition(self, entry: Entry | None, event: Value) -> tuple[ChainCondition | None, bool]:
        """Return the condition, and whether it has a fault."""
        if entry is None:
            return None, False
        node = self.object_of(entry.value, entry, fields_of(keys.RuleKeys)["condition"])
        if node is None:
            return None, True
        entries = node.effective()
        place = entry.key_span
        self.event = event.text()
        bad, _ = self.validate(keys.ConditionKeys, node, entries, skip=("eventFieldEquals",))
        self.event = ""

        def field(name: str) -> Value:
            return self.value(name, entries.get(name), place, bad)

        pairs, pairs_bad = self.pairs(entries.get("eventFieldEquals"))
        return (
            ChainCondition(
                span=entry.value.span,
                node=node,
                tool_names=field("toolNames"),
                task_statuses=field("taskStatuses"),
                error_includes=field("errorIncludes"),
                event_field_equals=pairs,
                broken=not node.complete(),
            ),
            bool(bad) or pairs_bad or is_broken(node),
        )

    def pairs(self, entry: Entry | None) -> tuple[tuple[tuple[Value, Value], ...], bool]:
        """Return the dot paths with their values, and whether one has a fault."""
        if entry is None:
            return (), False
        node = self.object_of(entry.value, entry, fields_of(keys.ConditionKeys)["eventFieldEquals"])
        if node is None:
            return (), True
        found = []
        faulty = node.broken
        for name, pair in node.effective().items():
            value = self.value(name, pair, pair.key_span, set())
            path = Value(name, pair.key_span, pair.key_span, "written", pair.key_span, items=())
            inner = pair.value
            if is_broken(inner):
                value = replace(value, value=BAD, items=())
            elif isinstance(inner, Scalar) and inner.value in (INFINITE, -INFINITE):
                self.problem(SHAPE, inner.span, TOO_GREAT)
                value = replace(value, value=BAD, items=())
            elif not isinstance(inner, Scalar) or inner.value is None:
                self.problem(SHAPE, inner.span, PAIR_VALUE.format(name=shown(name), found=found_words(_known(inner))))
                value = replace(value, value=BAD, items=())
            faulty = faulty or value.bad
            found.append((path, value))
        return tuple(found), faulty

    def action(self, node: Mapping, index: int, window: Value) -> ChainAction:
        """Return one action. Of an unknown type nothing more is known, so nothing more is said."""
        entries = node.effective()
        anchor = _anchor(node, entries, "id", "type")
        type_entry = entries.get("type")
        name = type_entry.value.value if type_entry and isinstance(type_entry.value, Scalar) else None
        model = keys.ACTIONS.get(name) if isinstance(name, str) else None
        if model is not None:
            bad, _ = self.validate(model, node, entries)
        else:
            bad = set(entries)
            if type_entry is not None:
                only = {"type": type_entry}
                self.validate(keys.ActionKeys, node, only)
            elif node.complete():
                self.missing(["type"], anchor)

        def own(key: str) -> Value:
            entry = entries.get(key)
            return self.value(key, entry if model is None or key in fields_of(model) else None, anchor, bad)

        own_window = own("dedupWindowMs")
        return ChainAction(
            span=node.span,
            anchor=anchor,
            node=node,
            index=index,
            type=own("type"),
            id=own("id"),
            enabled=self.with_default(own("enabled"), True),
            dedup_window_ms=own_window if own_window.written else inherited(window, anchor),
            description=own("description"),
            prompt_template=own("promptTemplate"),
            agent_type=own("agentType"),
            model=own("model"),
            team_name=own("teamName"),
            recipients=own("recipients"),
            summary=own("summary"),
            message_template=own("messageTemplate"),
            create_default_environment_if_missing=own("createDefaultEnvironmentIfMissing"),
            broken=not node.complete(),
        )

    # ------------------------------------------------------------------ mappings and lists

    def object_of(self, node: Node, entry: Entry | None = None, field: FieldDoc | None = None) -> Mapping | None:
        """Return the mapping, or report that something else stands there; nothing is said of what could not be read."""
        if isinstance(node, Mapping):
            return node
        if is_broken(node):
            return None
        if entry is not None and field is not None:
            self.wrong_kind(node, field, SHAPE, entry.key_span)
        else:
            self.problem(SHAPE, node.span, NOT_OBJECT.format(found=found_words(_known(node))))
        return None

    def list_of(self, entry: Entry | None, field: FieldDoc, least: int = 0) -> list[Node]:
        """Return the items of a list of mappings; report what is no list, or too short a one."""
        if entry is None:
            return []
        node = entry.value
        if isinstance(node, Sequence):
            if len(node.items) < least and not node.broken:
                self.problem(SHAPE, node.span, TOO_FEW.format(name=field.name))
            # Keys in a list, or one cut off: what is no mapping belongs to that.
            return [item for item in node.items if isinstance(item, Mapping)] if node.broken else node.items
        if is_broken(node):
            return []
        if isinstance(node, Scalar) and node.value is None:
            self.problem(SHAPE, node.span, NO_VALUE.format(name=field.name, kind=wanted(field)))
            return []
        message = NOT_LIST.format(name=field.name, found=found_words(_known(node)))
        fixes: tuple[Fix, ...] = ()
        if isinstance(node, Mapping):
            start, end = node.span
            fixes = (Fix(DO_LIST, (Edit(Span(start, start), "["), Edit(Span(end, end), "]"))),)
        self.problem(SHAPE, node.span, message, fixes)
        return []

    # ------------------------------------------------------------------ what hook chains say differently

    def problem(
        self, code: str, span: Span, message: Text, fixes: tuple[Fix, ...] = (), *, minor: bool = False
    ) -> None:
        super().problem(code, span, fatal(message) if code in FATAL else message, fixes, minor=minor)

    def is_free(self, name: str) -> bool:
        return name == SCHEMA_KEY

    def data_of(self, node: Node) -> object:
        return as_javascript(value_of(node))

    def value(self, name: str, entry: Entry | None, anchor: Span, bad: set[str]) -> Value:
        value = super().value(name, entry, anchor, bad)
        if isinstance(value.value, float):
            number = as_javascript(value.value)
            return replace(value, value=number, items=tuple(replace(item, value=number) for item in value.items))
        return value

    def change(self, span: Span, text: str, *, safe: bool) -> Fix:
        plain = text in ("true", "false") or re.fullmatch(r"-?[0-9]+", text) is not None
        new = text if plain else json.dumps(text, ensure_ascii=False)
        return Fix(DO_CHANGE.format(text=new), (Edit(span, new),), safe)

    def wrong_word(
        self, place: Span, whole: Span, field: FieldDoc, found: str, code: str, *, editable: bool = True
    ) -> None:
        if not found.strip():
            self.problem(code, place, EMPTY_TEXT.format(name=field.name))
            return
        if field.name == "version":
            quoted = found.strip() == "1"
            message = VERSION_QUOTED if quoted else WRONG_WORD.format(name="version", kind="`1`", found=shown(found))
            self.problem(code, place, message, (self.change(whole, "1", safe=quoted),))
            return
        known = field.values
        self.strange += 1
        # Of more than these only the number is shown: what was meant need not be guessed.
        near = nearest_name(found, known) if self.strange <= MAX_OF_A_KIND else None
        slip = words.WORD_SLIPS.get(folded(found))
        sure = near is not None and (folded(near) == folded(found) or is_sure(found, near, known))
        if near is None and slip in known:
            near = slip
        fixes = [self.change(whole, near, safe=sure)] if near else []
        if len(known) <= MAX_CHOICES:
            fixes += [self.change(whole, word, safe=False) for word in known if word != near]
            message = WRONG_WORD.format(name=field.name, kind=choices(known), found=shown(found))
        else:
            hint = DID_YOU_MEAN.format(near=near) if near else NO_HINT
            message = NO_SUCH_WORD.format(name=field.name, kind=wanted(field), found=shown(found), hint=hint)
        self.problem(code, place, message, tuple(fixes))

    def shape_error(self, detail: ErrorDetails, entry: Entry, field: FieldDoc) -> None:
        node, loc = entry.value, detail["loc"]
        if isinstance(node, Sequence) and len(loc) > 1 and isinstance(loc[1], int):
            item = node.items[loc[1]]
            if not isinstance(item, Scalar) or not isinstance(item.value, str):
                self.item_fault(item, field)
                return
            if detail["type"] == "string_too_short":
                self.problem(SHAPE, item.span, EMPTY_ITEM.format(name=field.name))
                return
        super().shape_error(detail, entry, field)

    def item_fault(self, item: Node, field: FieldDoc) -> None:
        """Report an entry of a list of texts that is none."""
        fixes: tuple[Fix, ...] = ()
        if isinstance(item, Scalar) and item.value is not None:
            quoted = json.dumps(item.raw)
            fixes = (Fix(DO_QUOTE.format(text=quoted), (Edit(item.span, quoted),), safe=not field.values),)
        self.problem(SHAPE, item.span, ITEM_KIND.format(name=field.name, found=found_words(_known(item))), fixes)

    def special_fault(
        self, detail: ErrorDetails, entry: Entry, node: Node, found: Scalar | Mapping | Sequence | Alias, code: str
    ) -> bool:
        name = str(detail["loc"][0])
        if isinstance(found, Scalar) and isinstance(found.value, float):
            field = _DEPTHS_AND_WINDOWS.get(name)
            if field is None:
                return False
            message = WHOLE_NUMBER if abs(found.value) != INFINITE else OUT_OF_RANGE
            self.problem(code, found.span, message.format(name=name, kind=wanted(field)))
            return True
        if name == "outcome" and isinstance(found, Sequence):
            field = fields_of(keys.TriggerKeys)[name]
            message = WRONG_KIND.format(name=name, kind=wanted(field), found=found_words(found))
            edit = Edit(entry.key_span, '"outcomes"')
            self.problem(code, found.span, message, (Fix(DO_RENAME.format(text="outcomes"), (edit,), safe=False),))
            return True
        return False

    def mend_kind(
        self, found: Scalar, field: FieldDoc, source: str, span: Span, place: Span, code: str
    ) -> tuple[Text | None, list[Fix]] | None:
        if field.name == "version":
            self.wrong_word(place, span, field, source, code)
            return None
        text = found.value if isinstance(found.value, str) else None
        if field.name in _DEPTHS_AND_WINDOWS:
            number, exact = _milliseconds(text or "", field.name.endswith("Ms"))
            return None, [self.change(span, number, safe=exact)] if number else []
        if field.is_list:
            listed = f"[{json.dumps(found.raw, ensure_ascii=False)}]"
            return None, [Fix(DO_CHANGE.format(text=shown(listed)), (Edit(span, listed),))]
        if field.name == "trigger" and text in words.EVENTS:
            mended = f'{{"event": "{text}"}}'
            return None, [Fix(DO_CHANGE.format(text=mended), (Edit(span, mended),))]
        if not field.models and not field.values and text is None and field.name != "eventFieldEquals":
            quoted = json.dumps(source)
            return None, [Fix(DO_QUOTE.format(text=quoted), (Edit(span, quoted),))]
        return None, []

    # ------------------------------------------------------------------ keys that OpenClaude drops

    def unknown_key(self, name: str, entry: Entry, model: type[Shape], siblings: Iterable[str]) -> None:
        """Report a key that OpenClaude drops, what was probably meant, and what the rule does without it."""
        self.dropped += 1
        if self.dropped > MAX_OF_A_KIND:
            # Only the number of these is shown: what was meant need not be guessed.
            self.problem("unknown-field", entry.key_span, UNKNOWN.format(name=shown(name)), minor=True)
            return
        own = [*fields_of(model), *((WRAPPER,) if model is keys.ConfigKeys and not self.wrapped else ())]
        found = _guess(name, own)
        fixes: tuple[Fix, ...] = ()
        # The mapping itself where there is one: to copy it for each of its keys would take the square of its size.
        present: Collection[str] = siblings if isinstance(siblings, dict) else set(siblings)
        if found is not None:
            near, sure = found
            message = UNKNOWN_NEAR.format(name=shown(name), near=near)
            edits = [Edit(entry.key_span, f'"{near}"')]
            number = _converted(name, near, entry.value)
            if number is not None:
                message = UNKNOWN_UNIT.format(name=shown(name), near=near, number=number)
                edits.append(Edit(entry.value.span, number))
            rename = Fix(DO_RENAME.format(text=near), tuple(edits), safe=sure)
            fixes = (rename,) if near not in present else ()
        else:
            near, place, exact = _elsewhere(name, model)
            message = UNKNOWN.format(name=shown(name))
            if near and exact:
                message = MISPLACED.format(name=shown(name), place=place)
                fixes = self.wrapped_in_place(entry, near, model, present)
            elif near:
                message = UNKNOWN_ELSEWHERE.format(name=shown(name), near=near, place=place)
        self.problem(
            "unknown-field", entry.key_span, _then(message, self.effect(near, model, present)), fixes, minor=not near
        )

    def effect(self, near: str, model: type[Shape], siblings: Collection[str]) -> Text:
        """Say what OpenClaude does with the rule when a key is dropped."""
        parts = fields_of(keys.ConditionKeys)
        if model is keys.ConditionKeys:
            if any(part in siblings for part in parts):
                return THEN_UNCHECKED
            return THEN_EVERY.format(event=f"`{self.event}`") if self.event in words.EVENTS else THEN_ALWAYS
        if near in parts or near == "condition":
            return THEN_ALWAYS
        if near in (WRAPPER, "rules"):
            return THEN_NO_RULES
        return THEN_DEFAULT if near.endswith(("Ms", "Depth")) else THEN_DROPPED

    def wrapped_in_place(
        self, entry: Entry, name: str, model: type[Shape], siblings: Collection[str]
    ) -> tuple[Fix, ...]:
        """Offer to put a part of a condition or a trigger, written in the rule itself, where it belongs."""
        if model is not keys.RuleKeys or is_broken(entry.value):
            return ()
        parts = {"condition": fields_of(keys.ConditionKeys), "trigger": fields_of(keys.TriggerKeys)}
        for outer, inner in parts.items():
            if name in inner and outer not in siblings and sum(part in siblings for part in inner) == 1:
                start, end = entry.key_span.start, entry.value.span.end
                edits = (Edit(Span(start, start), f'"{outer}": {{'), Edit(Span(end, end), "}"))
                return (Fix(DO_MOVE.format(outer=outer), edits, safe=False),)
        return ()


def inherited(value: Value, anchor: Span) -> Value:
    """Return a value of the file or of the rule as it counts for what is inside: reported there, pointing at where it is written."""
    if value.origin == "default":
        return Value(value.value, anchor, anchor, "default")
    return Value(value.value, value.span, anchor, "inherited", value.key, value.node, value.items)


def fatal(message: Text) -> Text:
    """Add to a message that the whole file is refused."""
    return _then(message, ALL_OFF)


def folded(name: str) -> str:
    """Return a name as it is compared with others: without regard to case, `_`, `-` and `.`."""
    return re.sub(r"[-_.\s]", "", name).lower()


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is spelled in another way, else the nearest."""
    known = list(known)
    same = next((other for other in known if folded(other) == folded(name)), None)
    return same or nearest(name, known, 1 if len(name) <= 4 else 2)


def _guess(name: str, own: list[str]) -> tuple[str, bool] | None:
    """Return the key of this mapping that is probably meant, and whether that is sure; None where it is none of them."""
    for other in own:
        if folded(other) == folded(name):
            return other, True
        if other.endswith("Ms") and _unit_of(name, other) is not None:
            return other, False
    for table in (words.SLIPS, words.COUNTERPARTS):
        if table.get(name) in own:
            return table[name], False
    if name in _OWNERS:
        return None
    near = nearest(name, own, 1 if len(name) <= 4 else 2)
    return None if near is None else (near, is_sure(name, near, own))


def _elsewhere(name: str, model: type[Shape]) -> tuple[str, Text, bool]:
    """Return the key of another mapping that is probably meant (empty: none), where it belongs, and whether it is that very name."""
    if model is keys.WrappedKeys and name in fields_of(keys.ConfigKeys):
        return name, INSIDE_WRAPPER, True
    if name in _OWNERS:
        return name, _OWNERS[name], True
    if model is keys.WrappedKeys or len(name) < 4:
        return "", NO_HINT, False
    near = words.SLIPS.get(name) or nearest_name(name, _OWNERS)
    return (near, _OWNERS[near], False) if near else ("", NO_HINT, False)


def _unit_of(name: str, key: str) -> int | None:
    """Return how many milliseconds the unit is that a name gives to a key in milliseconds; 0 where it names none; None: another key."""
    name, stem = folded(name), folded(key)[:-2]
    if not name.startswith(stem):
        return None
    rest = name[len(stem) :]
    return 0 if not rest else words.UNIT_MS.get(rest)


def _converted(name: str, near: str, node: Node) -> str | None:
    """Return a value in milliseconds where the name gives it another unit; None where it stays or cannot be known."""
    factor = _unit_of(name, near) if near.endswith("Ms") else None
    if not factor or factor == 1 or not isinstance(node, Scalar) or isinstance(node.value, bool):
        return None
    if not isinstance(node.value, int | float) or not 0 <= node.value * factor <= words.DAY_MS:
        return None
    return str(round(node.value * factor))


def _milliseconds(text: str, window: bool) -> tuple[str | None, bool]:
    """Return the number that a text names, and whether it is nothing but that number in quotes."""
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*([a-z]*)\s*", text.lower())
    if match is None:
        return None, False
    if not match[2]:
        return str(int(match[1])), True
    factor = words.UNIT_MS.get(match[2]) if window else None
    return (str(int(match[1]) * factor), False) if factor else (None, False)


def as_javascript(value: object) -> object:
    """Return a value as JavaScript has it: `3e4` is the whole number 30000, and half a surrogate pair, which our models refuse, a mark."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, str):
        return value if value.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [as_javascript(item) for item in value]
    if isinstance(value, dict):
        return {name: as_javascript(item) for name, item in value.items()}
    return value


def _anchor(node: Mapping, entries: dict[str, Entry], *names: str) -> Span:
    """Return the place of the first of some keys' values that is there, else of the first key."""
    for name in names:
        entry = entries.get(name)
        if entry is not None and isinstance(entry.value, Scalar) and not entry.value.missing:
            return entry.value.span
    return first_key(node)


def _known(node: Node) -> Scalar | Mapping | Sequence | None:
    return None if isinstance(node, Alias) else node


def _then(message: Text, more: Text) -> Text:
    """Put a second half behind a message."""
    english = f"{message.en} {more.en}" if message.en.endswith("?") else f"{message.en}; {more.en}"
    return Text(english, f"{message.zh}{more.zh}" if message.zh.endswith("？") else f"{message.zh}；{more.zh}")


INFINITE = float("inf")
"""What JavaScript makes of a number that is too great for it."""

_DEPTHS_AND_WINDOWS = {
    name: field
    for model in (keys.ActionKeys, keys.RuleKeys, keys.ConfigKeys)
    for name, field in fields_of(model).items()
    if name.endswith(("Ms", "Depth"))
}

IN_CONDITION = Text("in `condition`", "`condition` 中")
IN_TRIGGER = Text("in `trigger`", "`trigger` 中")
IN_RULE = Text("in a rule", "规则中")
AT_TOP = Text("at the top of the file", "文件顶层")
INSIDE_WRAPPER = Text("inside of `hookChains`", "`hookChains` 里面")
IN_ACTION = Text("in an action `{type}`", "`{type}` 动作中")

_OWNERS: dict[str, Text] = {
    **{name: IN_ACTION.format(type=type_) for type_, model in keys.ACTIONS.items() for name in fields_of(model)},
    **dict.fromkeys(fields_of(keys.ConfigKeys), AT_TOP),
    **dict.fromkeys(fields_of(keys.RuleKeys), IN_RULE),
    **dict.fromkeys(fields_of(keys.TriggerKeys), IN_TRIGGER),
    **dict.fromkeys(fields_of(keys.ConditionKeys), IN_CONDITION),
}
"""Each key with the mapping that it belongs to."""

ALL_OFF = Text("OpenClaude then turns all rules of this file off", "OpenClaude 会因此停用该文件的全部规则")
THEN_EVERY = Text(
    "OpenClaude drops it without a word, and the rule fires on every {event}",
    "OpenClaude 会不作提示地丢弃它，规则会在每次 {event} 时触发",
)
THEN_ALWAYS = Text(
    "OpenClaude drops it without a word, and the rule fires without this condition",
    "OpenClaude 会不作提示地丢弃它，规则会在没有这个条件的情况下触发",
)
THEN_UNCHECKED = Text(
    "OpenClaude drops it without a word, and does not check this part of the condition",
    "OpenClaude 会不作提示地丢弃它，不再检查这部分条件",
)
THEN_NO_RULES = Text(
    "OpenClaude drops it without a word, and no rule in it is loaded",
    "OpenClaude 会不作提示地丢弃它，其中的规则都不会加载",
)
THEN_DEFAULT = Text(
    "OpenClaude drops it without a word, and the default counts", "OpenClaude 会不作提示地丢弃它，按默认值处理"
)
THEN_DROPPED = Text("OpenClaude drops it without a word", "OpenClaude 会不作提示地丢弃它")
NOT_OBJECT = Text("an object `{{…}}` belongs here, but this is {found}", "这里应当是对象 `{{…}}`，实际是{found}")
ITEM_KIND = Text(
    "every entry of `{name}` is a text, but this is {found}", "`{name}` 的每一项都应当是文本，实际是{found}"
)
EMPTY_ITEM = Text("an entry of `{name}` is empty", "`{name}` 中有一项是空的")
PAIR_VALUE = Text(
    "`{name}` is compared with a text, a number or `true`/`false`, but this is {found}",
    "`{name}` 只能与文本、数字或 `true`/`false` 比较，实际是{found}",
)
TOO_GREAT = Text("this number is too great for JavaScript", "这个数字超出了 JavaScript 的范围")
WHOLE_NUMBER = Text("`{name}` takes {kind}; this is a fraction", "`{name}` 应当是{kind}，这里是小数")
VERSION_QUOTED = Text("`version` is the number `1`, without quotes", "`version` 是数字 `1`，不加引号")
NO_SUCH_WORD = Text("`{name}` takes {kind}, and `{found}` is none{hint}", "`{name}` 应当是{kind}，`{found}` 不是{hint}")
DID_YOU_MEAN = Text("; did you mean `{near}`?", "；是否想写 `{near}`？")
NO_HINT = Text("", "")
BOTH_OUTCOMES = Text(
    "`outcomes` and `outcome` cannot stand together; keep one of them",
    "`outcomes` 与 `outcome` 不能同时使用；请只保留一个",
)
FIRST_OUTCOME = Text("the other one is here", "另一个在这里")
UNKNOWN_UNIT = Text(
    "`{name}` is not a key that may stand here; did you mean `{near}`, which counts milliseconds ({number})?",
    "`{name}` 不是这里可用的键；是否想写 `{near}`（单位毫秒，即 {number}）？",
)
UNKNOWN_ELSEWHERE = Text(
    "`{name}` is not a key that may stand here; did you mean `{near}`, which belongs {place}?",
    "`{name}` 不是这里可用的键；是否想写 `{near}`？它应当在{place}",
)
MISPLACED = Text("`{name}` does not belong here but {place}", "`{name}` 不该写在这里，应当在{place}")
KEEP = Text("Keep only `{name}`", "只保留 `{name}`")
MERGE_OUTCOMES = Text("Put both into `outcomes`: `{text}`", "合并到 `outcomes`：`{text}`")
DO_LIST = Text("Make it a list with one entry", "改为只有一项的列表")
DO_MOVE = Text("Move it into `{outer}`", "移到 `{outer}` 中")
