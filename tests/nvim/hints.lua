-- What each rule does on the harnesses of the project stands behind its id.
local d = ...
d.open('guard.style.yaml')
vim.lsp.inlay_hint.enable(true)
d.wait(function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end, 'hints')
local hint = vim.lsp.inlay_hint.get({ bufnr = 0 })[1].inlay_hint
d.eq(hint.label, d.args.label, 'the label')
d.eq(hint.position, { line = 5, character = 24 }, 'behind the id')
d.check(d.screen():find(d.args.label, 1, true), 'the label is on the screen')
