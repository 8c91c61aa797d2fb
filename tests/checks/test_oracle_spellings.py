"""The ten codes of the seed page again, whatever the spelling: quotes, tags, aliases, merge keys, flow style, comments, odd values.

What a value means is worked out here from YAML 1.2's core schema and the page alone; nothing is shared with the checks.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from rulewright.analysis import analyze
from rulewright.checking import FileFacts
from rulewright.settings import Settings
from support.engine import read

CODES = {
    "invalid-schema", "action-target", "block-after", "fail-closed-target", "refresh-invalid", "refresh-incompatible",
    "block-repeat", "reinject-unused", "T005", "T007",
}  # fmt: skip
WORDS = {
    "action": ("inject", "warn", "block"),
    "at": ("before", "after"),
    "repeat": ("every", "turn", "session"),
    "fail": ("open", "closed"),
}
NAMES = (*WORDS, "refresh", "reinject_on_compact")
ODD = [
    "[]", "{}", "~", "null", "", "[block]", "{a: b}", "010", "0x10", "1_000", "1:30", "yes", "on", "No", "1.0", "1e1", ".inf", "-0",
    "3", "true", "True", '"true"', "FALSE", '""', "''", '" "', '"1"', "+5", "0o7", "0b1", "2026-01-01", '"block "', "Block", "=",
    "!!str true", '!!int "3"', "1000000", "1000001", "00", "0.0", "1.", "1e3", "!!float 3", "9999999999999999999999",
]  # fmt: skip
EVENTS = ("tool.pre", "prompt.submitted", "session.start", "tool.post", "subagent.start", "agent.stop", "tool.error")
DENIABLE = ("tool.pre", "prompt.submitted")
LONG = " ".join(["word"] * 45)
BAD = object()
MISSING = object()
Fields = dict[str, str]


def meant(source: str) -> object:
    """What a scalar means; BAD for lists, mappings and numbers that YAML versions read differently."""
    source = source.partition("  #")[0].strip()
    if source[:1] in ("'", '"'):
        return source[1:-1]
    if source in ("", "~", "null"):
        return None
    if source.lower() in ("true", "false") and source in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return source.lower() == "true"
    if source.startswith("!!str "):
        return source[6:]
    if source == '!!int "3"':
        return 3
    if re.fullmatch(r"[-+]?(0|[1-9][0-9]*)", source):
        return int(source)
    return BAD if re.match(r"[-+.0-9\[{!]", source) and source != "2026-01-01" else source


def good(name: str, source: str) -> Any:
    """The value of a field, BAD where the page does not allow it."""
    value = meant(source)
    if name in WORDS:
        return value if isinstance(value, str) and value in WORDS[name] else BAD
    if name == "refresh":
        return value if type(value) is int and 0 <= value <= 1_000_000 else BAD
    return value if type(value) is bool else BAD


def expected(rule: Fields, defaults: Fields, long: bool) -> list[str]:
    """Return the codes of one rule."""

    def value(name: str) -> Any:
        source = rule.get(name, defaults.get(name))
        return MISSING if source is None else good(name, source)

    codes = [
        "refresh-invalid" if name == "refresh" else "invalid-schema"
        for name in NAMES
        if name in rule and good(name, rule[name]) is BAD
    ]
    target, event = rule.get("target"), rule.get("event")
    missing = (target == "event" and event is None) or (target == "tool" and "tool" not in rule)
    if missing or target not in ("tool", "mcp", "skill", "event", "system"):
        codes.append("invalid-schema")
    call = target in ("tool", "mcp", "skill")
    off = target == "system" or (target == "event" and event in EVENTS and event not in DENIABLE)
    action, at, repeat, refresh = value("action"), value("at"), value("repeat"), value("refresh")
    if action is MISSING:
        action = "inject"
    if at is MISSING:
        at = BAD if action is BAD else "before" if action == "block" else "after"
    if repeat is MISSING:
        repeat = BAD if action is BAD else {"warn": "every", "inject": "session", "block": None}[action]
    positive = refresh is not MISSING and refresh is not BAD and refresh > 0
    late = call and at == "after"
    faults = {
        "action-target": action == "block" and off,
        "block-after": action == "block" and late,
        "fail-closed-target": value("fail") == "closed" and (off or late),
        "refresh-incompatible": positive
        and (
            action == "block"
            or repeat in ("every", "turn")
            or rule.get("mode") == "replace"
            or (target == "event" and event == "subagent.start")
        ),
        "block-repeat": action == "block" and "repeat" in rule and good("repeat", rule["repeat"]) is not BAD,
        "reinject-unused": "reinject_on_compact" in rule
        and value("reinject_on_compact") is True
        and (action == "block" or repeat in ("every", "turn")),
        "T005": action == "block" and long,
        "T007": action == "inject" and (repeat in ("every", "turn") or positive) and "reason" not in rule,
    }
    return sorted([*codes, *(code for code, there in faults.items() if there)])


class Writer:
    """Makes random packages, and writes them in random spellings."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.shared: list[str] = []

    def source(self, name: str) -> str:
        rng = self.rng
        if rng.random() < 0.12:
            return rng.choice(ODD)
        if name in WORDS:
            word = rng.choice(WORDS[name])
            return rng.choice([word, word, f'"{word}"', f"'{word}'", f"{word}  # why", f"!!str {word}"])
        if name == "refresh":
            return rng.choice(["0", "1", "10", "1000000", "7  # why", "+5"])
        return rng.choice(["true", "false", "True", "FALSE"])

    def fields(self, most: int) -> Fields:
        return {name: self.source(name) for name in self.rng.sample(NAMES, self.rng.randint(0, most))}

    def rule(self, number: int) -> tuple[Fields, bool]:
        rng = self.rng
        target = rng.choice(["tool", "tool", "mcp", "skill", "event", "event", "system", None, "tol"])
        rule: Fields = {"id": f"r{number}", **({"target": target} if target else {})}
        if target == "tool" and rng.random() < 0.9:
            rule["tool"] = rng.choice(["shell", "[shell, file.edit]", '"*"'])
        if target == "event" and rng.random() < 0.9:
            rule["event"] = rng.choice([*EVENTS, "PreToolUse"])
        rule |= self.fields(5)
        if target not in ("tool", "mcp", "skill"):
            rule.pop("at", None)
        if target == "system" and rng.random() < 0.4:
            rule["mode"] = rng.choice(["append", "replace"])
        for name, source in (
            ("enabled", "false"),
            ("reason", "It matters."),
            ("model_text", "Short."),
            ("fallback", "skip"),
        ):
            if rng.random() < 0.3:
                rule[name] = source
        long = rng.random() < 0.3
        if rng.random() < 0.2:
            rule["text_file"] = "long.md" if long else "short.md"
        elif long:
            rule["text"] = rng.choice([LONG, f'"{LONG}"', f"|\n      {LONG}", f">-\n      {LONG}\n"])
        else:
            rule["text"] = rng.choice(["Do not.", "'Do not.'", "|\n      Do not."])
        return rule, long

    def aliased(self, source: str) -> str:
        """Write a value here, or by an alias of one that stands at the top."""
        if not source or "\n" in source or source.startswith("!!") or self.rng.random() > 0.12:
            return source
        name = f"v{len(self.shared)}"
        self.shared.append(f"x-{name}: &{name} {source.partition('  #')[0]}")
        return f"*{name}"

    def lines(self, rule: Fields) -> list[str]:
        rng = self.rng
        names = list(rule)
        merged: list[str] = []
        if rng.random() < 0.25:
            free = [name for name in names if name != "id" and "\n" not in rule[name]]
            merged = rng.sample(free, min(len(free), 3))
        entries = [(name, self.aliased(rule[name])) for name in names if name not in merged]
        if merged:
            body = [f"  {name}: {self.aliased(rule[name])}" for name in merged]
            anchor = f"m{len(self.shared)}"
            self.shared += [f"x-{anchor}: &{anchor}", *body]
            entries.append(("<<", rng.choice([f"*{anchor}", f"[*{anchor}]"])))
        rng.shuffle(entries)
        plain = all(source and "\n" not in source and "#" not in source and source[0] != "!" for _, source in entries)
        if plain and rng.random() < 0.3:
            return ["  - {" + ", ".join(f"{name}: {source}" for name, source in entries) + "}"]
        written = [f"    {rng.choice([name, name, repr(name)])}: {source}" for name, source in entries]
        return ["  - " + written[0].removeprefix("    "), *written[1:]]

    def package(self, defaults: Fields, rules: list[Fields]) -> str:
        self.shared = []
        head = ["spec: style/v0.3", "name: random", "version: 0.1.0", "description: Random rules."]
        given = (
            ["defaults:", *(f"  {name}: {self.aliased(source)}" for name, source in defaults.items())]
            if defaults
            else []
        )
        body = [line for rule in rules for line in self.lines(rule)]
        return "\n".join([*head, *self.shared, *given, "rules:", *body]) + "\n"


@pytest.mark.parametrize("seed", range(10))
def test_random_spellings(seed: int) -> None:
    writer = Writer(seed)
    for _ in range(40):
        defaults = writer.fields(3)
        rules = [writer.rule(number) for number in range(writer.rng.randint(1, 4))]
        text = writer.package(defaults, [rule for rule, _ in rules])
        document = read("random.style.yaml", text)
        facts = FileFacts({"long.md": LONG, "short.md": "x"})
        findings = analyze(document, Settings(), facts).findings
        assert not [finding for finding in findings if finding.code == "yaml-syntax"], text
        starts = [rule.span.start for rule in document.package.rules]
        assert len(starts) == len(rules)
        found: list[list[str]] = [[] for _ in rules]
        in_defaults: list[str] = []
        for finding in findings:
            if finding.code in CODES:
                owner = max((i for i, start in enumerate(starts) if start <= finding.span.start), default=None)
                (in_defaults if owner is None else found[owner]).append(finding.code)
        assert sorted(in_defaults) == sorted(
            "refresh-invalid" if name == "refresh" else "invalid-schema"
            for name, source in defaults.items()
            if good(name, source) is BAD
        ), text
        assert [sorted(codes) for codes in found] == [expected(rule, defaults, long) for rule, long in rules], text
