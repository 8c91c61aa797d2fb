"""Any text: no exception, spans inside the text and nested, and every fix takes its finding away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rulewright.analysis import analyze, read_as
from rulewright.checking import Finding
from rulewright.formats import by_name
from rulewright.formats.foya.program import split_frontmatter
from rulewright.model import Document
from rulewright.settings import Settings
from rulewright.syntax.markdown_reader import (
    GLOBAL_FRONTMATTER,
    GLOBAL_FRONTMATTER_MARKERS,
    STOPS,
    MarkdownTree,
    is_marker_line,
    read_global,
    read_project,
)
from rulewright.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rulewright.text.edits import apply_edits
from rulewright.text.span import Span

GLOBAL = ".foya/rules/user_rules.md"
PROJECT = ".foya/rules/a.md"

ENDS = ["\n", "\n", "\n", "\n", "\r\n", "\r\n", "\r", ""]
LINES = [
    "---", "---", "---", "----", "--- ", " ---", "...", "--", "\ufeff---", "\ufeff", "",
    "id: a", "id: 🙂", "id:", "name: no", "name: ~", "trigger: glob", "trigger: always_on", "trigger: model_decision",
    "trigger: manual\t", "Trigger: glob", "description: \"  \"", "description: a: b", "globs: *.ts", "globs: [*.ts, a]",
    "globs: [\"\", a]", "globs: [a, ~]", "globs:", "  - a", "  - *.ts", "  -", "globs: a, b", "globs: |", "globs: {a: b}",
    "alwaysApply: true", "paths:", "applyTo: \"**\"", "inclusion: auto", "id: [", "\tid: a", "x: &x 1", "y: *x", "<<: *x",
    "# Foya User Rules", "# rulewright: ignore[foya-trigger]", "<!-- rulewright: ignore[foya-trigger] -->",
    "<!-- foya-rule: {\"id\":\"a\"} -->", "<!-- foya-rule: {\"id\":\"🙂\",\"globs\":[\"\"],\"Trigger\":\"glob\"} -->",
    "<!--foya-rule: {\"id\":\"a\"}-->", "<!-- foya-rule: {'id': 'a'} -->", "<!-- foya-rule: {", "} -->",
    "<!-- foya-rule: {\"name\":\"b c\",} --> text", "<!-- foya-rule: -->", "<!-- foya-rule: [1] -->", "<!-- foya-rule",
    "\ufeff<!-- foya-rule: {\"id\":\"a\"} -->", "  \"id\": \"a\"", "```", "~~~ x", "Text.", "　", "\u200b", "\u202ea\u202c",
    "\ufffd", "\U000e0041", "a\x00b", "\u2028", "\x85", "\ud800",
]  # fmt: skip

lines = st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)).map("".join)
texts = st.one_of(
    st.lists(lines, max_size=14).map("".join),
    st.lists(lines, max_size=8).map(lambda found: "---\n" + "".join(found)),
    st.lists(lines, max_size=8).map(lambda found: "---\nid: a\n---\n" + "".join(found)),
    st.text(max_size=60),
    st.binary(max_size=60).map(lambda data: data.decode("utf-8", "replace")),
)
PATHS = [PROJECT, GLOBAL, ".foya/rules/web/a.md", ".foya/rules/a/b/c/d/e.md"]
many = settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])


def document(path: str, text: str) -> Document:
    return read_as(by_name("foya"), path, text)


def findings(path: str, text: str) -> list[Finding]:
    return list(analyze(document(path, text), Settings()).findings)


def nodes(node: Node | None) -> Iterator[tuple[Node, list[Node]]]:
    """Yield every node with its children, aliases not followed."""
    if isinstance(node, Mapping):
        children = [entry.value for entry in node.entries]
    elif isinstance(node, Sequence):
        children = list(node.items)
    else:
        children = []
    if node is not None:
        yield node, children
    for child in children:
        yield from nodes(child)


def inside(span: Span, outer: Span) -> bool:
    return outer.start <= span.start <= span.end <= outer.end


@many
@given(text=texts, whole=st.booleans())
def test_spans_are_in_the_text_and_nested(text: str, whole: bool) -> None:
    tree = read_global(text) if whole else read_project(text)
    everything = Span(0, len(text))
    for node, children in nodes(tree.root):
        assert isinstance(node, Scalar | Mapping | Sequence | Alias)
        assert inside(node.span, everything)
        assert all(inside(child.span, node.span) for child in children)
    last = 0
    for part in tree.parts:
        assert inside(part.span, everything)
        assert last <= part.span.start
        assert inside(part.header_span, part.span)
        assert inside(part.data_span, part.header_span)
        assert part.header_span.end <= part.body.start or part.body.start == part.body.end
        assert part.body.end <= part.span.end or part.body.start == part.body.end
        if part.header is not None:
            assert inside(part.header.span, part.data_span)
        last = part.span.end
    assert all(inside(problem.span, everything) for problem in tree.problems)
    assert all(inside(comment, everything) for comment in tree.comments)
    assert all(inside(span, everything) for span in tree.stray)
    assert tree.outside is None or inside(tree.outside, Span(0, tree.parts[0].span.start))


@many
@given(text=texts)
def test_a_header_that_the_program_does_not_see_is_reported(text: str) -> None:
    """What we read as a header, and the program does not, or the other way round, has a finding."""
    tree = read_project(text)
    reported = {problem.code for problem in tree.problems}
    seen = split_frontmatter(text)
    if seen is None:
        has_frontmatter = bool(tree.parts) and not tree.markers and bool(tree.parts[0].header_span.of(text))
        assert not has_frontmatter or "foya-frontmatter" in reported
    elif "foya-frontmatter" not in reported:
        (part,) = tree.parts
        assert not tree.markers
        assert seen[0].start == part.data_span.start
        assert part.data_span.of(text) == text[seen[0].start : part.data_span.end]
        assert seen[1] <= part.body.start
    if tree.markers and not seen:
        for part in tree.parts:
            on_line = any(part.header_span.start <= problem.span.start < part.span.end for problem in tree.problems)
            assert is_marker_line(text, part.header_span.start) or on_line or text.startswith("\ufeff")


@many
@given(text=texts, path=st.sampled_from(PATHS))
def test_rules_have_their_values(text: str, path: str) -> None:
    file = document(path, text).foya
    assert file.scope == ("global" if path == GLOBAL and file.scope == "global" else "project")
    for rule in file.rules:
        assert (
            rule.content == rule.content.strip() or "\x1c" <= rule.content[:1] <= "\x1f" or rule.content[-1:] <= "\x1f"
        )
        assert rule.name.bad or rule.name.text()
        assert rule.broken or rule.id.bad or rule.id.text()
        assert rule.trigger.bad or rule.trigger.text() in ("always", "glob", "model_decision", "manual")
        assert inside(rule.anchor, Span(0, len(text)))
        for value in (rule.id, rule.name, rule.description, rule.trigger, rule.globs, *rule.globs.items):
            assert inside(value.span, Span(0, len(text)))
    for loaded in file.program or ():
        assert loaded.content
        assert loaded.id


@many
@given(text=texts, path=st.sampled_from(PATHS))
def test_every_fix_takes_its_finding_away(text: str, path: str) -> None:
    found = findings(path, text)
    if any(finding.code == "duplicate-key" for finding in found):
        return  # What is said of one of the two is then true of the other.
    for finding in found:
        if finding.code == "yaml-trap" or finding.message.en.endswith(STOPS.en):
            continue  # The fix is the YAML reader's, which has tests of its own.
        titles = [(fix.title.en, fix.edits) for fix in finding.fixes]
        assert len({edits for _, edits in titles}) == len(titles), "two fixes that do the same"
        for fix in finding.fixes:
            after = apply_edits(text, fix.edits)
            assert after != text
            if finding.message in (GLOBAL_FRONTMATTER, GLOBAL_FRONTMATTER_MARKERS):
                continue  # There may be another one below it.
            left = findings(path, after)
            same = [(other.code, other.message) for other in left].count((finding.code, finding.message))
            before = [(other.code, other.message) for other in found].count((finding.code, finding.message))
            assert same < before, (fix.title.en, after)


@pytest.mark.parametrize(
    "text", ["---\n" * 20_000, "<!-- foya-rule: {\n" * 20_000, "```\n" * 20_000, "---\nid: " + "[" * 20_000]
)
def test_long_texts_are_read_in_time_that_grows_with_them(text: str) -> None:
    tree = document(GLOBAL, text).tree
    assert isinstance(tree, MarkdownTree)
    assert len(tree.problems) < 20_001
