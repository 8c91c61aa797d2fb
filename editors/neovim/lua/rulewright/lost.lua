-- Buffers that Neovim has lost. When a buffer is changed while no server is attached, Neovim 0.11 stops watching it, but still believes
-- that it does: a server that is attached later is sent the text once and never a change of it. Here such changes are noticed
-- and sent, so that findings come back after a restart. A Neovim without the fault is left alone.
local M = {}

local NAME = 'rulewright'
local ENDINGS = { unix = '\n', dos = '\r\n', mac = '\r' }

local watched = {}

local function full_text(buffer)
  local ending = ENDINGS[vim.bo[buffer].fileformat] or '\n'
  local body = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), ending)
  return vim.bo[buffer].eol and body .. ending or body
end

-- Send the text if Neovim itself has taken no notice of the change that made it `tick`.
local function catch_up(buffer, tick)
  if not vim.api.nvim_buf_is_loaded(buffer) then return end
  local versions = vim.lsp.util.buf_versions
  local clients = vim.lsp.get_clients({ bufnr = buffer, name = NAME })
  if #clients == 0 or not versions or versions[buffer] >= tick then return end
  local now = vim.api.nvim_buf_get_changedtick(buffer)
  versions[buffer] = now
  for _, client in ipairs(clients) do
    client:notify('textDocument/didChange', {
      textDocument = { uri = vim.uri_from_bufnr(buffer), version = now },
      contentChanges = { { text = full_text(buffer) } },
    })
  end
end

local function close(buffer)
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buffer, name = NAME })) do
    vim.lsp.buf_detach_client(buffer, client.id)
  end
end

---Watch a buffer that the server is attached to.
---@param buffer integer
function M.watch(buffer)
  if watched[buffer] then return end
  watched[buffer] = vim.api.nvim_buf_attach(buffer, false, {
    -- Later: a Neovim that watches the buffer may come to know of the change only after us.
    on_lines = function(_, _, tick)
      vim.schedule(function() catch_up(buffer, tick) end)
    end,
    on_reload = function()
      local tick = vim.api.nvim_buf_get_changedtick(buffer)
      vim.schedule(function() catch_up(buffer, tick) end)
    end,
    on_detach = function()
      watched[buffer] = nil
      close(buffer)
    end,
  }) or nil
end

return M
