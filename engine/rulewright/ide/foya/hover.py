"""What hover says in a file of Foya rules: keys, triggers, globs with the files they mean, and how large a rule is."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.analysis import Analysis
from rulewright.checking import FoyaFacts
from rulewright.formats.fields import FieldDoc, fields_of
from rulewright.formats.foya import MAX_CONTENT
from rulewright.formats.foya.keys import TRIGGERS, FrontmatterKeys, MarkerKeys
from rulewright.hook.activity import DIRECT_LIMIT, INDEX_LIMIT
from rulewright.ide.field_docs import effective, field_doc, short, word_doc
from rulewright.ide.findings import page_head, with_findings
from rulewright.ide.foya.files import matching
from rulewright.ide.foya.rules import rule_at, wakes
from rulewright.ide.places import Found, find, holds
from rulewright.ide.project import NO_PROJECT, ProjectFacts
from rulewright.ide.results import Hover
from rulewright.model import FoyaRule, Value
from rulewright.suppression import read_ignores
from rulewright.syntax.tree import Scalar, resolve
from rulewright.text.language import Lang, Text
from rulewright.text.lines import Lines
from rulewright.text.span import Span

SHOWN_FILES = 5


def hover(analysis: Analysis, offset: int, lang: Lang, project: ProjectFacts = NO_PROJECT) -> Hover | None:
    """Return what is to be said at `offset`, or None."""
    document = analysis.document
    parts: list[str] = []
    span: Span | None = None
    rule = rule_at(analysis, offset)
    found = find(document.tree.root, offset)
    if found is not None and rule is not None:
        said = _field(found, rule, document.lines, lang, project)
        if said:
            span, parts = found.span, [said]
    elif rule is not None and holds(_first_line(rule, document.lines), offset):
        span, parts = _first_line(rule, document.lines), [_summary(rule, analysis, lang, project)]
    else:
        ignored = next((ignore for ignore in read_ignores(document)[0] if holds(ignore.span, offset)), None)
        if ignored is not None and (head := page_head(ignored.code, lang)):
            span, parts = ignored.span, [head]
    if found is not None and found.path[-1] in ("id", "name") and parts and rule is not None:
        parts.append(_summary(rule, analysis, lang, project))
    return with_findings(analysis, offset, lang, span, parts)


def _first_line(rule: FoyaRule, lines: Lines) -> Span:
    """The opening fence or the start of the marker: there a rule as a whole is meant."""
    start = rule.header_span.start if rule.header is not None else rule.span.start
    return Span(start, min(lines.ends[lines.line_at(start)], start + len("<!-- foya-rule:")))


def _field(found: Found, rule: FoyaRule, lines: Lines, lang: Lang, project: ProjectFacts) -> str:
    names = [step for step in found.path if isinstance(step, str)]
    field = _fields(rule).get(names[0] if rule.scope == "project" else names[0].lower()) if names else None
    if field is None:
        return ""
    node = None if found.value is None or found.on_key else resolve(found.value)
    word = node.raw if isinstance(node, Scalar) else ""
    if field.name == "globs" and word:
        return _glob(word, lang, project)
    facts: list[str] = []
    value = getattr(rule, field.name, None)
    if isinstance(value, Value) and (counts := effective(value, lines, lang)):
        facts.append(counts)
    return field_doc(field, lang, word=word_doc(field, word, lang), facts=facts)


def _fields(rule: FoyaRule) -> dict[str, FieldDoc]:
    return fields_of(MarkerKeys if rule.scope == "global" else FrontmatterKeys)


def _glob(glob: str, lang: Lang, project: ProjectFacts) -> str:
    """Say which files of the project a glob means, and where Foya's own program sees it otherwise."""
    listing = project.files()
    found = matching(glob, listing)
    said = [f"`{short(glob)}`"]
    if listing:
        said.append((ONE_FILE if len(found) == 1 else FILES).format(count=len(found)).to(lang))
        said[1:] = ["  \n".join([said[1], *(f"- `{path}`" for path in found[:SHOWN_FILES])])]
        if len(found) > SHOWN_FILES:
            said[1] += "\n- …"
        strict = matching(glob, listing, strict=True)
        if strict != found:
            said.append(STRICT.format(count=len(strict)).to(lang))
    return "\n\n".join(said)


def _summary(rule: FoyaRule, analysis: Analysis, lang: Lang, project: ProjectFacts) -> str:
    """Say of a rule as a whole when it wakes, why that trigger, and how much of each budget it takes."""
    head = f"**{short(rule.name.text()) or short(rule.id.text())}** · {wakes(rule, project).to(lang)}"
    trigger = TRIGGERS.get(rule.trigger.text())
    parts = [head]
    if trigger is not None:
        parts.append(f"`{rule.trigger.text()}`: {trigger.to(lang)}")
    lines = analysis.document.lines
    parts.append(
        "  \n".join(
            f"- `{name}`: {said}"
            for name in ("id", "trigger", "globs")
            if (said := effective(getattr(rule, name), lines, lang)) and (name != "globs" or rule.trigger.is_("glob"))
        )
    )
    parts.append("  \n".join(text.to(lang) for text in _sizes(rule, analysis, project)))
    return "\n\n".join(part for part in parts if part)


def _sizes(rule: FoyaRule, analysis: Analysis, project: ProjectFacts) -> Iterator[Text]:
    length = len(rule.content)
    yield SIZE.format(count=length, limit=MAX_CONTENT, share=_share(length, MAX_CONTENT))
    facts = [fact for summary in project.summaries for fact in _shared_facts(summary.foya, summary.folder, analysis)]
    if rule.trigger.is_("always", "model_decision") and facts:
        kind = rule.trigger.text()
        total = sum(fact.characters for fact in facts if fact.trigger == kind)
        limit = DIRECT_LIMIT if kind == "always" else INDEX_LIMIT
        text = ALL_DIRECT if kind == "always" else ALL_INDEX
        yield text.format(count=total, limit=limit, share=_share(total, limit))


def _shared_facts(facts: tuple[FoyaFacts, ...], folder: str, analysis: Analysis) -> Iterator[FoyaFacts]:
    """Yield the facts of the rules that hold beside those of the text: global ones, and those of the same folder of rules."""
    path = analysis.document.path.replace("\\", "/")
    for fact in facts:
        if fact.scope == "global" or path.startswith(f"{folder}/"):
            yield fact


def _share(count: int, limit: int) -> int:
    return -(-count * 100 // limit)


FILES = Text("{count} files of the project match", "项目中有 {count} 个文件匹配")
ONE_FILE = Text("1 file of the project matches", "项目中有 1 个文件匹配")
STRICT = Text(
    "Foya's own program reads this glob more narrowly: there {count} match",
    "Foya 自己的程序对这个模式的解释更严格：只匹配 {count} 个",
)
SIZE = Text("Text: {count} of {limit} characters ({share} %)", "正文：{count} / {limit} 个字符（{share} %）")
ALL_DIRECT = Text(
    "All `always` rules together: {count} of {limit} characters ({share} %)",
    "全部 `always` 规则合计：{count} / {limit} 个字符（{share} %）",
)
ALL_INDEX = Text(
    "The whole index: {count} of {limit} characters ({share} %)", "整个索引：{count} / {limit} 个字符（{share} %）"
)
