-- Which buffers hold rule files, and where their project begins. The server decides in the end, by the same rules (`detect` in
-- engine/rulewright/formats/*/__init__.py); this is only so that it is not started for other files.
local M = {}

-- What makes a file of another name ours stands near its beginning.
local HEAD_LINES = 400

-- Keys that no other JSON file has: CLAUDE_CODE_HOOK_CHAINS_CONFIG_PATH may name a file of any name.
local CHAIN_KEYS = { 'hookChains', 'maxChainDepth', 'defaultCooldownMs', 'defaultDedupWindowMs' }

local function head(buffer) return vim.api.nvim_buf_get_lines(buffer, 0, HEAD_LINES, false) end

-- Comments, blank lines, directives and a document start may come before the first key.
local function first_key_is_spec(lines)
  for at, line in ipairs(lines) do
    if at == 1 then line = line:gsub('^\239\187\191', '') end
    local rest = line:gsub('^%-%-%-%s+', '')
    if rest:find('^["\']?spec["\']?[ \t]*:[ \t]+["\']?style/') then return true end
    local is_filler = line:find('^%s*$') or line:find('^%s*#') or line:find('^%%') or line:find('^%-%-%-%s*$') or line:find('^%-%-%-%s*#')
    if not is_filler then return false end
  end
  return false
end

local function has_chain_key(lines)
  local text = table.concat(lines, '\n')
  for _, key in ipairs(CHAIN_KEYS) do
    if text:find('"' .. key .. '"%s*:') then return true end
  end
  return false
end

---Return the format of a file by its path alone.
---@param path string
---@return 'style'|'foya'|'hook-chains'|nil
function M.format_by_path(path)
  path = path:gsub('\\', '/')
  local name = path:match('[^/]*$'):lower()
  local folder = '/' .. path:sub(1, #path - #name)
  if name:find('%.ya?ml$') then
    local ours = name == 'style.yaml' or name:find('%.style%.ya?ml$') or folder:find('/.style/', 1, true)
    return ours and name ~= 'style.lock.yaml' and 'style' or nil
  end
  if name:find('%.md$') then return folder:find('/.foya/rules/', 1, true) and 'foya' or nil end
  return (name == 'hook-chains.json' or name:find('%.hook%-chains%.json$')) and 'hook-chains' or nil
end

---Return the format of the rule file in a buffer, by its path or by how it begins; nil for any other buffer.
---@param buffer integer
---@return 'style'|'foya'|'hook-chains'|nil
function M.format(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= '' or path == '' or path:find('^%a[%w+.-]+://') then return nil end
  local found = M.format_by_path(path)
  if found then return found end
  local name = path:lower()
  if name:find('%.ya?ml$') and not name:find('style%.lock%.yaml$') then
    return first_key_is_spec(head(buffer)) and 'style' or nil
  end
  return name:find('%.json$') and has_chain_key(head(buffer)) and 'hook-chains' or nil
end

---Return the folder of the project that a file belongs to.
---@param path string
---@return string
function M.root(path)
  return vim.fs.root(path, { 'rulewright.toml', '.style', '.foya', '.openclaude', '.git' }) or vim.fs.dirname(path)
end

return M
