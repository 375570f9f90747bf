--- What a call would do: a change as a diff in a tab, of which hunks can be left out, anything else as text.
--- Closing it answers nothing.
local client = require("swarm.client")
local hunks = require("swarm.hunks")
local view = require("swarm.view")
local M = {}

-- A change by another tool is made whole or not at all.
local IN_PARTS = { Edit = true, Write = true }

--- Allows the call, but for the hunks that are left out.
--- @param request swarm.PermissionRequest
local function allow(request, parts)
  local extra
  if next(parts.left_out) then
    local taken = hunks.taken(parts.hunks, parts.left_out)
    if #taken == 0 then
      client.say("everything is left out; gr rejects", vim.log.levels.WARN)
      return
    end
    extra = { hunks = taken }
  end
  vim.cmd.tabclose()
  require("swarm.questions").decide(request, "allow", extra)
end

local function keys(buffer, request, parts)
  local questions = require("swarm.questions")
  view.map(buffer, "q", "close", function()
    vim.cmd.tabclose()
  end)
  view.map(buffer, "<CR>", "answer", function()
    questions.ask(request)
  end)
  view.map(buffer, "ga", "allow", function()
    allow(request, parts)
  end)
  view.map(buffer, "gr", "reject", function()
    vim.cmd.tabclose()
    questions.decide(request, "reject")
  end)
end

--- Leaves out the hunk under the cursor, or takes it in again.
local function part_key(buffer, name, sides, parts)
  view.map(buffer, "x", "leave out this hunk, or take it in", function()
    local index = hunks.at(parts.hunks, name, vim.api.nvim_win_get_cursor(0)[1] - 1)
    if not index then
      client.say("no change is under the cursor; ]c goes to the next", vim.log.levels.WARN)
      return
    end
    parts.left_out[index] = not parts.left_out[index] or nil
    for each, other in pairs(sides) do
      hunks.mark(other, each, parts.hunks, parts.left_out)
    end
  end)
end

local function side(name, text, filetype)
  local buffer = view.buffer(name, filetype)
  -- The end of the last line begins no other.
  view.write(buffer, vim.split((text:gsub("\n$", "")), "\n"))
  vim.bo[buffer].bufhidden = "wipe"
  return buffer
end

--- @param request swarm.PermissionRequest
function M.show(request)
  local change = request.change
  vim.cmd.tabnew()
  if not change then
    local lines = { "# " .. require("swarm.questions").title(request), "", request.why or "", "" }
    vim.list_extend(lines, vim.split(request.input.command or vim.inspect(request.input), "\n"))
    local buffer = side("swarm://call/" .. request.id, table.concat(lines, "\n"), "markdown")
    vim.api.nvim_win_set_buf(0, buffer)
    keys(buffer, request, { hunks = {}, left_out = {} })
    return
  end
  local filetype = vim.filetype.match({ filename = change.path }) or ""
  local before = side(("swarm://before/%s/%s"):format(request.id, change.path), change.before or "", filetype)
  local after = side(("swarm://after/%s/%s"):format(request.id, change.path), change.after, filetype)
  vim.api.nvim_win_set_buf(0, before)
  vim.cmd.diffthis()
  vim.cmd("rightbelow vsplit")
  vim.api.nvim_win_set_buf(0, after)
  vim.cmd.diffthis()
  local parts = { hunks = hunks.between(change.before or "", change.after), left_out = {} }
  local sides = { before = before, after = after }
  for name, buffer in pairs(sides) do
    keys(buffer, request, parts)
    if IN_PARTS[request.toolName] then
      part_key(buffer, name, sides, parts)
    end
  end
end

return M
