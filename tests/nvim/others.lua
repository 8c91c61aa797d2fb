-- Files that are not ours get no server; one server serves all of ours, by name, by folder and by content.
local d = ...
d.open('other.yaml', { attach = false })
d.open('README.md', { attach = false })
local ids = {}
for _, path in ipairs({ 'guard.style.yaml', 'by-content.yaml', '.style/in-folder.yaml' }) do
  d.open(path)
  ids[d.client().id] = true
  d.eq(#d.wait_diagnostics({ code = 'block-after' }), 1, path)
end
d.eq(vim.tbl_count(ids), 1, 'one server')
