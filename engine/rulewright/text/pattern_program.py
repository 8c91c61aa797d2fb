"""A pattern as a list of steps for `hook.linear`, which runs all its ways at once, so that no pattern makes it slow."""

from __future__ import annotations

from typing import Any, Final

from rulewright.text.pattern_tree import Alternate, Chars, Concat, Look, Node, Repeat

Program = list[Any]

# Steps of a program; repeats are written out. More would make each character of a text expensive.
_MOST_STEPS: Final = 1500


class _TooLarge(Exception):
    """The program would have too many steps."""


def program(tree: Node) -> Program | None:
    """Return the steps of a pattern, or None if there would be too many. `hook.linear` says what they are."""
    steps: Program = []
    try:
        _add(tree, steps)
    except _TooLarge:
        return None
    return steps


def can_repeat(tree: Node) -> bool:
    """Tell whether a pattern has a repeat without a bound: without one, no matcher is slow by itself."""
    if isinstance(tree, Repeat):
        return tree.high is None or tree.high > 1 or can_repeat(tree.item)
    return isinstance(tree, Concat | Alternate) and any(map(can_repeat, tree.items))


def _add(node: Node, steps: Program) -> None:
    if isinstance(node, Chars):
        _append(steps, [bound for pair in node.ranges for bound in pair])
    elif isinstance(node, Look):
        _append(steps, node.kind)
    elif isinstance(node, Concat):
        for item in node.items:
            _add(item, steps)
    elif isinstance(node, Alternate):
        ends = []
        for item in node.items[:-1]:
            fork = _fork(steps)
            _add(item, steps)
            ends.append(_fork(steps))
            fork["to"] = [fork["to"][0], len(steps)]
        _add(node.items[-1], steps)
        for end in ends:
            end["to"] = [len(steps)]
    else:
        _add_repeat(node, steps)


def _add_repeat(node: Repeat, steps: Program) -> None:
    for _ in range(node.low):
        _add(node.item, steps)
    if node.high is None:
        fork = _fork(steps)
        _add(node.item, steps)
        _append(steps, {"to": [fork["to"][0] - 1]})
        fork["to"].append(len(steps))
        return
    forks = []
    for _ in range(node.high - node.low):
        forks.append(_fork(steps))
        _add(node.item, steps)
    for fork in forks:
        fork["to"].append(len(steps))


def _fork(steps: Program) -> dict[str, list[int]]:
    """Add a step that goes on with the next one; the caller says where else, or instead."""
    fork = {"to": [len(steps) + 1]}
    _append(steps, fork)
    return fork


def _append(steps: Program, step: Any) -> None:
    if len(steps) >= _MOST_STEPS:
        raise _TooLarge
    steps.append(step)
