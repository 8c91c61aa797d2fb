// Everything behind the gate of extension.ts: finds the server, keeps a client running, answers commands.

import * as fs from 'node:fs';
import * as vscode from 'vscode';
import { State } from 'vscode-languageclient/node';
import { createClient, SECTION, type Connection } from './client';
import type { CommandName } from './commandNames';
import { runCommand } from './commands';
import { cleanEnvironment, findPython, findServer, MINIMUM, MINIMUM_PYTHON, type Missing, type Places, type Server } from './discovery';
import { installServer } from './install';
import { onPythonChange, pythonOf } from './python';
import { Reports } from './reports';
import { Status } from './status';

/** After more ends than this in so long the server is not started again unasked. */
const MAX_RESTARTS = 4;
const RESTART_WINDOW_MS = 3 * 60_000;
/** A server that has not answered by then is ended. */
const START_MS = 60_000;

const PYTHON_PAGE = 'https://www.python.org/downloads/';

/** What the gate holds on to. */
export interface Running {
  run(name: CommandName, words: unknown[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts the extension proper. */
export function start(context: vscode.ExtensionContext): Running {
  const app = new App(context);
  void app.restart();
  return app;
}

/** The state of one window. */
export class App implements Running {
  readonly channel = vscode.window.createOutputChannel('Rulewright', { log: true });
  readonly reports = new Reports();
  server: Server | undefined;
  private readonly status = new Status();
  private connection: Connection | undefined;
  /** Ends a server that has not answered yet. */
  private abandon: (() => void) | undefined;
  private ends: number[] = [];
  private turn: Promise<void> = Promise.resolve();
  /** How many turns are not done. */
  private busy = 0;

  constructor(readonly context: vscode.ExtensionContext) {
    fs.mkdirSync(context.globalStorageUri.fsPath, { recursive: true });
    context.subscriptions.push(
      this.channel,
      this.reports,
      this.status,
      vscode.workspace.onDidChangeConfiguration((event) => {
        // The rest goes to the server while it runs.
        if (event.affectsConfiguration(`${SECTION}.path`)) {
          void this.restart();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      onPythonChange(() => void this.reconsider()),
    );
  }

  run(name: CommandName, words: unknown[]): Promise<unknown> {
    return runCommand(this, name, words);
  }

  /** Stops what runs, looks for the server anew and starts it: whoever asks for that has it looked after anew. Calls queue up. */
  restart(): Promise<void> {
    this.ends = [];
    this.abandon?.();
    return this.again();
  }

  private again(): Promise<void> {
    this.busy += 1;
    this.turn = this.turn
      .then(() => this.begin())
      .catch((error: unknown) => {
        this.channel.error(String(error));
        this.status.show('stopped');
      })
      .finally(() => (this.busy -= 1));
    return this.turn;
  }

  /** Returns the server, once it is known whether there is one. Where there is none, that has been said, with the buttons that help. */
  async needServer(): Promise<Server | undefined> {
    if (!this.server) {
      await (this.busy ? this.turn : this.restart());
    }
    return this.server;
  }

  async stop(): Promise<void> {
    this.abandon?.();
    const connection = this.connection;
    this.connection = undefined;
    if (!connection) {
      return;
    }
    const { client, kill } = connection;
    if (client.state !== State.Stopped) {
      await client.stop(2000).catch((error: unknown) => this.channel.warn(String(error)));
    }
    kill();
    await client.dispose().catch(() => undefined);
  }

  /** The environment of every program that is started. */
  get environment(): NodeJS.ProcessEnv {
    return cleanEnvironment({ env: process.env, folders: folderPaths(), trusted: vscode.workspace.isTrusted });
  }

  /** Where programs may be looked for in this window. */
  async places(): Promise<Places> {
    const folders = folderPaths();
    const setting = vscode.workspace.getConfiguration(SECTION).get<string>('path', '').trim();
    return {
      setting: setting.replace(/\$\{workspaceFolder\}/g, () => folders[0] ?? ''),
      python: await pythonOf(),
      folders,
      trusted: vscode.workspace.isTrusted,
      storage: this.context.globalStorageUri.fsPath,
      env: process.env,
    };
  }

  /** Another environment is active: starts anew where that leads to another server. */
  private async reconsider(): Promise<void> {
    await this.turn;
    const found = await findServer(await this.places());
    if (('version' in found ? found.path : undefined) !== this.server?.path) {
      await this.restart();
    }
  }

  private async begin(): Promise<void> {
    this.status.show('starting');
    await this.stop();
    this.server = undefined;
    const places = await this.places();
    const found = await findServer(places);
    if ('reason' in found) {
      this.channel.error(`no server: ${found.reason} ${found.path ?? ''} ${found.detail ?? ''}`.trim());
      this.status.show('missing');
      void this.complain(found, places);
      return;
    }
    this.server = found;
    this.channel.info(`server ${found.version}: ${found.path} (${found.origin})`);
    const connection = createClient(found, places.storage, this.environment, this.channel, () => this.ended(connection));
    const { client, kill } = connection;
    let isAbandoned = false;
    this.abandon = () => {
      isAbandoned = true;
      kill();
    };
    const timer = setTimeout(kill, START_MS);
    try {
      await client.start();
      this.connection = connection;
      this.status.show('running', found);
    } catch (error) {
      kill();
      await client.dispose().catch(() => undefined);
      if (isAbandoned) {
        return;
      }
      this.channel.error(String(error));
      this.status.show('stopped');
      void this.offer(vscode.l10n.t('The Rulewright server at {0} did not start.', found.path), 'error', [
        this.restartButton(),
        this.outputButton(),
      ]);
    } finally {
      clearTimeout(timer);
      this.abandon = undefined;
    }
  }

  /** The server of a client is gone. One that ran is started again, a few times; one that never ran is the starter's concern. */
  private ended(connection: Connection): void {
    if (connection !== this.connection) {
      return;
    }
    const now = Date.now();
    this.ends = [...this.ends.filter((end) => now - end < RESTART_WINDOW_MS), now];
    if (this.ends.length > MAX_RESTARTS) {
      this.status.show('stopped');
      void this.offer(
        vscode.l10n.t('The Rulewright server ended several times in a row and was not started again.'),
        'error',
        [this.restartButton(), this.outputButton()],
      );
      return;
    }
    void this.again().then(() => {
      if (this.connection && this.connection !== connection) {
        const message = vscode.l10n.t('The Rulewright server ended unexpectedly and was started again.');
        void this.offer(message, 'warning', [this.outputButton()]);
      }
    });
  }

  /** Says why there is no server, with the buttons that help. */
  private async complain(missing: Missing, places: Places): Promise<void> {
    const path = missing.path ?? '';
    const choose = { title: vscode.l10n.t('Choose Path…'), act: () => this.run('rulewright.choosePath', []) };
    const settings = {
      title: vscode.l10n.t('Open Settings'),
      act: () => vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.path`),
    };
    const install = { title: vscode.l10n.t('Install…'), act: () => installServer(this) };
    const retry = { title: vscode.l10n.t('Try Again'), act: () => this.restart() };
    switch (missing.reason) {
      case 'setting-missing':
        return this.offer(
          vscode.l10n.t('The setting rulewright.path names {0}, which is not the absolute path of a file.', path),
          'error',
          [settings, choose],
        );
      case 'setting-untrusted':
        return this.offer(
          vscode.l10n.t('The setting rulewright.path names {0}, which lies in a folder that is not trusted, so it is not started.', path),
          'error',
          [settings, choose],
        );
      case 'too-old':
        return this.offer(
          vscode.l10n.t('Rulewright {0} at {1} is too old: {2} or newer is needed.', missing.detail ?? '', path, MINIMUM),
          'error',
          [install, choose, retry],
        );
      case 'not-starting':
        return this.offer(
          vscode.l10n.t('{0} does not start as Rulewright: {1}', path, missing.detail || vscode.l10n.t('it says nothing')),
          'error',
          [install, choose, this.outputButton()],
        );
      case 'not-found': {
        const python = await findPython(places);
        if (python?.isNewEnough) {
          return this.offer(
            vscode.l10n.t('Rulewright checks these rule files with a program that is not installed yet.'),
            'warning',
            [install, choose, retry],
          );
        }
        const wanted = MINIMUM_PYTHON.join('.');
        const page = {
          title: vscode.l10n.t('Get Python'),
          act: () => vscode.env.openExternal(vscode.Uri.parse(PYTHON_PAGE)),
        };
        return this.offer(
          python
            ? vscode.l10n.t('Rulewright needs Python {0} or newer; {1} is {2}.', wanted, python.path, python.version)
            : vscode.l10n.t('Rulewright needs Python {0} or newer, and none was found.', wanted),
          'error',
          [page, install, choose, retry],
        );
      }
    }
  }

  private restartButton(): Button {
    return { title: vscode.l10n.t('Restart'), act: () => this.restart() };
  }

  private outputButton(): Button {
    return { title: vscode.l10n.t('Show Output'), act: () => this.channel.show() };
  }

  /** Shows a message with buttons and does what the chosen one does. */
  private async offer(message: string, kind: 'warning' | 'error', buttons: Button[]): Promise<void> {
    const show = kind === 'error' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const chosen = await show(message, ...buttons.map((button) => button.title));
    await buttons.find((button) => button.title === chosen)?.act();
  }
}

function folderPaths(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

interface Button {
  title: string;
  act: () => unknown;
}
