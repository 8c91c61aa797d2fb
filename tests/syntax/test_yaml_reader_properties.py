"""Any text: no exception, spans that nest, problems on one line, and the values that libyaml itself sees."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rulewright.syntax import yaml_reader
from rulewright.syntax.tree import Alias, Mapping, Node, Scalar, Sequence, Tree
from rulewright.syntax.yaml_builder import MAX_DEPTH
from rulewright.syntax.yaml_reader import read_yaml
from rulewright.text.edits import apply_edits
from rulewright.text.lines import Lines
from rulewright.text.span import Span

# The yaml examples of the seed: the shape of a rule (not a package by itself), then three packages.
SHAPE = """\
rules:
  - id: <id>
    target: tool
    tool: shell
    action: block
    at: before
    fail: closed
    text: <拒绝理由>
"""
MINIMAL = """\
spec: style/v0.3
name: ac-min
version: 0.1.0
description: action minimal example
rules:
  - id: force-push-guard
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^git push .*(--force|-f)"
    text: Force push is not allowed.
"""
ALL_ACTIONS = """\
spec: style/v0.3
name: ac-all
version: 0.1.0
description: actions example
rules:
  - id: lint-reminder
    target: tool
    tool: file.edit
    action: warn
    model_text: Run the linter after editing.
    text: Edited a file. Run the linter before committing; CI rejects lint errors.
  - id: force-push-guard
    target: tool
    tool: shell
    action: block
    fail: closed
    when:
      conditions:
        - field: tool.input.command
          op: shell_regex
          pattern: "^git push .*(--force|-f)"
    text: Force push is not allowed.
  - id: plan-reminder
    target: system
    refresh: 10
    reason: Long sessions drift from the plan format.
    when:
      model: "*"
    text: Keep plans to five steps or fewer.
  - id: per-turn
    target: event
    event: prompt.submitted
    repeat: turn
    reason: Remind on every turn.
    text: State assumptions before acting.
"""
BLOCK_FIRST = """\
spec: style/v0.3
name: ac-block
version: 0.1.0
description: block precedence example
rules:
  - id: no-rm
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - {field: tool.input.command, op: contains, pattern: rm -rf}
    text: Do not run rm -rf.
  - id: no-root
    target: tool
    tool: shell
    action: block
    when:
      conditions:
        - {field: tool.input.command, op: contains, pattern: " /"}
    text: Do not touch the filesystem root.
  - id: shell-tips
    target: tool
    tool: shell
    at: before
    text: Prefer trash over rm.
"""
EXAMPLES = {"shape": SHAPE, "minimal": MINIMAL, "all": ALL_ACTIONS, "block": BLOCK_FIRST}

TOKENS = [
    "a", "b: ", "key: ", "- ", "? ", ": ", ":", ",", "[", "]", "{", "}", "'", '"', "\\", "\\s", "#", " # c", "&x ", "*x", "!t ",
    "!!str ", "|", ">", "|+2", "%", "@", "`", "\n", "\n", "\n", "\r\n", "\r", "  ", "    ", " ", "\t", "---", "\n---\n", "\n...\n",
    "<<: ", "<<<<<<< x", "=======", ">>>>>>> y", "~", "null", "1", "0x1F", "true", "é", "😀", "\u2028", "\x85", "\ufeff", "\u200b",
    "\x00", "\x0c", "\ud800", "：", "“x”", "\n  ", "\n    - ", "\n- ",
]  # fmt: skip
GRAMMAR = st.lists(st.sampled_from(TOKENS), max_size=40).map("".join)
ANY = st.text(st.characters(exclude_categories=()), max_size=60)
TEXTS = st.one_of(GRAMMAR, ANY, st.lists(st.one_of(GRAMMAR, ANY), max_size=3).map("".join))
RELAXED = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


def check(text: str, tree: Tree) -> None:
    """Assert what holds for every text."""
    lines = Lines(text)
    for problem in tree.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert lines.line_at(problem.span.start) == lines.line_at(problem.span.end), problem
        assert "{" not in problem.message.en.replace("`{`", "").replace("{id}", "") or "`" in problem.message.en
        for fix in problem.fixes:
            apply_edits(text, fix.edits)
    for span in tree.comments:
        assert span.of(text).startswith("#")
        assert lines.line_at(span.start) == lines.line_at(span.end)
    assert sorted(tree.comments) == tree.comments
    if tree.root is not None:
        nest(text, tree.root, Span(0, len(text)), 0)


def nest(text: str, node: Node, outer: Span, depth: int) -> None:
    span = node.span
    assert outer.start <= span.start <= span.end <= outer.end, (node, outer)
    assert depth < MAX_DEPTH + 50
    if isinstance(node, Scalar):
        if node.style in ("plain", "literal", "folded") and not node.missing and span.of(text):
            assert span.of(text)[-1] not in "\r\n"
        if node.style == "plain" and not node.missing:
            assert span.of(text) == span.of(text).strip(" \t")
    if isinstance(node, Sequence):
        at = span.start
        for item in node.items:
            nest(text, item, span, depth + 1)
            assert item.span.start >= at
            at = item.span.start
    if isinstance(node, Mapping):
        for entry in node.entries:
            assert span.start <= entry.key_span.start <= entry.key_span.end <= span.end
            assert entry.key_span.start <= entry.value.span.start
            nest(text, entry.value, span, depth + 1)


def same_as_libyaml(node: Node, other: yaml.Node, seen: dict[int, Node]) -> None:
    """Compare with PyYAML's own composer, scalars by their text."""
    if isinstance(node, Alias):
        if node.target is None:
            return
        node = node.target
    if id(other) in seen:
        assert seen[id(other)] is node
        return
    seen[id(other)] = node
    if isinstance(other, yaml.ScalarNode):
        assert isinstance(node, Scalar)
        assert node.raw == other.value
    elif isinstance(other, yaml.SequenceNode):
        assert isinstance(node, Sequence)
        assert len(node.items) == len(other.value)
        for mine, theirs in zip(node.items, other.value, strict=True):
            same_as_libyaml(mine, theirs, seen)
    else:
        assert isinstance(other, yaml.MappingNode)
        assert isinstance(node, Mapping)
        if node.broken:
            return
        assert [entry.key for entry in node.entries] == [key.value for key, _ in other.value]
        for entry, (_, theirs) in zip(node.entries, other.value, strict=True):
            same_as_libyaml(entry.value, theirs, seen)


def composed(text: str) -> yaml.Node | None:
    """What PyYAML reads, None where it refuses the text or it is nothing."""
    if any(char in text for char in "\x85\u2028\u2029\ufeff"):
        return None
    try:
        found: yaml.Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, UnicodeEncodeError):
        return None
    return found


def compare(text: str, tree: Tree) -> None:
    other = composed(text)
    if not tree.whole:
        return
    if other is None or (isinstance(other, yaml.ScalarNode) and not other.value):
        return
    assert tree.root is not None
    same_as_libyaml(tree.root, other, {})
    ours = ("anchor", "锚", "key must be plain", "merge")
    strange = [p for p in tree.problems if p.code == "yaml-syntax" and not any(word in p.message.en for word in ours)]
    assert strange == []


@given(TEXTS)
@RELAXED
def test_any_text(text: str) -> None:
    tree = read_yaml(text)
    check(text, tree)
    compare(text, tree)


@given(TEXTS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_without_libyaml(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_reader, "EVENT_LOADER", yaml.SafeLoader)
        check(text, read_yaml(text))


@given(GRAMMAR, GRAMMAR, GRAMMAR)
@settings(max_examples=100, deadline=None)
def test_any_part_of_a_text(before: str, part: str, after: str) -> None:
    before += "\n"
    text = before + part + "\n" + after
    start, end = len(before), len(before) + len(part)
    tree, alone = read_yaml(text, start, end), read_yaml(part)
    if not part.startswith("\ufeff"):
        assert [(p.code, p.span) for p in tree.problems] == [(p.code, p.span.shifted(start)) for p in alone.problems]
    if tree.root is not None:
        nest(text, tree.root, Span(start, end), 0)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_examples_of_the_seed_read_clean(name: str, end: str) -> None:
    text = EXAMPLES[name].replace("\n", end)
    tree = read_yaml(text)
    assert tree.problems == []
    check(text, tree)
    compare(text, tree)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_prefix_of_the_examples(name: str) -> None:
    """What users see while they type: never an exception, never more than a few problems."""
    text = EXAMPLES[name]
    for end in range(len(text)):
        tree = read_yaml(text[:end])
        check(text[:end], tree)
        compare(text[:end], tree)
        assert len(tree.problems) <= 2


def test_every_deletion_of_one_character() -> None:
    """One slip costs one rule at most."""
    text = ALL_ACTIONS
    head = text.index("  - id")
    for at in range(len(text)):
        mutant = text[:at] + text[at + 1 :]
        tree = read_yaml(mutant)
        check(mutant, tree)
        compare(mutant, tree)
        assert len(tree.problems) <= 3
        if at > head:
            assert isinstance(tree.root, Mapping)
            rules = tree.root.entries[-1].value
            assert isinstance(rules, Sequence), at
            sound = [item for item in rules.items if isinstance(item, Mapping) and not item.broken]
            assert len(sound) >= 2, (at, mutant)


@given(st.sampled_from(list(EXAMPLES.values())), st.data())
@settings(max_examples=150, deadline=None)
def test_mutations_of_the_examples(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(TOKENS)) + text[at + data.draw(st.integers(0, 8)) :]
    tree = read_yaml(text)
    check(text, tree)
    compare(text, tree)
