// The commands. What they show is what the command line `rulewright` prints.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { SECTION } from './client';
import type { CommandName } from './commandNames';
import type { Server } from './discovery';
import { format } from './documents';
import { installServer } from './install';
import type { App } from './main';
import { runProgram, shown, type Result } from './run';

const LAST_HARNESSES = 'harnesses';

/** Answers one command. */
export async function runCommand(app: App, name: CommandName, words: unknown[]): Promise<unknown> {
  switch (name) {
    case 'rulewright.restart':
      return app.restart();
    case 'rulewright.showOutput':
      return app.channel.show();
    case 'rulewright.installServer':
      return installServer(app);
    case 'rulewright.choosePath':
      return choosePath();
    case 'rulewright.showPlan':
      return showPlan(app, words[0]);
    case 'rulewright.explainEvent':
      return explainEvent(app);
    case 'rulewright.installHook':
      return changeHook(app, 'install');
    case 'rulewright.syncHook':
      return changeHook(app, 'sync');
    case 'rulewright.uninstallHook':
      return changeHook(app, 'uninstall');
    case 'rulewright.doctor':
      return doctor(app);
    case 'rulewright.tryActivity':
      return tryActivity(app, words[0], words[1]);
    case 'rulewright.showRule':
      return showRule(app, words[0], words[1]);
  }
}

async function choosePath(): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('The program rulewright'),
    openLabel: vscode.l10n.t('Use'),
  });
  const file = chosen?.[0]?.fsPath;
  if (file) {
    // The change of the setting restarts the server.
    await vscode.workspace.getConfiguration(SECTION).update('path', file, vscode.ConfigurationTarget.Global);
  }
}

async function showPlan(app: App, where: unknown): Promise<void> {
  const document = await documentOf(where);
  if (!document || format(document) !== 'style') {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a STYLE package first: a plan shows where its rules land.'));
    return;
  }
  if (!(await isSaved(document))) {
    return;
  }
  const harnesses = await chooseHarnesses(app, true);
  if (harnesses?.length) {
    const flags = harnesses.flatMap((name) => ['--harness', name]);
    const title = vscode.l10n.t('Plan of {0}', path.basename(document.uri.fsPath));
    await report(app, title, ['plan', ...flags, document.uri.fsPath], folderOf(document.uri));
  }
}

async function explainEvent(app: App): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const rules = document && format(document) === 'style' ? document : undefined;
  if (rules && !(await isSaved(rules))) {
    return;
  }
  const harness = (await chooseHarnesses(app, false))?.[0];
  if (!harness) {
    return;
  }
  const isEvent = document?.languageId === 'json' && document.uri.scheme === 'file' && !format(document);
  const payload = isEvent ? document.uri : await choosePayload(document);
  if (!payload || (isEvent && !(await isSaved(document)))) {
    return;
  }
  const words = ['explain', '--harness', harness, '--payload', payload.fsPath];
  const title = vscode.l10n.t('Event {0}', path.basename(payload.fsPath));
  await report(app, title, rules ? [...words, '--package', rules.uri.fsPath] : words, folderOf(rules?.uri ?? payload));
}

async function choosePayload(document: vscode.TextDocument | undefined): Promise<vscode.Uri | undefined> {
  const folder = document?.uri.scheme === 'file' ? vscode.Uri.file(path.dirname(document.uri.fsPath)) : undefined;
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('The event as the harness sends it: a JSON file'),
    openLabel: vscode.l10n.t('Explain'),
    filters: { JSON: ['json'] },
    ...(folder ? { defaultUri: folder } : {}),
  });
  return chosen?.[0];
}

async function changeHook(app: App, verb: 'install' | 'sync' | 'uninstall'): Promise<void> {
  const server = isTrusted() ? await app.needServer() : undefined;
  if (!server) {
    return;
  }
  const harnesses = verb === 'sync' ? [] : await chooseHarnesses(app, true);
  if (!harnesses || (verb !== 'sync' && !harnesses.length)) {
    return;
  }
  const cwd = folderOf(vscode.window.activeTextEditor?.document.uri);
  if (!cwd) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a folder first: a hook belongs to a project.'));
    return;
  }
  const words = [...language(), verb, ...(harnesses.length ? ['--harness', ...harnesses] : [])];
  const run = vscode.l10n.t('Run');
  const preview = vscode.l10n.t('Show Changes First');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('Run this command in {0}?', cwd),
    { modal: true, detail: shown('rulewright', words) },
    run,
    preview,
  );
  if (chosen === preview) {
    await report(app, vscode.l10n.t('Changes of {0}', verb), [...words.slice(language().length), '--dry-run'], cwd);
  } else if (chosen === run) {
    await runInTerminal(server, words, cwd);
  }
}

/** Runs the command line in a terminal that stays open. No shell is in between. */
async function runInTerminal(server: Server, words: string[], cwd: string): Promise<void> {
  const task = new vscode.Task(
    { type: 'process' },
    vscode.TaskScope.Workspace,
    shown('rulewright', words),
    'Rulewright',
    new vscode.ProcessExecution(server.path, words, { cwd }),
    [],
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Shared, clear: true };
  await vscode.tasks.executeTask(task);
}

async function doctor(app: App): Promise<void> {
  if (isTrusted()) {
    await report(app, vscode.l10n.t('Doctor'), ['doctor'], folderOf(vscode.window.activeTextEditor?.document.uri));
  }
}

async function tryActivity(app: App, where: unknown, rule: unknown): Promise<void> {
  const uri = uriOf(where) ?? vscode.window.activeTextEditor?.document.uri;
  const activity = await vscode.window.showInputBox({
    title: typeof rule === 'string' ? vscode.l10n.t('Would the rule {0} wake?', rule) : vscode.l10n.t('Which rules would wake?'),
    prompt: vscode.l10n.t('What a person asks for, with the tools and paths that follow'),
    ignoreFocusOut: true,
  });
  if (activity) {
    await report(app, vscode.l10n.t('Rules for an activity'), ['rule', 'match', '--', activity], folderOf(uri));
  }
}

/** Shows a Foya rule as the model gets it. */
async function showRule(app: App, where: unknown, rule: unknown): Promise<void> {
  const document = await documentOf(where);
  if (document && typeof rule === 'string' && (await isSaved(document))) {
    await report(app, vscode.l10n.t('Rule {0}', rule), ['rule', 'show', '--', rule], folderOf(document.uri));
  }
}

/** Shows what the command line prints, in an editor beside this one. */
async function report(app: App, title: string, words: string[], cwd: string | undefined): Promise<void> {
  const result = await cli(app, words, cwd, title);
  if (result) {
    await app.reports.show(title, [result.stdout.trimEnd(), result.stderr.trimEnd()].filter(Boolean).join('\n\n') + '\n');
  }
}

/** Runs the command line; says so, and returns undefined, where there is none. */
async function cli(app: App, words: string[], cwd: string | undefined, title: string): Promise<Result | undefined> {
  const server = await app.needServer();
  if (!server) {
    return undefined;
  }
  const full = [...language(), ...words];
  app.channel.info(`$ ${shown(server.path, full)}`);
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    runProgram(server.path, full, cwd ?? app.context.globalStorageUri.fsPath, app.environment),
  );
}

/** Lets the user choose among the harnesses that the installed version knows. */
async function chooseHarnesses(app: App, many: boolean): Promise<string[] | undefined> {
  const result = await cli(app, ['schema', 'config'], undefined, vscode.l10n.t('Rulewright'));
  if (!result) {
    return undefined;
  }
  const names = harnessesOf(result.stdout);
  if (!names.length) {
    const typed = await vscode.window.showInputBox({ title: vscode.l10n.t('For which harness?'), ignoreFocusOut: true });
    return typed?.split(/[\s,]+/).filter(Boolean);
  }
  const set = vscode.workspace.getConfiguration(SECTION).get<string[] | null>('harnesses', null);
  const last = app.context.workspaceState.get<string[]>(LAST_HARNESSES) ?? set ?? [];
  const options = { title: vscode.l10n.t('For which harness?'), ignoreFocusOut: true };
  const items = names.map((label) => ({ label, picked: last.includes(label) }));
  const chosen = many
    ? (await vscode.window.showQuickPick(items, { ...options, canPickMany: true }))?.map((item) => item.label)
    : await vscode.window.showQuickPick(items, options).then((item) => item && [item.label]);
  if (chosen?.length) {
    await app.context.workspaceState.update(LAST_HARNESSES, chosen);
  }
  return chosen;
}

/** Returns the harnesses that the schema of the settings lists. */
function harnessesOf(schema: string): string[] {
  try {
    const names: unknown = JSON.parse(schema)?.properties?.harnesses?.items?.enum;
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** The language of messages, for the command line: the setting, else that of the window. */
function language(): string[] {
  const set = vscode.workspace.getConfiguration(SECTION).get<string>('lang', '');
  return ['--lang', set || (vscode.env.language.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en')];
}

/** Offers to save a document; tells whether what is on disk is what is on the screen. */
async function isSaved(document: vscode.TextDocument): Promise<boolean> {
  if (!document.isDirty) {
    return true;
  }
  const save = vscode.l10n.t('Save');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('{0} has changes that are not saved; this reads the file on disk.', path.basename(document.uri.fsPath)),
    save,
  );
  return chosen === save && (await document.save());
}

function isTrusted(): boolean {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This folder is not trusted, so Rulewright only reads its files. Trust it to change or start its hooks.'),
    );
  }
  return vscode.workspace.isTrusted;
}

/** Reads the argument of a code lens: a URI or a path. */
function uriOf(where: unknown): vscode.Uri | undefined {
  if (where instanceof vscode.Uri) {
    return where;
  }
  if (typeof where !== 'string' || !where) {
    return undefined;
  }
  return path.isAbsolute(where) ? vscode.Uri.file(where) : vscode.Uri.parse(where);
}

async function documentOf(where: unknown): Promise<vscode.TextDocument | undefined> {
  const uri = uriOf(where);
  return uri ? vscode.workspace.openTextDocument(uri) : vscode.window.activeTextEditor?.document;
}

/** The folder in which a command is run: that of the file, else the first of the workspace. */
function folderOf(uri: vscode.Uri | undefined): string | undefined {
  return uri?.scheme === 'file' ? path.dirname(uri.fsPath) : vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}
