"""A place that is not JSON.

## What it reports
What people write that JSON does not have: comments, single or typographic quotes, keys without quotes, a comma too many or one
too few, `NaN`, `True` or `.5`, line breaks and control characters inside a text, escapes such as `\\d`; a file that ends too
early, is empty, or goes on behind its end. The finding is at the mistake, and the rest of the file is still checked. A byte order
mark at the start is fine. Half a surrogate pair (`\\ud800`) is only a warning: it is JSON, but no character.

## Why it matters
OpenClaude turns off all rules of a file that it cannot read, and says so in its debug log only.

## Example
```json hook-chains bad
{
  // off for now
  "version": 1,
  "rules": [],
}
```

```json hook-chains good
{
  "version": 1,
  "rules": []
}
```

Source: hook-chains.md section 7 [R]; what is JSON: RFC 8259
"""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checking import Check, FileContext, Finding, Severity, finding_of


def run(file: FileContext) -> Iterator[Finding]:
    """Pass the reading problems on; what every reader takes is only a warning."""
    for problem in file.document.problems:
        if problem.code == file.check.code:
            yield finding_of(problem, Severity.WARNING if problem.minor else Severity.ERROR)


CHECK = Check(code="json-syntax", severity=Severity.ERROR, formats=("hook-chains",), run=run)
