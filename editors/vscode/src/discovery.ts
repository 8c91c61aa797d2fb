// Finds the server. Knows nothing of VS Code, so that it can be tested alone; what it may look at is handed in.

import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/** The oldest server that this extension works with. */
export const MINIMUM = '0.1.0';
/** The oldest Python that the server runs on (requires-python in pyproject.toml). */
export const MINIMUM_PYTHON: readonly [number, number] = [3, 11];

const WINDOWS = process.platform === 'win32';
const PROBE_MS = 20_000;

/** How a server was found: its absolute path, its version, and which of the ways led there. */
export interface Server {
  path: string;
  version: string;
  origin: Origin;
}

export type Origin = 'setting' | 'python' | 'virtualEnv' | 'workspace' | 'path' | 'extension';

/** Why there is no server. `path` is the one that comes nearest: named in the setting, too old, or not starting. */
export interface Missing {
  reason: 'not-found' | 'setting-missing' | 'setting-untrusted' | 'too-old' | 'not-starting';
  path?: string;
  detail?: string;
}

/** Where to look. Every path is absolute; what is not is left out. */
export interface Places {
  /** The setting `rulewright.path`, filled in; alone counts where it is not empty. */
  setting: string;
  /** The interpreter of the active Python environment, if the Python extension names one. */
  python: string | undefined;
  /** The folders of the workspace. Without trust nothing below them is started. */
  folders: readonly string[];
  trusted: boolean;
  /** The folder of the extension, with the environment that it may have made, and where programs are started. */
  storage: string;
  env: NodeJS.ProcessEnv;
}

/** Returns the first server that starts and is new enough, or why there is none. */
export async function findServer(places: Places): Promise<Server | Missing> {
  if (places.setting) {
    const file = expandHome(places.setting);
    if (!path.isAbsolute(file) || !isFile(file)) {
      return { reason: 'setting-missing', path: places.setting };
    }
    if (!mayStart(file, places)) {
      return { reason: 'setting-untrusted', path: file };
    }
    return probe(file, 'setting', places);
  }
  let nearest: Missing = { reason: 'not-found' };
  for (const [file, origin] of candidates(places)) {
    const found = await probe(file, origin, places);
    if ('version' in found) {
      return found;
    }
    if (nearest.reason === 'not-found') {
      nearest = found;
    }
  }
  return nearest;
}

/** Yields the programs that exist, in the order in which they are tried. */
export function* candidates(places: Places): Generator<[string, Origin]> {
  const folders: [string | undefined, Origin][] = [
    [places.python && path.dirname(places.python), 'python'],
    [places.env['VIRTUAL_ENV'] && path.join(places.env['VIRTUAL_ENV'], SCRIPTS), 'virtualEnv'],
    ...places.folders.map((folder): [string, Origin] => [path.join(folder, '.venv', SCRIPTS), 'workspace']),
    ...searchPath(places.env).map((folder): [string, Origin] => [folder, 'path']),
    // Where pipx and uv put commands: a window that was not started from a shell may lack it on the PATH.
    [path.join(os.homedir(), '.local', 'bin'), 'path'],
    [path.join(environmentFolder(places.storage), SCRIPTS), 'extension'],
  ];
  const seen = new Set<string>();
  for (const [folder, origin] of folders) {
    if (!folder || !path.isAbsolute(folder)) {
      continue;
    }
    const file = path.join(folder, WINDOWS ? 'rulewright.exe' : 'rulewright');
    if (!seen.has(file) && isFile(file) && mayStart(file, places)) {
      seen.add(file);
      yield [file, origin];
    }
  }
}

/** Returns where the extension makes an environment of its own when it is asked to. */
export function environmentFolder(storage: string): string {
  return path.join(storage, 'server');
}

export const SCRIPTS = WINDOWS ? 'Scripts' : 'bin';

/** Returns the absolute folders of the PATH: a relative one would mean something else in every folder. */
export function searchPath(env: NodeJS.ProcessEnv): string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/**
 * Tells whether a program may be started, or a folder lead to code: without trust nothing that lies in the workspace is.
 * A link out of the workspace counts by its own place as well: the Python of a venv is one, and reads what lies beside the link.
 */
export function mayStart(file: string, places: Pick<Places, 'folders' | 'trusted'>): boolean {
  if (places.trusted) {
    return true;
  }
  const own = path.join(real(path.dirname(file)), path.basename(file));
  return places.folders.every((folder) => !isIn(file, folder) && !isIn(own, real(folder)) && !isIn(real(file), real(folder)));
}

function isIn(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function real(file: string): string {
  try {
    // The native one gives the file system's own spelling where upper and lower case are the same.
    return fs.realpathSync.native(file);
  } catch {
    return file;
  }
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function expandHome(file: string): string {
  return file === '~' || /^~[\\/]/.test(file) ? path.join(os.homedir(), file.slice(1)) : file;
}

async function probe(file: string, origin: Origin, places: Places): Promise<Server | Missing> {
  const said = await ask(file, ['--version'], places);
  const version = /^rulewright (\d+\.\d+\.\d+\S*)/.exec(said.output)?.[1];
  if (!version) {
    return { reason: 'not-starting', path: file, detail: said.failure || firstLine(said.output) };
  }
  return isOlder(version, MINIMUM)
    ? { reason: 'too-old', path: file, detail: version }
    : { path: file, version, origin };
}

/** Tells whether a version is older than another, by its three numbers. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let at = 0; at < 3; at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference) {
      return difference < 0;
    }
  }
  return false;
}

/**
 * The environment of what is started. PYTHONPATH keeps no relative entry, which would be one of the folder that is open, and
 * none in a folder that is not trusted.
 */
export function cleanEnvironment({ env, ...where }: Pick<Places, 'env' | 'folders' | 'trusted'>): NodeJS.ProcessEnv {
  const kept = (env['PYTHONPATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder) && mayStart(folder, where));
  const { PYTHONPATH: _, ...rest } = env;
  return { ...rest, ...(kept.length ? { PYTHONPATH: kept.join(path.delimiter) } : {}), PYTHONUTF8: '1' };
}

/** A Python: how to start it, and its version. */
export interface Python {
  path: string;
  version: string;
  isNewEnough: boolean;
}

/** Returns the first Python that is new enough, else the first that starts at all, else undefined. */
export async function findPython(places: Places): Promise<Python | undefined> {
  const names = WINDOWS ? ['python.exe', 'python3.exe'] : ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3', 'python'];
  const folders = searchPath(places.env);
  const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  let old: Python | undefined;
  for (const file of [...(places.python ? [places.python] : []), ...files]) {
    if (!isFile(file) || !mayStart(file, places)) {
      continue;
    }
    const said = await ask(file, ['-I', '-c', 'import sys; print("%d.%d.%d" % sys.version_info[:3])'], places);
    const version = /^\d+\.\d+\.\d+/.exec(said.output)?.[0];
    if (!version) {
      continue;
    }
    const found = { path: file, version, isNewEnough: !isOlder(version, MINIMUM_PYTHON.join('.')) };
    if (found.isNewEnough) {
      return found;
    }
    old ??= found;
  }
  return old;
}

/** Returns the absolute path of a program of the PATH that may be started, or undefined. */
export function findProgram(name: string, places: Places): string | undefined {
  return [...searchPath(places.env), path.join(os.homedir(), '.local', 'bin')]
    .map((folder) => path.join(folder, WINDOWS ? `${name}.exe` : name))
    .find((file) => isFile(file) && mayStart(file, places));
}

function ask(file: string, words: string[], places: Places): Promise<{ output: string; failure: string }> {
  const options = { cwd: places.storage, env: cleanEnvironment(places), timeout: PROBE_MS, windowsHide: true };
  return new Promise((done) => {
    execFile(file, words, options, (error, output, errors) => {
      done({ output, failure: error ? firstLine(errors) || firstLine(error.message) : '' });
    });
  });
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.trim() ?? '';
}
