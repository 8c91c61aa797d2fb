-- Colours that need more than a query can say. The queries of this plugin extend those of yaml, json and markdown, which are the same for
-- every file: `rulewright?` keeps them to rule files.
local M = {}

-- What is filled in when a rule is used: the pattern of a line, with the places of the name in it.
local NAMES = {
  style = { '{{[ \t]*()[%w_][%w_.%-]*()[ \t]*}}' },
  ['hook-chains'] = { '%$()[A-Z_][A-Z0-9_]*()', '%${()[A-Z_][A-Z0-9_]*()}' },
}
local GROUP = '@variable.builtin'
local COMMENT = '^%s*#'

local formats = {}

-- The format of the rule file in a buffer. Worked out once for each state of the text.
local function format_of(source)
  if type(source) ~= 'number' then return nil end
  local buffer = source == 0 and vim.api.nvim_get_current_buf() or source
  local tick, name = vim.api.nvim_buf_get_changedtick(buffer), vim.api.nvim_buf_get_name(buffer)
  local known = formats[buffer]
  if not known or known.tick ~= tick or known.name ~= name then
    known = { tick = tick, name = name, format = require('rulewright.files').format(buffer) }
    formats[buffer] = known
  end
  return known.format
end

local function nodes_of(match, capture)
  local found = match[capture]
  return type(found) == 'table' and found or { found }
end

-- The byte offsets of a part of a node's text, as the range of rows and columns.
local function part_range(node, text, first, last)
  local row, column = node:range()
  local before = text:sub(1, first - 1)
  local _, breaks = before:gsub('\n', '')
  local start_column = breaks == 0 and column + #before or #before:match('[^\n]*$')
  local inside = text:sub(first, last)
  local _, more = inside:gsub('\n', '')
  local end_column = more == 0 and start_column + #inside or #inside:match('[^\n]*$')
  return { row + breaks, start_column, row + breaks + more, end_column }
end

local function narrow(pattern_of)
  return function(match, _, source, directive, metadata)
    local capture = directive[2]
    for _, node in ipairs(nodes_of(match, capture)) do
      local text = vim.treesitter.get_node_text(node, source)
      local first, last = text:match(pattern_of(node, directive))
      if first then
        metadata[capture] = metadata[capture] or {}
        metadata[capture].range = part_range(node, text, first, last - 1)
      end
    end
  end
end

-- What stands between the quotes of a scalar, or below the sign of a block.
local function inside_pattern(node)
  local kind = node:type()
  if kind:find('quote') then return '^.()[^\n]*().$' end
  if kind == 'block_scalar' then return '^[^\n]*\n().*()$' end
  return '^().*()$'
end

-- The text of `op` in the mapping that a pair stands in.
local function op_beside(pair, source)
  for sibling in pair:parent():iter_children() do
    local key, value = sibling:field('key')[1], sibling:field('value')[1]
    if key and value and vim.treesitter.get_node_text(key, source) == 'op' then return vim.treesitter.get_node_text(value, source) end
  end
end

local function register()
  local options = { force = true, all = true }
  -- (#rulewright-op? @pair "regex" ...): the mapping of a pair says one of these as its `op`, before or behind the pair.
  vim.treesitter.query.add_predicate('rulewright-op?', function(match, _, source, predicate)
    return vim.iter(nodes_of(match, predicate[2])):any(function(pair)
      return vim.list_contains(vim.list_slice(predicate, 3), op_beside(pair, source))
    end)
  end, options)
  vim.treesitter.query.add_predicate('rulewright?', function(_, _, source, predicate)
    return format_of(source) == predicate[2]
  end, options)
  -- (#rulewright-inside! @capture)
  vim.treesitter.query.add_directive('rulewright-inside!', narrow(inside_pattern), options)
  -- (#rulewright-part! @capture "pattern"): the part of the text between two position captures of a Lua pattern.
  vim.treesitter.query.add_directive('rulewright-part!', narrow(function(_, directive) return directive[3] end), options)
end

local function draw_line(namespace, buffer, row)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''
  local format = format_of(buffer)
  if format == 'style' and line:find(COMMENT) then return end
  for _, pattern in ipairs(NAMES[format]) do
    for first, last in line:gmatch(pattern) do
      vim.api.nvim_buf_set_extmark(buffer, namespace, row, first - 1, {
        end_col = last - 1, hl_group = GROUP, ephemeral = true,
        priority = vim.hl.priorities.treesitter + 5, -- over strings, under what the server says
      })
    end
  end
end

---Set up what the queries need, and the colours of names in texts, for rule files alone.
function M.setup()
  register()
  local namespace = vim.api.nvim_create_namespace('rulewright.names')
  vim.api.nvim_set_decoration_provider(namespace, {
    on_win = function(_, _, buffer) return NAMES[format_of(buffer) or ''] ~= nil end,
    on_line = function(_, _, buffer, row) draw_line(namespace, buffer, row) end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = vim.api.nvim_create_augroup('rulewright.colors', {}),
    callback = function(event) formats[event.buf] = nil end,
  })
end

return M
