// Which open documents are ours. Part of the gate: small.

import * as vscode from 'vscode';
import { formatOf, HEAD_LINES, type Format } from './files';

/** Returns the format of a document, or undefined where it is none of ours. */
export function format(document: vscode.TextDocument): Format | undefined {
  if (document.uri.scheme !== 'file') {
    return undefined;
  }
  return formatOf(document.uri.path, () => document.getText(new vscode.Range(0, 0, HEAD_LINES, 0)));
}

/** Tells whether a document is for the server. */
export function isOurs(document: vscode.TextDocument): boolean {
  return format(document) !== undefined;
}

/** Tells whether a change can have made a document ours: it is YAML, and the change is where the first key may stand. */
export function mayBecomeOurs(event: vscode.TextDocumentChangeEvent): boolean {
  return (
    /\.ya?ml$/i.test(event.document.uri.path) &&
    event.contentChanges.some((change) => change.range.start.line < HEAD_LINES)
  );
}
