// What VS Code loads for every YAML, Markdown and JSON file: it waits for a text of ours, and only then loads the rest.

import * as vscode from 'vscode';
import { COMMANDS } from './commandNames';
import { isOurs, mayBecomeOurs } from './documents';

type Main = typeof import('./main');
type Running = ReturnType<Main['start']>;

let running: Running | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const start = (): Running => {
    if (!running) {
      for (const listener of waiting) {
        listener.dispose();
      }
      running = (require('./main') as Main).start(context);
    }
    return running;
  };
  const look = (document: vscode.TextDocument): void => {
    if (!running && isOurs(document)) {
      start();
    }
  };
  const waiting = [
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidSaveTextDocument(look),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (mayBecomeOurs(event)) {
        look(event.document);
      }
    }),
  ];
  context.subscriptions.push(...waiting);
  for (const name of COMMANDS) {
    context.subscriptions.push(
      vscode.commands.registerCommand(name, (...words: unknown[]) => start().run(name, words)),
    );
  }
  vscode.workspace.textDocuments.forEach(look);
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}
