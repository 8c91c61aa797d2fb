"""A check of this tool failed.

## What it reports
A fault in this tool, not in your file: one check could not be finished. All other findings are complete.

## Why it matters
A fault that is not shown would look like a clean file. Please report it together with the file.

Source: our own
"""

from __future__ import annotations

from rulewright.checking import Check, Severity

# Made by the fence around each check: rulewright.analysis.
CHECK = Check(code="internal-error", severity=Severity.ERROR, formats=())
