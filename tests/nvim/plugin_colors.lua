-- What tree-sitter sees at the places that are asked for: the languages that reach there, and the captures of each.
local d = ...
vim.opt.runtimepath:prepend(vim.env.GRAMMARS)
local answers = {}
for at, ask in ipairs(d.args) do
  vim.cmd.edit(ask.path)
  local parser = vim.treesitter.get_parser(0, ask.lang)
  vim.treesitter.start(0, ask.lang)
  parser:parse(true)
  vim.cmd('redraw')
  local line = vim.fn.search('\\V' .. vim.fn.escape(ask.line, '\\'), 'cw')
  d.check(line > 0, 'the line is there: ' .. ask.line)
  local column = vim.fn.getline(line):find(ask.at, 1, true) - 1
  local captures = {}
  for _, capture in ipairs(vim.treesitter.get_captures_at_pos(0, line - 1, column)) do
    table.insert(captures, capture.capture .. '.' .. capture.lang)
  end
  local languages = {}
  parser:for_each_tree(function(tree, child)
    local root = tree:root()
    for _, range in ipairs(tree:included_ranges(false)) do
      local r1, c1, r2, c2 = unpack(range)
      local row = line - 1
      if (r1 < row or (r1 == row and c1 <= column)) and (r2 > row or (r2 == row and c2 > column)) and root then
        languages[child:lang()] = { r1, c1, r2, c2 }
      end
    end
  end)
  answers[at] = { captures = captures, languages = languages }
end
d.result('answers', answers)
