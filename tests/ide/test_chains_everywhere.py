"""Editor features of hook chains at every place of every file of the corpus and the guide, and of such files with a character gone."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rulewright import analysis, files
from rulewright.analysis import Analysis
from rulewright.checking import FileFacts
from rulewright.formats.hook_chains.config import compiled
from rulewright.ide import code_actions, code_lens, completion, folding, hover, links, rename, semantic_tokens, symbols
from rulewright.settings import Settings
from rulewright.text.edits import apply_edits
from rulewright.text.lines import Lines
from rulewright.text.span import Span

TESTS = Path(__file__).parents[1]
PATH = "/project/.openclaude/hook-chains.json"


def sources() -> dict[str, str]:
    """Return the text of each file by its name."""
    found = {}
    for folder in (TESTS / "corpus" / "hookchains", TESTS / "data" / "chains"):
        for path in sorted(folder.rglob("*.json")):
            if path.name not in ("case.json", "table.json"):
                found[f"{path.parent.name}/{path.name}"] = files.read_source(str(path)).text
    return found


SOURCES = sources()


def analyze(text: str) -> Analysis:
    document = analysis.read(PATH, text)
    assert document is not None
    return analysis.analyze(document, Settings(), FileFacts({}))


def try_all(text: str, step: int) -> Analysis:
    """Call everything that an editor may call, with what is said at every `step`th place."""
    found = analyze(text)
    assert compiled(found.document)["config"]["rules"] is not None
    everything = [
        *(item.span for item in symbols.symbols(found)),
        *(lens.span for lens in code_lens.code_lenses(found, "zh-CN")),
        *(token.span for token in semantic_tokens.semantic_tokens(found)),
        *(link.span for link in links.links(found)),
        *(finding.span for finding in found.findings),
    ]
    assert all(0 <= span.start <= span.end <= len(text) for span in everything)
    assert folding.folds(found) is not None
    for finding in found.findings:
        for fix in finding.fixes:
            assert apply_edits(text, fix.edits) != text
    for offset in range(0, len(text) + 1, step):
        said = hover.hover(found, offset, "en")
        assert said is None or said.markdown
        assert rename.name_at(found, offset) is None
        assert isinstance(code_actions.actions(found, Span(offset, offset), "zh-CN"), list)
    return found


@pytest.fixture(autouse=True)
def loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a check that fails fail here too."""
    monkeypatch.setenv("RULEWRIGHT_RAISE", "1")


@pytest.mark.parametrize("name", SOURCES)
def test_at_every_place_of_a_file(name: str) -> None:
    try_all(SOURCES[name], 1)


def test_with_a_character_gone() -> None:
    """As while somebody types: 300 times."""
    chance = random.Random(20)
    texts = [text for text in SOURCES.values() if len(text) > 50]
    for _ in range(300):
        text = chance.choice(texts)
        at = chance.randrange(len(text))
        try_all(text[:at] + text[at + 1 :], 41)


@pytest.mark.parametrize("name", ["chains/retry.json", "chains/notify.json", "chains/combined.json"])
def test_completion_at_every_place(name: str) -> None:
    """In the whole text, and where the rest of it is not yet written; what is offered replaces the place that it is offered at."""
    whole = SOURCES[name]
    offered = 0
    for text, offsets in [
        (whole, range(len(whole) + 1)),
        *((whole[:at], range(at, at + 1)) for at in range(0, len(whole), 7)),
    ]:
        lines = Lines(text)
        for offset in offsets:
            for item in completion.complete("hook-chains", PATH, text, lines, offset, snippets=True):
                assert 0 <= item.span.start <= offset <= item.span.end <= len(text)
                assert item.label
                assert lines.line_at(item.span.start) == lines.line_at(item.span.end)
                offered += 1
    assert offered > 1000


@pytest.mark.parametrize("name", SOURCES)
def test_all_safe_fixes_at_once(name: str) -> None:
    """They leave no safe fix behind, and no error that was not there."""
    text = SOURCES[name]
    found = analyze(text)
    action = code_actions.fix_all(found, Settings(), FileFacts({}), "en")
    if action is None:
        return
    mended = analyze(apply_edits(text, action.edits))
    assert code_actions.fix_all(mended, Settings(), FileFacts({}), "en") is None
    assert all(
        finding.code != "json-syntax" or finding.code in {one.code for one in found.findings}
        for finding in mended.findings
    )


def rules(count: int) -> str:
    rule = SOURCES["chains/combined.json"]
    start, end = rule.index("[") + 1, rule.rindex("]")
    return (
        rule[:start]
        + ",".join(rule[start:end].replace("full-recovery-chain", f"r{n}") for n in range(count))
        + rule[end:]
    )


def test_five_hundred_rules_keep_up_with_typing() -> None:
    """Bounds are several times what it takes on a machine that is not busy."""
    text = rules(500)
    lines = Lines(text)
    found = analyze(text)
    offset = text.index("${ERROR}", len(text) // 2) + 3
    calls: dict[str, Callable[[], object]] = {
        "completion": lambda: completion.complete("hook-chains", PATH, text, lines, offset),
        "hover": lambda: hover.hover(found, offset, "en"),
        "lenses": lambda: code_lens.code_lenses(found, "en"),
        "tokens": lambda: semantic_tokens.semantic_tokens(found),
        "symbols": lambda: symbols.symbols(found),
    }
    slow = {}
    for name, call in calls.items():
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            assert call()
            best = min(best, time.process_time() - start)
        if best > 0.6:
            slow[name] = best
    assert slow == {}
