/** The commands, as package.json lists them; the last two are those behind the server's code lenses. */
export const COMMANDS = [
  'rulewright.restart',
  'rulewright.showOutput',
  'rulewright.installServer',
  'rulewright.choosePath',
  'rulewright.showPlan',
  'rulewright.explainEvent',
  'rulewright.installHook',
  'rulewright.syncHook',
  'rulewright.uninstallHook',
  'rulewright.doctor',
  'rulewright.tryActivity',
  'rulewright.showRule',
] as const;

export type CommandName = (typeof COMMANDS)[number];
