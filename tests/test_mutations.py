"""Packages with slips in them, as typing makes them: nothing raises, every finding is on one line, and there are few."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from rulewright.analysis import analyze
from rulewright.settings import Settings
from support.engine import read

ROOT = Path(__file__).parent
BLOCK = re.compile(r"^(`{3,})(?:yaml style)[^\n]*\n(.*?)^\1\s*$", re.S | re.M)
MARK = re.compile(r"\s*[\^~]")
PIECES = [
    *" \t\n\r:-#[]{}\"'&*!|>%@`,?<~=\\", "\r\n", "\u00a0", "\ufeff", "😀", "中", "\u2028", "\x85", "\x00", "\ud800", "“", "：",
    "\u200b", "\u202e", "- ", "---\n", "<<: *a", "&a ", "*a", "null", "# rulewright: ignore[T005]\n", "|\n", "{{ a }}",
]  # fmt: skip


def texts() -> list[str]:
    """Every package of the check's cases, without its marks."""
    found = []
    for path in sorted((ROOT / "checks").glob("*.md")):
        for match in BLOCK.finditer(path.read_text("utf-8")):
            found.append("\n".join(line for line in match[2].split("\n") if not MARK.match(line)))
    return found


def mutated(text: str, rng: random.Random) -> str:
    """One to three slips: characters and lines left out, put in, doubled, swapped, moved; other line ends."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        end = min(len(text), at + rng.choice([1, 1, 2, 5, 20]))
        lines = text.split("\n")
        first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(11)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind <= 3:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 4:
            text = text[:at] + text[at:end] * 2 + text[end:]
        elif kind == 5:
            text = text[:at]
        elif kind == 6:
            text = rng.choice([text.replace("\n", "\r\n"), text.replace("\n", "\r"), text.replace("  ", "\t")])
        else:
            if kind == 7:
                del lines[first]
            elif kind == 8:
                lines.insert(second, lines[first])
            elif kind == 9:
                lines[first], lines[second] = lines[second], lines[first]
            else:
                lines[first] = rng.choice([" ", "    ", "\t", "- "]) + lines[first]
            text = "\n".join(lines)
    return text


@pytest.mark.parametrize("seed", range(4))
def test_slips(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULEWRIGHT_RAISE", "1")
    rng = random.Random(seed)
    sources = [text for text in texts() if len(text) < 1000]
    sizes = []
    for _ in range(250):
        text = mutated(rng.choice(sources), rng)
        findings = analyze(read("slips.style.yaml", text), Settings()).findings
        for finding in findings:
            assert 0 <= finding.span.start <= finding.span.end <= len(text), text
            assert not re.search(r"[\r\n]", finding.span.of(text)), (finding, text)
        sizes.append(len(findings))
    # A case has up to a dozen findings of its own.
    assert sum(sizes) / len(sizes) < 5
    assert max(sizes) <= 30


@pytest.mark.parametrize(
    "text",
    [
        "spec: style/v0.3\nna\ud800me: x\n",
        "spec: style/v0.3\nrules:\n  - i\udfffd: a\n",
        "spec: style/v0.3\nrules:\n  - id: a\n    when: {a\ud800: b}\n",
    ],
)
def test_a_lone_surrogate_in_a_key(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULEWRIGHT_RAISE", "1")
    findings = analyze(read("a.style.yaml", text), Settings()).findings
    assert [finding.code for finding in findings] == ["yaml-syntax"]
