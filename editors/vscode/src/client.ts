// The language client: which texts the server gets, and what happens when it ends.

import { spawn, type ChildProcess } from 'node:child_process';
import * as vscode from 'vscode';
import {
  CloseAction,
  DidOpenTextDocumentNotification,
  ErrorAction,
  LanguageClient,
  State,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';
import type { Server } from './discovery';
import { isOurs, mayBecomeOurs } from './documents';
import { LANGUAGES, PATTERNS } from './files';

export const SECTION = 'rulewright';

/** A client, and how to end its server whatever that is doing: the client itself ends only one that has answered. */
export interface Connection {
  client: LanguageClient;
  kill(): void;
}

/**
 * Returns a client, not started yet. It never starts a server again by itself: whoever is told of its end decides that.
 * `cwd` is a folder that holds nothing to run.
 */
export function createClient(
  server: Server,
  cwd: string,
  env: NodeJS.ProcessEnv,
  channel: vscode.LogOutputChannel,
  ended: () => void,
): Connection {
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
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    initializationFailedHandler: () => false,
    diagnosticPullOptions: { onChange: true, onSave: true },
  };
  let child: ChildProcess | undefined;
  const launch = (): Promise<ChildProcess> =>
    new Promise((done, fail) => {
      const started = (child = spawn(server.path, ['lsp', '--stdio'], { cwd, env, windowsHide: true }));
      started.on('error', fail).once('spawn', () => done(started));
    });
  const client = new Client(SECTION, 'Rulewright', launch, options);
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped) {
      ended();
    }
  });
  return { client, kill: () => child?.kill('SIGKILL') };
}

/** A client that leaves it to whoever starts it to say that the server did not start. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, show: boolean | 'force' = true): void {
    super.error(message, data, this.state === State.Running && show);
  }
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
