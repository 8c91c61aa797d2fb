"""The rule files of a project: find them, read them, and have them analysed with what they need from disk.

Commands and the language server both come through here, so they report the same. Knows nothing of checks or formats
beyond their registries.
"""

from __future__ import annotations

import functools
import math
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace

from rulewright import analysis, files, formats
from rulewright.analysis import Analysis
from rulewright.checking import FileFacts, Finding, Related, Summary
from rulewright.checks import checks_by_code
from rulewright.errors import RulewrightError
from rulewright.files import Source
from rulewright.formats import Format, foya
from rulewright.hook.globs import glob_match
from rulewright.model import Document
from rulewright.settings import (
    CHAINS_FILE,
    FOYA_RULES,
    STYLE_FOLDER,
    Settings,
    find_project_root,
    in_project,
    load_settings,
)
from rulewright.text.language import Text
from rulewright.text.lines import Lines
from rulewright.text.spelling import nearest

SKIPPED_FOLDERS = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        ".venv",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".tox",
    )
)
_SUFFIXES = (".yaml", ".yml")
GLOBAL_FOYA_NAME = "~/.foya/rules/user_rules.md"
"""How messages call the user's global rules."""
_SettingsOf = Callable[[str], Settings]
Progress = Callable[[int, int], None]
LISTED_FILES = 50_000
"""Files of a project that are listed for globs; above this a listing would hold an editor up for seconds."""
_RULE_FOLDERS = (STYLE_FOLDER, os.path.dirname(FOYA_RULES), os.path.dirname(CHAINS_FILE))
_HEAD = 65536
"""Bytes of a file that are looked at to tell whether it may be a rule file. Its first key stands near the top."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One rule file and what is to be reported on it.

    path: absolute. shown: as reports name it, relative to the current folder where the file is below it, with `/`.
    """

    path: str
    shown: str
    source: Source
    document: DocumentFacts
    findings: tuple[Finding, ...]
    summary: Summary


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The little of a document that reports need; small enough to travel between processes."""

    format: str
    lines: Lines


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be read, and why."""

    path: str
    shown: str
    error: RulewrightError


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run over files found, in the order of the paths; `others` are files of the same projects, by path."""

    files: tuple[CheckedFile, ...]
    failures: tuple[Failure, ...] = ()
    others: Mapping[str, CheckedFile] = field(default_factory=dict)

    def summaries(self, settings: Settings) -> list[Summary]:
        """Return what is known of the files of one project."""
        root_of = functools.cache(find_project_root)
        found = [file.summary for path, file in self.others.items() if root_of(os.path.dirname(path)) == settings.root]
        return _with_global_rules(found, [file.summary for file in self.others.values()])

    def related_places(self, file: CheckedFile, finding: Finding) -> Iterator[tuple[Related, str, Lines]]:
        """Return each related place of a finding with the shown path and the lines of the file that it is in."""
        for note in finding.related:
            other = file if note.path is None else self.others.get(note.path)
            if other is not None:
                yield note, other.shown, other.document.lines


def project_settings(path: str) -> Settings:
    """Return the settings of the project that a file or folder belongs to.

    Raises:
        RulewrightError: they cannot be read, or name a code that does not exist.
    """
    return _settings_of_root(find_project_root(path))


def _settings_of_root(root: str) -> Settings:
    settings = load_settings(root)
    known = checks_by_code()
    for code in settings.severity:
        if code not in known:
            shown = os.path.relpath(settings.source or "", settings.root)
            line = settings.severity_lines.get(code, 1)
            raise RulewrightError(
                Text("{shown}:{line}: there is no code `{code}`", "{shown}:{line}: 没有诊断码 `{code}`").format(
                    shown=shown, line=line, code=code
                ),
                did_you_mean(code, known),
            )
    return settings


def did_you_mean(word: str, known: Iterable[str]) -> Text | None:
    """Return the hint for a misspelt name, None where nothing is near."""
    guess = nearest(word, known, 3)
    return None if guess is None else Text("did you mean `{guess}`?", "是不是 `{guess}`？").format(guess=guess)


def analyze_text(
    path: str, text: str, settings: Settings, extra: Iterable[Finding] = (), encoding: str = "utf-8"
) -> Analysis | None:
    """Analyse a text as the file at `path`, which need not exist; None where it is no rule file.

    Args:
        path: absolute; text files are read relative to its folder.
        extra: findings of the workspace on this file.
        encoding: how the file is stored.
    """
    document = read_document(path, text, settings)
    if document is None:
        return None
    return analysis.analyze(document, settings, replace(facts_of(document), encoding=encoding), extra)


def analyze_among(path: str, text: str, settings: Settings, others: Iterable[Summary]) -> Analysis | None:
    """Analyse a text together with what is known of the other files of its project, as `check` does."""
    document = read_document(path, text, settings)
    if document is None:
        return None
    everything = [summarize(document), *(other for other in others if other.path != path)]
    extra = workspace_findings(everything, settings).get(path, ())
    return analysis.analyze(document, settings, facts_of(document), extra)


def analyze_path(path: str, settings: Settings, extra: Iterable[Finding] = ()) -> Analysis | None:
    """Read and analyse a file; None where it is no rule file.

    Raises:
        RulewrightError: it cannot be read as text.
    """
    source = as_rule_source(path, files.read_source(path))
    return analyze_text(os.path.abspath(path), source.text, settings, extra, source.encoding)


def as_rule_source(path: str, source: Source) -> Source:
    """Return a file as its format reads it: to Foya a byte order mark is a character of the text (foya.md section 1 [F])."""
    if source.bom and source.encoding == "utf-8" and foya.detect(path, source.text):
        return Source("\ufeff" + source.text)
    return source


def read_document(path: str, text: str, settings: Settings) -> Document | None:
    """Read a text by its format; a YAML file that the `packages` globs name is a package whatever it holds."""
    module = _format_of(path, text, settings)
    return None if module is None else analysis.read_as(module, path, text)


def format_name(path: str, text: str, settings: Settings) -> str:
    """Return the name of a text's format, empty where it is of none of ours."""
    module = _format_of(path, text, settings)
    return "" if module is None else module.NAME


def list_files(settings: Settings, limit: int = LISTED_FILES) -> tuple[str, ...]:
    """Return the files of a project, relative to its root, with `/`, sorted; no more than `limit`, without what is never read."""
    found: list[str] = []
    for at, folders, names in os.walk(settings.root, onerror=None):
        folders[:] = sorted(
            name
            for name in folders
            if name not in SKIPPED_FOLDERS
            and not os.path.islink(os.path.join(at, name))
            and not is_excluded(os.path.join(at, name), settings)
        )
        found += [_relative(os.path.join(at, name), settings.root) for name in names]
        if len(found) >= limit:
            break
    return tuple(sorted(found[:limit]))


def is_rule_text(path: str, text: str, settings: Settings) -> bool:
    """Tell whether a text at `path` is a rule file, without reading it."""
    return _format_of(path, text, settings) is not None


def _format_of(path: str, text: str, settings: Settings) -> Format | None:
    module = analysis.detect(path, text)
    if module is None and path.lower().endswith(_SUFFIXES) and os.path.basename(path) != "style.lock.yaml":
        for glob in settings.packages:
            if _matches(glob, _relative(path, settings.root)):
                return formats.by_name("style")
    return module


def facts_of(document: Document) -> FileFacts:
    """Read what checks may know of the world: the text files that a package names, inside its own folder only."""
    folder = os.path.dirname(os.path.abspath(document.path))
    found: dict[str, str | None] = {}
    for rule in document.package.rules:
        name = rule.text_file.text()
        if name and name not in found:
            found[name] = read_text_file(folder, name)
    return FileFacts(found)


def read_text_file(folder: str, name: str) -> str | None:
    """Return the text of a `text_file`; None where there is none, or where it lies outside the package's folder."""
    if "\0" in name or os.path.isabs(name):
        return None
    path = os.path.realpath(os.path.join(folder, name))
    inside = os.path.realpath(folder)
    if os.path.commonpath((path, inside)) != inside:
        return None
    return files.read_text_or_none(path)


def summarize_path(path: str, settings: Settings) -> Summary | None:
    """Return what the workspace checks need of one file; None where it is no rule file or cannot be read."""
    text = files.read_text_or_none(path)
    if text is None:
        return None
    document = read_document(path, text, settings)
    return None if document is None else summarize(document)


def summarize(document: Document) -> Summary:
    """Return what the workspace checks need of a document, together with what the disk says of its file.

    Only Foya's rules have an order by time, and files that more than one path may lead to.
    """
    found = analysis.summarize(document)
    if not found.foya:
        return found
    try:
        changed = os.stat(found.path).st_mtime
    except (OSError, ValueError):
        changed = math.inf  # what is not saved yet will be the newest
    return replace(found, changed=changed, real=os.path.realpath(found.path))


def workspace_findings(summaries: Iterable[Summary], settings: Settings) -> dict[str, list[Finding]]:
    """Return the findings over the files of one project, by absolute path; give them to `analyze_text` as `extra`.

    Args:
        summaries: of the files of this project, their paths absolute; of two that are one file the later one counts, for both.
            Messages name files relative to the root.
    """
    paths: dict[str, list[str]] = {}
    latest: dict[str, Summary] = {}
    for summary in summaries:
        place = summary.real or summary.path
        paths.setdefault(place, []).append(summary.path)
        latest[place] = summary
    in_order = sorted(latest.values(), key=lambda summary: summary.path)
    shared = foya.global_file()
    by_name = {
        GLOBAL_FOYA_NAME if each.path == shared else _relative(each.path, settings.root): each for each in in_order
    }
    found: dict[str, list[Finding]] = {}
    for name, findings in analysis.workspace_findings(
        replace(each, path=name) for name, each in by_name.items()
    ).items():
        placed = [replace(finding, related=_with_paths(finding.related, by_name)) for finding in findings]
        summary = by_name[name]
        found.update(dict.fromkeys(paths[summary.real or summary.path], placed))
    return found


def _with_paths(related: tuple[Related, ...], by_name: Mapping[str, Summary]) -> tuple[Related, ...]:
    return tuple(note if note.path is None else replace(note, path=by_name[note.path].path) for note in related)


# Finding files


def find_rule_files(folder: str, settings: Settings) -> Iterator[str]:
    """Return the absolute paths of the rule files below a folder, sorted, without the excluded ones.

    Links to folders are not followed (they may lead anywhere, or round in circles), but for those that rules lie in by their
    names: `.style`, `.foya` and its `rules`, `.openclaude`. The hook reads what is there.
    """
    folder = os.path.abspath(folder)
    for path in _walk(folder, settings):
        if _is_rule_file(path, settings):
            yield path


class _Folders:
    """What is asked of folders again and again while many files are gone through, each answer worked out once."""

    def __init__(self) -> None:
        self.root_of = functools.cache(find_project_root)
        self._settings_of_root = functools.cache(_settings_of_root)
        self._real = functools.cache(os.path.realpath)

    def settings_of(self, folder: str) -> Settings:
        """Return the settings of the project that a folder belongs to; raises as `project_settings`."""
        return self._settings_of_root(self.root_of(folder))

    def real(self, path: str) -> str:
        """Return the path of a file without links."""
        if os.path.islink(path):
            return os.path.realpath(path)
        return os.path.join(self._real(os.path.dirname(path)), os.path.basename(path))


def find_project_files(settings: Settings, folders: _Folders | None = None) -> list[str]:
    """Return the rule files of a project, sorted: below its root and where its `packages` globs say, each file once.

    Projects inside the project have their own. A project with Foya's rules has the global ones of the user too, last.
    """
    folders = folders or _Folders()
    found: list[str] = []
    seen: set[str] = set()
    for path in sorted({*find_rule_files(settings.root, settings), *find_packages(settings)}):
        real = folders.real(path)
        if real not in seen and folders.root_of(os.path.dirname(path)) == settings.root:
            seen.add(real)
            found.append(path)
    shared = foya.global_file()
    if any(foya.detect(path, "") for path in found) and os.path.isfile(shared) and os.path.realpath(shared) not in seen:
        found.append(shared)
    return found


def find_packages(settings: Settings) -> list[str]:
    """Return the packages that an installation takes: below `<root>/.style/` and from the `packages` globs."""
    found: set[str] = set()
    style = os.path.join(settings.root, STYLE_FOLDER)
    if os.path.isdir(style):
        found.update(path for path in find_rule_files(style, settings) if path.lower().endswith(_SUFFIXES))
    if settings.packages:
        for path in _walk(settings.root, settings):
            relative = _relative(path, settings.root)
            if (
                path.lower().endswith(_SUFFIXES)
                and any(_matches(glob, relative) for glob in settings.packages)
                and _is_rule_file(path, settings)
            ):
                found.add(path)
    return sorted(found)


def is_excluded(path: str, settings: Settings) -> bool:
    """Tell whether the settings exclude a file, by itself or with a folder above it."""
    relative = _relative(path, settings.root)
    return any(_matches(glob, relative) for glob in settings.exclude)


def _walk(folder: str, settings: Settings) -> Iterator[str]:
    for at, folders, names in os.walk(folder, onerror=None):
        kept = []
        for name in sorted(folders):
            path = os.path.join(at, name)
            if name in SKIPPED_FOLDERS or is_excluded(path, settings):
                continue
            if os.path.islink(path):
                if name in _RULE_FOLDERS or os.path.join(os.path.basename(at), name) == FOYA_RULES:
                    yield from _walk_files_of_link(path, settings)
                continue
            kept.append(name)
        folders[:] = kept
        for name in sorted(names):
            path = os.path.join(at, name)
            if _may_be_rule_file(path) and not is_excluded(path, settings):
                yield path


def _walk_files_of_link(path: str, settings: Settings) -> Iterator[str]:
    if not files.leads_above(path):
        yield from _walk(path, settings)


def _may_be_rule_file(path: str) -> bool:
    """Tell whether a file's name says that it is one of ours, or that its content may."""
    return path.lower().endswith(_SUFFIXES) or analysis.detect(path, "") is not None


def _is_rule_file(path: str, settings: Settings) -> bool:
    """Tell whether a file is one of ours, and reads no more than its head where its name does not say it."""
    if _format_of(path, "", settings) is not None:
        return True
    try:
        head = files.read_head(path, _HEAD)
    except RulewrightError:
        return False
    # UTF-16 is decoded; in any other encoding the ASCII of the first key stands as it is.
    text = (
        head.decode("utf-16", "replace") if head[:2] in (b"\xff\xfe", b"\xfe\xff") else head.decode("utf-8", "replace")
    )
    return "style/" in text and _format_of(path, text, settings) is not None


def _relative(path: str, root: str) -> str:
    if path.startswith(root + os.sep):  # relpath takes ten times as long
        return path[len(root) + 1 :].replace(os.sep, "/")
    return os.path.relpath(path, root).replace(os.sep, "/")


def _matches(glob: str, relative: str) -> bool:
    """Tell whether a glob of the settings names a path or a folder above it.

    Without a `/` inside, it names an entry at any depth, as in ignore files.
    """
    pattern = glob.rstrip("/").removeprefix("./")
    pattern = pattern[1:] if pattern.startswith("/") else pattern if "/" in pattern else f"**/{pattern}"
    at = relative.find("/")
    while at >= 0:
        if glob_match(pattern, relative[:at]):
            return True
        at = relative.find("/", at + 1)
    return glob_match(pattern, relative)


# Checking many files


@dataclass(frozen=True, slots=True)
class Selection:
    """Which codes to report: `only` (all where it is empty), less `ignore`."""

    only: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()

    def takes(self, code: str) -> bool:
        """Tell whether findings of a code are reported."""
        return code not in self.ignore and (not self.only or code in self.only)

    def of(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return the findings that are reported."""
        return tuple(finding for finding in findings if self.takes(finding.code))


EVERYTHING = Selection()


def check_paths(
    paths: Sequence[str], selection: Selection = EVERYTHING, jobs: int = 1, progress: Progress | None = None
) -> Outcome:
    """Check files and folders, each with the settings of its own project.

    Checks over several files see all files of the projects, also those that are not asked for, as in the editor.

    Args:
        paths: files are checked even if the settings exclude them.
        jobs: processes to use; 0 means as many as there are processors and work for.
        progress: told how many of how many files are done, as they are.

    Raises:
        RulewrightError: a path does not exist or is no rule file, or settings are wrong.
    """
    wanted: dict[str, Settings] = {}
    seen: set[str] = set()
    folders = _Folders()
    for path in paths:
        absolute = os.path.abspath(path)
        for found, settings in _expand(path, absolute, folders.settings_of):
            real = folders.real(found)
            if real not in seen:
                seen.add(real)
                wanted[found] = settings
    others = _others(wanted, seen, folders)
    checked, failures = _check_all({**wanted, **others}, jobs, progress)
    extras = _workspace_pass(checked, {**wanted, **others})
    done: list[CheckedFile] = []
    for path, settings in sorted(wanted.items()):
        file = checked.get(path)
        if file is None:
            continue
        if path in extras:
            file = _check_text(path, file.source, settings, extras[path]) or file
        done.append(
            CheckedFile(file.path, file.shown, file.source, file.document, selection.of(file.findings), file.summary)
        )
    done.sort(key=lambda file: file.shown)
    missed = tuple(sorted((f for f in failures if f.path in wanted), key=lambda failure: failure.shown))
    return Outcome(tuple(done), missed, checked)


def check_text(path: str, source: Source, selection: Selection = EVERYTHING) -> Outcome:
    """Check a text as if it stood at `path`, which need not exist.

    Raises:
        RulewrightError: by its name and content it is no rule file, or settings are wrong.
    """
    absolute = os.path.abspath(path)
    settings = project_settings(absolute)
    file = _check_text(absolute, source, settings, ())
    if file is None:
        raise not_a_rule_file(path)
    real = os.path.realpath(absolute)
    others = _others({absolute: settings}, {real}, _Folders())
    checked, _ = _check_all(others, 1)
    checked[absolute] = file
    extras = _workspace_pass(checked, {absolute: settings, **others})
    if absolute in extras:
        file = _check_text(absolute, source, settings, extras[absolute]) or file
    file = CheckedFile(file.path, file.shown, file.source, file.document, selection.of(file.findings), file.summary)
    return Outcome((file,), (), checked)


def show_path(path: str) -> str:
    """Return a path as reports name it: relative to the current folder where it is below it, with `/`."""
    absolute = os.path.abspath(path)
    try:
        relative = os.path.relpath(absolute)
    except ValueError:  # another drive
        return absolute.replace(os.sep, "/")
    shown = absolute if relative.startswith("..") else relative
    return shown.replace(os.sep, "/")


def not_a_rule_file(path: str) -> RulewrightError:
    """Return the error for a file that was named but is of none of our formats."""
    return RulewrightError(
        Text("`{path}` is not a rule file", "`{path}` 不是规则文件").format(path=path),
        Text(
            "a package is named `style.yaml` or `*.style.yaml`, lies in `.style/`, or begins with `spec: style/v0.3`; "
            "a Foya rule is a `.md` file below `.foya/rules/`; hook chains are named `hook-chains.json`",
            "规则包的文件名是 `style.yaml` 或 `*.style.yaml`，或放在 `.style/` 里，或以 `spec: style/v0.3` 开头；"
            "Foya 规则是 `.foya/rules/` 下的 `.md` 文件；hook chains 的文件名是 `hook-chains.json`",
        ),
    )


def _expand(path: str, absolute: str, settings_of: _SettingsOf) -> Iterator[tuple[str, Settings]]:
    if not os.path.lexists(absolute):
        raise files.file_error(path, FileNotFoundError())
    if not os.path.isdir(absolute) or _named_as_rule_file(absolute):
        yield absolute, settings_of(os.path.dirname(absolute))
        return
    settings = settings_of(absolute)
    found = {*find_rule_files(absolute, settings)}
    if absolute == settings.root:
        found.update(find_packages(settings))
    for name in sorted(found):
        own = settings_of(os.path.dirname(name))
        if own.root == settings.root or not is_excluded(name, own):
            yield name, own


def _named_as_rule_file(path: str) -> bool:
    """A folder called `x.yaml` was meant as a file; `.style` itself is a folder of packages."""
    return path.lower().endswith(_SUFFIXES)


def _others(wanted: Mapping[str, Settings], seen: set[str], folders: _Folders) -> dict[str, Settings]:
    """Return the files that were not asked for, of the projects of those that were."""
    others: dict[str, Settings] = {}
    for settings in {settings.root: settings for settings in wanted.values()}.values():
        if not in_project(settings.root):
            continue
        for path in find_project_files(settings, folders):
            real = folders.real(path)
            if real not in seen:
                seen.add(real)
                others[path] = settings
    return others


def _workspace_pass(
    checked: Mapping[str, CheckedFile], settings_of: Mapping[str, Settings]
) -> dict[str, list[Finding]]:
    by_root: dict[str, list[Summary]] = {}
    everything = [file.summary for file in checked.values()]
    for path, file in checked.items():
        by_root.setdefault(settings_of[path].root, []).append(file.summary)
    found: dict[str, list[Finding]] = {}
    roots = {settings.root: settings for settings in settings_of.values()}
    for root, summaries in by_root.items():
        for path, findings in workspace_findings(_with_global_rules(summaries, everything), roots[root]).items():
            found.setdefault(path, []).extend(findings)
    return found


def _with_global_rules(summaries: list[Summary], everything: Iterable[Summary]) -> list[Summary]:
    """Add the user's global rules, if they are in view, to the files of a project with Foya's rules: they hold there too."""
    if not any(summary.foya for summary in summaries):
        return summaries
    known = {summary.path for summary in summaries}
    shared = foya.global_file()
    return [*summaries, *(each for each in everything if each.path == shared and shared not in known)]


def _check_all(
    wanted: Mapping[str, Settings], jobs: int, progress: Progress | None = None
) -> tuple[dict[str, CheckedFile], list[Failure]]:
    items = list(wanted.items())
    if jobs == 0:
        # A process costs a start of about 0.2 s, which some 40 files of usual size take to check.
        jobs = min(os.cpu_count() or 1, len(items) // 40)
    results: list[CheckedFile | Failure] = []

    def take(found: Iterable[CheckedFile | Failure]) -> None:
        for result in found:
            results.append(result)
            if progress is not None:
                progress(len(results), len(items))

    if jobs > 1 and len(items) > 1:
        with ProcessPoolExecutor(min(jobs, len(items)), initializer=_ignore_interrupts) as pool:
            take(pool.map(_check_file, items, chunksize=max(1, min(50, len(items) // (jobs * 4)))))
    else:
        take(map(_check_file, items))
    checked = {result.path: result for result in results if isinstance(result, CheckedFile)}
    return checked, [result for result in results if isinstance(result, Failure)]


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it and stops the others


def _check_file(item: tuple[str, Settings]) -> CheckedFile | Failure:
    path, settings = item
    shown = show_path(path)
    try:
        file = _check_text(path, files.read_source(path), settings, ())
    except RulewrightError as error:
        return Failure(path, shown, error)
    return file or Failure(path, shown, not_a_rule_file(shown))


def _check_text(path: str, source: Source, settings: Settings, extra: Iterable[Finding]) -> CheckedFile | None:
    source = as_rule_source(path, source)
    result = analyze_text(path, source.text, settings, extra, source.encoding)
    if result is None:
        return None
    document = result.document
    facts = DocumentFacts(document.format, document.lines)
    return CheckedFile(path, show_path(path), source, facts, result.findings, summarize(document))
