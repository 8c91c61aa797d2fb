"""Where rules land: what is asked and given, what gives way to what, the words for it; and that the index agrees."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as bounds
from hypothesis import strategies as st

from rulewright import analysis, planning
from rulewright.compiler import compile_index
from rulewright.harness import NAMES, codec
from rulewright.hook.event import TOOL_CLASSES, utf16_size
from rulewright.hook.index import NO_TOOL, Index
from rulewright.ide.inlay_hints import inlay_hints
from rulewright.model import Rule
from rulewright.planning import Point, RulePlan
from rulewright.settings import Settings
from rulewright.text.language import LANGUAGES
from rulewright.text.span import Span
from support.hook import document, package

TOOL = "target: tool, tool: shell"


class Fake:
    """A harness that nobody has: few events, and one thing at each that the others lack."""

    NAME = "fake"
    ALSO: dict[str, Any] = {"tool.error": ("After", ("add-context",), "")}  # noqa: RUF012
    EVENTS = {  # noqa: RUF012
        "Start": ("session.start", ("add-context",), ""),
        "Before": ("tool.pre", ("system-message",), ""),
        "After": ("tool.post", ("add-context", "feedback"), ""),
        "Prompt": ("prompt.submitted", ("deny",), ""),
        "End": ("session.end", (), ""),
    }
    TOOLS = {"Bash": "shell", "Patch": "file.edit"}  # noqa: RUF012
    VARYING_TOOLS = {"Patch": ("file.edit", "file.write")}  # noqa: RUF012
    CHILD_PROMPTS = False
    RETRY_PROMPTS = False
    TEXT_LIMIT = 10
    text_size = staticmethod(utf16_size)


class FakeWithFile(Fake):
    """The same, with a file of instructions."""

    INSTRUCTIONS = {"project": (None, "", ("FAKE.md",))}  # noqa: RUF012


class Mute(Fake):
    """The same, without prompts."""

    EVENTS = {native: row for native, row in Fake.EVENTS.items() if native != "Prompt"}  # noqa: RUF012


def rule_of(fields: str) -> Rule:
    found = document(package(f"- {{id: a, {fields}}}"))
    return found.package.rules[0]


def landed(fields: str, harness: Any = Fake) -> list[tuple[str, str | None, str, str | None]]:
    return [(p.event, p.native, p.status, p.reason) for p in planning.points(rule_of(fields), harness)]


def only(fields: str, harness: Any = Fake) -> Point:
    (point,) = planning.points(rule_of(fields), harness)
    return point


@pytest.mark.ledger("S016")
@pytest.mark.parametrize(
    ("fields", "status", "reason", "asked", "given"),
    [
        (f"{TOOL}, text: T", "native", None, ("add-context",), ("add-context",)),
        (f"{TOOL}, at: before, text: T", "install-error", "add-context-unsupported", ("add-context",), ()),
        (f"{TOOL}, action: block, text: T", "install-error", "deny-unsupported", ("deny",), ()),
        ("target: event, event: prompt.submitted, action: block, text: T", "native", None, ("deny",), ("deny",)),
        (
            f"{TOOL}, action: warn, text: T",
            "partial",
            "system-message-unsupported",
            ("system-message", "add-context"),
            ("add-context",),
        ),
        (
            f"{TOOL}, at: before, action: warn, text: T",
            "partial",
            "add-context-unsupported",
            ("system-message", "add-context"),
            ("system-message",),
        ),
        (
            "target: event, event: session.end, action: warn, text: T",
            "install-error",
            "output-unsupported",
            ("system-message", "add-context"),
            (),
        ),
        ("target: event, event: notification, text: T", "install-error", "event-unsupported", ("add-context",), ()),
        ("target: event, event: tool.error, text: T", "native", None, ("add-context",), ("add-context",)),
    ],
)
def test_what_an_action_asks_for_and_gets(
    fields: str, status: str, reason: str | None, asked: tuple[str, ...], given: tuple[str, ...]
) -> None:
    point = only(fields)
    assert (point.status, point.reason, point.asked, point.given) == (status, reason, asked, given)


@pytest.mark.ledger("S022")
def test_the_other_side_of_a_call_stands_in() -> None:
    point = only(f"{TOOL}, at: before, fallback: degrade, text: T")
    assert (point.event, point.native, point.status, point.own_event) == ("tool.post", "After", "degraded", "tool.pre")
    assert only(f"{TOOL}, at: after, fallback: degrade, text: T").status == "native"

    class Early(Fake):
        EVENTS = {"Before": ("tool.pre", ("add-context",), "")}  # noqa: RUF012

    point = only(f"{TOOL}, fallback: degrade, text: T", Early)
    assert (point.event, point.status, point.reason) == ("tool.pre", "degraded", "event-unsupported")


@pytest.mark.ledger("S088")
def test_a_block_that_cannot_deny_warns_each_time() -> None:
    point = only(f"{TOOL}, action: block, fallback: degrade, text: T")
    assert (point.event, point.action, point.repeat, point.status) == ("tool.pre", "warn", "every", "degraded")
    assert (point.own_action, point.asked, point.given) == ("block", ("deny",), ("system-message",))
    words = planning.point_words(point)
    assert words is not None
    assert words.en == (
        "nothing can be denied at `tool.pre`, warns instead of blocking, each time, only the user sees it"
    )

    class Silent(Fake):
        EVENTS = {"Before": ("tool.pre", (), ""), "After": ("tool.post", ("system-message",), "")}  # noqa: RUF012

    point = only(f"{TOOL}, action: block, fallback: degrade, text: T", Silent)
    assert (point.event, point.action, point.repeat) == ("tool.post", "warn", "every")


@pytest.mark.ledger("S050")
@pytest.mark.parametrize(
    ("fields", "harness"),
    [
        (f"{TOOL}, action: block, fail: closed, text: T", Fake),
        (f"{TOOL}, action: block, fail: closed, fallback: degrade, text: T", Fake),
        (f"{TOOL}, action: block, fail: closed, fallback: skip, text: T", Fake),
        (f"{TOOL}, at: before, action: warn, fail: closed, text: T", Fake),
        ("target: event, event: prompt.submitted, fail: closed, fallback: degrade, text: T", Fake),
        ("target: system, fail: closed, text: T", FakeWithFile),
        ("target: system, fail: closed, text: T", Fake),
    ],
)
def test_closed_survives_neither_degradation_nor_static(fields: str, harness: Any) -> None:
    point = only(fields, harness)
    assert (point.status, point.reason) == ("install-error", "fail-closed-unsupported")


@pytest.mark.ledger("S050")
def test_closed_stays_where_its_own_point_denies() -> None:
    assert only("target: event, event: prompt.submitted, action: block, fail: closed, text: T").status == "native"


def test_a_standing_text_goes_into_the_file() -> None:
    static = [("session.start", None, "static", None)]
    native = [("session.start", "Start", "native", None)]
    assert landed("target: system, text: T", FakeWithFile) == static
    assert landed("target: system, text: T") == native
    # What has to be shown, comes at some starts only, or is filled in, cannot stand in a file.
    for more in ("sources: [startup], text: T", "text: 'In {{ cwd }}.'"):
        assert landed(f"target: system, {more}", FakeWithFile) == native, more
    assert landed("target: system, action: warn, text: T", FakeWithFile)[0][2] == "partial"
    rule = rule_of("target: system, text_file: a.md")
    assert planning.points(rule, FakeWithFile, "T")[0].status == "static"
    assert planning.points(rule, FakeWithFile, "In {{ cwd }}.")[0].status == "native"
    assert landed("target: system, enabled: false, text: T", FakeWithFile)[0][2:] == ("skipped", "disabled")


@pytest.mark.ledger("S089", "S102")
def test_a_refresh_is_never_static_and_needs_prompts() -> None:
    rule = "target: system, refresh: 10, reason: R, text: T"
    both = ["session.start", "prompt.submitted"]
    found = landed(rule, FakeWithFile)
    assert [event for event, *_ in found] == both
    assert {row[2:] for row in found} == {("install-error", "refresh-unsupported")}, "Prompt takes no text"
    assert {row[2:] for row in landed(rule, Mute)} == {("install-error", "refresh-unsupported")}
    skipped = landed(rule.replace("text", "fallback: skip, text"))
    assert {row[2:] for row in skipped} == {("skipped", "refresh-unsupported")}
    for name in NAMES:
        found = landed(rule, codec(name))
        assert [event for event, *_ in found] == both
        assert {status for *_, status, _ in found} == {"native"}
    without = landed("target: system, when: {model: '*'}, text: T")
    assert [row[2:] for row in without] == [("native", None), ("install-error", "add-context-unsupported")]


@pytest.mark.ledger("S103")
def test_the_four_lines_of_the_seed() -> None:
    rule = rule_of("target: system, refresh: 10, reason: R, when: {model: '*'}, text: T")
    assert [line.en for line in planning.refresh_lines(rule, codec("claude-code"))] == [
        "refresh: every 10 submitted turns since last emission; first match immediately; matched points only; "
        "full per-emission budget",
        "prompt-count-fallback without native turn IDs",
        "no child cadence without child prompt callbacks",
        "due output waits for its original matching point",
    ]
    assert planning.refresh_lines(rule_of("target: system, refresh: 0, text: T"), codec("claude-code")) == ()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_a_refresh_is_what_the_tables_say(name: str) -> None:
    """Lines that the seed prints hold everywhere; child prompts and retried stops are said where there are any."""
    module = codec(name)
    rule = rule_of("target: system, refresh: 3, reason: R, text: T")
    lines = planning.refresh_lines(rule, module)
    assert lines[0].en.startswith("refresh: every 3 submitted turns")
    assert (planning.REFRESH_NO_CHILDREN in lines) == (not module.CHILD_PROMPTS)
    assert (planning.REFRESH_CHILDREN_LEFT_OUT in lines) == module.CHILD_PROMPTS
    assert (planning.REFRESH_RETRIES in lines) == module.RETRY_PROMPTS


@pytest.mark.ledger("S106")
def test_a_warning_on_codex() -> None:
    codex = codec("codex")
    start = only("target: event, event: session.start, action: warn, text: T", codex)
    assert (start.status, start.reason, start.gives) == ("partial", "system-message-unsupported", ("context",))
    assert only(f"{TOOL}, action: warn, text: T", codex).status == "native"


def plan(fields: str, harness: Any = Fake) -> RulePlan:
    return planning.plan_rule(rule_of(fields), harness)


def test_a_rule_is_as_its_worst_point() -> None:
    assert plan("target: system, when: {model: '*'}, text: T").status == "install-error"
    assert plan("target: system, when: {model: '*'}, fallback: skip, text: T").status == "partial"
    assert plan(f"{TOOL}, text: T").status == "native"
    assert plan(f"{TOOL}, enabled: false, text: T").status == "skipped"
    assert plan("target: system, text: T", FakeWithFile).status == "static"


def test_a_text_that_the_host_cuts_is_told() -> None:
    assert [text.en for text in planning.warnings(plan(f"{TOOL}, text: 12345678😀0"))] == [
        "the text has 11 characters, fake keeps only 10 of one text whole"
    ]
    assert planning.warnings(plan(f"{TOOL}, text: 12345678😀")) == ()
    assert planning.warnings(plan("target: system, text: 12345678901", FakeWithFile)) == (), "a file has no such limit"


def test_tools_that_a_harness_does_not_report_are_told() -> None:
    def told(fields: str) -> list[str]:
        return [text.en for text in planning.warnings(plan(f"{fields}, text: T"))]

    assert told("target: tool, tool: [shell, file.edit, file.write, '*', other]") == []
    assert told("target: tool, tool: [shell, fetch, search]") == [
        "fake reports no calls of `fetch`, `search`: there the rule never matches them"
    ]
    assert told("target: skill, skill: tidy") == ["fake reports no calls of `skill`: there the rule never matches them"]
    assert told("target: tool, tool: fetch, enabled: false") == []


@pytest.mark.parametrize(
    "fields",
    [
        "target: system, action: block, text: T",
        "target: system, fail: closed, text: T",
        f"{TOOL}, action: block, at: after, text: T",
        f"{TOOL}, action: blok, text: T",
        f"{TOOL}, fallback: maybe, text: T",
        "target: event, event: tool.before, text: T",
        "target: system, when: 3, text: T",
    ],
)
def test_what_other_findings_are_about_is_not_planned(fields: str) -> None:
    assert planning.plans(rule_of(fields), [codec("codex")]) == ()


def test_what_would_help() -> None:
    assert planning.reached_by(rule_of(f"{TOOL}, at: before, text: T"), Fake) == ("degrade", "skip")
    assert planning.reached_by(rule_of("target: event, event: notification, text: T"), Fake) == ("skip",)
    assert planning.reached_by(rule_of(f"{TOOL}, action: block, fail: closed, text: T"), Fake) == ()


def test_every_reason_has_words() -> None:
    for reason, text in planning.REASONS.items():
        assert text.en
        assert text.zh
        assert reason == reason.lower()
    assert set(planning.STATUSES) == {"native", "partial", "degraded", "static", "skipped", "install-error"}


CORPUS = sorted(path for path in (Path(__file__).parent / "corpus").rglob("*.y*ml") if path.is_file())


def test_no_text_is_too_odd() -> None:
    """Findings, hints and tables of any text, whole or cut anywhere: nothing raises, and hints stand behind ids."""
    seen = 0
    for path in CORPUS:
        whole = path.read_bytes().decode("utf-8", "replace")
        if len(whole) > 20_000:
            continue
        for text in (whole, whole[: len(whole) // 2], whole[: len(whole) // 3], whole.replace("target: ", "target: x")):
            given_ = analysis.read("a.style.yaml", text)
            assert given_ is not None
            found = analysis.analyze(given_, Settings(harnesses=NAMES))
            assert not [finding for finding in found.findings if finding.code == "internal-error"]
            for lang in LANGUAGES:
                for hint in inlay_hints(found, Span(0, len(text)), lang):
                    seen += 1
                    assert hint.label.count("·") == len(NAMES) - 1
                    assert hint.tooltip.count("\n| ") >= len(NAMES)
    assert seen > 100


# ------------------------------------------------------------------ the index

EVENTS = ("session.start", "prompt.submitted", "tool.pre", "tool.post", "tool.error", "session.end", "model.request")
TARGETS = (
    "target: tool, tool: shell",
    "target: tool, tool: [file.edit, '*']",
    "target: tool, tool: shell, at: before",
    "target: mcp, at: before",
    "target: skill",
    "target: system",
    "target: system, refresh: 2, repeat: session",
    "target: system, when: {model: '*'}",
    "target: system, when: {harness: [codex, foya]}",
    *(f"target: event, event: {event}" for event in EVENTS),
)
ACTIONS = ("inject", "warn", "block", "block, fail: closed", "warn, fail: closed")
FALLBACKS = ("error", "degrade", "skip")
EVERY = [f"{t}, action: {a}, fallback: {f}" for t, a, f in product(TARGETS, ACTIONS, FALLBACKS)]


def compiled(data: bytes, harness: str) -> set[tuple[str, str, str, bool]]:
    """Return (native event, entry, action, fails closed) of every entry in an index."""
    index = Index(data, harness)
    found: set[tuple[str, str, str, bool]] = set()
    for native in index.events():
        for tool_class in (NO_TOOL, *TOOL_CLASSES):
            section = index.section(native, tool_class)
            for entry in [] if section is None else section.entries(None):
                found.add((native, entry["name"], entry["action"], bool(entry.get("closed"))))
    return found


@pytest.mark.ledger("S016", "S050", "S088", "S089")
@bounds(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(EVERY), min_size=1, max_size=8), st.sampled_from(NAMES))
def test_the_index_holds_what_the_plan_says(rules: list[str], name: str) -> None:
    given_ = document(package("".join(f"- {{id: r{i}, {fields}, text: T}}\n" for i, fields in enumerate(rules))))
    planned: set[tuple[str, str, str, bool]] = set()
    for rule in given_.package.rules:
        for point in planning.points(rule, codec(name)):
            assert point.active == (point.status in ("native", "partial", "degraded"))
            if point.active:
                assert point.native is not None
                assert point.gives
                closed = rule.fail.is_("closed")
                assert not closed or (point.status != "degraded" and point.event in ("tool.pre", "prompt.submitted"))
                planned.add((point.native, f"p/{rule.id.text()}@{point.event}", point.action, closed))
            if point.status == "static":
                assert not rule.is_dynamic()
    assert compiled(compile_index([given_], name), name) == planned
