-- Opens files, and gives what should not happen the time to happen.
local d = ...
for _, path in ipairs(d.args.paths) do
  vim.cmd.edit(path)
  d.sleep(100)
end
if d.args.attached then d.wait(function() return d.client() and d.client().initialized end, 'the server') end
vim.cmd('silent checkhealth rulewright')
d.result('health', table.concat(d.lines(), '\n'))
vim.cmd('bwipeout')
vim.cmd('Rulewright rules')
d.sleep(d.args.quiet_ms or 500)
