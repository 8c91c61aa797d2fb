// Output of the command line in a read-only editor.

import * as vscode from 'vscode';

const SCHEME = 'rulewright-report';

/** The texts that are shown, by title; asking for a title again replaces its text. */
export class Reports implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  async show(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replace(/[\\/]/g, '∕')}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    // Without this a title that ends in `.json` would make it JSON with errors.
    const document = await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(uri), 'plaintext');
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
