"""What an installation does besides the packages: giving Foya's rules, and dispatching hook chains.

Which rules and chains, each event finds out by itself. Only what they may *run* is settled here: commands that a project's settings
name are run by the hook once the user has installed or synced with them, which leaves their hash in the folder of per-user state.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from rulewright import caching
from rulewright.checking import Severity
from rulewright.errors import RulewrightError
from rulewright.formats.foya import global_file
from rulewright.hook.chains import PATH_VARIABLE
from rulewright.installing.changes import PRIVATE_FILE, Change, bytes_or_none
from rulewright.installing.lockfile import Lock
from rulewright.installing.places import USER, Place, place_of
from rulewright.settings import CHAINS_FILE, Settings
from rulewright.text.language import Text
from rulewright.workspace import analyze_path, show_path


@dataclass(frozen=True, slots=True)
class Beside:
    """What the hook does besides the packages."""

    foya: bool = False
    chains: bool = False

    def __bool__(self) -> bool:
        return self.foya or self.chains


def due(place: Place, settings: Settings, old: Lock | None) -> Beside:
    """Return what an installation is to do besides the packages, as the files are now.

    A project's installation follows the project's own files, so that it is the same for everybody who works on it. A user's
    follows the global rules and the project at hand, and keeps doing for others what it once did.

    Args:
        settings: of the project at hand. old: the installation that is there.
    """
    found = due_of_files(place, settings)
    if place.scope == USER and old is not None:
        return Beside(found.foya or old.foya, found.chains or old.chains)
    return found


def due_of_files(place: Place, settings: Settings) -> Beside:
    """Return what an installation is to do besides the packages by the project at hand, and by the user's global rules."""
    foya = bool(caching.foya_files(settings.root))
    if place.scope == USER:
        foya = foya or os.path.isfile(global_file())
    return Beside(foya and not place.codec.LOADS_FOYA_RULES, has_chains(settings))


def beside_packages(settings: Settings, name: str) -> Beside:
    """Return what there is besides packages for a project: of the project and of the user.

    Raises:
        RulewrightError: there is no such harness.
    """
    return due_of_files(place_of(settings, name, USER), settings)


def has_chains(settings: Settings) -> bool:
    """Tell whether a project has a file of hook chains, or the environment names one."""
    named = os.environ.get(PATH_VARIABLE)
    return bool(named) or os.path.isfile(os.path.join(settings.root, CHAINS_FILE))


def faulty_rules(settings: Settings) -> list[Text]:
    """Return the rule files of Foya that have errors, each with the first: the others are given all the same."""
    found = []
    for path in caching.foya_files(settings.root):
        try:
            analysis = analyze_path(path, settings)
        except RulewrightError as error:
            found.append(Text(error.to("en"), error.to("zh-CN")))
            continue
        errors = [] if analysis is None else [one for one in analysis.findings if one.severity == Severity.ERROR]
        if errors:
            found.append(FAULTY.format(path=show_path(path), count=len(errors), first=errors[0].message))
    return found


def approval(settings: Settings, *, given: bool) -> list[Change]:
    """Return the change that lets hooks run the commands of a project's settings, or takes that back."""
    path = caching.approval_path(settings.root)
    before = bytes_or_none(path)
    mark = caching.commands_hash(settings)
    after = mark.encode() if given and mark else None
    return [Change(path, before, after, "data", PRIVATE_FILE)] if before != after else []


def approved_commands(settings: Settings) -> list[Text]:
    """Return what the user should know of the commands that hooks may now run."""
    found = caching.commands_of(settings)
    if not found:
        return []
    return [APPROVED.format(commands=", ".join(f"`{command}`" for command in found))]


FAULTY = Text(
    "`{path}` has errors ({count}): {first}; see `rulewright check`",
    "`{path}` 有错误（{count} 个）：{first}；见 `rulewright check`",
)
APPROVED = Text(
    "hook chains of this project may now use what its settings name: {commands}",
    "本项目的 hook 链现在可以使用设置中的内容：{commands}",
)
