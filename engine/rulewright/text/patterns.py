"""RE2 patterns: read as Go's `regexp` reads them, written again for Python's `re`, or refused with a reason.

`translate` never lets Python read a pattern its own way: it parses the whole pattern and writes a new one from the tree.
What the pattern is used for is search; captures are dropped. The facts that checks and the compiler want to know about a
pattern (`required_literal`, `slow`, `shell_unmatchable` and so on) are worked out in `pattern_facts`.

Source of the syntax: RE2 and Go `regexp/syntax` (Perl flags). Where the two differ Go counts, STYLE being a Go program:
`\\C` is refused, a group name is made of ASCII letters, digits and `_`, a repeat count with too many digits is an error.
Names in `\\p{...}` are those that every version of both knows (Go 1.25 takes more spellings).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from rulewright.text.language import Text
from rulewright.text.pattern_facts import (
    Unmatchable,
    follow_chars,
    gate_literals,
    required_literal,
    required_literals,
    shell_unmatchable,
    slow,
)
from rulewright.text.pattern_tree import Alternate, Chars, Concat, Look, LookKind, Node, Repeat
from rulewright.text.span import Span
from rulewright.text.spelling import nearest
from rulewright.text.unicode_classes import (
    EVERYTHING,
    MAX_CODE_POINT,
    Ranges,
    class_names,
    common,
    complement,
    folded,
    named_class,
    normal,
)

__all__ = [
    "PatternError",
    "Translated",
    "Unmatchable",
    "gate_literals",
    "required_literal",
    "required_literals",
    "shell_unmatchable",
    "slow",
    "translate",
]

# Source: Go regexp/syntax parse.go, maxRepeat (also of nested repeats together), maxSize.
_MAX_REPEAT: Final = 1000
_MAX_SIZE: Final = (128 << 20) // 40
# Ours: `re` parses recursively with four frames a level, and the limit of the interpreter is 1000 frames. Go allows 1000.
_MAX_NESTING: Final = 120


@dataclass(frozen=True, slots=True, eq=False)
class Translated:
    """A pattern that RE2 accepts.

    source: the pattern as written. ignore_case: read as if it began with `(?i)`.
    python: for `re.compile(python)` without flags and `.search` on a str; matches exactly where RE2 does.
    tree: the pattern as a tree, spans in `source`.
    """

    source: str
    ignore_case: bool
    python: str
    tree: Node


@dataclass(frozen=True, slots=True)
class PatternError:
    """Why RE2 (or Rulewright) refuses a pattern.

    span: the construct at fault, offsets in the pattern; never empty unless the pattern ends too early.
    construct: a stable key such as `negative-lookahead`.
    message: names the construct and says what is wrong. hint: what to write instead, where there is something.
    replacement: the whole pattern with this fault (and others of its kind) rewritten; RE2 accepts it.
    exact: the replacement matches what the author's engine would have matched; else it may match more, or the engines
        that know the construct do not agree about it.
    """

    span: Span
    construct: str
    message: Text
    hint: Text | None = None
    replacement: str | None = None
    exact: bool = False


def translate(pattern: str, ignore_case: bool = False) -> Translated | PatternError:
    """Read a pattern as RE2 does and write it for Python.

    Args:
        pattern: the text that the author wrote, after YAML. ignore_case: as if the pattern began with `(?i)`.
    Source: style.md section 5 [R].
    """
    try:
        tree = _Parser(pattern, ignore_case).parse()
    except _Refused as refused:
        return _with_replacement(pattern, ignore_case, refused)
    return Translated(pattern, ignore_case, _write(tree, 0), tree)


# ---- the texts -------------------------------------------------------------------------------------------------------

_NOT_RE2 = Text("RE2 has no {name} (`{text}`)", "RE2 不支持{name}（`{text}`）")
_INSTEAD_SECOND_CONDITION = Text(
    "Write what must not be there as a second condition with `negate: true`.",
    "把不允许出现的内容写成第二个条件，并加上 `negate: true`。",
)
_INSTEAD_MATCH_MORE = Text(
    "Match the neighbouring text itself: only whether the pattern is found counts, not what it covers.",
    "直接把相邻文字写进模式即可：规则只看是否匹配，不看匹配到哪里。",
)
_INSTEAD_SPELL_OUT = Text(
    "Spell the alternatives out, or split the pattern into several conditions.",
    "把可能的写法逐一列出，或拆成多个条件。",
)
_INSTEAD_WRITE = Text("Write `{text}`.", "请写成 `{text}`。")
_INSTEAD_REMOVE = Text("Remove it.", "请删除它。")
_INSTEAD_ESCAPE = Text("Write `{text}` for the character itself.", "如果要表示这个字符本身，请写 `{text}`。")


@dataclass(frozen=True, slots=True)
class _Construct:
    key: str
    name: Text
    hint: Text | None = None


# What stands behind `(?`, the longest first.
_GROUPS: Final[tuple[tuple[str, _Construct], ...]] = (
    ("(?<=", _Construct("lookbehind", Text("lookbehind", "后行断言（lookbehind）"), _INSTEAD_MATCH_MORE)),
    (
        "(?<!",
        _Construct(
            "negative-lookbehind",
            Text("negative lookbehind", "否定后行断言（negative lookbehind）"),
            _INSTEAD_SECOND_CONDITION,
        ),
    ),
    ("(?=", _Construct("lookahead", Text("lookahead", "先行断言（lookahead）"), _INSTEAD_MATCH_MORE)),
    (
        "(?!",
        _Construct(
            "negative-lookahead",
            Text("negative lookahead", "否定先行断言（negative lookahead）"),
            _INSTEAD_SECOND_CONDITION,
        ),
    ),
    ("(?>", _Construct("atomic-group", Text("atomic groups", "原子组（atomic group）"))),
    ("(?#", _Construct("comment", Text("comments in patterns", "模式内注释"), _INSTEAD_REMOVE)),
    ("(?(", _Construct("conditional", Text("conditional groups", "条件分组"), _INSTEAD_SPELL_OUT)),
    ("(?|", _Construct("branch-reset", Text("branch reset groups", "分支重置组"), _INSTEAD_WRITE.format(text="(?:"))),
    ("(?P=", _Construct("backreference", Text("backreferences", "反向引用"), _INSTEAD_SPELL_OUT)),
    ("(?P>", _Construct("recursion", Text("recursion", "递归"), _INSTEAD_SPELL_OUT)),
    ("(?&", _Construct("recursion", Text("recursion", "递归"), _INSTEAD_SPELL_OUT)),
    ("(?R", _Construct("recursion", Text("recursion", "递归"), _INSTEAD_SPELL_OUT)),
    ("(?'", _Construct("quoted-group-name", Text("group names in quotes", "带引号的分组名"))),
)

_BACKREFERENCE: Final = _Construct("backreference", Text("backreferences", "反向引用"), _INSTEAD_SPELL_OUT)
# Escapes that other engines know: what they are, and what to write in RE2 (None: nothing says the same).
_ESCAPES: Final[dict[str, tuple[str, Text, str | None, bool]]] = {
    "Z": ("end-before-newline", Text("`\\Z`", "`\\Z`"), "\\z", False),
    "C": ("any-byte", Text("single bytes in Go", "单字节匹配（Go 中）"), None, False),
    "G": ("last-match-end", Text("`\\G`", "`\\G`"), None, False),
    "K": ("match-reset", Text("`\\K`", "`\\K`"), None, False),
    "R": ("any-line-break", Text("`\\R`", "`\\R`"), "(?:\\r\\n|[\\n\\v\\f\\r])", False),
    "X": ("grapheme", Text("`\\X`", "`\\X`"), None, False),
    "h": ("horizontal-space", Text("`\\h`", "`\\h`"), "[\\t ]", False),
    "N": ("not-newline", Text("`\\N`", "`\\N`"), "[^\\n]", False),
    "e": ("escape-character", Text("`\\e`", "`\\e`"), "\\x1b", True),
    "E": ("stray-quote-end", Text("`\\E` without `\\Q`", "没有 `\\Q` 的 `\\E`"), "", True),
}


class _Refused(Exception):
    """A fault at a place; `edit` is (start, end, new text, exact) where a rewrite of that part is known."""

    def __init__(
        self,
        span: Span,
        construct: str,
        message: Text,
        hint: Text | None = None,
        edit: tuple[int, int, str, bool] | None = None,
    ) -> None:
        super().__init__(construct)
        self.span = span
        self.construct = construct
        self.message = message
        self.hint = hint
        self.edit = edit


def _with_replacement(pattern: str, ignore_case: bool, refused: _Refused) -> PatternError:
    """Make the error; follow the known rewrites until RE2 accepts the pattern, or give up."""
    error = PatternError(refused.span, refused.construct, refused.message, refused.hint)
    current, exact = pattern, True
    fault: _Refused | None = refused
    quantifiers: list[int] = []
    for _ in range(20):
        if fault is None or fault.edit is None:
            break
        start, end, text, edit_exact = fault.edit
        current = current[:start] + text + current[end:]
        exact = exact and edit_exact
        quantifiers = [at - (end - start) + len(text) if at > start else at for at in quantifiers]
        if fault.construct == "possessive":
            quantifiers.append(start)
        try:
            tree = _Parser(current, ignore_case).parse()
        except _Refused as next_fault:
            fault = next_fault
            continue
        exact = exact and all(_gives_nothing_back(tree, at) for at in quantifiers)
        return replace(error, replacement=current, exact=exact)
    return error


def _gives_nothing_back(tree: Node, end: int) -> bool:
    """Tell whether the repeat whose operator ends at `end` is the same with and without possessive matching.

    It is if it repeats one character set and nothing that may follow it begins with a character of that set.
    """
    found = follow_chars(tree, end)
    return found is not None and not common(*found)


# ---- the parser ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Flags:
    fold: bool
    multi_line: bool
    dot_all: bool
    swap_greed: bool


@dataclass(slots=True)
class _Group:
    """An open parenthesis (or the whole pattern): its place, the flags to go back to, what has been read in it."""

    start: int
    flags: _Flags
    branches: list[Node]
    branch_start: int
    items: list[Node]


@dataclass(frozen=True, slots=True)
class _Cost:
    height: int
    copies: int  # the largest product of nested repeat counts
    size: int  # instructions in Go's program


_POSIX: Final[dict[str, Ranges]] = {
    "alnum": normal([(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)]),
    "alpha": normal([(0x41, 0x5A), (0x61, 0x7A)]),
    "ascii": ((0, 0x7F),),
    "blank": ((9, 9), (0x20, 0x20)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": ((0x30, 0x39),),
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((9, 13), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": normal([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]),
    "xdigit": normal([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
}
_PERL: Final[dict[str, Ranges]] = {
    "d": _POSIX["digit"],
    "s": ((9, 10), (12, 13), (0x20, 0x20)),
    "w": _POSIX["word"],
}
_CONTROL: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ALNUM: Final = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_NOT_NEWLINE: Final = complement(((10, 10),))
_LOOKS: Final[dict[str, LookKind]] = {"A": "begin_text", "z": "end_text", "b": "word", "B": "not_word"}


class _Parser:
    def __init__(self, pattern: str, ignore_case: bool) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags = _Flags(ignore_case, False, False, False)
        self.groups = [_Group(0, self.flags, [], 0, [])]
        self.costs: dict[int, _Cost] = {}
        self.last_repeat: int | None = None  # where the operator began that was read just now

    def parse(self) -> Node:
        pattern, length = self.pattern, len(self.pattern)
        while self.at < length:
            char = pattern[self.at]
            repeat_start: int | None = None
            if char == "(":
                self._open()
            elif char == ")":
                self._close()
            elif char == "|":
                self._end_branch()
                self.at += 1
                self.groups[-1].branch_start = self.at
            elif char == "^":
                self._look(1, "begin_line" if self.flags.multi_line else "begin_text")
            elif char == "$":
                self._look(1, "end_line" if self.flags.multi_line else "end_text")
            elif char == ".":
                self._chars(self.at, self.at + 1, EVERYTHING if self.flags.dot_all else _NOT_NEWLINE)
            elif char == "[":
                self._class()
            elif char in "*+?":
                repeat_start = self.at
                low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
                self.at += 1
                self._repeat(repeat_start, low, high, counted=False)
            elif char == "{" and (count := self._count()) is not None:
                repeat_start = self.at
                low, high, self.at = count
                self._repeat(repeat_start, low, high, counted=True)
            elif char == "\\":
                self._escape()
            else:
                self._literal(self.at, self.at + 1, ord(char))
            self.last_repeat = repeat_start
        if len(self.groups) > 1:
            start = self.groups[-1].start
            raise _Refused(
                Span(start, start + 1),
                "missing-paren",
                Text("this `(` is never closed", "这个 `(` 没有对应的 `)`"),
                _INSTEAD_ESCAPE.format(text="\\("),
            )
        tree = self._finish(self.groups[0], length)
        if self._cost(tree).size > _MAX_SIZE:
            self._too_large(tree.span)
        return tree

    # -- nodes --

    def _push(self, node: Node, cost: _Cost) -> None:
        if cost.height > _MAX_NESTING:
            raise _Refused(
                node.span,
                "too-deep",
                Text(
                    "the pattern nests deeper than {limit} levels, more than Rulewright reads",
                    "模式嵌套超过 {limit} 层，Rulewright 无法读取",
                ).format(limit=_MAX_NESTING),
                Text("Split it into several conditions.", "请拆成多个条件。"),
            )
        if cost.size > _MAX_SIZE:
            self._too_large(node.span)
        self.costs[id(node)] = cost
        self.groups[-1].items.append(node)

    def _too_large(self, span: Span) -> None:
        raise _Refused(
            span,
            "too-large",
            Text("the repeats make the pattern too large for RE2", "重复次数使模式过大，RE2 无法接受"),
            Text("Use smaller counts.", "请减小重复次数。"),
        )

    def _cost(self, node: Node) -> _Cost:
        return self.costs[id(node)]

    def _literal(self, start: int, end: int, code: int) -> None:
        ranges: Ranges = ((code, code),)
        self._chars(start, end, folded(ranges) if self.flags.fold else ranges)

    def _chars(self, start: int, end: int, ranges: Ranges) -> None:
        self.at = end
        self._push(Chars(Span(start, end), ranges), _Cost(1, 1, 1))

    def _look(self, length: int, kind: LookKind) -> None:
        span = Span(self.at, self.at + length)
        self.at += length
        self._push(Look(span, kind), _Cost(1, 1, 1))

    def _concat(self, items: list[Node], span: Span) -> Node:
        if len(items) == 1:
            return items[0]
        costs = [self._cost(item) for item in items]
        node = Concat(span, tuple(items))
        self.costs[id(node)] = _Cost(
            1 + max((cost.height for cost in costs), default=0),
            max((cost.copies for cost in costs), default=1),
            max(1, sum(cost.size for cost in costs)),
        )
        return node

    def _end_branch(self) -> None:
        group = self.groups[-1]
        group.branches.append(self._concat(group.items, Span(group.branch_start, self.at)))
        group.items = []

    def _finish(self, group: _Group, end: int) -> Node:
        """Close the last branch of a group and return what the group is."""
        self.at = end
        self._end_branch()
        if len(group.branches) == 1:
            return group.branches[0]
        node = Alternate(Span(group.branches[0].span.start, end), tuple(group.branches))
        costs = [self._cost(branch) for branch in group.branches]
        self.costs[id(node)] = _Cost(
            1 + max(cost.height for cost in costs),
            max(cost.copies for cost in costs),
            sum(cost.size for cost in costs) + len(costs) - 1,
        )
        return node

    # -- repeats --

    def _count(self) -> tuple[int, int | None, int] | None:
        """Read `{2}`, `{2,}` or `{2,5}` at the place; None where RE2 reads the brace as itself, as in `{,3}` or `{02}`."""
        pattern, start = self.pattern, self.at
        low_text, i = self._number(start + 1)
        if not low_text:
            return None
        high_text: str | None = low_text
        if pattern[i : i + 1] == ",":
            if pattern[i + 1 : i + 2] == "}":
                high_text, i = None, i + 1
            else:
                high_text, i = self._number(i + 1)
                if not high_text:
                    return None
        if pattern[i : i + 1] != "}":
            return None
        end = i + 1
        low, high = int(low_text[:9]), None if high_text is None else int(high_text[:9])
        if low > _MAX_REPEAT or (high is not None and high > _MAX_REPEAT):
            self._bad_count(
                Span(start, end),
                Text("RE2 repeats at most {limit} times", "RE2 最多重复 {limit} 次").format(limit=_MAX_REPEAT),
            )
        if high is not None and high < low:
            self._bad_count(
                Span(start, end),
                Text("the smaller count must come first in `{text}`", "`{text}` 中较小的数必须写在前面").format(
                    text=pattern[start:end]
                ),
                (start, end, f"{{{high},{low}}}", False),
            )
        return low, high, end

    def _number(self, start: int) -> tuple[str, int]:
        """Return the decimal digits at `start` (empty if there are none or a zero leads) and the offset behind them."""
        i = start
        while i < len(self.pattern) and "0" <= self.pattern[i] <= "9":
            i += 1
        digits = self.pattern[start:i]
        return ("", i) if len(digits) > 1 and digits[0] == "0" else (digits, i)

    def _bad_count(self, span: Span, message: Text, edit: tuple[int, int, str, bool] | None = None) -> None:
        raise _Refused(span, "repeat-size", message, edit=edit)

    def _repeat(self, start: int, low: int, high: int | None, counted: bool) -> None:
        """Apply the operator that stands from `start` to the place to the item read last."""
        pattern = self.pattern
        lazy = pattern[self.at : self.at + 1] == "?"
        if lazy:
            self.at += 1
        group = self.groups[-1]
        if self.last_repeat is not None:
            self._stacked(self.last_repeat, start)
        if not group.items:
            text = pattern[start : self.at]
            raise _Refused(
                Span(start, self.at),
                "missing-repeat-argument",
                Text("`{text}` has nothing before it to repeat", "`{text}` 前面没有可重复的内容").format(text=text),
                _INSTEAD_ESCAPE.format(text="\\" + text[0])
                if text[0] != "*"
                else Text(
                    "Write `.*` for any text, `\\*` for the character itself.",
                    "表示任意文本请写 `.*`，表示这个字符本身请写 `\\*`。",
                ),
            )
        item = group.items.pop()
        cost = self._cost(item)
        copies = cost.copies
        if counted:
            times = low if high is None else high
            copies = 1 if high == 0 else max(1, times) * cost.copies
            if copies > _MAX_REPEAT and (low >= 2 or (high or 0) >= 2):
                self._bad_count(
                    Span(start, self.at),
                    Text(
                        "nested repeats multiply to more than {limit}, the most that RE2 allows",
                        "嵌套的重复次数相乘超过 RE2 允许的 {limit} 次",
                    ).format(limit=_MAX_REPEAT),
                )
        if high is None:
            size = 2 + cost.size if low == 0 else 1 + low * cost.size
        else:
            size = high * cost.size + (high - low)
        node = Repeat(Span(item.span.start, self.at), item, low, high, lazy != self.flags.swap_greed)
        self._push(node, _Cost(cost.height + 1, copies, max(1, size)))

    def _stacked(self, first: int, second: int) -> None:
        """Refuse an operator right behind another one; `x++` is possessive elsewhere, `x**` an error nearly everywhere."""
        span = Span(first, self.at)
        text = span.of(self.pattern)
        if self.pattern[second] == "+" and self.at == second + 1 and (second == first + 1 or text[-2] != "?"):
            raise _Refused(
                span,
                "possessive",
                _NOT_RE2.format(name=Text("possessive quantifiers", "占有型量词（possessive）"), text=text),
                Text(
                    "Drop the last `+`: RE2 never backtracks, so it gains nothing there.",
                    "去掉最后的 `+`：RE2 不回溯，不需要它。",
                ),
                (second, second + 1, "", True),
            )
        raise _Refused(
            span,
            "nested-repeat",
            Text("`{text}` repeats a repeat", "`{text}` 对重复再次重复").format(text=text),
            Text("Keep one operator, or put the first one in a group.", "只保留一个，或把前一个放进分组。"),
        )

    # -- groups --

    def _open(self) -> None:
        pattern, start = self.pattern, self.at
        if pattern[start + 1 : start + 2] != "?":
            self._begin(start, start + 1)
            return
        for opener, construct in _GROUPS:
            if pattern.startswith(opener, start):
                self._refuse_group(start, opener, construct)
        for opener in ("(?P<", "(?<"):
            if pattern.startswith(opener, start):
                self._named(start, opener)
                return
        self._flag_group(start)

    def _begin(self, start: int, inside: int) -> None:
        if len(self.groups) > _MAX_REPEAT:
            raise _Refused(
                Span(start, start + 1),
                "too-deep",
                Text("RE2 allows at most 1000 groups inside each other", "RE2 最多允许 1000 层分组嵌套"),
            )
        self.groups.append(_Group(start, replace(self.flags), [], inside, []))
        self.at = inside

    def _named(self, start: int, opener: str) -> None:
        pattern = self.pattern
        end = pattern.find(">", start)
        name = pattern[start + len(opener) : end] if end >= 0 else ""
        if not name or not all(char in _ALNUM or char == "_" for char in name):
            raise _Refused(
                Span(start, end + 1 if end >= 0 else len(pattern)),
                "group-name",
                Text(
                    "a group name is made of the letters A to Z, digits and `_`, and ends with `>`",
                    "分组名只能包含英文字母、数字和 `_`，并以 `>` 结尾",
                ),
            )
        self._begin(start, end + 1)

    def _refuse_group(self, start: int, opener: str, construct: _Construct) -> None:
        pattern = self.pattern
        end = start + len(opener)
        edit: tuple[int, int, str, bool] | None = None
        hint = construct.hint
        if construct.key == "atomic-group":
            edit = (start, end, "(?:", _is_plain_group(pattern, end))
            hint = _INSTEAD_WRITE.format(text="(?:…)")
        elif construct.key == "branch-reset":
            edit = (start, end, "(?:", True)
        elif construct.key == "comment":
            close = pattern.find(")", end)
            if close >= 0:
                edit = (start, close + 1, "", True)
        elif construct.key == "quoted-group-name":
            close = pattern.find("'", end)
            if close > end:
                edit = (start, close + 1, f"(?P<{pattern[end:close]}>", True)
                hint = _INSTEAD_WRITE.format(text="(?P<…>")
        raise _Refused(Span(start, end), construct.key, _NOT_RE2.format(name=construct.name, text=opener), hint, edit)

    def _flag_group(self, start: int) -> None:
        """Read `(?i)`, `(?i-s:` and the like."""
        pattern = self.pattern
        flags = replace(self.flags)
        names = {"i": "fold", "m": "multi_line", "s": "dot_all", "U": "swap_greed"}
        i, value, seen = start + 2, True, False
        while i < len(pattern):
            char = pattern[i]
            i += 1
            if char in names:
                setattr(flags, names[char], value)
                seen = True
            elif char == "-" and value:
                value, seen = False, False
            elif char in ":)" and (value or seen):
                if char == ":":
                    self._begin(start, i)
                self.flags = flags
                self.at = i
                return
            else:
                break
        text = pattern[start:i]
        unknown = text[-1] if len(text) > 2 else ""
        hint: Text | None = None
        if unknown.isdigit() or unknown == "+":
            raise _Refused(
                Span(start, i),
                "recursion",
                _NOT_RE2.format(name=Text("recursion", "递归"), text=text),
                _INSTEAD_SPELL_OUT,
            )
        if unknown == "x":
            hint = Text("Write the pattern without blanks and comments.", "请把模式写成不含空白和注释的形式。")
        elif unknown in ("a", "u", "L"):
            hint = Text(
                "Remove it: `\\d`, `\\w`, `\\s` and `\\b` are ASCII in RE2.",
                "请删除：RE2 的 `\\d`、`\\w`、`\\s`、`\\b` 只含 ASCII。",
            )
        raise _Refused(
            Span(start, i),
            "flag",
            Text(
                "RE2 does not know `{text}`; its flags are `i`, `m`, `s` and `U`",
                "RE2 不认识 `{text}`；可用标志为 `i`、`m`、`s`、`U`",
            ).format(text=text),
            hint,
        )

    def _close(self) -> None:
        start = self.at
        if len(self.groups) == 1:
            raise _Refused(
                Span(start, start + 1),
                "unexpected-paren",
                Text("this `)` closes nothing", "这个 `)` 没有对应的 `(`"),
                _INSTEAD_ESCAPE.format(text="\\)"),
            )
        group = self.groups[-1]
        node = self._finish(group, start)
        cost = self._cost(node)
        self.groups.pop()
        self.flags = group.flags
        self.at = start + 1
        # The node keeps its inner span; a wrapper without meaning would only make the tree deeper.
        self._push(_spanned(node, Span(group.start, start + 1)), cost)

    # -- escapes --

    def _escape(self) -> None:
        pattern, start = self.pattern, self.at
        letter = pattern[start + 1 : start + 2]
        if letter in _LOOKS and letter:
            self._look(2, _LOOKS[letter])
        elif letter == "Q":
            end = pattern.find("\\E", start + 2)
            stop = end if end >= 0 else len(pattern)
            for i in range(start + 2, stop):
                self._literal(i, i + 1, ord(pattern[i]))
            self.at = end + 2 if end >= 0 else stop
        elif (found := self._class_escape()) is not None:
            self._chars(start, self.at, found)
        else:
            code = self._character_escape(in_class=False)
            self._literal(start, self.at, code)

    def _class_escape(self) -> Ranges | None:
        """Read `\\d`, `\\pL`, `\\P{Greek}` and so on at the place; None, and nothing moved, where there is none."""
        letter = self.pattern[self.at + 1 : self.at + 2]
        if letter in ("p", "P"):
            return self._unicode_class(letter == "P")
        ranges = _PERL.get(letter.lower()) if letter else None
        if ranges is None:
            return None
        self.at += 2
        if self.flags.fold:
            ranges = folded(ranges)
        return complement(ranges) if letter.isupper() else ranges

    def _unicode_class(self, negated: bool) -> Ranges:
        pattern, start = self.pattern, self.at
        if pattern[start + 2 : start + 3] == "{":
            end = pattern.find("}", start)
            name, stop = (pattern[start + 3 : end], end + 1) if end >= 0 else ("", len(pattern))
        else:
            name, stop = pattern[start + 2 : start + 3], min(start + 3, len(pattern))
        if name.startswith("^"):
            negated = not negated
            name = name[1:]
        ranges = named_class(name)
        if ranges is None:
            self._unknown_class(Span(start, stop), name)
        assert ranges is not None
        self.at = stop
        if self.flags.fold:
            ranges = folded(ranges)
        return complement(ranges) if negated else ranges

    def _unknown_class(self, span: Span, name: str) -> None:
        known = {same_name.lower().replace("_", ""): same_name for same_name in class_names()}
        meant = known.get(name.lower().replace("_", "").replace(" ", "").replace("-", ""))
        exact = meant is not None
        if meant is None and len(name) > 3:
            meant = nearest(name, class_names(), 1 if len(name) < 6 else 2)
        written = span.of(self.pattern)
        edit = None
        if meant is not None:
            lead = written[:3] + ("^" if written[3:4] == "^" else "")
            edit = (span.start, span.end, f"{lead}{meant}}}", exact)
        raise _Refused(
            span,
            "unicode-class",
            Text("RE2 knows no Unicode class `{text}`", "RE2 没有 Unicode 类 `{text}`").format(text=written),
            Text("Did you mean `{text}`?", "是否想写 `{text}`？").format(text=edit[2])
            if edit
            else Text(
                "It knows categories (`\\pL`) and scripts (`\\p{Greek}`).", "可用类别（`\\pL`）和文字（`\\p{Greek}`）。"
            ),
            edit,
        )

    def _character_escape(self, in_class: bool) -> int:
        """Read an escape that stands for one character and move behind it."""
        pattern, start = self.pattern, self.at
        i = start + 1
        if i >= len(pattern):
            raise _Refused(
                Span(start, start + 1),
                "trailing-backslash",
                Text("the pattern ends with a single backslash", "模式以单个反斜杠结尾"),
                _INSTEAD_ESCAPE.format(text="\\\\"),
            )
        char = pattern[i]
        if ord(char) < 0x80 and char not in _ALNUM:
            self.at = i + 1
            return ord(char)
        if char in "01234567" and (char == "0" or pattern[i + 1 : i + 2] in tuple("01234567")):
            end = i + 1
            while end < i + 3 and pattern[end : end + 1] in tuple("01234567"):
                end += 1
            self.at = end
            return int(pattern[i:end], 8)
        if char in _CONTROL:
            self.at = i + 1
            return _CONTROL[char]
        if char == "x":
            return self._hex(start)
        self._refuse_escape(start, char, in_class)
        raise AssertionError("unreachable")

    def _hex(self, start: int) -> int:
        pattern = self.pattern
        if pattern[start + 2 : start + 3] == "{":
            end = pattern.find("}", start)
            digits = pattern[start + 3 : end] if end >= 0 else ""
            stop = end + 1 if end >= 0 else len(pattern)
        else:
            digits = pattern[start + 2 : start + 4]
            stop = start + 2 + len(digits)
            digits = digits if len(digits) == 2 else ""
        if digits and all(char in _HEX for char in digits):
            code = int(digits, 16)
            if code <= MAX_CODE_POINT:
                self.at = stop
                return code
        raise _Refused(
            Span(start, max(stop, start + 2)),
            "hex-escape",
            Text(
                "`\\x` needs two hexadecimal digits, or `\\x{...}` with a code point up to 10FFFF",
                "`\\x` 后需要两位十六进制数，或写成 `\\x{...}`（最大 10FFFF）",
            ),
        )

    def _refuse_escape(self, start: int, char: str, in_class: bool) -> None:
        pattern = self.pattern
        end = start + 2
        text = pattern[start:end]
        if in_class and char == "b":
            raise _Refused(
                Span(start, end),
                "escape",
                Text("RE2 does not know `\\b` inside a class", "RE2 不支持在字符类中使用 `\\b`"),
                Text("Write `\\x08` for a backspace.", "表示退格符请写 `\\x08`。"),
                (start, end, "\\x08", True),
            )
        if not in_class:
            if char in "123456789":
                while pattern[end : end + 1].isdecimal() and end < start + 3:
                    end += 1
                self._refuse_construct(Span(start, end), _BACKREFERENCE)
            for opener, closer in (("\\k<", ">"), ("\\k{", "}"), ("\\k'", "'"), ("\\g{", "}"), ("\\g<", ">")):
                if pattern.startswith(opener, start) and (close := pattern.find(closer, start + 3)) >= 0:
                    self._refuse_construct(Span(start, close + 1), _BACKREFERENCE)
            if char == "g" and pattern[end : end + 1].isdecimal():
                self._refuse_construct(Span(start, end + 1), _BACKREFERENCE)
        if char in "uU":
            digits = 4 if char == "u" else 8
            code = pattern[end : end + digits]
            if len(code) == digits and all(digit in _HEX for digit in code) and int(code, 16) <= MAX_CODE_POINT:
                written = f"\\x{{{code.lstrip('0').upper() or '0'}}}"
                raise _Refused(
                    Span(start, end + digits),
                    "unicode-escape",
                    _NOT_RE2.format(name=Text("`\\u` escapes", " `\\u` 转义"), text=pattern[start : end + digits]),
                    _INSTEAD_WRITE.format(text=written),
                    (start, end + digits, written, True),
                )
        if char in _ESCAPES and not (in_class and char not in "heE"):
            key, name, written_or_none, exact = _ESCAPES[char]
            edit: tuple[int, int, str, bool] | None = None
            hint: Text | None = None
            if written_or_none is not None:
                new = "\\t " if in_class and char == "h" else written_or_none
                edit = (start, end, new, exact)
                hint = _INSTEAD_WRITE.format(text=new) if new else _INSTEAD_REMOVE
            raise _Refused(Span(start, end), key, _NOT_RE2.format(name=name, text=text), hint, edit)
        raise _Refused(
            Span(start, end),
            "escape",
            Text("RE2 does not know the escape `{text}`", "RE2 不认识转义 `{text}`").format(text=text),
            _INSTEAD_WRITE.format(text=char) if char not in _ALNUM else None,
            (start, end, char, True) if char not in _ALNUM else None,
        )

    def _refuse_construct(self, span: Span, construct: _Construct) -> None:
        text = span.of(self.pattern)
        raise _Refused(span, construct.key, _NOT_RE2.format(name=construct.name, text=text), construct.hint)

    # -- classes --

    def _class(self) -> None:
        pattern, start, length = self.pattern, self.at, len(self.pattern)
        self.at += 1
        negated = pattern[self.at : self.at + 1] == "^"
        if negated:
            self.at += 1
        found: list[tuple[int, int]] = []
        first = True
        while True:
            if self.at >= length:
                self._missing_bracket(start)
            if pattern[self.at] == "]" and not first:
                break
            first = False
            if pattern.startswith("[:", self.at) and (posix := self._posix()) is not None:
                found.extend(posix)
                continue
            if pattern[self.at] == "\\" and (escape := self._class_escape()) is not None:
                found.extend(escape)
                continue
            member = self.at
            low = self._member(start)
            high = low
            if pattern[self.at : self.at + 1] == "-" and pattern[self.at + 1 : self.at + 2] not in ("", "]"):
                self.at += 1
                high = self._member(start)
                if high < low:
                    raise _Refused(
                        Span(member, self.at),
                        "class-range",
                        Text("the range `{text}` runs backwards", "范围 `{text}` 的顺序反了").format(
                            text=pattern[member : self.at]
                        ),
                    )
            found.extend(folded(((low, high),)) if self.flags.fold else ((low, high),))
        ranges = normal(found)
        self._chars(start, self.at + 1, complement(ranges) if negated else ranges)

    def _missing_bracket(self, start: int) -> None:
        raise _Refused(
            Span(start, start + 1),
            "missing-bracket",
            Text("this `[` is never closed", "这个 `[` 没有对应的 `]`"),
            _INSTEAD_ESCAPE.format(text="\\["),
        )

    def _posix(self) -> Ranges | None:
        start = self.at
        end = self.pattern.find(":]", start + 2)
        if end < 0:
            return None
        name = self.pattern[start + 2 : end]
        negated = name.startswith("^")
        ranges = _POSIX.get(name[1:] if negated else name)
        if ranges is None:
            raise _Refused(
                Span(start, end + 2),
                "posix-class",
                Text("RE2 knows no class `{text}`", "RE2 没有字符类 `{text}`").format(
                    text=self.pattern[start : end + 2]
                ),
            )
        self.at = end + 2
        if self.flags.fold:
            ranges = folded(ranges)
        return complement(ranges) if negated else ranges

    def _member(self, class_start: int) -> int:
        if self.at >= len(self.pattern):
            self._missing_bracket(class_start)
        char = self.pattern[self.at]
        if char == "\\":
            return self._character_escape(in_class=True)
        self.at += 1
        return ord(char)


def _is_plain_group(pattern: str, inside: int) -> bool:
    """Tell whether the group that begins at `inside` holds plain characters only, so that it can match in one way."""
    end = pattern.find(")", inside)
    return end >= 0 and not any(char in "|*+?{([\\" for char in pattern[inside:end])


def _spanned(node: Node, span: Span) -> Node:
    """Return the node with the span of the group around it; the caller re-registers its cost."""
    rebuild: Callable[..., Node] = replace
    return rebuild(node, span=span)


# ---- the writer ------------------------------------------------------------------------------------------------------

_LOOK_PYTHON: Final[dict[LookKind, str]] = {
    "begin_text": "^",
    "end_text": "\\Z",
    "begin_line": "(?m:^)",
    "end_line": "(?m:$)",
    "word": "(?a:\\b)",
    # Before Python 3.14 `\B` does not match in an empty text; the negation of `\b` does.
    "not_word": "(?!(?a:\\b))",
}
_Level = Literal[0, 1, 2]


def _write(node: Node, level: _Level) -> str:
    """Write a node; `level` 0: as a whole pattern or group, 1: as part of a sequence, 2: as operand of a repeat."""
    if isinstance(node, Chars):
        return _write_set(node.ranges)
    if isinstance(node, Look):
        text = _LOOK_PYTHON[node.kind]
        return f"(?:{text})" if level == 2 else text
    if isinstance(node, Concat):
        text = "".join(_write(item, 1) for item in node.items)
        return f"(?:{text})" if level == 2 else text
    if isinstance(node, Alternate):
        text = "|".join(_write(item, 1) for item in node.items)
        return text if level == 0 else f"(?:{text})"
    if node.high == 0:
        return "(?:)"
    if (node.low, node.high) == (0, None):
        operator = "*"
    elif (node.low, node.high) == (1, None):
        operator = "+"
    elif (node.low, node.high) == (0, 1):
        operator = "?"
    elif node.low == node.high:
        operator = f"{{{node.low}}}"
    else:
        operator = f"{{{node.low},{'' if node.high is None else node.high}}}"
    text = f"{_write(node.item, 2)}{operator}{'?' if node.lazy else ''}"
    return f"(?:{text})" if level == 2 else text


def _write_set(ranges: Ranges) -> str:
    if not ranges:
        return "(?!)"
    if ranges == EVERYTHING:
        return "(?s:.)"
    if ranges == _NOT_NEWLINE:
        return "."
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _write_char(ranges[0][0])
    negated = ranges[0][0] == 0 and ranges[-1][1] == MAX_CODE_POINT
    parts: list[str] = []
    for first, last in complement(ranges) if negated else ranges:
        parts.append(_write_char(first))
        if last > first:
            parts.append(_write_char(last) if last == first + 1 else f"-{_write_char(last)}")
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _write_char(code: int) -> str:
    char = chr(code)
    if char in _ALNUM or char in "_ " or (code >= 0xA0 and char.isprintable()):
        return char
    if 0x20 < code < 0x7F:
        return "\\" + char
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
