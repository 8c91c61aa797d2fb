// The active environment of the Python extension, where that is installed.

import * as vscode from 'vscode';

const PATIENCE_MS = 10_000;

/** The part of the Python extension's API that is used here (ms-python.python, "environments"). */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** Returns the interpreter of the active environment, or undefined. */
export async function pythonOf(): Promise<string | undefined> {
  const api = await patiently(pythonApi());
  const environments = api?.environments;
  if (!environments) {
    return undefined;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const ask = async () => environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return (await patiently(ask()))?.executable.uri?.fsPath;
}

/** Calls `changed` when another environment is chosen. */
export function onPythonChange(changed: () => void): vscode.Disposable {
  let listener: vscode.Disposable | undefined;
  let disposed = false;
  void patiently(pythonApi()).then((api) => {
    listener = disposed ? undefined : api?.environments?.onDidChangeActiveEnvironmentPath(changed);
  });
  return new vscode.Disposable(() => {
    disposed = true;
    listener?.dispose();
  });
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  return extension && (await extension.activate());
}

/** Waits for something of another extension, but not for ever, and takes its faults for "nothing". */
async function patiently<T>(wanted: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), PATIENCE_MS);
  });
  try {
    return await Promise.race([wanted, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
