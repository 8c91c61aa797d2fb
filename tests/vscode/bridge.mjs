// Lets a Python test call the driver: one JSON line in ({ method, words }), one out ({ value } or { error }).
// A word of the form { js } is a function, given as its source: what a step waits for.
import readline from 'node:readline';
import { installVsix, start } from './drive.mjs';

let bench;
const methods = {
  install: (dir, extensions, vsix) => installVsix(dir, extensions, vsix),
  start: async (dir, extensions, folder, options) => {
    bench = await start(dir, extensions, folder, options);
    return { home: bench.home };
  },
  stop: () => bench?.stop(),
  console: () => bench.console,
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { method, words } = JSON.parse(line);
  const read = words.map((word) => (word?.js ? new Function(`return ${word.js}`)() : word));
  let answer;
  try {
    answer = { value: await (methods[method] ?? bench[method].bind(bench))(...read) };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
