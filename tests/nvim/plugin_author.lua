-- In every format: the place of a finding, hover, a completion from the menu, a quick fix, all fixes, and the file on disk.
local d = ...

-- Open a line below, type `word`, and take the completion `label` from the menu.
local function take(line, typed, label)
  d.type_text('\n' .. typed, { line = line, open = 'A', stay = true })
  local words = d.popup()
  local at = 0
  for i, word in ipairs(words) do if word == label then at = i end end
  d.check(at > 0, label .. ' is in the menu: ' .. table.concat(words, ' '))
  d.keys(('<C-n>'):rep(at) .. '<C-y>')
  d.sleep(50)
  d.keys('<Esc>')
  return d.lines()[line + 1]
end

for _, step in ipairs(d.args) do
  d.open(step.path)
  local found = d.wait_diagnostics({ code = step.code })
  d.eq({ found[1].text, found[1].line, found[1].col }, step.place, 'the place of ' .. step.code)
  local hover = d.hover(step.hover[1], step.hover[2])
  d.check(hover and hover:find(step.hover[3], 1, true), ('hover in %s: %s'):format(step.path, hover))
  d.hover_window()
  vim.cmd('fclose!')
  d.code_action(step.fix, { line = step.place[2], col = step.place[3] })
  d.wait_diagnostics({ absent = step.code })
  if step.all then
    d.code_action('.', { line = step.all, only = { 'source.fixAll.rulewright' } })
    d.result('all ' .. step.path, #d.wait_diagnostics())
  end
  d.result('line ' .. step.path, take(step.take[1], step.take[2], step.take[3]))
  d.wait_diagnostics()
  d.save()
end
