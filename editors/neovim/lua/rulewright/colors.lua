local M = {}
function M.start() end
return M
