"""What every module of `harness/` says of its harness: the names that planning, installing and the hook read, and their types.

A module is checked against it as it is imported; there is no class to inherit from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

Row = tuple[str, tuple[str, ...], str]
Place = tuple[str | None, str, str]
Part = Literal["message", "block", "halt", "allow", "input", "context"]


class Codec(Protocol):
    """One harness. The meaning of each name stands beside it in `harness/claude_code.py`."""

    NAME: str
    EVENTS: dict[str, Row]
    ALSO: dict[str, Row]
    EVENT_FIELD: str
    TOOL_FIELD: str
    SESSION_FIELD: str
    TURN_FIELD: str
    CHILD_PROMPTS: bool
    RETRY_PROMPTS: bool
    COMPACTION_EVENT: str
    TOOLS: dict[str, str]
    VARYING_TOOLS: dict[str, tuple[str, ...]]
    CONFIG: dict[Literal["user", "project", "local"], Place]
    CONFIG_SHAPE: Literal["groups", "handlers", "list"]
    CONFIG_KEY: str
    CONFIG_HEAD: dict[str, Any]
    CONFIG_TOP_KEYS: tuple[str, ...]
    CONFIG_EVENTS: tuple[str, ...]
    CONFIG_COMMENTS: bool
    CONFIG_BESIDE: str
    FRAGILE_EVENTS: tuple[str, ...]
    HANDLER_TYPES: dict[str, str]
    HANDLER_VALUES: dict[str, tuple[str, ...]]
    HANDLER_KEYS: tuple[str, ...]
    COMMAND_KEY: str
    TIMEOUT_FRACTIONS: bool
    INSTRUCTIONS: dict[Literal["user", "project", "local"], tuple[str | None, str, tuple[str, ...]]]
    SHELL: tuple[str, str]
    VERSION_COMMAND: tuple[str, ...]
    TAKES_EFFECT: Literal["live", "event", "start"]
    TRUST: Literal["folder", "handler", "none"]
    RUNS_EACH_ENTRY: bool
    LOADS_FOYA_RULES: bool
    MAY_DISPATCH_CHAINS: bool
    STARTS_IN_PROJECT: bool
    FAILURE_DENIES: bool
    FAIL_CLOSED: dict[str, Any]
    FAIL_CLOSED_EVENTS: tuple[str, ...]
    FAIL_CLOSED_SINCE: str
    TEXT_LIMIT: int
    text_size: Callable[[str], int]
    TIMEOUT: float
    EVENT_TIMEOUTS: dict[str, float]
    HOOK_TIMEOUT: int | None
    PROJECT_VARIABLE: str
    FIELDS: dict[str, tuple[str, ...]]
    SOURCES: dict[str, Literal["startup", "resume", "clear", "compact"]]
    ANSWERS: tuple[tuple[Part, tuple[str, ...], tuple[tuple[str, str | bool | None], ...]], ...]

    def handler(self, command: str, timeout: int | None = None, event: str = "") -> dict[str, Any]: ...
    def tool_class(self, native: str) -> str | None: ...
    def native_event(self, raw: dict[str, Any], called_for: str) -> str: ...
    def counts_as_prompt(self, raw: dict[str, Any]) -> bool: ...
    def decode(self, raw: dict[str, Any], called_for: str, project: str = "") -> dict[str, Any] | None: ...
    def encode(self, answer: dict[str, Any], native: str) -> dict[str, Any]: ...
