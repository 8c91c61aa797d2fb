// Runs a program to its end and gives what it printed. Never through a shell.

import { spawn } from 'node:child_process';
import type * as vscode from 'vscode';

export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program; a program that cannot be started gives a negative code and says so in stderr. `env` is that of `App.environment`. */
export function runProgram(
  file: string,
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  token?: vscode.CancellationToken,
  heard: (text: string) => void = () => undefined,
): Promise<Result> {
  return new Promise((done) => {
    const child = spawn(file, words, { cwd, env: { ...env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const result: Result = { code: -1, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      result.stdout += text;
      heard(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      result.stderr += text;
      heard(text);
    });
    const listener = token?.onCancellationRequested(() => child.kill());
    child.on('error', (error) => {
      result.stderr += error.message;
    });
    child.on('close', (code) => {
      listener?.dispose();
      done({ ...result, code: code ?? -1 });
    });
  });
}

/** Writes a command line for people to read; nothing runs it. */
export function shown(file: string, words: readonly string[]): string {
  return [file, ...words].map((word) => (/^[\w@%+=:,./\\~<>!-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
