// The item beside the language in the status bar.

import * as vscode from 'vscode';
import type { Server } from './discovery';
import { isOurs, mayBecomeOurs } from './documents';
import { LANGUAGES, PATTERNS } from './files';

type Condition = 'starting' | 'running' | 'missing' | 'stopped';

/** Shows how the server is doing, on texts of ours only. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem('rulewright.server', selector());
  private readonly listeners = [
    vscode.window.onDidChangeActiveTextEditor(() => this.look()),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (mayBecomeOurs(event)) {
        this.look();
      }
    }),
  ];

  constructor() {
    this.item.name = 'Rulewright';
  }

  show(condition: Condition, server?: Server): void {
    this.item.busy = condition === 'starting';
    this.item.severity =
      condition === 'missing' || condition === 'stopped'
        ? vscode.LanguageStatusSeverity.Error
        : vscode.LanguageStatusSeverity.Information;
    this.item.text = server ? `Rulewright ${server.version}` : 'Rulewright';
    this.item.detail = { starting: vscode.l10n.t('starting'), running: server?.path ?? '', missing: vscode.l10n.t('not installed'), stopped: vscode.l10n.t('stopped') }[condition];
    this.item.command =
      condition === 'missing'
        ? { title: vscode.l10n.t('Install…'), command: 'rulewright.installServer' }
        : { title: vscode.l10n.t('Restart'), command: 'rulewright.restart' };
  }

  /** Looks anew which texts are ours: one can become it while it is written. */
  private look(): void {
    const found = selector();
    if (JSON.stringify(found) !== JSON.stringify(this.item.selector)) {
      this.item.selector = found;
    }
  }

  dispose(): void {
    this.listeners.forEach((listener) => listener.dispose());
    this.item.dispose();
  }
}

/** The files that are ours by name, and the languages of the active text where that is ours by its content. */
function selector(): vscode.DocumentSelector {
  const document = vscode.window.activeTextEditor?.document;
  const byContent = document && isOurs(document) && LANGUAGES.includes(document.languageId);
  return [
    ...PATTERNS.map((pattern) => ({ scheme: 'file', pattern })),
    ...(byContent ? [{ scheme: 'file', language: document.languageId }] : []),
  ];
}
