"""What can be said about a pattern without running it: text it needs, whether it can get slow, whether it can match at all.

Every function errs on the side that its docstring names. It works on the tree alone and knows no rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from rulewright.text.language import Text
from rulewright.text.pattern_tree import Alternate, Chars, Concat, Look, Node, Repeat
from rulewright.text.span import Span
from rulewright.text.unicode_classes import EVERYTHING, Ranges, common, complement, normal, size


class HasTree(Protocol):
    """A translated pattern."""

    @property
    def tree(self) -> Node:
        """The pattern's tree."""
        ...


# ---- text that every match contains ----------------------------------------------------------------------------------

_MOST_STRINGS: Final = 8  # alternatives kept while putting pieces together
_MOST_MEMBERS: Final = 4  # a set of more characters is not spelled out
_LONGEST: Final = 200  # characters of one string; longer ones are cut, a part is as sound as the whole

_Strings = frozenset[str]


@dataclass(slots=True)
class _Needs:
    """exact: every text that the node can cover, or None. sets: of each set, a match contains at least one string."""

    exact: _Strings | None
    sets: list[_Strings]


def required_literal(pattern: HasTree) -> str:
    """Return the longest text found that every match contains; empty if there is none.

    Sound: a text without it cannot match. Letters under `(?i)` do not count, they have several spellings.
    """
    best = ""
    for strings in _needs(pattern.tree).sets:
        candidate = _common_part(strings)
        if len(candidate) > len(best):
            best = candidate
    return best


def required_literals(pattern: HasTree) -> frozenset[str]:
    """Return the best set of which every match contains at least one text; empty if there is none.

    Best is long and few: `^git push .*(--force|-f)` gives `{"git push "}`, `--force|-f` gives both. Sound like
    `required_literal`; an empty set means that nothing can be ruled out. For a condition with `shell_regex` use
    `gate_literals`: normalisation adds and removes characters.
    """
    return max(_needs(pattern.tree).sets, key=_worth, default=frozenset())


# What stands in a shell word exactly as in the JSON of the event, up to the characters that the gate takes out.
_GATE_PLAIN: Final = frozenset(chr(code) for code in range(0x21, 0x7F)) - frozenset("'\"\\$")


def gate_literals(pattern: HasTree) -> frozenset[str]:
    """Return texts of which at least one is in the source of every shell line whose normalised commands match.

    They are pieces of words: printable ASCII without white space, quotes, backslash and `$`. Compare them with the raw
    bytes only through `hook.shell.may_contain`, which knows what else quoting can do. Empty: nothing can be ruled out.
    """
    best: _Strings = frozenset()
    for strings in _needs(pattern.tree).sets:
        pieces = frozenset(_longest_plain(text) for text in strings)
        if "" not in pieces and (not best or _worth(pieces) > _worth(best)):
            best = _without_longer(pieces)
    return best


def _longest_plain(text: str) -> str:
    pieces = "".join(char if char in _GATE_PLAIN else " " for char in text).split(" ")
    return max(pieces, key=len)


def _worth(strings: _Strings) -> float:
    return min((len(text) for text in strings), default=0) / (1 + len(strings))


def _without_longer(strings: Iterable[str]) -> _Strings:
    """Drop a text that contains another one of the set."""
    kept: list[str] = []
    for text in sorted(strings, key=lambda text: (len(text), text)):
        if not any(shorter in text for shorter in kept):
            kept.append(text)
    return frozenset(kept)


def _common_part(strings: _Strings) -> str:
    """Return the longest text that is in all of them, the first of several."""
    shortest = min(strings, key=lambda text: (len(text), text))
    others = strings - {shortest}
    for length in range(len(shortest), 0, -1):
        for start in range(len(shortest) - length + 1):
            part = shortest[start : start + length]
            if all(part in other for other in others):
                return part
    return ""


def _needs(node: Node, known: dict[int, _Needs] | None = None) -> _Needs:
    """Work out what the node needs; `known` keeps the answers of one run, repeated parts being asked for again."""
    known = {} if known is None else known
    needs = known.get(id(node))
    if needs is None:
        needs = known[id(node)] = _work_out(node, known)
    return needs


def _work_out(node: Node, known: dict[int, _Needs]) -> _Needs:
    if isinstance(node, Chars):
        if size(node.ranges) <= _MOST_MEMBERS:
            members = frozenset(chr(code) for first, last in node.ranges for code in range(first, last + 1))
            return _Needs(members, _as_sets(members))
        return _Needs(None, [])
    if isinstance(node, Look):
        return _Needs(frozenset(("",)), [])
    if isinstance(node, Concat):
        return _needs_of_sequence([part for item in node.items for part in _unrolled(item)], known)
    if isinstance(node, Alternate):
        return _needs_of_branches([_needs(item, known) for item in node.items])
    if node.high == 0:
        return _Needs(frozenset(("",)), [])
    if node.low == 0:
        inner = _needs(node.item, known)
        if node.high == 1 and inner.exact is not None and len(inner.exact) < _MOST_STRINGS:
            return _Needs(inner.exact | {""}, [])
        return _Needs(None, [])
    return _needs_of_sequence(_unrolled(node), known)


def _unrolled(node: Node) -> list[Node]:
    """Write a repeat that must happen as its copies; any other node is itself."""
    if not isinstance(node, Repeat) or node.low == 0:
        return [node]
    times = min(node.low, _MOST_STRINGS)
    # x{2,} is x x and then something that ends with x: the text behind it continues the last x.
    return [node.item] * times if node.high == times else [*[node.item] * times, _GAP, node.item]


_GAP: Final = Chars(Span(0, 0), EVERYTHING)


def _as_sets(strings: _Strings) -> list[_Strings]:
    return [_without_longer(strings)] if strings and "" not in strings else []


def _needs_of_sequence(items: list[Node], known: dict[int, _Needs]) -> _Needs:
    """Multiply neighbours out while they are few and exact; what is finished or cut off becomes a set of its own.

    A gap between two copies of a repeated item may also mean that the copies are the same one: both sides are needed,
    each for itself, so every run counts alone.
    """
    sets: list[_Strings] = []
    run: _Strings = frozenset(("",))
    exact = True
    for item in items:
        needs = _needs(item, known)
        sets.extend(needs.sets)
        if needs.exact is None:
            sets.extend(_as_sets(run))
            run, exact = frozenset(("",)), False
            continue
        if len(run) * len(needs.exact) > _MOST_STRINGS:
            sets.extend(_as_sets(run))
            run, exact = needs.exact, False
            continue
        product = frozenset(left + right for left in run for right in needs.exact)
        if any(len(text) > _LONGEST for text in product):
            sets.extend(_as_sets(run))
            run, exact = needs.exact, False
            continue
        run = product
        # A product with an optional part says less than what came before it.
        if len(product) > len(needs.exact):
            sets.extend(_as_sets(run))
    sets.extend(_as_sets(run))
    best = sorted(dict.fromkeys(sets), key=_worth, reverse=True)[:_MOST_STRINGS]
    single = max((one for one in sets if len(one) == 1), key=_worth, default=None)
    if single is not None and single not in best:
        best.append(single)
    return _Needs(run if exact else None, best)


def _needs_of_branches(branches: list[_Needs]) -> _Needs:
    exact: _Strings | None = frozenset()
    for branch in branches:
        exact = None if exact is None or branch.exact is None else exact | branch.exact
    if exact is not None and len(exact) > _MOST_STRINGS:
        exact = None
    together: set[str] = set()
    for branch in branches:
        if not branch.sets:
            return _Needs(exact, [])
        best: _Strings = max(branch.sets, key=_worth)
        together |= best
    if len(together) > 2 * _MOST_STRINGS:
        return _Needs(exact, [])
    return _Needs(exact, [_without_longer(together)])


# ---- what may follow -------------------------------------------------------------------------------------------------


def follow_chars(tree: Node, end: int) -> tuple[Ranges, Ranges] | None:
    """Return the set that the repeat ending at `end` repeats, and the set of characters that may follow the repeat.

    None if there is no such repeat, if it repeats more than one set of characters, or if a place without width other
    than the end of the text may follow it.
    """
    found: list[tuple[Ranges, Ranges] | None] = []

    def first(node: Node, after: Ranges | None) -> Ranges | None:
        """The characters that may come first in `node` and then `after`; None where a place without width may."""
        if isinstance(node, Chars):
            return node.ranges
        if isinstance(node, Look):
            return () if node.kind == "end_text" else None
        if isinstance(node, Concat):
            for item in reversed(node.items):
                after = first(item, after)
            return after
        if isinstance(node, Alternate):
            return _union(first(item, after) for item in node.items)
        if node.high == 0:
            return after
        inner = first(node.item, after)
        return inner if node.low else _union((inner, after))

    def walk(node: Node, after: Ranges | None) -> None:
        if isinstance(node, Concat):
            for item in reversed(node.items):
                walk(item, after)
                after = first(item, after)
        elif isinstance(node, Alternate):
            for item in node.items:
                walk(item, after)
        elif isinstance(node, Repeat):
            if node.span.end == end:
                known = isinstance(node.item, Chars) and after is not None
                found.append(
                    (node.item.ranges, after) if known and isinstance(node.item, Chars) and after is not None else None
                )
            inside = after if node.high in (0, 1) else _union((first(node.item, after), after))
            walk(node.item, inside)

    walk(tree, ())
    return found[0] if len(found) == 1 else None


def _union(sets: Iterable[Ranges | None]) -> Ranges | None:
    together: list[tuple[int, int]] = []
    for ranges in sets:
        if ranges is None:
            return None
        together.extend(ranges)
    return normal(together)


# ---- patterns that get slow ------------------------------------------------------------------------------------------

_MOST_POSITIONS: Final = 160  # of the automaton; a larger part of a pattern is not looked at
_MOST_STEPS: Final = 400_000  # of the two walkers together, about half a second; a pattern that needs more is let go
_LOOP_FROM: Final = 6  # a repeat of at least so many times counts as unlimited: its ways multiply all the same
_CHAIN_FROM: Final = 3  # so many loops over the same character in a row: time grows with the third power


def slow(pattern: HasTree) -> Span | None:
    """Return the part on which Python's matcher can take exponential (or at least cubic) time, or None.

    Found are repeats whose body can cover the same text in several ways (`(\\S+\\s*)+`, `("[^"]*"|[^|;&])*`, `(a|aa)+`)
    if what follows can fail, and three or more unlimited repeats of a shared character in a row (`.*.*.*x`). Patterns of
    quadratic time (`.*a.*b`) are not. Errs on the side of silence: very large patterns are not looked at.
    """
    try:
        found = _ambiguous(pattern.tree, False, _Budget(_MOST_STEPS))
    except _TooLarge:
        found = None
    return found if found is not None else _long_chain(pattern.tree)


class _Automaton:
    """The positions of a pattern and the steps between them, with the number of ways (1, or 2 for more than one)."""

    __slots__ = ("follow", "ranges")

    def __init__(self) -> None:
        self.ranges: list[Ranges] = []
        self.follow: list[dict[int, int]] = []


class _TooLarge(Exception):
    """The automaton would be too large to look at."""


@dataclass(slots=True)
class _Budget:
    steps: int

    def take(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise _TooLarge


@dataclass(slots=True)
class _Part:
    first: dict[int, int]
    last: dict[int, int]
    empty: int  # ways to match nothing; 0, 1, or 2 for more
    free_last: set[int]  # behind these the part ends without a place without width
    free_empty: bool


def _build(node: Node, automaton: _Automaton) -> _Part:
    if isinstance(node, Chars):
        if len(automaton.ranges) >= _MOST_POSITIONS:
            raise _TooLarge
        position = len(automaton.ranges)
        automaton.ranges.append(node.ranges)
        automaton.follow.append({})
        return _Part({position: 1}, {position: 1}, 0, {position}, False)
    if isinstance(node, Look):
        return _Part({}, {}, 1, set(), False)
    if isinstance(node, Concat):
        whole = _Part({}, {}, 1, set(), True)
        for item in node.items:
            whole = _join(whole, _build(item, automaton), automaton)
        return whole
    if isinstance(node, Alternate):
        parts = [_build(item, automaton) for item in node.items]
        return _Part(
            {position: ways for part in parts for position, ways in part.first.items()},
            {position: ways for part in parts for position, ways in part.last.items()},
            min(2, sum(part.empty for part in parts)),
            {position for part in parts for position in part.free_last},
            any(part.free_empty for part in parts),
        )
    if node.high == 0:
        return _Part({}, {}, 1, set(), True)
    if node.high is None or node.high >= _LOOP_FROM:
        part = _build(node.item, automaton)
        _connect(part.last, part.first, 1, automaton)
        if node.low == 0:
            part = _Part(part.first, part.last, min(2, part.empty + 1), part.free_last, True)
        return part
    whole = _Part({}, {}, 1, set(), True)
    for turn in range(node.high):
        copy = _build(node.item, automaton)
        if turn >= node.low:
            copy = _Part(copy.first, copy.last, min(2, copy.empty + 1), copy.free_last, True)
        whole = _join(whole, copy, automaton)
    return whole


def _join(left: _Part, right: _Part, automaton: _Automaton) -> _Part:
    _connect(left.last, right.first, 1, automaton)
    first = dict(left.first)
    if left.empty:
        for position, ways in right.first.items():
            first[position] = min(2, first.get(position, 0) + ways * left.empty)
    last = dict(right.last)
    if right.empty:
        for position, ways in left.last.items():
            last[position] = min(2, last.get(position, 0) + ways * right.empty)
    free_last = set(right.free_last)
    if right.free_empty:
        free_last |= left.free_last
    return _Part(first, last, min(2, left.empty * right.empty), free_last, left.free_empty and right.free_empty)


def _connect(last: dict[int, int], first: dict[int, int], ways: int, automaton: _Automaton) -> None:
    for source, source_ways in last.items():
        steps = automaton.follow[source]
        for target, target_ways in first.items():
            steps[target] = min(2, steps.get(target, 0) + ways * source_ways * target_ways)


def _ambiguous(node: Node, follow_fails: bool, budget: _Budget) -> Span | None:
    """Return the smallest repeat that is ambiguous by itself; `follow_fails`: what follows the node may fail."""
    if isinstance(node, Concat):
        for i, item in enumerate(node.items):
            fails = follow_fails or any(_can_fail(later) for later in node.items[i + 1 :])
            if (found := _ambiguous(item, fails, budget)) is not None:
                return found
    elif isinstance(node, Alternate):
        for item in node.items:
            if (found := _ambiguous(item, follow_fails, budget)) is not None:
                return found
    elif isinstance(node, Repeat):
        if (found := _ambiguous(node.item, follow_fails, budget)) is not None:
            return found
        if (node.high is None or node.high >= _LOOP_FROM) and _loop_is_ambiguous(node, follow_fails, budget):
            return node.span
    return None


def _can_fail(node: Node) -> bool:
    """Tell whether a node can fail to match at some place."""
    return isinstance(node, Look) or _needs_character(node, looks=True)


def _needs_character(node: Node, looks: bool = False) -> bool:
    """Tell whether a node cannot match nothing; with `looks`, a place without width counts as something."""
    if isinstance(node, Chars):
        return True
    if isinstance(node, Look):
        return looks
    if isinstance(node, Concat):
        return any(_needs_character(item, looks) for item in node.items)
    if isinstance(node, Alternate):
        return all(_needs_character(item, looks) for item in node.items)
    return node.low > 0 and _needs_character(node.item, looks)


def _loop_is_ambiguous(node: Repeat, follow_fails: bool, budget: _Budget) -> bool:
    """Tell whether some text leads from a position of the loop back to it in two ways.

    Two walkers start together and step on the same characters; if they can part (or take one step in two ways) and meet
    again at the start, each turn doubles the ways to cover the text. Source: Weber and Seidl 1991, EDA; Wuestholz et al.
    2017 for its use on matchers.
    """
    automaton = _Automaton()
    whole = _build(node, automaton)
    # Where nothing that follows can fail, the matcher is done as soon as one turn of the loop is over.
    done = set() if follow_fails else whole.free_last
    overlap: dict[tuple[int, int], bool] = {}

    def meets(a: int, b: int) -> bool:
        key = (a, b) if a <= b else (b, a)
        known = overlap.get(key)
        if known is None:
            known = overlap[key] = bool(common(automaton.ranges[a], automaton.ranges[b]))
        return known

    def steps(pair: tuple[int, int]) -> set[tuple[int, int]]:
        a, b = pair
        budget.take(1 + len(automaton.follow[a]) * len(automaton.follow[b]))
        return {
            (x, y) if x <= y else (y, x)
            for x in automaton.follow[a]
            for y in automaton.follow[b]
            if x not in done and y not in done and meets(x, y)
        }

    for start in range(len(automaton.ranges)):
        if not automaton.ranges[start] or start in done:
            continue
        reached = {(start, start)}
        queue = [(start, start)]
        edges: dict[tuple[int, int], set[tuple[int, int]]] = {}
        while queue:
            pair = queue.pop()
            targets = edges[pair] = steps(pair)
            for target in targets - reached:
                reached.add(target)
                queue.append(target)
        # Which of the reached pairs lead back to the start?
        backward: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for pair, targets in edges.items():
            for target in targets:
                backward.setdefault(target, []).append(pair)
        leading = {(start, start)}
        queue = [(start, start)]
        while queue:
            for pair in backward.get(queue.pop(), ()):
                if pair not in leading:
                    leading.add(pair)
                    queue.append(pair)
        if (start, start) not in backward or not any(pair in leading for pair in edges[(start, start)]):
            continue
        for a, b in leading & reached:
            if a != b:
                return True
            for position, ways in automaton.follow[a].items():
                if ways > 1 and (position, position) in leading:
                    return True
    return False


def _long_chain(tree: Node) -> Span | None:
    """Return the span of three or more unlimited repeats that can follow each other directly over one shared character."""
    best: list[Span] = []

    def visit(node: Node) -> None:
        if isinstance(node, Concat):
            chain(node.items)
            for item in node.items:
                visit(item)
        elif isinstance(node, Alternate):
            for item in node.items:
                visit(item)
        elif isinstance(node, Repeat):
            visit(node.item)

    def chain(items: tuple[Node, ...]) -> None:
        for start in range(len(items)):
            shared: Ranges = EVERYTHING
            loops = 0
            first: Span | None = None
            for i in range(start, len(items)):
                item = items[i]
                inside = _loop_set(item)
                if inside is not None and common(shared, inside):
                    shared = common(shared, inside)
                    loops += 1
                    first = first or item.span
                    if loops >= _CHAIN_FROM and any(_needs_character(later) for later in items[i + 1 :]):
                        best.append(Span(first.start, item.span.end))
                        return
                elif _needs_character(item):
                    break

    visit(tree)
    return best[0] if best else None


def _loop_set(node: Node) -> Ranges | None:
    """Return the set of an unlimited repeat of one set."""
    if isinstance(node, Repeat) and node.high is None and isinstance(node.item, Chars):
        return node.item.ranges
    return None


# ---- patterns that no normalised command matches ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unmatchable:
    """Why a `shell_regex` pattern does not find what its author means.

    span: the part that cannot be met. certain: no command at all can match; else only one with that text inside quotes.
    """

    span: Span
    reason: Text
    certain: bool


_SPACES: Final = Text(
    "words are joined by exactly one space, so two in a row never occur",
    "单词之间恰好只有一个空格，不会出现连续两个",
)
_EDGE_SPACE: Final = Text(
    "a command neither begins nor ends with a space",
    "命令的开头和结尾都没有空格",
)
_WHITE: Final = Text(
    "line breaks and tabs never occur: words are joined by one space, and white space inside quotes is shown as U+00A0",
    "不会出现换行和制表符：单词以一个空格相连，引号内的空白显示为 U+00A0",
)
_START: Final = Text("nothing can stand before the start of a command", "命令开头之前不可能有内容")
_END: Final = Text("nothing can stand behind the end of a command", "命令结尾之后不可能有内容")
_NEVER: Final = Text("no command can contain this", "任何命令都不可能包含它")
_OPERATOR: Final = Text(
    "`{text}` separates commands, and each command is searched alone; write one condition for each command",
    "`{text}` 用于分隔命令，而每条命令会单独匹配；请为每条命令写一个条件",
)
_REDIRECTION: Final = Text(
    "redirections such as `{text}` are removed before the search",
    "匹配之前会去掉 `{text}` 这类重定向",
)
_QUOTE: Final = Text(
    "quotes are removed before the search; write the words without them, and `\\x{a0}` for a space inside quotes",
    "匹配之前会去掉引号；请直接写单词，引号内的空格写作 `\\x{a0}`",
)

# Source: style.md section 5: white space inside words is shown as U+00A0, so of all white space only the space is left.
_SPACE: Final[Ranges] = ((0x20, 0x20),)
WHITE_SPACE: Final[Ranges] = normal(
    [(9, 13), (0x20, 0x20), (0x85, 0x85), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
     (0x205F, 0x205F), (0x3000, 0x3000)]
)  # fmt: skip
_IN_WORDS: Final = complement(WHITE_SPACE)

# Where a match can stand: behind nothing, a space or another character; and whether the end of the text is behind it.
_State = tuple[str, bool]
_STARTS: Final[frozenset[_State]] = frozenset({("start", False), ("space", False), ("word", False)})


def shell_unmatchable(pattern: HasTree) -> Unmatchable | None:
    """Return why a pattern of `shell_regex` matches no command, or only one with odd quoting; None if nothing is wrong.

    `certain` is a proof over all normalised commands (words without white space, joined by single spaces). The other
    kind is a guess about the author's intent: an operator between spaces, a redirection, a quote that every match needs.
    """
    if not _after(pattern.tree, _STARTS):
        span, reason = _culprit(pattern.tree, _STARTS)
        return Unmatchable(span, reason, True)
    return _mistaken(pattern.tree)


def _after(node: Node, states: frozenset[_State]) -> frozenset[_State]:
    """Return the states in which the node can leave a matcher that enters it in one of `states`."""
    if isinstance(node, Chars):
        found: set[_State] = set()
        for before, ended in states:
            if ended:
                continue
            if before == "word" and common(node.ranges, _SPACE):
                found.add(("space", False))
            if common(node.ranges, _IN_WORDS):
                found.add(("word", False))
        return frozenset(found)
    if isinstance(node, Look):
        if node.kind in ("begin_text", "begin_line"):
            return frozenset(state for state in states if state[0] == "start")
        if node.kind in ("end_text", "end_line"):
            return frozenset((before, True) for before, _ in states if before != "space")
        return states
    if isinstance(node, Concat):
        for item in node.items:
            states = _after(item, states)
        return states
    if isinstance(node, Alternate):
        return frozenset(state for item in node.items for state in _after(item, states))
    for _ in range(min(node.low, 8)):
        states = _after(node.item, states)
    if node.high is not None and node.high <= node.low:
        return states
    reached = states
    while states:
        states = _after(node.item, states) - reached
        reached |= states
    return reached


def _culprit(node: Node, states: frozenset[_State]) -> tuple[Span, Text]:
    """Return the part at which no state is left, and why."""
    if isinstance(node, Concat):
        before: Node | None = None
        for item in node.items:
            left = _after(item, states)
            if not left:
                span, reason = _culprit(item, states)
                if reason in (_SPACES, _EDGE_SPACE) and before is not None and before.span.end == span.start:
                    span = Span(before.span.start, span.end)
                return span, reason
            states, before = left, item
    if isinstance(node, Alternate):
        return node.span, _culprit(node.items[0], states)[1]
    if isinstance(node, Repeat):
        for _ in range(min(node.low, 8)):
            left = _after(node.item, states)
            if not left:
                span, reason = _culprit(node.item, states)
                return Span(span.start, node.span.end), reason
            states = left
    if isinstance(node, Look):
        if node.kind in ("begin_text", "begin_line"):
            return node.span, _START
        return node.span, _EDGE_SPACE
    if isinstance(node, Chars):
        if all(ended for _, ended in states):
            return node.span, _END
        if node.ranges == _SPACE:
            return node.span, _SPACES if any(before == "space" for before, _ in states) else _EDGE_SPACE
        if node.ranges and not common(node.ranges, _IN_WORDS):
            only_space = common(node.ranges, _SPACE)
            return node.span, _SPACES if only_space else _WHITE
    return node.span, _NEVER


_OPERATORS: Final = ("&&", "||", ";", "|", "&")


def _mistaken(node: Node) -> Unmatchable | None:
    if isinstance(node, Alternate):
        found = [_mistaken(item) for item in node.items]
        return found[0] if all(one is not None for one in found) else None
    if isinstance(node, Repeat):
        return _mistaken(node.item) if node.low else None
    if isinstance(node, Chars):
        return _mistaken_run((node,))
    if isinstance(node, Concat):
        run: list[Chars] = []
        for item in (*node.items, None):
            if isinstance(item, Chars) and item.single():
                run.append(item)
                continue
            if run and (found_in_run := _mistaken_run(tuple(run))) is not None:
                return found_in_run
            run = []
            if item is not None and not isinstance(item, Chars) and (inner := _mistaken(item)) is not None:
                return inner
    return None


def _mistaken_run(run: tuple[Chars, ...]) -> Unmatchable | None:
    """Look at characters that stand in this order in every match."""
    text = "".join(item.single() for item in run)
    for operator in _OPERATORS:
        at = text.find(f" {operator} ")
        if at >= 0:
            span = Span(run[at + 1].span.start, run[at + len(operator)].span.end)
            return Unmatchable(span, _OPERATOR.format(text=operator), False)
    # `find -exec … ;` ends in a word `;`, so one at the end behind a space is fine.
    for operator in ("&&", "||", ";"):
        at = text.find(operator)
        if at >= 0 and (at + len(operator) < len(text) or text[at - 1 : at] != " "):
            span = Span(run[at].span.start, run[at + len(operator) - 1].span.end)
            return Unmatchable(span, _OPERATOR.format(text=operator), False)
    for quote in "\"'":
        at = text.find(quote)
        if at >= 0:
            return Unmatchable(run[at].span, _QUOTE, False)
    for redirection in ("2>", " >>", " > ", " < ", " &>"):
        at = text.find(redirection)
        if at >= 0:
            first = at + (redirection[0] == " ")
            last = at + len(redirection.rstrip()) - 1
            span = Span(run[first].span.start, run[last].span.end)
            return Unmatchable(span, _REDIRECTION.format(text=redirection.strip()), False)
    return None
