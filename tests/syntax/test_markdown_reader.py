"""Headers of Markdown files: where they stand, what is in them, what is left when one is not as it should be."""

from __future__ import annotations

import pytest

from rulewright.syntax.markdown_reader import MarkdownTree, read_global, read_project, trimmed
from rulewright.syntax.tree import Mapping, Scalar, Sequence
from rulewright.text.edits import apply_edits
from rulewright.text.span import Span


def keys_of(tree: MarkdownTree, number: int = 0) -> dict[str, str]:
    header = tree.parts[number].header
    assert header is not None
    return {entry.key: entry.value.raw for entry in header.entries if isinstance(entry.value, Scalar)}


def codes(tree: MarkdownTree) -> list[str]:
    return [problem.code for problem in tree.problems]


@pytest.mark.ledger("F060")
def test_a_frontmatter_and_its_body() -> None:
    text = "---\nid: 🙂 # why\nname: b\n---\n\n Body.\r\nMore. \n\n"
    tree = read_project(text)
    (part,) = tree.parts
    assert part.header_span.of(text) == "---\nid: 🙂 # why\nname: b\n---"
    assert part.data_span.of(text) == "id: 🙂 # why\nname: b\n"
    assert part.body.of(text) == "Body.\r\nMore."
    assert part.span.of(text) == text.rstrip()
    assert keys_of(tree) == {"id": "🙂", "name": "b"}
    assert [comment.of(text) for comment in tree.comments] == ["# why"]
    assert isinstance(tree.root, Mapping)
    assert tree.root.entries[0].value.span.of(text) == "🙂"
    assert not tree.problems


@pytest.mark.ledger("F060")
def test_markers_and_their_bodies() -> None:
    text = '# Foya User Rules\n\n<!-- foya-rule: {"id":"🙂"} -->\nOne.\n\n  <!-- foya-rule: {"id":"b"} -->  \n\nTwo.\n'
    tree = read_global(text)
    assert [part.header_span.of(text) for part in tree.parts] == [
        '<!-- foya-rule: {"id":"🙂"} -->',
        '<!-- foya-rule: {"id":"b"} -->',
    ]
    assert [part.body.of(text) for part in tree.parts] == ["One.", "Two."]
    assert [part.data_span.of(text) for part in tree.parts] == ['{"id":"🙂"}', '{"id":"b"}']
    assert isinstance(tree.root, Sequence)
    assert [item.span for item in tree.root.items] == [part.span for part in tree.parts]
    assert keys_of(tree, 1) == {"id": "b"}
    assert tree.markers
    assert tree.outside is None
    assert not tree.problems


def test_a_text_alone() -> None:
    text = "\n# Foya User Rules\n\nBe brief.\n"
    tree = read_project(text)
    assert [part.body.of(text) for part in tree.parts] == ["Be brief."]
    assert tree.parts[0].header_span == Span(20, 20)
    assert tree.root is None


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", " \u3000\t\r\n", "# Foya User Rules\n"])
def test_nothing_is_nothing(text: str) -> None:
    for tree in (read_project(text), read_global(text)):
        assert (tree.root, tree.parts, tree.problems) == (None, [], [])


@pytest.mark.parametrize(
    "text", ["\ufeff---\nid: a\n---\nB.\n", "\n \n---\nid: a\n---\nB.\n", "---\nid: a\n----\nB.\n"]
)
def test_what_is_almost_a_frontmatter_is_read_as_one(text: str) -> None:
    tree = read_project(text)
    assert codes(tree) == ["foya-frontmatter"]
    assert keys_of(tree) == {"id": "a"}
    assert tree.parts[0].body.of(text) == "B."
    assert tree.parts[0].sound
    mended = apply_edits(text, tree.problems[0].fixes[0].edits)
    assert mended == "---\nid: a\n---\nB.\n"


def test_a_frontmatter_without_an_end_is_guessed() -> None:
    text = "---\nid: a\nglobs:\n  - x\n\nB: c\n"
    tree = read_project(text)
    assert codes(tree) == ["foya-frontmatter"]
    assert tree.problems[0].span == Span(0, 3)
    assert tree.parts[0].doubtful
    assert not tree.parts[0].sound
    assert tree.parts[0].body.of(text) == "B: c"
    assert apply_edits(text, tree.problems[0].fixes[0].edits) == "---\nid: a\nglobs:\n  - x\n---\n\nB: c\n"


def test_one_finding_for_a_yaml_that_cannot_be_read_and_the_rest_of_it_is_there() -> None:
    text = "---\nid: a\ndescription: b: c\nname: d: e\ntrigger: always\n---\nB.\n"
    tree = read_project(text)
    assert codes(tree) == ["foya-frontmatter"]
    assert tree.problems[0].span.of(text) == "b: c"
    assert not tree.parts[0].sound
    assert keys_of(tree)["trigger"] == "always"


def test_other_findings_of_the_yaml_keep_their_code() -> None:
    tree = read_project("---\nid: a\nid: b\nname: x #1\ndescription: z\u200b\n---\nB\u200b.\n")
    assert codes(tree) == ["duplicate-key", "yaml-trap", "hidden-character", "hidden-character"]


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ('<!--foya-rule: {"id":"a"}-->', {"id": "a"}),
        ('<!-- foya-rule:{"id":"a"} -->', {"id": "a"}),
        ('<!--  foya-rule : {"id":"a"} -->', {"id": "a"}),
        ('<!-- foya-rule: {\n"id":\n"a"} -->', {"id": "a"}),
        ('<!-- foya-rule: {"id":"a"} --> text', {"id": "a"}),
        ('<!-- foya-rule: {"id":"a"}', {"id": "a"}),
        ("<!-- foya-rule: {'id':'a'} -->", {"id": "a"}),
    ],
)
def test_what_is_almost_a_marker_is_read_as_one(written: str, keys: dict[str, str]) -> None:
    text = f'<!-- foya-rule: {{"id":"1"}} -->\nOne.\n{written}\nTwo.\n<!-- foya-rule: {{"id":"3"}} -->\nThree.\n'
    tree = read_global(text)
    assert codes(tree) == ["foya-marker"]
    assert [keys_of(tree, number) for number in range(3)] == [{"id": "1"}, keys, {"id": "3"}]
    assert tree.parts[0].body.of(text) == "One."
    assert tree.parts[1].body.of(text).endswith("Two.")
    mended = apply_edits(text, tree.problems[0].fixes[0].edits)
    assert codes(read_global(mended)) == []
    assert keys_of(read_global(mended), 1) == keys


def test_a_comment_that_never_ends_does_not_swallow_the_next_marker() -> None:
    text = '<!-- foya-rule: {"id":"a",\n<!-- foya-rule: {"id":"b"} -->\nTwo.\n'
    tree = read_global(text)
    assert [part.body.of(text) for part in tree.parts] == ["", "Two."]
    assert codes(tree) == ["foya-marker"]


def test_a_marker_after_a_lone_carriage_return_is_reported() -> None:
    text = '<!-- foya-rule: {"id":"a"} -->\nOne.\r<!-- foya-rule: {"id":"b"} -->\nTwo.\n'
    tree = read_global(text)
    assert codes(tree) == ["foya-marker"]
    assert len(tree.parts) == 2
    assert codes(read_global(apply_edits(text, tree.problems[0].fixes[0].edits))) == []


def test_a_global_file_with_a_frontmatter_has_one_finding() -> None:
    text = '---\nowner: [\n---\n# Foya User Rules\n\n<!-- foya-rule: {"id":"a"} -->\nOne.\n'
    tree = read_global(text)
    assert codes(tree) == ["foya-marker"]
    assert tree.problems[0].span == Span(0, 3)
    assert tree.outside is None
    assert keys_of(tree) == {"id": "a"}


def test_a_rule_across_the_page_is_no_frontmatter_of_the_global_file() -> None:
    text = '---\n\nNotes.\n\n<!-- foya-rule: {"id":"a"} -->\nOne.\n'
    tree = read_global(text)
    assert codes(tree) == []
    assert tree.outside is not None
    assert tree.outside.of(text) == "---\n\nNotes."


def test_comments_for_the_tool_are_found_outside_of_code() -> None:
    text = (
        "---\nid: a # rulewright: ignore[x]\n---\n<!-- rulewright: ignore[y] -->\n"
        "```\n<!-- rulewright: ignore[z] -->\n```\n<!-- other -->\n"
    )
    assert [comment.of(text) for comment in read_project(text).comments] == [
        "# rulewright: ignore[x]",
        "<!-- rulewright: ignore[y] -->",
    ]


def test_markers_below_a_frontmatter_start_nothing() -> None:
    text = '---\nid: a\n---\n<!-- foya-rule: {"id":"b"} -->\n```\n<!-- foya-rule: {"id":"c"} -->\n```\n'
    tree = read_project(text)
    assert len(tree.parts) == 1
    assert [span.of(text) for span in tree.stray] == ['<!-- foya-rule: {"id":"b"} -->']


def test_white_space_is_what_go_takes_for_it() -> None:
    text = "\u3000\x85 a\u200b \x1f\u00a0"
    assert trimmed(text, 0, len(text)).of(text) == "a\u200b \x1f"
    assert trimmed("  ", 0, 2) == Span(2, 2)
