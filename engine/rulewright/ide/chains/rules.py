"""What is said of a rule of hook chains in one line: when it fires, or why it never can."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.formats.hook_chains.payloads import DISPATCHED, ERROR_FIELDS, carries
from rulewright.model import ChainAction, ChainFile, ChainRule, Value
from rulewright.syntax.tree import Mapping
from rulewright.text.language import Text, same

BETWEEN = " · "


def rule_of(chains: ChainFile, mappings: Sequence[Mapping]) -> ChainRule | None:
    """Return the rule that one of the mappings around a place is."""
    around = {id(mapping) for mapping in mappings}
    return next((rule for rule in chains.rules if id(rule.node) in around), None)


def action_of(rule: ChainRule | None, mappings: Sequence[Mapping]) -> ChainAction | None:
    """Return the action that one of the mappings around a place is."""
    around = {id(mapping) for mapping in mappings}
    return None if rule is None else next((action for action in rule.actions if id(action.node) in around), None)


def fires(rule: ChainRule, chains: ChainFile) -> Text:
    """Say when a rule fires, how long it rests, and how much it does; or why it never can."""
    reason = never(rule, chains)
    if reason is not None:
        return NEVER.format(reason=reason)
    outcomes = [item.text() for item in rule.outcomes.items] or list(DISPATCHED[rule.event.text()])
    possible = [outcome for outcome in outcomes if outcome in DISPATCHED[rule.event.text()]]
    count = sum(action.enabled.is_(True) for action in rule.actions)
    parts = [
        FIRES.format(event=rule.event.text(), outcomes="/".join(possible)),
        COOLDOWN.format(time=duration(rule.cooldown_ms)),
        ONE_ACTION if count == 1 else ACTIONS.format(count=count),
    ]
    return Text(BETWEEN.join(part.en for part in parts), BETWEEN.join(part.zh for part in parts))


def never(rule: ChainRule, chains: ChainFile) -> Text | None:
    """Say why a rule never fires, None where it can, as far as the text tells."""
    event = rule.event.text()
    if chains.refusal is not None:
        return REFUSED
    if chains.enabled.is_(False):
        return FILE_OFF
    if rule.enabled.is_(False):
        return RULE_OFF
    if rule.broken or rule.event.bad or rule.outcomes.bad or rule.condition_bad:
        return FAULTY
    if event not in DISPATCHED:
        return UNWIRED.format(event=event)
    outcomes = [item.text() for item in rule.outcomes.items]
    if outcomes and not set(outcomes) & set(DISPATCHED[event]):
        return NO_OUTCOME.format(event=event, outcomes="/".join(outcomes))
    if rule.condition is not None and rule.condition.error_includes.items and not carries(event, ERROR_FIELDS):
        return NO_ERROR.format(event=event)
    if rule.max_depth.is_(0):
        return NO_DEPTH
    if rule.actions and all(action.enabled.is_(False) for action in rule.actions):
        return ACTIONS_OFF
    return None


def duration(value: Value) -> Text:
    """Return a window in the unit that suits it."""
    if not isinstance(value.value, int | float) or isinstance(value.value, bool):
        return same("?")
    number = int(value.value)
    for unit, text in ((3_600_000, HOURS), (60_000, MINUTES), (1000, SECONDS)):
        if number and number % unit == 0:
            return text.format(count=number // unit)
    return MILLISECONDS.format(count=number)


FIRES = Text("fires on {event} {outcomes}", "{event} {outcomes} 时触发")
COOLDOWN = Text("cooldown {time}", "冷却 {time}")
ACTIONS = Text("{count} actions", "{count} 个动作")
ONE_ACTION = Text("1 action", "1 个动作")
NEVER = Text("never fires: {reason}", "永远不会触发：{reason}")
REFUSED = Text("OpenClaude refuses the whole file", "OpenClaude 拒绝整个文件")
FILE_OFF = Text("the file is switched off", "文件已停用")
RULE_OFF = Text("the rule is switched off", "规则已停用")
FAULTY = Text("it has a fault, see the findings", "规则有错误，见诊断")
UNWIRED = Text("chains are not dispatched at {event}", "{event} 不会派发")
NO_OUTCOME = Text("{event} never has the outcome {outcomes}", "{event} 的结果不会是 {outcomes}")
NO_ERROR = Text("{event} carries no error text", "{event} 的载荷没有错误文本")
NO_DEPTH = Text("maxDepth 0 skips every action", "maxDepth 为 0，所有动作都会跳过")
ACTIONS_OFF = Text("all actions are switched off", "所有动作都已停用")
HOURS = Text("{count} h", "{count} 小时")
MINUTES = Text("{count} min", "{count} 分钟")
SECONDS = Text("{count} s", "{count} 秒")
MILLISECONDS = Text("{count} ms", "{count} 毫秒")
