"""What `hook-chains.json` becomes once it is read (hook-chains.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.model.values import Value
from rulewright.syntax.tree import Mapping
from rulewright.text.language import Text
from rulewright.text.span import Span

# Fields are named by what users write, in Python's spelling: `cooldownMs` is `cooldown_ms`. A value that a rule or an action does
# not write is the inherited one, with the place where that is written.


@dataclass(slots=True, eq=False)
class ChainCondition:
    """The `condition` of a rule. Lists have their texts in `items`, and are unset when not written.

    event_field_equals: each dot path (a Value whose key is its own span) with the value that it must have.
    """

    span: Span
    node: Mapping
    tool_names: Value
    task_statuses: Value
    error_includes: Value
    event_field_equals: tuple[tuple[Value, Value], ...]
    broken: bool = False


@dataclass(slots=True, eq=False)
class ChainAction:
    """One action. Fields that its type does not have are unset.

    anchor: the value of `id`, else of `type`, else the first key. type: None or BAD where it is none of the three.
    index: its place in the list, from 0.
    """

    span: Span
    anchor: Span
    node: Mapping
    index: int
    type: Value
    id: Value
    enabled: Value
    dedup_window_ms: Value
    description: Value
    prompt_template: Value
    agent_type: Value
    model: Value
    team_name: Value
    recipients: Value
    summary: Value
    message_template: Value
    create_default_environment_if_missing: Value
    broken: bool = False


@dataclass(slots=True, eq=False)
class ChainRule:
    """One rule with effective values.

    outcomes: those of `outcome` or `outcomes` in `items`, unset where neither is written (any outcome).
    max_depth: unset where it is not written. condition: None where none is written; condition_bad: it has a fault.
    """

    span: Span
    anchor: Span
    node: Mapping
    id: Value
    enabled: Value
    event: Value
    outcomes: Value
    condition: ChainCondition | None
    condition_bad: bool
    cooldown_ms: Value
    dedup_window_ms: Value
    max_depth: Value
    actions: tuple[ChainAction, ...]
    broken: bool = False


@dataclass(slots=True, eq=False)
class ChainFile:
    """One file of hook chains.

    root: the mapping with `rules`, taken out of its `hookChains` where it is wrapped. refusal, refused_at: why OpenClaude turns the
    whole file off, and the place of that fault; None where it takes it.
    """

    root: Mapping | None
    wrapped: bool
    version: Value
    enabled: Value
    max_chain_depth: Value
    default_cooldown_ms: Value
    default_dedup_window_ms: Value
    rules: tuple[ChainRule, ...]
    refusal: Text | None = None
    refused_at: Span | None = None

    @classmethod
    def empty(cls) -> ChainFile:
        """Return the file of a text that holds no chains."""
        nothing = Value(None, Span(0, 0), Span(0, 0), "default")
        return cls(None, False, nothing, nothing, nothing, nothing, nothing, ())

    def sound_rules(self) -> tuple[ChainRule, ...]:
        """Return the rules that could be read whole: the ones that checks look at."""
        return tuple(rule for rule in self.rules if not rule.broken)
