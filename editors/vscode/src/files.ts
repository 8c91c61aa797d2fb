// Which texts are ours. Loaded for every YAML, Markdown and JSON file, so it is small and imports nothing.
// The server decides in the end, by the same rules: `detect` in engine/rulewright/formats/*/__init__.py.

export type Format = 'style' | 'foya' | 'hook-chains';

/** The languages that VS Code gives to files of ours; the last four are its own names for some Markdown files. */
export const LANGUAGES = ['yaml', 'json', 'jsonc', 'markdown', 'instructions', 'prompt', 'skill', 'chatagent'];

/** The files that are ours by name, as globs: where another extension gives them a language of its own. */
export const PATTERNS = [
  '**/*.style.{yaml,yml}',
  '**/style.yaml',
  '**/.style/**/*.{yaml,yml}',
  '**/.foya/rules/**/*.md',
  '**/{hook-chains,*.hook-chains}.json',
];

/** How many lines from the start are looked at for what makes a text ours. */
export const HEAD_LINES = 500;

// Comments, blank lines, directives and a document start may come before the first key.
const FIRST_KEY =
  /^\ufeff?(?:[ \t]*(?:#[^\r\n]*|%[^\r\n]*|---[ \t]*(?:#[^\r\n]*)?)?(?:\r\n|\n|\r))*(?:---[ \t]+)?["']?spec["']?[ \t]*:[ \t]+["']?style\//;
// Keys that no other JSON file has: CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH may name a file of any name.
const CHAINS_KEY = /"(?:hookChains|maxChainDepth|defaultCooldownMs|defaultDedupWindowMs)"\s*:/;

/** Returns the format of a file by its path alone. */
export function formatByPath(path: string): Format | undefined {
  const parts = path.replace(/\\/g, '/').split('/');
  const folders = parts.slice(0, -1);
  const name = (parts.at(-1) ?? '').toLowerCase();
  if (/\.ya?ml$/.test(name)) {
    const ours = /(^|\.)style\.yaml$|\.style\.yml$/.test(name) || folders.includes('.style');
    return ours && name !== 'style.lock.yaml' ? 'style' : undefined;
  }
  if (name.endsWith('.md')) {
    return folders.some((folder, at) => folder === 'rules' && folders[at - 1] === '.foya') ? 'foya' : undefined;
  }
  return name === 'hook-chains.json' || name.endsWith('.hook-chains.json') ? 'hook-chains' : undefined;
}

/** Returns the format of a text by its path, or by how it begins; `head` is called only where the path says nothing. */
export function formatOf(path: string, head: () => string): Format | undefined {
  const found = formatByPath(path);
  if (found) {
    return found;
  }
  const name = path.toLowerCase();
  if (/\.ya?ml$/.test(name) && !/[\\/]style\.lock\.yaml$/.test(name)) {
    return FIRST_KEY.test(head()) ? 'style' : undefined;
  }
  return name.endsWith('.json') && CHAINS_KEY.test(head()) ? 'hook-chains' : undefined;
}
