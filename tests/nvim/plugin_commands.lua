-- `:Rulewright` shows what the program prints, and its words are completed.
local d = ...
local function shown(title, command)
  vim.cmd(command)
  d.wait(function() return vim.api.nvim_buf_get_name(0):find('rulewright://' .. title .. '/', 1, true) end, command, 30000)
  local text = d.result(command, table.concat(d.lines(), '\n'))
  d.eq(vim.bo.modifiable, false, 'what is shown is no file')
  d.keys('q')
  d.check(not vim.api.nvim_buf_get_name(0):find('^rulewright:'), 'q closes it')
  return text
end
d.open('.foya/rules/api.md')
shown('rules', 'Rulewright rules')
shown('match', 'Rulewright match change src/api/a.go')
shown('rule', 'Rulewright show api')
d.open('guard.style.yaml')
shown('plan', 'Rulewright plan claude-code')
d.open('good.style.yaml')
shown('plan', 'Rulewright plan claude-code codex')
shown('explain', 'Rulewright explain claude-code event.json')
shown('install', 'Rulewright install claude-code --dry-run')
shown('doctor', 'Rulewright doctor')
shown('sync', 'Rulewright sync --dry-run')
shown('uninstall', 'Rulewright uninstall claude-code --dry-run')

d.eq(vim.fn.getcompletion('Rulewright re', 'cmdline'), { 'restart' }, 'commands')
d.result('agents', vim.fn.getcompletion('Rulewright plan ', 'cmdline'))
d.eq(vim.fn.getcompletion('Rulewright explain codex eve', 'cmdline'), { 'event.json' }, 'files')

d.open('guard.style.yaml')
vim.cmd('Rulewright nonsense')
vim.cmd('Rulewright plan')
d.sleep(20)
vim.cmd('silent help rulewright')
d.result('help', vim.api.nvim_buf_get_name(0))
d.eq(vim.fn.getline('.'):find('*rulewright*', 1, true) ~= nil, true, 'the help is found')
vim.cmd('close')

local before = d.client().id
vim.cmd('Rulewright restart')
d.wait(function() return d.client() and d.client().initialized and d.client().id ~= before end, 'another server')
d.eq(#d.wait_diagnostics({ code = 'block-after' }), 1, 'findings after the restart')
