"""Token estimate for T005: how long a reason is for a model, without a tokenizer."""

from __future__ import annotations

import re

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3040-\u30ff\u3105-\u312f\u3131-\u318e"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
_UNIT = re.compile(rf"(?P<cjk>[{_CJK}])|(?P<run>(?:(?![{_CJK}_])\w)+)|(?P<symbol>\S)")


def estimate_tokens(text: str) -> int:
    """Return the estimated number of tokens.

    Every CJK character is 1; a run of letters or digits is its length divided by 4, rounded up; every other symbol
    that is not white space is 1. Source: style.md section 6 [R].
    """
    return sum((len(match["run"]) + 3) // 4 if match.lastgroup == "run" else 1 for match in _UNIT.finditer(text))
