-- Every format gets the one server; other files get none; a file that becomes ours while it is written gets it too.
local d = ...
for _, path in ipairs({ 'other.yaml', 'README.md', 'package.json', 'style.lock.yaml' }) do d.open(path, { attach = false }) end
d.eq(#vim.lsp.get_clients({ name = 'rulewright' }), 0, 'no server for other files')

d.open('other.yaml', { attach = false })
vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'spec: style/v0.3' })
d.keys('i<Esc>')
d.wait(function() return d.client() ~= nil end, 'a server for a file that is ours now')
d.check(#d.wait_diagnostics({ min = 1 }) > 0, 'findings in it')
vim.cmd('edit!')

local ids, answers = {}, {}
for _, path in ipairs(d.args.paths) do
  d.open(path)
  ids[d.client().id] = true
  answers[path] = vim.tbl_map(function(f) return { code = f.code, message = f.message, text = f.text, line = f.line, col = f.col, severity = f.severity } end,
    d.wait_diagnostics({ min = 1 }))
end
d.eq(vim.tbl_count(ids), 1, 'one server for all')
d.result('answers', answers)
