-- `:Rulewright`, and what the server's code lenses ask for. What is shown is what the program `rulewright` prints.
local files = require('rulewright.files')
local server = require('rulewright.server')
local texts = require('rulewright.text')

local M = {}
local text, say = texts.text, texts.say

local SCHEMA_MS = 5000

local function show(title, output)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(output:gsub('%s+$', ''), '\r?\n'))
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].wrap = true
  vim.api.nvim_buf_set_name(buffer, ('rulewright://%s/%d'):format(title, buffer))
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer, desc = 'Close' })
end

-- Run a command of the program and show what it prints.
local function report(title, words, options)
  server.run(words, options, function(result)
    local output = vim.trim((result.stdout or '') .. '\n' .. (result.stderr or ''))
    show(title, output ~= '' and output or text('nothing was printed (exit code %d)', '没有输出（退出码 %d）', result.code))
  end)
end

-- The path of the rule file in the current buffer, or nil.
local function current()
  local buffer = vim.api.nvim_get_current_buf()
  if not files.format(buffer) then return nil end
  if vim.bo[buffer].modified then
    say(text('this reads the file on disk; the buffer has changes that are not saved', '读取的是磁盘上的文件；缓冲区中有未保存的修改'), vim.log.levels.WARN)
  end
  return vim.fs.normalize(vim.api.nvim_buf_get_name(buffer))
end

local function folder(path) return path and files.root(path) or vim.fn.getcwd() end

---Start the server again, also after it ended by itself.
function M.restart() server.restart() end

---Show where each rule of a package lands on agents: of the current buffer, or of the project's packages that are named.
---@param harnesses string[]
function M.plan(harnesses)
  local path = current()
  if not path or files.format(0) ~= 'style' then
    return say(text('open a STYLE package first: a plan shows where its rules land', '请先打开一个 STYLE 包：计划显示其规则落在何处'), vim.log.levels.WARN)
  end
  local words = { 'plan', path }
  for _, name in ipairs(harnesses) do vim.list_extend(words, { '--harness', name }) end
  report('plan', words, { cwd = folder(path) })
end

---Replay one event, a JSON file, and show what each rule does: of the package in the current buffer, else of what is installed.
---@param harness string
---@param payload string
function M.explain(harness, payload)
  local words = { 'explain', '--harness', harness, '--payload', vim.fn.fnamemodify(vim.fn.expand(payload), ':p') }
  local path = files.format(0) == 'style' and current() or nil
  if path then vim.list_extend(words, { '--package', path }) end
  report('explain', words, { cwd = folder(path) })
end

---Show which Foya rules a text wakes, and why; asks for the text where there is none.
---@param activity? string
---@param path? string a file of the project
function M.match(activity, path)
  local root = folder(path or current())
  local function run(typed)
    if typed and typed ~= '' then report('match', { 'rule', 'match', '--project', root, '-' }, { stdin = typed, cwd = root }) end
  end
  if activity and activity ~= '' then return run(activity) end
  vim.ui.input({ prompt = text('What the agent is asked for, with tools and paths: ', '向智能体提出的请求，可含工具和路径：') }, run)
end

---Show a Foya rule with its effective fields.
---@param id string its id or its exact name
---@param path? string a file of the project
function M.show_rule(id, path)
  local root = folder(path or current())
  report('rule', { 'rule', 'show', '--project', root, '--', id }, { cwd = root })
end

local function rules()
  local root = folder(current())
  report('rules', { 'rule', 'list', '--project', root }, { cwd = root })
end

-- Commands on what is installed: the words that follow are harnesses and options of the program.
local function installed(verb)
  return function(words)
    if #words > 0 and not vim.startswith(words[1], '-') then table.insert(words, 1, '--harness') end
    report(verb, vim.list_extend({ verb }, words), { cwd = folder(current()) })
  end
end

-- Each word after :Rulewright: how many words it needs, what they are, and what it does.
local COMMANDS = {
  doctor = { 0, '[HARNESS ...]', installed('doctor') },
  explain = { 2, 'HARNESS FILE', function(words) M.explain(words[1], table.concat(words, ' ', 2)) end },
  install = { 1, 'HARNESS ... [--dry-run]', installed('install') },
  match = { 0, '[TEXT]', function(words) M.match(table.concat(words, ' ')) end },
  plan = { 1, 'HARNESS ...', M.plan },
  restart = { 0, '', M.restart },
  rules = { 0, '', rules },
  show = { 1, 'RULE', function(words) M.show_rule(table.concat(words, ' ')) end },
  sync = { 0, '[HARNESS ...] [--dry-run]', installed('sync') },
  uninstall = { 1, 'HARNESS ... [--dry-run]', installed('uninstall') },
}
local TAKES_HARNESS = { doctor = true, explain = true, install = true, plan = true, sync = true, uninstall = true }

local function usage()
  local names = vim.tbl_keys(COMMANDS)
  table.sort(names)
  return table.concat(vim.tbl_map(function(name) return vim.trim(name .. ' ' .. COMMANDS[name][2]) end, names), '\n  ')
end

---Run `:Rulewright WORD ...`.
---@param words string[]
function M.command(words)
  local name = table.remove(words, 1) or ''
  local command = COMMANDS[name]
  if not command or #words < command[1] then
    return say(text('usage: :Rulewright\n  %s', '用法：:Rulewright\n  %s', usage()), vim.log.levels.WARN)
  end
  command[3](words)
end

local harness_names

-- The agents that the installed version knows: its schema of the settings lists them.
local function harnesses()
  if harness_names then return harness_names end
  local program = server.program()
  if not program then return {} end
  local ok, result = pcall(function()
    return vim.system(vim.list_extend(program, { 'schema', 'config' }), { text = true, cwd = vim.uv.os_homedir() }):wait(SCHEMA_MS)
  end)
  local read, schema = pcall(vim.json.decode, ok and result.stdout or '')
  if read then harness_names = vim.tbl_get(schema, 'properties', 'harnesses', 'items', 'enum') end
  return harness_names or {}
end

---Return what may stand where the cursor is in `:Rulewright ...`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local words = vim.split(vim.trim(line), '%s+')
  local position = #words - (lead ~= '' and 1 or 0)
  local choices = {}
  if position == 1 then
    choices = vim.tbl_keys(COMMANDS)
  elseif words[2] == 'explain' and position == 3 then
    return vim.fn.getcompletion(lead, 'file')
  elseif TAKES_HARNESS[words[2]] then
    choices = harnesses()
  end
  choices = vim.tbl_filter(function(word) return vim.startswith(word, lead) end, choices)
  table.sort(choices)
  return choices
end

return M
