// Runs the grammar tests of grammars/tests against the grammars that they are injected into: those of the package tm-grammars,
// and, with a folder as argument, those of a VS Code (its folder `extensions`).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ours = join(root, '..', '..', 'grammars');
const folder = mkdtempSync(join(tmpdir(), 'grammars-'));
const LANGUAGES = { yaml: 'source.yaml', json: 'source.json', markdown: 'text.html.markdown' };

function bases(extensions) {
  if (!extensions) {
    const folder = join(root, 'node_modules', 'tm-grammars', 'grammars');
    return ['yaml', 'json', 'markdown', 'html'].map((name) => {
      const path = join(folder, `${name}.json`);
      return { path, scopeName: JSON.parse(readFileSync(path, 'utf8')).scopeName };
    });
  }
  return ['yaml', 'json', 'markdown-basics', 'html'].flatMap((name) => {
    const folder = join(extensions, name);
    const { contributes } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return contributes.grammars.map(({ path, scopeName }) => ({ path: join(folder, path), scopeName }));
  });
}

const { contributes } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const injections = contributes.grammars.map((grammar) => ({ ...grammar, path: join(ours, grammar.path.split('/').at(-1)) }));
const languages = Object.entries(LANGUAGES).map(([id]) => ({ id, extensions: [`.${id}`] }));
const grammars = [...bases(process.argv[2]), ...injections].map((grammar) => {
  const language = Object.entries(LANGUAGES).find(([, scope]) => scope === grammar.scopeName)?.[0];
  // Paths are joined to the folder of the configuration.
  const found = { ...grammar, path: relative(folder, resolve(grammar.path)) };
  return language ? { ...found, language } : found;
});
const config = join(folder, 'config.json');
writeFileSync(config, JSON.stringify({ contributes: { languages, grammars } }));
const tests = readdirSync(join(ours, 'tests')).map((name) => join(ours, 'tests', name));
const program = join(root, 'node_modules', 'vscode-tmgrammar-test', 'dist', 'unit.js');
const run = spawnSync(process.execPath, [program, '--compact', '--config', config, ...tests], {
  encoding: 'utf8',
});
process.stdout.write(run.stdout);
// Markdown and HTML name the grammars of everything that can stand in them.
process.stderr.write(run.stderr.replace(/^grammar not found for .*\n/gm, ''));
rmSync(folder, { recursive: true });
process.exit(run.status ?? 1);
