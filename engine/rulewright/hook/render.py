"""Rule texts: `{{ field.path }}` filled in, control characters taken out, the first sentence. Pure functions.

Values are data: what a value holds is never read as a placeholder again.
"""

from rulewright.hook.event import MISSING, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rulewright.hook.event import Event

_END_MARKS = ".!?。！？"


def pieces(template: str) -> "list[tuple[str, str | None]]":
    """Split a template into (text, field): the text in front of a placeholder, and the placeholder's field.

    The last piece has None. Braces around anything that is no field name stay text. Source: style.md section 7 point 8 [R].
    """
    found: list[tuple[str, str | None]] = []
    start = at = 0
    while (opened := template.find("{{", at)) >= 0:
        closed = template.find("}}", opened + 2)
        if closed < 0:
            break
        field = template[opened + 2 : closed].strip(" \t")
        if field and all(char.isalnum() or char in "._-" for char in field) and not field.startswith("."):
            found.append((template[start:opened], field))
            start = at = closed + 2
        else:
            at = opened + 1
    found.append((template[start:], None))
    return found


def render(template: str, event: "Event") -> str:
    """Fill in the placeholders and clean the result. An absent field is empty, a list or mapping becomes compact JSON."""
    if "{{" in template:
        parts: list[str] = []
        for text, field in pieces(template):
            parts.append(text)
            if field is not None:
                parts.append(_value_text(lookup(event, field)))
        template = "".join(parts)
    return clean(template)


def _value_text(value: object) -> str:
    if value is MISSING or value is None:
        return ""
    if isinstance(value, str):
        return value
    from rulewright.hook.json_text import compact

    return compact(value)


def clean(text: str) -> str:
    """Take out control characters except line breaks and tabs; CRLF becomes LF."""
    if text.isprintable():
        return text
    drop: dict[int, None] = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)])
    return text.translate(drop)


def first_sentence(text: str) -> str:
    """Return the text up to and including its first `. ! ? 。 ！ ？` before white space or the end, or up to the first line break.

    Source: style.md section 4 [R].
    """
    text = text.strip()
    for i, char in enumerate(text):
        if char in "\r\n":
            return text[:i].rstrip()
        if char in _END_MARKS and (i + 1 == len(text) or text[i + 1].isspace()):
            return text[: i + 1]
    return text
