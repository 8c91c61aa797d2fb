"""The checks, one file per code. The folder is the registry: there is no list of codes anywhere."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from rulewright.checking import Check


@functools.cache
def all_checks() -> tuple[Check, ...]:
    """Return every check, sorted by code, each with its module's docstring as its page.

    Raises:
        RuntimeError: a module's name and its code differ, or it has no page.
    """
    found: list[Check] = []
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        check: Check = module.CHECK
        if check.code.lower().replace("-", "_") != module_info.name:
            raise RuntimeError(f"checks/{module_info.name}.py holds the code {check.code}")
        if not module.__doc__:
            raise RuntimeError(f"checks/{module_info.name}.py has no page")
        found.append(
            Check(
                check.code,
                check.severity,
                check.formats,
                check.run,
                check.run_workspace,
                page=module.__doc__.strip() + "\n",
            )
        )
    return tuple(sorted(found, key=lambda check: check.code))


@functools.cache
def checks_by_code() -> dict[str, Check]:
    """Return the checks by code."""
    return {check.code: check for check in all_checks()}
