-- Names in texts are coloured, in rule files alone, without tree-sitter and without a server.
local d = ...
-- Whether a text in the first line that has it looks different from the character `beside` columns before it.
local function differs(path, text, beside)
  vim.cmd.edit(path)
  vim.cmd('syntax off')
  local line = vim.fn.search('\\V' .. text, 'cw')
  local column = vim.fn.screenpos(0, line, vim.fn.col('.'))
  d.screen()
  return vim.fn.screenattr(column.row, column.col) ~= vim.fn.screenattr(column.row, column.col - beside)
end
d.result('differs', vim.tbl_map(function(ask) return differs(unpack(ask)) end, d.args))
