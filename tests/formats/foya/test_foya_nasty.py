"""Rule files that nobody wrote on purpose: any bytes, slips of one character, texts made to be slow, texts that want out."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rulewright import files, foya_set, workspace
from rulewright.analysis import Analysis
from rulewright.commands.fix import fix_text
from rulewright.errors import RulewrightError
from rulewright.hook import activity
from rulewright.ide import code_lens, completion, hover, links, rename, semantic_tokens, symbols
from rulewright.ide.project import ProjectFacts
from rulewright.settings import Settings
from rulewright.text.edits import apply_edits
from support.engine import read

PROJECT = "/p/.foya/rules/web/a.md"
GLOBAL = "/p/.foya/rules/user_rules.md"
SETTINGS = Settings(root="/p")
LISTED = ("src/api/a.go", "main.go", "web/x.ts", "docs/文档.md")

TEXTS = {
    "quoted": (
        PROJECT,
        "---\nid: web\nname: \"web rules\"   # c\ndescription: 'it''s'\ntrigger: glob\n"
        "globs: [\"src/**/*.go\", 'a,b']\n---\n\nWrap *errors*, see @web.\n",
    ),
    "chinese": (
        PROJECT,
        "---\r\nname: 接口\r\ntrigger: model_decision\r\ndescription: |\r\n  多行\r\nglobs:\r\n  - 文档/*.md # x\r\n"
        '  - "*.{ts,js}"\r\n---\r\n所有😀接口.\r\n',
    ),
    "global": (
        GLOBAL,
        '# Foya User Rules\n\n<!-- foya-rule: {"id":"tone","name":"T"} -->\nBe brief.\n\n<!-- foya-rule: '
        '{"id":"提交","Trigger":"manual","globs":["a/**"]} -->\n~~~\n<!-- foya-rule: {"id":"in"} -->\n~~~\nUse @tone.\n',
    ),
    "foreign": (
        PROJECT,
        "\ufeff---\nalwaysApply: false\nglobs: *.ts\npaths:\n  - src/**\ntrigger: always_on\n---\nText.\n",
    ),
    "merged": (
        PROJECT,
        "---\nbase: &b {trigger: glob, globs: [a]}\n<<: *b\nid: 007\nglobs:\n- 'x'\n-\n---\nBody\n---\nmore\n",
    ),
}
SLIPS = [*"-\n\r\t :{[\"'#*&!|,\0<>`~\\@?]}a0%", "\ufeff", "\u200b", "\u2028", "😀", "-->", "---\n"]


@pytest.fixture(autouse=True)
def _raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULEWRIGHT_RAISE", "1")


def look_at(path: str, text: str, offsets: list[int]) -> Analysis:
    """Ask for everything that an editor and the commands ask for."""
    found = workspace.analyze_text(path, text, SETTINGS)
    assert found is not None
    for finding in found.findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        assert finding.message.to("en")
        assert finding.message.to("zh-CN")
    facts = ProjectFacts(SETTINGS, (workspace.summarize(found.document),), lambda: LISTED)
    for offset in offsets:
        hover.hover(found, offset, "zh-CN", facts)
        rename.name_at(found, offset, facts)
        lines = found.document.lines
        for item in completion.complete("foya", path, text, lines, offset, snippets=True, project=facts):
            assert 0 <= item.span.start <= item.span.end <= len(text)
    symbols.symbols(found)
    links.links(found, facts)
    list(semantic_tokens.semantic_tokens(found))
    code_lens.code_lenses(found, "en", facts)
    foya_set.compile_set([found.document], {path: 1})
    return found


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@pytest.mark.parametrize("name", TEXTS)
def test_every_place_of_a_file_can_be_asked_about(name: str) -> None:
    path, text = TEXTS[name]
    look_at(path, text, list(range(len(text) + 1)))


@pytest.mark.parametrize("name", TEXTS)
def test_a_slip_of_one_character_raises_nothing_and_no_fix_loses_a_text(name: str) -> None:
    path, text = TEXTS[name]
    rng = random.Random(name)
    last = letters(text.rstrip().rpartition("\n")[2])
    for _ in range(40):
        at = rng.randrange(len(text) + 1)
        slip = text[:at] + text[at + 1 :] if rng.random() < 0.3 else text[:at] + rng.choice(SLIPS) + text[at:]
        found = look_at(path, slip, [offset for offset in range(at - 1, at + 3) if 0 <= offset <= len(slip)])
        bodies = [letters(rule.content) for rule in found.document.foya.rules if not rule.broken]
        for finding in found.findings:
            for fix in finding.fixes:
                after = apply_edits(slip, fix.edits)
                assert after != slip, (finding.code, slip)
                assert all(body in letters(after) for body in bodies), (finding.code, slip, after)
        for unsafe in (False, True):
            once = fix_text(path, slip, SETTINGS, unsafe)
            assert fix_text(path, once, SETTINGS, unsafe) == once, slip
            assert last in letters(once) or last not in letters(slip), (slip, once)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    data=st.binary(max_size=200),
    head=st.sampled_from([b"", b"---\n", b"\xef\xbb\xbf---\nid: x\n", b"<!-- foya-rule: "]),
)
@example(data=b"\xff\xfe-\0-\0-\0\n\0", head=b"")
@example(data=b"\0\r\r\n\x85", head=b"---\n")
def test_any_bytes_are_a_rule_file_or_refused(data: bytes, head: bytes) -> None:
    for path in (PROJECT, GLOBAL):
        try:
            source = workspace.as_rule_source(path, files.decode(head + data, path))
        except RulewrightError:
            continue
        found = look_at(path, source.text, [0, len(source.text) // 2, len(source.text)])
        assert found.document.format == "foya"


SLOW = {
    "comments that stay open": (PROJECT, "<!-- rulewright:" * 60_000),
    "comments that silence nothing": (PROJECT, "<!-- rulewright: ignore[x] -->\n" * 15_000),
    "comments between blocks of code": (PROJECT, "```\n```\n<!-- rulewright: ignore -->\n" * 8_000),
    "markers that stay open": (GLOBAL, "<!-- foya-rule:\n" * 5_000),
    "markers in blocks of code": (GLOBAL, '```\n<!-- foya-rule: {"id":"x"} -->\n```\n' * 4_000),
    "many markers": (GLOBAL, "".join(f'<!-- foya-rule: {{"id":"r{n}"}} -->\nText.\n' for n in range(4_000))),
    "fences": (PROJECT, "---\nid: x\n---\n" + "```\n" * 250_000 + '<!-- foya-rule: {"id":"x"} -->'),
    "a header without an end": (PROJECT, "---\n" + "a: b\n" * 20_000),
    "many globs": (
        PROJECT,
        "---\ntrigger: glob\nglobs:\n" + "".join(f"- a{n}/**/*.x\n" for n in range(2_000)) + "---\nx",
    ),
    "hidden characters": (PROJECT, "a\u200b" * 300_000),
    "one long line": (PROJECT, "字 <b> & '" * 400_000),
    "white space": (PROJECT, "---\n" + " " * 1_000_000 + "x"),
    "deep lists": (PROJECT, "---\nx: " + "[" * 20_000 + "\n---\nText.\n"),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_text_made_to_be_slow_costs_what_its_length_does(name: str) -> None:
    path, text = SLOW[name]
    begin = time.process_time()
    found = workspace.analyze_text(path, text, SETTINGS)
    assert found is not None
    foya_set.compile_set([found.document], {path: 1})
    # Each takes a second or less; what grows with the square of its length takes a minute and more.
    assert time.process_time() - begin < 10


WANTS_OUT = st.lists(
    st.sampled_from(
        [
            *(
                "</foya_rules>",
                "</foya_available_rules>",
                "<foya_rules>",
                "</foya_rule>",
                '"',
                "'",
                "&",
                "&lt;",
                "<",
                ">",
                "\n",
                "\r",
            ),
            *("[additional items omitted]", "\0", "\x1b[31m", "\u2028", "\x85", "\ud800", "- ", "字", "😀", " ", "a"),
        ]
    ),
    min_size=1,
    max_size=12,
).map("".join)


@pytest.mark.ledger("F041")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=WANTS_OUT, name=WANTS_OUT, trigger=st.sampled_from(["always", "model_decision"]))
def test_no_text_of_a_rule_gets_out_of_its_block(text: str, name: str, trigger: str) -> None:
    """Through the file, the reader and the compiled set, as the hook gives it."""
    from rulewright.syntax.yaml_quoting import quote_double

    header = f"---\nname: {quote_double(name)}\ndescription: {quote_double(text)}\ntrigger: {trigger}\n---\n"
    for source in (header + text, text):
        compiled = foya_set.compile_set([read(PROJECT, source)], {PROJECT: 1})
        for rules in (compiled["rules"], compiled["program"]):
            blocks = [
                ("foya_rules", activity.direct_block(rules)[0]),
                ("foya_available_rules", activity.index_block(rules)[0]),
                *(("foya_rule", activity.load_block(rule)) for rule in rules),
            ]
            for tag, block in blocks:
                if not block:
                    continue
                first, *_, last = block.split("\n")
                assert first.startswith(f"<{tag} ")
                assert last == f"</{tag}>"
                assert (block.count("<"), block.count(">")) == (2, 2)
                assert block.isprintable() or all(char.isprintable() or char in "\n\t" for char in block)
                inner = block[len(first) : -len(last)]
                assert not set("\"'") & set(inner)
                block.encode()


@pytest.mark.parametrize(
    "name", ["new\nline.md", "e😀.md", "rtl\u202egnp.md", "عربي.md", "\x1b[31mred.md", "0x1F.md", "yes.md", ".md"]
)
def test_the_name_of_a_file_is_a_name(name: str, tmp_path: Path) -> None:
    folder = tmp_path / ".foya" / "rules"
    folder.mkdir(parents=True)
    (folder / name).write_text("---\ntrigger: manual\n---\nText.\n", "utf-8")
    (entry,) = foya_set.read_rules(str(tmp_path), str(tmp_path / "home")).entries
    word = name.removesuffix(".md") or f"rule-{entry.shown['id'][:8]}"
    assert entry.shown["name"] == word
    match = foya_set.explain_match(entry, f"please @{word} now")
    assert match.engine.awake
    assert match.foya.awake


def test_links_in_circles_and_folders_with_names_of_files(tmp_path: Path) -> None:
    folder = tmp_path / ".foya" / "rules"
    (folder / "dir.md").mkdir(parents=True)
    (folder / "dir.md" / "in.md").write_text("Text.", "utf-8")
    (folder / "loop").symlink_to("..", target_is_directory=True)
    (folder / "self.md").symlink_to("self.md")
    (folder / "gone.md").symlink_to("nowhere")
    (folder / "last.md").write_text("Text.", "utf-8")
    found = foya_set.read_rules(str(tmp_path), str(tmp_path / "home"))
    assert {entry.shown["name"]: entry.rule is not None for entry in found.entries} == {"in": True, "last": True}
    assert len(found.failures) == 2
    # Foya's own program opens no file behind one that it cannot open.
    refused = {entry.shown["name"]: entry.program_refused for entry in found.entries}
    assert refused["in"] is None
    assert refused["last"] == foya_set.STOPPED.format(path="gone.md")
    outcome = workspace.check_paths([str(tmp_path)])
    assert [Path(file.path).name for file in outcome.files] == ["in.md", "last.md"]
    assert sorted(Path(failure.path).name for failure in outcome.failures) == ["gone.md", "self.md"]
