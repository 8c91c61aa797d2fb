"""Which of Foya's rules an activity text wakes, and the blocks in which a model gets them (foya.md sections 3 and 4).

Rules are plain data as `rulewright.foya_set.compile_set` makes them: dicts with id, name, description, scope, trigger, globs,
content and path. Pure functions: no I/O.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Rule = dict[str, Any]
    Why = dict[str, Any]

# Characters of the items of a block. Source: foya-rules.txt, Prompt [S].
DIRECT_LIMIT = 12_000
INDEX_LIMIT = 3_000
OMITTED = "[additional items omitted]\n"
"""What ends a block that is not whole. Source: foya.md section 4."""

_DIRECT_HEAD = (
    '<foya_rules source="user_controlled">\n'
    "These rules were written by the user and say how to work. Where a project rule and a global rule conflict, the project rule "
    "wins. No rule weakens approvals, the sandbox or what tools may be used.\n"
)
_DIRECT_TAIL = "</foya_rules>"
_INDEX_HEAD = (
    '<foya_available_rules source="user_controlled">\n'
    "These rules hold for some tasks only. When a description fits the task, first load the text with "
    "`rulewright rule load NAME`.\n"
)
_INDEX_TAIL = "</foya_available_rules>"

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
# Control characters but for line breaks and tabs, and the separators that some readers take for line breaks.
_CONTROLS = (*range(9), *range(11, 32), *range(127, 160), 0x2028, 0x2029)
_SURROGATES = ("\ud800", "\udfff")


def select(rules: "Sequence[Rule]", activity: str, strict: bool = False, project: str = "") -> "list[tuple[Rule, Why]]":
    """Return the rules that an activity text wakes, in their order, each with why.

    Args:
        strict: read paths as Foya's own program does.
        project: the absolute folder of the project, which may stand in front of a path.

    `why` has `trigger`; for glob and manual also `pattern`, the glob or the `@name` that stands in the text, and `span`, where.
    """
    reader = None
    found: list[tuple[Rule, Why]] = []
    called = "@" in activity
    for rule in rules:
        trigger = rule["trigger"]
        if trigger == "always":
            found.append((rule, {"trigger": trigger}))
        elif trigger == "glob":
            if reader is None:
                reader = GlobReader(activity, strict, project)
            for glob in rule["globs"]:
                span = reader.find(glob)
                if span is not None:
                    found.append((rule, {"trigger": trigger, "pattern": glob, "span": span}))
                    break
        elif trigger == "manual" and called:
            for name in (rule["name"], rule["id"]):
                at = activity.find(f"@{name}") if name else -1
                if at >= 0:
                    why = {"trigger": trigger, "pattern": f"@{name}", "span": (at, at + 1 + len(name))}
                    found.append((rule, why))
                    break
    return found


class GlobReader:
    """Looks for globs in one activity text."""

    __slots__ = ("_first", "_second")

    def __init__(self, activity: str, strict: bool = False, project: str = "") -> None:
        """Make a reader; the arguments are those of `select`."""
        from rulewright.hook.activity_globs import Reader

        self._first = Reader(activity, not strict, project)
        # To the program a backslash is an ordinary character; what it finds counts in any case.
        self._second = Reader(activity, False) if not strict and "\\" in activity else None

    def find(self, glob: str) -> "tuple[int, int] | None":
        """Return where a path that a glob means stands, or None."""
        found = self._first.find(glob)
        return self._second.find(glob) if found is None and self._second is not None else found


def index(rules: "Sequence[Rule]") -> "list[Rule]":
    """Return the rules that are loaded by name: the index lists them. Source: foya.md section 3, model_decision."""
    return [rule for rule in rules if rule["trigger"] == "model_decision"]


def direct_block(
    rules: "Sequence[Rule]", limit: int = 0, size: "Callable[[str], int]" = len
) -> "tuple[str, list[Rule], list[Rule]]":
    """Return the block with the texts of some rules, the rules in it, and those left out.

    The items have DIRECT_LIMIT characters at most.

    Args:
        limit: what the whole block may have as `size` counts it: what a host keeps of a text; 0: no bound.
    """
    items = [(rule, direct_item(rule["content"])) for rule in rules]
    return _block(_DIRECT_HEAD, items, _DIRECT_TAIL, DIRECT_LIMIT, limit, size)


def direct_size(rules: "Sequence[Rule]") -> int:
    """Return the characters that some rules take of DIRECT_LIMIT."""
    return sum(len(direct_item(rule["content"])) for rule in rules)


def direct_item(content: str) -> str:
    """Return the text of a rule as its item in the block; empty where nothing of it can be shown."""
    return _line(clean(content).strip())


def index_item(name: str, description: str) -> str:
    """Return name and description of a rule as its item in the index."""
    return _line(f"{_one_line(name)}: {_one_line(description)}")


def _line(text: str) -> str:
    return f"- {escape(text)}\n" if text else ""


def index_block(
    rules: "Sequence[Rule]", limit: int = 0, size: "Callable[[str], int]" = len
) -> "tuple[str, list[Rule], list[Rule]]":
    """Return the block with the names and descriptions of some rules, the rules in it, and those left out.

    The items have INDEX_LIMIT characters at most. The arguments are those of `direct_block`.
    """
    items = [(rule, index_item(rule["name"], rule["description"])) for rule in rules]
    return _block(_INDEX_HEAD, items, _INDEX_TAIL, INDEX_LIMIT, limit, size)


def load_block(rule: "Rule") -> str:
    """Return the text of one rule as `rule load` answers it. Source: foya.md section 4, rule_load."""
    name, scope = escape(_one_line(rule["name"])), escape(_one_line(rule["scope"]))
    return f'<foya_rule name="{name}" scope="{scope}">\n{escape(clean(rule["content"]).strip())}\n</foya_rule>'


def find_loadable(rules: "Sequence[Rule]", name: str) -> "Rule | None":
    """Return the rule that an exact name or id loads, None where there is none. Source: foya-rules.txt, rule_load [S]."""
    return next((rule for rule in index(rules) if name in (rule["id"], rule["name"])), None)


def clean(text: str) -> str:
    """Return a text without control characters, its lines ended by LF; what no encoding can hold becomes U+FFFD."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and text.isprintable():
        return text
    text = text.translate(dict.fromkeys(_CONTROLS))
    try:
        text.encode()
    except UnicodeEncodeError:
        first, last = _SURROGATES
        text = "".join("\ufffd" if first <= char <= last else char for char in text)
    return text


def escape(text: str) -> str:
    """Return a text in which no character can end a tag or the value of an attribute."""
    for char, instead in _ESCAPES.items():
        if char in text:
            text = text.replace(char, instead)
    return text


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _block(
    head: str,
    items: "list[tuple[Rule, str]]",
    tail: str,
    budget: int,
    limit: int,
    size: "Callable[[str], int]",
) -> "tuple[str, list[Rule], list[Rule]]":
    """Put a block together. It ends in front of the first item that is too long, so that no later rule passes an earlier one."""
    lines = [(rule, line) for rule, line in items if line]
    if not lines:
        return "", [], []
    around = size(head) + size(tail)
    fits = sum(len(line) for _, line in lines) <= budget
    fits = fits and (not limit or around + sum(size(line) for _, line in lines) <= limit)
    room = limit if fits else limit - size(OMITTED)
    if limit and around > room:
        return "", [], [rule for rule, _ in lines]
    characters, used, count = 0, around, 0
    for _, line in lines:
        characters += len(line)
        used += size(line) if limit else 0
        if characters > budget or (limit and used > room):
            break
        count += 1
    text = head + "".join([line for _, line in lines[:count]]) + ("" if fits else OMITTED) + tail
    return text, [rule for rule, _ in lines[:count]], [rule for rule, _ in lines[count:]]
