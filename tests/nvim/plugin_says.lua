-- Opens files, waits for what is said, and then, where a program is named, starts that one.
local d = ...
local notified = {}
local notify = vim.notify
vim.notify = function(message, level)
  table.insert(notified, message)
  return notify(message, level)
end
for _, path in ipairs(d.args.paths) do
  vim.cmd.edit(path)
  d.sleep(50)
end
d.wait(function() return #notified > 0 end, 'a message')
d.sleep(300)
d.result('said', notified)
if d.args.health then
  vim.cmd('silent checkhealth rulewright')
  d.result('health', table.concat(d.lines(), '\n'))
  vim.cmd('bwipeout')
end
if d.args.cmd then
  vim.g.rulewright_cmd = d.args.cmd
  vim.cmd('Rulewright restart')
  d.wait(function() return d.client() and d.client().initialized end, 'the server')
  d.check(#d.wait_diagnostics({ min = 1 }) > 0, 'findings')
end
