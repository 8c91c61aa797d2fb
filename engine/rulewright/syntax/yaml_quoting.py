"""Ways to write a string in YAML, for fixes."""

from __future__ import annotations

import re

from rulewright.syntax.yaml_scalars import resolve_plain

# A plain scalar that every YAML reader takes for the same string, in block and in flow context.
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./+*=()<>^$~;-]|:(?=[\w/])|,(?=\w))*", re.ASCII)
_WORD = re.compile(r"[\w./-]+")
_WORDS_1_1 = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\b": "\\b", "\x1b": "\\e"}
_NOT_IN_SINGLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_NOT_IN_DOUBLE = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]')
_DOUBLE_TOKEN = re.compile(r"""\\(["/\\])|(\\.)|(.)""", re.DOTALL)


def quote_single(value: str) -> str:
    """Return `value` in single quotes. It must hold no line break or control character: those need double quotes."""
    return "'" + value.replace("'", "''") + "'"


def quote_double(value: str) -> str:
    """Return `value` in double quotes, on one line, with every character escaped that needs it."""
    return '"' + _NOT_IN_DOUBLE.sub(lambda m: _ESCAPES.get(m[0]) or _numeric_escape(m[0]), value) + '"'


def quoted(value: str) -> str:
    """Return the plainest correct YAML spelling of a string on one line: plain, else single quotes, else double."""
    if is_plain_safe(value):
        return value
    return quote_double(value) if _NOT_IN_SINGLE.search(value) else quote_single(value)


def is_plain_safe(value: str) -> bool:
    """Tell whether `value` can stand without quotes, in block and flow context, and stays this very string."""
    return bool(
        _PLAIN.fullmatch(value)
        and not value.endswith((" ", ":"))
        and value.lower() not in _WORDS_1_1
        and isinstance(resolve_plain(value), str)
    )


def in_single_quotes(source: str) -> str | None:
    """Rewrite a double-quoted scalar in single quotes, its backslashes taken as the author meant them: literally.

    Args:
        source: the scalar as it stands in the text, with or without its quotes. `\\"`, `\\/` and `\\\\` become the
            character itself; every other backslash stays, as in a regular expression.

    Returns:
        None where single quotes cannot say it: a line break or a control character inside.
    """
    inner = source[1:-1] if len(source) > 1 and source[0] == source[-1] == '"' else source
    if _NOT_IN_SINGLE.search(inner):
        return None
    return quote_single(_DOUBLE_TOKEN.sub(lambda m: m[1] or m[2] or m[3] or "", inner))


def in_same_quotes(word: str, source: str) -> str:
    """Put a word into the quotes that stand around what it replaces: JSON stays JSON, and `{"a":1}` needs them.

    Anything that is not a word stays as it is.
    """
    if len(source) >= 2 and source[0] == source[-1] and source[0] in "'\"" and _WORD.fullmatch(word):
        return source[0] + word + source[0]
    return word


def _numeric_escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
