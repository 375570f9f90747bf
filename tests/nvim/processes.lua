-- The processes that descend from this one, from Linux's /proc.
local ffi = require("ffi")
local M = {}

ffi.cdef("int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);")
local PR_SET_CHILD_SUBREAPER = 36

--- From now on a descendant whose parent ends becomes our child, so that it cannot hide.
function M.adopt_orphans()
  assert(ffi.C.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0, "prctl failed")
end

--- The living descendants whose command line fits the pattern, or all: each as its pid and that line.
function M.descendants(pattern)
  local children = {}
  for name in vim.fs.dir("/proc") do
    local stat = name:match("^%d+$") and M.read("/proc/" .. name .. "/stat")
    -- The command in brackets may hold anything, so what counts comes after the last bracket.
    local state, parent = (stat or ""):match("^.*%) (%a) (%d+)")
    if state and state ~= "Z" then
      children[parent] = children[parent] or {}
      table.insert(children[parent], name)
    end
  end
  local found = {}
  local function visit(pid)
    for _, child in ipairs(children[pid] or {}) do
      local command = (M.read("/proc/" .. child .. "/cmdline") or ""):gsub("%z", " ")
      if command:find(pattern or "") then
        table.insert(found, child .. ": " .. command)
      end
      visit(child)
    end
  end
  visit(tostring(vim.fn.getpid()))
  return found
end

--- Waits until no such process runs beneath us, and returns those that still do. The promise is 2 s; the
--- machine may be busy with a build.
function M.wait_for_none(pattern)
  local left
  vim.wait(4000, function()
    left = M.descendants(pattern)
    return #left == 0
  end, 20)
  return left
end

--- The text of a file, or nil when there is none (any more).
function M.read(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  return text
end

return M
