--- Files that agents change on the disk are read again where they are open here and not changed.
local M = {}

local planned = false

--- Something may have changed files. Many calls at once look once.
function M.changed()
  if planned then
    return
  end
  planned = true
  vim.defer_fn(function()
    planned = false
    -- In the command line's window it is not allowed; the next change looks again.
    pcall(vim.cmd, "silent! checktime")
  end, 100)
end

return M
