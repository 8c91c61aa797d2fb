// Installs the server, after the command was shown and chosen. The only part that leads to the network.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { SECTION } from './client';
import { environmentFolder, findProgram, findPython, MINIMUM_PYTHON, SCRIPTS, type Places } from './discovery';
import type { App } from './main';
import { runProgram, shown } from './run';

interface Way {
  label: string;
  steps: [string, string[]][];
}

/** Offers the ways that there are here, runs the one that is chosen, and starts the server. */
export async function installServer(app: App): Promise<void> {
  const places = await app.places();
  const found = await ways(places);
  if (!found.length) {
    await vscode.window.showErrorMessage(
      vscode.l10n.t('Nothing here can install Rulewright: install Python {0} or newer, uv or pipx first.', MINIMUM_PYTHON.join('.')),
    );
    return;
  }
  const items = found.map((way) => ({
    label: way.label,
    detail: way.steps.map(([file, words]) => shown(file, words)).join('  &&  '),
    way,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Install Rulewright'),
    placeHolder: vscode.l10n.t('The command that you choose is run as it stands here'),
    ignoreFocusOut: true,
  });
  if (!chosen) {
    return;
  }
  const failure = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Installing Rulewright'), cancellable: true },
    (_, token) => runSteps(app, chosen.way, places.storage, token),
  );
  if (failure === undefined) {
    await app.restart();
    return;
  }
  const show = vscode.l10n.t('Show Output');
  if ((await vscode.window.showErrorMessage(vscode.l10n.t('Rulewright was not installed: {0}', failure), show)) === show) {
    app.channel.show();
  }
}

async function ways(places: Places): Promise<Way[]> {
  const wanted = vscode.workspace.getConfiguration(SECTION).get<string>('packageSpec', '').trim() || 'rulewright';
  const [uv, pipx, python] = [findProgram('uv', places), findProgram('pipx', places), await findPython(places)];
  const found: Way[] = [];
  if (uv) {
    found.push({ label: 'uv', steps: [[uv, ['tool', 'install', '--upgrade', wanted]]] });
  }
  if (pipx) {
    found.push({ label: 'pipx', steps: [[pipx, ['install', '--force', wanted]]] });
  }
  if (python?.isNewEnough) {
    const folder = environmentFolder(places.storage);
    const inside = path.join(folder, SCRIPTS, process.platform === 'win32' ? 'python.exe' : 'python');
    found.push({
      label: vscode.l10n.t('An environment that only this extension uses'),
      steps: [
        [python.path, ['-I', '-m', 'venv', '--clear', folder]],
        [inside, ['-I', '-m', 'pip', 'install', '--upgrade', wanted]],
      ],
    });
  }
  return found;
}

/** Runs the steps; returns undefined when all went well, else why not. */
async function runSteps(app: App, way: Way, cwd: string, token: vscode.CancellationToken): Promise<string | undefined> {
  for (const [file, words] of way.steps) {
    app.channel.info(`$ ${shown(file, words)}`);
    const result = await runProgram(file, words, cwd, token, (text) => app.channel.info(text.trimEnd()));
    if (token.isCancellationRequested) {
      return vscode.l10n.t('it was cancelled');
    }
    if (result.code !== 0) {
      const lines = result.stderr.trim().split('\n');
      return lines.at(-1)?.trim() || vscode.l10n.t('exit code {0}', result.code);
    }
  }
  return undefined;
}
