-- :checkhealth rulewright
local server = require('rulewright.server')
local text = require('rulewright.text').text

local M = {}

local PROBE_MS = 10000

local function check_neovim()
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error(text('Neovim 0.11 or newer is needed', '需要 Neovim 0.11 或更新的版本'))
  end
end

-- Return whether the program starts and is new enough.
local function check_program()
  local words, problem = server.program()
  if not words then
    vim.health.error(problem)
    return false
  end
  local shown = table.concat(words, ' ')
  local started, result = pcall(function()
    return vim.system(vim.list_extend(vim.list_slice(words), { '--version' }), { text = true, cwd = vim.uv.os_homedir() }):wait(PROBE_MS)
  end)
  local found = started and result.code == 0 and result.stdout:match('^rulewright (%d+%.%d+%.%d+%S*)')
  if not found then
    local said = started and vim.trim(result.stderr ~= '' and result.stderr or result.stdout) or tostring(result)
    vim.health.error(text('`%s` does not start', '`%s` 无法启动', shown), { said, text('Install it again: `%s`', '请重新安装：`%s`', server.INSTALL) })
    return false
  end
  local parsed = vim.version.parse(found)
  if not parsed or vim.version.lt(parsed, server.OLDEST) then
    vim.health.error(text('`%s` is %s; this plugin needs %s or newer', '`%s` 的版本是 %s；本插件需要 %s 或更新的版本', shown, found, server.OLDEST),
      { text('Upgrade it: `%s`', '请升级：`%s`', 'pipx upgrade rulewright') })
    return false
  end
  vim.health.ok(('%s (%s)'):format(shown, found))
  return true
end

local function check_server()
  if not vim.lsp.is_enabled(server.NAME) then
    vim.health.warn(text('the server is not enabled', '服务器没有启用'), { "vim.lsp.enable('rulewright')" })
  end
  local clients = vim.lsp.get_clients({ name = server.NAME })
  if #clients == 0 then vim.health.info(text('no server is running: it starts with the first rule file', '没有运行中的服务器：打开规则文件时启动')) end
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    vim.health.ok(text('a server works in %s for %d buffer(s)', '服务器正在 %s 中为 %d 个缓冲区工作', client.root_dir or '-', buffers))
  end
  vim.health.info(text('log: %s', '日志：%s', vim.lsp.log.get_filename()))
end

local function check_grammars()
  local missing = vim.tbl_filter(function(name) return not vim.treesitter.language.add(name) end, { 'yaml', 'markdown', 'json', 'regex', 'bash' })
  if #missing == 0 then
    vim.health.ok(text('tree-sitter: all parsers are there', 'tree-sitter：所有解析器都已就绪'))
  else
    vim.health.info(text('tree-sitter: no parser for %s, so there is less colour in rule files', 'tree-sitter：缺少 %s 的解析器，规则文件的着色会少一些', table.concat(missing, ', ')))
  end
end

---Examine Neovim, the program, what is attached, and the parsers for colours.
function M.check()
  vim.health.start('rulewright')
  check_neovim()
  if check_program() then check_server() end
  check_grammars()
end

return M
