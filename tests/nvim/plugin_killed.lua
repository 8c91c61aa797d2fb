-- The server dies; the user types on; `:Rulewright restart` brings findings back, and they follow the text again.
local d = ...
d.open('.foya/rules/api.md')
d.open('guard.style.yaml')
d.wait_diagnostics({ code = 'block-after', count = 1 })
d.kill_server(d.args.signal)
d.wait(function() return #vim.diagnostic.get(0) == 0 end, 'its findings to vanish')
d.type_text('# typed while no server was there', { line = 1, open = 'O' })
d.keys('dd')
d.type_text('# and again', { line = 1, open = 'O' })
d.check(d.never(function() return d.client() end, 200), 'it does not start by itself')

vim.cmd('Rulewright restart')
d.wait(function() return d.client() and d.client().initialized end, 'another server')
d.eq(d.wait_diagnostics({ code = 'block-after', count = 1 })[1].line, 11, 'findings are back')
local line = vim.fn.search('at: after')
vim.fn.setline(line, '    at: before')
d.wait_diagnostics({ absent = 'block-after' })
d.eq(d.tokens(9, 12)[1].type, 'function', 'words have their kind')
d.keys('u')
d.wait_diagnostics({ code = 'block-after', count = 1 })
d.type_text('# 😀 "quoted" <x>\n# more', { line = 1, open = 'O', delay_ms = 1 })
d.eq(d.wait_diagnostics({ code = 'block-after', count = 1 })[1].line, line + 2, 'they move with the text')
vim.cmd('silent write | edit')
d.eq(#d.wait_diagnostics({ code = 'block-after' }), 1, 'after :edit')
vim.fn.setline(line + 2, '    at: before')
d.wait_diagnostics({ absent = 'block-after' })
d.check(d.hover(line + 2, 6), 'hover')


-- Closed and opened again, it has the same number.
vim.cmd('silent write | bdelete')
d.open('guard.style.yaml')
d.wait_diagnostics({ absent = 'block-after' })
vim.fn.setline(line + 2, '    at: after')
d.wait_diagnostics({ code = 'block-after', count = 1 })

-- A buffer that was not touched is watched by Neovim itself: no change is sent twice.
d.open('.foya/rules/api.md')
local changes = d.sent['textDocument/didChange']
vim.fn.setline(1, vim.fn.getline(1))
vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'More.' })
d.wait_diagnostics()
d.sleep(300)
d.check(d.sent['textDocument/didChange'] - changes <= 2, 'changes are not sent twice')

-- The text that the server has is the text in the editor: a fresh one finds the same.
d.open('guard.style.yaml')
local function places()
  return vim.tbl_map(function(found) return { found.code, found.line, found.col, found.text } end, d.wait_diagnostics())
end
local before = places()
vim.cmd('Rulewright restart')
d.wait(function() return d.client() and d.client().initialized end, 'a third server')
d.eq(places(), before, 'the same findings')
