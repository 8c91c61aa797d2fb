"""One file a harness: tables first (events, tools, configuration, limits, payloads, answers), `decode` and `encode` last.

A harness imports `hook.event`, and `hook.translation` within `decode` and `encode`: an event that the gate stops loads neither.

`codec(name)` finds the module; everything outside this folder reads the tables and never compares a harness's name. All modules
have the same names; what each means stands in `claude_code.py`.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = ("claude-code", "codex", "openclaude", "foya", "gemini-cli", "copilot-cli")


def codec(name: str) -> "Any":
    """Return the module of a harness, by its name with `-`.

    Raises:
        KeyError: no such harness.
    """
    module = name.replace("-", "_")
    if not module.replace("_", "a").isalpha() or not module.isascii():
        raise KeyError(name)
    try:
        return __import__(f"rulewright.harness.{module}", fromlist=("NAME",))
    except ModuleNotFoundError:
        raise KeyError(name) from None


def forgiving(command: str) -> str:
    """Return a command that leaves with 0 whatever becomes of it, for the shell that the client runs here."""
    return f"& {command}; exit 0" if sys.platform == "win32" else f"{command} || true"
