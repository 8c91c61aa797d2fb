-- A user's init.lua with the plugin: one line puts it on the runtime path, as plugin managers do.
vim.opt.runtimepath:append(vim.env.PLUGIN)
if vim.env.LSP_CMD ~= '[]' then
  local words = vim.json.decode(vim.env.LSP_CMD)
  table.remove(words) -- the plugin adds `lsp` itself
  vim.g.rulewright_cmd = words
end
vim.g.rulewright_lang = vim.env.PLUGIN_LANG
vim.diagnostic.config({ virtual_text = true })
if vim.env.PLUGIN_MENU then -- the menu of |lsp-autocompletion|
  vim.opt.completeopt = { 'menuone', 'noselect' }
  vim.api.nvim_create_autocmd('LspAttach', {
    callback = function(event) vim.lsp.completion.enable(true, event.data.client_id, event.buf) end,
  })
end
