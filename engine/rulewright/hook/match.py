"""Conditions: does an entry of the index match an event? Under the deadline, with errors kept apart from "no match".

An entry is a dict as the compiler writes it. `matches` is the only judge: the hook and `explain` both call it.
"""

from rulewright.hook import deadline
from rulewright.hook.event import MISSING, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rulewright.hook.event import Event
    from rulewright.hook.shell import Commands

    Condition = dict[str, Any]
    Entry = dict[str, Any]

# The field whose list form is read as a command line. Source: style.md section 5 [R].
COMMAND_FIELD = "tool.input.command"
# The field that is a list where one call touches several files. Source: harnesses.md section 4.3 [R].
PATH_FIELD = "tool.input.path"
NO_BREAK_SPACE = "\xa0"


class EngineError(Exception):
    """An entry cannot be evaluated reliably. The text is the cause, without the rule's name."""


class Reader:
    """What the entries of one event share: the event, and each shell text read once."""

    __slots__ = ("_shell", "event", "trace")

    def __init__(self, event: "Event", trace: "list[str] | None" = None) -> None:
        """Make a reader.

        Args:
            event: the canonical event.
            trace: a list that takes lines on what decided; None at event time.
        """
        self.event = event
        self.trace = trace
        self._shell: dict[str, Commands] = {}

    def commands(self, text: str) -> "Commands":
        """Return the simple commands of a shell text."""
        found = self._shell.get(text)
        if found is None:
            from rulewright.hook import shell

            found = self._shell[text] = shell.commands(text)
        return found

    def note(self, line: str) -> None:
        """Say what decided, if anybody listens."""
        if self.trace is not None:
            self.trace.append(line)


def matches(entry: "Entry", reader: Reader) -> bool:
    """Tell whether an entry matches the event.

    Raises:
        EngineError: it cannot be told: a value of the wrong type, a pattern that takes too long, a shell text that cannot be
            read and whose raw text does not match either. Only where no other condition has settled the matter.
        deadline.DeadlinePassed: the event's time is over.
    """
    event = reader.event
    for key, field in (("events", "event"), ("sources", "session.source"), ("natives", "tool.native_name")):
        if key in entry and lookup(event, field) not in entry[key]:
            reader.note(f"{field} is {_shown(lookup(event, field))}, not one of {', '.join(entry[key])}")
            return False
    if "mcp" in entry:
        name = f"{_plain(lookup(event, 'mcp.server'))}/{_plain(lookup(event, 'mcp.tool'))}"
        if not _any_glob(entry["mcp"], name, segments=True):
            reader.note(f"the MCP tool {name} is not one of {', '.join(entry['mcp'])}")
            return False
    if "skill" in entry:
        name = _plain(lookup(event, "skill.name"))
        if not _any_glob(entry["skill"], name, segments=False):
            reader.note(f"the skill {name} is not one of {', '.join(entry['skill'])}")
            return False
    if "models" in entry and "*" not in entry["models"]:
        model = lookup(event, "model")
        if not isinstance(model, str) or not _any_glob(entry["models"], model, segments=False):
            reader.note(f"the model {_shown(model)} is not one of {', '.join(entry['models'])}")
            return False
    conditions = entry.get("conditions")
    if not conditions:
        return True
    wanted = bool(entry.get("any"))
    failed: EngineError | None = None
    for condition in conditions:
        try:
            holds = condition_holds(condition, reader)
        except EngineError as error:
            reader.note(f"{_label(condition)}: {error}")
            failed = failed or error
            continue
        reader.note(f"{_label(condition)}: {'holds' if holds else 'does not hold'}")
        if holds is wanted:
            return wanted
    if failed is not None:
        raise failed
    return not wanted


def condition_holds(condition: "Condition", reader: Reader) -> bool:
    """Tell whether one condition holds. A missing field makes everything but `exists: false` false, `negate` too.

    Raises:
        EngineError: as in `matches`.
    Source: style.md section 5 [R].
    """
    field, op, pattern = condition["field"], condition["op"], condition["pattern"]
    negate = bool(condition.get("negate"))
    value = lookup(reader.event, field)
    if op == "exists":
        if value is MISSING:
            return pattern is False and not negate
        return (pattern is True) is not negate
    if value is MISSING:
        return False
    if field == PATH_FIELD and isinstance(value, list):
        # One call may touch several files: what holds for one of them holds for the call, `negate` included.
        return any(_holds(condition, path, reader) for path in value)
    if field == COMMAND_FIELD and isinstance(value, list):
        value = _joined(value)
    return _holds(condition, value, reader)


def _holds(condition: "Condition", value: object, reader: Reader) -> bool:
    field, op, pattern = condition["field"], condition["op"], condition["pattern"]
    negate = bool(condition.get("negate"))
    fold = bool(condition.get("ignore_case"))
    if op in ("equals", "in"):
        options = pattern if isinstance(pattern, list) else [pattern]
        return any(_equal(value, option, fold) for option in options) is not negate
    if op in ("gt", "lt"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise EngineError(f"{field} is {_kind(value)}, not a number")
        return (value > pattern if op == "gt" else value < pattern) is not negate
    if not isinstance(value, str):
        raise EngineError(f"{field} is {_kind(value)}, not text")
    if op == "regex":
        return _search(condition, value) is not negate
    if op == "shell_regex":
        return _search_shell(condition, value, reader) is not negate
    if op == "glob":
        return (
            _any_glob(pattern if isinstance(pattern, list) else [pattern], value, segments=True, fold=fold)
            is not negate
        )
    if fold:
        value, pattern = value.casefold(), pattern.casefold()
    if op == "contains":
        return (pattern in value) is not negate
    if op == "starts_with":
        return value.startswith(pattern) is not negate
    if op == "ends_with":
        return value.endswith(pattern) is not negate
    raise EngineError(f"the operator {op} is not known")


def _equal(value: object, option: object, fold: bool) -> bool:
    if isinstance(value, str) and isinstance(option, str):
        return value.casefold() == option.casefold() if fold else value == option
    return isinstance(value, bool) == isinstance(option, bool) and value == option


def _search(condition: "Condition", text: str) -> bool:
    return _found(condition, (text,)) is not None


def _search_shell(condition: "Condition", text: str, reader: Reader) -> bool:
    """Search in every simple command; where the text cannot be read whole, in its raw form as well."""
    read = reader.commands(text)
    hit = _found(condition, read.commands)
    if hit is not None:
        reader.note(f"the command `{hit.replace(NO_BREAK_SPACE, ' ')}` matched")
        return True
    if read.complete:
        return False
    reader.note("the text could not be read as shell whole, so it is matched raw as well")
    if _search(condition, text):
        reader.note("the raw text matched")
        return True
    raise EngineError(f"{condition['field']} could not be read as shell")


def _found(condition: "Condition", texts: "tuple[str, ...] | list[str]") -> str | None:
    """Return the first text in which the pattern is found. The pattern is compiled only if its literal text is there."""
    literals = condition.get("literals")
    if literals:
        texts = [text for text in texts if any(literal in text for literal in literals)]
    if not texts:
        return None
    program = condition.get("program")
    if program is not None and condition.get("slow"):
        return _found_linearly(program, texts)
    from rulewright.hook.regex import search_with

    try:
        search = search_with(condition["python"])
    except ValueError:
        if program is not None:
            return _found_linearly(program, texts)
        raise EngineError("the pattern cannot be used here") from None
    at = 0
    try:
        try:
            deadline.enter_pattern(deadline.PATTERN_LIMIT if program is None else deadline.REPLACEABLE_LIMIT)
            while at < len(texts):
                if search(texts[at]) is not None:
                    return texts[at]
                at += 1
        finally:
            deadline.leave_pattern()
    except deadline.PatternTooSlow:
        deadline.leave_pattern()  # The alarm may have rung while it was being set back.
        if program is None:
            raise EngineError("the pattern took too long") from None
    return _found_linearly(program, texts[at:]) if program is not None else None


def _found_linearly(program: "list[Any]", texts: "tuple[str, ...] | list[str]") -> str | None:
    if not texts:
        return None
    from rulewright.hook.linear import search

    for text in texts:
        if search(program, text):
            return text
    return None


def _any_glob(patterns: "list[str]", text: str, segments: bool, fold: bool = False) -> bool:
    from rulewright.hook.globs import glob_match

    return any(glob_match(pattern, text, fold, segments) for pattern in patterns)


def _joined(words: "list[Any]") -> object:
    """Join the list form of a command as `shlex.join` does; a list with anything but text in it stays a list."""
    if not all(isinstance(word, str) for word in words):
        return words
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    bare = word.isascii() and all(char.isalnum() or char in "@%+=:,./-_" for char in word)
    return word if word and bare else "'" + word.replace("'", "'\"'\"'") + "'"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else ""


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    return "a list" if isinstance(value, list) else "a mapping" if isinstance(value, dict) else "text"


def _shown(value: object) -> str:
    return "not known" if value is MISSING or not isinstance(value, str) else value


def _label(condition: "Condition") -> str:
    from rulewright.hook.json_text import compact

    name = "not " if condition.get("negate") else ""
    return f"{condition['field']} {name}{condition['op']} {compact(condition['pattern'])}"
