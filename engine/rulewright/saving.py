"""Foya rules are saved: validated whole, written in one step, noted in the journal, and only then is an old file removed.

Nothing is written that would not be read back as exactly the rule that was meant (foya.md section 5). The journal holds ids and
metadata, never the text of a rule.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from rulewright import analysis, files
from rulewright.checking import FileFacts, Severity
from rulewright.errors import RulewrightError
from rulewright.formats import by_name
from rulewright.formats.foya import global_file
from rulewright.model import Document, FoyaRule, FoyaScope
from rulewright.settings import FOYA_RULES, Settings, state_folder
from rulewright.syntax.tree import Mapping as Node
from rulewright.syntax.yaml_quoting import quote_double, quoted
from rulewright.text.edits import Edit, apply_edits
from rulewright.text.language import Text, same
from rulewright.text.lines import Lines
from rulewright.text.span import Span

Change = Literal["created", "updated", "deleted"]

HEADING = "# Foya User Rules\n"
"""The first line of the global file (foya.md section 1 [S])."""

JOURNAL = os.path.join("foya", "changes.jsonl")
LOCK = os.path.join("foya", "lock")


@dataclass(frozen=True, slots=True)
class Fields:
    """What a rule is to be. None: as it is, or as the program defaults it for a new rule. Empty globs: none are written."""

    id: str | None = None
    name: str | None = None
    description: str | None = None
    trigger: str | None = None
    globs: tuple[str, ...] | None = None
    content: str | None = None


@dataclass(frozen=True, slots=True)
class SavedRule:
    """A rule that is there: its file, as it was read, and the rule in it."""

    path: str
    document: Document
    rule: FoyaRule


def rules_path(root: str) -> str:
    """Return the folder of a project's rules, or of the global ones where `root` is the home folder."""
    return os.path.join(root, FOYA_RULES)


def journal_path() -> str:
    """Return the absolute path of the journal of changes; it need not exist."""
    return os.path.join(state_folder(), JOURNAL)


def default_path(name: str) -> str:
    """Return the file name for a rule's name: lower case, runs of anything but letters and digits become `-`.

    Letters and digits of any script stay. Source: foya.md section 5, `Go Testing` -> `go-testing.md`.
    """
    return f"{_slug(name) or f'rule-{uuid.uuid4().hex[:8]}'}.md"


def create(
    root: str, scope: FoyaScope, fields: Fields, path: str | None = None, *, taken: Callable[[], Mapping[str, str]]
) -> str:
    """Save a new rule; returns the absolute path of its file.

    Args:
        root: the project's folder; the home folder for the global scope.
        path: of the file, relative to the folder of the rules; from the name where it is None. Not for the global scope.
        taken: says the ids and names that other rules of the scope have, each with the file that it is in; asked once nobody
            else saves.
    Raises:
        RulewrightError: the rule is not valid, its id, name or file is taken, or it cannot be written. Nothing is changed then.
    """
    _refuse_no_name(fields)
    name = fields.name or ""
    with _locked():
        known = taken()
        fields = replace(fields, id=fields.id or _free_id(name, known))
        for word in (fields.id, fields.name):
            if word and word in known:
                raise RulewrightError(TAKEN.format(word=word, path=known[word]), NOTHING_CHANGED)
        if scope == "global":
            target = global_file(root)
            before = files.read_bytes(target) if os.path.lexists(target) else None
            text = files.decode(before, target).text if before is not None else HEADING
            new = _with_another(target, text, fields)
        else:
            target = _inside(root, path or default_path(name or fields.id or ""))
            if path is None:
                target = _free_path(target)
            elif os.path.lexists(target):
                raise RulewrightError(FILE_TAKEN.format(path=target), NOTHING_CHANGED)
            before = None
            new = _frontmatter(fields) + _body(fields.content or "")
        saved = _refuse_faults(target, new, fields)
        files.make_folder(os.path.dirname(target))
        files.write_atomically(target, _encoded(target, new))
        _note("created", scope, saved.id.text(), saved.name.text(), saved.trigger.text(), target, root)
    return target


def update(root: str, found: SavedRule, fields: Fields, path: str | None = None) -> str:
    """Save changes of a rule; returns the absolute path of its file. What is not changed stays as it is written.

    Args:
        path: a new file for a project's rule, relative to the folder of the rules.
    Raises:
        RulewrightError: as `create`, or the file has changed since it was read.
    """
    rule = found.rule
    text = found.document.text
    _refuse_no_name(fields)
    with _locked():
        _refuse_changed(found)
        target = found.path
        if path is not None:
            if rule.scope == "global":
                raise RulewrightError(NO_PATH, NOTHING_CHANGED)
            target = _inside(root, path)
            if os.path.lexists(target) and not os.path.samefile(target, found.path):
                raise RulewrightError(FILE_TAKEN.format(path=target), NOTHING_CHANGED)
            fields = _with_defaults_of(found, fields, target)
        new = _changed_marker(found, fields) if rule.scope == "global" else _changed_frontmatter(found, fields)
        if new == text and target == found.path:
            return target
        wanted = Fields(
            fields.id if fields.id is not None else rule.id.text(),
            fields.name if fields.name is not None else rule.name.text(),
            fields.description if fields.description is not None else rule.description.text(),
            fields.trigger,
            fields.globs,
            fields.content if fields.content is not None else rule.content,
        )
        saved = _refuse_faults(target, new, wanted, place=_index_of(found) if rule.scope == "global" else 0)
        files.make_folder(os.path.dirname(target))
        files.write_atomically(target, _encoded(found.path, new))
        try:
            _note("updated", rule.scope, saved.id.text(), saved.name.text(), saved.trigger.text(), target, root)
        finally:
            # Two files would be two rules of one id.
            if target != found.path and not os.path.samefile(target, found.path):
                files.remove_file(found.path)
    return target


def delete(root: str, found: SavedRule) -> None:
    """Remove a rule: its file, or its part of the global file.

    Raises:
        RulewrightError: it cannot be written, or the file has changed since it was read.
    """
    rule = found.rule
    with _locked():
        _refuse_changed(found)
        if rule.scope == "global":
            text = found.document.text
            before = text[: rule.header_span.start].rstrip()
            after = text[rule.span.end :].lstrip()
            end = found.document.lines.line_end()
            new = f"{end}{end}".join(part for part in (before, after) if part)
            files.write_atomically(
                found.path, _encoded(found.path, new if new.endswith(("\n", "\r")) or not new else new + end)
            )
        else:
            files.remove_file(found.path)
        _note("deleted", rule.scope, rule.id.text(), rule.name.text(), rule.trigger.text(), found.path, root)


# ------------------------------------------------------------------ texts


def _frontmatter(fields: Fields) -> str:
    rows = []
    for key in ("id", "name", "description", "trigger"):
        value = getattr(fields, key)
        if value is not None and (value or key != "description"):
            rows.append(f"{key}: {quoted(value)}")
    if fields.globs:
        rows.append(f"globs: {_list(fields.globs)}")
    return "---\n" + "".join(f"{row}\n" for row in rows) + "---\n"


def _list(globs: tuple[str, ...]) -> str:
    return "[" + ", ".join(quote_double(glob) for glob in globs) + "]"


def _body(content: str, end: str = "\n") -> str:
    return _unified(content).replace("\n", end) + end


def _unified(content: str) -> str:
    """Return a text without the white space around it, its lines ended by LF."""
    return content.strip().replace("\r\n", "\n").replace("\r", "\n")


def _with_another(path: str, text: str, fields: Fields) -> str:
    """Return the global file with one more rule at its end. A text without markers is a rule, and gets the marker that it needs."""
    document = analysis.read_as(by_name("foya"), path, text)
    end = document.lines.line_end()
    rules = document.foya.rules
    if len(rules) == 1 and rules[0].header_span.start == rules[0].header_span.end and rules[0].content:
        at = rules[0].body.start
        text = f"{text[:at]}{_marker({'id': rules[0].id.text()})}{end}{text[at:]}"
    return f"{text.rstrip()}{end}{end}{_marker(_new_marker(fields))}{end}{_body(fields.content or '', end)}"


def _with_defaults_of(found: SavedRule, fields: Fields, target: str) -> Fields:
    """Return the fields with what a rule only has by its place, where it has another one at `target`: a move changes none of them.

    Source: internal/contextdata/rules.go at 566c699, UpdateRule: what was filled in is written [F].
    """
    rule = found.rule
    moved = analysis.read_as(by_name("foya"), target, found.document.text).foya.rules
    if len(moved) != 1:
        return fields

    def kept(key: str) -> str | None:
        given: str | None = getattr(fields, key)
        before: str = getattr(rule, key).text()
        return before if given is None and before != getattr(moved[0], key).text() else given

    fields = replace(fields, id=kept("id"), name=kept("name"), trigger=kept("trigger"))
    if (
        fields.globs is None
        and (fields.trigger or rule.trigger.text()) == "glob"
        and rule.patterns != moved[0].patterns
    ):
        fields = replace(fields, globs=rule.patterns)
    return fields


def _new_marker(fields: Fields) -> dict[str, object]:
    data: dict[str, object] = {"id": fields.id}
    for key in ("name", "description", "trigger"):
        if getattr(fields, key):
            data[key] = getattr(fields, key)
    if fields.globs:
        data["globs"] = list(fields.globs)
    now = _now()
    return {**data, "scope": "global", "created_at": now, "updated_at": now}


def _marker(data: Mapping[str, object]) -> str:
    return f"<!-- foya-rule: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))} -->"


def _changed_marker(found: SavedRule, fields: Fields) -> str:
    rule, text = found.rule, found.document.text
    if rule.header is None:
        raise RulewrightError(NO_MARKER, NOTHING_CHANGED)
    span = rule.header.span
    data: dict[str, object] = json.loads(span.of(text))
    for key in ("id", "name", "description", "trigger", "globs"):
        value = getattr(fields, key)
        if value is not None:
            written = next((known for known in data if known.lower() == key), key)
            if value:
                data[written] = list(value) if isinstance(value, tuple) else value
            else:
                data.pop(written, None)
    data["updated_at"] = _now()
    edits = [Edit(rule.header_span, _marker(data))]
    if fields.content is not None:
        edits.append(_body_edit(rule, text, fields.content))
    return apply_edits(text, edits)


def _changed_frontmatter(found: SavedRule, fields: Fields) -> str:
    rule, text = found.rule, found.document.text
    lines = Lines(text)
    end = lines.line_end()
    edits: list[Edit] = []
    added: list[str] = []
    for key in ("id", "name", "description", "trigger", "globs"):
        value = getattr(fields, key)
        if value is None:
            continue
        entry = rule.header.get(key) if isinstance(rule.header, Node) else None
        written = _list(value) if isinstance(value, tuple) else quoted(value)
        if entry is not None and not value:
            first, last = (
                lines.line_at(entry.key_span.start),
                lines.line_at(max(entry.span.end - 1, entry.key_span.start)),
            )
            edits.append(Edit(Span(lines.starts[first], lines.full_span(last).end), ""))
        elif entry is not None:
            place = entry.value.span
            gap = "" if text[place.start - 1 : place.start] in (" ", "\t") else " "
            # A list in block form begins on the line below its key.
            start = (
                entry.key_span.end + 1
                if lines.line_at(place.start) != lines.line_at(entry.key_span.end)
                else place.start
            )
            edits.append(Edit(Span(start, place.end), (gap if start == place.start else " ") + written))
        elif value:
            added.append(f"{key}: {written}{end}")
    if rule.header_span.start == rule.header_span.end and added:
        head = f"---{end}{''.join(added)}---{end}"
        edits.append(Edit(Span(rule.header_span.start, rule.header_span.start), head))
    elif added:
        # In front of the closing fence, which is the last line of the header.
        last = lines.line_at(
            max(rule.header_span.start, len(rule.header_span.of(text).rstrip()) + rule.header_span.start - 1)
        )
        edits.append(Edit(Span(lines.starts[last], lines.starts[last]), "".join(added)))
    if fields.content is not None:
        edits.append(_body_edit(rule, text, fields.content))
    return apply_edits(text, edits)


def _body_edit(rule: FoyaRule, text: str, content: str) -> Edit:
    end = Lines(text).line_end()
    body = _unified(content).replace("\n", end)
    if rule.body.start < rule.body.end:
        return Edit(rule.body, body)
    lead = "" if not text[: rule.span.end] or text[: rule.span.end].endswith(("\n", "\r")) else end
    return Edit(Span(rule.span.end, rule.span.end), f"{lead}{body}{end}")


# ------------------------------------------------------------------ what is refused


def _refuse_faults(path: str, text: str, wanted: Fields, place: int = -1) -> FoyaRule:
    """Read what would be written as every reader will; return the rule that was meant.

    Raises:
        RulewrightError: it has an error, or is not read back as it was meant.
    """
    document = analysis.read_as(by_name("foya"), path, text)
    found = analysis.analyze(document, Settings(), FileFacts({}))
    rules = document.foya.rules
    saved = rules[place] if rules and place < len(rules) else None
    inside = None if saved is None else saved.span
    for finding in found.findings:
        if finding.severity == Severity.ERROR and (inside is None or inside.start <= finding.span.start <= inside.end):
            raise RulewrightError(REFUSED.format(code=finding.code, message=finding.message), NOTHING_CHANGED)
    if saved is None or saved.content != _unified(wanted.content or ""):
        raise RulewrightError(NOT_READ_BACK, NOTHING_CHANGED)
    for key in ("id", "name", "description", "trigger"):
        value = getattr(wanted, key)
        if value is not None and getattr(saved, key).text() != value:
            raise RulewrightError(OTHER_VALUE.format(key=key), NOTHING_CHANGED)
    if wanted.globs and saved.patterns != wanted.globs:
        raise RulewrightError(OTHER_VALUE.format(key="globs"), NOTHING_CHANGED)
    if saved.scope == "global" and saved.id.text() not in {rule.id for rule in document.foya.program or ()}:
        fault = next((finding for finding in found.findings if finding.severity == Severity.ERROR), None)
        reason = same("") if fault is None else fault.message
        raise RulewrightError(NOT_LOADED.format(path=path, reason=reason), NOTHING_CHANGED)
    return saved


def _refuse_no_name(fields: Fields) -> None:
    for key in ("id", "name"):
        value = getattr(fields, key)
        if value is not None and not value.strip():
            raise RulewrightError(NO_NAME.format(key=key), NOTHING_CHANGED)


def _refuse_changed(found: SavedRule) -> None:
    if files.read_source(found.path).text != found.document.text:
        raise RulewrightError(CHANGED.format(path=found.path), NOTHING_CHANGED)


def _inside(root: str, path: str) -> str:
    """Return the absolute path of a rule's file.

    Raises:
        RulewrightError: it does not lie below the folder of the rules, or is no Markdown file.
    """
    folder = rules_path(root)
    target = os.path.normpath(os.path.join(folder, path))
    real = os.path.realpath(os.path.dirname(target))
    outside = os.path.commonpath((real, os.path.realpath(folder))) != os.path.realpath(folder)
    if os.path.isabs(path) or "\0" in path or not target.startswith(folder + os.sep) or outside:
        raise RulewrightError(OUTSIDE.format(path=path), NOTHING_CHANGED)
    if not target.lower().endswith(".md"):
        raise RulewrightError(NO_MARKDOWN.format(path=path), NOTHING_CHANGED)
    return target


# ------------------------------------------------------------------ small things


def _slug(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name.lower()).strip("-")[:80]


def _free_id(name: str, taken: Mapping[str, str]) -> str:
    base = _slug(name) or f"rule-{uuid.uuid4().hex[:8]}"
    found, number = base, 1
    while found in taken and found != name:
        number += 1
        found = f"{base}-{number}"
    return found


def _free_path(path: str) -> str:
    stem, suffix = os.path.splitext(path)
    number = 1
    while os.path.lexists(path):
        number += 1
        path = f"{stem}-{number}{suffix}"
    return path


def _index_of(found: SavedRule) -> int:
    return next(at for at, rule in enumerate(found.document.foya.rules) if rule is found.rule)


def _encoded(path: str, text: str) -> bytes:
    """Keep a byte order mark where the file has one; everything is written as UTF-8."""
    data = text.encode("utf-8")
    had = os.path.lexists(path) and files.read_head(path, 3) == b"\xef\xbb\xbf"
    return b"\xef\xbb\xbf" + data if had and not text.startswith("\ufeff") else data


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _note(change: Change, scope: str, rule_id: str, name: str, trigger: str, path: str, root: str) -> None:
    """Append one line to the journal: who follows it learns of the change. No text of the rule.

    Raises:
        RulewrightError: the rule is saved, but the journal cannot be written.
    """
    shown = os.path.relpath(path, root).replace(os.sep, "/")
    row = {"at": _now(), "change": change, "scope": scope, "id": rule_id, "name": name, "trigger": trigger}
    row |= {"path": shown} if scope == "global" else {"path": shown, "project": root.replace(os.sep, "/")}
    journal = journal_path()
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(journal, flags, 0o600)
        try:
            os.write(descriptor, json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise RulewrightError(NOT_NOTED.format(path=shown, reason=same(error.strerror or str(error)))) from error


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """Let one process save at a time, where the system has file locks."""
    try:
        import fcntl
    except ImportError:  # Windows: there the file is compared once more before it is written, as everywhere.
        files.make_folder(os.path.dirname(journal_path()), 0o700)
        _refuse_without_journal()
        yield
        return
    path = os.path.join(state_folder(), LOCK)
    files.make_folder(os.path.dirname(path), 0o700)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise files.write_error(path, error) from error
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX)
        _refuse_without_journal()
        yield
    finally:
        os.close(descriptor)


def _refuse_without_journal() -> None:
    """Refuse to change anything that could not be noted afterwards.

    Raises:
        RulewrightError: the journal is there and cannot be written.
    """
    journal = journal_path()
    try:
        os.close(os.open(journal, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise files.write_error(journal, error) from error


NOTHING_CHANGED = Text("nothing was changed", "没有改动任何内容")
TAKEN = Text(
    "`{word}` is already the id or name of a rule in `{path}`", "`{word}` 已是 `{path}` 中一条规则的 id 或名称"
)
FILE_TAKEN = Text("there is already a file `{path}`", "文件 `{path}` 已存在")
NO_PATH = Text("global rules stand together in one file and have no path", "全局规则都在一个文件里，没有各自的路径")
NO_MARKER = Text(
    "the global file has no `<!-- foya-rule: … -->` line for this rule",
    "全局文件里没有这条规则的 `<!-- foya-rule: … -->` 行",
)
REFUSED = Text("the rule is not valid ({code}): {message}", "规则无效（{code}）：{message}")
NOT_READ_BACK = Text(
    "the rule would not be read back as it was given: its text holds a rule marker or a fence",
    "保存后读到的规则会与给出的不同：正文里有规则标记或分隔线",
)
NO_NAME = Text("`{key}` must not be empty", "`{key}` 不能为空")
OTHER_VALUE = Text(
    "`{key}` would not be read back as it was given: leave out white space at its ends and characters that cannot be shown",
    "保存后读到的 `{key}` 会与给出的不同：请去掉两端的空白和无法显示的字符",
)
NOT_LOADED = Text(
    "Foya would not load the rule, as it cannot read the rest of `{path}`: {reason}",
    "Foya 无法读取 `{path}` 的其他部分，因此不会加载这条规则：{reason}",
)
CHANGED = Text("`{path}` has changed meanwhile; try again", "`{path}` 已被改动，请重试")
OUTSIDE = Text("`{path}` does not lie in the folder of the rules", "`{path}` 不在规则文件夹内")
NO_MARKDOWN = Text("`{path}` must end in `.md`", "`{path}` 必须以 `.md` 结尾")
NOT_NOTED = Text(
    "the change of `{path}` is made, but it cannot be noted in the journal: {reason}",
    "`{path}` 已改动，但无法记录到变更日志：{reason}",
)
