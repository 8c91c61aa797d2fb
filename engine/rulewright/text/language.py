"""Text in both languages of the user, side by side, and the choice between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Lang = Literal["en", "zh-CN"]
LANGUAGES: tuple[Lang, ...] = ("en", "zh-CN")


@dataclass(frozen=True, slots=True)
class Text:
    """One user-facing text in English and in Chinese. May be a template for `format`."""

    en: str
    zh: str

    def format(self, **values: object) -> Text:
        """Fill the `{name}` places of both templates with the same values; a `Text` value gives its own language."""
        english = {k: v.en if isinstance(v, Text) else v for k, v in values.items()}
        chinese = {k: v.zh if isinstance(v, Text) else v for k, v in values.items()}
        return Text(self.en.format(**english), self.zh.format(**chinese))

    def to(self, lang: Lang) -> str:
        """Return the text in `lang`."""
        return self.zh if lang == "zh-CN" else self.en


def same(text: str) -> Text:
    """Return a text that is the same in both languages: a name, a number, code."""
    return Text(text, text)


def language_of(name: str | None) -> Lang:
    """Return the language for a locale name such as `zh_CN.UTF-8`, `zh-Hans` or `en`; English for any other."""
    return "zh-CN" if (name or "").lower().startswith("zh") else "en"
