"""Searches a text with a pattern in time that grows with the text alone: for patterns on which Python's matcher runs away.

A program is a list of steps, one after the other: a list of numbers is one character in the ranges first, last, first, last
...; a text is a place without width (`hook.linear.holds`); `{"to": [...]}` goes on at each of these steps. Behind the last one
is a match. All ways are followed at once, as sets of steps; a set and a character give the next set, which is worked out
once (K. Thompson 1968; R. Cox, "Regular Expression Matching Can Be Simple And Fast").
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # The sets that can follow a set, by the character; None gives the set itself: its steps and what stood before it.
    _State = dict[str | None, Any]

_BEGIN, _END, _NEWLINE, _WORD, _OTHER = range(5)
# Sets kept while searching. More are started anew, so that a text cannot fill the memory.
_MOST_STATES = 1000


def search(program: "list[Any]", text: str) -> bool:
    """Tell whether a pattern is found anywhere in a text."""
    states: dict[Any, _State] = {}
    state = _state(states, frozenset((0,)), _BEGIN)
    for char in text:
        following = state.get(char)
        if following is None:
            following = state[char] = _step(program, states, state, char)
        if not following:
            return True
        state = following
    steps, before = state[None]
    return len(program) in _reach(program, steps, before, _END)


def _state(states: "dict[Any, _State]", steps: "frozenset[int]", before: int) -> "_State":
    key = (steps, before)
    state = states.get(key)
    if state is None:
        if len(states) >= _MOST_STATES:
            for old in states.values():
                old.clear()  # They refer to each other.
            states.clear()
        state = states[key] = {None: key}
    return state


def _step(program: "list[Any]", states: "dict[Any, _State]", state: "_State", char: str) -> "_State":
    """Return the set behind a character; an empty dict where there is a match in front of it."""
    steps, before = state[None]
    kind = _kind(char)
    reached = _reach(program, steps, before, kind)
    if len(program) in reached:
        return {}
    code = ord(char)
    following = {0}  # A match may begin at any place.
    following.update([at + 1 for at in reached if isinstance(program[at], list) and _accepts(program[at], code)])
    return _state(states, frozenset(following), kind)


def _reach(program: "list[Any]", steps: "frozenset[int]", before: int, after: int) -> "set[int]":
    """Return the steps that can be reached without a character, given what stands before and after the place."""
    reached: set[int] = set()
    waiting = list(steps)
    while waiting:
        at = waiting.pop()
        if at in reached:
            continue
        reached.add(at)
        step = program[at] if at < len(program) else []
        if isinstance(step, dict):
            waiting += step["to"]
        elif isinstance(step, str) and holds(step, before, after):
            waiting.append(at + 1)
    return reached


def holds(look: str, before: int, after: int) -> bool:
    """Tell whether a place without width (`text.pattern_tree.LookKind`) is between two kinds of characters."""
    if look == "begin_text":
        return before == _BEGIN
    if look == "begin_line":
        return before in (_BEGIN, _NEWLINE)
    if look == "end_text":
        return after == _END
    if look == "end_line":
        return after in (_END, _NEWLINE)
    return ((before == _WORD) is not (after == _WORD)) is (look == "word")


def _kind(char: str) -> int:
    if char == "\n":
        return _NEWLINE
    return _WORD if char == "_" or (char.isascii() and char.isalnum()) else _OTHER


def _accepts(bounds: "list[int]", code: int) -> bool:
    """Tell whether a character is in one of the ranges, which are in order."""
    low, high = 0, len(bounds) // 2
    while low < high:
        middle = (low + high) // 2
        if code > bounds[2 * middle + 1]:
            low = middle + 1
        else:
            high = middle
    return low < len(bounds) // 2 and bounds[2 * low] <= code
