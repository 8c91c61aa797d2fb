"""Write the generated pages: a page for each code, the fields of each format, the commands. Never committed.

Run it with `python3 dev.py docs`; it writes to build/docs, English at the top and Chinese in zh-CN.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from rulewright.checks import all_checks
from rulewright.cli import COMMANDS, main
from rulewright.formats import FORMATS
from rulewright.formats.fields import FieldDoc, Shape, fields_of
from rulewright.pages import page_of
from rulewright.text.language import LANGUAGES, Lang, Text

SOURCES = {
    "S": Text("the STYLE specification", "STYLE 规范"),
    "F": Text("the Foya documentation", "Foya 文档"),
    "R": Text("Rulewright's decision", "Rulewright 的决定"),
}
# What the letters stand for in the format of OpenClaude.
OF_OPENCLAUDE = {
    "S": Text("the OpenClaude documentation", "OpenClaude 文档"),
    "O": Text("OpenClaude's own program", "OpenClaude 自己的程序"),
}
CODES = Text("Codes", "诊断码")
FIELDS = Text("Fields of {name}", "{name} 的字段")
COMMANDS_TITLE = Text("Commands", "命令")
HEAD = Text(
    "| key | value | default | meaning | source |\n|---|---|---|---|---|",
    "| 键 | 值 | 默认值 | 含义 | 来源 |\n|---|---|---|---|---|",
)
REQUIRED = Text("required", "必填")
VALUES_OF = Text("Values of `{name}`", "`{name}` 的取值")
TOP = Text("Top level", "顶层")
SEVERITY = Text("severity: {word}", "级别：{word}")


def build(target: Path) -> int:
    """Write every page below `target`, which is emptied first; return how many there are."""
    shutil.rmtree(target, ignore_errors=True)
    count = 0
    for lang in LANGUAGES:
        folder = target if lang == "en" else target / lang
        for name, text in pages(lang):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.rstrip() + "\n", encoding="utf-8")
            count += 1
    return count


def pages(lang: Lang) -> Iterator[tuple[str, str]]:
    """Yield name and text of every page in one language."""
    rows = []
    for check in all_checks():
        page = page_of(check, lang)
        head, _, rest = page.partition("\n")
        severity = SEVERITY.format(word=f"`{check.severity.label}`").to(lang)
        yield f"codes/{check.code}.md", f"# `{check.code}`: {head.strip('# ')}\n\n{severity}\n{rest}"
        rows.append(f"- [`{check.code}`]({check.code}.md) ({check.severity.label}): {head.strip('# ')}")
    yield "codes/README.md", f"# {CODES.to(lang)}\n\n" + "\n".join(rows)
    for format_module in FORMATS:
        yield f"fields/{format_module.NAME}.md", field_page(format_module.NAME, lang)
    yield "commands.md", command_page(lang)


def field_page(name: str, lang: Lang) -> str:
    """Return the reference of one format's keys, from the models that read them."""
    keys = importlib.import_module(f"rulewright.formats.{name.replace('-', '_')}.keys")
    parts = [f"# {FIELDS.format(name=name).to(lang)}"]
    waiting: list[tuple[str, type[Shape]]] = [("", root) for root in keys.ROOTS]
    done: set[type[Shape]] = set()
    while waiting:
        path, model = waiting.pop(0)
        done.add(model)
        table = fields_of(model)
        title = getattr(keys, "TITLES", {}).get(model, TOP)
        parts.append(f"## {f'`{path}`' if path else title.to(lang)}\n\n{HEAD.to(lang)}")
        parts[-1] += "".join(f"\n{row(field, lang)}" for field in table.values())
        for field in table.values():
            if field.value_docs:
                told = [f"- `{value}`: {doc.to(lang)}" for value, doc in field.value_docs.items()]
                parts.append(f"{VALUES_OF.format(name=field.name).to(lang)}:\n\n" + "\n".join(told))
            below = (f"{path}.{field.name}" if path else field.name) + ("[]" if field.is_list else "")
            for inner in field.models:
                word = next(iter(fields_of(inner).values())).values[:1] if len(field.models) > 1 else ()
                if all(inner is not other for _, other in waiting) and inner not in done:
                    waiting.append((" ".join((below, *word)), inner))
    sources = SOURCES if name != "hook-chains" else {**SOURCES, **OF_OPENCLAUDE}
    marks = ", ".join(f"[{letter}] {text.to(lang)}" for letter, text in sources.items())
    return "\n\n".join([*parts, marks])


def row(field: FieldDoc, lang: Lang) -> str:
    """Return one row of a table of keys."""
    default = REQUIRED if field.required else field.default
    cells = [
        f"`{field.name}`",
        field.kind.to(lang),
        default.to(lang) if default else "",
        field.doc.to(lang),
        f"[{field.source}]",
    ]
    return "| " + " | ".join(cell.replace(" | ", " / ").replace("|", "\\|") for cell in cells) + " |"


def command_page(lang: Lang) -> str:
    """Return the help of every command, as the program prints it."""
    parts = [f"# {COMMANDS_TITLE.to(lang)}", fenced(help_of([], lang))]
    for name, _, text in COMMANDS:
        parts.append(f"## `rulewright {name}`\n\n{text.to(lang)}\n\n{fenced(help_of([name], lang))}")
    return "\n\n".join(parts)


def help_of(words: list[str], lang: Lang) -> str:
    """Return what `rulewright WORDS --help` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        main([*words, "--lang", lang, "--help"])
    return printed.getvalue()


def fenced(text: str) -> str:
    """Return a text as a block."""
    return f"```text\n{text.rstrip()}\n```"


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    folder = Path(sys.argv[1])
    print(f"{build(folder)} pages in {folder}")
