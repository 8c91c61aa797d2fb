-- The program `rulewright`: where it is, how it is started as the server, and how a command of it is run.
--
-- Nothing of the opened folder is ever started. The program is what the user set, that of the environment that they activated, or that
-- of an absolute folder of the PATH; and it never looks for Python modules in the folder that it is started in.
local files = require('rulewright.files')
local texts = require('rulewright.text')

local M = {}
local text, say = texts.text, texts.say

M.NAME = 'rulewright'
-- The oldest server that this plugin works with.
M.OLDEST = '0.1.0'
-- No package index has the program, and its name there may be anybody's.
M.INSTALL = 'pipx install /path/to/rulewright'

-- A plugin that is used from a clone has the program beside it, in the version that fits.
local clone = vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)):match('^(.*)/editors/neovim/lua/rulewright/server%.lua$')
if clone and vim.uv.fs_stat(clone .. '/engine/rulewright') then M.INSTALL = 'pipx install ' .. vim.fn.shellescape(clone) end

local WINDOWS = vim.fn.has('win32') == 1
local STOP_MS = 2000

local told = {}

-- Say something once, until the next restart.
local function say_once(message)
  if told[message] then return end
  told[message] = true
  say(message, vim.log.levels.ERROR)
end

local function is_absolute(path) return path:find('^[/\\]') ~= nil or path:find('^%a:[/\\]') ~= nil end

local function search_path(name)
  for _, folder in ipairs(vim.split(vim.env.PATH or '', WINDOWS and ';' or ':', { plain = true })) do
    local path = vim.fs.joinpath(folder, name)
    -- A relative folder would mean another one in every project.
    if is_absolute(folder) and vim.fn.executable(path) == 1 then return path end
  end
end

---Return the program as words, or nil and what to do.
---@return string[]? words
---@return string problem
function M.program()
  local set = vim.g.rulewright_cmd
  if type(set) == 'string' and set ~= '' then set = { set } end
  if type(set) == 'table' and #set > 0 then
    local first = vim.fn.expand(set[1])
    local path = first:find('[/\\]') and vim.fn.fnamemodify(first, ':p') or search_path(first)
    if path and vim.fn.executable(path) == 1 then return vim.list_extend({ path }, vim.list_slice(set, 2)), '' end
    return nil, text('vim.g.rulewright_cmd names `%s`, which is no program', 'vim.g.rulewright_cmd 指定的 `%s` 不是可执行程序', set[1])
  end
  local name = WINDOWS and 'rulewright.exe' or 'rulewright'
  local active = vim.env.VIRTUAL_ENV
  if active and is_absolute(active) then
    local path = vim.fs.joinpath(active, WINDOWS and 'Scripts' or 'bin', name)
    if vim.fn.executable(path) == 1 then return { path }, '' end
  end
  local home = vim.fs.joinpath(vim.uv.os_homedir(), '.local', 'bin', name)
  local found = search_path(name) or (vim.fn.executable(home) == 1 and home)
  if found then return { found }, '' end
  return nil, text(
    'the program `rulewright` is not installed, so rule files are not checked. Install it (`%s`), or set vim.g.rulewright_cmd to where it is; then `:Rulewright restart`',
    '没有安装程序 `rulewright`，所以规则文件不会被检查。请安装它（`%s`），或把 vim.g.rulewright_cmd 设为它的路径；然后执行 `:Rulewright restart`',
    M.INSTALL
  )
end

---Return the folder where the server of a buffer works, or nil where there is none to start; says what is missing.
---@param buffer integer
---@return string?
function M.root(buffer)
  if not files.format(buffer) then return nil end
  local words, problem = M.program()
  if not words then
    say_once(problem)
    return nil
  end
  return files.root(vim.api.nvim_buf_get_name(buffer))
end

-- The environment of what is started: no relative entry in PYTHONPATH, which would be a folder of the project.
local function environment()
  local kept = {}
  for _, folder in ipairs(vim.split(vim.env.PYTHONPATH or '', WINDOWS and ';' or ':', { plain = true })) do
    if is_absolute(folder) then table.insert(kept, folder) end
  end
  return { PYTHONPATH = table.concat(kept, WINDOWS and ';' or ':'), PYTHONSAFEPATH = '1', PYTHONUTF8 = '1' }
end

local function check_version(version)
  local ok, parsed = pcall(vim.version.parse, version or '')
  if ok and parsed and vim.version.ge(parsed, M.OLDEST) then return end
  say_once(text(
    'the server is %s, but this plugin needs %s or newer. Upgrade it (`pipx upgrade rulewright`), then `:Rulewright restart`',
    '服务器版本是 %s，但本插件需要 %s 或更新的版本。请升级（`pipx upgrade rulewright`），然后执行 `:Rulewright restart`',
    version or '?', M.OLDEST
  ))
end

local function say_stopped(code, signal, has_started)
  if vim.v.exiting ~= vim.NIL then return end
  local reason = signal ~= 0 and text('signal %d', '信号 %d', signal) or text('exit code %d', '退出码 %d', code)
  if has_started then
    say(text('the server stopped (%s). `:Rulewright restart` starts it again', '服务器停止了（%s）。用 `:Rulewright restart` 重新启动', reason), vim.log.levels.ERROR)
  else
    say(text('the server does not start (%s). `:checkhealth rulewright` says more', '服务器无法启动（%s）。详情见 `:checkhealth rulewright`', reason), vim.log.levels.ERROR)
  end
end

---Start the server: the `cmd` of vim.lsp.config. Says when it ends without having been asked to.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@return vim.lsp.rpc.PublicClient
function M.start(dispatchers)
  local words, problem = M.program()
  if not words then error(problem, 0) end
  local is_leaving, has_started = false, false
  local rpc = vim.lsp.rpc.start(vim.list_extend(vim.list_slice(words), { 'lsp' }), vim.tbl_extend('force', dispatchers, {
    on_exit = function(code, signal)
      dispatchers.on_exit(code, signal)
      if not is_leaving then vim.schedule(function() say_stopped(code, signal, has_started) end) end
    end,
  }), { cwd = vim.uv.os_homedir(), env = environment() })
  local request, notify, terminate = rpc.request, rpc.notify, rpc.terminate
  rpc.request = function(method, params, callback, ...)
    if method == 'shutdown' then is_leaving = true end
    if method ~= 'initialize' then return request(method, params, callback, ...) end
    return request(method, params, function(err, result)
      has_started = err == nil
      if has_started then vim.schedule(function() check_version(vim.tbl_get(result, 'serverInfo', 'version')) end) end
      callback(err, result)
    end, ...)
  end
  rpc.notify = function(method, params)
    if method == 'exit' then is_leaving = true end
    return notify(method, params)
  end
  rpc.terminate = function()
    is_leaving = true
    terminate()
  end
  return rpc
end

---Run a command of the program; `done` gets its result in the main loop.
---@param words string[]
---@param options { cwd?: string, stdin?: string }
---@param done fun(result: vim.SystemCompleted)
function M.run(words, options, done)
  local program, problem = M.program()
  if not program then return say(problem, vim.log.levels.ERROR) end
  local language = texts.language()
  local line = vim.list_slice(program)
  vim.list_extend(line, language and { '--lang', language } or {})
  vim.list_extend(line, words)
  local settings = { cwd = options.cwd, stdin = options.stdin, env = environment(), text = true }
  local started, failure = pcall(vim.system, line, settings, function(result)
    vim.schedule(function() done(result) end)
  end)
  if not started then say(tostring(failure), vim.log.levels.ERROR) end
end

---Attach the server to a buffer that has become a rule file.
---@param buffer integer
function M.attach(buffer)
  if #vim.lsp.get_clients({ bufnr = buffer, name = M.NAME, _uninitialized = true }) > 0 then return end
  local root = M.root(buffer)
  if root then vim.lsp.start(vim.tbl_extend('force', vim.lsp.config[M.NAME], { root_dir = root }), { bufnr = buffer }) end
end

---Start the server again, also after it ended by itself.
function M.restart()
  told = {}
  local function running() return vim.lsp.get_clients({ name = M.NAME, _uninitialized = true }) end
  local function is_gone() return #running() == 0 end
  vim.lsp.enable(M.NAME, false)
  for _, client in ipairs(running()) do client:stop() end
  if not vim.wait(STOP_MS, is_gone, 20) then
    for _, client in ipairs(running()) do client:stop(true) end
    vim.wait(STOP_MS, is_gone, 20)
  end
  vim.lsp.enable(M.NAME, true)
end

return M
