-- A new package typed key by key: with each key the findings belong to the text, and in the end there are none.
local d = ...
d.open('new.style.yaml')
vim.bo.autoindent = false
vim.bo.indentexpr = ''
d.type_text(d.args.text, { delay_ms = 5 })
d.eq(d.wait_diagnostics(), {}, 'clean when it is complete')
d.type_text('\n    fa', { line = vim.fn.line('$') - 1, open = 'A', stay = true })
d.result('menu', d.popup())
d.result('screen with menu', d.screen())
d.keys('<C-e><Esc>u')
d.eq(d.wait_diagnostics(), {}, 'clean after undo')
