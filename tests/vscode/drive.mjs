// Drives a real VS Code workbench (code-server in headless Chromium) from a test. Lines and columns count from 1, columns in UTF-16
// units, as VS Code's API counts them. The selectors are those of VS Code 1.139.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const CHROMIUM_FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

// Off: pages, panels and notes that get in the way, saving unasked (the web workbench's default), look-ups on the
// network, and editor help that changes what a test types.
const SETTINGS = {
  'workbench.startupEditor': 'none', 'workbench.tips.enabled': false, 'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden', 'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off', 'extensions.autoUpdate': false, 'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true, 'json.schemaDownload.enable': false, 'git.enabled': false,
  'remote.autoForwardPorts': false,
  'files.autoSave': 'off', 'editor.minimap.enabled': false, 'editor.wordBasedSuggestions': 'off',
  'editor.autoClosingBrackets': 'never', 'editor.autoClosingQuotes': 'never', 'editor.autoIndent': 'none',
  'workbench.editor.enablePreview': false, 'workbench.tree.enableStickyScroll': false, 'problems.defaultViewMode': 'tree',
};

// Keys of our own for commands that have none, or whose own key toggles.
const KEYS = {
  'workbench.panel.markers.view.focus': 'Control+Alt+Shift+1',
  'workbench.action.focusActiveEditorGroup': 'Control+Alt+Shift+2',
};

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Polls `probe` until it gives something true; an error it throws counts as "not yet". */
export async function until(what, timeout, probe) {
  const end = Date.now() + timeout;
  for (let last; ; await sleep(50)) {
    try { if ((last = await probe())) return last; } catch (error) { last = error; }
    if (Date.now() > end) throw new Error(`no ${what} within ${timeout} ms${last instanceof Error ? `: ${last.message}` : ''}`);
  }
}

function entry(dir) {
  return [path.join(dir, 'node_modules/.bin/node'), path.join(dir, 'node_modules/code-server/out/node/entry.js')];
}

// Everything that the server or the browser writes goes below `home`.
function environment(home, extra) {
  // A VS Code terminal sets VSCODE_... and CODE_SERVER_...: with them code-server would talk to that window instead.
  const outer = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|CODE_SERVER_|PORT$|NODE_OPTIONS$)/.test(name));
  fs.mkdirSync(`${home}/tmp`, { recursive: true });
  return { ...Object.fromEntries(outer), TMPDIR: `${home}/tmp`, XDG_CONFIG_HOME: `${home}/config`, XDG_DATA_HOME: `${home}/data`,
    XDG_CACHE_HOME: `${home}/cache`, EXTENSIONS_GALLERY: '{}',
    VSCODE_CLI: '1', // else the extension host takes the PATH of a login shell
    ...extra };
}

/** Installs a .vsix into an extensions directory, as `code --install-extension` does. */
export function installVsix(codeServerDir, extensionsDir, vsix) {
  const [node, js] = entry(path.resolve(codeServerDir));
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'real-vscode-'));
  try {
    const run = spawnSync(node, [js, '--config', `${home}/config.yaml`, '--user-data-dir', `${home}/vscode`,
      '--extensions-dir', path.resolve(extensionsDir), '--force', '--install-extension', path.resolve(vsix)],
    { encoding: 'utf8', env: environment(home), timeout: 60_000 });
    if (run.status !== 0 || !/successfully installed/.test(run.stdout)) throw new Error(`${vsix} not installed:\n${run.stdout}${run.stderr}`);
  } finally { fs.rmSync(home, { recursive: true, force: true }); }
}

/**
 * Starts code-server and Chromium, opens `folder` and waits for the workbench and its extension host.
 * options: settings (over SETTINGS), env (for the server, so for language servers too), timeout (ms, of each wait),
 * args (more of code-server's), restricted (true: open the folder untrusted), machine (settings of the machine), locale (of the window), width, height, chromium (path), keep (keep the logs: bench.home).
 */
export async function start(codeServerDir, extensionsDir, folder, options = {}) {
  const bench = new Workbench(fs.realpathSync(folder), options);
  try { await bench.open(path.resolve(codeServerDir), path.resolve(extensionsDir)); } catch (error) {
    error.message += `\n--- server log\n${bench.log().slice(-4000)}`;
    await bench.stop();
    throw error;
  }
  return bench;
}

class Workbench {
  constructor(folder, options) {
    this.folder = folder;
    this.options = options;
    this.timeout = options.timeout ?? 30_000;
    this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'real-vscode-'));
    this.console = []; // what the workbench wrote to the browser's console
    this.signal = (name) => { try { process.kill(-this.server.pid, name); } catch { /* gone already */ } };
    this.clean = () => { this.signal('SIGKILL'); if (!options.keep) fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 }); };
  }

  async open(dir, extensionsDir) {
    const user = path.join(this.home, 'vscode/User');
    fs.mkdirSync(user, { recursive: true });
    fs.mkdirSync(extensionsDir, { recursive: true });
    fs.writeFileSync(`${user}/settings.json`, JSON.stringify({ ...SETTINGS, ...this.options.settings }));
    // Settings of the machine, such as the path of a program, are not read from the user's where the extension host is remote.
    const machine = path.join(this.home, 'vscode/Machine');
    fs.mkdirSync(machine, { recursive: true });
    fs.writeFileSync(`${machine}/settings.json`, JSON.stringify(this.options.machine ?? {}));
    if (this.options.locale) {
      // A language pack without a translation: it turns the language of the window, and so that of extensions.
      fs.writeFileSync(path.join(this.home, 'main.json'), '{"version": "1.0.0", "contents": {}}');
      fs.writeFileSync(path.join(this.home, 'vscode/languagepacks.json'), JSON.stringify({ [this.options.locale]:
        { hash: 'test', label: 'test', extensions: [{ extensionIdentifier: { id: 'test.chinese' }, version: '1.0.0' }], translations: { vscode: path.join(this.home, 'main.json') } } }));
    }
    fs.writeFileSync(`${user}/keybindings.json`, JSON.stringify(Object.entries(KEYS).map(([command, key]) =>
      ({ command, key: key.toLowerCase().replace('control', 'ctrl') }))));

    const env = environment(this.home, this.options.env);
    const log = fs.openSync(`${this.home}/server.log`, 'w');
    const [node, js] = entry(dir);
    this.server = spawn(node, [js, '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check',
      '--disable-getting-started-override', '--disable-proxy', ...this.options.restricted ? [] : ['--disable-workspace-trust'],
      ...this.options.locale ? ['--locale', this.options.locale] : [],
      '--config', `${this.home}/config.yaml`, '--user-data-dir', `${this.home}/vscode`, '--extensions-dir', extensionsDir,
      ...this.options.args ?? []],
    { stdio: ['ignore', log, log], env, detached: true }); // detached: a process group, to end as a whole
    fs.closeSync(log);
    process.on('exit', this.clean); // for a test that ends without stop()
    const seen = (pattern) => until(`${pattern} in the server log`, this.timeout, () => this.log().match(pattern));
    [, this.url] = await seen(/listening on (http:\/\/127\.0\.0\.1:\d+)/);

    const { chromium } = createRequire(path.join(dir, 'package.json'))('playwright-core');
    this.browser = await chromium.launch({ executablePath: this.options.chromium ?? '/usr/bin/chromium', args: CHROMIUM_FLAGS, env });
    this.page = await this.browser.newPage({ viewport: { width: this.options.width ?? 1280, height: this.options.height ?? 800 } });
    this.page.setDefaultTimeout(this.timeout);
    this.page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    await this.page.goto(`${this.url}/?folder=${encodeURIComponent(this.folder)}`);
    await this.page.locator('.monaco-workbench #status\\.problems').waitFor();
    await seen(/Launched Extension Host Process/);
  }

  /** The server's own log. What an extension logs is in output(). */
  log() { try { return fs.readFileSync(`${this.home}/server.log`, 'utf8'); } catch { return ''; } }

  /** The text of an Output channel by its name, e.g. the language client's. */
  output(channel) {
    const logs = `${this.home}/vscode/logs`;
    return fs.readdirSync(logs, { recursive: true }).filter((file) => path.basename(file).replace(/^\d+-/, '') === `${channel}.log`)
      .map((file) => fs.readFileSync(path.join(logs, file), 'utf8')).join('');
  }

  async screenshot(file) {
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    await this.page.screenshot({ path: file });
  }

  /** Presses a key until what it brings up is there: one pressed while the workbench is busy can get lost. */
  async summon(key, locator) {
    await until(`answer to ${key}`, this.timeout, async () => {
      await this.page.keyboard.press(key);
      await locator.first().waitFor({ timeout: 4000 });
      return true;
    });
  }

  async focusEditor() {
    const focused = this.page.locator('.editor-group-container.active .monaco-editor.focused');
    if (!await focused.count()) await this.summon(KEYS['workbench.action.focusActiveEditorGroup'], focused);
  }

  get box() { return this.page.locator('.quick-input-widget:visible'); }

  /**
   * Picks a row of the box, by its label and the description beside it. `key` opens the box, anew where it closes meanwhile:
   * a part of the workbench that comes late takes the focus. Without a key the box is open.
   */
  async pick(text, label, description = '', key = undefined) {
    const input = this.box.locator('input');
    const typed = async () => (await input.evaluateAll((inputs) => inputs.map((one) => one.value)))[0];
    let before; // the box first shows what it had listed before the text: wait until two looks agree
    await until(`"${label}" for "${text}"`, this.timeout, async () => {
      if (key && !await this.box.count()) await this.summon(key, this.box);
      if (await typed() !== text) await input.first().fill(text, { timeout: 2000 });
      await sleep(100);
      const rows = await this.box.locator('.monaco-list-row').evaluateAll((list) => list.map((row) => ({ id: row.id,
        label: row.querySelector('.label-name')?.textContent, description: row.querySelector('.label-description')?.textContent ?? '' })));
      const same = before === JSON.stringify(rows);
      before = JSON.stringify(rows);
      const found = same && rows.find((row) => row.label === label && row.description === description)?.id;
      if (found) await this.page.locator(`[id="${found}"]`).click({ timeout: 2000 });
      return found;
    });
    // It closes, or shows the next question.
    await until(`end of the box after "${label}"`, this.timeout, async () => await typed() !== text);
  }

  /** Writes a text into that box, and goes on. A box for files first looks at its folder, and then writes that over the text. */
  async fill(text) {
    const input = this.box.locator('input').first();
    const title = () => this.page.locator('.quick-input-widget').evaluateAll((boxes) =>
      boxes.filter((box) => box.style.display !== 'none').map((box) => box.querySelector('.quick-input-title')?.textContent ?? '').join());
    const asked = await title();
    // It closes, or shows the next question.
    const answered = async () => await this.box.count() === 0 || await title() !== asked;
    await until(`answer to "${text}"`, this.timeout, async () => {
      if (await answered()) return true;
      await input.fill(text, { timeout: 2000 });
      await this.page.keyboard.press('Enter');
      for (let look = 0; look < 20; look += 1) {
        if (await answered()) return true;
        await sleep(100);
      }
      return false;
    });
  }

  /** Runs a command of the palette by its whole title, e.g. 'Developer: Reload Window'. */
  async command(title) {
    await this.pick(`>${title}`, title, '', 'F1');
  }

  /** Opens a file of the folder, with the cursor at a place. */
  async openFile(file, line = 1, column = 1) {
    const full = path.resolve(this.folder, file), inside = path.relative(this.folder, full);
    await this.pick(full, path.basename(full), path.dirname(inside).replace(/^\.$/, ''), 'Control+P');
    await until(`editor of ${file}`, this.timeout, async () =>
      decodeURIComponent(new URL(await this.editor.getAttribute('data-uri')).pathname) === full);
    await this.goTo(line, column);
  }

  /** Moves the cursor. */
  async goTo(line, column) {
    await this.focusEditor();
    await this.summon('Control+G', this.box);
    await this.box.locator('input').first().fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    // Only the line: the bar's column is where the eye sees it, which a tab or an emoji makes another number.
    await this.page.locator('#status\\.editor\\.selection', { hasText: `Ln ${line},` }).waitFor();
    await this.focusEditor();
  }

  /** Types at the cursor, key by key. A suggestion list that pops up takes Enter and Tab: press Escape first. */
  async type(text) { await this.page.keyboard.type(text, { delay: 20 }); }

  get editor() { return this.page.locator('.editor-group-container.active .editor-instance .monaco-editor').first(); }

  /** The lines on the active editor's screen (tabs come as spaces), once `wanted(lines)` is true. */
  async lines(wanted = () => true) {
    return until('such lines', this.timeout, async () => {
      const lines = await this.editor.locator('.view-lines').first().evaluate((root) => [...root.querySelectorAll('.view-line')]
        .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top)).map((line) => line.textContent.replace(/\u00a0/g, ' ')));
      return wanted(lines) && lines;
    });
  }

  /** How many squiggles of a kind ('error', 'warning', 'info', 'hint') the screen shows, once `wanted(count)` is true. */
  async squiggles(kind, wanted = () => true) {
    return (await until(`such ${kind} squiggles`, this.timeout, async () => {
      const count = await this.editor.locator(`.squiggly-${kind}`).count();
      return wanted(count) && { count };
    })).count;
  }

  /** All rows of the Problems view, once `wanted(rows)` is true. */
  async problems(wanted = (rows) => rows.length > 0) {
    const panel = this.page.locator('.markers-panel:visible');
    await this.summon(KEYS['workbench.panel.markers.view.focus'], panel);
    let rows;
    try {
      return await until('such problems', this.timeout, async () => { rows = await this.problemRows(panel); return wanted(rows) && rows; });
    } catch (error) {
      throw new Error(`${error.message}; the last seen: ${JSON.stringify(rows)}`);
    } finally { await this.focusEditor(); }
  }

  // The list holds only the rows on the screen: go up to the first and down to the last, by the wheel (some 53 px a
  // turn, whatever its delta), since keys would move the selection in the editor too.
  async problemRows(panel) {
    const rows = new Map();
    let last, looks = 0;
    const look = async () => {
      await sleep(40);
      const shown = await panel.evaluate((root) => [...root.querySelectorAll('.monaco-list-row')].map((row) => {
        const text = (selector) => [...row.querySelectorAll(selector)].map((node) => node.textContent).join('\n');
        return { index: Number(row.dataset.index), last: row.dataset.lastElement === 'true', level: row.getAttribute('aria-level'),
          file: row.querySelector('.monaco-icon-label')?.getAttribute('aria-label'),
          severity: row.querySelector('.marker-icon')?.className.match(/error|warning|info/)?.[0],
          message: text('.marker-message'), source: text('.marker-source'), code: text('.marker-code'), place: text('.marker-line') };
      }));
      for (const row of shown) rows.set(row.index, row);
      last = shown.find((row) => row.last)?.index ?? last;
      return shown.length > 0 && ++looks < 1000;
    };
    const { x, y, height } = await panel.boundingBox();
    await this.page.mouse.move(x + 200, y + 30);
    const scroll = async (delta) => { for (let turn = 0; turn < Math.max(1, Math.floor((height - 44) / 55)); turn++) await this.page.mouse.wheel(0, delta); };
    while (await look() && !rows.has(0)) await scroll(-380);
    while (await look() && last === undefined) await scroll(380);
    if (rows.size !== (last ?? -1) + 1) throw new Error('the list changed meanwhile');
    let file;
    return [...rows.values()].sort((a, b) => a.index - b.index).flatMap((row) => {
      if (row.level === '1') file = row.file.replace(/^~(?=\/)/, this.options.env?.HOME ?? os.homedir());
      if (row.level !== '2') return [];
      const [line, column] = row.place.match(/\d+/g).map(Number);
      return [{ file, severity: row.severity, message: row.message, source: row.source, code: row.code, line, column }];
    });
  }

  /** Points the mouse at the first `text` on the screen; returns the hover's parts once `wanted(parts)` is true. */
  async hover(text, wanted = (parts) => parts.length > 0) {
    // Looked for anew at each try: lenses that come late move the lines down.
    const find = () => this.editor.locator('.view-lines').first().evaluate((root, needle) => {
      const lines = [...root.querySelectorAll('.view-line')].sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
      for (const line of lines) {
        const at = line.textContent.replace(/\u00a0/g, ' ').indexOf(needle);
        if (at < 0) continue;
        const middle = at + Math.floor(needle.length / 2), walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(), from = 0; node; from += node.length, node = walk.nextNode()) {
          if (middle >= from + node.length) continue;
          const range = document.createRange();
          range.setStart(node, middle - from); range.setEnd(node, middle - from + 1);
          const { x, y, width, height } = range.getBoundingClientRect();
          return { x: x + width / 2, y: y + height / 2 };
        }
      }
    }, text);
    const rows = this.page.locator('.monaco-resizable-hover .hover-row:visible:not(.status-bar)');
    return until(`hover on "${text}"`, this.timeout, async () => {
      await this.page.mouse.move(2, 2); // off the editor
      await until('end of the hover before', 4000, async () => await rows.count() === 0);
      const spot = await find();
      if (!spot) throw new Error(`"${text}" is not on the screen`);
      // At once and then a little: on the way there a busy window would open the hovers of other texts.
      await this.page.mouse.move(spot.x - 1, spot.y);
      await this.page.mouse.move(spot.x, spot.y);
      return until('hover', 4000, async () => {
        const parts = (await rows.allInnerTexts()).map((part) => part.trim());
        return !parts.includes('Loading...') && wanted(parts) && parts;
      });
    });
  }

  /** Asks for completions at the cursor: the offered { label, detail } on the screen. With `accept`, takes that one. */
  async complete(accept) {
    await this.focusEditor();
    const widget = this.page.locator('.suggest-widget.visible');
    await this.summon('Control+Space', widget);
    const offered = await until('suggestions', this.timeout, async () => {
      if (await widget.locator('.message:visible', { hasText: 'No suggestions' }).count()) return [];
      const rows = await widget.locator('.monaco-list-row').evaluateAll((list) => list.map((row) => ({
        label: row.querySelector('.label-name').textContent, detail: row.querySelector('.details-label')?.textContent ?? '' })));
      return rows.length && rows;
    });
    if (accept) {
      await widget.locator('.monaco-list-row', { has: this.page.getByText(accept, { exact: true }) }).first().click();
    } else await this.page.keyboard.press('Escape');
    await widget.waitFor({ state: 'hidden' });
    return offered;
  }

  /** Asks for quick fixes at the cursor: the offered titles. With `apply`, applies that one (wait for what it does). */
  async quickFix(apply, picture) {
    await this.focusEditor();
    const widget = this.page.locator('.action-widget:visible').first();
    const none = this.page.locator('.monaco-editor-overlaymessage:visible');
    await this.summon('Control+.', widget.or(none));
    const titles = await widget.locator('.monaco-list-row.action .title').allInnerTexts();
    if (picture) await this.screenshot(picture);
    if (apply) await widget.locator('.monaco-list-row.action', { has: this.page.getByText(apply, { exact: true }) }).first().click();
    else await this.page.keyboard.press('Escape');
    await widget.or(none).first().waitFor({ state: 'hidden' });
    return titles;
  }

  /** Clicks on the light bulb of the active editor and applies one of its offers (wait for what it does). */
  async lightBulb(apply) {
    await this.focusEditor();
    const bulb = this.editor.locator('.lightBulbWidget, [class*="codicon-gutter-lightbulb"]').locator('visible=true').first();
    const offer = this.page.locator('.action-widget:visible .monaco-list-row.action', { has: this.page.getByText(apply, { exact: true }) });
    await until(`"${apply}" at the light bulb`, this.timeout, async () => {
      await bulb.click({ timeout: 4000 });
      await offer.first().click({ timeout: 4000 });
      return true;
    });
    await this.page.locator('.action-widget:visible').waitFor({ state: 'hidden' });
  }

  /** What stands above the lines of the active editor, in order: each text, and whether a click on it runs a command. */
  async lenses(wanted = (lenses) => lenses.length > 0) {
    return until('such lenses', this.timeout, async () => {
      const lenses = await this.editor.locator('.codelens-decoration').evaluateAll((groups) => groups
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
        .flatMap((group) => [...group.children].map((part) => ({ text: part.textContent.replace(/\u00a0/g, ' ').trim(), runs: part.tagName === 'A' })))
        .filter(({ text }) => text && text !== '|'));
      return wanted(lenses) && lenses;
    });
  }

  /** Gives the symbol at the cursor another name. `refused`: a part of the message that says why that cannot be. */
  async rename(name, refused) {
    await this.focusEditor();
    const box = this.page.locator('.rename-box input, .rename-input').first();
    await this.summon('F2', box);
    await box.fill(name);
    await this.page.keyboard.press('Enter');
    await box.waitFor({ state: 'hidden' });
    if (refused) await this.page.locator('.notification-toast, .monaco-editor-overlaymessage', { hasText: refused }).first().waitFor();
  }

  /** The pieces of the active editor's screen as they are coloured, once `wanted(tokens)` is true: each `text` without quotes, and its `color`. */
  async tokens(wanted = () => true) {
    return until('such colours', this.timeout, async () => {
      const tokens = await this.editor.locator('.view-lines').first().evaluate((root) => [...root.querySelectorAll('.view-line > span > span')]
        .map((span) => ({ text: span.textContent.replace(/\u00a0/g, ' ').replace(/^[\s"]+|[\s"]+$/g, ''), color: getComputedStyle(span).color })));
      return wanted(tokens) && tokens;
    });
  }

  /** Saves the active editor's file and waits until its tab says so. */
  async save() {
    await this.focusEditor();
    await this.summon('Control+S', this.page.locator('.editor-group-container.active .tab.active:not(.dirty)'));
  }

  /** The texts of the notifications on the screen; a crashed server shows up here. */
  async notifications() { return this.page.locator('.notification-toast .notification-list-item-message').allInnerTexts(); }

  /** Presses a key. */
  async press(key) { await this.page.keyboard.press(key); }

  /** Where the code of a problem leads: the address behind it in the Problems view that is open. */
  async linkOf(code) {
    const row = this.page.locator('.markers-panel .monaco-list-row', { hasText: code });
    return row.locator('.marker-code a, a.marker-code, .marker-code [href], [href]').first().getAttribute('href');
  }

  /** Waits for an element that holds a text; returns all of its text. */
  async see(selector, text) {
    const found = this.page.locator(selector, { hasText: text }).first();
    await found.waitFor();
    return (await found.innerText()).replace(/\u00a0/g, ' ');
  }

  async click(selector, text) { await this.page.locator(selector, { hasText: text }).first().click(); }

  /** In a box with check boxes: leaves only one row checked, and goes on. */
  async chooseOnly(label) {
    const rows = this.box.locator('.monaco-list-row');
    for (const row of await rows.all()) {
      const wanted = (await row.locator('.label-name').first().textContent()) === label;
      if ((await row.locator('.monaco-checkbox').getAttribute('aria-checked') === 'true') !== wanted) await row.click();
    }
    await this.page.keyboard.press('Enter');
  }

  /** Waits for a notification that holds a text; returns the whole text and the titles of its buttons. */
  async notification(text) {
    const found = this.page.locator('.notification-toast', { hasText: text }).first();
    await found.waitFor();
    return {
      message: await found.locator('.notification-list-item-message').innerText(),
      buttons: await found.locator('.notification-list-item-buttons-container .monaco-button').allInnerTexts(),
    };
  }

  /** The texts that are underlined on the screen, line by line: what stands within each squiggle. */
  async underlined(kind) {
    return this.editor.evaluate((root, name) => {
      const lines = [...root.querySelectorAll('.view-line')];
      return [...root.querySelectorAll(`.squiggly-${name}`)].map((mark) => {
        const box = mark.getBoundingClientRect(), line = lines.find((one) => {
          const { top, bottom } = one.getBoundingClientRect();
          return top <= box.top + box.height / 2 && box.top + box.height / 2 <= bottom;
        });
        let text = '';
        const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), range = document.createRange();
        for (let node = walk.nextNode(); node; node = walk.nextNode()) {
          for (let at = 0; at < node.length; at++) {
            range.setStart(node, at); range.setEnd(node, at + 1);
            const { left, width } = range.getBoundingClientRect(), middle = left + width / 2;
            if (middle > box.left && middle < box.right) text += node.data[at];
          }
        }
        return text.replace(/\u00a0/g, ' ');
      });
    }, kind);
  }

  async stop() {
    await this.browser?.close().catch(() => {});
    if (this.server?.pid) {
      const gone = new Promise((done) => { this.server.once('exit', done); });
      this.signal('SIGTERM');
      if (this.server.exitCode === null && this.server.signalCode === null) await Promise.race([gone, sleep(5000)]);
      process.off('exit', this.clean);
    }
    this.clean();
  }
}
