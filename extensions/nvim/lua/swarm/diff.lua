--- What a call would do: a change as a diff in a tab, anything else as text. Closing it answers nothing.
local view = require("swarm.view")
local M = {}

local function keys(buffer, request)
  local questions = require("swarm.questions")
  view.map(buffer, "q", "close", function()
    vim.cmd.tabclose()
  end)
  view.map(buffer, "<CR>", "answer", function()
    questions.ask(request)
  end)
  view.map(buffer, "ga", "allow", function()
    vim.cmd.tabclose()
    questions.decide(request, "allow")
  end)
  view.map(buffer, "gr", "reject", function()
    vim.cmd.tabclose()
    questions.decide(request, "reject")
  end)
end

local function side(name, text, filetype)
  local buffer = view.buffer(name, filetype)
  view.write(buffer, vim.split(text, "\n"))
  vim.bo[buffer].bufhidden = "wipe"
  return buffer
end

function M.show(request)
  local change = request.change
  vim.cmd.tabnew()
  if not change then
    local lines = { "# " .. require("swarm.questions").title(request), "", request.why or "", "" }
    vim.list_extend(lines, vim.split(request.input.command or vim.inspect(request.input), "\n"))
    local buffer = side("swarm://call/" .. request.id, table.concat(lines, "\n"), "markdown")
    vim.api.nvim_win_set_buf(0, buffer)
    keys(buffer, request)
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
  keys(before, request)
  keys(after, request)
end

return M
