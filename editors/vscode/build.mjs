// Bundles the extension: the gate (dist/extension.js) and, loaded by it when a text of ours is there, dist/main.js.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const options = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  legalComments: 'none',
  platform: 'node',
  format: 'cjs',
  target: 'node18',
  logLevel: 'warning',
};
const mainIsApart = {
  name: 'main is apart',
  setup: (build) => build.onResolve({ filter: /^\.\/main$/ }, () => ({ path: './main.js', external: true })),
};

rmSync(join(here, 'dist'), { recursive: true, force: true });
await build({ ...options, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', external: ['vscode'], plugins: [mainIsApart] });
const { metafile } = await build({ ...options, entryPoints: ['src/main.ts'], outfile: 'dist/main.js', external: ['vscode'], metafile: true });
// What knows nothing of VS Code, for the tests.
await build({ ...options, minify: false, entryPoints: ['src/files.ts', 'src/discovery.ts', 'src/commandNames.ts'], outdir: 'dist/test' });

const grammars = join(here, '..', '..', 'grammars');
mkdirSync(join(here, 'dist', 'grammars'));
for (const name of readdirSync(grammars).filter((name) => name.endsWith('.tmLanguage.json'))) {
  copyFileSync(join(grammars, name), join(here, 'dist', 'grammars', name));
}
writeFileSync(join(here, 'dist', 'NOTICES.txt'), notices(Object.keys(metafile.inputs)));

/** The licences of the packages that are bundled. */
function notices(inputs) {
  const packages = new Set(inputs.flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...packages].sort().map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(here, path, 'package.json'), 'utf8'));
    const file = readdirSync(join(here, path)).find((found) => /^licen[cs]e/i.test(found));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(here, path, file), 'utf8') : ''}`;
  }).join(`\n${'-'.repeat(80)}\n`);
}
