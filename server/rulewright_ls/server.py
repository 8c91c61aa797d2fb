"""The language server: what it can do, which handler does it, and how it is started. The only place that knows pygls.

The one fence around requests is here: a fault of ours is logged and answered with an error; the server goes on.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from rulewright import __version__
from rulewright.text.language import Lang, language_of
from rulewright_ls import convert, transport, websocket
from rulewright_ls.documents import OpenDocument
from rulewright_ls.handlers import (
    code_actions,
    code_lens,
    completion,
    diagnostics,
    documents,
    folding,
    hover,
    inlay_hints,
    links,
    rename,
    semantic_tokens,
    symbols,
)
from rulewright_ls.session import Client, Session

log = logging.getLogger(__name__)
T = TypeVar("T")

SECTION = "rulewright"
"""The name of our section in the settings of an editor."""

# Error codes (JSON-RPC 2.0 and LSP 3.17).
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
NOT_INITIALIZED = -32002

SWITCH_SECONDS = 0.001
"""How long a busy thread may keep the interpreter from the loop. With Python's 0.005 a message beside a running analysis took 27 to
37 ms (three changes of thread each)."""

# Texts that pygls would keep and change by its own idea of lines, at 14 ms a change in a large text: we keep our own.
# And what ends the server: ours also ends when an analysis is still running.
_NOT_PYGLS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.EXIT,
)

_WATCHED = (
    "**/rulewright.toml",
    "**/pyproject.toml",
    "**/*.style.{yaml,yml}",
    "**/style.yaml",
    "**/.style/**/*.{yaml,yml}",
    "**/.foya/rules/**/*.{md,MD}",
    "**/hook-chains.json",
)

LEGEND = types.SemanticTokensLegend(
    token_types=list(semantic_tokens.TOKEN_TYPES), token_modifiers=list(semantic_tokens.MODIFIERS)
)

_REQUESTS: tuple[tuple[str, Callable[[Session, Any], Any], object], ...] = (
    (types.TEXT_DOCUMENT_HOVER, hover.hover, None),
    (
        types.TEXT_DOCUMENT_COMPLETION,
        completion.complete,
        types.CompletionOptions(trigger_characters=list(completion.TRIGGERS)),
    ),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        code_actions.code_actions,
        types.CodeActionOptions(code_action_kinds=list(code_actions.KINDS)),
    ),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, symbols.symbols, None),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, folding.folding, None),
    (types.TEXT_DOCUMENT_INLAY_HINT, inlay_hints.inlay_hints, types.InlayHintOptions(resolve_provider=False)),
    (types.TEXT_DOCUMENT_CODE_LENS, code_lens.code_lenses, types.CodeLensOptions()),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, rename.prepare, None),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens.full, LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens.in_range, LEGEND),
    (types.TEXT_DOCUMENT_RENAME, rename.rename, types.RenameOptions(prepare_provider=True)),
    (types.TEXT_DOCUMENT_DEFINITION, links.definition, None),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, links.document_links, types.DocumentLinkOptions()),
)


class RulewrightServer:
    """One client's server: pygls for the protocol, a session for the state.

    Args:
        lang: the language where the client names none.
    """

    def __init__(self, lang: Lang = "en") -> None:
        self.language_server = LanguageServer(
            "rulewright", __version__, protocol_cls=LanguageServerProtocol, converter_factory=default_converter
        )
        self.protocol: LanguageServerProtocol = self.language_server.protocol
        self.session = Session(self.publish, self.complain, self.fence)
        self.session.client = Client(locale=lang)
        self.inbox = transport.Inbox(self.receive, self.idle)
        self.exited = False
        self._initialized = False
        self._shut_down = False
        for method in _NOT_PYGLS:
            self.protocol.fm.builtin_features.pop(method, None)
        self._register()

    # --- what there is

    def _register(self) -> None:
        for method, handler, options in _REQUESTS:
            self._request(method, handler, options)
        self._notification(types.INITIALIZE, self.initialize)
        self._notification(types.INITIALIZED, self.initialized)
        self._notification(types.SHUTDOWN, self.shut_down)
        self._notification(types.EXIT, self.exit)
        self._notification(types.TEXT_DOCUMENT_DID_OPEN, lambda params: documents.did_open(self.session, params))
        self._notification(types.TEXT_DOCUMENT_DID_CHANGE, lambda params: documents.did_change(self.session, params))
        self._notification(types.TEXT_DOCUMENT_DID_SAVE, self.did_save, types.SaveOptions(include_text=False))
        self._notification(types.TEXT_DOCUMENT_DID_CLOSE, self.did_close)
        self._notification(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self.did_change_watched_files)
        self._notification(types.WORKSPACE_DID_CHANGE_CONFIGURATION, self.did_change_configuration)
        self._notification(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self.did_change_folders)

    def _request(self, method: str, handler: Callable[[Session, Any], Any], options: object = None) -> None:
        if asyncio.iscoroutinefunction(handler):

            async def answer_later(params: Any) -> Any:
                try:
                    return await handler(self.session, params)
                except JsonRpcException:
                    raise  # What the handler has to say to the client is no fault of ours.
                except Exception as error:
                    raise self._fault(method, error) from None

            self.language_server.feature(method, options)(answer_later)
        else:

            def answer(params: Any) -> Any:
                try:
                    return handler(self.session, params)
                except JsonRpcException:
                    raise
                except Exception as error:
                    raise self._fault(method, error) from None

            self.language_server.feature(method, options)(answer)

    def _notification(self, method: str, handler: Callable[[Any], Any], options: object = None) -> None:
        def take(params: Any = None) -> None:
            self.fence(method, lambda: handler(params))

        self.language_server.feature(method, options)(take)

    def _fault(self, what: str, error: Exception) -> JsonRpcException:
        log.error("%s failed", what, exc_info=error)
        return JsonRpcInternalError(message=f"{what} failed: {type(error).__name__}")

    def fence(self, what: str, work: Callable[[], T]) -> T | None:
        """Call `work` and return its result; log a fault and return None."""
        try:
            return work()
        except Exception as error:
            self._fault(what, error)
            return None

    # --- messages

    def receive(self, body: bytes) -> None:
        """Handle one message."""
        try:
            message = json.loads(body, object_hook=self.protocol.structure_message)
        except (ValueError, RecursionError, JsonRpcException) as error:
            self._refuse(body, error)
            return
        method = getattr(message, "method", None)
        if not hasattr(message, "jsonrpc"):
            self._answer_error(None, INVALID_REQUEST, "not a JSON-RPC 2.0 message")
            return
        if method is not None and (self._shut_down or not self._initialized) and method != types.EXIT:
            if self._shut_down or method != types.INITIALIZE:
                request = getattr(message, "id", None)
                if request is not None:
                    code, text = (
                        (INVALID_REQUEST, "shut down") if self._shut_down else (NOT_INITIALIZED, "not initialized")
                    )
                    self._answer_error(request, code, text)
                return
            self._initialized = True
        elif method == types.INITIALIZE:
            self._answer_error(message.id, INVALID_REQUEST, "initialized already")
            return
        self.fence("message", lambda: self.protocol.handle_message(message))

    def _refuse(self, body: bytes, error: Exception) -> None:
        """Answer what could not be read: a request never stays without an answer."""
        try:
            raw = json.loads(body)
        except (ValueError, RecursionError):
            self._answer_error(None, PARSE_ERROR, "not JSON")
            return
        log.warning("a message could not be read: %s", error)
        if isinstance(raw, dict) and "method" in raw and isinstance(raw.get("id"), int | str):
            code = error.code if isinstance(error, JsonRpcException) and error.code is not None else INVALID_REQUEST
            self._answer_error(raw["id"], code, f"the parameters of {raw['method']} cannot be read")

    def _answer_error(self, request: int | str | None, code: int, text: str) -> None:
        self.send({"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": text}})

    def send(self, message: convert.Json) -> None:
        """Send a message that is ready."""
        if self.protocol.writer is not None:
            self.protocol._send_data(message)

    def notify(self, method: str, params: convert.Json) -> None:
        """Send a notification of plain data."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def idle(self) -> None:
        """No message is waiting."""
        self.fence("analysis", self.session.idle)

    # --- from the session

    def publish(self, document: OpenDocument) -> None:
        """Push the findings of a document, unless the client pulls them."""
        if self.session.client.pull or (document.analysis is None and not document.failure and not document.published):
            return
        document.published = True
        self.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, diagnostics.published(self.session, document))

    def complain(self, text: str) -> None:
        """Show the user what is wrong in the surroundings."""
        self.notify(types.WINDOW_SHOW_MESSAGE, {"type": int(types.MessageType.Warning), "message": text})

    def refresh(self) -> None:
        """Have a client ask again for what it asks for itself."""
        if self.session.client.pull and self._can("workspace.diagnostics.refresh_support"):
            self.language_server.workspace_diagnostic_refresh(None)
        if self._can("workspace.inlay_hint.refresh_support"):
            self.language_server.workspace_inlay_hint_refresh(None)

    def _can(self, capability: str) -> bool:
        return bool(get_capability(self.language_server.client_capabilities, capability))

    # --- life cycle

    def initialize(self, params: types.InitializeParams) -> None:
        """Take what the client says of itself, before pygls answers with what we can do."""
        capabilities = params.capabilities
        client = self.session.client

        def can(name: str) -> bool:
            return bool(get_capability(capabilities, name))

        encoding = self.protocol.workspace.position_encoding
        client.unit = convert.unit_of(encoding)
        if params.locale:
            client.locale = language_of(params.locale)
        client.pull = get_capability(capabilities, "text_document.diagnostic") is not None
        client.snippets = can("text_document.completion.completion_item.snippet_support")
        modes = get_capability(capabilities, "text_document.completion.completion_item.insert_text_mode_support")
        client.adjusts_indentation = modes is not None and types.InsertTextMode.AdjustIndentation in modes.value_set
        client.versioned_edits = can("workspace.workspace_edit.document_changes")
        self._folders(params)
        self.session.override(
            params.initialization_options if isinstance(params.initialization_options, Mapping) else None
        )
        if client.pull:
            self._request(
                types.TEXT_DOCUMENT_DIAGNOSTIC,
                diagnostics.pull,
                types.DiagnosticOptions(
                    inter_file_dependencies=True, workspace_diagnostics=False, identifier="rulewright"
                ),
            )

    def _folders(self, params: types.InitializeParams) -> None:
        uris = [folder.uri for folder in params.workspace_folders or ()] or (
            [params.root_uri] if params.root_uri else []
        )
        self.session.client.roots = tuple(self.session.path_of(uri) for uri in uris)

    def initialized(self, _: object) -> None:
        """The client is ready: load the engine, ask for file events and settings where the client has them."""
        self.session.warm_up()
        if self._can("workspace.did_change_watched_files.dynamic_registration"):
            watchers = [types.FileSystemWatcher(glob_pattern=glob) for glob in _WATCHED]
            registration = types.Registration(
                id="rulewright.files",
                method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
            )
            self.language_server.client_register_capability(types.RegistrationParams(registrations=[registration]))
        if self._can("workspace.configuration"):
            self._ask_for_settings()

    def _ask_for_settings(self) -> None:
        params = types.ConfigurationParams(items=[types.ConfigurationItem(section=SECTION)])

        def take(values: Any) -> None:
            self.fence("settings", lambda: self._take_settings(values[0] if values else None))

        self.language_server.workspace_configuration(params, callback=take)

    def _take_settings(self, values: object) -> None:
        plain = _plain(values)
        if isinstance(plain, Mapping) and plain and plain != self.session.client.overrides:
            self.session.override(plain)
            self._reload()

    def _reload(self) -> None:
        self.session.reload()
        self.refresh()
        self.idle()

    def shut_down(self, _: object) -> None:
        """Answer at once; a running analysis is left behind."""
        self._shut_down = True

    def exit(self, _: object) -> None:
        """End."""
        self.exited = True
        self.inbox.end()

    @property
    def exit_code(self) -> int:
        """0 after `shutdown`, else 1 (LSP 3.17, exit)."""
        return 0 if self._shut_down else 1

    # --- notifications that are more than one call

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Take the findings of a closed text back."""
        document = documents.did_close(self.session, params)
        if document is not None and document.published:
            self.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, {"uri": document.uri, "diagnostics": []})

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Settings may have changed, or files that a rule file names."""
        documents.did_save(self.session, params)
        self.refresh()

    def did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Files changed outside the editor."""
        documents.did_change_watched_files(self.session, params)
        self.refresh()

    def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """Take the new settings; ask for them where the client only says that there are some."""
        values = _plain(params.settings)
        section = values.get(SECTION, values) if isinstance(values, Mapping) else None
        if isinstance(section, Mapping) and section:
            self.session.override(section)
        elif self._can("workspace.configuration"):
            self._ask_for_settings()
        self._reload()

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Remember the folders; projects are found from the files that are open."""
        gone = {self.session.path_of(folder.uri) for folder in params.event.removed}
        added = tuple(self.session.path_of(folder.uri) for folder in params.event.added)
        self.session.client.roots = tuple(root for root in self.session.client.roots if root not in gone) + added


def _plain(value: Any) -> Any:
    """Turn what pygls made of untyped JSON (named tuples) back into plain data."""
    if hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


# --- starting


def serve_stdio(lang: Lang = "en") -> int:
    """Serve one client over stdin and stdout; returns the exit code when the client is done or gone.

    Whatever else the process prints goes to stderr: a stray line would break the protocol.
    """
    _prepare()
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    stream = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115  # lives as long as the process

    async def run() -> int:
        server = RulewrightServer(lang)
        server.protocol.set_writer(_Output(output))
        transport.read_in_thread(stream, server.inbox)
        await server.inbox.done()
        return server.exit_code

    return asyncio.run(run())


class _Output:
    """Writes to a file descriptor until everything is written."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._stream.write(view) :]

    def close(self) -> None:
        self._stream.close()


def serve_tcp(host: str, port: int, lang: Lang = "en", ready: Callable[[str], None] | None = None) -> None:
    """Serve clients that connect, each with a session of its own, until the process is stopped.

    Args:
        port: 0 lets the system choose. ready: called with the address once it is open.

    Raises:
        OSError: the address cannot be used.
    """
    _prepare()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = RulewrightServer(lang)
        server.protocol.set_writer(writer)
        await _converse(server, transport.read_stream(reader, server.inbox), writer)

    asyncio.run(_listen(connected, host, port, ready))


def serve_ws(host: str, port: int, lang: Lang = "en", ready: Callable[[str], None] | None = None) -> None:
    """Serve clients that connect by WebSocket, one message a frame; else as `serve_tcp`."""
    _prepare()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await websocket.accept(reader, writer):
            server = RulewrightServer(lang)
            server.protocol.set_writer(websocket.Output(writer), include_headers=False)
            await _converse(server, websocket.read(reader, writer, server.inbox), writer)
        else:
            writer.close()

    asyncio.run(_listen(connected, host, port, ready))


async def _converse(server: RulewrightServer, reading: Any, writer: asyncio.StreamWriter) -> None:
    task = asyncio.ensure_future(reading)
    await server.inbox.done()
    server.session.end()
    task.cancel()
    writer.close()


async def _listen(
    connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any],
    host: str,
    port: int,
    ready: Callable[[str], None] | None,
) -> None:
    listener = await asyncio.start_server(connected, host, port)
    if ready is not None:
        address = listener.sockets[0].getsockname()
        ready(f"{address[0]}:{address[1]}")
    async with listener:
        await listener.serve_forever()


def _prepare() -> None:
    # The collector runs when there is time (`Session.idle`), not in the middle of an answer.
    gc.disable()
    sys.setswitchinterval(SWITCH_SECONDS)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    # What pygls has to say is said here: faults by the fence, unreadable messages by `_refuse`, each once and in a line.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
