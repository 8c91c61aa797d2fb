// Installs the server, after the command was shown and chosen. The only part that leads to the network.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { SECTION } from './client';
import { environmentFolder, findProgram, findPython, mayStart, MINIMUM_PYTHON, SCRIPTS, type Places } from './discovery';
import type { App } from './main';
import { runProgram, shown } from './run';

type Step = [string, string[]];

interface Way {
  label: string;
  steps(wanted: string): Step[];
}

/** Offers the ways that there are here, runs the one that is chosen, and starts the server. */
export async function installServer(app: App): Promise<void> {
  const places = await app.places();
  const found = await findWays(places);
  if (!found.length) {
    await vscode.window.showErrorMessage(
      vscode.l10n.t('Nothing here can install Rulewright: install Python {0} or newer, uv or pipx first.', MINIMUM_PYTHON.join('.')),
    );
    return;
  }
  const wanted = vscode.workspace.getConfiguration(SECTION).get<string>('packageSpec', '').trim() || (await chooseClone());
  if (!wanted) {
    return;
  }
  if (path.isAbsolute(wanted) && !mayStart(wanted, places)) {
    await vscode.window.showErrorMessage(
      vscode.l10n.t('{0} lies in a folder that is not trusted, so nothing of it is installed.', wanted),
    );
    return;
  }
  const items = found.map((way) => {
    const steps = way.steps(wanted);
    return { label: way.label, detail: steps.map(([file, words]) => shown(file, words)).join('  &&  '), steps };
  });
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
    (_, token) => runSteps(app, chosen.steps, places.storage, token),
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

/** Asks for what is installed where no setting says it: no package index has Rulewright, and its name there may be anybody's. */
async function chooseClone(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('The folder of the repository of Rulewright, to install from'),
    openLabel: vscode.l10n.t('Choose'),
    canSelectFolders: true,
    canSelectFiles: false,
  });
  return chosen?.[0]?.fsPath;
}

async function findWays(places: Places): Promise<Way[]> {
  const [uv, pipx, python] = [findProgram('uv', places), findProgram('pipx', places), await findPython(places)];
  const found: Way[] = [];
  if (uv) {
    found.push({ label: 'uv', steps: (wanted) => [[uv, ['tool', 'install', '--upgrade', wanted]]] });
  }
  if (pipx) {
    found.push({ label: 'pipx', steps: (wanted) => [[pipx, ['install', '--force', wanted]]] });
  }
  if (python?.isNewEnough) {
    const folder = environmentFolder(places.storage);
    const inside = path.join(folder, SCRIPTS, process.platform === 'win32' ? 'python.exe' : 'python');
    found.push({
      label: vscode.l10n.t('An environment that only this extension uses'),
      steps: (wanted) => [
        [python.path, ['-I', '-m', 'venv', '--clear', folder]],
        [inside, ['-I', '-m', 'pip', 'install', '--upgrade', wanted]],
      ],
    });
  }
  return found;
}

/** Runs the steps; returns undefined when all went well, else why not. */
async function runSteps(app: App, steps: Step[], cwd: string, token: vscode.CancellationToken): Promise<string | undefined> {
  for (const [file, words] of steps) {
    app.channel.info(`$ ${shown(file, words)}`);
    const result = await runProgram(file, words, cwd, app.environment, token, (text) => app.channel.info(text.trimEnd()));
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
