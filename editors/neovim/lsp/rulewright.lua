-- The server for vim.lsp.enable('rulewright'). What a user sets with vim.lsp.config('rulewright', ...) goes over it.
local server = require('rulewright.server')

---@type vim.lsp.Config
return {
  cmd = server.start,
  filetypes = { 'yaml', 'markdown', 'json', 'jsonc' },
  -- For a file that is not ours on_dir is never called: then no server is started.
  root_dir = function(buffer, on_dir)
    local root = server.root(buffer)
    if root then on_dir(root) end
  end,
  init_options = vim.g.rulewright_lang and { lang = vim.g.rulewright_lang } or nil,
}
