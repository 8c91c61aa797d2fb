-- Set-up on start: names, and what the queries need; the rest is loaded when a rule file is opened or a command is called.
if vim.g.loaded_rulewright then return end
vim.g.loaded_rulewright = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.schedule(function() vim.notify('rulewright: Neovim 0.11 or newer is needed', vim.log.levels.ERROR) end)
  return
end

local NAME = 'rulewright'

-- Where the extension alone would not do, or another plugin gives these folders a type of its own.
vim.filetype.add({
  pattern = {
    ['.*/%.foya/rules/.*%.[mM][dD]'] = 'markdown',
    ['.*hook%-chains%.json'] = 'json',
    ['.*%.style%.ya?ml'] = 'yaml',
    ['.*/%.style/.*%.ya?ml'] = 'yaml',
  },
})

vim.api.nvim_create_user_command('Rulewright', function(args)
  require('rulewright').command(vim.deepcopy(args.fargs))
end, {
  nargs = '+',
  desc = 'Rulewright: rules that steer coding agents',
  complete = function(lead, line) return require('rulewright').complete(lead, line) end,
})

-- What the server's code lenses name; the arguments are the absolute path of the file and the id of the rule.
vim.lsp.commands['rulewright.tryActivity'] = function(command)
  require('rulewright').match(nil, (command.arguments or {})[1])
end
vim.lsp.commands['rulewright.showRule'] = function(command)
  local path, id = unpack(command.arguments or {})
  if id then require('rulewright').show_rule(id, path) end
end

require('rulewright.colors').setup()

local group = vim.api.nvim_create_augroup(NAME, {})

local function show_lenses(buffer)
  if vim.g.rulewright_code_lens == false then return end
  if vim.lsp.codelens.enable then -- Neovim 0.12
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  local function refresh() vim.lsp.codelens.refresh({ bufnr = buffer }) end
  refresh()
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
    buffer = buffer,
    group = vim.api.nvim_create_augroup(('%s.lens.%d'):format(NAME, buffer), {}),
    callback = refresh,
  })
end

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= NAME then return end
    require('rulewright.lost').watch(event.buf)
    if client:supports_method('textDocument/codeLens') then show_lenses(event.buf) end
  end,
})

if vim.g.rulewright_enable ~= false then
  vim.lsp.enable(NAME)
  -- A file that was not ours when it was opened, and is now.
  vim.api.nvim_create_autocmd({ 'BufWritePost', 'InsertLeave' }, {
    group = group,
    pattern = { '*.yaml', '*.yml', '*.md', '*.json' },
    callback = function(event)
      if vim.lsp.is_enabled(NAME) then require('rulewright.server').attach(event.buf) end
    end,
  })
end
