// Answers as the API "environments" of ms-python.python does. Which environment is active stands in the file PYTHON_ENVIRONMENT of
// the environment: the path of its interpreter; nothing where none is; `broken` where asking fails, `broken at once` where it throws.
const fs = require('node:fs');
const vscode = require('vscode');

const active = () => {
  try { return fs.readFileSync(process.env.PYTHON_ENVIRONMENT, 'utf8').trim(); } catch { return ''; }
};

exports.activate = (context) => {
  const changed = new vscode.EventEmitter();
  context.subscriptions.push(changed, vscode.commands.registerCommand('python.setInterpreter', () => changed.fire({ path: active() })));
  return {
    environments: {
      getActiveEnvironmentPath: () => {
        if (active() === 'broken at once') throw new Error('there are no environments');
        return { id: active(), path: active() };
      },
      resolveEnvironment: async ({ path }) => {
        if (path === 'broken') throw new Error('there is no such environment');
        return path ? { executable: { uri: vscode.Uri.file(path) } } : undefined;
      },
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
