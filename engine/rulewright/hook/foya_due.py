"""Which of Foya's rules that are awake the model has not been told yet, and the text of those.

Loaded only where the activity text may wake a rule: `hook.foya_rules` tells that first.
"""

from rulewright.hook.state import AGAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rulewright.hook.state import State

    Rule = dict[str, Any]
    # Rules, room, how it is measured -> the block, the rules in it, those left out.
    Block = Callable[[list[Rule], int, Callable[[str], int]], tuple[str, list[Rule], list[Rule]]]

NOW, BEFORE, LATER = "now", "before", "later"


class Given:
    """What an event gives of Foya's rules.

    text: for the model, empty: nothing. keys: the claims behind it. awake: each rule with why it is awake. notes: what the
    user should know.
    """

    __slots__ = ("awake", "keys", "notes", "text")

    def __init__(self) -> None:
        self.text = ""
        self.keys: list[str] = []
        self.awake: list[tuple[Rule, dict[str, Any]]] = []
        self.notes: list[str] = []


def give_rules(
    rules: "list[Rule]",
    state: "State",
    text: str,
    root: str,
    room: int,
    size: "Callable[[str], int]",
    *,
    strict: bool,
    alone: bool,
) -> Given:
    """Return what is due of the rules that an activity text wakes, and claim it.

    Args:
        rules: as `rulewright.foya_set` makes them. The others are those of `give`.
    Raises:
        StateError: what was given cannot be read or kept.
    """
    from rulewright.hook import activity

    given = Given()
    awake = activity.select(rules, text, strict, root)
    direct = [rule for rule, _ in awake]
    try:
        texts = [_part(given, state, direct, activity.direct_block, _key, room, size, alone)]
        left = room - size(texts[0]) - 2 if texts[0] else room
        texts.append(
            _part(
                given,
                state,
                activity.index(rules),
                activity.index_block,
                _index_key,
                left,
                size,
                alone and not texts[0],
            )
        )
    except BaseException:
        release(state, given)
        raise
    given.text = "\n\n".join([text for text in texts if text])
    given.awake = awake
    return given


def standing(given: Given, state: "State", rule: "Rule") -> str:
    """Tell when a rule that is awake is given: NOW, BEFORE or LATER.

    Raises:
        StateError: that cannot be read.
    """
    key = _key(state, rule)
    if key in given.keys:
        return NOW
    return BEFORE if state.standing(key, True)[0] == AGAIN else LATER


def release(state: "State | None", given: Given) -> None:
    """Give the claims back: what is behind them is not output after all."""
    if state is None:
        return
    for key in given.keys:
        state.release(key)


def _part(
    given: Given,
    state: "State",
    rules: "list[Rule]",
    block: "Block",
    key_of: "Callable[[State, Rule], str]",
    room: int,
    size: "Callable[[str], int]",
    alone: bool,
) -> str:
    if not rules or room <= 0:
        return ""
    _, admitted, over = block(rules, 0, size)
    if over and state.claim(key := state.session_key("foya-over", tuple(rule["id"] for rule in over)), True) != AGAIN:
        given.keys.append(key)
        names = ", ".join(rule["name"] for rule in over)
        given.notes.append(f"Foya's rules that are left out because all together are too long: {names}")
    due = [rule for rule in admitted if state.standing(key_of(state, rule), True)[0] != AGAIN]
    if not due:
        return ""
    # With nothing given yet the block is the one that `rule show --harness` prints.
    wanted = rules if len(due) == len(admitted) else due
    text, chosen, _ = block(wanted, room, size)
    if not chosen and alone:
        text, chosen, _ = block(due[:1], 0, size)
    claimed = []
    for rule in chosen:
        key = key_of(state, rule)
        if state.claim(key, True) != AGAIN:
            given.keys.append(key)
            claimed.append(rule)
    if not claimed:
        return ""
    # A parallel hook gives the others.
    return text if len(claimed) == len(chosen) else block(claimed, 0, size)[0]


def _key(state: "State", rule: "Rule") -> str:
    return state.session_key(f"foya/{rule['scope']}/{rule['id']}", (str(rule.get("hash") or rule["content"]),))


def _index_key(state: "State", rule: "Rule") -> str:
    return state.session_key(f"foya-index/{rule['scope']}/{rule['id']}", (rule["name"], rule["description"]))
