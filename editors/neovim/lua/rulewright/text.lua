-- What the plugin itself says, in the language of the messages.
local M = {}

local NAME = 'rulewright'

---Return the language that the user chose, or nil: the server and the program then go by the locale, as `text` does.
---@return string?
function M.language()
  if vim.g.rulewright_lang then return vim.g.rulewright_lang end
  local options = (vim.lsp.config[NAME] or {}).init_options
  return type(options) == 'table' and type(options.lang) == 'string' and options.lang or nil
end

local function locale()
  for _, name in ipairs({ 'LC_ALL', 'LC_MESSAGES', 'LANG' }) do
    local value = vim.env[name]
    if value and value ~= '' then return value end
  end
  return ''
end

---Return one of two texts, with its arguments put in.
---@param english string
---@param chinese string
---@return string
function M.text(english, chinese, ...)
  local language = M.language() or locale()
  return (language:lower():find('^zh') and chinese or english):format(...)
end

---Tell the user something, soon: an error message in the middle of a command would end that.
---@param message string
---@param level? integer one of vim.log.levels
function M.say(message, level)
  vim.schedule(function() vim.notify(NAME .. ': ' .. message, level or vim.log.levels.INFO) end)
end

return M
