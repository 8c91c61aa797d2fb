"""What the server knows of one client: open documents, projects, settings, and when which text is analysed.

Nothing waits for a fixed time. A text is analysed as soon as no message is left to be handled; one whose analysis takes long
is analysed beside the loop, once the typing has paused for a moment. Outdated results are dropped. Knows no LSP request.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from rulewright.text.language import LANGUAGES, Lang, language_of
from rulewright_ls.documents import Change, Documents, OpenDocument, uri_to_path

if TYPE_CHECKING:
    from rulewright.analysis import Analysis
    from rulewright.checking import Finding, Summary
    from rulewright.ide.project import ProjectFacts
    from rulewright.settings import Settings, SeverityName
    from rulewright.text.lines import Unit

log = logging.getLogger(__name__)
T = TypeVar("T")

INLINE_SECONDS = 0.05
"""An analysis that takes no longer runs in the loop: below what a person notices (100 ms), half of it left for the rest."""

SECONDS_PER_LINE = 60e-6
"""First guess of what a line costs, before anything was measured: 30,000 lines take about 2 s here."""

SLOW_SECONDS = 0.5
"""An analysis that takes longer begins only at a pause in the typing: of what a key has outdated none is worth its time."""

PAUSE_SECONDS = 0.3
"""The pause that a slow analysis waits for."""

LISTING_SECONDS = 5.0
"""How long a listing of a project's files counts: editors ask for links and lenses at every pause in the typing."""

REST_SECONDS = 2.0
"""How long nothing must have happened before garbage is collected, which takes some 100 ms beside a large text."""


class Fence(Protocol):
    """Calls a function and returns its result; None, after it was logged, where the function raised."""

    def __call__(self, what: str, work: Callable[[], T]) -> T | None:
        """Call `work`, named `what` in the log."""


@dataclass(slots=True)
class Project:
    """One project: its settings, and the summaries of its rule files that the checks over several files look at.

    extras: what these checks say, by absolute path.
    """

    settings: Settings
    summaries: dict[str, Summary] = field(default_factory=dict)
    extras: dict[str, list[Finding]] = field(default_factory=dict)
    loaded: bool = False
    _files: tuple[float, tuple[str, ...]] | None = None

    def list_files(self) -> tuple[str, ...]:
        """Return the files of the project, relative to its root; a listing counts for LISTING_SECONDS."""
        from rulewright.workspace import list_files

        now = time.monotonic()
        if self._files is None or now - self._files[0] > LISTING_SECONDS:
            self._files = (now, list_files(self.settings))
        return self._files[1]


@dataclass(slots=True)
class Client:
    """What `initialize` said, in our words."""

    unit: Unit = "utf-16"
    lang: Lang | None = None
    locale: Lang = "en"
    pull: bool = False
    snippets: bool = False
    adjusts_indentation: bool = False
    versioned_edits: bool = False
    roots: tuple[str, ...] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict)


class Session:
    """One client's state.

    Args:
        publish: sends the findings of a document.
        complain: tells the user of a fault in the surroundings, such as settings that cannot be read.
        fence: stands between our faults and the client.
        windows: how URIs are read.
    """

    def __init__(
        self,
        publish: Callable[[OpenDocument], None],
        complain: Callable[[str], None],
        fence: Fence,
        *,
        windows: bool = os.name == "nt",
    ) -> None:
        self.documents = Documents(windows=windows)
        self.client = Client()
        self.epoch = 0
        self._publish = publish
        self._complain = complain
        self._fence = fence
        self._projects: dict[str, Project] = {}
        self._roots: dict[str, str] = {}
        self._complaints: set[str] = set()
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rest: asyncio.TimerHandle | None = None

    # --- language and settings

    def lang_of(self, document: OpenDocument) -> Lang:
        """Return the language for messages on a document: the editor's choice, else the project's, else the locale."""
        return self.client.lang or self.project_of(document).settings.lang or self.client.locale

    @property
    def lang(self) -> Lang:
        """The language for what belongs to no document."""
        return self.client.lang or self.client.locale

    def override(self, values: object) -> None:
        """Take the editor's settings: they win over the project's. What has the wrong type is left out, and said."""
        if not isinstance(values, Mapping):
            return
        lang = values.get("lang")
        self.client.lang = language_of(lang) if isinstance(lang, str) and lang else None
        if isinstance(lang, str) and lang and lang not in LANGUAGES:
            log.warning("unknown language %r: using %s", lang, self.client.lang)
        self.client.overrides = dict(values)

    def reload(self) -> None:
        """Forget settings and projects and have every document analysed anew."""
        self._projects.clear()
        self._roots.clear()
        self._complaints.clear()
        self.epoch += 1
        for document in self.documents:
            self.outdate(document)

    def project_of(self, document: OpenDocument) -> Project:
        """Return the project that a document belongs to; its settings are read once until `reload`."""
        load_engine()
        from rulewright import settings as project_settings
        from rulewright.formats.foya import global_file

        folder = os.path.dirname(document.path)
        root = self._roots.get(folder)
        if root is None:
            root = self._roots[folder] = project_settings.find_project_root(folder)
        project = self._projects.get(root)
        if project is None:
            project = self._projects[root] = Project(self._settings(root))
            if document.path == global_file():
                project.loaded = True  # it is a project of one file
            elif project_settings.in_project(root):
                self._in_background(lambda: _summaries(project.settings), lambda found: self._loaded(project, found))
        return project

    def _settings(self, root: str) -> Settings:
        from rulewright.errors import RulewrightError
        from rulewright.settings import Settings
        from rulewright.workspace import project_settings

        try:
            found = project_settings(root)
        except RulewrightError as error:
            message = error.to(self.lang)
            if message not in self._complaints:
                self._complaints.add(message)
                self._complain(message)
            found = Settings(root=root)
        return _overridden(found, self.client.overrides)

    def facts_of(self, document: OpenDocument) -> ProjectFacts:
        """Return what editor features may know of a document's project."""
        from rulewright.ide.project import ProjectFacts

        project = self.project_of(document)
        return ProjectFacts(project.settings, tuple(project.summaries.values()), project.list_files)

    def text_of(self, path: str) -> str | None:
        """Return the text of a file: the editor's where it is open, None where it cannot be read."""
        from rulewright import files

        opened = self.opened(path)
        return files.read_text_or_none(path) if opened is None else opened.text

    def opened(self, path: str) -> OpenDocument | None:
        """Return the open document at a path."""
        return next((document for document in self.documents if document.path == path), None)

    # --- documents

    def path_of(self, uri: str) -> str:
        """Return the path that a URI names."""
        return uri_to_path(uri, windows=self.documents.windows)

    def open(self, uri: str, version: int, text: str, language_id: str) -> None:
        """Take a text that the client opened."""
        earlier = self.documents.close(uri)
        if earlier is not None:
            self._release(earlier)
        document = self.documents.open(uri, version, text)
        if uri[:5].lower() != "file:":
            # A text without a file is looked at as if it were to be saved in the first folder.
            name = document.path.rpartition("/")[2].rpartition(":")[2] or "untitled"
            suffix = ".yaml" if language_id == "yaml" and not name.endswith((".yaml", ".yml")) else ""
            document.path = os.path.join(self.client.roots[0] if self.client.roots else os.getcwd(), name + suffix)

    def close(self, uri: str) -> OpenDocument | None:
        """Forget a text; from now on the file on disk counts for the checks over several files."""
        document = self.documents.close(uri)
        if document is not None:
            self._release(document)
            self.changed_on_disk(document.path)
        return document

    def _release(self, document: OpenDocument) -> None:
        document.closed = True
        if document.timer is not None:
            document.timer.cancel()
        _wake(document)

    def changed_on_disk(self, *paths: str) -> None:
        """Read the summaries of files again, all in one go, but for those that are open: there the editor's text counts."""
        for project in self._projects.values():
            mine = [path for path in dict.fromkeys(paths) if _is_of(project, path) and self.opened(path) is None]
            if mine:
                self._in_background(
                    lambda project=project, mine=mine: {path: _summary(path, project.settings) for path in mine},  # type: ignore[misc]
                    lambda found, project=project: self._read_again(project, found or {}),  # type: ignore[misc]
                )

    def _read_again(self, project: Project, found: Mapping[str, Summary | None]) -> None:
        """Take summaries that were read while the project was loaded or later; what has been opened meanwhile is left out."""
        if project.loaded:
            closed = {path: summary for path, summary in found.items() if self.opened(path) is None}
            self._summarized(project, closed)

    def is_rule_file(self, document: OpenDocument) -> bool:
        """Tell whether a document is of one of our formats, by its name or its first key."""
        if document.analysed:
            return document.analysis is not None or bool(document.failure)
        settings = self.project_of(document).settings
        from rulewright.workspace import is_excluded, is_rule_text

        return not is_excluded(document.path, settings) and is_rule_text(document.path, document.text, settings)

    def format_of(self, document: OpenDocument) -> str:
        """Return the name of a document's format, empty where it is of none of ours."""
        from rulewright.workspace import format_name

        return format_name(document.path, document.text, self.project_of(document).settings)

    # --- analysis

    def idle(self) -> None:
        """No message is waiting: see to what has changed."""
        for document in self.documents:
            if not self.analyse_if_quick(document):
                self._analyse_soon(document)
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(REST_SECONDS, gc.collect)

    def outdate(self, document: OpenDocument) -> None:
        """Say that what is known of a document no longer holds; a pause before a slow analysis begins anew."""
        document.outdate()
        if document.timer is not None:
            document.timer.cancel()
            document.timer = None

    def change(self, document: OpenDocument, version: int, changes: Sequence[Change]) -> None:
        """Apply what the client changed."""
        document.change(version, changes, self.client.unit)
        self.outdate(document)

    def is_quick(self, document: OpenDocument) -> bool:
        """Tell whether an analysis is cheap enough to be made in the loop."""
        return _expected_seconds(document) <= INLINE_SECONDS

    def analyse_if_quick(self, document: OpenDocument) -> bool:
        """Analyse the document here and now if that is cheap; tell whether there is an outcome of the present text."""
        if document.analysed:
            return True
        if not self.is_quick(document):
            return False
        settings, extras = self._circumstances(document)
        outcome = self._fence("analysis", lambda: _analyse(document.path, document.text, settings, extras))
        self._accept(document, document.stamp, outcome)
        return document.analysed

    async def analysed(self, document: OpenDocument) -> bool:
        """Wait for the analysis of the text as it is now.

        Returns false if the text was changed or closed meanwhile.
        """
        revision = document.revision
        while not document.closed and document.revision == revision:
            if self.analyse_if_quick(document):
                return True
            await self._next_outcome(document)
        return False

    async def settled(self, document: OpenDocument) -> None:
        """Wait until the present text is analysed, following all changes; or until the document is closed."""
        while not document.closed and not self.analyse_if_quick(document):
            await self._next_outcome(document)

    async def _next_outcome(self, document: OpenDocument) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        document.waiters.append(waiter)
        self._analyse_soon(document)
        await waiter

    def _analyse_soon(self, document: OpenDocument) -> None:
        """See to it that the present text is analysed beside the loop: one analysis of a document at a time."""
        if document.running or document.timer is not None:
            return
        slow = document.seconds is not None and document.seconds > SLOW_SECONDS
        pause = PAUSE_SECONDS if slow else 0
        document.timer = asyncio.get_running_loop().call_later(pause, self._analyse_aside, document)

    def _analyse_aside(self, document: OpenDocument) -> None:
        document.timer = None
        if document.closed or document.analysed:
            return
        settings, extras = self._circumstances(document)
        stamp, path, text = document.stamp, document.path, document.text

        def accept(outcome: tuple[Analysis | None, float] | None) -> None:
            document.running = False
            if document.closed:
                return
            if document.stamp == stamp:
                self._accept(document, stamp, outcome)
            else:
                self._analyse_soon(document)

        document.running = True
        self._in_background(lambda: _analyse(path, text, settings, extras, lambda: document.stamp != stamp), accept)

    def _circumstances(self, document: OpenDocument) -> tuple[Settings, list[Finding]]:
        own = self.project_of(document)
        extras = [*own.extras.get(document.path, [])]
        for project in self._projects.values():
            if project is not own:  # the user's global rules belong to every project
                extras += project.extras.get(document.path, [])
        return own.settings, extras

    def _accept(self, document: OpenDocument, stamp: int, outcome: tuple[Analysis | None, float] | None) -> None:
        """Keep the outcome of an analysis, unless it is outdated."""
        if document.stamp != stamp:
            return
        document.analysed = True
        if outcome is None:
            document.analysis, document.failure = None, (_failure(),)
        else:
            document.analysis, document.seconds = outcome
        self._note_summary(document)
        # The summary may have changed what other files mean for this one: then it is on its way to be analysed again.
        if document.analysed:
            self._publish(document)
            _wake(document)

    # --- the checks over several files

    def _note_summary(self, document: OpenDocument) -> None:
        from rulewright.workspace import summarize

        own = self.project_of(document)
        holding = [
            project for project in self._projects.values() if project is own or document.path in project.summaries
        ]
        found = None if document.analysis is None else summarize(document.analysis.document)
        for project in holding:
            if project.loaded:
                self._summarized(project, {document.path: found})

    def _loaded(self, project: Project, found: dict[str, Summary] | None) -> None:
        from rulewright.workspace import summarize

        project.loaded = True
        project.summaries = found or {}
        for document in self.documents:
            own = self.project_of(document) is project
            if (own or document.path in project.summaries) and document.analysis is not None:
                project.summaries[document.path] = summarize(document.analysis.document)
        self._look_around(project)

    def _summarized(self, project: Project, found: Mapping[str, Summary | None]) -> None:
        changed = {path: summary for path, summary in found.items() if project.summaries.get(path) != summary}
        for path, summary in changed.items():
            if summary is None:
                del project.summaries[path]
            else:
                project.summaries[path] = summary
        if changed:
            self._look_around(project)

    def _look_around(self, project: Project) -> None:
        from rulewright.workspace import workspace_findings

        extras = workspace_findings(project.summaries.values(), project.settings)
        before, project.extras = project.extras, extras
        outdated = [d for d in self.documents if before.get(d.path, []) != extras.get(d.path, [])]
        for document in outdated:
            self.outdate(document)
        if outdated and self._loop is not None:
            self._loop.call_soon(self.idle)

    # --- the second thread

    def warm_up(self) -> None:
        """Load the engine beside the loop, while the client is still busy with the answer to `initialize`."""
        self._in_background(load_engine, lambda _: None)

    def _in_background(self, work: Callable[[], T], then: Callable[[T | None], None]) -> None:
        """Run `work` beside the loop, one after the other, and call `then` in the loop."""
        loop = self._loop = asyncio.get_running_loop()

        def run() -> None:
            outcome = self._fence("analysis", work)
            if not loop.is_closed():
                loop.call_soon_threadsafe(then, outcome)

        if self._jobs is None:
            self._jobs = queue.SimpleQueue()
            # A daemon: an analysis that is still running must not hold up the exit.
            threading.Thread(target=_work, args=(self._jobs,), name="analysis", daemon=True).start()
        self._jobs.put(run)

    async def aside(self, document: OpenDocument, work: Callable[[], T]) -> T | None:
        """Run what costs about as much as an analysis of the document: here if that is quick, else beside the loop."""
        if document.seconds is not None and document.seconds <= INLINE_SECONDS:
            return work()
        answer: asyncio.Future[T | None] = asyncio.get_running_loop().create_future()
        self._in_background(work, lambda outcome: None if answer.done() else answer.set_result(outcome))
        return await answer

    def end(self) -> None:
        """Let the second thread end; the client is gone."""
        if self._jobs is not None:
            self._jobs.put(None)


def _work(jobs: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := jobs.get()) is not None:
        job()


_ENGINE = (
    "rulewright.workspace",
    "rulewright.ide.completion",
    "rulewright.ide.hover",
    "rulewright.ide.code_actions",
    "rulewright.ide.inlay_hints",
    "rulewright.ide.links",
    "rulewright.ide.symbols",
    "rulewright.ide.code_lens",
)
_loading = threading.Lock()
_loaded = False


def load_engine() -> None:
    """Load the engine, once. Never in two threads at a time: modules that import each other would be seen half made."""
    global _loaded
    if _loaded:
        return
    with _loading:
        if _loaded:
            return
        for name in _ENGINE:
            importlib.import_module(name)
        importlib.import_module("rulewright.checks").all_checks()
        # What was loaded stays: the collector need not look at it again.
        gc.collect()
        gc.freeze()
        _loaded = True


def _expected_seconds(document: OpenDocument) -> float:
    return document.size * SECONDS_PER_LINE if document.seconds is None else document.seconds


def _wake(document: OpenDocument) -> None:
    for waiter in document.waiters:
        if not waiter.done():
            waiter.set_result(None)
    document.waiters.clear()


def _analyse(
    path: str, text: str, settings: Settings, extras: list[Finding], outdated: Callable[[], bool] = lambda: False
) -> tuple[Analysis | None, float]:
    """Analyse a text; returns the analysis and the seconds it took.

    Args:
        outdated: asked in between, so that nothing is done for a text that has changed meanwhile.
    """
    from rulewright import analysis, workspace

    before = time.perf_counter()
    if outdated() or workspace.is_excluded(path, settings):
        return None, 0.0
    document = workspace.read_document(path, text, settings)
    if document is None or outdated():
        return None, time.perf_counter() - before
    found = analysis.analyze(document, settings, workspace.facts_of(document), extras)
    return found, time.perf_counter() - before


def _is_of(project: Project, path: str) -> bool:
    """Tell whether a file is or may become one of a project's: it lies in its folder, or holds the user's global Foya rules."""
    from rulewright.formats.foya import global_file

    return path in project.summaries or path.startswith(project.settings.root + os.sep) or path == global_file()


def _failure() -> Finding:
    from rulewright.checking import Finding, Severity, Text
    from rulewright.text.span import Span

    message = Text(
        "this file could not be analysed, by a fault of Rulewright; please report it with the file",
        "由于 Rulewright 自身的错误，无法分析这个文件；请附上文件报告",
    )
    return Finding("internal-error", Span(0, 0), message, Severity.ERROR)


def _summaries(settings: Settings) -> dict[str, Summary]:
    from rulewright.workspace import find_project_files

    found: dict[str, Summary] = {}
    for path in find_project_files(settings):
        summary = _summary(path, settings)
        if summary is not None:
            found[path] = summary
    return found


def _summary(path: str, settings: Settings) -> Summary | None:
    from rulewright.workspace import is_excluded, summarize_path

    return None if is_excluded(path, settings) else summarize_path(path, settings)


def _overridden(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Put the editor's settings over the project's; a value of a wrong type changes nothing."""
    from rulewright.harness import NAMES
    from rulewright.settings import SEVERITY_NAMES

    severity = values.get("severity")
    if isinstance(severity, Mapping):
        good = {str(code): cast("SeverityName", name) for code, name in severity.items() if name in SEVERITY_NAMES}
        settings = replace(settings, severity={**settings.severity, **good})
    exclude, packages = _strings(values.get("exclude")), _strings(values.get("packages"))
    harnesses = _strings(values.get("harnesses"))
    if exclude is not None:
        settings = replace(settings, exclude=exclude)
    if packages is not None:
        settings = replace(settings, packages=packages)
    if harnesses is not None and all(name in NAMES for name in harnesses):
        settings = replace(settings, harnesses=harnesses)
    return settings


def _strings(value: object) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value) else None
