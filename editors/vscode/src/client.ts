// The language client: which texts the server gets, and what happens when it ends.

import * as vscode from 'vscode';
import {
  CloseAction,
  DidOpenTextDocumentNotification,
  ErrorAction,
  LanguageClient,
  TransportKind,
  type CloseHandlerResult,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';
import { cleanEnvironment, type Server } from './discovery';
import { isOurs, mayBecomeOurs } from './documents';
import { LANGUAGES, PATTERNS } from './files';

export const SECTION = 'rulewright';

/** So many ends of the server in so long, and it is not started again unasked. */
const MAX_RESTARTS = 4;
const RESTART_WINDOW_MS = 3 * 60_000;

/** What the owner of a client is told. */
export interface Watcher {
  restarted(): void;
  gaveUp(): void;
}

/** Returns a client, not started yet. `cwd` is a folder that holds nothing to run. */
export function createClient(
  server: Server,
  cwd: string,
  channel: vscode.LogOutputChannel,
  watcher: Watcher,
): LanguageClient {
  const gate = new Gate();
  const options: LanguageClientOptions = {
    documentSelector: [
      ...LANGUAGES.map((language) => ({ scheme: 'file', language })),
      ...PATTERNS.map((pattern) => ({ scheme: 'file', pattern })),
    ],
    outputChannel: channel,
    synchronize: { configurationSection: SECTION },
    initializationOptions: settings(),
    middleware: gate.middleware(() => client),
    errorHandler: new Restarter(watcher),
    initializationFailedHandler: () => false,
    diagnosticPullOptions: { onChange: true, onSave: true },
  };
  const client = new LanguageClient(
    SECTION,
    'Rulewright',
    {
      command: server.path,
      args: ['lsp', '--stdio'],
      options: { cwd, env: cleanEnvironment(process.env) },
      transport: TransportKind.stdio,
    },
    options,
  );
  return client;
}

/** Returns our settings as the server reads them. */
function settings(): Record<string, unknown> {
  return JSON.parse(JSON.stringify(vscode.workspace.getConfiguration(SECTION))) as Record<string, unknown>;
}

/** The requests about one document; each is answered with nothing where the document is not ours. */
const REQUESTS = [
  'provideHover',
  'provideCompletionItem',
  'provideCodeActions',
  'provideDocumentSymbols',
  'provideFoldingRanges',
  'provideInlayHints',
  'provideCodeLenses',
  'prepareRename',
  'provideRenameEdits',
  'provideDefinition',
  'provideReferences',
  'provideDocumentHighlights',
  'provideSelectionRanges',
  'provideDocumentLinks',
  'provideDocumentSemanticTokens',
  'provideDocumentSemanticTokensEdits',
  'provideDocumentRangeSemanticTokens',
  'provideDocumentFormattingEdits',
  'provideDocumentRangeFormattingEdits',
] as const;

/** Keeps from the server what is not ours: the selector has whole languages, since a text may be ours by its content. */
class Gate {
  private readonly sent = new Set<string>();

  middleware(client: () => LanguageClient): Middleware {
    const isSent = (document: vscode.TextDocument): boolean => this.sent.has(document.uri.toString());
    const sendLate = async (document: vscode.TextDocument): Promise<void> => {
      await client().getFeature(DidOpenTextDocumentNotification.method).getProvider(document)?.send(document);
    };
    const middleware: Middleware = {
      didOpen: async (document, next) => {
        if (isOurs(document)) {
          this.sent.add(document.uri.toString());
          await next(document);
        }
      },
      didChange: async (event, next) => {
        if (isSent(event.document)) {
          await next(event);
        } else if (mayBecomeOurs(event) && isOurs(event.document)) {
          await sendLate(event.document);
        }
      },
      didSave: async (document, next) => {
        if (isSent(document)) {
          await next(document);
        } else if (isOurs(document)) {
          await sendLate(document);
        }
      },
      didClose: async (document, next) => {
        if (this.sent.delete(document.uri.toString())) {
          await next(document);
        }
      },
      provideDiagnostics: (document, previous, token, next) => {
        const uri = 'uri' in document ? document.uri : document;
        return this.sent.has(uri.toString()) ? next(document, previous, token) : { kind: 'full', items: [] } as never;
      },
    };
    type Request = (document: vscode.TextDocument, ...rest: unknown[]) => unknown;
    for (const name of REQUESTS) {
      const request: Request = (document, ...rest) => {
        const next = rest.pop() as Request;
        return isSent(document) ? next(document, ...rest) : undefined;
      };
      (middleware as Record<string, unknown>)[name] = request;
    }
    return middleware;
  }
}

/** Starts a server that ended again, a few times. */
class Restarter {
  private ends: number[] = [];

  constructor(private readonly watcher: Watcher) {}

  error(): { action: ErrorAction; handled: boolean } {
    return { action: ErrorAction.Continue, handled: true };
  }

  closed(): CloseHandlerResult {
    const now = Date.now();
    this.ends = [...this.ends.filter((end) => now - end < RESTART_WINDOW_MS), now];
    if (this.ends.length > MAX_RESTARTS) {
      this.watcher.gaveUp();
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.watcher.restarted();
    return { action: CloseAction.Restart, handled: true };
  }
}
