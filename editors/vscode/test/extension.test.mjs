// What can be said of the extension without VS Code: what belongs to it, how it finds the server, and that its texts are whole.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const { COMMANDS } = require('../dist/test/commandNames.js');
const { candidates, cleanEnvironment, environmentFolder, findPython, findServer, isOlder, mayStart, MINIMUM } = require('../dist/test/discovery.js');
const { formatOf, LANGUAGES } = require('../dist/test/files.js');
const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');
const json = (name) => JSON.parse(read(name));
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'extension-')));
after(() => fs.rmSync(scratch, { recursive: true }));

/** Writes a program that prints a text. */
function program(file, text, exit = 0) {
  const full = path.join(scratch, file);
  fs.mkdirSync(path.dirname(full), { recursive: true });
  fs.writeFileSync(full, `#!/bin/sh\necho '${text}'\nexit ${exit}\n`, { mode: 0o755 });
  return full;
}

function places(more = {}) {
  const storage = path.join(scratch, 'storage');
  fs.mkdirSync(storage, { recursive: true });
  return { setting: '', python: undefined, folders: [], trusted: true, storage, env: { PATH: '' }, ...more };
}

const onPosix = { skip: process.platform === 'win32' };

test('a text is ours by its path', () => {
  const never = () => assert.fail('the text was asked for');
  for (const [file, format] of [
    ['/p/a.style.yaml', 'style'], ['/p/A.STYLE.YML', 'style'], ['/p/style.yaml', 'style'], ['/p/.style/x/y.yml', 'style'],
    ['C:\\p\\.style\\y.yaml', 'style'], ['/p/.foya/rules/a/b.MD', 'foya'], ['/p/.openclaude/hook-chains.json', 'hook-chains'],
    ['/p/team.hook-chains.json', 'hook-chains'],
  ]) {
    assert.equal(formatOf(file, never), format, file);
  }
  for (const file of ['/p/style.yml', '/p/.style/style.lock.yaml', '/p/.foya/a.md', '/p/rules/a.md', '/p/README.md', '/p/x.json', '/p/lifestyle.yaml']) {
    assert.equal(formatOf(file, () => ''), undefined, file);
  }
});

test('a text is ours by how it begins', () => {
  for (const head of ['spec: style/v0.3', '\ufeff# note\r\n\n---\nspec: "style/v0.4"\n', '%YAML 1.2\n--- spec: style/v0.3', "'spec': style/v1"]) {
    assert.equal(formatOf('/p/a.yaml', () => head), 'style', head);
  }
  for (const head of ['', 'name: x\nspec: style/v0.3', 'spec: styles/1', 'spec:style/v0.3', 'other:\n  spec: style/v0.3']) {
    assert.equal(formatOf('/p/a.yaml', () => head), undefined, head);
  }
  assert.equal(formatOf('/p/style.lock.yaml', () => 'spec: style/v0.3'), undefined);
  assert.equal(formatOf('/p/a.json', () => '{"hookChains": {}}'), 'hook-chains');
  assert.equal(formatOf('/p/a.json', () => '{"rules": []}'), undefined);
  assert.equal(formatOf('/p/a.txt', () => 'spec: style/v0.3'), undefined);
});

test('the server is looked for in one order', onPosix, () => {
  const folders = { python: 'py/bin', virtualEnv: 'venv/bin', workspace: 'folder/.venv/bin', path: 'onpath', extension: 'storage/server/bin' };
  for (const folder of Object.values(folders)) {
    program(`${folder}/rulewright`, 'rulewright 1.0.0');
  }
  const found = [...candidates(places({
    python: path.join(scratch, 'py/bin/python'),
    folders: [path.join(scratch, 'folder')],
    env: { PATH: `${path.join(scratch, 'onpath')}:relative:.`, VIRTUAL_ENV: path.join(scratch, 'venv') },
  }))].filter(([file]) => file.startsWith(scratch));
  assert.deepEqual(found.map(([, origin]) => origin), Object.keys(folders));
  assert.deepEqual(found.map(([file]) => file), Object.values(folders).map((folder) => path.join(scratch, folder, 'rulewright')));
});

test('without trust nothing of the folder is started, not even through a link', onPosix, async () => {
  const folder = path.join(scratch, 'evil');
  const touched = path.join(scratch, 'touched');
  const evil = path.join(folder, '.venv/bin/rulewright');
  fs.mkdirSync(path.dirname(evil), { recursive: true });
  fs.writeFileSync(evil, `#!/bin/sh\n: > '${touched}'\necho rulewright 9.9.9\n`, { mode: 0o755 });
  const link = path.join(scratch, 'links/bin');
  fs.mkdirSync(link, { recursive: true });
  fs.symlinkSync(evil, path.join(link, 'rulewright'));
  const where = {
    python: path.join(folder, '.venv/bin/python'),
    folders: [folder],
    env: { PATH: `${link}:${path.dirname(evil)}`, VIRTUAL_ENV: path.join(folder, '.venv') },
  };
  const inside = (found) => found.path?.startsWith(folder) || found.path?.startsWith(link);
  assert.ok(!inside(await findServer(places({ ...where, trusted: false }))));
  assert.ok(!fs.existsSync(touched));
  assert.equal((await findServer(places(where))).version, '9.9.9');
  assert.ok(fs.existsSync(touched));
});

test('without trust the setting does not lead into the folder either', onPosix, async () => {
  // It is the user's own, such as `${workspaceFolder}/.venv/bin/rulewright`, and meant for folders that are trusted.
  const file = program('setting/folder/.venv/bin/rulewright', 'rulewright 9.9.9');
  const folders = [path.join(scratch, 'setting/folder')];
  assert.deepEqual(await findServer(places({ setting: file, folders, trusted: false })), { reason: 'setting-untrusted', path: file });
  assert.equal((await findServer(places({ setting: file, folders }))).version, '9.9.9');
});

test('without trust the Python of a venv in the folder is not started, under whatever name the folder goes', onPosix, async () => {
  const folder = path.join(scratch, 'venv-of/folder');
  const outside = program('venv-of/usr/bin/python3', '3.12.0');
  fs.mkdirSync(path.join(folder, '.venv/bin'), { recursive: true });
  fs.symlinkSync(outside, path.join(folder, '.venv/bin/python3'));
  fs.symlinkSync(folder, path.join(scratch, 'venv-of/other-name'));
  const bin = path.join(scratch, 'venv-of/other-name/.venv/bin');
  const where = { folders: [folder], trusted: false, env: { PATH: bin } };
  assert.equal(await findPython(places(where)), undefined);
  assert.equal(await findPython(places({ ...where, python: path.join(bin, 'python3') })), undefined);
  assert.equal((await findPython(places({ ...where, trusted: true }))).version, '3.12.0');
  assert.ok(!mayStart(folder, where) && mayStart(outside, where) && mayStart(path.join(scratch, 'venv-of'), where));
});

test('what is too old, broken or wrongly named is told apart', onPosix, async () => {
  const alone = (file) => findServer(places({ setting: file }));
  const old = program('old/rulewright', 'rulewright 0.0.9');
  assert.deepEqual(await alone(old), { reason: 'too-old', path: old, detail: '0.0.9' });
  const broken = program('broken/rulewright', 'boom', 3);
  assert.equal((await alone(broken)).reason, 'not-starting');
  assert.equal((await alone(program('other/rulewright', 'something else'))).detail, 'something else');
  assert.deepEqual(await alone('bin/rulewright'), { reason: 'setting-missing', path: 'bin/rulewright' });
  assert.equal((await alone(path.join(scratch, 'none'))).reason, 'setting-missing');
  const good = program('good/rulewright', `rulewright ${MINIMUM}`);
  assert.deepEqual(await alone(good), { path: good, version: MINIMUM, origin: 'setting' });
  // An old one on the way does not hide a good one.
  const env = { PATH: `${path.dirname(old)}:${path.dirname(good)}` };
  assert.equal((await findServer(places({ env }))).path, good);
});

test('a Python that is too old is found only where there is no better one', onPosix, async () => {
  const old = path.dirname(program('python-old/python3', '3.9.2'));
  const young = path.dirname(program('python-young/python', '3.12.1'));
  assert.deepEqual(await findPython(places({ env: { PATH: `${old}:${young}` } })), {
    path: path.join(young, 'python'), version: '3.12.1', isNewEnough: true,
  });
  assert.equal((await findPython(places({ env: { PATH: old } }))).isNewEnough, false);
  assert.equal(await findPython(places()), undefined);
});

test('versions are compared by number', () => {
  assert.ok(isOlder('0.9.0', '0.10.0') && isOlder('1.2', '1.2.1') && isOlder('3.9.2', '3.11'));
  assert.ok(!isOlder('1.0.0', '0.9.9') && !isOlder('0.1.0', '0.1.0') && !isOlder('0.2.0rc1', '0.1.0'));
});

test('a relative entry of PYTHONPATH does not reach what is started', onPosix, () => {
  const cleaned = (PYTHONPATH, trusted = true) => cleanEnvironment({ env: { PYTHONPATH }, folders: ['/p'], trusted });
  assert.equal(cleaned(':/a:.').PYTHONPATH, '/a');
  assert.ok(!('PYTHONPATH' in cleaned('')));
  // Nor, without trust, one of the folder that is open.
  assert.equal(cleaned('/p:/p/lib:/a').PYTHONPATH, '/p:/p/lib:/a');
  assert.equal(cleaned('/p:/p/lib:/a', false).PYTHONPATH, '/a');
  assert.ok(environmentFolder('/s').startsWith(path.join('/s', '')));
});

test('every command is listed, and answered', () => {
  const { contributes } = json('package.json');
  assert.deepEqual(contributes.commands.map(({ command }) => command), [...COMMANDS]);
});

test('every text is there in both languages', () => {
  const manifest = read('package.json'), english = json('package.nls.json'), chinese = json('package.nls.zh-cn.json');
  const used = [...new Set([...manifest.matchAll(/"%([\w.]+)%"/g)].map((match) => match[1]))].sort();
  assert.deepEqual(Object.keys(english).sort(), used);
  assert.deepEqual(Object.keys(chinese).sort(), used);
  const texts = fs.readdirSync(path.join(root, 'src')).flatMap((name) =>
    [...read(`src/${name}`).matchAll(/l10n\.t\(\s*(?:'((?:[^'\\]|\\.)*)')?/g)].map((match) => match[1]));
  assert.ok(texts.length > 30 && !texts.includes(undefined), 'a text that is not a plain string');
  const bundle = json('l10n/bundle.l10n.zh-cn.json');
  assert.deepEqual(Object.keys(bundle).sort(), [...new Set(texts)].sort());
  const slots = (text) => [...text.matchAll(/\{\d\}/g)].map(String).sort();
  for (const [text, translated] of Object.entries(bundle)) {
    assert.deepEqual(slots(translated), slots(text), text);
  }
});

test('the gate is small, and nothing in the package reaches out by itself', () => {
  assert.ok(fs.statSync(path.join(root, 'dist/extension.js')).size < 4096);
  const sources = fs.readdirSync(path.join(root, 'src')).map((name) => read(`src/${name}`)).join('\n');
  assert.doesNotMatch(sources, /node:https?|\bfetch\(|createTelemetryLogger|WebSocket/);
  assert.deepEqual(json('package.json').dependencies, undefined);
});

test('a word that does not exist has a colour of its own in every language of ours', () => {
  const scopes = json('package.json').contributes.semanticTokenScopes;
  assert.deepEqual(scopes.map(({ language }) => language), LANGUAGES);
  assert.ok(scopes.every((one) => one.scopes['*.deprecated'].length === 1));
});

test('it lists no check: they come with the program', () => {
  const checks = fs.readdirSync(path.join(root, '../../engine/rulewright/checks')).filter((name) => /^[a-z].*_.*\.py$/.test(name));
  assert.ok(checks.length > 30);
  const all = ['package.json', 'package.nls.json', ...fs.readdirSync(path.join(root, 'src')).map((name) => `src/${name}`)].map(read).join('\n');
  for (const code of checks.map((name) => name.slice(0, -3).replaceAll('_', '-'))) {
    assert.doesNotMatch(all, new RegExp(`['"\`]${code}['"\`]`), code);
  }
});

test('what a folder may set starts nothing before it is trusted', () => {
  const { capabilities, contributes } = json('package.json');
  const { properties } = contributes.configuration;
  assert.deepEqual(capabilities.untrustedWorkspaces.restrictedConfigurations, ['rulewright.path']);
  // What is installed is for the user alone to say, and no name of a package index stands in for it.
  assert.deepEqual([properties['rulewright.packageSpec'].scope, properties['rulewright.packageSpec'].default], ['machine', '']);
});
