"""JSON text to tree, tolerant: what people write that is not JSON is one problem each, and the rest of the text is read on.

Strict JSON (RFC 8259) is read as every reader does; of duplicate keys the last counts. It never raises on a text, does not
recurse, and takes time that grows with the text and nothing else.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, replace
from typing import NamedTuple

from rulewright.syntax.tree import Entry, Fix, Mapping, Node, Problem, Related, Scalar, Sequence, Tree
from rulewright.text.edits import Edit
from rulewright.text.hidden import hidden_characters, hidden_names
from rulewright.text.language import Text
from rulewright.text.span import Span

# Levels of nesting. Our own limit [R]: hook chains have seven.
MAX_DEPTH = 200
# Problems of one code in one text; the last says how many more there are [R].
MAX_OF_A_KIND = 100

_SPACE = re.compile(r"[ \t\r\n]*")
# White space of other kinds, and what cannot be seen: pasted from a web page or a chat, in places where JSON has white space only.
_ODD_SPACE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]+"
)
_LINE_COMMENT = re.compile(r"(?://|#)[^\r\n]*")
_ATOM = re.compile(
    r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?=[\s,:{}\[\]\"'/#，；：;]|\Z)"
)
_FIRST_WORD = re.compile(r"[^\s,:{}\[\]\"/#，；：;]+(?=[ \t]*(?:[,:{}\[\]\"\r\n/#，；：;]|\Z))")
_BARE_KEY = re.compile(r"[^\W\d][\w.$-]*[ \t]*:(?!//)")
# Behind a number: text, as in `5 minutes`; but neither another value nor the next key.
_MORE_WORDS = re.compile(r"[ \t]+(?!(?:true|false|null)\b)[^\W\d][\w.$-]*(?![\w.$-]|[ \t]*:)")
_LINE = re.compile(r"[^\r\n]*")
# Text without quotes, up to where it must end; `//` behind a colon is part of an address.
_VALUE_WORDS = re.compile(r"(?:[^,;，；{}\[\]\"\r\n/#]|/(?![/*])|(?<=:)//|(?<=[^\s])#)+")
_KEY_WORDS = re.compile(r"(?:[^,;，；:：={}\[\]\"\r\n/#]|/(?![/*]))+")
_LOOSE_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)"
    r"|(?P<whole>[0-9][0-9_]*)?(?P<dot>\.)?(?P<part>(?<=\.)[0-9][0-9_]*)?(?P<power>[eE][+-]?[0-9]+)?)"
)
_STRING_BODY = re.compile(r"[^\"\\\r\n]*(?:\\[^\r\n][^\"\\\r\n]*)*")
_TO_QUOTE = re.compile(r"[^\"\\]*(?:\\[^\r\n]?[^\"\\]*)*")
_BEHIND_STRING = re.compile(r"[ \t\r\n]*(?:[,:}\]]|\Z)")
_SINGLE = re.compile(r"'(?:[^\\\r\n]|\\[^\r\n])*?'(?=[ \t]*(?:[,:}\]\r\n]|\Z))")
_SMART = re.compile(r"[“”„](?:[^\\\r\n“”]|\\[^\r\n])*[“”](?=[ \t]*(?:[,:：，}\]\r\n]|\Z))")
_BEFORE_COLON = re.compile(r"[ \t\r\n]*:")
_BRACKET = re.compile(r"\"[^\"\\]*(?:\\.?[^\"\\]*)*\"?|[\[\]{}]", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<code>[0-9a-fA-F]{4})|(?P<one>[\"\\/bfnrt])|(?P<bad>[^\r\n]|\Z|(?=[\r\n])))"
    "|(?P<line>\r\n|[\r\n])|(?P<control>[\x00-\x1f])|(?P<half>[\ud800-\udfff])"
)
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})")
# What the escape means in other languages -> how JSON writes it.
_FOREIGN_ESCAPES = {"'": "'", "0": "\\u0000", "v": "\\u000b", "e": "\\u001b", "a": "\\u0007"}
_WORD = re.compile(r"[\w.$/-]+")
_CLOSING = {"{": "}", "[": "]"}
_STAND_INS = {"，": ",", "；": ",", ";": ",", "：": ":", "=": ":"}
_QUOTES = {"'": _SINGLE, "“": _SMART, "”": _SMART, "„": _SMART}
# Values of other languages -> JSON's own; None where there is none.
_FOREIGN = {
    "True": "true",
    "TRUE": "true",
    "False": "false",
    "FALSE": "false",
    "None": "null",
    "nil": "null",
    "NULL": "null",
    "Null": "null",
    "undefined": None,
    "NaN": None,
    "-NaN": None,
    "Infinity": None,
    "+Infinity": None,
    "-Infinity": None,
}
_CERTAIN = {"true": True, "false": False}


def read_json(text: str, start: int = 0, end: int | None = None) -> Tree:
    """Read the JSON between `start` and `end` (code points); all spans are places in the whole `text`.

    A byte order mark at `start` is skipped, as OpenClaude does. Problems have the codes `json-syntax` (minor: every reader takes
    it, but it means nothing), `json-too-deep`, `duplicate-key` and `hidden-character`. The root is None for a text without a value.
    """
    stop = len(text) if end is None else end
    if text.startswith("\ufeff", start, stop):
        start += 1
    return _Reading(text, start, stop).read()


def value_of(node: Node) -> object:
    """Return the plain Python value of a node that `read_json` made; None for what could not be read."""
    if isinstance(node, Mapping):
        return {name: value_of(entry.value) for name, entry in node.effective().items()}
    if isinstance(node, Sequence):
        return [value_of(item) for item in node.items]
    return node.value if isinstance(node, Scalar) else None


def removal(node: Mapping, entry: Entry) -> Edit:
    """Return the edit that takes an entry out of a mapping of JSON, with the comma that goes with it."""
    entries = node.entries
    at = next(index for index, other in enumerate(entries) if other is entry)
    if at:
        return Edit(Span(entries[at - 1].span.end, entry.span.end), "")
    if len(entries) > 1:
        return Edit(Span(entry.key_span.start, entries[1].key_span.start), "")
    return Edit(Span(node.span.start + 1, node.span.end - 1), "")


def capped(problems: list[Problem]) -> list[Problem]:
    """Return problems with at most MAX_OF_A_KIND of each code; one more of that code says how many were left out.

    That one is minor where all of those are.
    """
    counts: dict[str, int] = {}
    kept: list[Problem] = []
    left: dict[str, Problem] = {}
    for problem in problems:
        code = problem.code
        counts[code] = counts.get(code, 0) + 1
        if counts[code] <= MAX_OF_A_KIND:
            kept.append(problem)
        elif code not in left or (left[code].minor and not problem.minor):
            left[code] = problem
    return kept + [_more(problem, counts[code] - MAX_OF_A_KIND) for code, problem in left.items()]


def _more(problem: Problem, count: int) -> Problem:
    """Return the problem that stands for some that are not shown."""
    return replace(problem, message=MORE.format(code=problem.code, count=count), related=(), fixes=())


# What may come next in the innermost bracket.
_FIRST, _NEXT, _COLON, _VALUE, _COMMA = range(5)


@dataclass(slots=True, eq=False)
class _Frame:
    """One open bracket. entry: the one whose value is due. comma: the last one, while nothing has come behind it."""

    node: Mapping | Sequence
    bracket: str
    expects: int = _FIRST
    entry: Entry | None = None
    comma: Span | None = None
    seen: dict[str, int] | None = None


class _Reading:
    """The reading of one text. `at` is the place in it, `behind` the end of the last sign that was taken."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self.text = text
        self.at = start
        self.start = start
        self.stop = stop
        self.behind = start
        self.problems: list[Problem] = []
        self.counts: dict[str, int] = {}
        self.left: dict[str, Problem] = {}
        """By code, how many problems there are, and one of those that are not shown."""
        self.comments: list[Span] = []
        self.stack: list[_Frame] = []
        self.open = {"{": 0, "[": 0}
        self.root: Node | None = None
        self.open_ended = -1
        """The end of the last string without a closing quote."""
        self.cut = False
        """The text ends inside of a string, which has its own problem."""
        self.too_deep = False
        self.odd_quotes: dict[Text, list[Edit]] = {}
        """Texts in quotes of another kind, by what is said of them."""
        self.no_quote: dict[str, int] = {}
        """For a kind of odd quotes: up to here no closing one is found."""
        self.no_close = (0, -1)
        """Between these places no double quote closes a string; the second is that of the next quote."""
        self.closes = False
        """That quote stands where a string may end."""

    def read(self) -> Tree:
        while True:
            self.skip()
            if self.at >= self.stop:
                self.finish()
                break
            if self.root is not None and not self.stack:
                self.rest()
                break
            self.step()
        for message, edits in self.odd_quotes.items():
            # A habit is one fault: at the first text, with all that must be changed.
            fix = Fix(DOUBLE_QUOTES, tuple(edits))
            self.add(Problem("json-syntax", edits[0].span, message, (), (fix,)))
        if self.open_ended >= 0:
            # Where a quote is missing, another one changes what is text and what is not: nothing is certain.
            self.problems = [
                replace(problem, fixes=tuple(replace(fix, safe=False) for fix in problem.fixes))
                for problem in self.problems
            ]
        self.problems.sort(key=lambda problem: problem.span)
        left = [_more(problem, self.counts[code] - MAX_OF_A_KIND) for code, problem in self.left.items()]
        return Tree(self.root, self.problems + left, self.comments)

    # ------------------------------------------------------------------ signs

    def step(self) -> None:
        """Take one sign: a bracket, a comma, a colon, or a value."""
        char = self.text[self.at]
        frame = self.stack[-1] if self.stack else None
        if char in "{[":
            self.opening(char, frame)
        elif frame is None:
            if char in "}],:":
                self.drop(1)
            else:
                self.attach(self.scalar(), None)
        elif char in "}]":
            self.closing(char, frame)
        elif char in ",:":
            self.sign(char, frame)
        elif char in _STAND_INS and (char != "=" or frame.expects == _COLON):
            span = Span(self.at, self.at + 1)
            self.fault(span, STAND_IN.format(found=char, wanted=_STAND_INS[char]), edit=_STAND_INS[char])
            self.sign(_STAND_INS[char], frame)
        else:
            self.content(frame)

    def sign(self, char: str, frame: _Frame) -> None:
        """Take a comma or a colon."""
        span = Span(self.at, self.at + 1)
        if char == ":":
            if frame.expects == _COLON:
                frame.expects = _VALUE
                if frame.entry is not None:
                    frame.entry.value.span = Span(span.end, span.end)
                self.take(span)
            elif frame.bracket == "[" and frame.expects == _COMMA:
                self.fault(span, PAIR_IN_LIST)
                frame.node.broken = True
                frame.expects = _NEXT
                frame.comma = None
                self.take(span)
            else:
                self.drop(1)
            return
        if frame.expects in (_COLON, _VALUE):
            self.no_value(frame)
        elif frame.expects != _COMMA:
            self.fault(span, EXTRA_COMMA, title=REMOVE.format(text=","), edit="")
            frame.comma = None
            self.take(span)
            return
        frame.expects = _NEXT
        frame.comma = span
        self.take(span)

    def opening(self, char: str, frame: _Frame | None) -> None:
        """Take an opening bracket, and with it everything in it where that nests too deep."""
        if frame is not None:
            self.before_value(frame)
        start = self.at
        node: Mapping | Sequence
        if char == "{":
            node = Mapping(Span(start, start + 1), flow=True, last_counts=True)
        else:
            node = Sequence(Span(start, start + 1), flow=True)
        self.attach(node, frame)
        self.take(Span(start, start + 1))
        if len(self.stack) >= MAX_DEPTH:
            node.broken = True
            if not self.too_deep:
                self.too_deep = True
                self.add(Problem("json-too-deep", Span(start, start + 1), TOO_DEEP.format(limit=MAX_DEPTH)))
            self.pass_over()
            node.span = Span(start, self.behind)
            return
        self.stack.append(_Frame(node, char))
        self.open[char] += 1

    def pass_over(self) -> None:
        """Go behind the bracket that closes the one just taken, without reading what is between."""
        depth = 1
        for match in _BRACKET.finditer(self.text, self.at, self.stop):
            sign = match[0]
            if sign in "[{":
                depth += 1
            elif sign in "]}":
                depth -= 1
            if depth == 0:
                self.take(Span(match.start(), match.end()))
                return
        self.take(Span(self.at, self.stop))
        self.cut = True

    def closing(self, char: str, frame: _Frame) -> None:
        """Take a closing bracket; it closes the innermost one, whatever is missing before it."""
        span = Span(self.at, self.at + 1)
        if char == _CLOSING[frame.bracket]:
            self.leave(frame, span.end, reported=False)
            self.take(span)
            return
        opened = Related(Span(frame.node.span.start, frame.node.span.start + 1), OPENED_HERE)
        if not self.open["{" if char == "}" else "["]:
            wanted = _CLOSING[frame.bracket]
            fix = Fix(CHANGE.format(text=wanted), (Edit(span, wanted),), safe=False)
            message = WRONG_BRACKET.format(wanted=wanted, found=char)
            self.add(Problem("json-syntax", span, message, (opened,), (fix,)))
            frame.node.broken = True
            self.leave(frame, span.end, reported=True)
            self.take(span)
            return
        # The bracket that it closes is further out: those inside it were forgotten.
        missing = ""
        while _CLOSING[self.stack[-1].bracket] != char:
            inner = self.stack[-1]
            missing += _CLOSING[inner.bracket]
            inner.node.broken = True
            self.leave(inner, self.behind, reported=True)
        fix = Fix(INSERT.format(text=_short(missing)), (Edit(Span(self.behind, self.behind), missing),), safe=False)
        message = UNCLOSED.format(wanted=_short(missing), found=char)
        self.add(Problem("json-syntax", span, message, (opened,), (fix,)))
        self.leave(self.stack[-1], span.end, reported=False)
        self.take(span)

    def leave(self, frame: _Frame, end: int, *, reported: bool) -> None:
        """Close the innermost bracket at `end`. reported: it has a problem that explains what is missing in it."""
        if frame.expects in (_COLON, _VALUE):
            if not reported:
                self.no_value(frame)
        elif frame.expects == _NEXT and frame.comma is not None and not reported:
            self.fault(frame.comma, TRAILING_COMMA, title=REMOVE.format(text=","), edit="")
        frame.node.span = Span(frame.node.span.start, end)
        self.stack.pop()
        self.open[frame.bracket] -= 1
        if self.stack:
            self.stack[-1].expects = _COMMA

    def content(self, frame: _Frame) -> None:
        """Take a key, or a value that is no bracket."""
        if frame.bracket == "[":
            self.before_value(frame)
            self.attach(self.scalar(), frame)
            return
        if frame.expects in (_COLON, _VALUE):
            start = self.at
            node = self.scalar(key=_BARE_KEY.match(self.text, start, self.stop) is not None)
            if _BEFORE_COLON.match(self.text, self.at, self.stop):
                # It is the next key: this one has no value, and that is the fault.
                self.no_value(frame)
                self.new_key(frame, node)
                return
            if frame.expects == _COLON:
                spot = frame.entry.key_span.end if frame.entry else start
                self.fault(
                    Span(start, node.span.end), NO_COLON, INSERT.format(text=":"), ":", Span(spot, spot), safe=False
                )
            self.attach(node, frame)
            return
        self.before_value(frame)
        self.new_key(frame, self.scalar(key=True))

    def before_value(self, frame: _Frame) -> None:
        """Report what is missing before a key or a value that begins here."""
        if frame.expects == _COMMA and self.open_ended != self.behind:
            spot = Span(self.behind, self.behind)
            on_line = not any(char in "\r\n" for char in self.text[self.behind : self.at])
            self.fault(
                Span(self.at, self.at + 1) if on_line else Span(max(self.start, self.behind - 1), self.behind),
                NO_COMMA,
                INSERT.format(text=","),
                ",",
                spot,
                safe=frame.bracket == "{" or not on_line,
            )
        elif frame.expects == _COLON and self.text[self.at] in "{[":
            end = frame.entry.key_span.end if frame.entry else self.at
            self.fault(Span(self.at, self.at + 1), NO_COLON, INSERT.format(text=":"), ":", Span(end, end), safe=False)
            frame.expects = _VALUE
        if frame.bracket == "{" and frame.expects in (_FIRST, _NEXT, _COMMA) and self.text[self.at] in "{[":
            if frame.expects != _COMMA:
                self.fault(Span(self.at, self.at + 1), NO_KEY)
            frame.node.broken = True
            frame.entry = None
        frame.comma = None

    def new_key(self, frame: _Frame, node: Scalar) -> None:
        """Begin an entry; its value is missing until it comes."""
        assert isinstance(frame.node, Mapping)
        name = node.raw
        value = Scalar(Span(node.span.end, node.span.end), None, "", missing=True, broken=True)
        entry = Entry(name, node.span, value)
        seen = frame.seen
        if seen is None:
            seen = frame.seen = {}
        index = seen.get(name)
        if index is not None:
            entries = frame.node.entries
            earlier = entries[index]
            following = entries[index + 1].key_span.start if index + 1 < len(entries) else node.span.start
            fix = Fix(REMOVE_EARLIER, (Edit(Span(earlier.key_span.start, following), ""),), safe=False)
            related = Related(self.first_line(earlier.key_span), EARLIER)
            message = DUPLICATE.format(name=_short(name))
            self.add(Problem("duplicate-key", self.first_line(node.span), message, (related,), (fix,)))
        seen[name] = len(frame.node.entries)
        frame.node.entries.append(entry)
        frame.entry = entry
        frame.expects = _COLON
        frame.comma = None

    def attach(self, node: Node, frame: _Frame | None) -> None:
        """Put a value where it is due."""
        if frame is None:
            self.root = node
            return
        if isinstance(frame.node, Sequence):
            frame.node.items.append(node)
        elif frame.entry is not None:
            frame.entry.value = node
        frame.entry = None
        frame.comma = None
        frame.expects = _COMMA

    def no_value(self, frame: _Frame) -> None:
        """Report that the last key has no value."""
        entry = frame.entry
        if entry is None:
            return
        self.fault(entry.key_span, NO_VALUE.format(name=_short(entry.key)))
        frame.entry = None

    def drop(self, length: int) -> None:
        """Report a sign that means nothing here, and go on behind it."""
        span = Span(self.at, self.at + length)
        found = span.of(self.text)
        self.fault(span, NOT_HERE.format(found=found), title=REMOVE.format(text=found), edit="", safe=False)
        self.take(span)

    def take(self, span: Span) -> None:
        """Go behind a sign."""
        self.at = self.behind = span.end

    def rest(self) -> None:
        """Report what follows the end of the value."""
        start = self.at
        end = self.stop
        while end > start and self.text[end - 1] in " \t\r\n":
            end -= 1
        shown = self.first_line(Span(start, end))
        fix = Fix(REMOVE_REST, (Edit(Span(self.behind, end), ""),), safe=False)
        self.add(Problem("json-syntax", shown, AFTER_END, (), (fix,)))

    def finish(self) -> None:
        """Report a text that ends too early, and close what is open."""
        if not self.stack:
            if self.root is None:
                self.add(Problem("json-syntax", Span(self.start, self.start), EMPTY))
            return
        closing = "".join(_CLOSING[frame.bracket] for frame in reversed(self.stack))
        if not self.cut:
            frame = self.stack[-1]
            opened = Related(Span(frame.node.span.start, frame.node.span.start + 1), OPENED_HERE)
            fixes: tuple[Fix, ...] = ()
            if frame.expects in (_FIRST, _COMMA):
                fixes = (
                    Fix(INSERT.format(text=closing), (Edit(Span(self.behind, self.behind), closing),), safe=False),
                )
            message = CUT.format(missing=_short(closing))
            self.add(Problem("json-syntax", Span(self.behind - 1, self.behind), message, (opened,), fixes))
        while self.stack:
            frame = self.stack[-1]
            frame.node.broken = True
            self.leave(frame, self.behind, reported=True)

    # ------------------------------------------------------------------ white space and comments

    def skip(self) -> None:
        """Go behind white space; report comments and white space of other kinds."""
        text, stop = self.text, self.stop
        while True:
            match = _SPACE.match(text, self.at, stop)
            self.at = match.end() if match else self.at
            if self.at >= stop:
                return
            char = text[self.at]
            if char in "/#":
                end = self.comment_end()
                if end is None:
                    return
                span = Span(self.at, end)
                self.comments.append(span)
                self.hidden(span)
                where = self.with_blanks(span)
                self.fault(span, COMMENT, title=REMOVE_COMMENT, edit="", where=where, safe=False)
                self.at = end
                continue
            if char > "~" or char < " ":
                odd = _ODD_SPACE.match(text, self.at, stop)
                if odd is not None:
                    span = Span(*odd.span())
                    new = " " if odd[0].isspace() else ""
                    title = REPLACE_SPACE if new else REMOVE_HIDDEN
                    self.fault(span, ODD_SPACE.format(name=_name_of(odd[0][0])), title=title, edit=new)
                    self.at = span.end
                    continue
            return

    def with_blanks(self, span: Span) -> Span:
        """Return what goes with a comment: its line if it stands alone there, the blanks before it if it ends its line."""
        text, (start, end) = self.text, span
        while start > self.start and text[start - 1] in " \t":
            start -= 1
        if end < self.stop and text[end] not in "\r\n":
            return span
        if start > self.start and text[start - 1] not in "\r\n":
            return Span(start, end)
        return Span(start, end + (2 if text.startswith("\r\n", end, self.stop) else 1 if end < self.stop else 0))

    def comment_end(self) -> int | None:
        """Return where the comment that begins here ends; None where there is none."""
        text = self.text
        if text.startswith("/*", self.at, self.stop):
            end = text.find("*/", self.at + 2, self.stop)
            return self.stop if end < 0 else end + 2
        if text[self.at] == "#" or text.startswith("//", self.at, self.stop):
            match = _LINE_COMMENT.match(text, self.at, self.stop)
            return match.end() if match else None
        return None

    # ------------------------------------------------------------------ scalars

    def scalar(self, *, key: bool = False) -> Scalar:
        """Take a string, a number or a literal, or what was written for one. key: a key is due here."""
        text, start = self.text, self.at
        char = text[start]
        if char == '"':
            return self.string(key=key)
        odd_quotes = _QUOTES.get(char)
        if odd_quotes is not None and self.no_quote.get(char, -1) <= start:
            match = odd_quotes.match(text, start, self.stop)
            if match is not None:
                return self.odd_string(Span(start, match.end()))
            self.no_quote[char] = self.line_end(start)
        if not key:
            match = _ATOM.match(text, start, self.stop)
            if match is not None and not _MORE_WORDS.match(text, match.end(), self.stop):
                self.take(Span(start, match.end()))
                return Scalar(Span(start, match.end()), _atom(match[0]), match[0])
            first = _FIRST_WORD.match(text, start, self.stop)
            if first is not None:
                found = self.foreign(Span(start, first.end()))
                if found is not None:
                    return found
        return self.words(key=key)

    def foreign(self, span: Span) -> Scalar | None:
        """Take a value of another language, or a number that JSON writes otherwise."""
        word = span.of(self.text)
        if word in _FOREIGN:
            mended = _FOREIGN[word]
            if mended is None:
                self.fault(span, NO_SUCH_VALUE.format(found=word), CHANGE.format(text="null"), "null", safe=False)
            else:
                self.fault(span, SPELLED.format(found=word, wanted=mended), CHANGE.format(text=mended), mended)
            self.take(span)
            value = _CERTAIN.get(mended or "")
            return Scalar(span, value, word, broken=value is None)
        mended = _mended_number(word)
        if mended is None:
            return None
        # Whether `010` is eight or ten, nobody but the author knows.
        certain = re.match(r"[+-]?0[0-9_]", word) is None
        self.fault(
            span,
            NUMBER.format(found=_short(word), wanted=_short(mended)),
            CHANGE.format(text=_short(mended)),
            mended,
            safe=certain,
        )
        self.take(span)
        return Scalar(span, _atom(mended), mended, broken=not certain)

    def words(self, *, key: bool) -> Scalar:
        """Take text that should stand in quotes."""
        text, start = self.text, self.at
        match = (_KEY_WORDS if key else _VALUE_WORDS).match(text, start, self.stop)
        end = match.end() if match is not None else start + 1
        raw = text[start:end].rstrip()
        span = Span(start, start + max(1, len(raw)))
        self.take(span)
        quoted = json.dumps(raw, ensure_ascii=False)
        if raw.strip("+-*/&|<>!?()^%@~`.'=\\_") == "":
            self.fault(span, NOT_HERE.format(found=_short(raw)), REMOVE.format(text=_short(raw)), "", safe=False)
            return Scalar(span, raw, raw, "double", broken=True)
        message = KEY_WITHOUT_QUOTES if key else TEXT_WITHOUT_QUOTES
        self.fault(
            span,
            message.format(found=_short(raw)),
            QUOTE.format(text=_short(quoted)),
            quoted,
            safe=_WORD.fullmatch(raw) is not None,
        )
        self.hidden(span)
        return Scalar(span, raw, raw, "double")

    def odd_string(self, span: Span) -> Scalar:
        """Take a string in quotes of another kind."""
        inner = self.text[span.start + 1 : span.end - 1]
        quote = self.text[span.start]
        body = re.sub(r"\\([^\r\n])|(\")", lambda m: '\\"' if m[2] else m[1] if m[1] == quote else m[0], inner)
        source = '"' + re.sub("[\x00-\x1f]", lambda m: json.dumps(m[0])[1:-1], body) + '"'
        quotes = SINGLE_QUOTES if quote == "'" else SMART_QUOTES
        self.odd_quotes.setdefault(quotes, []).append(Edit(span, source))
        self.hidden(Span(span.start + 1, span.end - 1))
        self.take(span)
        value, _ = _decoded(source, 1, len(source) - 1)
        return Scalar(span, value, value, "double")

    def string(self, *, key: bool) -> Scalar:
        """Take a string in double quotes; one without an end goes to the end of its line."""
        text, start = self.text, self.at
        body = _STRING_BODY.match(text, start + 1, self.stop)
        end = body.end() if body else start + 1
        if text.startswith('"', end, self.stop):
            return self.closed_string(Span(start, end + 1))
        line_end = self.line_end(start)
        close = self.quote_after(line_end)
        if close is not None:
            return self.closed_string(Span(start, close + 1))
        return self.open_string(start, line_end, key=key)

    def closed_string(self, span: Span) -> Scalar:
        """Take a string whose end is known; report what may not stand in it."""
        inner = Span(span.start + 1, span.end - 1)
        self.take(span)
        self.hidden(inner, closed=True)
        value = inner.of(self.text)
        if "\\" in value or not value.isprintable():
            value, faults = _decoded(self.text, inner.start, inner.end)
            self.report_inside(span, faults)
        return Scalar(span, value, value, "double")

    def open_string(self, start: int, line_end: int, *, key: bool) -> Scalar:
        """Take a string without a closing quote: a key goes to its colon, text to the end of the line."""
        text = self.text
        end = line_end
        if key:
            colon = text.find(":", start, line_end)
            end = colon if colon >= 0 else line_end
        while end > start + 1 and text[end - 1] in " \t,":
            end -= 1
        span = Span(start, end)
        fix = Fix(INSERT.format(text='"'), (Edit(Span(end, end), '"'),), safe=False)
        self.add(Problem("json-syntax", span, NO_QUOTE, (), (fix,)))
        self.hidden(span)
        self.take(span)
        self.open_ended = span.end
        rest = _SPACE.match(text, line_end, self.stop)
        self.cut = end == line_end and (rest.end() if rest else line_end) >= self.stop
        value, _ = _decoded(text, start + 1, end)
        return Scalar(span, value, value, "double", broken=True)

    def report_inside(self, span: Span, faults: list[_InString]) -> None:
        """Report the faults inside of one string: all control characters together, each bad escape alone."""
        controls = [fault for fault in faults if fault.kind in ("line", "control")]
        if controls:
            first = controls[0]
            lines = [fault for fault in controls if fault.kind == "line"]
            message = LINE_IN_STRING if lines else CONTROL_IN_STRING.format(wanted=first.mended)
            if lines:
                where = self.first_line(span)
            else:
                where = first.span
            edits = tuple(Edit(fault.span, fault.mended) for fault in controls)
            self.add(Problem("json-syntax", where, message, (), (Fix(ESCAPE, edits),)))
        for fault in faults:
            if fault.kind == "escape":
                found = fault.span.of(self.text)
                title = CHANGE.format(text=fault.mended)
                self.fault(fault.span, BAD_ESCAPE.format(found=found), title, fault.mended, safe=fault.certain)
            elif fault.kind == "half":
                self.add(Problem("json-syntax", fault.span, HALF, minor=True))

    def quote_after(self, line_end: int) -> int | None:
        """Return the place of the next quote behind a line, if a string that goes over several lines may end there."""
        low, high = self.no_close
        if not low <= line_end <= high:
            match = _TO_QUOTE.match(self.text, line_end, self.stop)
            high = match.end() if match else self.stop
            self.no_close = (line_end, high)
            self.closes = high < self.stop and _BEHIND_STRING.match(self.text, high + 1, self.stop) is not None
        return high if self.closes else None

    # ------------------------------------------------------------------ small things

    def hidden(self, span: Span, *, closed: bool = False) -> None:
        """Report characters that cannot be seen. closed: in a string, where nothing else changes without them."""
        if self.text.isascii():
            return
        for place in hidden_characters(self.text, span):
            safe = closed and self.text[place.start - 1] != "\\"
            fix = Fix(REMOVE_HIDDEN, (Edit(place, ""),), safe)
            message = HIDDEN.format(names=hidden_names(place.of(self.text)))
            self.add(Problem("hidden-character", place, message, (), (fix,)))

    def add(self, problem: Problem) -> None:
        """Take note of a problem. Of those that are not shown one is kept, a grave one if there is any."""
        code = problem.code
        count = self.counts[code] = self.counts.get(code, 0) + 1
        if count <= MAX_OF_A_KIND:
            self.problems.append(problem)
        elif code not in self.left or (self.left[code].minor and not problem.minor):
            self.left[code] = problem

    def fault(
        self,
        span: Span,
        message: Text,
        title: Text | None = None,
        edit: str | None = None,
        where: Span | None = None,
        *,
        safe: bool = True,
    ) -> None:
        """Take note of a fault. edit: what is to stand in its place, or at `where`."""
        left = self.left.get("json-syntax")
        if left is not None and not left.minor:
            self.counts["json-syntax"] += 1
            return
        fixes: tuple[Fix, ...] = ()
        if edit is not None:
            fixes = (Fix(title or CHANGE.format(text=edit), (Edit(where or span, edit),), safe),)
        self.add(Problem("json-syntax", self.first_line(span), message, (), fixes))

    def line_end(self, at: int) -> int:
        """Return the end of the line that `at` is on."""
        match = _LINE.match(self.text, at, self.stop)
        return match.end() if match else at

    def first_line(self, span: Span) -> Span:
        """Cut a span to its first line."""
        match = _LINE.match(self.text, span.start, span.end)
        return Span(span.start, match.end() if match else span.end)


class _InString(NamedTuple):
    """Something in a string that may not stand there as it does. certain: `mended` is plainly what was meant."""

    kind: str
    span: Span
    mended: str
    certain: bool = False


def _decoded(text: str, start: int, end: int) -> tuple[str, list[_InString]]:
    """Return what the inside of a string means, and its faults; an escape that JSON lacks stands for itself."""
    parts: list[str] = []
    faults: list[_InString] = []
    at = start
    for match in _ESCAPE.finditer(text, start, end):
        if match.start() < at:
            continue
        parts.append(text[at : match.start()])
        at = match.end()
        span = Span(*match.span())
        if match["one"]:
            parts.append(_ESCAPED[match["one"]])
        elif match["high"]:
            high, low = int(match["high"], 16), int(match["low"], 16)
            parts.append(chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)))
        elif match["code"]:
            char = chr(int(match["code"], 16))
            parts.append(char)
            if "\ud800" <= char <= "\udfff":
                faults.append(_InString("half", span, ""))
        elif match["line"]:
            parts.append("\n")
            faults.append(_InString("line", span, "\\n"))
        elif match["control"]:
            parts.append(match[0])
            faults.append(_InString("control", span, json.dumps(match[0])[1:-1]))
        elif match["half"]:
            parts.append(match[0])
            faults.append(_InString("half", span, ""))
        else:
            fault, value = _bad_escape(text, span, end)
            at = fault.span.end
            parts.append(value)
            faults.append(fault)
    parts.append(text[at:end])
    return "".join(parts), faults


def _bad_escape(text: str, span: Span, end: int) -> tuple[_InString, str]:
    """Return the fault of an escape that JSON lacks, and what it stands for."""
    source = span.of(text)
    hexed = _HEX_ESCAPE.match(text, span.start, end)
    if hexed is not None:
        char = chr(int(hexed[1], 16))
        return _InString("escape", Span(*hexed.span()), f"\\u00{hexed[1].lower()}", certain=True), char
    known = _FOREIGN_ESCAPES.get(source[1:])
    if known is not None:
        return _InString("escape", span, known, certain=known == "'"), json.loads(f'"{known}"')
    return _InString("escape", span, "\\" + source), source


def _atom(source: str) -> object:
    """Return the value of a number or a literal. A number of more digits than Python converts is a float, as in JavaScript."""
    if source in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[source]
    if not any(char in ".eE" for char in source):
        try:
            return int(source)
        except ValueError:
            return float(source)
    return float(source)


def _mended_number(word: str) -> str | None:
    """Return how JSON writes a number of other languages; None where it is none."""
    match = _LOOSE_NUMBER.fullmatch(word)
    if match is None:
        return None
    sign = "-" if match["sign"] == "-" else ""
    if match["hex"]:
        return f"{sign}{int(match['hex'], 16)}" if len(match["hex"]) <= 100 else None
    if not match["whole"] and not match["part"]:
        return None
    whole = (match["whole"] or "").replace("_", "").lstrip("0") or "0"
    part = (match["part"] or "").replace("_", "")
    return f"{sign}{whole}{'.' + part if part else ''}{match['power'] or ''}"


def _name_of(char: str) -> str:
    """Name a character that cannot be seen, such as `U+00A0 NO-BREAK SPACE`."""
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()


def _short(text: str) -> str:
    """Cut a text to what fits into a sentence."""
    return text if len(text) <= 60 else text[:59] + "…"


EMPTY = Text("the file is empty; JSON needs a value, such as `{}`", "文件是空的；JSON 至少要有一个值，例如 `{}`")
COMMENT = Text("JSON has no comments", "JSON 不支持注释")
TRAILING_COMMA = Text("JSON allows no comma behind the last entry", "JSON 的最后一项后面不能有逗号")
EXTRA_COMMA = Text("there is a comma too many", "多了一个逗号")
NO_COMMA = Text("a comma is missing between two entries", "两项之间缺少逗号")
NO_COLON = Text("a colon is missing between the key and its value", "键和值之间缺少冒号")
NO_KEY = Text("a key is missing before this value", "这个值前面缺少键")
NO_VALUE = Text("`{name}` has no value", "`{name}` 没有值")
PAIR_IN_LIST = Text(
    "a list has no keys; use `{{` and `}}` for keys with values", "列表里没有键；带键的内容请放在 `{{` `}}` 中"
).format()
SINGLE_QUOTES = Text("JSON has double quotes only", "JSON 只能用双引号")
SMART_QUOTES = Text('these are typographic quotes; JSON has `"` only', '这是弯引号；JSON 只能用 `"`')
KEY_WITHOUT_QUOTES = Text("the key `{found}` must stand in double quotes", "键 `{found}` 必须放在双引号中")
TEXT_WITHOUT_QUOTES = Text("the text `{found}` must stand in double quotes", "文本 `{found}` 必须放在双引号中")
NO_QUOTE = Text("the closing quote of this text is missing", "这段文本缺少右引号")
LINE_IN_STRING = Text(
    "a text cannot go over several lines; write `\\n` for a line break", "文本不能跨行；换行请写成 `\\n`"
)
CONTROL_IN_STRING = Text(
    "a control character cannot stand in a text as it is; write `{wanted}`",
    "文本中不能直接出现控制字符；请写成 `{wanted}`",
)
BAD_ESCAPE = Text(
    "JSON has no escape `{found}`; a backslash itself is written `\\\\`",
    "JSON 没有转义 `{found}`；反斜杠本身要写成 `\\\\`",
)
HALF = Text(
    "this is half of a character (a lone surrogate) and shows as nothing", "这只是半个字符（不成对的代理项），无法显示"
)
NO_SUCH_VALUE = Text("JSON has no `{found}`", "JSON 没有 `{found}`")
SPELLED = Text("JSON writes `{wanted}`, not `{found}`", "JSON 中应写 `{wanted}`，而不是 `{found}`")
NUMBER = Text(
    "JSON writes this number as `{wanted}`, not `{found}`", "JSON 中这个数字应写成 `{wanted}`，而不是 `{found}`"
)
STAND_IN = Text("`{found}` stands where JSON has `{wanted}`", "这里的 `{found}` 应当是 `{wanted}`")
ODD_SPACE = Text("{name} is no white space in JSON", "{name} 在 JSON 中不能作为空白")
NOT_HERE = Text("`{found}` does not belong here", "此处不应有 `{found}`")
UNCLOSED = Text("`{wanted}` is missing before this `{found}`", "这个 `{found}` 之前缺少 `{wanted}`")
WRONG_BRACKET = Text("`{wanted}` is due here, not `{found}`", "此处应当是 `{wanted}`，而不是 `{found}`")
OPENED_HERE = Text("opened here", "在这里打开")
AFTER_END = Text("something follows the end of the JSON value", "JSON 值结束之后还有内容")
CUT = Text("the text ends too early: `{missing}` is missing", "文本提前结束：缺少 `{missing}`")
TOO_DEEP = Text(
    "more than {limit} brackets stand inside of each other; what is deeper is not read",
    "括号嵌套超过 {limit} 层；更深的内容不再读取",
)
DUPLICATE = Text(
    "`{name}` is already set in this mapping, and the last one counts; keep one of the two",
    "`{name}` 在这个映射里已经设置过，以最后一个为准；请只保留一个",
)
EARLIER = Text("set here before, without effect", "之前在这里设置，不起作用")
HIDDEN = Text("hidden character {names}; remove it", "隐藏字符 {names}；请删除它")
MORE = Text("{count} more findings of `{code}` are not listed", "还有 {count} 处 `{code}` 没有列出")
INSERT = Text("Add `{text}`", "添加 `{text}`")
CHANGE = Text("Change to `{text}`", "改为 `{text}`")
REMOVE = Text("Remove `{text}`", "删除 `{text}`")
DOUBLE_QUOTES = Text("Use double quotes everywhere", "全部改为双引号")
QUOTE = Text("Put it in quotes: `{text}`", "加上引号：`{text}`")
ESCAPE = Text("Write it as an escape", "改写为转义")
REMOVE_COMMENT = Text("Remove the comment", "删除这条注释")
REMOVE_EARLIER = Text("Remove the one that has no effect", "删除不起作用的那一个")
REMOVE_REST = Text("Remove what follows the end", "删除结尾之后的内容")
REMOVE_HIDDEN = Text("Remove the hidden characters", "删除隐藏字符")
REPLACE_SPACE = Text("Put a plain space here", "改为普通空格")
