"""Where a rule lands on a harness: its points there, what they can carry of it, and what is done where something is missing.

Pure: reads the rule and the harness's tables. The index, `plan`, the findings about it, hover and inlay hints all come from
here, so they cannot differ. Source: style.md section 3 (evaluation points), section 8 and the behaviour list of [S].
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rulewright.hook.event import EVENTS, utf8_size, utf16_size
from rulewright.hook.render import pieces
from rulewright.model import Rule
from rulewright.text.language import Text, same

Status = Literal["native", "partial", "degraded", "static", "skipped", "install-error"]
Reason = Literal[
    "event-unsupported",
    "deny-unsupported",
    "add-context-unsupported",
    "system-message-unsupported",
    "output-unsupported",
    "fail-closed-unsupported",
    "refresh-unsupported",
    "disabled",
    "other-harness",
]

# The other of the two events around a tool call. Source: style.md section 8 [S].
_OTHER_SIDE = {"tool.pre": "tool.post", "tool.post": "tool.pre"}
# What an action hands over, by the words of section 4: the part of an answer, and the capability it needs [S].
_NEEDS = {
    "inject": (("context", "add-context"),),
    "warn": (("message", "system-message"), ("context", "add-context")),
    "block": (("block", "deny"),),
}
# Where STYLE lets a rule deny. Source: the seed, `action` and `fail` [S].
_DENIABLE = ("tool.pre", "prompt.submitted")
# What a rule is as a whole where its points differ: the first of these that one of them is.
_WORST: tuple[Status, ...] = ("install-error", "degraded", "partial", "native", "static", "skipped")

_Natives = dict[str, tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Point:
    """One rule at one event of one harness.

    event: the canonical event where it is evaluated; native: the harness's name for it, None where it has none.
    status and reason: how well it lands there, and why not better.
    action, repeat: as they count there, after degradation. gives: the parts of an answer it hands over.
    asked: the capabilities that the rule's own action needs; given: those of the point that it makes use of.
    own_event, own_action: the rule's, before degradation.
    """

    event: str
    native: str | None
    status: Status
    reason: Reason | None
    action: str
    repeat: str
    gives: tuple[str, ...]
    asked: tuple[str, ...]
    given: tuple[str, ...]
    own_event: str
    own_action: str

    @property
    def active(self) -> bool:
        """The rule is evaluated here."""
        return self.status in ("native", "partial", "degraded")


@dataclass(frozen=True, slots=True)
class RulePlan:
    """One rule on one harness (its module). text: the rule's, None where it is not known."""

    rule: Rule
    harness: Any
    points: tuple[Point, ...]
    text: str | None

    @property
    def status(self) -> Status | None:
        """What the rule is as a whole: the worst of its points, `partial` where only some are skipped; None without points."""
        found = {point.status for point in self.points}
        worst = next((status for status in _WORST if status in found), None)
        return "partial" if worst in ("native", "static") and "skipped" in found else worst

    @property
    def active(self) -> bool:
        """The rule is evaluated at some event."""
        return any(point.active for point in self.points)

    @property
    def size(self) -> int | None:
        """The size of its text as the host counts; None where the text is not known, or no answer to an event carries it."""
        if self.text is None or not self.active:
            return None
        return int(self.harness.text_size(self.text.strip("\r\n").rstrip()))

    @property
    def refresh(self) -> tuple[Text, ...]:
        """How its text comes again, a line each; empty where it does not."""
        return refresh_lines(self.rule, self.harness) if self.active else ()

    def is_anywhere(self, status: Status) -> bool:
        """Tell whether a point of the rule has a status."""
        for point in self.points:  # noqa: SIM110  # asked for each rule, harness and finding: a plain loop is half the time
            if point.status == status:
                return True
        return False

    def reason(self, status: Status) -> Text | None:
        """Return why points of the rule have a status, in words; None where none has it or there is nothing to say."""
        words = list(dict.fromkeys(said for p in self.points if p.status == status and (said := point_words(p))))
        return None if not words else _joined(words, SEMICOLON)


def points(rule: Rule, harness: Any, text: str | None = None, fallback: str | None = None) -> tuple[Point, ...]:
    """Return the points of a sound rule on a harness (its module), in the order of the rule's events.

    Args:
        text: the rule's text where it comes from a file. A text with variables is filled in at events, so it is never static.
        fallback: looked at in place of the rule's own.
    """
    asked = _asked(rule, text, fallback)
    return () if asked is None else _landed(rule, asked, harness)


def plan_rule(rule: Rule, harness: Any, text: str | None = None) -> RulePlan:
    """Return what becomes of a sound rule on a harness (its module).

    Args:
        text: the rule's text where it comes from a file.
    """
    return RulePlan(rule, harness, points(rule, harness, text), _known_text(rule, text))


def plans(rule: Rule, harnesses: Iterable[Any], text: str | None = None) -> tuple[RulePlan, ...]:
    """Return a rule's plan on each harness (their modules); none for a rule with a fault, or that STYLE itself rules out."""
    asked = _asked(rule, text, None) if is_plannable(rule) else None
    if asked is None:
        return ()
    text = _known_text(rule, text)
    return tuple(RulePlan(rule, harness, _landed(rule, asked, harness), text) for harness in harnesses)


def is_plannable(rule: Rule) -> bool:
    """Tell whether it is known what the rule asks for, and whether STYLE allows it: else other findings say what is wrong."""
    values = (rule.target, rule.action, rule.at, rule.repeat, rule.fail, rule.refresh, rule.fallback, rule.enabled)
    if rule.broken or rule.when_bad or any(value.bad for value in values):
        return False
    denies = rule.action.is_("block") or rule.fail.is_("closed")
    return bool(rule.points()) and (not denies or all(event in _DENIABLE for event in rule.points()))


def instruction_file(harness: Any) -> str | None:
    """Return the name of the file where a harness's static rules stand, the project's if there is one; None where it has none."""
    scopes = getattr(harness, "INSTRUCTIONS", None) or {}
    row = scopes.get("project") or next(iter(scopes.values()), None)
    return None if row is None else str(row[2][-1])


def reached_by(rule: Rule, harness: Any, text: str | None = None) -> tuple[str, ...]:
    """Return the values of `fallback` with which a rule that cannot be installed could be, the one that keeps more first."""
    return tuple(
        value
        for value in ("degrade", "skip")
        if all(point.status != "install-error" for point in points(rule, harness, text, value))
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """All of a rule that decides where it lands. Rules mostly ask for the same few things: so the answer is kept."""

    events: tuple[str, ...]
    action: str
    repeat: str
    closed: bool
    fallback: str
    needs_prompts: bool
    may_be_static: bool


def _asked(rule: Rule, text: str | None, fallback: str | None) -> _Asked | None:
    action = rule.action.text()
    events = rule.points()
    if action not in _NEEDS or any(event not in EVENTS for event in events):
        return None
    return _Asked(
        events,
        action,
        rule.repeat.text() or "every",
        rule.fail.is_("closed"),
        fallback or rule.fallback.text(),
        _refreshes(rule) and rule.target.is_("system"),
        _may_be_static(rule, rule.text.text() if text is None else text),
    )


def _known_text(rule: Rule, text: str | None) -> str | None:
    return rule.text.text() if text is None and not rule.text_file.known else text


def _landed(rule: Rule, asked: _Asked, harness: Any) -> tuple[Point, ...]:
    found = _points(asked, harness)
    skipped: Reason | None = None
    if rule.enabled.is_(False):
        skipped = "disabled"
    elif rule.when is not None and rule.when.harness.items:
        named = [item.value for item in rule.when.harness.items]
        skipped = None if harness.NAME in named else "other-harness"
    if skipped is None:
        return found
    asked_for = tuple(capability for _, capability in _NEEDS[asked.action])
    return tuple(
        Point(event, native, "skipped", skipped, asked.action, asked.repeat, (), asked_for, (), event, asked.action)
        for event in asked.events
        for native in [_natives(harness).get(event, (None,))[0]]
    )


@functools.lru_cache(maxsize=64)
def _natives(harness: Any) -> _Natives:
    """Return the native event and its capabilities by canonical event."""
    found: _Natives = {canonical: (row[0], row[1]) for canonical, row in harness.ALSO.items()}
    return found | {row[0]: (native, row[1]) for native, row in harness.EVENTS.items()}


@functools.lru_cache(maxsize=2048)
def _points(asked: _Asked, harness: Any) -> tuple[Point, ...]:
    natives = _natives(harness)
    found = tuple(_point(event, asked, natives) for event in asked.events)
    if asked.needs_prompts and not any(point.active and point.event == "prompt.submitted" for point in found):
        # Without it no prompt is counted in the rule's name, and nothing would come again (the seed, behaviour 6 [S]).
        status: Status = "skipped" if asked.fallback == "skip" else "install-error"
        return tuple(replace(point, status=status, reason="refresh-unsupported") for point in found)
    if asked.may_be_static and getattr(harness, "INSTRUCTIONS", None):
        if asked.closed:
            return tuple(replace(point, status="install-error", reason="fail-closed-unsupported") for point in found)
        return tuple(
            replace(point, native=None, status="static", reason=None, gives=(), given=point.asked) for point in found
        )
    return found


def _point(event: str, asked: _Asked, natives: _Natives) -> Point:
    point = _at(event, asked.action, asked.repeat, natives)
    if asked.closed and (not point.active or "deny" not in natives[event][1]):
        return replace(point, status="install-error", reason="fail-closed-unsupported")
    if point.active:
        return point
    if asked.fallback == "skip":
        return replace(point, status="skipped")
    if asked.fallback == "degrade":
        # A block after the call denies nothing, so on the other side only its warning is of use.
        events = [event, _OTHER_SIDE[event]] if event in _OTHER_SIDE else [event]
        action, repeat = ("warn", "every") if asked.action == "block" else (asked.action, asked.repeat)
        for other in events:
            tried = _at(other, action, repeat, natives)
            if tried.active:
                return replace(
                    tried,
                    status="degraded",
                    reason=point.reason,
                    asked=point.asked,
                    own_event=event,
                    own_action=asked.action,
                )
    return point


def _at(event: str, action: str, repeat: str, natives: _Natives) -> Point:
    needs = _NEEDS[action]
    asked = tuple(capability for _, capability in needs)
    repeat = "every" if action == "block" else repeat
    if event not in natives:
        return Point(event, None, "install-error", "event-unsupported", action, repeat, (), asked, (), event, action)
    native, capabilities = natives[event]
    gives = tuple(part for part, capability in needs if capability in capabilities)
    given = tuple(capability for capability in asked if capability in capabilities)
    status: Status = "native"
    reason: Reason | None = None
    if not gives:
        status = "install-error"
        reason = _MISSING[asked[0]] if len(asked) == 1 else "output-unsupported"
    elif len(gives) < len(needs):
        status = "partial"
        reason = next(_MISSING[capability] for capability in asked if capability not in given)
    return Point(event, native, status, reason, action, repeat, gives, asked, given, event, action)


_MISSING: dict[str, Reason] = {
    "deny": "deny-unsupported",
    "add-context": "add-context-unsupported",
    "system-message": "system-message-unsupported",
}


def _refreshes(rule: Rule) -> bool:
    return isinstance(rule.refresh.value, int) and rule.refresh.value > 0


def _may_be_static(rule: Rule, text: str) -> bool:
    """Tell whether a rule can stand in a file of instructions: always in force, and the same for everyone.

    A warning has somebody to be shown to, `sources` a time, a variable an event: those wait for `session.start` [R].
    """
    return (
        rule.target.is_("system")
        and not rule.is_dynamic()
        and not rule.sources.items
        and rule.action.is_("inject")
        and len(pieces(text)) == 1
    )


def _never_called(rule: Rule, harness: Any) -> tuple[str, ...]:
    """Return the canonical tools that a rule names and that no native tool of the harness is. MCP tools cannot be told."""
    reported = {*harness.TOOLS.values(), *(name for names in harness.VARYING_TOOLS.values() for name in names)}
    if rule.target.is_("skill"):
        return () if "skill" in reported else ("skill",)
    if not rule.target.is_("tool"):
        return ()
    return tuple(name for item in rule.tool.items if (name := item.text()) in _LISTED_TOOLS and name not in reported)


# Tools that tables list by name; `other` is whatever they do not list.
_LISTED_TOOLS = ("shell", "file.read", "file.write", "file.edit", "search", "fetch", "task")


# ------------------------------------------------------------------ in words


def refresh_lines(rule: Rule, harness: Any) -> tuple[Text, ...]:
    """Return how and when a rule's text comes again on a harness; empty where it has no positive `refresh`.

    Source: the seed's second example prints the first four for Claude Code [S]. What they say in conditions holds
    everywhere; what is different elsewhere is said instead (harnesses.md section 2.1).
    """
    if not _refreshes(rule):
        return ()
    found = [REFRESH.format(turns=rule.refresh.value), REFRESH_COUNTED]
    found.append(REFRESH_CHILDREN_LEFT_OUT if harness.CHILD_PROMPTS else REFRESH_NO_CHILDREN)
    found.append(REFRESH_WAITS)
    if harness.RETRY_PROMPTS:
        found.append(REFRESH_RETRIES)
    return tuple(found)


# The words of the seed are the same in both languages: it prints them in English on a Chinese page.
REFRESH = same(
    "refresh: every {turns} submitted turns since last emission; first match immediately; matched points only; "
    "full per-emission budget"
)
REFRESH_COUNTED = same("prompt-count-fallback without native turn IDs")
REFRESH_NO_CHILDREN = same("no child cadence without child prompt callbacks")
REFRESH_WAITS = same("due output waits for its original matching point")
REFRESH_CHILDREN_LEFT_OUT = Text(
    "prompts of child agents are told apart and do not advance the count", "子智能体的提示可以识别，不计入轮数"
)
REFRESH_RETRIES = Text(
    "a refused stop submits a prompt of its own, which counts as a turn", "拒绝停止会产生一次新的提示，也会计为一轮"
)

STATUSES: dict[Status, Text] = {
    "native": Text("works as written", "按原样生效"),
    "partial": Text("works in part", "部分生效"),
    "degraded": Text("works in another way", "降级生效"),
    "static": Text("stands in the instruction file", "写入指令文件"),
    "skipped": Text("left out", "跳过"),
    "install-error": Text("cannot be installed", "无法安装"),
}
REASONS: dict[Reason, Text] = {
    "event-unsupported": Text("there is no event `{event}`", "没有事件 `{event}`"),
    "deny-unsupported": Text("nothing can be denied at `{event}`", "`{event}` 不支持拒绝"),
    "add-context-unsupported": Text("no text reaches the model at `{event}`", "在 `{event}` 无法把文本交给模型"),
    "system-message-unsupported": Text("no message reaches the user at `{event}`", "在 `{event}` 无法向用户显示消息"),
    "output-unsupported": Text(
        "neither the user nor the model can be told anything at `{event}`",
        "在 `{event}` 既不能提示用户，也不能把文本交给模型",
    ),
    "fail-closed-unsupported": Text(
        "`fail: closed` needs a denial at `{event}` itself, with no fallback",
        "`fail: closed` 要求 `{event}` 本身支持拒绝，不能降级",
    ),
    "refresh-unsupported": Text(
        "`refresh` on a system rule needs output at `prompt.submitted`",
        "system 规则的 `refresh` 要求 `prompt.submitted` 能输出",
    ),
    "disabled": Text("switched off by `enabled: false`", "已用 `enabled: false` 关闭"),
    "other-harness": Text("`when.harness` names other harnesses only", "`when.harness` 只包含其他 harness"),
}
INSTEAD_AT = Text("evaluated at `{event}` instead", "改在 `{event}` 评估")
INSTEAD_WARN = Text("warns instead of blocking, each time", "不阻止，改为每次提示")
ONLY_USER = Text("only the user sees it", "只有用户看得到")
ONLY_MODEL = Text("only the model gets it", "只有模型收得到")
TOO_LONG = Text(
    "the text has {size} {unit}, {harness} keeps only {limit} of one text whole",
    "正文有 {size} {unit}，{harness} 最多完整保留 {limit} {unit}",
)
UNITS = {utf16_size: Text("characters", "个字符"), utf8_size: Text("bytes", "字节")}
NEVER_CALLED = Text(
    "{harness} reports no calls of {tools}: there the rule never matches them",
    "{harness} 不会报告 {tools} 的调用：规则在那里不会因此命中",
)
SEMICOLON = Text("; ", "；")
COMMA = Text(", ", "，")
COLON = Text(": ", "：")


def point_words(point: Point) -> Text | None:
    """Return why a point is not better than it is, and what is done there instead; None where there is nothing to say."""
    if point.reason is None:
        return None
    said = [REASONS[point.reason].format(event=point.own_event)]
    if point.status == "degraded":
        if point.event != point.own_event:
            said.append(INSTEAD_AT.format(event=point.event))
        if point.action != point.own_action:
            said.append(INSTEAD_WARN)
    if point.active and point.action == "warn" and len(point.gives) == 1:
        said.append(ONLY_USER if point.gives == ("message",) else ONLY_MODEL)
    return _joined(said, COMMA)


def warnings(plan: RulePlan) -> tuple[Text, ...]:
    """Return what else an author should know of a rule on a harness, though it changes no status."""
    if not plan.active:
        return ()
    found: list[Text] = []
    name, size, limit = plan.harness.NAME, plan.size, plan.harness.TEXT_LIMIT
    if size is not None and size > limit:
        unit = unit_of(plan.harness)
        found.append(TOO_LONG.format(size=f"{size:,}", limit=f"{limit:,}", unit=unit, harness=name))
    if missing := _never_called(plan.rule, plan.harness):
        found.append(NEVER_CALLED.format(harness=name, tools=", ".join(f"`{tool}`" for tool in missing)))
    return tuple(found)


def unit_of(harness: Any) -> Text:
    """Return what a harness counts texts in."""
    return UNITS.get(harness.text_size, same(""))


def told(found: Sequence[RulePlan], status: Status) -> Text | None:
    """Return which harnesses give a rule a status, and why; harnesses with one reason together. None where none does."""
    groups: dict[Text, list[str]] = {}
    for plan in found:
        reason = plan.reason(status) if plan.is_anywhere(status) else None
        if reason is not None:
            groups.setdefault(reason, []).append(plan.harness.NAME)
    if not groups:
        return None
    return _joined([_joined([same(", ".join(names)), reason], COLON) for reason, names in groups.items()], SEMICOLON)


def _joined(texts: Sequence[Text], between: Text) -> Text:
    return Text(between.en.join(text.en for text in texts), between.zh.join(text.zh for text in texts))
