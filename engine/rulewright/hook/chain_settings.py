"""What a project's settings say of hook chains: the tables `launch`, `warm`, `otel` and `chains`, checked. Source: cli.md, Files."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    # The setting, and what it must be in English and in Chinese.
    Fault = tuple[str, str, str]

KEYS = {
    "launch": ("command",),
    "warm": ("command",),
    "otel": ("endpoint",),
    "chains": ("dispatch", "allow_remote", "team"),
}
# Who dispatches: we, or OpenClaude itself, where a build of it does.
OURS, HOST = "rulewright", "host"


class ChainSettings:
    """The settings of hook chains, with their defaults.

    launcher, warm: the words of a command, None where there is none. endpoint: where telemetry is sent, empty: nowhere. dispatch: OURS
    or HOST. allow_remote: whether remote capacity may be warmed up. team: for actions that name none, empty: none.
    """

    __slots__ = ("allow_remote", "dispatch", "endpoint", "launcher", "team", "warm")

    def __init__(self) -> None:
        self.launcher: list[str] | None = None
        self.warm: list[str] | None = None
        self.endpoint = ""
        self.dispatch = OURS
        self.allow_remote = True
        self.team = ""


def read(tables: "Mapping[str, Mapping[str, Any]]") -> "tuple[ChainSettings, list[Fault]]":
    """Read the tables, as they stand in the settings. A setting with a fault has its default."""
    from rulewright.hook.actions import LAUNCH_PLACES, WARM_PLACES

    found = ChainSettings()
    faults: list[Fault] = []
    for table, keys in KEYS.items():
        for key in tables.get(table, {}):
            if key not in keys:
                names = ", ".join(keys)
                faults.append((f"{table}.{key}", f"unknown; known are {names}", f"未知的设置；可用的有 {names}"))
    found.launcher = _command(tables, "launch", LAUNCH_PLACES, faults)
    found.warm = _command(tables, "warm", WARM_PLACES, faults)
    endpoint = tables.get("otel", {}).get("endpoint", "")
    if isinstance(endpoint, str) and (not endpoint or endpoint.startswith(("http://", "https://"))):
        found.endpoint = endpoint
    else:
        faults.append(("otel.endpoint", "must be an http:// or https:// address", "必须是 http:// 或 https:// 地址"))
    chains = tables.get("chains", {})
    dispatch = chains.get("dispatch", OURS)
    if dispatch in (OURS, HOST):
        found.dispatch = dispatch
    else:
        faults.append(("chains.dispatch", f'must be "{OURS}" or "{HOST}"', f'必须是 "{OURS}" 或 "{HOST}"'))
    allow_remote = chains.get("allow_remote", True)
    if isinstance(allow_remote, bool):
        found.allow_remote = allow_remote
    else:
        found.allow_remote = False
        faults.append(("chains.allow_remote", "must be true or false", "必须是 true 或 false"))
    team = chains.get("team", "")
    if isinstance(team, str):
        found.team = team
    else:
        faults.append(("chains.team", "must be a string", "必须是字符串"))
    return found, faults


def _command(
    tables: "Mapping[str, Mapping[str, Any]]", table: str, places: "tuple[str, ...]", faults: "list[Fault]"
) -> "list[str] | None":
    import re

    words = tables.get(table, {}).get("command")
    if words is None:
        return None
    name = f"{table}.command"
    if (
        not isinstance(words, list)
        or not words
        or not all(isinstance(word, str) and "\0" not in word for word in words)
    ):
        faults.append((name, "must be a list of strings, the program first", "必须是字符串列表，第一个是程序"))
        return None
    if not words[0] or re.search(r"\{[A-Za-z]+\}", words[0]):
        faults.append((name, "must begin with the name of a program", "必须以程序名开头"))
        return None
    unknown = [place for word in words for place in re.findall(r"\{([A-Za-z]+)\}", word) if place not in places]
    if unknown:
        names = ", ".join(f"{{{place}}}" for place in places)
        faults.append(
            (
                name,
                f"has no place {{{unknown[0]}}}; known are {names}",
                f"没有占位符 {{{unknown[0]}}}；可用的有 {names}",
            )
        )
        return None
    return words
