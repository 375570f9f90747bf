--- A member's conversation as a buffer: its history, what it says just now, and what waits for an answer.
local actions = require("swarm.actions")
local client = require("swarm.client")
local colors = require("swarm.colors")
local state = require("swarm.state")
local view = require("swarm.view")
local M = {}

--- @class swarm.Settled
--- @field lines string[]
--- @field acts table<integer, fun()>
--- @field heads integer[]

--- @class swarm.Conversation
--- @field name string
--- @field client? integer whose member it is
--- @field buffer integer
--- @field entries table[]
--- @field next integer what comes next in the transcript
--- @field generation? integer how often another conversation took its place
--- @field live string text that is not in the transcript yet
--- @field settled? swarm.Settled the transcript as lines, kept while only the live text grows
--- @field planned boolean whether it will be drawn soon
--- @field open table<string, boolean> calls whose results are shown
--- @field acts table<integer, fun()> what <CR> does on a line
--- @field heads integer[] lines that are headings, counted from 0
local Conversation = {}
Conversation.__index = Conversation

-- Text comes word by word; the eye and a long conversation need no more than this.
local DRAW_EVERY_MILLISECONDS = 40

function Conversation:heading(lines, text)
  if #lines > 0 and lines[#lines] ~= "" then
    table.insert(lines, "")
  end
  table.insert(lines, "## " .. text)
  table.insert(self.heads, #lines - 1)
end

local function add_text(lines, text)
  vim.list_extend(lines, vim.split(vim.trim(text), "\n"))
end

--- A path as it is said in the workspace.
local function short(path)
  local team = state.now.teams[1]
  return path and team and vim.fs.relpath(team.workspace, path) or path
end

--- @param block swarm.Block.ToolUse
--- @param result swarm.CallResult?
function Conversation:call(lines, block, result)
  local sign = not result and "▸" or result.isError and "✗" or "✓"
  local input = block.input or {}
  local what = input.command or short(input.path) or input.pattern or input.name or input.subject or ""
  table.insert(lines, ("%s %s %s"):format(sign, block.name, (tostring(what):gsub("\n", " "))))
  local id = block.id
  self.acts[#lines] = function()
    self.open[id] = not self.open[id]
    self.settled = nil
    self:render()
  end
  if result and self.open[id] then
    for _, line in ipairs(vim.split(result.content, "\n")) do
      table.insert(lines, "    " .. line)
    end
  end
end

--- The transcript as lines. Sets `acts` and `heads`.
function Conversation:transcript()
  local lines, results = {}, {}
  self.acts, self.heads = {}, {}
  for _, entry in ipairs(self.entries) do
    for _, result in ipairs(entry.results or {}) do
      results[result.toolUseId] = result
    end
  end
  for _, entry in ipairs(self.entries) do
    if entry.role == "user" then
      self:heading(lines, "to " .. self.name)
      add_text(lines, entry.text)
    elseif entry.role == "assistant" then
      self:heading(lines, self.name)
      for _, block in ipairs(entry.content) do
        if block.type == "text" then
          add_text(lines, block.text)
        elseif block.type == "tool_use" then
          self:call(lines, block, results[block.id])
        end
      end
    elseif entry.role == "compacted" then
      self:heading(lines, "summary of what came before")
      add_text(lines, entry.summary)
    elseif entry.role == "picturesRefused" then
      table.insert(
        lines,
        ("(the pictures above were refused: %s)"):format(vim.trim(entry.reason):gsub("%s+", " "))
      )
    elseif entry.role == "ended" then
      table.insert(lines, ("(%s)"):format(entry.reason))
    end
  end
  return lines
end

function Conversation:lines()
  if not self.settled then
    local lines = self:transcript()
    self.settled = { lines = lines, acts = self.acts, heads = self.heads }
  end
  local lines = vim.list_slice(self.settled.lines)
  self.acts, self.heads = vim.deepcopy(self.settled.acts), vim.list_slice(self.settled.heads)
  if self.live ~= "" then
    self:heading(lines, self.name)
    add_text(lines, self.live)
  end
  for _, question in ipairs(require("swarm.questions").open()) do
    if (question.workerName or question.name) == self.name then
      table.insert(lines, "")
      table.insert(lines, "? " .. require("swarm.questions").title(question) .. "  <CR> answers")
      self.acts[#lines] = function()
        require("swarm.questions").ask(question)
      end
    end
  end
  if #lines == 0 then
    lines = { ("Nothing was said to %s yet. `i` writes."):format(self.name) }
  end
  return lines
end

function Conversation:render()
  if not vim.api.nvim_buf_is_valid(self.buffer) then
    return
  end
  local lines = self:lines()
  -- What is the same stays, so that reading further up is not disturbed.
  local there = vim.api.nvim_buf_get_lines(self.buffer, 0, -1, false)
  local first = 0
  while first < #there and first < #lines and there[first + 1] == lines[first + 1] do
    first = first + 1
  end
  if first < #there or first < #lines then
    view.write(self.buffer, vim.list_slice(lines, first + 1), first)
  end
  vim.api.nvim_buf_clear_namespace(self.buffer, colors.namespace, first, -1)
  local member = state.member(self.name)
  for _, line in ipairs(self.heads) do
    if line >= first then
      local own = lines[line + 1] == "## " .. self.name
      local group = own and colors.group(member and member.color) or "Title"
      colors.paint(self.buffer, line, 0, #lines[line + 1], group)
    end
  end
end

--- Draws soon: what comes until then is drawn with it.
function Conversation:render_soon()
  if self.planned then
    return
  end
  self.planned = true
  vim.defer_fn(function()
    self.planned = false
    self:render()
  end, DRAW_EVERY_MILLISECONDS)
end

--- Takes entries of the transcript. What they hold of the live text is no longer live; the model may have
--- begun the next answer already.
--- @param entries swarm.Entry[]
function Conversation:take(entries)
  for _, entry in ipairs(entries) do
    if entry.role == "assistant" then
      local said = {}
      for _, block in ipairs(entry.content) do
        table.insert(said, block.type == "text" and block.text or nil)
      end
      local text = table.concat(said)
      self.live = vim.startswith(self.live, text) and self.live:sub(#text + 1) or ""
    elseif entry.role == "ended" then
      self.live = ""
    end
  end
  vim.list_extend(self.entries, entries)
  self.settled = nil
end

function Conversation:forget()
  self.entries, self.next, self.live, self.settled = {}, 0, "", nil
end

--- Takes what the transcript has further.
function Conversation:fetch()
  if self.client ~= state.client then
    -- The member of that name in the project where the user is now.
    self.client, self.fetching = state.client, false
    self:forget()
  end
  if not state.member(self.name) then
    -- Nobody of that name is in the team, or another team has come.
    self:forget()
    return
  end
  if self.fetching then
    self.again = true
    return
  end
  self.fetching, self.again = true, false
  local from, generation = self.client, self.generation
  client.request("swarm/transcript", { member = self.name, after = self.next }, function(page)
    if self.client ~= from or self.generation ~= generation then
      return
    end
    self.fetching = false
    if #page.entries > 0 then
      self:take(page.entries)
      self.next = page.next
      self:render_soon()
    end
    if self.again or #page.entries > 0 then
      self:fetch()
    end
  end, from)
  -- A refused request must not keep later ones away.
  vim.defer_fn(function()
    self.fetching = false
  end, 2000)
end

--- @param event? swarm.Event
--- @param missed? boolean
function Conversation:event(event, missed)
  local of = event and (event.member or (event.request and event.request.workerId))
  if type(of) == "table" then
    of = of.agentId
  end
  if event and event.kind == "text" then
    if of and of:match("^[^@]*") == self.name then
      self.live = self.live .. event.text
      self:render_soon()
    end
    return
  end
  local changed = event and event.kind == "conversationChanged" and of and of:match("^[^@]*") == self.name
  -- What was missed may have been that.
  if changed or missed then
    self:forget()
    -- An answer that is on its way is of the other conversation.
    self.generation = (self.generation or 0) + 1
    self.fetching = false
  end
  if event and event.kind == "turnRestarted" and of and of:match("^[^@]*") == self.name then
    self.live = ""
  end
  if not event or event.kind ~= "memberChanged" then
    self:fetch()
  end
  self:render_soon()
end

local function keys(self)
  view.map(self.buffer, "<CR>", "act on this line", function()
    local act = self.acts[vim.api.nvim_win_get_cursor(0)[1]]
    if act then
      act()
    end
  end)
  view.map(self.buffer, "i", "write", function()
    actions.compose(self.name)
  end)
  view.map(self.buffer, "<C-c>", "interrupt", function()
    actions.interrupt(self.name)
  end)
  view.map(self.buffer, "q", "close", function()
    pcall(vim.api.nvim_win_close, 0, false)
  end)
end

--- Shows a member's conversation; the leader's without a name.
function M.open(name)
  name = name or "team-lead"
  local buffer, is_new = view.buffer("swarm://conversation/" .. name, "markdown")
  if is_new then
    local self = setmetatable({
      name = name,
      buffer = buffer,
      entries = {},
      next = 0,
      live = "",
      planned = false,
      open = {},
      acts = {},
      heads = {},
    }, Conversation)
    keys(self)
    local stop = state.listen(function(event, missed)
      self:event(event, missed)
    end)
    vim.api.nvim_create_autocmd("BufWipeout", { buffer = buffer, once = true, callback = stop })
    self:fetch()
    self:render()
  end
  local window = view.show(buffer, "botright vsplit")
  vim.wo[window].wrap, vim.wo[window].linebreak = true, true
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
end

return M
