--- The team window: members with what they do, open questions and tasks.
local colors = require("swarm.colors")
local state = require("swarm.state")
local view = require("swarm.view")
local M = {}

local NAME = "swarm://team"
local SIGNS = {
  working = "●",
  planning = "●",
  starting = "●",
  waiting = "?",
  idle = "○",
  rateLimited = "…",
  paused = "‖",
  stalled = "!",
  failed = "✗",
  completed = "✓",
}
local MODES = { "default", "acceptEdits", "plan", "dontAsk", "bypassPermissions" }

-- What each line of the window stands for.
local lines_of = {}

local function thousands(count)
  return count < 1000 and tostring(count) or ("%.1fk"):format(count / 1000)
end

local function render(buffer)
  local lines, marks, things = {}, {}, {}
  local function add(text, thing)
    table.insert(lines, (text:gsub("\n", " ")))
    things[#lines] = thing
  end
  -- More about a member, where there is any.
  local function beneath(member, text)
    if text then
      add("    " .. text, { member = member.name })
      table.insert(marks, { #lines - 1, 0, #lines[#lines], "Comment" })
    end
  end
  for _, team in ipairs(state.now.teams) do
    add("Team " .. team.name)
  end
  if #state.now.members == 0 then
    add("Nobody works yet. :Swarm prompt … makes a team.")
  end
  for _, member in ipairs(state.now.members) do
    local head = ("%s %s"):format(SIGNS[member.state] or "·", member.name)
    local cost = member.cost and (" $%.2f"):format(member.cost) or ""
    local tokens = ("%s in %s out%s"):format(
      thousands(member.tokens.input),
      thousands(member.tokens.output),
      cost
    )
    add(("%s  %s  %s"):format(head, member.state, tokens), { member = member.name })
    table.insert(marks, { #lines - 1, 0, #head, colors.group(member.color) })
    beneath(member, member.worktree and member.worktree ~= vim.NIL and "on " .. member.worktree.branch)
    beneath(member, member.tool ~= vim.NIL and member.tool)
  end
  local open = require("swarm.questions").open()
  if #open > 0 then
    add("")
    add("Waiting for you")
    for _, question in ipairs(open) do
      add("  ? " .. require("swarm.questions").title(question), { question = question.id })
      table.insert(marks, { #lines - 1, 0, #lines[#lines], "WarningMsg" })
    end
  end
  if #state.now.tasks > 0 then
    add("")
    add("Tasks")
    for _, task in ipairs(state.now.tasks) do
      local sign = task.status == "completed" and "✓" or task.status == "in_progress" and "●" or "○"
      local owner = task.owner and task.owner ~= vim.NIL and ("  " .. task.owner:match("^[^@]*")) or ""
      local after = #(task.blockedBy or {}) > 0 and ("  after " .. table.concat(task.blockedBy, ", ")) or ""
      add(("  %s %s %s%s%s"):format(sign, task.id, task.subject, owner, after))
    end
  end
  lines_of[buffer] = things
  view.write(buffer, lines)
  vim.api.nvim_buf_clear_namespace(buffer, colors.namespace, 0, -1)
  for _, mark in ipairs(marks) do
    colors.paint(buffer, mark[1], mark[2], mark[3], mark[4])
  end
end

local function here(buffer)
  return lines_of[buffer][vim.api.nvim_win_get_cursor(0)[1]] or {}
end

--- What a key does to the member under the cursor.
local function on_member(buffer, keys, does, deed)
  view.map(buffer, keys, does, function()
    local name = here(buffer).member
    if name then
      deed(name)
    end
  end)
end

local function keys(buffer)
  local actions = require("swarm.actions")
  view.map(buffer, "<CR>", "open the conversation or answer the question", function()
    local thing = here(buffer)
    if thing.member then
      require("swarm.conversation").open(thing.member)
    end
    for _, question in ipairs(require("swarm.questions").open()) do
      if question.id == thing.question then
        require("swarm.questions").ask(question)
      end
    end
  end)
  on_member(buffer, "m", "write to the member", actions.compose)
  on_member(buffer, "i", "interrupt", actions.interrupt)
  on_member(buffer, "s", "stop", actions.stop)
  on_member(buffer, "r", "restart", actions.restart)
  on_member(buffer, "M", "set the mode", actions.choose_mode)
  view.map(buffer, "q", "close", function()
    vim.api.nvim_win_close(0, false)
  end)
end

--- Opens the window, or closes it where it is open.
function M.toggle()
  local buffer, is_new = view.buffer(NAME, "swarm-team")
  if is_new then
    keys(buffer)
    local stop = state.listen(function(event)
      -- Streamed text changes nothing here.
      if not event or event.kind ~= "text" then
        render(buffer)
      end
    end)
    vim.api.nvim_create_autocmd("BufWipeout", { buffer = buffer, once = true, callback = stop })
  end
  render(buffer)
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    vim.api.nvim_win_close(window, false)
    return
  end
  window = view.show(buffer, "botright 48vsplit")
  vim.wo[window].wrap, vim.wo[window].number, vim.wo[window].cursorline = false, false, true
  vim.wo[window].winfixwidth = true
  state.refresh()
end

M.MODES = MODES

return M
