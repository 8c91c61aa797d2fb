"""The simple commands of a shell line, as `shell_regex` searches them.

A line is read as POSIX shell with bash's extensions; every simple command becomes its words after quote removal, joined
by one space, white space inside a word shown as U+00A0 (style.md section 5 [R]). Reading leans to the side of a guard:
what might run is listed, what only mentions a command (quoted text, comments, data of here-documents) is not.

Decided here [R]: an empty word (`''`) leaves no trace, so that two spaces never stand together; a carriage return is a
blank; a NUL ends a line and is also tried as if it were not there; `((...))` is arithmetic. Not followed: brace expansion,
`$IFS`, variables, text that a program prints into a shell (`echo ... | sh`), scripts, aliases. A pattern is no sandbox.

Nothing here expands, runs or opens anything, raises on any text, or takes more than linear time.
"""

from __future__ import annotations

MAX_DEPTH = 8  # Source: style.md section 5 [R]: nesting is followed to depth 8

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh"))

# Wrappers: (short options with a value, long options with a value, operands before the command, `NAME=value` may stand
# before the command, short options with which nothing runs). Source: style.md section 5 names the programs [R]; options
# from the manual pages of sudo 1.9, OpenBSD doas, GNU coreutils 9, findutils 4.9, util-linux 2.38, BSD env and xargs.
WRAPPERS = {
    "sudo": (
        "acCDghpRrTtUu",
        (
            *("auth-type", "chdir", "chroot", "close-from", "command-timeout", "group", "host", "login-class"),
            *("other-user", "prompt", "role", "type", "user"),
        ),
        0,
        True,
        "eV",
    ),
    "doas": ("aCu", (), 0, False, ""),
    "env": ("aCPu", ("argv0", "chdir", "unset"), 0, True, ""),
    "command": ("", (), 0, False, "vV"),
    "exec": ("a", (), 0, False, ""),
    "builtin": ("", (), 0, False, ""),
    "nohup": ("", (), 0, False, ""),
    "nice": ("n", ("adjustment",), 0, False, ""),
    "ionice": ("cn", ("class", "classdata"), 0, False, "pPu"),
    "timeout": ("ks", ("kill-after", "signal"), 1, False, ""),
    "time": ("fo", ("format", "output"), 0, False, ""),
    "stdbuf": ("eio", ("error", "input", "output"), 0, False, ""),
    "setsid": ("", (), 0, False, ""),
    "xargs": (
        "adEIJLnPRSs",
        ("arg-file", "delimiter", "max-args", "max-chars", "max-procs", "process-slot-var"),
        0,
        False,
        "",
    ),
}
_FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))

_BLANK = frozenset(" \t\r")
# Characters at which the plain part of a word ends.
_SPECIAL = frozenset(" \t\r\n;&|<>()'\"\\$`")
_IN_DOUBLE = frozenset('"\\$`')
# What the quick way through a plain command must not meet.
_NOT_QUICK = frozenset("&|<>()'\"\\$`#{}[]=!")
_NAME_START = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_NAME = _NAME_START | frozenset("0123456789")
# Words that stand in front of a command and leave no trace.
_LEADING = frozenset(("if", "then", "else", "elif", "do", "while", "until", "{", "!", "fi", "done", "}"))
_KEYWORDS = frozenset(("case", "coproc", "esac", "for", "function", "in", "select", "time")) | _LEADING
_COMPOUND = frozenset(("{", "(", "if", "while", "until", "for", "case", "select", "[["))
_INNER_SPACE = dict.fromkeys(
    (9, 10, 11, 12, 13, 32, 0x85, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000), "\xa0"
)
_ANSI_C = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

_SUBSHELL, _CASE_PATTERN, _CASE_BODY = 1, 2, 3
_PLAIN, _FOR, _CASE = 0, 1, 2


class Commands:
    """What a shell line runs.

    commands: the normalised simple commands, each once, in the order of reading: a command, what it wraps, what is
        substituted in it. complete: false if the text could not be read to the end as shell, or nests deeper than
        MAX_DEPTH; then the caller matches the raw text as well. origins: for each command how it came to be one: `line`,
        `base name`, `wrapper`, `-c`, `eval`, `trap`, `here-document`, `here-string` or `substitution`.
    """

    __slots__ = ("commands", "complete", "origins")

    def __init__(self, commands: list[str], origins: list[str], complete: bool) -> None:
        self.commands = commands
        self.origins = origins
        self.complete = complete


def commands(text: str) -> Commands:
    """Return the simple commands of a shell line; see the module for what counts as one.

    Source: style.md section 5, `shell_regex` [R].
    """
    run = _Run(len(text))
    if "\0" in text:
        _list_commands(run, text.replace("\0", "\n"), 0, "line")
        text = text.replace("\0", "")
    _list_commands(run, text, 0, "line")
    return Commands(list(run.found), list(run.found.values()), run.complete)


def may_contain(raw: bytes, pieces: tuple[bytes, ...]) -> bool:
    """Tell whether a shell line in the JSON text `raw` can have a normalised command with one of `pieces` in it.

    A false answer is a proof. `pieces` come from `text.patterns.gate_literals`: printable ASCII without white space,
    quotes, backslash and `$`, so a piece lies inside one word. Between its characters the line may hold quotes,
    backslashes and `$` (taken out here), and a backslash with a line break (then the answer is true unseen); `$'...'` can
    spell any character (true as well). JSON hides ASCII only in `\\u00..` escapes (true as well).
    """
    if b"\\u00" in raw or (b"\\\\" in raw and b"\\n" in raw):
        return True
    bare = raw.translate(None, b"'\"\\$")
    for piece in pieces:
        if piece in bare:
            return True
    return b"$'" in raw.translate(None, b'"\\')


class _Run:
    """What all readers of one line share."""

    __slots__ = ("budget", "complete", "found")

    def __init__(self, length: int) -> None:
        self.found: dict[str, str] = {}
        self.complete = True
        # Characters that may be looked at beyond the first reading; nested strings are read again at each level.
        self.budget = 8 * length + 100_000

    def spend(self, characters: int) -> bool:
        """Take from the budget; false, and the reading is incomplete, if it is used up."""
        self.budget -= characters
        if self.budget < 0:
            self.complete = False
            return False
        return True

    def add(self, words: list[_Word], origin: str) -> None:
        """Record a command made of these words."""
        line = " ".join([word.shown() for word in words if word.value])
        if line and line not in self.found:
            self.found[line] = origin


class _Word:
    """A word after quote removal; expansions keep their source text."""

    __slots__ = ("plain", "value")

    def __init__(self, value: str, plain: bool) -> None:
        self.value = value
        self.plain = plain

    def shown(self) -> str:
        """Return the word with its white space as U+00A0."""
        return self.value if self.plain and self.value.isprintable() else self.value.translate(_INNER_SPACE)


class _HereDocument:
    __slots__ = ("body", "delimiter", "expands", "strips_tabs")

    def __init__(self, delimiter: str, expands: bool, strips_tabs: bool) -> None:
        self.delimiter = delimiter
        self.expands = expands
        self.strips_tabs = strips_tabs
        self.body = ""


class _Simple:
    """A simple command while it is read: `nested` are the commands substituted in its words and redirections."""

    __slots__ = ("documents", "kind", "nested", "piped", "strings", "words")

    def __init__(self) -> None:
        self.words: list[_Word] = []
        self.nested: list[_Simple] = []
        self.documents: list[_HereDocument] = []
        self.strings: list[str] = []
        self.piped = False
        self.kind = _PLAIN


# ---- from read commands to lines -------------------------------------------------------------------------------------


def _list_commands(run: _Run, text: str, depth: int, origin: str) -> None:
    """Read `text` as a whole script and record what it runs."""
    if depth > MAX_DEPTH:
        run.complete = False
        return
    if depth and not run.spend(len(text)):
        return
    reader = _Reader(run, text, depth)
    _record(run, reader.read_list(False), depth, origin)


def _record(run: _Run, simples: list[_Simple], depth: int, origin: str) -> None:
    count = len(simples)
    fed = [False] * count  # the command runs what it reads from its standard input
    for i, simple in enumerate(simples):
        if simple.words:
            fed[i] = _record_words(run, simple.words, depth, origin)
        if simple.nested:
            _record(run, simple.nested, depth + 1, "substitution")
    for i, simple in enumerate(simples):
        if not simple.documents and not simple.strings:
            continue
        last = i
        while last + 1 < count and simples[last].piped and not fed[last]:
            last += 1
        for document in simple.documents:
            if fed[last]:
                _list_commands(run, document.body, depth + 1, "here-document")
            elif document.expands and ("$" in document.body or "`" in document.body):
                if depth < MAX_DEPTH and run.spend(len(document.body)):
                    reader = _Reader(run, document.body, depth)
                    reader.read_expansions()
                    _record(run, reader.nested, depth + 1, "substitution")
                else:
                    run.complete = False
        if fed[last]:
            for text in simple.strings:
                _list_commands(run, text, depth + 1, "here-string")


def _record_words(run: _Run, words: list[_Word], depth: int, origin: str) -> bool:
    """Record a command and everything that it wraps; tell whether one of them is a shell that reads its input."""
    fed = False
    todo = [(words, depth, origin)]
    while todo:
        words, depth, origin = todo.pop()
        if depth > MAX_DEPTH:
            run.complete = False
            continue
        if not words:
            continue
        run.add(words, origin)
        name = words[0].value
        base = _base_name(name)
        if base != name:
            run.add([_Word(base, False), *words[1:]], "base name")
        if base in WRAPPERS:
            todo.append((_wrapped(base, words), depth + 1, "wrapper"))
        elif base == "find":
            todo.extend([(inner, depth + 1, "wrapper") for inner in reversed(_run_by_find(words))])
        elif base in SHELLS:
            text, reads_input = _shell_argument(words)
            fed = fed or reads_input
            if text:
                _list_commands(run, text, depth + 1, "-c")
        elif base == "eval":
            _list_commands(run, " ".join([word.value for word in words[1:]]), depth + 1, "eval")
        elif base == "trap":
            operands = [word.value for word in words[1:] if word.value != "--"]
            if len(operands) > 1 and not operands[0].startswith("-"):
                _list_commands(run, operands[0], depth + 1, "trap")
        elif base in (".", "source"):
            fed = fed or (len(words) > 1 and words[1].value == "/dev/stdin")
    return fed


def _base_name(name: str) -> str:
    if "/" in name or "\\" in name:
        name = name.replace("\\", "/").rstrip("/").rpartition("/")[2] or name
    if name[-4:].lower() == ".exe" and len(name) > 4:
        return name[:-4]
    return name


def _wrapped(name: str, words: list[_Word]) -> list[_Word]:
    """Return the words of the command that a wrapper runs; empty if it runs none."""
    short, long, operands, assignments, silent = WRAPPERS[name]
    i = 1
    splits = 0
    while i < len(words):
        value = words[i].value
        if value == "--":
            i += 1
            break
        if assignments and _is_assignment(value):
            i += 1
            continue
        if value == "-" and name == "env":
            i += 1
            continue
        if len(value) < 2 or value[0] != "-":
            break
        if value.startswith("--"):
            key, equals, attached = value[2:].partition("=")
            if name == "env" and key == "split-string":
                splits += 1
                words, i = _env_split(words, i, attached, bool(equals))
            else:
                i += 1 if equals or key not in long else 2
            continue
        step = 1
        for at in range(1, len(value)):
            letter = value[at]
            if letter in silent:
                return []
            if letter == "S" and name == "env":
                splits += 1
                words, i = _env_split(words, i, value[at + 1 :], at + 1 < len(value))
                step = 0
                break
            if letter in short:
                step = 1 if at + 1 < len(value) else 2
                break
        i += step
        if splits > MAX_DEPTH:
            break
    i += operands
    if assignments:
        while i < len(words) and _is_assignment(words[i].value):
            i += 1
    return words[i:]


def _env_split(words: list[_Word], i: int, attached: str, is_attached: bool) -> tuple[list[_Word], int]:
    """Put the words of env's `-S string` in the place of the option; reading goes on at the same offset."""
    text, rest = (attached, i + 1) if is_attached else (words[i + 1].value if i + 1 < len(words) else "", i + 2)
    return [*words[:i], *_split_words(text), *words[rest:]], i


def _split_words(text: str) -> list[_Word]:
    """Split as `env -S` does: white space, both quotes, backslash."""
    found: list[_Word] = []
    parts: list[str] = []
    inside = ""
    open_word = False
    i, length = 0, len(text)
    while i < length:
        char = text[i]
        i += 1
        if char == "\\" and i < length and inside != "'":
            char = text[i]
            i += 1
            if char == "_" and not inside:
                char = ""
                if open_word:
                    found.append(_Word("".join(parts), False))
                    parts, open_word = [], False
                continue
            parts.append(_ANSI_C.get(char, char) if char in "fnrtv" else char)
            open_word = True
        elif inside:
            if char == inside:
                inside = ""
            else:
                parts.append(char)
        elif char in "'\"":
            inside = char
            open_word = True
        elif char in " \t\n\r\v\f":
            if open_word:
                found.append(_Word("".join(parts), False))
                parts, open_word = [], False
        else:
            parts.append(char)
            open_word = True
    if open_word:
        found.append(_Word("".join(parts), False))
    return found


def _run_by_find(words: list[_Word]) -> list[list[_Word]]:
    found: list[list[_Word]] = []
    i = 1
    while i < len(words):
        if words[i].value in _FIND_RUNS:
            start = i + 1
            i = start
            while i < len(words) and words[i].value != ";":
                if words[i].value == "+" and words[i - 1].value == "{}":
                    break
                i += 1
            found.append(words[start:i])
        i += 1
    return found


def _shell_argument(words: list[_Word]) -> tuple[str, bool]:
    """Return the text after a shell's `-c`, and whether the shell reads commands from its input."""
    takes_text = reads_input = False
    i = 1
    while i < len(words):
        value = words[i].value
        if value in ("-", "--"):
            i += 1
            break
        if len(value) < 2 or value[0] not in "-+":
            break
        i += 1
        if value.startswith("--"):
            if value in ("--rcfile", "--init-file"):
                i += 1
            continue
        if value[0] == "-":
            takes_text = takes_text or "c" in value
            reads_input = reads_input or "s" in value
        # `-o pipefail`, `-O extglob`: an option name follows for each of them.
        i += value.count("o") + value.count("O")
    if takes_text:
        return (words[i].value if i < len(words) else ""), False
    return "", reads_input or i >= len(words) or words[i].value == "/dev/stdin"


def _is_assignment(text: str) -> bool:
    """Tell whether a word is `NAME=...`, `NAME+=...` or `NAME[...]=...`."""
    if text[:1] not in _NAME_START or "=" not in text:
        return False
    i = 1
    while text[i] in _NAME:
        i += 1
    if text[i] == "[":
        close = text.find("]", i)
        if close < 0 or close + 1 >= len(text):
            return False
        i = close + 1
    if text[i] == "+" and text[i + 1 : i + 2] == "=":
        return True
    return text[i] == "="


# ---- the reader ------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads one text. `nested` collects the commands substituted in what is being read."""

    __slots__ = ("at", "depth", "length", "nested", "pending", "run", "text")

    def __init__(self, run: _Run, text: str, depth: int) -> None:
        self.run = run
        self.text = text
        self.length = len(text)
        self.at = 0
        self.depth = depth
        self.nested: list[_Simple] = []
        self.pending: list[_HereDocument] = []

    def read_list(self, closes: bool) -> list[_Simple]:
        """Read commands to the end of the text or, with `closes`, to the `)` that ends a substitution (and behind it)."""
        text, length = self.text, self.length
        simples: list[_Simple] = []
        frames: list[int] = []
        outer = self.nested
        simple = _Simple()
        self.nested = simple.nested

        def finish(piped: bool = False) -> _Simple:
            if simple.kind != _PLAIN:
                simple.words = []
            if simple.words or simple.nested or simple.documents or simple.strings:
                simple.piped = piped
                simples.append(simple)
                fresh = _Simple()
                self.nested = fresh.nested
                return fresh
            if piped and simples:
                simples[-1].piped = True
            simple.kind = _PLAIN
            return simple

        semicolon = newline = -1
        seen: set[str] = set()  # plain commands that are in `simples`
        while True:
            i = self._skip_blanks(self.at)
            self.at = i
            if i >= length:
                break
            char = text[i]
            if not simple.words and simple.kind == _PLAIN and not (frames and frames[-1] == _CASE_PATTERN):
                # The quick way: a command of plain words up to a semicolon or line break is split in one go.
                if semicolon < i:
                    semicolon = text.find(";", i)
                    semicolon = length if semicolon < 0 else semicolon
                if newline < i:
                    newline = text.find("\n", i)
                    newline = length if newline < 0 else newline
                end = semicolon if semicolon < newline else newline
                if end - i < 2000:
                    part = text[i:end]
                    if part.isascii() and part.isprintable() and _NOT_QUICK.isdisjoint(part):
                        if part in seen and not (simples and simples[-1].piped):
                            self.at = end
                            continue
                        values = part.split()
                        if values and values[0] not in _KEYWORDS:
                            seen.add(part)
                            simple.words = [_Word(value, True) for value in values]
                            self.at = end
                            continue
            if char == "\n":
                self.at = i + 1
                if simple.kind != _CASE:
                    simple = finish()
                if self.pending:
                    self._read_documents()
                continue
            if char == "#":
                end = text.find("\n", i)
                self.at = end if end >= 0 else length
                continue
            if frames and frames[-1] == _CASE_PATTERN:
                self._read_case_pattern(frames, char)
                continue
            if char == ";":
                simple = finish()
                self.at = i + 1
                if text[i + 1 : i + 2] in (";", "&") and frames and frames[-1] == _CASE_BODY:
                    self.at = i + (3 if text.startswith(";;&", i) else 2)
                    frames[-1] = _CASE_PATTERN
                continue
            if char == "&":
                if text[i + 1 : i + 2] == ">":
                    self.at = i + (3 if text.startswith("&>>", i) else 2)
                    self._read_target()
                    continue
                simple = finish()
                self.at = i + (2 if text[i + 1 : i + 2] == "&" else 1)
                continue
            if char == "|":
                double = text[i + 1 : i + 2] == "|"
                simple = finish(piped=not double)
                self.at = i + (2 if double or text[i + 1 : i + 2] == "&" else 1)
                continue
            if char == "(":
                self.at = i + 1
                if text[i + 1 : i + 2] == "(" and not simple.words and self._skip_arithmetic(i):
                    continue
                if len(simple.words) == 1 and simple.kind == _PLAIN:
                    close = self._skip_blanks(i + 1)
                    if text[close : close + 1] == ")":
                        simple.words = []  # the name of a function that is being defined
                        self.at = close + 1
                        continue
                if simple.words:
                    self.run.complete = False
                simple = finish()
                frames.append(_SUBSHELL)
                continue
            if char == ")":
                simple = finish()
                self.at = i + 1
                if _SUBSHELL in frames:
                    while frames.pop() != _SUBSHELL:
                        self.run.complete = False
                    continue
                if closes:
                    if frames:
                        self.run.complete = False
                    self.nested = outer
                    return simples
                self.run.complete = False
                continue
            if char in "<>" and text[i + 1 : i + 2] != "(":
                self._read_redirection(simple)
                continue
            start = i
            word = self._read_word()
            i = self.at
            if i == start:
                self.at = i + 1
                continue
            source = text[start:i]
            redirects = i < length and text[i] in "<>" and text[i + 1 : i + 2] != "("
            if redirects and (source.isdigit() or (source[0] == "{" and source[-1] == "}")):
                continue  # the number of a redirection
            if not simple.words:
                if simple.kind == _PLAIN:
                    if source in _LEADING:
                        continue
                    if self._read_keyword(source, simple, frames):
                        continue
                    if _is_assignment(source):
                        continue
            elif simple.kind == _CASE:
                if source == "in":
                    frames.append(_CASE_PATTERN)
                    simple = finish()
                    continue
            elif simple.kind == _FOR and source == "do" and len(simple.words) == 1:
                simple = finish()
                continue
            simple.words.append(word)
        finish()
        if closes or _SUBSHELL in frames or _CASE_PATTERN in frames:
            self.run.complete = False
        self.nested = outer
        return simples

    def read_expansions(self) -> None:
        """Read the whole text as the body of a here-document, for its substitutions only."""
        parts: list[str] = []
        i, length, text = 0, self.length, self.text
        while i < length:
            char = text[i]
            if char == "\\":
                i += 2
            elif char == "$":
                i = self._read_dollar(i, parts, True)
            elif char == "`":
                i = self._read_backticks(i, parts, True)
            else:
                i += 1

    # -- pieces of a list --

    def _skip_blanks(self, i: int) -> int:
        text, length = self.text, self.length
        while i < length:
            char = text[i]
            if char in _BLANK:
                i += 1
            elif char == "\\" and text[i + 1 : i + 2] == "\n":
                i += 2
            elif char == "\\" and text[i + 1 : i + 3] == "\r\n":
                i += 3
            else:
                break
        return i

    def _read_keyword(self, source: str, simple: _Simple, frames: list[int]) -> bool:
        """Deal with a reserved word that changes what follows; false if the word is none."""
        if source == "case":
            simple.kind = _CASE
        elif source in ("for", "select", "in"):
            simple.kind = _FOR
            i = self._skip_blanks(self.at)
            if self.text.startswith("((", i):
                self._skip_arithmetic(i)
        elif source == "esac":
            if _CASE_BODY in frames:
                while frames.pop() != _CASE_BODY:
                    self.run.complete = False
        elif source == "function":
            self.at = self._skip_blanks(self.at)
            self._read_word()
            i = self._skip_blanks(self.at)
            if self.text[i : i + 1] == "(":
                close = self._skip_blanks(i + 1)
                if self.text[close : close + 1] == ")":
                    self.at = close + 1
        elif source == "time":
            i = self._skip_blanks(self.at)
            option = self.text[i : i + 3]
            if option[:2] in ("-p", "--") and (len(option) < 3 or option[2] in " \t\r\n"):
                self.at = i + 2
            elif option[:1] == "-":
                return False
        elif source == "coproc":
            before = self.at
            self.at = self._skip_blanks(self.at)
            start = self.at
            self._read_word()
            name = self.text[start : self.at]
            i = self._skip_blanks(self.at)
            end = i
            while end < self.length and self.text[end] not in _SPECIAL:
                end += 1
            follows = self.text[i:end] or self.text[i : i + 1]
            if name in _COMPOUND or follows not in _COMPOUND:
                self.at = before
        elif source == "[[":
            self._read_test(simple)
        else:
            return False
        return True

    def _read_test(self, simple: _Simple) -> None:
        """Read `[[ ... ]]`, in which operators are words."""
        simple.words.append(_Word("[[", True))
        text = self.text
        while True:
            i = self._skip_blanks(self.at)
            if i >= self.length:
                self.run.complete = False
                self.at = i
                return
            self.at = i
            char = text[i]
            if char in "\n;":
                self.at = i + 1
            elif char in "&|<>()" and text[i : i + 2] not in ("<(", ">("):
                self.at = i + (2 if text[i : i + 2] in ("&&", "||") else 1)
                simple.words.append(_Word(text[i : self.at], True))
            else:
                word = self._read_word()
                if self.at == i:
                    self.at = i + 1
                    continue
                simple.words.append(word)
                if text[i : self.at] == "]]":
                    return

    def _read_case_pattern(self, frames: list[int], char: str) -> None:
        start = self.at
        if char == ")":
            self.at = start + 1
            frames[-1] = _CASE_BODY
        elif char in "(|;&<>" and self.text[start : start + 2] not in ("<(", ">("):
            self.at = start + 1
        else:
            self._read_word()
            if self.text[start : self.at] == "esac":
                frames.pop()
            elif self.at == start:
                self.at = start + 1

    def _read_redirection(self, simple: _Simple) -> None:
        text, i = self.text, self.at
        if text.startswith("<<<", i):
            self.at = i + 3
            simple.strings.append(self._read_target().value)
        elif text.startswith("<<", i):
            strips_tabs = text[i + 2 : i + 3] == "-"
            self.at = self._skip_blanks(i + (3 if strips_tabs else 2))
            start = self.at
            word = self._read_word()
            expands = not any(char in "'\"\\" for char in text[start : self.at])
            document = _HereDocument(word.value, expands, strips_tabs)
            simple.documents.append(document)
            self.pending.append(document)
        else:
            self.at = i + (2 if text[i + 1 : i + 2] in ("<", ">", "&", "|") and text[i + 1 : i + 2] else 1)
            self._read_target()

    def _read_target(self) -> _Word:
        self.at = self._skip_blanks(self.at)
        return self._read_word()

    def _read_documents(self) -> None:
        """Read the bodies of the here-documents that the finished line has opened."""
        text, length = self.text, self.length
        for document in self.pending:
            lines: list[str] = []
            found = False
            while self.at < length and not found:
                end = text.find("\n", self.at)
                line = text[self.at : end if end >= 0 else length]
                self.at = end + 1 if end >= 0 else length
                if document.strips_tabs:
                    line = line.lstrip("\t")
                found = line == document.delimiter or line.rstrip("\r") == document.delimiter
                if not found:
                    lines.append(line)
            document.body = "\n".join(lines)
        self.pending.clear()

    def _skip_arithmetic(self, start: int) -> bool:
        """Skip `((...))` at `start` if it is arithmetic, reading its substitutions; false, and nothing moved, if not."""
        end = self._arithmetic_end(start + 2)
        if end < 0:
            return False
        self._read_inside(start + 2, end)
        self.at = end + 2
        return True

    def _arithmetic_end(self, start: int) -> int:
        """Return where the `))` stands that ends an arithmetic expression whose inside begins at `start`, or -1.

        If the parentheses do not end together, it is a command substitution or two subshells.
        """
        text, length = self.text, self.length
        open_count = 0
        i = start
        length = min(length, start + self.run.budget)
        while i < length:
            char = text[i]
            if char == "(":
                open_count += 1
            elif char == ")":
                if open_count == 0:
                    break
                open_count -= 1
            elif char == "\\":
                i += 1
            elif char in "'\"":
                close = text.find(char, i + 1)
                if close < 0:
                    i = length
                    break
                i = close
            i += 1
        if not self.run.spend(i - start + 1):
            return -1
        return i if text[i : i + 2] == "))" else -1

    def _read_inside(self, start: int, end: int) -> None:
        """Read the substitutions between two offsets."""
        part = self.text[start:end]
        if "$" not in part and "`" not in part:
            return
        if self.depth >= MAX_DEPTH or not self.run.spend(len(part)):
            self.run.complete = False
            return
        reader = _Reader(self.run, part, self.depth + 1)
        reader.read_expansions()
        self.nested.extend(reader.nested)

    # -- words --

    def _read_word(self) -> _Word:
        """Read the word at the place; empty, and nothing moved, where none begins."""
        text, length = self.text, self.length
        start = i = self.at
        while i < length and text[i] not in _SPECIAL:
            i += 1
        if i >= length or text[i] in " \n;\t|&":
            self.at = i
            return _Word(text[start:i], True)
        parts = [text[start:i]]
        plain = True
        while i < length:
            char = text[i]
            if char not in _SPECIAL:
                begin = i
                while i < length and text[i] not in _SPECIAL:
                    i += 1
                parts.append(text[begin:i])
            elif char == "'":
                plain = False
                end = text.find("'", i + 1)
                if end < 0:
                    self.run.complete = False
                    end = length
                parts.append(text[i + 1 : end])
                i = end + 1
            elif char == '"':
                plain = False
                i = self._read_double(i + 1, parts)
            elif char == "\\":
                plain = False
                if text[i + 1 : i + 2] == "\n":
                    i += 2
                elif text[i + 1 : i + 3] == "\r\n":
                    i += 3
                else:
                    parts.append(text[i + 1 : i + 2] or "\\")
                    i += 2
            elif char == "$":
                plain = False
                i = self._read_dollar(i, parts, False)
            elif char == "`":
                plain = False
                i = self._read_backticks(i, parts, False)
            elif char in "<>" and text[i + 1 : i + 2] == "(":
                plain = False
                begin = i
                i = self._read_substitution(i + 2)
                parts.append(text[begin:i])
            elif char == "(" and i > start and (text[i - 1] in "?*+@!" or _is_assignment(text[start:i])):
                if text[i - 1] not in "=?*+@!":
                    break
                plain = False
                begin = i
                i = self._read_parenthesis(i + 1)
                parts.append(text[begin:i])
            else:
                break
        self.at = min(i, length)
        return _Word("".join(parts), plain)

    def _read_parenthesis(self, i: int) -> int:
        """Read an array or an extended glob to its `)`: words, of which only the substitutions matter."""
        text, length = self.text, self.length
        open_count = 1
        while i < length:
            char = text[i]
            if char == ")":
                open_count -= 1
                i += 1
                if open_count == 0:
                    return i
            elif char == "(":
                open_count += 1
                i += 1
            elif char in "'\"\\$`" or text[i : i + 2] in ("<(", ">("):
                self.at = i
                self._read_piece()
                i = max(self.at, i + 1)
            else:
                i += 1
        self.run.complete = False
        return length

    def _read_piece(self) -> None:
        """Read one quoted text or expansion at the place and move behind it."""
        text, i = self.text, self.at
        char = text[i]
        if char == "'":
            end = text.find("'", i + 1)
            if end < 0:
                self.run.complete = False
            i = end + 1 if end >= 0 else self.length
        elif char == '"':
            i = self._read_double(i + 1, [])
        elif char == "\\":
            i += 2
        elif char == "$":
            i = self._read_dollar(i, [], False)
        elif char == "`":
            i = self._read_backticks(i, [], False)
        else:
            i = self._read_substitution(i + 2)
        self.at = i

    def _read_double(self, i: int, parts: list[str]) -> int:
        """Read from behind a `"` to behind the next one."""
        text, length = self.text, self.length
        while i < length:
            begin = i
            while i < length and text[i] not in _IN_DOUBLE:
                i += 1
            if i > begin:
                parts.append(text[begin:i])
            if i >= length:
                break
            char = text[i]
            if char == '"':
                return i + 1
            if char == "\\":
                follows = text[i + 1 : i + 2]
                if follows == "\n":
                    i += 2
                    continue
                parts.append(follows if follows in _IN_DOUBLE and follows else "\\" + follows)
                i += 2
            elif char == "$":
                i = self._read_dollar(i, parts, True)
            else:
                i = self._read_backticks(i, parts, True)
        self.run.complete = False
        return length

    def _read_dollar(self, i: int, parts: list[str], in_double: bool) -> int:
        text = self.text
        follows = text[i + 1 : i + 2]
        if follows == "(":
            if text[i + 2 : i + 3] == "(" and (end := self._arithmetic_end(i + 3)) >= 0:
                self._read_inside(i + 3, end)
                end += 2
            else:
                end = self._read_substitution(i + 2)
            parts.append(text[i:end])
            return end
        if follows == "{":
            end = self._read_braces(i + 2, in_double)
            parts.append(text[i:end])
            return end
        if follows == "'" and not in_double:
            return self._read_ansi_c(i + 2, parts)
        if follows == '"' and not in_double:
            return self._read_double(i + 2, parts)
        parts.append("$")
        return i + 1

    def _read_substitution(self, i: int) -> int:
        """Read the commands from behind a `(` to behind its `)`."""
        if self.depth >= MAX_DEPTH:
            self.run.complete = False
            return self._skip_parenthesis(i)
        at = self.at
        self.at = i
        self.depth += 1
        found = self.read_list(True)
        self.depth -= 1
        self.nested.extend(found)
        end = self.at
        self.at = at
        return end

    def _skip_parenthesis(self, i: int) -> int:
        """Skip to behind the `)` that belongs to a `(` before `i`, by counting; the end of the text if there is none."""
        text, length = self.text, self.length
        open_count = 1
        while i < length:
            char = text[i]
            if char == "(":
                open_count += 1
            elif char == ")":
                open_count -= 1
                if open_count == 0:
                    return i + 1
            elif char == "\\":
                i += 1
            elif char == "'":
                end = text.find("'", i + 1)
                if end >= 0:
                    i = end
            i += 1
        return length

    def _read_braces(self, i: int, in_double: bool) -> int:
        """Read `${...}` from behind its `{` to behind its `}`."""
        text, length = self.text, self.length
        if self.depth >= MAX_DEPTH:
            self.run.complete = False
            end = text.find("}", i)
            return end + 1 if end >= 0 else length
        self.depth += 1
        while i < length:
            char = text[i]
            if char == "}":
                self.depth -= 1
                return i + 1
            if char == "\\":
                i += 2
            elif char == "'" and not in_double:
                end = text.find("'", i + 1)
                i = end + 1 if end >= 0 else length
            elif char == '"':
                i = self._read_double(i + 1, [])
            elif char == "$":
                i = self._read_dollar(i, [], in_double)
            elif char == "`":
                i = self._read_backticks(i, [], in_double)
            else:
                i += 1
        self.depth -= 1
        self.run.complete = False
        return length

    def _read_backticks(self, i: int, parts: list[str], in_double: bool) -> int:
        """Read an old-style substitution from its backtick to behind the next one; it is a text of its own."""
        text, length = self.text, self.length
        start = i
        inside: list[str] = []
        i += 1
        begin = i
        while i < length and text[i] != "`":
            if text[i] == "\\":
                follows = text[i + 1 : i + 2]
                if follows in ("`", "\\", "$") or (in_double and follows == '"'):
                    inside.append(text[begin:i])
                    begin = i + 1
                i += 2
            else:
                i += 1
        i = min(i, length)
        inside.append(text[begin:i])
        if i >= length:
            self.run.complete = False
        source = "".join(inside)
        if self.depth >= MAX_DEPTH or not self.run.spend(len(source)):
            self.run.complete = False
        else:
            reader = _Reader(self.run, source, self.depth + 1)
            self.nested.extend(reader.read_list(False))
        end = min(i + 1, length)
        parts.append(text[start:end])
        return end

    def _read_ansi_c(self, i: int, parts: list[str]) -> int:
        """Read `$'...'` from behind its quote to behind the closing one. Source: bash manual, ANSI-C quoting."""
        text, length = self.text, self.length
        while i < length:
            char = text[i]
            if char == "'":
                return i + 1
            if char != "\\":
                parts.append(char)
                i += 1
                continue
            letter = text[i + 1 : i + 2]
            i += 2
            if letter in ("x", "u", "U"):
                end = i
                most = {"x": 2, "u": 4, "U": 8}[letter]
                while end < length and end - i < most and text[end] in "0123456789abcdefABCDEF":
                    end += 1
                code = int(text[i:end], 16) if end > i else -1
                parts.append(chr(code) if 0 < code <= 0x10FFFF else "" if code == 0 else "\\" + letter)
                i = end
            elif letter in ("0", "1", "2", "3", "4", "5", "6", "7"):
                end = i
                while end < length and end - i < 2 and text[end] in "01234567":
                    end += 1
                code = int(text[i - 1 : end], 8) & 0xFF
                parts.append(chr(code) if code else "")
                i = end
            elif letter == "c":
                parts.append(chr(ord(text[i : i + 1] or "@") & 0x1F))
                i += 1
            else:
                parts.append(_ANSI_C.get(letter, letter if letter in ("'", '"', "\\", "?") else "\\" + letter))
        self.run.complete = False
        return length
