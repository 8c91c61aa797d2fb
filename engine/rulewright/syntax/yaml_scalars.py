"""What a plain YAML scalar means: YAML 1.2 core as Go's yaml.v3 reads it, with the spellings refused on which readers differ."""

from __future__ import annotations

import re

from rulewright.syntax.tree import OddNumber

CORE_TAG = "tag:yaml.org,2002:"
CORE_TAGS = frozenset(
    CORE_TAG + name for name in ("str", "int", "float", "bool", "null", "map", "seq", "binary", "timestamp", "merge")
)

_WORDS: dict[str, object] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("~", "null", "Null", "NULL", ""), None),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NUMBER_START = frozenset(".+-0123456789")
# The first characters of every plain scalar that may be something else than a string.
NOT_ONLY_TEXT = frozenset("tTfFnN~.+-0123456789")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# What YAML 1.1 (PyYAML), YAML 1.2 and Go read in different ways: a leading zero, other bases, underscores, base 60.
_ODD = re.compile(
    r"[-+]?(?:0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*+(?::[0-5]?[0-9])++(?:\.[0-9_]*)?"
    r"|(?:[0-9][0-9_]*+)?+\.?[0-9_]*+(?:[eE][-+]?[0-9]+)?)"
)
_DIGIT = re.compile(r"[0-9]")
# Python refuses to turn more than 4300 digits into an int (sys.int_info.default_max_str_digits).
_INT_DIGITS = 4000


def resolve_plain(raw: str) -> object:
    """Return the value of a plain scalar: str, int, float, bool, None, or OddNumber.

    Source: style.md section 5, "YAML" [R]; gopkg.in/yaml.v3 resolve.go.
    """
    if raw in _WORDS:
        return _WORDS[raw]
    if raw[0] not in _NUMBER_START:
        return raw
    if _INT.fullmatch(raw):
        return int(raw) if len(raw) <= _INT_DIGITS else OddNumber(raw)
    if _FLOAT.fullmatch(raw):
        return float(raw)
    if _DIGIT.search(raw) and _ODD.fullmatch(raw):
        return OddNumber(raw)
    return raw


def resolve_tagged(raw: str, tag: str) -> object:
    """Return the value of a scalar with an explicit tag; a tag that does not fit its text leaves the text a string."""
    if not tag.startswith(CORE_TAG):
        return raw
    value = resolve_plain(raw.strip(" \t\r\n"))
    name = tag[len(CORE_TAG) :]
    if name == "null":
        return None if value is None else raw
    if name == "bool":
        return value if isinstance(value, bool) else raw
    if name == "int":
        return value if isinstance(value, (int, OddNumber)) and not isinstance(value, bool) else raw
    if name == "float":
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value) if abs(value) < 2**1000 else OddNumber(raw)
        return value if isinstance(value, (float, OddNumber)) else raw
    return raw
