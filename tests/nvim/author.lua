-- An author opens a package, reads what is wrong, fixes it, and saves.
local d = ...
d.open('guard.style.yaml')
local found = d.wait_diagnostics({ code = 'block-after', count = 1 })
d.eq({ found[1].text, found[1].line, found[1].col, found[1].severity, found[1].source },
  { 'after', 11, 9, 'ERROR', 'rulewright' }, 'the place of block-after')
d.eq(#d.diagnostics(), 2, 'block-after and T005')
d.eq(#d.wait_diagnostics({ code = 'T005' }), 1, 'a long reason')
d.result('screen', d.screen())

local hover = d.hover(9, 14)
d.check(hover:find('block', 1, true) and hover:find('Denies the call', 1, true), 'hover on a value: ' .. hover)
d.hover_window(11, 9)
d.result('screen with hover', d.screen())
vim.cmd('fclose!')

local words = vim.tbl_map(function(i) return i.label end, d.complete(9, 13))
d.check(vim.tbl_contains(words, 'warn'), 'completion: ' .. table.concat(words, ' '))

local names = vim.tbl_map(function(s) return s.kind .. ' ' .. s.name end, d.symbols())
d.eq(names, { 'Package ac-min', 'Class force-push-guard', 'Field tool.input.command shell_regex' }, 'the outline')

d.code_action('Change to `before`', { line = 11, col = 9 })
d.eq(d.wait_diagnostics({ absent = 'block-after' })[1].code, 'T005', 'only the long reason is left')
d.code_action('Ignore `T005`', { line = 17, col = 12 })
d.eq(d.wait_diagnostics({ absent = 'T005' }), {}, 'nothing is left')
d.result('saved', d.save())
d.eq(d.wait_diagnostics(), {}, 'nothing after saving')
