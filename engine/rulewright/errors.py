"""The error that the world outside a rule file causes: a missing file, a bad setting, a write that failed.

Faults inside a user's rule file are never raised; they are findings.
"""

from __future__ import annotations

from rulewright.text.language import Lang, Text


class RulewrightError(Exception):
    """Something the user has to know and can act on. Commands print it as one line and leave with exit code 2.

    message: what is wrong. hint: what to do about it, if there is something to say.
    """

    def __init__(self, message: Text, hint: Text | None = None) -> None:
        super().__init__(message.en)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[RulewrightError], tuple[Text, Text | None]]:
        """Travel between processes whole: by default an exception is made anew from its text alone."""
        return RulewrightError, (self.message, self.hint)

    def to(self, lang: Lang) -> str:
        """Return message and hint in one line."""
        text = self.message.to(lang)
        if self.hint is not None:
            text += f"{'；' if lang == 'zh-CN' else '; '}{self.hint.to(lang)}"
        return " ".join(text.split("\n"))
