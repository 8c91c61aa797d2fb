"""What editor features may know of the project that a text belongs to. The caller fills it in; nothing here reads a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rulewright.checking import Summary
from rulewright.settings import Settings


def _no_files() -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """One project as an editor sees it.

    summaries: of its rule files, their paths absolute; the one of the text itself may be among them.
    files: returns the paths of all files of the project, relative to its root, with `/`, sorted. Called only where it is needed.
    """

    settings: Settings = field(default_factory=Settings)
    summaries: tuple[Summary, ...] = ()
    files: Callable[[], Sequence[str]] = _no_files


NO_PROJECT = ProjectFacts()
