-- The Lua that README.md tells a user to paste, so that the specs run what the user runs.
local M = {}

--- Runs the one ```lua block of the README that contains `mark`.
function M.run(mark)
  local root = vim.fs.root(debug.getinfo(1, "S").source:sub(2), "README.md")
  local text = table.concat(vim.fn.readfile(root .. "/README.md"), "\n")
  local found = {}
  for block in text:gmatch("```lua\n(.-)```") do
    if block:find(mark, 1, true) then
      table.insert(found, block)
    end
  end
  assert(#found == 1, ("README.md has %d Lua blocks with %s"):format(#found, mark))
  assert(loadstring(found[1], "@README.md"))()
end

return M
