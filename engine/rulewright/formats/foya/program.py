"""What Foya's own program makes of a rule file, to the letter; where it refuses the file, nothing.

Source: foya.md sections 1 and 2 [F]: internal/contextdata/rules.go at commit 566c699. Only the id of a rule without one is
ours: the program makes it from the absolute path, which differs from machine to machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rulewright.formats.foya.keys import TIME, TRIGGERS
from rulewright.model import FoyaScope, ProgramRule
from rulewright.syntax.json_reader import read_json
from rulewright.syntax.markdown_reader import HEADING, MARKER_END, MARKER_START, WHITE_SPACE, MarkdownTree
from rulewright.syntax.tree import Mapping, Node, Scalar, Sequence, Tree, resolve
from rulewright.syntax.yaml_reader import read_yaml
from rulewright.text.span import Span

MAX_CONTENT = 6000
"""Characters of a rule's text [S]."""

_OPENING = re.compile(r"---\r?\n")
_CLOSING = re.compile(r"\r?\n---\r?\n")
# The program compares keys of JSON without regard to case.
_TEXTS = ("id", "name", "description", "trigger", "path", "scope", "project_id")
_TIMES = ("created_at", "updated_at")
ZERO_TIME = "0001-01-01T00:00:00Z"
"""What Go writes for no time; the time of the file counts then. Source: parseRuleMarkdown, IsZero [F]."""

_YAML_FAULTS = frozenset({"yaml-syntax", "yaml-alias-limit", "duplicate-key"})


class Refused(Exception):
    """The program refuses the file."""


def program_rules(
    text: str, scope: FoyaScope, rule_path: str, default_id: str, tree: MarkdownTree
) -> tuple[ProgramRule, ...] | None:
    """Return the rules that the program loads from a file; None where it refuses it.

    Args:
        rule_path: below `rules/`, with `/`; empty for the global file.
        tree: of the text, so that what was read need not be read again.
    """
    try:
        rules = tuple(_rules(text, scope, rule_path, default_id, tree))
    except Refused:
        return None
    return None if scope == "project" and len(rules) > 1 else rules


def split_frontmatter(text: str) -> tuple[Span, int] | None:
    """Return the span of the frontmatter that the program sees and where the body begins; None where it sees none."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    return (Span(opening.end(), closing.start()), closing.end()) if closing else None


@dataclass(slots=True)
class _Fields:
    """What a header says, as the program decodes it: absent texts are empty."""

    texts: dict[str, str] = field(default_factory=dict)
    globs: list[str] = field(default_factory=list)


def _rules(text: str, scope: FoyaScope, rule_path: str, default_id: str, tree: MarkdownTree) -> Iterator[ProgramRule]:
    found = split_frontmatter(text)
    if found is not None:
        fields = _from_yaml(_yaml_of(text, found[0], tree))
        content = text[found[1] :].replace("\r\n", "\n").strip(WHITE_SPACE)
        if content:
            rule_id = fields.texts.get("id", "").strip(WHITE_SPACE) or default_id
            yield _rule(rule_id, fields, scope, rule_path, content)
        return
    sections = _sections(text, tree)
    if sections:
        for fields, content in sections:
            if content and len(content) <= MAX_CONTENT:
                yield _rule(fields.texts["id"], fields, scope, fields.texts.get("path", ""), content)
        return
    content = text.strip(WHITE_SPACE)
    if content.startswith(HEADING):
        content = content.removeprefix(HEADING).strip(WHITE_SPACE)
    if len(content) > MAX_CONTENT:
        raise Refused
    if content:
        yield _rule(default_id, _Fields(), scope, rule_path, content)


def _rule(rule_id: str, fields: _Fields, scope: FoyaScope, path: str, content: str) -> ProgramRule:
    """Fill in the defaults; refuse what the program refuses."""
    texts, globs = fields.texts, fields.globs
    folder, _, file_name = path.rpartition("/")
    name = texts.get("name") or stem(file_name) or f"rule-{rule_id[:8]}"
    trigger = texts.get("trigger") or ("glob" if scope == "project" and folder else "always")
    if trigger not in TRIGGERS or (trigger == "model_decision" and not texts.get("description")):
        raise Refused
    if trigger == "glob" and not globs:
        if not folder:
            raise Refused
        globs = [f"{folder}/**"]
    if not all(glob.strip(WHITE_SPACE) for glob in globs):
        raise Refused
    updated = texts.get("updated_at", "")
    return ProgramRule(
        rule_id,
        name,
        texts.get("description", ""),
        trigger,
        tuple(globs),
        content,
        "" if updated == ZERO_TIME else updated,
    )


def stem(file_name: str) -> str:
    """Return a file's name without its ending, as the program names a rule after it."""
    before, dot, _ = file_name.rpartition(".")
    return before if dot else file_name


def _yaml_of(text: str, span: Span, tree: MarkdownTree) -> Tree:
    """Read the frontmatter, unless the reader has read the very same without a fault."""
    part = tree.parts[0] if tree.parts and not tree.markers else None
    # Its line end belongs to the reader's part, and to the program's fence.
    if part is None or not part.sound or tree.problems or part.data_span.start != span.start:
        return read_yaml(text, span.start, span.end, slashes=False)
    same = text[span.end : part.data_span.end] in ("\n", "\r\n")
    return tree if same else read_yaml(text, span.start, span.end, slashes=False)


def _from_yaml(tree: Tree) -> _Fields:
    if any(problem.code in _YAML_FAULTS for problem in tree.problems):
        raise Refused
    root = tree.root
    fields = _Fields()
    if root is None or (isinstance(root, Scalar) and root.value is None):
        return fields
    if not isinstance(root, Mapping):
        raise Refused
    for name, entry in root.effective().items():
        node = resolve(entry.value)
        if isinstance(node, Scalar) and node.value is None:
            continue
        if name in _TEXTS[:4]:
            if not isinstance(node, Scalar):
                raise Refused
            fields.texts[name] = node.raw
        elif name == "globs":
            if not isinstance(node, Sequence):
                raise Refused
            items = [resolve(item) for item in node.items]
            # An item without a value is left out, anything that is no text is an error.
            for item in items:
                if not isinstance(item, Scalar):
                    raise Refused
                if item.value is not None:
                    fields.globs.append(item.raw)
    return fields


def _sections(text: str, tree: MarkdownTree) -> list[tuple[_Fields, str]]:
    """Return what each marker says and the text below it."""
    read = {part.data_span.of(text): part.header for part in tree.parts if part.sound} if tree.markers else {}
    found: list[tuple[_Fields, list[str]]] = []
    for line in text.split("\n"):
        content = line.strip(WHITE_SPACE)
        if content.startswith(MARKER_START) and content.endswith(MARKER_END):
            source = content.removeprefix(MARKER_START).removesuffix(MARKER_END)
            found.append((_from_json(read.get(source) or _read_object(source)), []))
        elif found:
            found[-1][1].append(line)
    return [(fields, "\n".join(lines).strip(WHITE_SPACE)) for fields, lines in found]


def _read_object(source: str) -> Mapping:
    tree = read_json(source)
    if source.startswith("\ufeff") or any(p.code.startswith("json-") and not p.minor for p in tree.problems):
        raise Refused
    if not isinstance(tree.root, Mapping):
        raise Refused
    return tree.root


def _from_json(header: Mapping) -> _Fields:
    fields = _Fields()
    for entry in header.entries:
        name, node = entry.key.casefold(), entry.value
        if name == "globs":
            fields.globs = list(_json_globs(node))
        elif name in _TEXTS or name in _TIMES:
            if not isinstance(node, Scalar) or not isinstance(node.value, str | None):
                raise Refused
            if node.value is not None:
                if name in _TIMES and not re.match(TIME, node.value):
                    raise Refused
                fields.texts[name] = node.value
    if not fields.texts.get("id"):
        raise Refused
    return fields


def _json_globs(node: Node) -> Iterator[str]:
    if isinstance(node, Scalar) and node.value is None:
        return
    if not isinstance(node, Sequence):
        raise Refused
    for item in node.items:
        if not isinstance(item, Scalar) or not isinstance(item.value, str | None):
            raise Refused
        yield item.value or ""
