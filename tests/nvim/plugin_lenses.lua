-- Lenses stand above a rule and follow the text; running one shows what the program prints. A rename reaches other files.
local d = ...
local function shown(title)
  d.wait(function() return vim.api.nvim_buf_get_name(0):find('rulewright://' .. title .. '/', 1, true) end, title, 30000)
  local text = table.concat(d.lines(), '\n')
  d.keys('q')
  return text
end
-- Run the lens of the line whose title matches.
local function run(pattern)
  d.at(1)
  vim.ui.select = function(items, options, choose)
    for at, item in ipairs(items) do
      if options.format_item(item):find(pattern) then return choose(item, at) end
    end
    choose(nil)
  end
  vim.lsp.codelens.run()
end
d.open('.foya/rules/api.md')
d.wait(function() return #vim.lsp.codelens.get(0) == 2 end, 'lenses, without having been asked for')
d.result('screen', d.screen())
d.result('lenses', d.code_lenses())
run('^wakes')
d.result('rule', shown('rule'))
vim.ui.input = function(_, answer) answer('change src/api/a.go') end
run('^try')
d.result('match', shown('match'))

-- After a change the lenses are those of the new text.
local line = vim.fn.search('^trigger:')
vim.fn.setline(line, 'trigger: manual')
d.wait(function()
  local lens = vim.lsp.codelens.get(0)[1]
  return lens and lens.command and lens.command.title == 'wakes on @api'
end, 'the lens of a manual rule')
vim.cmd('edit!')
d.wait_diagnostics()

d.rename('web-api', vim.fn.search('^name:'), 7)
d.result('renamed', d.lines())
vim.cmd('silent wall')

d.open('.openclaude/hook-chains.json')
d.result('chain lenses', d.code_lenses())
d.result('tokens', {
  style = (function() d.open('guard.style.yaml') return d.tokens(8, 12) end)(),
  foya = (function() d.open('.foya/rules/other.md') return d.tokens(vim.fn.search('@other'), vim.fn.col('.') + 1) end)(),
  chains = (function()
    d.open('.openclaude/hook-chains.json')
    local line = vim.fn.search('RULE_ID')
    return d.tokens(line, vim.fn.col('.'))
  end)(),
})
