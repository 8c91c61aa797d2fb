"""Faults of a host's file that make the host ignore all of it: then an entry of ours would silently never run.

Reads the tables of a harness (FRAGILE_EVENTS, CONFIG_*, HANDLER_*); what they do not state is no fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.text.language import Text
from rulewright.text.patterns import PatternError, translate


def host_faults(data: object, codec: Any) -> Iterator[Text]:
    """Return what makes a host ignore its whole file, each with its place.

    Args:
        data: the plain value of the file. codec: the harness's module.
    """
    if codec.CONFIG_SHAPE == "list":
        for number, item in enumerate(data if isinstance(data, list) else ()):
            yield from _item_faults(item, f"[{number}]", codec)
        return
    if not isinstance(data, dict):
        return
    for key in data:
        if codec.CONFIG_TOP_KEYS and key not in codec.CONFIG_TOP_KEYS:
            yield UNKNOWN_KEY.format(place=key)
    hooks = data.get(codec.CONFIG_KEY)
    for native, items in hooks.items() if isinstance(hooks, dict) else ():
        place = f"{codec.CONFIG_KEY}.{native}"
        if codec.CONFIG_EVENTS and native not in codec.CONFIG_EVENTS:
            yield UNKNOWN_EVENT.format(place=place)
        elif native in (codec.CONFIG_EVENTS or codec.FRAGILE_EVENTS) and codec.HANDLER_TYPES:
            for number, item in enumerate(items if isinstance(items, list) else ()):
                if codec.CONFIG_SHAPE == "groups":
                    yield from _group_faults(item, f"{place}[{number}]", codec)
                else:
                    yield from _handler_faults(item, f"{place}[{number}]", codec)


def _group_faults(group: object, place: str, codec: Any) -> Iterator[Text]:
    if not isinstance(group, dict):
        yield NOT_AN_OBJECT.format(place=place)
        return
    if not isinstance(group.get("matcher", ""), str):
        yield NOT_A_TEXT.format(place=f"{place}.matcher")
    handlers = group.get("hooks")
    if not isinstance(handlers, list):
        yield NOT_A_LIST.format(place=f"{place}.hooks")
        return
    for number, handler in enumerate(handlers):
        yield from _handler_faults(handler, f"{place}.hooks[{number}]", codec)


def _handler_faults(handler: object, place: str, codec: Any) -> Iterator[Text]:
    if not isinstance(handler, dict):
        yield NOT_AN_OBJECT.format(place=place)
        return
    kind = handler.get("type")
    if not isinstance(kind, str) or kind not in codec.HANDLER_TYPES:
        yield UNKNOWN_TYPE.format(place=f"{place}.type")
    elif (key := codec.HANDLER_TYPES[kind]) and not isinstance(handler.get(key), str):
        yield NOT_A_TEXT.format(place=f"{place}.{key}")
    yield from _timeout_faults(handler, place, codec)
    for key, values in codec.HANDLER_VALUES.items():
        if key in handler and handler[key] not in values:
            yield WRONG_VALUE.format(place=f"{place}.{key}", values=", ".join(values))


def _item_faults(item: object, place: str, codec: Any) -> Iterator[Text]:
    """Faults of one handler in a list that is read strictly. Source: harnesses.md section 8 [S]."""
    if not isinstance(item, dict):
        yield NOT_AN_OBJECT.format(place=place)
        return
    for key in item:
        if codec.HANDLER_KEYS and key not in codec.HANDLER_KEYS:
            yield UNKNOWN_KEY.format(place=f"{place}.{key}")
    if codec.CONFIG_EVENTS and item.get("event") not in codec.CONFIG_EVENTS:
        yield UNKNOWN_EVENT.format(place=f"{place}.event")
    command = item.get("command")
    if not isinstance(command, str) or not command.strip():
        yield NOT_A_TEXT.format(place=f"{place}.command")
    matcher = item.get("matcher", "")
    if not isinstance(matcher, str) or (isinstance(translate(matcher), PatternError) and matcher):
        yield NOT_A_PATTERN.format(place=f"{place}.matcher")
    yield from _timeout_faults(item, place, codec)


def _timeout_faults(handler: dict[str, Any], place: str, codec: Any) -> Iterator[Text]:
    timeout = handler.get("timeout", 1)
    number = isinstance(timeout, int if not codec.TIMEOUT_FRACTIONS else int | float) and not isinstance(timeout, bool)
    lowest = 0 if codec.CONFIG_SHAPE == "list" else 1e-9
    if not number or timeout < lowest:
        yield WRONG_TIMEOUT.format(place=f"{place}.timeout")


UNKNOWN_KEY = Text("`{place}` is a key that the host does not know", "`{place}` 是 harness 不认识的键")
UNKNOWN_EVENT = Text("`{place}` is an event that the host does not know", "`{place}` 是 harness 不认识的事件")
UNKNOWN_TYPE = Text("`{place}` is no type of hook that the host knows", "`{place}` 不是 harness 认识的 hook 类型")
NOT_AN_OBJECT = Text("`{place}` must be an object", "`{place}` 必须是对象")
NOT_A_LIST = Text("`{place}` must be a list", "`{place}` 必须是列表")
NOT_A_TEXT = Text("`{place}` must be a text", "`{place}` 必须是字符串")
NOT_A_PATTERN = Text("`{place}` must be a regular expression", "`{place}` 必须是正则表达式")
WRONG_VALUE = Text("`{place}` must be one of {values}", "`{place}` 必须是 {values} 之一")
WRONG_TIMEOUT = Text("`{place}` must be a number of seconds above 0", "`{place}` 必须是大于 0 的秒数")
